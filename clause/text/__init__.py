"""Embeddings, tokens, rank fusion, mentions: what every room needs of text."""
