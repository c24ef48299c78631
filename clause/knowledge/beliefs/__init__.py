"""Beliefs: stated, corroborated, superseded, asked about, explained."""
