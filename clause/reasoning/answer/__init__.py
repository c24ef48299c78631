"""The answer: evidence with provenance, receipts, recorded runs."""
