"""The routes of beliefs and tensions: what they pass on, and which status and headers come back."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from httpx import AsyncClient

from clause.knowledge.beliefs.models import BeliefCreate, BeliefCreated, BeliefDetail, Corroborations
from clause.knowledge.beliefs.query_models import BeliefHits, ConfidenceExplanation
from clause.knowledge.beliefs.rows import belief_of, new_belief
from clause.knowledge.tension_detection import Tension, TensionSide
from tests.unit.api.fakes import FakeContainer

AT = datetime(2026, 1, 1, tzinfo=UTC)
PROOF = {
    "origin": None, "session_id": None, "reliability": 0.5, "words": [], "recalled": False, "author": None, "sites": [],
    "derived": False,
}  # fmt: skip
PROPERTIES = new_belief(
    BeliefCreate(content="tea is ready"),
    "b1",
    {"id": "s", "kind": "document"},
    PROOF,
    scope="user:ann",
    model="m",
    at=AT,
)
BELIEF = belief_of(PROPERTIES, [], AT)
SIDE = TensionSide(id="b1", content="a", status="disputed", overall=0.5)
TENSION = Tension(
    id="t1", scope="user:ann", kind="contradiction", severity="high", status="detected", score=0.9, similarity=0.9,
    signals=("negation",), a=SIDE, b=SIDE, action=None, resolution="", recorded_at=AT, resolved_at=None, version=4,
)  # fmt: skip
ANSWERS: dict[str, Any] = {
    "create": BeliefCreated(outcome="created", belief=BELIEF),
    "corroborate": BeliefCreated(outcome="skipped", belief=None),
    "supersede": BELIEF,
    "get": BeliefDetail(**dict(BELIEF)),
    "list": [BELIEF.model_copy(update={"id": f"b{n}"}) for n in (3, 2, 1)],
    "query": BeliefHits(items=(), considered=0, reason="nothing"),
    "search": BeliefHits(items=(), considered=0, reason="nothing"),
    "corroboration": Corroborations(
        belief_id="b1", corroborations=0, label="uncorroborated", statements=1, corroboration=None, sources=()
    ),
    "explain": ConfidenceExplanation(
        belief_id="b1", content="a", overall=0.5, stage="tentative", label="uncorroborated", dimensions=(),
        ceiling=None, advice=(), sources=(),
    ),
}  # fmt: skip


class Recorded:
    """A service that gives one answer to each method, and remembers what it was asked."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        async def answer(*given: Any, **named: Any) -> Any:
            self.asked.append((name, given, named))
            return self.answers[name]

        return answer


@pytest.fixture
def knowledge(container: FakeContainer) -> SimpleNamespace:
    tensions = {"list": [TENSION], "get": TENSION, "resolve": TENSION, "reopen": TENSION}
    found = SimpleNamespace(beliefs=Recorded(ANSWERS), tensions=Recorded(tensions))
    container.rooms.knowledge = found
    return found


async def test_a_new_belief_has_an_address_and_a_version(client: AsyncClient, knowledge: SimpleNamespace) -> None:
    answer = await client.post("/api/beliefs", json={"content": "tea is ready"})
    assert (answer.status_code, answer.json()["outcome"]) == (201, "created")
    assert (answer.headers["Location"], answer.headers["ETag"]) == ("/api/beliefs/b1", '"1"')
    ((_, (given,), _),) = knowledge.beliefs.asked
    assert given == BeliefCreate(content="tea is ready")


async def test_a_skipped_statement_has_no_address(client: AsyncClient, knowledge: SimpleNamespace) -> None:
    answer = await client.post("/api/beliefs/b1/corroborations", json={})
    assert answer.status_code == 201
    assert "Location" not in answer.headers


async def test_beliefs_come_in_pages(client: AsyncClient, knowledge: SimpleNamespace) -> None:
    answer = await client.get("/api/beliefs", params={"limit": 2, "scope": "user:ann", "status": "archived"})
    assert [item["id"] for item in answer.json()["items"]] == ["b3", "b2"]
    await client.get("/api/beliefs", params={"limit": 2, "cursor": answer.json()["next_cursor"]})
    first, second = (given[0] for _, given, _ in knowledge.beliefs.asked)
    assert (first.limit, first.scopes, first.status, first.after) == (3, ("user:ann",), "archived", None)
    assert second.after == "b2"


@pytest.mark.parametrize(("path", "service"), [("/api/beliefs", "beliefs"), ("/api/tensions", "tensions")])
async def test_lists_cover_as_many_scopes_as_are_named_within_their_bound(
    client: AsyncClient, knowledge: SimpleNamespace, path: str, service: str
) -> None:
    for scopes in (["user:ann", "kg:films"], ["user:ann"], [f"kg:{n}" for n in range(20)]):
        answer = await client.get(path, params={"scope": scopes})
        assert answer.status_code == 200, answer.text
        assert vars(knowledge)[service].asked[-1][1][0].scopes == tuple(scopes)
    assert (await client.get(path, params={"scope": [f"kg:{n}" for n in range(21)]})).status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "service"),
    [
        ("POST", "/api/beliefs/query", "query"),
        ("POST", "/api/beliefs/search", "search"),
        ("GET", "/api/beliefs/b1/corroborations", "corroboration"),
        ("GET", "/api/beliefs/b1/confidence", "explain"),
    ],
)
async def test_questions_are_passed_on(
    client: AsyncClient, knowledge: SimpleNamespace, method: str, path: str, service: str
) -> None:
    answer = await client.request(method, path, json={"query": "tea"} if method == "POST" else None)
    assert answer.status_code == 200, answer.text
    assert [name for name, _, _ in knowledge.beliefs.asked] == [service]


async def test_a_belief_has_its_version_unless_it_is_seen_as_it_was(
    client: AsyncClient, knowledge: SimpleNamespace
) -> None:
    assert (await client.get("/api/beliefs/b1")).headers["ETag"] == '"1"'
    past = await client.get("/api/beliefs/b1", params={"as_of_recorded": AT.isoformat()})
    assert "ETag" not in past.headers
    assert knowledge.beliefs.asked[-1][2]["as_of_recorded"] == AT
    assert (await client.get("/api/beliefs/b1", params={"as_of_recorded": "2026-01-01T00:00:00"})).status_code == 422


async def test_a_supersession_names_the_version_it_has_seen(client: AsyncClient, knowledge: SimpleNamespace) -> None:
    answer = await client.post(
        "/api/beliefs/b1/supersede", json={"content": "tea is over"}, headers={"If-Match": '"3", "4"'}
    )
    assert (answer.status_code, answer.headers["Location"]) == (201, "/api/beliefs/b1")
    assert knowledge.beliefs.asked[0][2]["versions"] == (3, 4)


async def test_tensions_are_listed_shown_settled_and_opened_again(
    client: AsyncClient, knowledge: SimpleNamespace
) -> None:
    listed = await client.get("/api/tensions", params={"severity": "high", "scope": "user:ann"})
    assert [item["id"] for item in listed.json()["items"]] == ["t1"]
    assert knowledge.tensions.asked[0][1][0].scopes == ("user:ann",)
    assert (await client.get("/api/tensions/t1")).headers["ETag"] == '"4"'
    settled = await client.post("/api/tensions/t1/resolve", json={"action": "keep_both"}, headers={"If-Match": '"4"'})
    assert (settled.status_code, settled.headers["ETag"]) == (200, '"4"')
    assert knowledge.tensions.asked[-1][2]["versions"] == (4,)
    assert (await client.post("/api/tensions/t1/reopen")).status_code == 200
    assert (await client.post("/api/tensions/t1/resolve", json={"action": "else"})).status_code == 422
