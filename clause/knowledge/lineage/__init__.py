"""Lineage of statements: what rests on what; retraction, merging, erasure."""
