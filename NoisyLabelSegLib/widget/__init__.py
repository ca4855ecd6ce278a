"""The panel: one file per section, and beside each a logic without Qt. The only package that may import qt or ctk."""
