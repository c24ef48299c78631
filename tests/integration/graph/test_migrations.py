from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from clause.errors import MigrationError, NotFoundError
from clause.graph.catalogue import Catalogue
from clause.graph.database import replace_embedding_model
from clause.graph.driver import Bolt
from clause.graph.migration_scripts import Script, checksum, load_scripts
from clause.graph.migrations import MigrationLock, drift, migrate, online, reindex
from clause.graph.runner import Graph
from clause.graph.wire import Address, Rows, Work
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration

REAL = load_scripts()


def script(number: int, text: str) -> Script:
    return Script(f"V{number}", f"V{number}__trial", checksum(text), text)


KEYS = script(
    9001,
    "CREATE CONSTRAINT trial_id IF NOT EXISTS FOR (n:Trial) REQUIRE n.id IS UNIQUE;\n"
    "CREATE INDEX trial_name IF NOT EXISTS FOR (n:Trial) ON (n.scope, n.name);\n",
)
DATA = script(
    9002,
    "CYPHER 25 CREATE (:Trial {id: 'a', scope: 'public', n: 1});\nMATCH (n:Trial {id: 'a'}) SET n.n = n.n + 1;\n",
)
VECTORS = script(
    9003,
    "CREATE VECTOR INDEX trial_embedding IF NOT EXISTS FOR (n:Trial) ON n.embedding WITH [n.scope]\n"
    "OPTIONS {indexConfig: {`vector.dimensions`: {{dimension}}, `vector.quantization.type`: 'NONE'}};\n",
)
ALL = [*REAL, KEYS, DATA, VECTORS]

TRACES = statement(
    "MATCH (v:SchemaVersion WHERE v.id >= 'V9') OPTIONAL MATCH (b)-[:NEXT_VERSION]->(v) "
    "RETURN v.id AS id, b.id AS before ORDER BY id",
    mode="read",
    columns="id, before",
)
TRIALS = statement("MATCH (n:Trial) RETURN n.id AS id, n.n AS n", mode="read", columns="id, n")
EXPIRE = statement("MATCH (l:MigrationLock) SET l.expires_at = datetime.realtime() - duration('PT1S')")
FORGET = statement("MATCH (n:SchemaVersion|Trial) WHERE n:Trial OR n.id >= 'V9' DETACH DELETE n")
END = [
    {"id": "V9001", "before": REAL[-1].id},
    {"id": "V9002", "before": "V9001"},
    {"id": "V9003", "before": "V9002"},
]


async def tidy(graph: Graph) -> None:
    await graph.execute(EXPIRE, {})
    await graph.run("graph/drop_constraint", name="trial_id")
    for name in ("trial_name", "trial_embedding"):
        await graph.run("graph/drop_index", name=name)
    await graph.execute(FORGET, {})


@pytest.fixture
async def trial(graph: Graph) -> AsyncIterator[Graph]:
    """The graph; what the scripts of a trial left is removed before and after."""
    await tidy(graph)
    yield graph
    await tidy(graph)


async def nap(seconds: float) -> None:
    await asyncio.sleep(0)


async def state(graph: Graph) -> tuple[Rows, Rows, dict[str, str]]:
    return await graph.execute(TRACES, {}), await graph.execute(TRIALS, {}), await drift(graph, scripts=ALL)


async def test_pending_scripts_are_applied_in_order_and_a_second_run_does_nothing(trial: Graph):
    report = await migrate(trial, scripts=ALL)
    assert report.applied == ("V9001", "V9002", "V9003")
    assert report.before == len(REAL)
    before = await state(trial)
    assert before == (END, [{"id": "a", "n": 2}], {})
    again = await migrate(trial, scripts=ALL)
    assert (again.applied, again.before) == ((), len(ALL))
    assert await state(trial) == before


async def test_the_migrations_stay_when_the_public_scope_is_erased(graph: Graph):
    before = await graph.run("graph/applied")
    await erase_scope(graph, "public")
    assert await graph.run("graph/applied") == before != []


async def test_a_lower_version_that_arrives_late_joins_the_end_of_the_chain(trial: Graph):
    await migrate(trial, scripts=[*REAL, VECTORS])
    assert (await migrate(trial, scripts=ALL)).applied == ("V9001", "V9002")
    assert (await migrate(trial, scripts=ALL)).applied == ()


async def test_a_script_that_was_changed_after_it_was_applied_is_refused(trial: Graph):
    await migrate(trial, scripts=ALL)
    changed = script(9001, KEYS.text + "// one word more\n")
    with pytest.raises(MigrationError, match="V9001__trial was changed"):
        await migrate(trial, scripts=[*REAL, changed, DATA, VECTORS])


async def test_a_script_that_is_not_here_any_more_is_refused(trial: Graph):
    await migrate(trial, scripts=ALL)
    with pytest.raises(MigrationError, match="has migration V9001__trial, this version of clause has not"):
        await migrate(trial)


async def test_a_broken_chain_is_refused(trial: Graph):
    await migrate(trial, scripts=ALL)
    await trial.execute(statement("MATCH (v:SchemaVersion {id: 'V9002'}) SET v.chain = 'x'"), {})
    with pytest.raises(MigrationError, match="broken at V9002"):
        await migrate(trial, scripts=ALL)


async def test_two_runners_at_once_apply_each_script_once(trial: Graph, server_address: Address):
    async with Graph(server_address, Catalogue.load()) as other:
        reports = await asyncio.gather(migrate(trial, scripts=ALL), migrate(other, scripts=ALL))
    assert sorted(report.applied for report in reports) == [(), ("V9001", "V9002", "V9003")]
    assert (await state(trial))[:2] == (END, [{"id": "a", "n": 2}])


class Killed(BaseException):
    """The process is gone: nothing of it runs on."""


class DyingWire(Bolt):
    """A wire that dies after `left` writes."""

    left = 0

    async def send(self, work: Work, *, read: bool, atomic: bool, timeout_s: float) -> list[Rows]:
        if not read:
            self.left -= 1
            if self.left < 0:
                raise Killed
        return await super().send(work, read=read, atomic=atomic, timeout_s=timeout_s)


@pytest.mark.parametrize("writes", range(2, 11))  # of ten, the last of which frees the lock
async def test_a_run_killed_anywhere_is_taken_up_with_the_same_end(trial: Graph, server_address: Address, writes: int):
    wire = DyingWire(server_address)
    wire.left = writes
    async with Graph(server_address, Catalogue.load(), wire=wire) as doomed:
        with pytest.raises(Killed):
            await migrate(doomed, scripts=ALL)
    await trial.execute(EXPIRE, {})
    await migrate(trial, scripts=ALL)
    assert await state(trial) == (END, [{"id": "a", "n": 2}], {})


async def test_another_owners_lock_is_waited_for_and_then_named(trial: Graph):
    async with MigrationLock(trial, "somebody"):
        with pytest.raises(MigrationError, match="somebody"):
            await migrate(trial, scripts=ALL, sleep=nap, patience_s=1.0)
    assert (await migrate(trial, scripts=ALL)).applied != ()


async def test_a_lock_whose_lease_ran_out_is_taken_over_and_its_owner_notices(trial: Graph):
    async with MigrationLock(trial, "sleeper") as slept:
        await trial.execute(EXPIRE, {})
        async with MigrationLock(trial, "next") as current:
            await current.require()
            with pytest.raises(MigrationError, match="lost to next"):
                await slept.require()


async def test_the_lease_of_a_living_owner_is_renewed(trial: Graph):
    expired, renewed, never = asyncio.Event(), asyncio.Event(), asyncio.Event()
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1:
            await expired.wait()
        else:
            renewed.set()
            await never.wait()

    left = statement(
        "MATCH (l:MigrationLock) RETURN l.expires_at > datetime.realtime() AS held", mode="read", columns="held"
    )
    async with MigrationLock(trial, "living", lease_s=30, sleep=sleep):
        await trial.execute(EXPIRE, {})
        expired.set()
        await renewed.wait()
        assert await trial.execute(left, {}) == [{"held": True}]
    assert waits == [10, 10]


async def test_a_changed_definition_a_missing_index_and_a_missing_constraint_are_drift(trial: Graph):
    await migrate(trial, scripts=ALL)
    await trial.run("graph/drop_index", name="trial_embedding")
    options = "OPTIONS {indexConfig: {`vector.dimensions`: 7}}"
    other = f"CREATE VECTOR INDEX trial_embedding FOR (n:Trial) ON n.embedding {options}"
    await trial.execute(statement(other, mode="schema"), {})
    await trial.run("graph/drop_index", name="trial_name")
    await trial.run("graph/drop_constraint", name="trial_id")
    with pytest.raises(MigrationError, match=r"drifted: trial_embedding .*clause db reindex trial_embedding") as caught:
        await migrate(trial, scripts=ALL)
    assert set(caught.value.details["drift"]) == {"trial_embedding", "trial_name", "trial_id"}
    assert await reindex(trial, "trial_embedding", scripts=ALL) == ("trial_embedding",)
    assert set(await drift(trial, scripts=ALL)) == {"trial_name", "trial_id"}
    rebuilt = await reindex(trial, scripts=[KEYS, VECTORS])
    assert rebuilt == ("trial_embedding", "trial_id", "trial_name")
    assert await drift(trial, scripts=ALL) == {}


async def test_vectors_get_another_length_when_the_graph_is_embedded_anew(trial: Graph):
    await migrate(trial, scripts=ALL)
    await reindex(trial, "trial_embedding", dimension=7, scripts=ALL)
    found = {row["name"]: row["options"]["indexConfig"] for row in await trial.run("graph/indexes") if row["options"]}
    assert found["trial_embedding"]["vector.dimensions"] == 7


async def test_an_index_that_nobody_declares_cannot_be_rebuilt(trial: Graph):
    with pytest.raises(NotFoundError, match="known: "):
        await reindex(trial, "no_such_index")


async def test_an_index_that_failed_or_takes_too_long_is_named():
    class Building:
        def __init__(self, *rows: dict[str, Any]) -> None:
            self.rows = list(rows)

        async def run(self, name: str) -> list[dict[str, Any]]:
            assert name == "graph/building"
            return [self.rows[0]] if len(self.rows) == 1 else [self.rows.pop(0)]

    slow = {"name": "i", "state": "POPULATING", "percent": 12.0}
    with pytest.raises(MigrationError, match=r"i is populating \(12 % built\)"):
        await online(Building(slow), limit_s=1.0, sleep=nap)  # type: ignore[arg-type]
    with pytest.raises(MigrationError, match=r"i is failed"):
        await online(Building(slow, {**slow, "state": "FAILED"}), sleep=nap)  # type: ignore[arg-type]


async def test_a_model_is_measured_only_where_the_graph_records_none(trial: Graph, no_model: None) -> None:
    measured = []

    def measure() -> int:
        measured.append(True)
        return 24

    with pytest.raises(MigrationError, match=r"vector\.dimensions"):  # those that were there are for 384 numbers
        await migrate(trial, measure=measure, scripts=[*REAL, VECTORS])
    assert measured
    found = {row["name"]: row for row in await trial.run("graph/indexes")}
    assert found["trial_embedding"]["options"]["indexConfig"]["vector.dimensions"] == 24

    await replace_embedding_model(trial, "tiny", 384)
    measured.clear()
    assert (await reindex(trial, "trial_embedding", measure=measure, scripts=[*REAL, VECTORS])) == ("trial_embedding",)
    assert not (await migrate(trial, measure=measure, scripts=[*REAL, VECTORS])).applied
    assert not measured
