"""API keys that an older version kept in the graph are taken over once, and planted ones never."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.errors import UnauthorizedError
from clause.graph.runner import Graph
from clause.operations.key_file import KeyFile
from clause.operations.keys import ApiKeys, hashed
from tests.servers import statement

pytestmark = pytest.mark.integration

ID, SECRET = "01JD7W9ZB6V3Q7T5N9S4E2M8XK", "s" * 43
_PLANT = statement(
    "MERGE (k:ApiKey {id: $id, scope: 'public'}) SET k.name = 'old', k.secret_hash = $hash, k.reads_all = false, "
    "k.readable = ['public'], k.writes_all = false, k.writable = [], k.recorded_at = datetime()",
    parameters="$id STRING, $hash STRING",
)
_LEFT = statement("MATCH (k:ApiKey) RETURN count(k) AS keys", mode="read", columns="keys")


async def test_keys_of_an_older_version_move_to_the_file_and_leave_the_graph(graph: Graph, tmp_path: Path) -> None:
    await graph.execute(_PLANT, {"id": ID, "hash": hashed(SECRET)})
    keys = ApiKeys(KeyFile(tmp_path / "keys.json"))
    assert await keys.adopt(graph) == 1
    caller = await keys.caller(f"clause_{ID}_{SECRET}")
    assert (caller.readable, caller.writable) == (("public",), ())
    assert (await graph.execute(_LEFT, {}))[0]["keys"] == 0
    assert (await keys.list())[0].expires_at is None


async def test_a_key_that_is_planted_in_the_graph_opens_nothing(graph: Graph, tmp_path: Path) -> None:
    keys = ApiKeys(KeyFile(tmp_path / "keys.json"))
    await keys.adopt(graph)
    await graph.execute(_PLANT, {"id": ID, "hash": hashed(SECRET)})
    assert await keys.adopt(graph) == 0
    with pytest.raises(UnauthorizedError):
        await keys.caller(f"clause_{ID}_{SECRET}")
    assert (await graph.execute(_LEFT, {}))[0]["keys"] == 0
