"""The learned policy as it answers questions."""
