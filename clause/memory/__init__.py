"""Memories in clusters: written, recalled, consolidated."""
