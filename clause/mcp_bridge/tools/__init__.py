"""The tools, one module for each room that answers them."""
