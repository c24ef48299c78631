"""Causal relationships: their graph, questions about interventions, and scores for the Navigator."""
