import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from clause.cli import demo, load
from clause.cli import serve as service
from clause.graph import migrations
from clause.graph.server import ManagedServer
from clause.ingest import samples
from clause.operations import archive as sample_reset
from tests.unit.cli.conftest import Done
from tests.unit.cli.test_ask_printed import RESPONSE

Clause = Callable[..., Done]
SECTIONS = ("answer", "path", "evidence", "receipt", "addresses")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, graph: SimpleNamespace) -> list[str]:
    """What the demo did, in order; the graph, the sample and the API are fakes."""
    done: list[str] = []

    async def migrate(_graph: object, **_: Any) -> None:
        done.append("migrate")

    async def load_sample(_graph: object, _embedder: object, **_: Any) -> None:
        done.append("load")

    async def load_texts(_graph: object, _embedder: object, **_: Any) -> None:
        done.append("load texts")

    def start(_settings: object) -> str:
        done.append("start")
        return "http://127.0.0.1:8420"

    def answer(request: httpx.Request) -> httpx.Response:
        done.append(f"{request.method} {request.url.path}")
        return httpx.Response(200, json=RESPONSE)

    monkeypatch.setattr(migrations, "migrate", migrate)
    monkeypatch.setattr(samples, "load_sample", load_sample)
    monkeypatch.setattr(samples, "load_texts", load_texts)
    monkeypatch.setattr(service, "start", start)
    monkeypatch.setattr(service, "wait_until_ready", lambda *_: done.append("ready"))
    monkeypatch.setattr(
        service,
        "client",
        lambda url, **_: httpx.Client(base_url=url, transport=httpx.MockTransport(answer)),
    )
    return done


def test_the_demo_prepares_starts_asks_and_prints_its_sections(clause: Clause, steps: list[str]) -> None:
    result = clause("demo")
    assert result.code == 0, result.err
    assert steps == ["migrate", "load", "start", "ready", "POST /api/clause/coordinate"]
    assert [line for line in result.out.splitlines() if line in SECTIONS] == list(SECTIONS)
    for address in ("http://127.0.0.1:8420", "http://127.0.0.1:8420/docs", "bolt://127.0.0.1:7687", "user neo4j"):
        assert address in result.out
    assert demo.QUESTION in result.out


def test_the_demo_of_texts_loads_them_alone_and_asks_in_their_scope(clause: Clause, steps: list[str]) -> None:
    result = clause("demo", "texts")
    assert result.code == 0, result.err
    assert steps == ["migrate", "load texts", "start", "ready", "POST /api/clause/coordinate"]
    assert demo.TEXTS_QUESTION in result.out
    assert f'clause ask "{demo.TEXTS_SECOND}" --scope {demo.TEXTS_SCOPE}' in result.out
    assert demo.QUESTION not in result.out


def test_resetting_the_texts_erases_their_scope(clause: Clause, erased: list[str]) -> None:
    result = clause("demo", "texts", "--reset", "--yes")
    assert result.code == 0, result.err
    assert [step for step in erased if "migrate" not in step][:3] == ["look texts", "erase texts", "load texts"]


def test_a_shell_that_does_not_know_clause_is_told_three_ways_and_one_that_does_none(
    clause: Clause, steps: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "an env" / "python"
    python.parent.mkdir()
    (python.parent / "activate").touch()
    monkeypatch.setattr("sys.executable", str(python))
    monkeypatch.setattr("shutil.which", lambda _name: None)
    said = clause("demo").out.partition("next\n")[2]
    assert f". '{python.parent}/activate'" in said
    source = re.search(r"uv tool install (\S+)", said)
    assert source is not None
    assert f"pipx install {source[1]} " in said
    assert (Path(source[1]) / "pyproject.toml").is_file()  # the tests run from a checkout
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert "install" not in clause("demo").out.partition("next\n")[2].replace("mcp install", "")


def test_a_shell_does_not_know_what_uv_lent_to_this_process(
    clause: Clause, steps: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setattr("shutil.which", lambda name: str(tmp_path / name))
    monkeypatch.delenv("UV", raising=False)
    assert "uv tool install" not in clause("demo").out
    monkeypatch.setenv("UV", "/usr/bin/uv")
    assert "uv tool install" in clause("demo").out


@pytest.mark.parametrize(
    ("told", "origin"),
    [
        (
            '{"url": "file:///home/ann/a%20b/clause_memory-1-py3-none-any.whl"}',
            "/home/ann/a b/clause_memory-1-py3-none-any.whl",
        ),
        (None, "clause-memory"),
    ],
)
def test_what_was_installed_from_a_file_is_installed_from_it_again(
    told: str | None, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = SimpleNamespace(read_text=lambda _name: told)
    monkeypatch.setattr("importlib.metadata.distribution", lambda _name: known)
    assert load._origin() == origin


def test_with_json_it_is_one_object(clause: Clause, steps: list[str]) -> None:
    result = json.loads(clause("demo", "--json").out)
    assert result["question"] == demo.QUESTION
    assert result["response"] == RESPONSE
    assert result["addresses"]["API"] == "http://127.0.0.1:8420"


def test_a_server_of_your_own_is_named_as_yours(
    clause: Clause, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUSE_NEO4J_URI", "neo4j://db.internal")
    assert "neo4j://db.internal (yours), user neo4j" in clause("demo").out


def test_an_api_that_fails_is_one_clear_error(
    clause: Clause, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = httpx.MockTransport(lambda _request: httpx.Response(500))
    monkeypatch.setattr(service, "client", lambda url, **_: httpx.Client(base_url=url, transport=broken))
    result = clause("demo")
    assert result.code == 3
    assert "the API did not answer" in result.err


@pytest.mark.parametrize(("own", "said"), [(False, "Neo4j: stopped"), (True, "Neo4j: yours, left alone")])
def test_stop_stops_both_but_never_a_server_of_your_own(
    clause: Clause, monkeypatch: pytest.MonkeyPatch, own: bool, said: str
) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(service, "stop", lambda _settings: bool(stopped.append("api")))
    monkeypatch.setattr(ManagedServer, "stop", lambda _self: not stopped.append("neo4j"))
    if own:
        monkeypatch.setenv("CLAUSE_NEO4J_URI", "neo4j://db.internal")
    result = clause("demo", "--stop")
    assert "API: was not running" in result.out
    assert said in result.out
    assert stopped == (["api"] if own else ["api", "neo4j"])


@pytest.fixture
def erased(monkeypatch: pytest.MonkeyPatch, steps: list[str]) -> list[str]:
    """What the demo did, with the erasure of the sample's scope as a fake."""

    async def reset_sample(_graph: object, _settings: object, *, apply: bool, scope: str) -> SimpleNamespace:
        steps.append(("erase" if apply else "look") + (" texts" if scope == demo.TEXTS_SCOPE else ""))
        return SimpleNamespace(counts={"Entity": 43_234})

    monkeypatch.setattr(sample_reset, "reset_sample", reset_sample)
    return steps


def test_reset_says_what_goes_asks_and_then_loads_anew(
    clause: Clause, erased: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    result = clause("demo", "--reset")
    assert result.code == 0, result.err
    assert "43,234 Entity" in result.out
    assert [step for step in erased if step != "migrate"][:4] == ["look", "erase", "load", "start"]


def test_reset_without_a_yes_erases_nothing(clause: Clause, erased: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert clause("demo", "--reset").code == 1
    assert "erase" not in erased
    assert "load" not in erased


def test_reset_with_json_needs_a_yes_beforehand(clause: Clause, erased: list[str]) -> None:
    assert clause("demo", "--reset", "--json").code == 1
    assert "erase" not in erased
    assert clause("demo", "--reset", "--yes", "--json").code == 0
    assert "erase" in erased


def test_stop_and_reset_are_not_done_together(clause: Clause, erased: list[str]) -> None:
    assert clause("demo", "--reset", "--stop").code == 1
    assert erased == []
