"""The sample's scope is erased and loaded anew; other scopes and other people's nodes are left alone."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clause.errors import ConflictError
from clause.graph.runner import Graph
from clause.ingest.samples import VECTORS, load_sample
from clause.operations.archive import reset_sample
from clause.settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration
NODES = statement(
    "MATCH (n {scope: $scope}) WHERE NOT n:Scope RETURN count(n) AS nodes",
    mode="read",
    parameters="$scope STRING",
    columns="nodes",
)
BELIEVE = statement(
    "CREATE (:Belief {id: $scope + '-belief', scope: $scope, recorded_at: datetime()})", parameters="$scope STRING"
)


async def nodes(graph: Graph, scope: str) -> int:
    (row,) = await graph.execute(NODES, {"scope": scope})
    return int(row["nodes"])


async def test_a_reset_sample_is_loaded_as_if_for_the_first_time(
    graph: Graph, no_model: None, scope: str, tmp_path: Path
) -> None:
    kb = tmp_path / "kb.txt"
    kb.write_text("Kes|directed_by|Ken Loach\nRiff-Raff|directed_by|Ken Loach\n")
    other = f"{scope}-other"

    async def load(into: str) -> int:
        loaded = await load_sample(graph, HashEmbedder(), kb=kb, vectors=VECTORS, triples=2, scope=into)
        return loaded.created

    assert (await load(scope), await load(other)) == (2, 2)
    kept = await nodes(graph, other)
    looked = await reset_sample(graph, Settings(), apply=False, scope=scope)
    assert looked is not None
    assert looked.counts["Entity"] == 3
    assert not looked.done
    done = await reset_sample(graph, Settings(), apply=True, scope=scope)
    assert done is not None
    assert done.done
    assert await nodes(graph, other) == kept
    assert await load(scope) == 2
    await erase_scope(graph, other)


async def test_what_somebody_believes_there_is_not_erased(graph: Graph, scope: str) -> None:
    await graph.run("graph/register_scope", scope=scope, recorded_at=datetime.now(UTC))
    await graph.execute(BELIEVE, {"scope": scope})
    with pytest.raises(ConflictError, match="1 Belief"):
        await reset_sample(graph, Settings(), apply=True, scope=scope)
    assert await nodes(graph, scope) == 1


async def test_where_nothing_is_loaded_there_is_nothing_to_reset(graph: Graph, scope: str) -> None:
    assert await reset_sample(graph, Settings(), apply=True, scope=scope) is None
