"""One file for each objective: the loss of a training step, and the learner that puts it together with its network."""
