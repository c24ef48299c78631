"""What each part of training is worth: rows with a training of their own, and what a trained reader generalises to."""
