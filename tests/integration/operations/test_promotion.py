"""Choices of scopes on a real server: kept, taken back, and changed by several at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ulid import ULID

from clause.errors import BadInputError, ConflictError, ForbiddenError
from clause.evaluation.question_files import GoldQuestion
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.operations.promotion import KEPT, Promotions
from clause.policy.serve.checkpoint_store import CheckpointStore
from clause.reasoning.agents.heuristic import HeuristicPolicy
from clause.reasoning.agents.policy import PolicyBook
from tests.servers import statement
from tests.unit.policy.serve.test_checkpoint_store import checkpoint

pytestmark = pytest.mark.integration
OWNER = Caller()


@pytest.fixture
async def scope(graph: Graph) -> AsyncIterator[str]:
    own = f"kg:chosen-{str(ULID()).lower()}"
    await graph.execute(statement("MERGE (:Scope {id: $scope})", parameters="$scope STRING"), {"scope": own})
    yield own
    forget = statement("MATCH (s:Scope {id: $scope}) DELETE s", parameters="$scope STRING")
    await graph.execute(forget, {"scope": own})


@pytest.fixture
def promotions(graph: Graph, tmp_path: Path) -> Promotions:
    makers: dict[str, Any] = dict.fromkeys(("learned", "first", "second"), HeuristicPolicy)
    coordinator: Any = SimpleNamespace(policies=PolicyBook(makers, default="learned"))
    return Promotions(graph, CheckpointStore(tmp_path, "all-MiniLM-L6-v2", 384), coordinator)


async def test_the_last_chosen_decides_and_each_call_goes_one_back(promotions: Promotions, scope: str) -> None:
    assert (await promotions.use("first", scope, OWNER)).before == ("",)
    again = await promotions.use("first", scope, OWNER)
    assert again.before == ("",), "what decides already is no step back"
    chosen = await promotions.use("second", scope, OWNER)
    assert (chosen.policy, chosen.before, chosen.chosen_by) == ("second", ("", "first"), "owner")
    known = await promotions.all(OWNER)
    assert [(one.policy, one.problem) for one in known.choices if one.scope == scope] == [("second", None)]
    assert (await promotions.rollback(scope, OWNER)).policy == "first"
    assert (await promotions.rollback(scope, OWNER)).policy is None
    with pytest.raises(ConflictError, match="nothing was chosen"):
        await promotions.rollback(scope, OWNER)


async def test_changes_at_once_are_all_kept(promotions: Promotions, scope: str) -> None:
    names = ["first", "second"] * 8
    await asyncio.gather(*(promotions.use(name, scope, OWNER) for name in names))
    known = await promotions.all(OWNER)
    (choice,) = [one for one in known.choices if one.scope == scope]
    assert choice.policy is not None
    told = [*choice.before, choice.policy]
    assert told[0] == ""
    assert all(one != after for one, after in pairwise(told))
    backs = [await promotions.rollback(scope, OWNER) for _ in choice.before]
    assert [one.policy or "" for one in backs] == told[-2::-1]


async def test_only_so_many_choices_are_remembered(promotions: Promotions, scope: str) -> None:
    for number in range(KEPT + 4):
        chosen = await promotions.use(("first", "second")[number % 2], scope, OWNER)
    assert len(chosen.before) == KEPT


async def test_others_scopes_and_unknown_ones_are_refused(promotions: Promotions, scope: str) -> None:
    stranger = Caller(readable=("user:eve",), writable=("user:eve",))
    with pytest.raises(ForbiddenError):
        await promotions.use("first", scope, stranger)
    with pytest.raises(ForbiddenError):
        await promotions.rollback(scope, stranger)
    with pytest.raises(BadInputError, match="nothing is stored"):
        await promotions.use("first", "kg:no-such-graph", OWNER)
    with pytest.raises(ConflictError, match="no policy is called 'third'"):
        await promotions.use("third", scope, OWNER)
    await promotions.use("first", scope, OWNER)
    assert scope not in {one.scope for one in (await promotions.all(stranger)).choices}
    with pytest.raises(BadInputError, match="kept no questions aside"):
        await promotions.promote("first", scope, OWNER)


async def test_a_second_checkpoint_under_a_refused_ones_name_is_what_the_gate_measures(
    graph: Graph, scope: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CheckpointStore(tmp_path / "policies", "all-MiniLM-L6-v2", 384)
    name, measured = f"films-{str(ULID()).lower()}", []
    book = PolicyBook(
        {"heuristic": HeuristicPolicy},
        default="heuristic",
        find=lambda one: HeuristicPolicy if one in store else None,
        version=store.sha256,
    )
    verdict = SimpleNamespace(passed=False, reasons=("it is worse",))

    async def studies(_self: Promotions, policy: str, *_given: Any) -> dict[str, Any]:
        measured.append(book[policy])
        return {}

    async def deciding(*_given: Any) -> Any:
        return book["heuristic"]

    monkeypatch.setattr(Promotions, "_studies", studies)
    monkeypatch.setattr("clause.operations.promotion.gate", lambda *_: verdict)
    coordinator: Any = SimpleNamespace(policies=book, deciding=deciding)
    promotions = Promotions(graph, store, coordinator)
    asked = {"own": [GoldQuestion("who directed Heat", ("Michael Mann",))]}

    store.put(with_digest(tmp_path / "one", "a"), name)
    with pytest.raises(ConflictError, match="stays behind"):
        await promotions.promote(name, scope, OWNER, asked)
    store.remove(name)
    store.put(with_digest(tmp_path / "other", "b"), name)
    verdict.passed = True
    await promotions.promote(name, scope, OWNER, asked)
    assert measured[3] is not measured[1]
    assert await book.chosen(name) is measured[3]
    kept = statement(
        "MATCH (p:Policy {id: $id}) RETURN p.sha256 AS x", mode="read", parameters="$id STRING", columns="x"
    )
    assert (await graph.execute(kept, {"id": name}))[0]["x"] == "b"

    async def changing(_self: Promotions, policy: str, *_given: Any) -> dict[str, Any]:
        if policy == name:
            store.remove(name)
            store.put(with_digest(tmp_path / "third", "c"), name)
        return {}

    monkeypatch.setattr(Promotions, "_studies", changing)
    with pytest.raises(ConflictError, match="has other weights"):
        await promotions.promote(name, scope, OWNER, asked)
    await graph.execute(statement("MATCH (p:Policy {id: $id}) DELETE p", parameters="$id STRING"), {"id": name})


def with_digest(folder: Path, digest: str) -> Path:
    """A checkpoint of other weights."""
    made = checkpoint(folder)
    about = json.loads(made.with_suffix(".json").read_text())
    made.with_suffix(".json").write_text(json.dumps({**about, "sha256": digest}))
    return made
