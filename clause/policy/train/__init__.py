"""Training of the three agents by LC-MAPPO."""
