"""The running service as commands find it: through the home folder, and only where it was told what they were."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from clause.cli import service
from clause.errors import NotFoundError, OutOfBoundsError, UnavailableError
from clause.operations import processes
from clause.reasoning.models import CoordinationResponse
from clause.reasoning.models.examples import COORDINATION
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]
ANSWER = CoordinationResponse.model_validate(COORDINATION).model_dump(mode="json")


class Answering(BaseHTTPRequestHandler):
    """Answers what it was told to, and remembers what it was asked."""

    status = 200
    body: Any = ANSWER
    asked: ClassVar[list[tuple[str, dict[str, Any], str | None]]]

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, given, self.headers["Authorization"]))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(json.dumps(self.body).encode())

    def do_PUT(self) -> None:
        self.do_POST()

    def do_DELETE(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.asked.append((self.path, {}, self.headers["Authorization"]))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(json.dumps(self.body).encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def answering(home: Path) -> Iterator[type[Answering]]:
    """A service of this home that answers."""

    class Handler(Answering):
        asked: ClassVar[list[tuple[str, dict[str, Any], str | None]]] = []

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    record(home, port=server.server_port)
    yield Handler
    server.shutdown()
    server.server_close()


def record(home: Path, **changed: Any) -> None:
    """Leave word of a service at home, as `clause serve` does."""
    details = {"host": "127.0.0.1", "port": 1, "told": service.told({"CLAUSE_HOME": str(home)}), **changed}
    pid = details.pop("pid", os.getpid())
    started_at = details.pop("started_at", psutil.Process(os.getpid()).create_time())
    (home / service.STATE).write_text(json.dumps({"pid": pid, "started_at": started_at, "details": details}))


def test_a_question_is_answered_by_the_service_that_runs(clause: Clause, answering: type[Answering]) -> None:
    done = clause("ask", "who directed Kes", "--scope", "kg:films", "--edge-budget", "20")
    assert done.code == 0
    assert "receipt" in done.out
    ((path, given, key),) = answering.asked
    assert (path, given["query"], given["scopes"], key) == (
        "/api/clause/coordinate",
        "who directed Kes",
        ["kg:films"],
        None,
    )
    assert given["budgets"]["edge_budget"] == 20
    assert json.loads(clause("ask", "who directed Kes", "--json").out) == ANSWER


def test_figures_of_memories_are_asked_of_it_too(clause: Clause, answering: type[Answering]) -> None:
    answering.body = {"memories": 12, "sizes": {"4": 3}}
    done = clause("memory", "stats", "--scope", "user:ann", "--scope", "kg:films")
    assert done.code == 0
    assert "clusters of 4" in done.out
    assert [path for path, *_ in answering.asked] == ["/api/memories/stats?scope=user%3Aann&scope=kg%3Afilms"]


def test_types_and_plans_are_asked_of_it_too(clause: Clause, answering: type[Answering]) -> None:
    one = {"relation": "P57", "count": 3, "text": "director", "inverse_text": "films of", "told_by": "ann"}
    answering.body = {"items": [one], "questions": [], "left_out": 2, **one}
    assert "P57  3: 'director', back 'films of'  (said by ann)" in clause("types", "list", "--scope", "kg:f").out
    assert clause("types", "say", "P57", "director", "--scope", "kg:f").code == 0
    assert clause("types", "forget", "P57", "--scope", "kg:f").code == 0
    assert "0 of 2 gaps" in clause("curiosity", "plan", "--budget", "3").out
    assert clause("curiosity", "answer", "gap_1", "Ann did.").code == 0
    types, said = (
        "/api/relationship-types",
        {"relation": "P57", "text": "director", "inverse_text": None, "scope": "kg:f"},
    )
    assert [(path, body) for path, body, _ in answering.asked] == [
        (f"{types}?scope=kg%3Af", {}),
        (types, said),
        (f"{types}?relation=P57&scope=kg%3Af", {}),
        ("/api/clause/curiosity/plan", {"budget": 3, "scopes": None}),
        ("/api/clause/curiosity/answers", {"id": "gap_1", "statement": "Ann did.", "side": None, "source": None}),
    ]


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (
            422,
            {"code": "out_of_bounds", "detail": "is too short", "field": "query"},
            OutOfBoundsError,
            "query: is too short",
        ),
        (404, {"code": "not_found", "detail": "no scope", "remedy": "load it"}, NotFoundError, "no scope; load it"),
        (503, {"code": "unavailable", "detail": "Neo4j is away"}, UnavailableError, "Neo4j is away"),
        (500, ["odd"], Exception, "answered 500"),
    ],
)
def test_what_the_service_refuses_is_the_error_that_it_is(
    home: Path, answering: type[Answering], status: int, body: Any, kind: type[Exception], words: str
) -> None:
    answering.status, answering.body = status, body
    found = service.running({"CLAUSE_HOME": str(home)})
    assert found is not None
    with pytest.raises(kind, match=words):
        found.post("/api/clause/coordinate", {})


def test_a_service_that_wants_a_key_is_gone_without_unless_there_is_one(home: Path, answering: type[Answering]) -> None:
    answering.status, answering.body = 401, {"code": "unauthorized", "detail": "no key"}
    found = service.running({"CLAUSE_HOME": str(home)})
    assert found is not None
    assert found.post("/x", {}, {}) is None
    with pytest.raises(Exception, match="no key"):
        found.post("/x", {}, {"CLAUSE_API_KEY": "clause_x"})
    assert answering.asked[-1][2] == "Bearer clause_x"


def test_a_service_that_ends_in_the_middle_is_one_clear_error(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        record(home, port=listener.getsockname()[1])

        def hang_up() -> None:
            listener.accept()[0].close()

        threading.Thread(target=hang_up, daemon=True).start()
        found = service.running({"CLAUSE_HOME": str(home)})
        assert found is not None
        with pytest.raises(UnavailableError, match="broke off"):
            found.post("/x", {})


def test_nobody_is_asked_where_nobody_listens(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    record(home, port=port)
    found = service.running({"CLAUSE_HOME": str(home)})
    assert found is not None
    assert found.get("/x") is None


@pytest.mark.parametrize(
    "changed",
    [{"told": "another"}, {"started_at": 1.0}, {"pid": 2**22 + 1}, {"port": "none"}],
)
def test_a_record_of_something_else_is_no_service(home: Path, changed: dict[str, Any]) -> None:
    record(home, **changed)
    assert service.running({"CLAUSE_HOME": str(home)}) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_a_broken_record_is_no_service(home: Path, text: str) -> None:
    (home / service.STATE).write_text(text)
    assert service.running({"CLAUSE_HOME": str(home)}) is None


def test_a_home_with_a_tilde_is_the_one_that_the_service_has(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(home)
    monkeypatch.setenv("HOME", str(home.parent))

    assert service.running({"CLAUSE_HOME": f"~/{home.name}"}) is not None
    assert service.running({"CLAUSE_HOME": "~nobody-at-all/home"}) is None


def test_who_was_told_something_else_opens_an_application_of_its_own(home: Path) -> None:
    record(home)
    assert service.running({"CLAUSE_HOME": str(home), "CLAUSE_LOG_LEVEL": "debug", "LANG": "C"}) is not None
    for name in ("NEO4J_URI", "EMBEDDER", "ABSTAIN_BELOW", "TOKEN_MARGIN", "DEFAULT_SCOPE", "NO_SUCH_SETTING"):
        assert service.running({"CLAUSE_HOME": str(home), f"CLAUSE_{name}": "0.5"}) is None


def test_what_listens_everywhere_is_asked_on_this_machine(home: Path) -> None:
    record(home, host="0.0.0.0", port=8420)
    assert service.running({"CLAUSE_HOME": str(home)}) == service.RunningService("127.0.0.1", 8420)


def test_a_process_is_named_while_it_lasts_and_the_first_one_stays(tmp_path: Path) -> None:
    state = tmp_path / "home" / "api.json"
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        with processes.recorded(state, other.pid, {"port": 1}), processes.recorded(state, os.getpid(), {"port": 2}):
            assert json.loads(state.read_text())["details"] == {"port": 1}
        with processes.recorded(state, os.getpid(), {"port": 2}):
            assert json.loads(state.read_text())["details"] == {"port": 2}
        assert not state.exists()
    finally:
        other.kill()
        other.wait()


def test_asking_the_service_loads_nothing_heavy(home: Path, answering: type[Answering]) -> None:
    program = (
        "import sys\nfrom clause.cli.main import run\n"
        "try:\n    run(['ask', 'who directed Kes'])\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'torch', 'neo4j', 'numpy', 'fastapi', 'sentence_transformers', 'httpx'}\n"
        "print('loaded', sorted(heavy & set(sys.modules)))"
    )
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("CLAUSE_")}, "CLAUSE_HOME": str(home)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.splitlines()[-1] == "loaded []"
    assert len(answering.asked) == 1
