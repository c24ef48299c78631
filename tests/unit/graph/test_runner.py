from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from clause.errors import ClauseError, UnavailableError
from clause.graph.runner import Graph, measure
from tests.unit.graph.wires import ADDRESS, CATALOGUE, away, played


async def test_a_read_goes_out_alone_in_read_mode_under_the_default_limit():
    graph, wire, _ = played([[{"x": 7}]])
    async with graph:
        assert await graph.run("demo/many", k=7) == [{"x": 7}]
    assert wire.sent == [{"names": ["demo/many"], "read": True, "atomic": False, "timeout_s": 30.0}]
    assert (wire.opened, wire.closed, graph.round_trips) == (1, 1, 1)


async def test_a_write_is_one_transaction_under_its_own_limit():
    graph, wire, _ = played([[], []])
    async with graph:
        assert await graph.write([("demo/put", {}), ("demo/put", {})], timeout_s=2.0) == [[], []]
        assert await graph.write([]) == []
    assert wire.sent == [{"names": ["demo/put", "demo/put"], "read": False, "atomic": True, "timeout_s": 2.0}]
    assert graph.round_trips == 2


async def test_three_more_tries_after_100_200_and_400_ms_and_then_unavailable_with_retry_after():
    graph, wire, naps = played(*[away() for _ in range(4)])
    async with graph:
        with pytest.raises(UnavailableError) as caught:
            await graph.run("demo/one")
    assert naps.seconds == [0.1, 0.2, 0.4]
    assert len(wire.sent) == 4
    assert caught.value.retry_after_s > 0


async def test_a_server_that_comes_back_in_time_is_never_noticed():
    graph, _, naps = played(away(), away(), [[{"x": 1}]])
    async with graph:
        assert await graph.one("demo/one") == {"x": 1}
    assert naps.seconds == [0.1, 0.2]


async def test_what_trying_again_cannot_mend_is_raised_at_once():
    graph, wire, naps = played(away(retry=False))
    async with graph:
        with pytest.raises(UnavailableError):
            await graph.run("demo/one")
    assert naps.seconds == []
    assert len(wire.sent) == 1


async def test_an_unknown_commit_is_tried_again_only_when_the_work_is_idempotent():
    graph, _, naps = played(away(unknown=True), [[]], away(unknown=True))
    async with graph:
        await graph.write([("demo/put", {})])
        with pytest.raises(UnavailableError):
            await graph.write([("demo/put", {})], idempotent=False)
    assert naps.seconds == [0.1]


def hits(ranking: str, passing: str) -> list[dict[str, Any]]:
    return [{"ranking": ranking, "passes": mark == "+", "x": place} for place, mark in enumerate(passing)]


async def test_more_is_asked_for_until_enough_of_each_ranking_pass():
    graph, wire, _ = played(
        [[*hits("dense", "+-"), *hits("sparse", "++")]], [[*hits("dense", "+----+++"), *hits("sparse", "++-+")]]
    )
    async with graph:
        found = await graph.passing("demo/search", wanted=2)
    assert [(row["ranking"], row["x"]) for row in found] == [("dense", 0), ("dense", 5), ("sparse", 0), ("sparse", 1)]
    assert wire.given == [{"limit": 2}, {"limit": 8}]


@pytest.mark.parametrize(("rows", "limits"), [([], [3]), (hits("dense", "-+"), [3])])
async def test_where_the_index_has_no_more_nothing_more_is_asked_for(rows, limits):
    graph, wire, _ = played([rows])
    async with graph:
        assert await graph.passing("demo/search", wanted=3) == [row for row in rows if row["passes"]]
    assert [one["limit"] for one in wire.given] == limits


async def test_no_more_than_ten_thousand_are_looked_at():
    graph, wire, _ = played(*([hits("dense", "-" * limit)] for limit in (3_000, 10_000)))
    async with graph:
        assert await graph.passing("demo/search", wanted=3_000) == []
    assert [one["limit"] for one in wire.given] == [3_000, 10_000]


async def test_one_gives_the_row_or_none():
    graph, _, _ = played([[{"x": 1}]], [[]])
    async with graph:
        assert await graph.one("demo/maybe") == {"x": 1}
        assert await graph.one("demo/maybe") is None


async def test_a_statement_that_breaks_its_own_header_is_a_bug_that_shows():
    graph, _, _ = played([[{"x": 1}, {"x": 2}]], [[]])
    async with graph:
        with pytest.raises(ClauseError, match="returned 2 rows"):
            await graph.one("demo/maybe")
        with pytest.raises(ClauseError, match="returned 0 rows"):
            await graph.one("demo/one")
        with pytest.raises(ClauseError, match="returns many"):
            await graph.one("demo/many", k=1)


async def test_parameters_are_checked_against_the_header_before_anything_is_sent():
    graph, wire, _ = played()
    async with graph:
        with pytest.raises(ClauseError, match=r"missing \['k'\], not declared \['j'\]"):
            await graph.run("demo/many", j=1)
    assert wire.sent == []


async def test_a_closed_graph_says_so_and_may_be_closed_twice():
    graph, wire, _ = played()
    with pytest.raises(ClauseError, match="not open"):
        await graph.run("demo/one")
    await graph.open()
    await graph.open()
    await graph.close()
    await graph.close()
    assert (wire.opened, wire.closed) == (1, 1)


async def test_time_and_queries_are_charged_to_the_block_that_awaits_them_also_from_tasks():
    graph, _, _ = played(*[[[{"x": 1}]] for _ in range(3)])
    async with graph:
        with graph.measure() as outer:
            await graph.run("demo/one")
            with measure() as inner:
                await asyncio.gather(graph.run("demo/one"), graph.run("demo/one"))
    assert (outer.round_trips, inner.round_trips) == (3, 2)
    assert outer.ms > inner.ms > 0


async def test_failed_tries_count_as_round_trips():
    graph, _, _ = played(away(), [[{"x": 1}]])
    async with graph:
        await graph.run("demo/one")
    assert graph.round_trips == 2


def test_importing_the_runner_imports_no_driver():
    code = "import sys, clause.graph.runner, clause.graph.migrations; sys.exit('neo4j' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_an_address_of_another_protocol_is_refused_when_it_is_opened():
    from dataclasses import replace

    from clause.errors import ServerError

    for uri in ("http://127.0.0.1:7474", "nonsense", "bolt://"):
        graph = Graph(replace(ADDRESS, uri=uri), CATALOGUE)
        if uri == "bolt://":
            await graph.open()
            await graph.close()
        else:
            with pytest.raises(ServerError, match="CLAUSE_NEO4J_URI"):
                await graph.open()
