"""The library on a real server: load, ask, read the run back."""

from pathlib import Path

import pytest

from clause import Caller, Clause, SyncClause
from clause.errors import NotFoundError
from clause.graph.address import Address

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
        assert "Ken Loach" in [item["name"] for item in answer.result["answers"]]
        assert answer.run_id in [run.id for run in await opened.runs()]
        run = await opened.run(str(answer.run_id))
        assert run.query == "who directed Kes"
        assert (await opened.subgraph("who directed Kes", scopes=[scope], min_edge_score=0)).selected_edges
        assert (await opened.navigate("who directed it", "Kes", scopes=[scope])).path["nodes"]
        stranger = Clause(opened.container, Caller(readable=("user:ann",), writable=()))
        with pytest.raises(NotFoundError):
            await stranger.run(run.id)


def test_the_same_without_await(given: dict[str, object], scope: str, tmp_path: Path) -> None:
    file = tmp_path / "films.txt"
    file.write_text(TRIPLES)
    with SyncClause.open(**given) as opened:
        opened.call(opened.clause.load, "triples", file, scope)
        answer = opened.coordinate("what films did Ken Loach direct", scopes=[scope])
        assert {"Kes", "Riff-Raff"} <= {item["name"] for item in answer.result["answers"]}
