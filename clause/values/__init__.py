"""Experiences, clusters of them on four axes, and the values that an agent makes of them."""
