"""The three agents by rule, their protocols, and each agent alone."""
