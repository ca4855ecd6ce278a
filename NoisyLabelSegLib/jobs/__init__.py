"""How long work runs outside the caller's process, and the language both sides speak."""
