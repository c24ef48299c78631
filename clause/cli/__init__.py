"""The command line door: `clause`."""
