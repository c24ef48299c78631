"""Attacks, by theme: each gained something once, or would, and is shown to gain nothing."""
