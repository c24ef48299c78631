"""Conversations: sessions, their exchanges, and the patterns seen across them."""
