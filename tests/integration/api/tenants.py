"""Two tenants behind one application, each with one of everything, and requests made of the OpenAPI document."""

from __future__ import annotations

import copy
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from httpx import ASGITransport, AsyncClient, Response
from ulid import ULID

from clause.api.app import build_app
from clause.app import Container
from clause.graph.scopes import Caller
from clause.graph.wire import Address
from clause.settings import Settings
from clause.telemetry import Metrics
from tests.servers import statement

METHODS = ("get", "post", "put", "patch", "delete")
TEXTS = frozenset(
    [
        *("content", "description", "summary", "title", "name", "alias", "topic", "query", "goal", "hypothesis"),
        *("action", "prediction", "result", "lesson", "note", "text", "reason", "resolution"),
    ]
)
_LATER = ("/api/clause/c", "/api/clause/n", "/api/clause/s", "/api/clause/e", "/api/erasures", "/api/jobs")
_IDS = statement(
    "MATCH (n) WHERE n.scope = $scope RETURN DISTINCT labels(n)[0] AS label, n.id AS id ORDER BY label, id",
    mode="read",
    parameters="$scope STRING",
    columns="label, id",
)


@dataclass
class Tenant:
    """A caller with a scope of its own; `secret` stands in every text that it writes."""

    name: str
    scope: str
    secret: str
    ids: dict[str, list[str]] = field(default_factory=dict)

    @property
    def headers(self) -> dict[str, str]:
        """Who is asking."""
        return {"X-Tenant": self.name}

    def candidates(self, parameter: str) -> list[str]:
        """Ids of this tenant's that a parameter of this name may mean; of a name that says nothing, some."""
        stem = re.sub(r"_ids?$", "", parameter).replace("_", "")
        if parameter in {"winner_id", "loser_id"}:
            return [*self.ids.get("Belief", [])[:1], *self.ids.get("Entity", [])[:1]]
        fitting = [ids[0] for label, ids in self.ids.items() if label.lower().endswith(stem) or stem in label.lower()]
        return fitting or [self.ids[label][0] for label in ("Belief", "Entity", "Session", "Run")]


def tenant(name: str) -> Tenant:
    """A tenant that nobody has seen before."""
    mark = str(ULID()).lower()
    return Tenant(name, f"user:{name}-{mark}", f"secret{mark}")


class Door:
    """The application over the real graph, asked as one tenant or the other."""

    def __init__(self, app: FastAPI, client: AsyncClient) -> None:
        self.document: dict[str, Any] = app.openapi()
        self._client = client

    @property
    def operations(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(method, path, operation) of every route under /api."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if method in METHODS and path.startswith("/api/"):
                    yield method, path, operation

    async def ask(
        self,
        who: Tenant,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, str] | None = None,
        *,
        key: str | None = None,
        versions: str | None = None,
    ) -> Response:
        """One request as a tenant, with an Idempotency-Key and an If-Match where they are given."""
        headers = who.headers | ({"Idempotency-Key": key} if key else {}) | ({"If-Match": versions} if versions else {})
        return await self._client.request(method, path, json=body, params=query, headers=headers)

    def resolved(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A schema with its reference followed."""
        reference = schema.get("$ref")
        if reference:
            found: dict[str, Any] = self.document["components"]["schemas"][reference.rsplit("/", 1)[1]]
            return found
        return dict(schema)

    def body_schema(self, operation: Mapping[str, Any]) -> dict[str, Any] | None:
        """The schema of a JSON body, where the operation takes one."""
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        return self.resolved(content["schema"]) if content else None

    def example(self, operation: Mapping[str, Any], who: Tenant) -> dict[str, Any] | None:
        """The operation's own example, in this tenant's scope and words."""
        schema = self.body_schema(operation)
        if schema is None:
            return None
        found = copy.deepcopy(schema.get("example") or (schema.get("examples") or [{}])[0])
        if "scope" in schema.get("properties", {}):
            found["scope"] = who.scope
        if "scopes" in schema.get("properties", {}):
            found["scopes"] = [who.scope]
        return {
            key: f"{value} {who.secret}" if key in TEXTS and isinstance(value, str) else value
            for key, value in found.items()
        }


@asynccontextmanager
async def door(address: Address, *tenants: Tenant) -> AsyncIterator[tuple[Door, Container]]:
    """The application with these tenants; no job runs in the background."""
    callers = {who.name: Caller((who.scope,), (who.scope,)) for who in tenants}

    async def authenticate(request: Request) -> Caller:
        return callers[request.headers["X-Tenant"]]

    opened: list[Container] = []

    @asynccontextmanager
    async def opener(settings: Settings, metrics: Metrics) -> AsyncIterator[Container]:
        async with Container.open(settings, metrics) as container:
            opened.append(container)
            yield container

    place = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    settings = Settings(**place, neo4j_database=address.database, rate_limit=0)
    app = build_app(settings, opener=opener, authenticate=authenticate)
    async with (
        app.router.lifespan_context(app),
        AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1:8420", timeout=120) as client,
    ):
        yield Door(app, client), opened[0]


async def settle_in(door: Door, container: Container, who: Tenant) -> None:
    """Give a tenant one of everything, by the routes: first what examples make, then what takes more than one step."""
    for method, path, operation in door.operations:
        if method == "post" and "{" not in path and not path.startswith(_LATER):
            await door.ask(who, method, path, door.example(operation, who))
    own = {"scope": who.scope}

    async def post(path: str, **body: Any) -> dict[str, Any]:
        answer = await door.ask(who, "post", path, body)
        assert answer.status_code < 300, f"{path}: {answer.text}"
        made: dict[str, Any] = answer.json()
        return made

    session = (await post("/api/sessions", room_id=f"room {who.secret}", **own))["session"]
    await post(f"/api/sessions/{session['id']}/exchanges", role="user", content=f"Hello {who.secret}.")
    await post(f"/api/sessions/{session['id']}/insights", content=f"{who.secret} was learned here")
    held = [
        (await post("/api/beliefs", content=content, **own))["belief"]["id"]
        for content in (
            f"The {who.secret} door is open",
            f"The {who.secret} door is not open",
            f"Nobody paints the {who.secret} fence",
            f"Painting of the {who.secret} fence never happens",
            f"{who.secret} is about to be taken back",
        )
    ]
    await post("/api/belief-merges", winner_id=held[2], loser_id=held[3])
    await post("/api/retractions", belief_id=held[4])
    await post("/api/memories", content=f"A memory of {who.secret}", **own)
    sources = [(await post("/api/sources", title=f"{who.secret} {number}", **own))["id"] for number in range(2)]
    answer = await door.ask(who, "put", f"/api/sources/{sources[0]}/trusts", {"to_source_id": sources[1], "weight": 1})
    assert answer.is_success, answer.text
    await post("/api/clause/coordinate", query=f"is the {who.secret} door open", budgets={}, scopes=[who.scope])
    await post("/api/jobs", kind="rate_sources", scope=who.scope)
    await container.runs.settled()
    who.ids = {}
    for row in await container.graph.execute(_IDS, {"scope": who.scope}):
        who.ids.setdefault(row["label"], []).append(row["id"])
