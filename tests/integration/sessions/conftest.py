"""The sessions room on a real graph; the fixtures are those of the knowledge room."""

from __future__ import annotations

import pytest

from clause.ground import Ground
from clause.knowledge.room import Knowledge
from clause.sessions.room import Sessions
from tests.integration.knowledge.conftest import clock, ground, knowledge, model_set_aside, user

__all__ = ["clock", "ground", "knowledge", "model_set_aside", "user"]


@pytest.fixture
def room(ground: Ground, knowledge: Knowledge) -> Sessions:
    return Sessions.open(ground, knowledge)
