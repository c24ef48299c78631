"""The learned policy (LC-MAPPO, arXiv 2509.21035): networks, training and serving of the three agents."""
