"""What an agent holds to be true: beliefs, their confidence, sources, tensions, and whom to trust."""
