from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable

from clause.errors import BadInputError, ClauseError
from clause.graph.driver import Bolt
from clause.graph.faults import OUT_OF_MEMORY
from clause.graph.wire import AttemptError, Rows
from tests.unit.graph.wires import ADDRESS, CATALOGUE

MANY = CATALOGUE["demo/many"]


class PlayedRecord(dict[str, Any]):
    """A record: values by name, and in order."""

    def values(self) -> list[Any]:  # type: ignore[override]
        return list(super().values())


class PlayedResult:
    """What a session's run gives: records in one list, all at hand."""

    def __init__(self, records: Rows) -> None:
        self.records = records

    def keys(self) -> list[str]:
        return list(self.records[0])

    async def single(self, *, strict: bool) -> PlayedRecord:
        (record,) = self.records
        return PlayedRecord(record)

    async def __aiter__(self) -> AsyncIterator[PlayedRecord]:
        for record in self.records:
            yield PlayedRecord(record)


class PlayedSession:
    """Answers each query with the next outcome and keeps its text."""

    def __init__(self, *outcomes: Rows | Exception) -> None:
        self.outcomes = list(outcomes)
        self.queries: list[str] = []

    async def __aenter__(self) -> PlayedSession:
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def run(self, query: Any, parameters: dict[str, Any]) -> PlayedResult:
        self.queries.append(query.text)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return PlayedResult(outcome)


async def sent(session: PlayedSession, monkeypatch: pytest.MonkeyPatch, k: object = 1) -> Rows:
    bolt = Bolt(ADDRESS)
    monkeypatch.setattr(bolt, "_session", lambda *, read: session)
    (rows,) = await bolt.send([(MANY, {"k": k})], read=True, atomic=False, timeout_s=1.0)
    return rows


async def test_rows_travel_packed_in_one_record(monkeypatch: pytest.MonkeyPatch):
    session = PlayedSession([{"rows": [[1], [2]]}])
    assert await sent(session, monkeypatch) == [{"x": 1}, {"x": 2}]
    assert session.queries == [MANY.packed]


async def test_rows_that_the_server_cannot_hold_at_once_are_streamed(monkeypatch: pytest.MonkeyPatch):
    too_big = Neo4jError._hydrate_neo4j(code=OUT_OF_MEMORY, message="x")
    session = PlayedSession(too_big, [{"x": 1}, {"x": 2}])
    assert await sent(session, monkeypatch) == [{"x": 1}, {"x": 2}]
    assert session.queries == [MANY.packed, MANY.text]


async def test_other_passing_faults_are_left_to_the_retry_policy(monkeypatch: pytest.MonkeyPatch):
    deadlock = Neo4jError._hydrate_neo4j(code="Neo.TransientError.Transaction.DeadlockDetected", message="x")
    for error in (deadlock, ServiceUnavailable("x")):
        session = PlayedSession(error)
        with pytest.raises(AttemptError) as caught:
            await sent(session, monkeypatch)
        assert caught.value.retry
        assert len(session.queries) == 1


async def test_a_parameter_that_is_no_value_is_bad_input_and_is_not_sent(monkeypatch: pytest.MonkeyPatch):
    import numpy as np

    session = PlayedSession()
    with pytest.raises(BadInputError, match="NaN"):
        await sent(session, monkeypatch, np.array([np.nan]))
    assert session.queries == []


async def test_a_closed_connection_says_so():
    bolt = Bolt(ADDRESS)
    await bolt.close()
    with pytest.raises(ClauseError, match="closed"):
        await bolt.send([(MANY, {"k": 1})], read=True, atomic=False, timeout_s=1.0)
