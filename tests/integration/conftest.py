"""The rooms on a real graph on which nobody else has left anything."""

from __future__ import annotations

import pytest

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests import servers


@pytest.fixture(scope="module", autouse=True)
async def left_by_others(migrated_address: Address) -> None:
    """What other folders left is erased, but for the graphs they share: an owner here asks all that is kept."""
    async with Graph(migrated_address, Catalogue.load()) as graph:
        for row in await graph.run("graph/scopes"):
            if not row["id"].startswith("kg:e2e"):
                await servers.erase_scope(graph, row["id"])
