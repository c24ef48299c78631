"""Beliefs that an agent holds: their confidence, sources, tensions and lineage, and the trust in who says them."""
