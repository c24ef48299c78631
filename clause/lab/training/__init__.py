"""Studies of training: what each part is worth, and what a trained reader generalises to."""
