import http.server
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clause import __version__
from clause.cli import serve as service
from clause.errors import ServerError
from clause.graph.server.pidfile import ProcessRecord
from clause.operations import processes as daemon
from clause.settings import Settings


class Daemon:
    """Stands for clause.operations.processes: one process, remembered instead of started."""

    def __init__(self) -> None:
        self.record: ProcessRecord | None = None
        self.commands: list[list[str]] = []

    def start_detached(self, command, log_path, state_path, *, environment, details) -> int:
        self.commands.append([str(part) for part in command])
        self.environment = environment
        self.record = ProcessRecord(pid=1, started_at=0.0, details=details)
        return 1

    def stop(self, state_path: Path) -> bool:
        was, self.record = self.record, None
        return was is not None

    def running(self, state_path: Path) -> ProcessRecord | None:
        return self.record

    def is_running(self, state_path: Path) -> bool:
        return self.record is not None


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Daemon:
    fake = Daemon()
    for name in ("start_detached", "stop", "running", "is_running"):
        monkeypatch.setattr(daemon, name, getattr(fake, name))
    return fake


class Api(http.server.BaseHTTPRequestHandler):
    """Answers /health/* the way our API does."""

    version = __version__
    ready_after = 0

    def do_GET(self) -> None:
        cls = type(self)
        status, body = 200, {"status": "alive", "version": cls.version}
        if self.path == "/health/ready" and cls.ready_after > 0:
            cls.ready_after -= 1
            status, body = 503, {"ready": False}
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def api() -> Iterator[int]:
    Api.version, Api.ready_after = __version__, 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def settings_of(home: Path, port: int = 0) -> Settings:
    return Settings(home=home, port=port)


def test_the_api_is_started_detached_on_the_wanted_port(processes: Daemon, tmp_path: Path) -> None:
    port = service.free_port("127.0.0.1", 0)
    assert service.start(settings_of(tmp_path, port)) == f"http://127.0.0.1:{port}"
    (command,) = processes.commands
    assert command[-5:] == ["serve", "--host", "127.0.0.1", "--port", str(port)]
    assert processes.environment["CLAUSE_HOME"] == str(tmp_path)


def test_a_port_that_another_program_has_is_left_to_it(processes: Daemon, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        url = service.start(settings_of(tmp_path, taken))
    assert url.startswith("http://127.0.0.1:")
    assert not url.endswith(f":{taken}")


def test_an_api_that_runs_already_is_used(processes: Daemon, tmp_path: Path, api: int) -> None:
    processes.record = ProcessRecord(pid=1, started_at=0.0, details={"port": api})
    assert service.start(settings_of(tmp_path)) == f"http://127.0.0.1:{api}"
    assert processes.commands == []


def test_an_api_of_another_version_is_replaced(processes: Daemon, tmp_path: Path, api: int) -> None:
    Api.version = "0.0.1"
    processes.record = ProcessRecord(pid=1, started_at=0.0, details={"port": api})
    assert service.start(settings_of(tmp_path)) != f"http://127.0.0.1:{api}"
    assert len(processes.commands) == 1


@pytest.mark.parametrize("details", [{}, {"port": "x"}])
def test_a_state_file_without_a_port_is_no_running_api(processes: Daemon, tmp_path: Path, details: dict) -> None:
    processes.record = ProcessRecord(pid=1, started_at=0.0, details=details)
    assert service.running_url(settings_of(tmp_path)) is None


def test_an_api_that_does_not_answer_is_no_running_one(processes: Daemon, tmp_path: Path) -> None:
    port = service.free_port("127.0.0.1", 0)
    processes.record = ProcessRecord(pid=1, started_at=0.0, details={"port": port})
    assert service.running_url(settings_of(tmp_path)) is None


def test_waiting_ends_when_the_api_is_ready(processes: Daemon, tmp_path: Path, api: int) -> None:
    Api.ready_after = 2
    processes.record = ProcessRecord(pid=1, started_at=0.0, details={"port": api})
    waits: list[float] = []
    service.wait_until_ready(settings_of(tmp_path), f"http://127.0.0.1:{api}", sleep=waits.append)
    assert len(waits) == 2


def test_an_api_that_ended_is_an_error_with_its_last_words(processes: Daemon, tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    with pytest.raises(ServerError, match="it printed nothing"):
        service.wait_until_ready(settings, "http://127.0.0.1:1")
    service.log_path(settings).write_text("first\nerror: the password is wrong\n")
    with pytest.raises(ServerError, match="the password is wrong"):
        service.wait_until_ready(settings, "http://127.0.0.1:1")


def test_waiting_gives_up_and_says_what_was_answered_last(processes: Daemon, tmp_path: Path, api: int) -> None:
    Api.ready_after = 10**6
    processes.record = ProcessRecord(pid=1, started_at=0.0, details={"port": api})
    now = iter(range(100))
    with pytest.raises(ServerError, match=r'not ready after 3 s: \{"ready": false\}'):
        service.wait_until_ready(
            settings_of(tmp_path),
            f"http://127.0.0.1:{api}",
            timeout_s=3,
            monotonic_s=lambda: float(next(now)),
            sleep=lambda _s: None,
        )


def test_stopping_says_whether_something_ran(processes: Daemon, tmp_path: Path) -> None:
    processes.record = ProcessRecord(pid=1, started_at=0.0)
    assert service.stop(settings_of(tmp_path)) is True
    assert service.stop(settings_of(tmp_path)) is False
