"""The library on a real server: load, ask, read the run back."""

from pathlib import Path

import pytest

from clause import Caller, Clause, SyncClause
from clause.errors import ForbiddenError, NotFoundError
from clause.evaluation.question_files import GoldQuestion
from clause.graph.wire import Address
from clause.ingest.triples import load_triples
from clause.knowledge.lineage.models import ErasureRequest
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.reasoning.episode.budget import Budgets

pytestmark = pytest.mark.integration
TRIPLES = "Kes|directed_by|Ken Loach\nRiff-Raff|directed_by|Ken Loach\nNaked|directed_by|Mike Leigh\n"


@pytest.fixture
def given(migrated_address: Address, tmp_path: Path, no_model: None) -> dict[str, object]:
    """The settings of the test server, on a graph that no model has claimed."""
    return {
        "home": tmp_path,
        "neo4j_uri": migrated_address.uri,
        "neo4j_user": migrated_address.user,
        "neo4j_password": migrated_address.password,
        "neo4j_database": migrated_address.database,
    }


async def test_the_library_loads_answers_and_explains(given: dict[str, object], scope: str, tmp_path: Path) -> None:
    file = tmp_path / "films.txt"
    file.write_text(TRIPLES)
    async with Clause.open(**given) as opened:
        report = await opened.load("triples", file, scope)
        assert report.created == 3
        answer = await opened.coordinate("who directed Kes", scopes=[scope])
        assert "Ken Loach" in [item.name for item in answer.result.answers]
        assert answer.run_id in [run.id for run in await opened.runs()]
        run = await opened.run(str(answer.run_id))
        assert run.query == "who directed Kes"
        assert (await opened.subgraph("who directed Kes", scopes=[scope], min_edge_score=0)).selected_edges
        assert (await opened.navigate("who directed it", "Kes", scopes=[scope])).path.nodes
        stranger = Clause(opened.container, Caller(readable=("user:ann",), writable=()))
        with pytest.raises(NotFoundError):
            await stranger.run(run.id)


async def test_what_the_library_forgets_is_gone_from_answers_too(
    given: dict[str, object], scope: str, tmp_path: Path
) -> None:
    file = tmp_path / "films.txt"
    file.write_text(TRIPLES)
    async with Clause.open(**given) as opened:
        await opened.load("triples", file, scope)
        said = MemoryWriteInput(content="Ken Loach told Ann that he drinks rosehip tea", scope=scope)
        kept = await opened.memory.store.write(said, caller=opened.caller)
        answer = await opened.coordinate("which tea does Ken Loach drink", scopes=[scope])
        assert said.content in str(answer.result.evidence)
        await opened.memory.store.forget(kept.memory_id, caller=opened.caller)  # its run is perhaps still being written
        with pytest.raises(NotFoundError):
            await opened.run(str(answer.run_id))
        asked = MemoryReadInput(query_text="rosehip tea", scopes=[scope])
        assert await opened.memory.store.read(asked, caller=opened.caller) == []


async def test_a_graph_is_taken_into_memory_with_questions_and_answers_are_measured(
    given: dict[str, object], scope: str, tmp_path: Path
) -> None:
    file = tmp_path / "films.txt"
    file.write_text(TRIPLES)
    asked = [GoldQuestion("who directed Kes", ("Ken Loach",)), GoldQuestion("zzqx wvvk", ("nobody",))]
    async with Clause.open(**given) as opened:
        await opened.load("triples", file, scope)
        snapshot = await opened.snapshot([scope])
        assert {"Kes", "Ken Loach", "Naked"} <= set(snapshot.names)
        material = await opened.material(asked, [scope])
        assert [question.text for question in material.questions] == ["who directed Kes"]
        assert material.questions[0].missing == 0
        bare, mine = f"{scope}-bare", tmp_path / "bare.txt"
        mine.write_text("Tor|was_tended_by|Ada Marsh\n")
        await load_triples(opened.container.graph, None, mine, bare)  # no type has a vector
        told = await opened.material([GoldQuestion("who tended Tor", ("Ada Marsh",))], [bare])
        assert [question.text for question in told.questions] == ["who tended Tor"]
        await opened.knowledge.erasure.apply(ErasureRequest(scope=bare), caller=opened.caller)
        row = await opened.evaluate(asked[:1], scopes=[scope])
        assert (row["n"], row["em_at_1"], row["violations"]) == (1, 1.0, 0)
        tight = await opened.evaluate(asked[:1], scopes=[scope], budgets=Budgets(edges=1, steps=1, tokens=100))
        assert tight["edges_mean"] <= 1
        stranger = Clause(opened.container, Caller(readable=("user:ann",), writable=()))
        with pytest.raises(ForbiddenError):
            await stranger.snapshot([scope])


def test_the_same_without_await(given: dict[str, object], scope: str, tmp_path: Path) -> None:
    file = tmp_path / "films.txt"
    file.write_text(TRIPLES)
    with SyncClause.open(**given) as opened:
        opened.call(opened.clause.load, "triples", file, scope)
        answer = opened.coordinate("what films did Ken Loach direct", scopes=[scope])
        assert {"Kes", "Riff-Raff"} <= {item.name for item in answer.result.answers}
