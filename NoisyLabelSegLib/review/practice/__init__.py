"""Practice for trainees: drawings against the spread of several experts, and progress over time."""
