"""Scopes choose who decides, over HTTP, while questions are asked of two services on one database: each answer is made
by one policy, the one in force then and there; none is lost, and no other scope changes."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import numpy as np
import pytest
from safetensors.numpy import save_file
from ulid import ULID

from clause.graph.wire import Address
from clause.policy.serve.checkpoint import digest
from clause.policy.serve.grounded import shipped
from clause.policy.serve.pattern_scorer import TAUGHT
from tests.faults.serving import serving, until
from tests.servers import environ_of

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

ORCHARD = [
    ("Pippin Row", "grafted_by", "Ansel Doyle"),
    ("Quince Corner", "grafted_by", "Marit Lund"),
    ("Medlar Bank", "grafted_by", "Ansel Doyle"),
    ("Damson Dell", "grafted_by", "Ivo Brandt"),
    ("Sloe Hedge", "grafted_by", "Marit Lund"),
    ("Pippin Row", "pollinated_by", "the Abbey hives"),
    ("Damson Dell", "pollinated_by", "the Mill hives"),
]
QUESTIONS = {f"who is {head} grafted by?": tail for head, relation, tail in ORCHARD if relation == "grafted_by"}
GATE = [{"question": text, "answers": [answer]} for text, answer in QUESTIONS.items()]
STRANGE = [{"question": f"who plays the bassoon number {n}?", "answers": ["Nobody"]} for n in range(8)]


@dataclass
class Farm:
    """Two services with homes of their own, and clients of them."""

    clients: list[httpx.Client]
    homes: list[Path]
    address: Address

    def clause(self, *words: str) -> dict[str, Any]:
        """What a command prints that finds the first service by its home."""
        command = [sys.executable, "-m", "clause.cli.main", *words, "--json"]
        env = {**_bare(), **environ_of(self.address, self.homes[0])}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def _bare() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}


def checkpoint(folder: Path, name: str, *, aside: list[dict[str, Any]] = GATE, lean: float = 0.0) -> Path:
    """A taught reader that was taught next to nothing; `lean` makes its weights its own."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.safetensors"
    weight = np.zeros((384, 384), dtype=np.float16)
    weight[0, 0] = lean
    tensors = {"weight": weight, "centre": np.zeros(384, dtype=np.float16), "offset": np.zeros(1, dtype=np.float16)}
    save_file(tensors, file)
    about = {
        "kind": TAUGHT,
        "embedder": {"model": "all-MiniLM-L6-v2", "dimension": 384},
        "sha256": digest(file),
        "reader": shipped().fingerprint,
        "kept_aside": aside,
    }
    file.with_suffix(".json").write_text(json.dumps(about))
    return folder / name


@pytest.fixture(scope="module")
def farm(served_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    homes = [tmp_path_factory.mktemp(name) for name in ("one", "other")]
    for home in homes:
        for lean, name in enumerate(("early", "late"), start=1):
            checkpoint(home / "policies", name, lean=lean / 1000)
    checkpoint(homes[0] / "policies", "only-here")
    checkpoint(homes[0] / "policies", "cracked")
    checkpoint(homes[1] / "policies", "cracked").with_name("cracked.safetensors").write_bytes(b"half a fi")
    with (
        serving(homes[0], environ_of(served_address, homes[0])) as one,
        serving(homes[1], environ_of(served_address, homes[1])) as other,
        httpx.Client(base_url=one, timeout=120, trust_env=False) as first,
        httpx.Client(base_url=other, timeout=120, trust_env=False) as second,
    ):
        yield Farm([first, second], homes, served_address)


@pytest.fixture
def scope(farm: Farm) -> str:
    return orchard(farm)


def orchard(farm: Farm) -> str:
    own = f"kg:orchard-{str(ULID()).lower()}"
    for source, relation, target in ORCHARD:
        told = {"source": source, "relation": relation, "target": target, "scope": own}
        assert farm.clients[0].post("/api/entities/relations", json=told).status_code == 201
    ask(farm.clients[1], own)  # a service believes for some seconds what it knows of a scope's types
    return own


def change(http: httpx.Client, what: str, status: int = 200, **given: Any) -> dict[str, Any]:
    answered = http.post(f"/api/policies/{what}", json=given)
    assert answered.status_code == status, answered.text
    return dict(answered.json())


def ask(http: httpx.Client, *scopes: str, query: str = "who is Damson Dell grafted by?", **more: Any) -> dict[str, Any]:
    answered = http.post("/api/clause/coordinate", json={"query": query, "budgets": {}, "scopes": [*scopes], **more})
    assert answered.status_code == 200, answered.text
    return dict(answered.json())


def decided(http: httpx.Client, run: str) -> str:
    """The policy that a run names, once it is written."""
    until(lambda: http.get(f"/api/clause/runs/{run}").status_code == 200)
    return str(http.get(f"/api/clause/runs/{run}").json()["policy"])


def decides(http: httpx.Client, *scopes: str, **more: Any) -> str:
    return decided(http, ask(http, *scopes, **more)["run_id"])


@dataclass
class Asked:
    """What was asked of one scope, and what was changed there, with the times of beginning and end."""

    scope: str
    answers: list[tuple[float, float, str, str, str]] = field(default_factory=list)
    changes: list[tuple[float, float, str]] = field(default_factory=list)

    def in_force(self, began: float, ended: float) -> set[str]:
        """Who may decide what was asked in this time: the last that was in force before it, and who came meanwhile."""
        done = [policy for _, end, policy in self.changes if end <= began]
        meanwhile = {policy for start, end, policy in self.changes if start <= ended and end > began}
        return {done[-1], *meanwhile}


def test_under_running_requests_each_answer_is_made_by_the_policy_in_force_and_none_is_lost(farm: Farm) -> None:
    ways = [Asked(orchard(farm)), Asked(orchard(farm))]
    over = Event()

    def client(place: int) -> int:
        http, way, count = farm.clients[place % 2], ways[place // 2], 0
        while not over.is_set():
            text, right = [*QUESTIONS.items()][count % len(QUESTIONS)]
            began = time.monotonic()
            answer = ask(http, way.scope, query=text)
            names = [one["name"] for one in answer["result"]["answers"][:1]]
            assert not answer["result"]["abstained"]
            assert names == [right]
            way.answers.append((began, time.monotonic(), answer["run_id"], text, names[0]))
            count += 1
        return count

    def changer(place: int) -> None:
        http, way = farm.clients[place], ways[place]
        names = ("early", "late") if place == 0 else ("late", "early")

        def noted(what: str, comes: str, **given: Any) -> None:
            began = time.monotonic()
            told = change(http, what, scope=way.scope, **given)
            way.changes.append((began, time.monotonic(), comes))
            assert (told["policy"] or "learned") == comes
            time.sleep(1.0)

        noted("use", names[0], policy=names[0])
        noted("promote", names[1], policy=names[1])
        noted("rollback", names[0])
        noted("rollback", "learned")

    for way in ways:
        way.changes.append((0.0, 0.0, "learned"))
    with ThreadPoolExecutor(6) as pool:
        clients = [pool.submit(client, place) for place in range(4)]
        changers = [pool.submit(changer, place) for place in range(2)]
        try:
            for one in changers:
                one.result(timeout=600)
        finally:
            over.set()
        assert sum(one.result(timeout=120) for one in clients) == sum(len(way.answers) for way in ways)

    for way in ways:
        seen = set()
        for began, ended, run, text, _ in way.answers:
            policy = decided(farm.clients[0], run)
            seen.add(policy)
            assert policy in way.in_force(began, ended), (text, policy)
        assert seen == {"learned", "early", "late"}, f"{len(way.answers)} answers"


def test_a_choice_decides_in_its_scope_alone_and_at_once_in_every_service(farm: Farm, scope: str) -> None:
    first, second = farm.clients
    other = orchard(farm)
    assert change(first, "use", policy="early", scope=scope)["before"] == [""]
    assert [decides(http, scope) for http in farm.clients] == ["early", "early"]
    assert decides(second, other) == "learned"
    assert decides(second, scope, other) == "learned"  # the other graph made no choice
    assert decides(second, scope, "public") == "early"
    assert decides(second, scope, policy="grounded") == "grounded"
    assert change(second, "rollback", scope=scope)["policy"] is None
    assert [decides(http, scope) for http in farm.clients] == ["learned", "learned"]
    assert "nothing was chosen" in change(second, "rollback", 409, scope=scope)["detail"]


def test_a_gate_that_measured_nothing_or_a_loss_refuses_and_changes_nothing(farm: Farm, scope: str) -> None:
    http = farm.clients[0]
    told = change(http, "promote", 409, policy="early", scope=scope, questions={"own": STRANGE})
    assert "measured nothing" in told["detail"]
    told = change(http, "promote", 409, policy="early", scope=scope, questions={"own": GATE[:3]})
    assert "needs 5" in told["detail"]
    told = change(http, "promote", 409, policy="text-walk", scope=scope, questions={"own": GATE})
    assert "em_at_1 on set own" in told["detail"]
    assert decides(http, scope) == "learned"
    done = change(http, "promote", policy="early", scope=scope)
    assert done["candidate"]["ample"]["own"]["n"] == len(GATE)
    assert (done["policy"], done["current"]["policy"]) == ("early", "learned")
    assert decides(http, scope) == "early"


@pytest.mark.parametrize("name", ["only-here", "cracked"])
def test_a_chosen_policy_whose_file_is_away_or_broken_leaves_the_default_and_says_so(
    farm: Farm, scope: str, name: str
) -> None:
    first, second = farm.clients
    change(first, "use", policy=name, scope=scope)
    assert [decides(http, scope) for http in farm.clients] == [name, "learned"]
    problems = [problem(http, scope) for http in farm.clients]
    assert problems[0] is None
    assert problems[1] is not None
    assert name in problems[1]
    assert name in change(second, "use", 409, policy=name, scope=scope)["detail"]


def problem(http: httpx.Client, scope: str) -> Any:
    (choice,) = [one for one in http.get("/api/policies").json()["choices"] if one["scope"] == scope]
    return choice["problem"]


def test_names_and_scopes_that_there_are_none_of_are_told(farm: Farm, scope: str) -> None:
    http = farm.clients[0]
    assert "nobody" in change(http, "use", 409, policy="nobody", scope=scope)["detail"]
    assert "../early" in change(http, "use", 409, policy="../early", scope=scope)["detail"]
    assert "nothing is stored" in change(http, "use", 400, policy="early", scope="kg:nowhere-at-all")["detail"]


def test_the_commands_ask_the_running_service(farm: Farm, scope: str, tmp_path: Path) -> None:
    made = checkpoint(tmp_path, "policy", lean=0.005)
    name = f"cli-{scope[-8:]}"
    assert farm.clause("policy", "use", "late", "--scope", scope)["policy"] == "late"
    done = farm.clause("policy", "promote", str(made), "--name", name, "--scope", scope)
    assert (done["policy"], done["before"]) == (name, ["", "late"])
    assert decides(farm.clients[0], scope) == name
    known = farm.clause("policy", "list")
    assert name in known["at_hand"]
    assert [one["policy"] for one in known["choices"] if one["scope"] == scope] == [name]
    assert farm.clause("policy", "rollback", "--scope", scope)["policy"] == "late"
    other = checkpoint(tmp_path, "other", lean=0.007)
    refused = farm.clause("policy", "promote", str(other), "--name", name, "--scope", scope)["error"]
    assert "already" in refused["message"]
    assert choices_of(known, scope) != choices_of(farm.clause("policy", "list"), scope)


def choices_of(known: Mapping[str, Any], scope: str) -> list[Any]:
    return [one for one in known["choices"] if one["scope"] == scope]
