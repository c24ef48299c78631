"""Promotion and rollback on a real server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clause.errors import ConflictError
from clause.graph.runner import Graph
from clause.operations.promotion import Promotions, Verdict, default_policy
from clause.policy.serve.checkpoint_store import CheckpointStore
from tests.servers import statement

pytestmark = pytest.mark.integration
PASSED = Verdict(True)


@pytest.fixture
async def promotions(graph: Graph, tmp_path: Path) -> AsyncIterator[Promotions]:
    forget = statement("MATCH (p:Policy) WHERE p.state IS NOT NULL DETACH DELETE p")
    await graph.execute(forget, {})
    yield Promotions(graph, CheckpointStore(tmp_path / "policies", "all-MiniLM-L6-v2", 384))
    await graph.execute(forget, {})


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    about = {"embedder": {"model": "all-MiniLM-L6-v2", "dimension": 384}, "sha256": "abc"}
    (tmp_path / "policy.json").write_text(json.dumps(about))
    (tmp_path / "policy.safetensors").write_bytes(b"")
    return tmp_path / "policy"


async def test_the_last_promoted_decides_and_one_call_goes_back(
    graph: Graph, promotions: Promotions, checkpoint: Path
) -> None:
    known = {"films-1": None, "films-2": None}
    assert await default_policy(graph, known) is None
    assert await promotions.promote(checkpoint, "films-1", PASSED, {}) == {"id": "films-1", "replaces": None}
    assert await promotions.promote(checkpoint, "films-2", PASSED, {}) == {"id": "films-2", "replaces": "films-1"}
    assert await default_policy(graph, known) == "films-2"
    assert await promotions.rollback() == {"id": "films-2", "back_to": "films-1"}
    assert await default_policy(graph, known) == "films-1"
    assert await promotions.rollback() == {"id": "films-1", "back_to": None}
    assert await default_policy(graph, known) is None
    with pytest.raises(ConflictError, match="no policy was promoted"):
        await promotions.rollback()


async def test_what_the_gate_refused_changes_nothing(graph: Graph, promotions: Promotions, checkpoint: Path) -> None:
    with pytest.raises(ConflictError, match="em_at_1 falls"):
        await promotions.promote(checkpoint, "films-1", Verdict(False, ("em_at_1 falls",)), {})
    assert await default_policy(graph, {"films-1": None}) is None


async def test_a_promoted_policy_without_its_files_does_not_decide(
    graph: Graph, promotions: Promotions, checkpoint: Path
) -> None:
    await promotions.promote(checkpoint, "films-1", PASSED, {"n": 1})
    assert await default_policy(graph, {"learned": None}) is None
    (row,) = [row for row in await promotions.all() if row["id"] == "films-1"]
    assert (row["state"], json.loads(row["metrics"])) == ("active", {"n": 1})
