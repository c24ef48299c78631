"""A cluster behind `neo4j://`: reads go to followers, bookmarks travel, a change of leaders is waited out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from pydantic import SecretStr

from clause.errors import UnavailableError
from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests.fakes.bolt_member import Cluster, Member
from tests.unit.graph.wires import CATALOGUE


@pytest.fixture
async def members() -> AsyncIterator[list[Member]]:
    """Three members; the first leads."""
    cluster = Cluster()
    async with AsyncExitStack() as stack:
        found = [await stack.enter_async_context(Member(cluster).listening()) for _ in range(3)]
        lead(found, 0)
        yield found


def lead(members: list[Member], place: int) -> None:
    """Let another member lead; the others follow."""
    addresses = [member.address for member in members]
    members[0].cluster.leader = addresses.pop(place)
    members[0].cluster.followers = addresses


@pytest.fixture
async def graph(members: list[Member]) -> AsyncIterator[Graph]:
    address = Address(f"neo4j://{members[0].address}", password=SecretStr("hush"))
    async with Graph(address, CATALOGUE) as opened:
        yield opened


async def test_reads_go_to_followers_and_writes_to_the_leader(graph: Graph, members: list[Member]) -> None:
    for _ in range(4):
        await graph.run("demo/many", k=1)
    await graph.run("demo/put")
    assert [asked.read for asked in members[0].asked] == [False]
    followed = [asked for member in members[1:] for asked in member.asked]
    assert len(followed) == 4
    assert all(asked.read for asked in followed)


async def test_a_read_after_a_write_waits_for_what_was_written(graph: Graph, members: list[Member]) -> None:
    await graph.run("demo/many", k=1)
    await graph.write([("demo/put", {})])
    await graph.run("demo/many", k=1)
    waited_for = [asked.bookmarks for member in members[1:] for asked in member.asked]
    assert sorted(waited_for, key=len) == [frozenset(), frozenset({"after:1"})]


async def test_a_write_finds_the_new_leader(graph: Graph, members: list[Member]) -> None:
    await graph.run("demo/put")
    lead(members, 2)
    await graph.run("demo/put")
    await graph.write([("demo/put", {})])
    assert [len(member.asked) for member in members] == [2, 0, 2]  # the old leader refused one
    assert members[2].cluster.commits == 3


async def test_a_follower_that_is_gone_is_passed_over(members: list[Member]) -> None:
    cluster = members[0].cluster
    async with Member(cluster).listening() as gone:
        cluster.followers = [gone.address]
        address = Address(f"neo4j://{members[0].address}", password=SecretStr("hush"))
        async with Graph(address, CATALOGUE) as graph:
            await graph.run("demo/many", k=1)
            gone.stop()
            cluster.followers = [members[1].address]
            await graph.run("demo/many", k=1)
    assert [asked.read for asked in members[1].asked] == [True]


async def test_no_leader_at_all_is_said_to_be_away(graph: Graph, members: list[Member]) -> None:
    await graph.run("demo/put")
    members[0].cluster.leader = "nobody"
    with pytest.raises(UnavailableError):
        await graph.run("demo/put")
