"""Every route, as the OpenAPI document has it, asked by one tenant with the other's ids: no leak, no hint."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from httpx import Response

from clause.graph.canonical import scope_hash
from clause.graph.wire import Address
from clause.text.embedder import DEFAULT_MODEL
from tests.integration.api.tenants import Door, Tenant, door, settle_in, tenant
from tests.integration.api.test_container import use_model
from tests.servers import erase_scope

ONE_OF_EACH = frozenset(
    ["Belief", "Source", "Tension", "Entity", "Session", "Exchange", "Pattern", "Receipt", "Run", "Job", "Memory"]
)
pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]
ADDRESSED = frozenset({"entity", "start_node", "intervention_node", "target_node", "node", "room_id"})
"""Parameters that name a node in another way than by an `..._id`."""
REFERENCES = frozenset({"derived_from", "start_nodes", "supersedes", "synthesis_source_ids"})
"""Fields of a body that list ids."""
LABELS = frozenset({"room_id", "client_session_id", "document_id", "user_id"})
"""Fields of a body that are the caller's own words for something."""


def unknown(identity: str) -> str:
    """An id of the same shape that nobody has: what stands before the last `_`, `:` or blank stays.

    >>> unknown("ent_3ad37")
    'ent_4be48'
    """
    prefix, mark, rest = (
        re.split(r"([_: ])(?=[^_: ]*$)", identity, maxsplit=1) if re.search("[_: ]", identity) else ("", "", identity)
    )
    turned = str.maketrans("0123456789abcdefABCDEFGHJKMNPQRSTVWXYZ", "1234567890bcdefaBCDEFGHJKMNPQRSTVWXYZA")
    return prefix + mark + rest.translate(turned)


def pairs(ann: Tenant, name: str) -> list[tuple[str, str]]:
    """What Ann's parameter may be, each beside one that nobody has."""
    if name == "room_id":
        return [(f"room {ann.secret}", f"room {unknown(ann.secret)}")]
    if name in {"scope", "scopes"}:
        return [(ann.scope, unknown(ann.scope))]
    if name in {"entity", "start_node", "start_nodes", "intervention_node", "target_node", "node"}:
        return [(identity, unknown(identity)) for label in ("Entity", "Belief") for identity in ann.ids[label][:1]]
    return [(identity, unknown(identity)) for identity in ann.candidates(name) if "/" not in identity]


def addresses(name: str) -> bool:
    return name.endswith(("_id", "_ids")) or name in ADDRESSED | REFERENCES


def asked(door: Door, operation: Mapping[str, Any], path: str, ann: Tenant, bob: Tenant) -> Iterator[tuple[Any, Any]]:
    """(foreign, unknown): two requests that differ in one id, each (path, query, body)."""
    parameters = operation.get("parameters", [])
    inner = [one["name"] for one in parameters if one["in"] == "path"]
    example = door.example(operation, bob)
    schema = door.body_schema(operation) or {}
    if inner:
        for choice in itertools.product(*(pairs(ann, name) for name in inner)):
            filled = [path, path]
            for name, pair in zip(inner, choice, strict=True):
                filled = [one.replace(f"{{{name}}}", value) for one, value in zip(filled, pair, strict=True)]
            yield (filled[0], {}, example), (filled[1], {}, example)
        return
    for one in parameters:
        if one["in"] == "query" and (addresses(one["name"]) or one["name"] == "scope"):
            for pair in pairs(ann, one["name"]):
                first, second = ((path, {one["name"]: value}, example) for value in pair)
                yield first, second
    for name in schema.get("properties", {}):
        if name in LABELS or not (addresses(name) or name in {"scope", "scopes"}):
            continue
        listed = name in REFERENCES | {"scopes"} or name.endswith("_ids")
        for pair in pairs(ann, name):
            values = [[value] if listed else value for value in pair]
            whole = {key: value for key, value in (example or {}).items() if not (addresses(key) and key != name)}
            for rest in [example or {}, whole] if whole != example else [whole]:
                first, second = ((path, {}, {**rest, name: value}) for value in values)
                yield first, second


def hinted(answers: Sequence[Response], ids: Sequence[str]) -> bool:
    """True when the two answers tell that one of the ids exists, or one is a failure of ours.

    Where both succeed, the id was a mere word for the caller: their states differ, having been written one by one.
    """
    first, second = answers
    if first.is_success and second.is_success:
        return False
    shapes = {(one.status_code, shape(one.text, ids)) for one in answers}
    return len(shapes) > 1 or first.status_code >= 500


def shape(text: str, ids: Sequence[str]) -> str:
    """An answer without what may differ: the ids asked for, and the request's own."""
    for identity in ids:
        text = text.replace(identity, "<id>")
    return re.sub(r'"request_id":"[^"]*"', "", text)


async def test_no_route_leaks_or_hints_at_what_another_tenant_has(migrated_address: Address) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    ann, bob = tenant("ann"), tenant("bob")
    async with door(migrated_address, ann, bob) as (app, container):
        graph = container.graph
        try:
            await settle_in(app, container, ann)
            await settle_in(app, container, bob)
            assert ann.ids.keys() >= ONE_OF_EACH, "else this asks for nothing"
            before = await scope_hash(graph, ann.scope)
            told, tried = [], 0
            known = [ann.scope, f"room {ann.secret}", *(value for values in ann.ids.values() for value in values)]
            ids = sorted([*known, *map(unknown, known)], key=len, reverse=True)
            for method, path, operation in app.operations:
                for foreign, nobody in asked(app, operation, path, ann, bob):
                    answers = [await app.ask(bob, method, one[0], one[2], one[1]) for one in (foreign, nobody)]
                    tried += 1
                    if hinted(answers, ids) or (ann.secret in answers[0].text and ann.secret not in str(foreign)):
                        told.append((method, foreign, [(one.status_code, shape(one.text, ids)) for one in answers]))
                if "{" not in path:
                    answer = await app.ask(bob, method, path, app.example(operation, bob))
                    if ann.secret in answer.text:
                        told.append((method, path, answer.text))
            words = {"query": f"is the {ann.secret} door open", "budgets": {}}
            answer = await app.ask(bob, "post", "/api/clause/coordinate", words)
            assert ann.secret not in answer.text.replace(words["query"], "")
            assert await scope_hash(graph, ann.scope) == before
            assert told == [], "\n".join(str(one)[:600] for one in told)
            assert tried > 150
        finally:
            for who in (ann, bob):
                await erase_scope(graph, who.scope)
