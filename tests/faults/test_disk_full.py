"""A disk that fills up while Neo4j runs: the write is refused, and after a new start what was committed is there; a
write with a key, sent again, is there once."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from clause.errors import UnavailableError
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from tests.faults.serving import started, until
from tests.faults.test_once_killed import all_went_on, counts, writers
from tests.servers import quick_server, statement

pytestmark = pytest.mark.integration

WAY_OUT = "free disk space if there is none, then run `clause db stop` and `clause db start`"
FILL = statement(
    "UNWIND range(1, 500) AS number CREATE (:Kept {id: $batch + '-' + number, scope: 'kg:fault', text: $text})",
    parameters="$batch STRING, $text STRING",
)
COUNT = statement(
    "MATCH (n:Kept) RETURN count(n) AS nodes, count(DISTINCT n.id) AS different",
    mode="read",
    columns="nodes, different",
)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 MiB of its own."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", "size=600m", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def resize(folder: Path, room_mb: int) -> None:
    """Leave so much room on the file system."""
    used_mb = -(-shutil.disk_usage(folder).used // 2**20)
    subprocess.run(["mount", "-o", f"remount,size={used_mb + room_mb}m", str(folder)], check=True)


async def fill(graph: Graph) -> tuple[int, UnavailableError]:
    """Write until the disk is full: how many batches were acknowledged, and the error that ended it."""
    for number in range(1_000):
        try:
            await graph.execute(FILL, {"batch": f"batch {number}", "text": "x" * 300})
        except UnavailableError as error:
            return number, error
    raise AssertionError("the disk was never full")


async def test_a_write_on_a_full_disk_says_the_way_out_and_nothing_committed_is_lost(small: Path) -> None:
    server = quick_server(small / "home")
    try:
        async with Graph(server.ensure(), Catalogue.load()) as graph:
            resize(small, room_mb=2)
            acknowledged, refused = await fill(graph)
            with pytest.raises(UnavailableError) as closed:
                await graph.execute(COUNT, {})
        status = server.status()

        assert acknowledged > 0
        assert [error.remedy for error in (refused, closed.value)] == [WAY_OUT, WAY_OUT]
        assert (status.running, WAY_OUT in str(status.problem)) == (False, True)

        resize(small, room_mb=500)
        server.stop()
        async with Graph(server.ensure(), Catalogue.load()) as graph:
            (row,) = await graph.execute(COUNT, {})
            await graph.execute(FILL, {"batch": "after", "text": ""})

        assert row == {"nodes": acknowledged * 500, "different": acknowledged * 500}
        assert server.status().running
    finally:
        server.stop()


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_what_is_written_with_a_key_over_a_full_disk_is_there_once(small: Path, tmp_path: Path) -> None:
    server = quick_server(small / "home")
    server.ensure()
    settings = {"CLAUSE_HOME": str(small / "home"), "CLAUSE_PERIODIC_JOBS": "false"}
    process, url = started(tmp_path / "serve.log", settings)
    try:
        with writers(url) as found:
            until(partial(all_went_on, found, [0] * len(found), 1))
            resize(small, room_mb=2)
            until(lambda: WAY_OUT in str(server.status().problem))
            resize(small, room_mb=500)
            server.stop()
            server.ensure()
            until(partial(all_went_on, found, [one.acknowledged for one in found], 1))

        assert sum(one.repeated for one in found) > 0
        compared = asyncio.run(counts(server, found))
        assert {scope: pair for scope, pair in compared.items() if pair[0] != pair[1]} == {}
    finally:
        process.terminate()
        process.wait(timeout=60)
        server.stop()
