"""The knowledge room for attacks on what it believes: see tests/integration/knowledge/conftest.py."""

from tests.integration.knowledge.conftest import clock, ground, knowledge, user

__all__ = ["clock", "ground", "knowledge", "user"]
