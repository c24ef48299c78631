import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clause import telemetry
from clause.mcp_bridge import transports
from clause.operations.keys import ApiKeys
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "configure_logging", lambda *_: None)


def test_over_stdio_nothing_is_printed_but_the_protocol(clause: Clause, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr(transports, "run_stdio", served.append)
    monkeypatch.setenv("CLAUSE_MODE", "personal")
    done = clause("mcp")
    assert done == (0, "", "")
    assert served[0].settings.mode == "personal"


def test_over_http_the_address_is_told(clause: Clause, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr(transports, "run_http", lambda *given: served.append(given))
    done = clause("mcp", "--transport", "http", "--port", "0", "--json")
    ((holder, listener, application),) = served
    url = json.loads(done.out)["mcp"]
    assert url.startswith("http://127.0.0.1:")
    assert url.endswith("/mcp")
    assert f"MCP {url}" in done.err
    assert listener.fileno() == -1
    assert holder.settings.host == "127.0.0.1"
    assert type(application).__name__ == "RequestContext"


def test_beyond_the_loopback_it_wants_keys(clause: Clause, monkeypatch: pytest.MonkeyPatch, graph: Any) -> None:
    async def adopt(_self: ApiKeys, _graph: Any) -> int:
        return 0

    monkeypatch.setattr(ApiKeys, "adopt", adopt)

    async def none(_self: ApiKeys) -> bool:
        return False

    async def some(_self: ApiKeys) -> bool:
        return True

    served: list[Any] = []
    monkeypatch.setattr(transports, "run_http", lambda *given: served.append(given))
    monkeypatch.setattr(ApiKeys, "any_in_force", none)
    done = clause("mcp", "--transport", "http", "--host", "0.0.0.0", "--port", "0")
    assert done.code == 1
    assert "there are no API keys" in done.err
    monkeypatch.setattr(ApiKeys, "any_in_force", some)
    assert clause("mcp", "--transport", "http", "--host", "0.0.0.0", "--port", "0").code == 0
    assert len(served) == 1


def test_installing_shows_the_change_and_makes_it_after_a_yes(clause: Clause, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    done = clause("mcp", "install", "cursor", "--file", str(file), "--yes")
    assert '+    "clause": {' in done.out
    assert "written" in done.err
    assert "clause" in json.loads(file.read_text())["mcpServers"]
    again = clause("mcp", "install", "cursor", "--file", str(file))
    assert "needs no change" in again.out
    assert "says so already" in again.err


def test_installing_asks_and_a_no_changes_nothing(
    clause: Clause, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mcp.json"
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert clause("mcp", "install", "claude-desktop", "--file", str(file)).code == 1
    assert not file.exists()


def test_with_json_installing_needs_a_yes_beforehand(clause: Clause, tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    assert clause("mcp", "install", "--file", str(file), "--json").code == 1
    assert not file.exists()
    done = clause("mcp", "install", "--file", str(file), "--json", "--yes")
    assert json.loads(done.out) == {"client": "claude-code", "file": str(file), "changed": True}
