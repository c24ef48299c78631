"""Tests here embed with hashed words: the record of the shared server's model is set aside meanwhile."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
async def model_set_aside(no_model: None) -> None:
    """Whoever shares the server may have recorded another model."""
