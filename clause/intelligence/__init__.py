"""Attractor basins, ThoughtSeeds, curiosity, causal reasoning, and write conflicts between agents."""
