"""What may happen to the managed Neo4j, done to a real one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from clause.errors import ServerError
from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.server import ManagedServer
from clause.graph.server.pidfile import PidFile, ProcessRecord, replace_privately
from clause.graph.wire import Address
from tests.servers import HEAP_MB, quick_start, statement

pytestmark = pytest.mark.integration

STARTER = (
    "import sys\n"
    "from pathlib import Path\n"
    "from clause.graph.server import ManagedServer\n"
    "server = ManagedServer(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])\n"
)
WRITE = statement("MERGE (n:Kept {id: $id}) SET n.scope = 'kg:fault'", parameters="$id STRING")
READ = statement("MATCH (n:Kept {scope: 'kg:fault'}) RETURN n.id AS id ORDER BY id", mode="read", columns="id")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = tmp_path_factory.mktemp("server") / "home"
    yield home
    ManagedServer(home).stop()


@pytest.fixture
def server(home: Path) -> ManagedServer:
    return ManagedServer(home, HEAP_MB, quick_start())


def pid_of(server: ManagedServer) -> int:
    pid = server.status().pid
    assert pid is not None
    return pid


def starter(home: Path, more: str) -> subprocess.Popen[str]:
    """Another process that has `server` and does `more`."""
    command = [sys.executable, "-c", STARTER + more, str(home), str(HEAP_MB), *quick_start()]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def kept(address: Address, new: str | None = None) -> list[str]:
    """The ids in the graph, after writing `new`."""
    async with Graph(address, Catalogue.load()) as graph:
        if new is not None:
            await graph.execute(WRITE, {"id": new})
        return [row["id"] for row in await graph.execute(READ, {})]


async def test_four_processes_at_once_start_one_server(home: Path, server: ManagedServer) -> None:
    more = "print(server.ensure().uri, server.status().pid)"
    starters = [starter(home, more) for _ in range(4)]
    told = {process.communicate(timeout=200)[0] for process in starters}
    assert [process.returncode for process in starters] == [0, 0, 0, 0]
    address = server.ensure()
    assert told == {f"{address.uri} {pid_of(server)}\n"}
    assert await kept(address, "first") == ["first"]


async def test_the_server_outlives_the_kill_9_of_its_starter_and_is_shared(home: Path, server: ManagedServer) -> None:
    server.stop()
    process = starter(home, "import os\nserver.ensure()\nos.kill(os.getpid(), 9)")
    assert process.wait(200) == -signal.SIGKILL
    pid = pid_of(server)
    assert await kept(server.ensure()) == ["first"]
    assert pid_of(server) == pid


async def test_a_server_killed_with_9_comes_back_with_its_data_on_its_port(server: ManagedServer) -> None:
    address = server.ensure()
    await kept(address, "second")
    killed = psutil.Process(pid_of(server))
    killed.kill()
    killed.wait(30)
    assert server.ensure() == address
    assert await kept(address) == ["first", "second"]


async def test_a_starter_killed_halfway_leaves_a_server_that_the_next_command_waits_for(
    home: Path, server: ManagedServer
) -> None:
    server.stop()
    more = (
        "import os\n"
        "def halfway(message, done, total):\n"
        "    if message == 'starting Neo4j': os.kill(os.getpid(), 9)\n"
        "server.ensure(halfway)\n"
    )
    assert starter(home, more).wait(200) == -signal.SIGKILL
    pid = pid_of(server)
    assert await kept(server.ensure()) == ["first", "second"]
    assert pid_of(server) == pid


def test_a_stale_state_file_with_a_foreign_pid_is_seen_through(server: ManagedServer) -> None:
    server.ensure()
    real = PidFile(server.layout.state).read()
    assert real is not None
    foreign = ProcessRecord(pid=os.getpid(), started_at=1.0, details=real.details)
    replace_privately(server.layout.state, foreign.model_dump_json())
    assert server.status().running is False
    assert server.ensure()
    assert pid_of(server) == real.pid
    assert psutil.pid_exists(os.getpid())


async def test_a_wrong_password_file_is_one_clear_line_and_the_right_one_mends_it(server: ManagedServer) -> None:
    server.ensure()
    right = server.layout.password.read_text()
    server.stop()
    replace_privately(server.layout.password, "not the password")
    with pytest.raises(ServerError, match="does not hold the password of the store") as caught:
        server.ensure()
    assert "put the password back" in str(caught.value.remedy)
    replace_privately(server.layout.password, right)
    assert await kept(server.ensure()) == ["first", "second"]


async def test_when_others_have_both_usual_ports_the_server_takes_free_ones(
    server: ManagedServer,
) -> None:
    server.stop()
    server.layout.state.unlink(missing_ok=True)
    with ExitStack() as taken:
        for port in (7687, 7474):
            with suppress(OSError):  # taken by somebody else: as good
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
        address = server.ensure()
        assert await kept(address) == ["first", "second"]
    assert not address.uri.endswith(":7687")
    assert str(server.status().browser).find(":7474") == -1


def test_a_full_disk_is_one_clear_line_and_room_mends_it(tmp_path: Path, server: ManagedServer) -> None:
    server.stop()
    small = tmp_path / "small"
    small.mkdir()
    mount = [shutil.which("mount") or "false", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    full = ManagedServer(small / "home", HEAP_MB, quick_start())
    try:
        with pytest.raises(ServerError, match=r"the disk is full: \d MiB are left") as caught:
            full.ensure()
        assert "disk space" in str(caught.value.remedy)
        subprocess.run(["mount", "-o", "remount,size=600m", str(small)], check=True)
        assert full.ensure()
    finally:
        full.stop()
        subprocess.run(["umount", "--lazy", str(small)], check=True)
