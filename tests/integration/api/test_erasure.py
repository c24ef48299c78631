"""What was forgotten is searched for byte by byte: in the answers of all routes, and in every property of the graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ulid import ULID

from clause.app import Container
from clause.graph.canonical import canonical_text, read_scope
from clause.graph.wire import Address
from clause.operations.archive import export_scope
from clause.text.embedder import DEFAULT_MODEL
from tests.integration.api.tenants import Door, Tenant, door, tenant
from tests.integration.api.test_container import use_model
from tests.servers import erase_scope, statement

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]
HELD = statement(
    "MATCH (n) WHERE any(key IN keys(n) WHERE (n[key] IS :: STRING AND n[key] CONTAINS $text) "
    "OR (n[key] IS :: LIST<STRING NOT NULL> AND any(item IN n[key] WHERE item CONTAINS $text))) "
    "RETURN labels(n)[0] AS label, n.id AS id UNION "
    "MATCH ()-[n]->() WHERE any(key IN keys(n) WHERE n[key] IS :: STRING AND n[key] CONTAINS $text) "
    "RETURN type(n) AS label, elementId(n) AS id",
    mode="read",
    parameters="$text STRING",
    columns="label, id",
)


class Writer:
    """A tenant that writes with idempotency keys, so that answers are kept."""

    def __init__(self, app: Door, who: Tenant) -> None:
        self.app = app
        self.who = who

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """What the route answers."""
        answer = await self.app.ask(self.who, "post", path, body, key=str(ULID()))
        assert answer.is_success, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def told(self, secret: str) -> list[str]:
        """Routes whose answer holds the secret: all that read, and all that search for it."""
        found = []
        for method, path, operation in self.app.operations:
            if method == "get" and "{" not in path:
                answer = await self.app.ask(self.who, method, path, query={"limit": "100"})
                found += [path] if secret in answer.text else []
            searches = path.endswith(("/query", "/search", "/check", "/retrieve", "/coordinate"))
            if method == "post" and searches:
                schema = self.app.body_schema(operation) or {}
                name = next((one for one in ("query", "query_text", "topic") if one in schema["properties"]), None)
                if name is not None:
                    body = {**(self.app.example(operation, self.who) or {}), name: "harbour lighthouse keeper"}
                    answer = await self.app.ask(self.who, method, path, body)
                    found += [path] if secret in answer.text else []
        return found


async def holders(container: Container, secret: str) -> list[str]:
    """Nodes and relationships with the secret in a property."""
    await container.runs.settled()
    return [f"{row['label']} {row['id']}" for row in await container.graph.execute(HELD, {"text": secret})]


def read(path: Path) -> bytes:
    """The bytes of a file."""
    return path.read_bytes()


@pytest.fixture
def ann() -> Tenant:
    return tenant("ann")


async def test_nothing_holds_what_was_forgotten(migrated_address: Address, ann: Tenant, tmp_path: Path) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    async with door(migrated_address, ann) as (app, container):
        writer, own = Writer(app, ann), {"scope": ann.scope}
        try:
            secret = ann.secret.capitalize()
            text = f"The keeper of the harbour lighthouse is {secret} Quill, who hides the Königsgold under the stairs"
            session = (await writer.post("/api/sessions", **own))["session"]["id"]
            await writer.post(f"/api/sessions/{session}/exchanges", role="user", content=f"I tell you: {text}.")
            belief = (await writer.post("/api/beliefs", content=text, session_id=session, **own))["belief"]["id"]
            source = {"kind": "document", "title": "the letter"}
            await writer.post(f"/api/beliefs/{belief}/corroborations", source=source)
            derived = await writer.post(
                "/api/beliefs", content=f"So {secret} should be watched", derived_from=[belief], **own
            )
            await writer.post("/api/beliefs", content="The harbour lighthouse is white", **own)
            for _ in range(2):
                await writer.post(
                    "/api/clause/coordinate",
                    query="who is keeper of the harbour lighthouse",
                    budgets={},
                    scopes=[ann.scope],
                )
            await writer.post(f"/api/sessions/{session}/end", summary=text, themes=[text])
            assert {"/api/beliefs", "/api/beliefs/query", "/api/clause/coordinate"} <= {*await writer.told(secret)}
            assert await holders(container, secret)

            preview = await writer.post("/api/erasures/preview", belief_id=belief)
            refused = await app.ask(ann, "delete", f"/api/beliefs/{belief}", versions='"999"')
            assert refused.status_code == 412
            answer = await app.ask(ann, "delete", f"/api/beliefs/{belief}")
            receipt = answer.json()
            assert receipt["done"], answer.text
            assert secret not in answer.text
            assert (preview["done"], preview["counts"]["Belief"]) == (False, 2)
            assert receipt["counts"]["Belief"] == 2
            assert receipt["counts"]["Run"] >= 2
            assert receipt["counts"]["kept answers"] >= 4
            assert receipt["vectors"] >= 2
            assert "transaction logs" in receipt["files"]
            assert (await app.ask(ann, "get", f"/api/beliefs/{derived['belief']['id']}")).status_code == 404
            assert await writer.told(secret) == []
            assert await holders(container, secret) == []
            assert await holders(container, belief) == []
            await export_scope(container.graph, tmp_path / "after.jsonl", ann.scope)
            assert secret.encode() not in read(tmp_path / "after.jsonl")
            remaining = await writer.post("/api/beliefs/query", query="harbour lighthouse", scopes=[ann.scope])
            assert [hit["belief"]["content"] for hit in remaining["items"]] == ["The harbour lighthouse is white"]
        finally:
            await erase_scope(container.graph, ann.scope)


async def test_a_memory_and_a_source_leave_nothing_behind(migrated_address: Address, ann: Tenant) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    async with door(migrated_address, ann) as (app, container):
        writer, own = Writer(app, ann), {"scope": ann.scope}
        try:
            secret = ann.secret
            memory = await writer.post("/api/memories", content=f"The harbour lighthouse keeper is {secret}", **own)
            kept = await writer.post("/api/memories", content="The harbour lighthouse keeper sleeps by day", **own)
            await writer.post(
                "/api/clause/coordinate", query="harbour lighthouse keeper", budgets={}, scopes=[ann.scope]
            )
            assert await writer.told(secret)
            answer = await app.ask(ann, "delete", f"/api/memories/{memory['memory_id']}")
            assert answer.is_success, answer.text
            assert await writer.told(secret) == []
            assert await holders(container, secret) == []
            assert (await app.ask(ann, "get", f"/api/memories/{kept['memory_id']}")).is_success

            source = await writer.post("/api/sources", title=f"Diary of {secret}", **own)
            only = await writer.post("/api/beliefs", content=f"{secret} keeps the lamp", source_id=source["id"], **own)
            both = await writer.post("/api/beliefs", content="The lamp is red", source_id=source["id"], **own)
            second = {"kind": "observation", "title": "a walk"}
            await writer.post(f"/api/beliefs/{both['belief']['id']}/corroborations", source=second)
            receipt = (await app.ask(ann, "delete", f"/api/sources/{source['id']}")).json()
            assert receipt["kept"] == [both["belief"]["id"]]
            assert (await app.ask(ann, "get", f"/api/beliefs/{only['belief']['id']}")).status_code == 404
            left = (await app.ask(ann, "get", f"/api/beliefs/{both['belief']['id']}")).json()
            assert (left["sources"], left["statements"]) == (1, 1)
            assert await writer.told(secret) == []
            assert await holders(container, secret) == []
        finally:
            await erase_scope(container.graph, ann.scope)


async def test_a_scope_goes_whole_and_others_stay(migrated_address: Address, ann: Tenant) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    bob = tenant("bob")
    async with door(migrated_address, ann, bob) as (app, container):
        try:
            writer = Writer(app, ann)
            await writer.post("/api/beliefs", content=f"{ann.secret} owns a boat", scope=ann.scope)
            await writer.post("/api/memories", content=f"{ann.secret} sails", scope=ann.scope)
            await writer.post("/api/clause/coordinate", query="who owns a boat", budgets={}, scopes=[ann.scope])
            await writer.post("/api/jobs", kind="rate_sources", scope=ann.scope)
            await Writer(app, bob).post("/api/beliefs", content=f"{bob.secret} owns a bike", scope=bob.scope)
            lines = [canonical_text(line) async for line in read_scope(container.graph, bob.scope)]
            preview = await writer.post("/api/erasures/preview", scope=ann.scope)
            receipt = (await app.ask(ann, "post", "/api/erasures", {"scope": ann.scope})).json()
            assert receipt["counts"]["Belief"] == preview["counts"]["Belief"] == 1
            assert receipt["counts"]["Memory"] == 1
            assert receipt["vectors"] == preview["vectors"] >= 2
            assert await holders(container, ann.secret) == []
            assert [one async for one in read_scope(container.graph, ann.scope)] == []
            assert [canonical_text(line) async for line in read_scope(container.graph, bob.scope)] == lines
            assert json.dumps(receipt).count(ann.secret) == 0
        finally:
            for who in (ann, bob):
                await erase_scope(container.graph, who.scope)
