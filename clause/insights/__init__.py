"""Insights on topics: retrieved by profile, aged, never returned from quarantine."""
