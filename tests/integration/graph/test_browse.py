"""Each saved exploration passes the guard of statements that only read, and runs on a real server."""

import pytest

from clause.graph.browser import Exploration, explorations
from clause.graph.runner import Graph

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("exploration", explorations(), ids=lambda exploration: exploration.name)
async def test_an_exploration_runs_and_only_reads(graph: Graph, exploration: Exploration) -> None:
    found = await graph.explore(exploration.text.strip().removesuffix(";"), {})
    assert found.columns
