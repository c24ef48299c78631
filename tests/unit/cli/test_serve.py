import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from clause import telemetry
from clause.api import app as server
from clause.operations import keys as listening
from clause.settings import Settings
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, int]]:
    """What would be served, and where; nothing is."""
    calls: list[tuple[Settings, int]] = []

    def run(settings: Settings, listener: socket.socket) -> None:
        calls.append((settings, listener.getsockname()[1]))

    monkeypatch.setattr(server, "run", run)
    monkeypatch.setattr(telemetry, "configure_logging", lambda *_: None)
    return calls


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch, graph: Any) -> list[bool]:
    """Whether a key is in force, as the graph would say."""
    in_force: list[bool] = []

    async def any_in_force(_keys: Any) -> bool:
        return in_force[-1]

    async def adopt(_keys: Any, _graph: Any) -> int:
        return 0

    monkeypatch.setattr(listening.ApiKeys, "any_in_force", any_in_force)
    monkeypatch.setattr(listening.ApiKeys, "adopt", adopt)
    return in_force


def test_the_addresses_are_told_before_serving(clause: Clause, served: list[tuple[Settings, int]]) -> None:
    done = clause("serve", "--port", "0", "--json")
    ((settings, port),) = served
    assert json.loads(done.out) == {"api": f"http://127.0.0.1:{port}", "docs": f"http://127.0.0.1:{port}/docs"}
    assert settings.port == 0
    assert f"API http://127.0.0.1:{port}" in done.err


def test_without_json_nothing_is_on_stdout(clause: Clause, served: list[Any]) -> None:
    assert clause("serve", "--port", "0").out == ""


def test_binding_beyond_the_loopback_is_refused_while_there_are_no_keys(
    clause: Clause, served: list[Any], keys: list[bool]
) -> None:
    keys.append(False)
    done = clause("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 1
    assert "0.0.0.0 is not the loopback" in done.err
    assert served == []


def test_binding_beyond_the_loopback_is_allowed_with_keys(clause: Clause, served: list[Any], keys: list[bool]) -> None:
    keys.append(True)
    assert clause("serve", "--host", "0.0.0.0", "--port", "0").code == 0
    assert len(served) == 1


def test_a_taken_port_is_one_line_and_a_way_out(clause: Clause, served: list[Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = clause("serve", "--port", str(other.getsockname()[1]))
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "--port" in done.err


def test_an_ipv6_loopback_is_written_in_brackets() -> None:
    from clause.cli.serve import _in_uri

    assert _in_uri("::1") == "[::1]"
