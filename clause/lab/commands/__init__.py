"""The commands `clause evaluate` and `clause bench`."""
