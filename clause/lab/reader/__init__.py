"""The pattern scorer's making: its training data, its training, and its measures on what training left out."""
