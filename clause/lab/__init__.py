"""Measurements of the product from outside: baselines, ablations, studies and benches. Nothing outside imports it."""
