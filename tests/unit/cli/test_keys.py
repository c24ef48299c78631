import json
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from clause.errors import NotFoundError
from clause.operations.keys import ApiKey, ApiKeys, NewKey
from tests.unit.cli.conftest import Done

Clause = Callable[..., Done]
WHEN = datetime(2026, 11, 22, tzinfo=UTC)
KEY = ApiKey(id="01K", name="app", readable=("public",), writable=(), created_at=WHEN)


@pytest.fixture(autouse=True)
def asked(graph: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the key store was asked; it holds one key."""
    calls: list[Any] = []

    async def create(
        self: ApiKeys, name: str, readable: Any, writable: Any, *, default: Any, person: bool, lasts: Any
    ) -> NewKey:
        assert not person
        calls.append((name, readable, writable))
        return NewKey(**KEY.model_dump(), token="clause_01K_secret")

    async def found(self: ApiKeys) -> tuple[ApiKey, ...]:
        return (KEY, KEY.model_copy(update={"readable": None, "revoked_at": WHEN}))

    async def revoke(self: ApiKeys, key_id: str) -> ApiKey:
        if key_id != KEY.id:
            raise NotFoundError("no API key")
        return KEY.model_copy(update={"revoked_at": WHEN})

    async def rotate(self: ApiKeys, key_id: str, *, overlap: Any) -> NewKey:
        calls.append((key_id, overlap))
        return NewKey(**KEY.model_dump(), token="clause_01K_another")

    async def adopt(self: ApiKeys, _graph: Any) -> int:
        return 0

    methods = {"create": create, "list": found, "revoke": revoke, "rotate": rotate, "adopt": adopt}
    for name, method in methods.items():
        monkeypatch.setattr(ApiKeys, name, method)
    return calls


def test_a_new_key_is_alone_on_stdout(clause: Clause, asked: list[Any]) -> None:
    done = clause("keys", "create", "app", "--read", "public", "--write", "user:ann", "--write", "user:bob")
    assert done.out == "clause_01K_secret\n"
    assert "shown this once" in done.err
    assert asked == [("app", ["public"], ["user:ann", "user:bob"])]


def test_a_star_stands_for_every_scope_and_nothing_for_none(clause: Clause, asked: list[Any]) -> None:
    assert json.loads(clause("keys", "create", "app", "--read", "*", "--json").out)["token"] == "clause_01K_secret"
    assert asked == [("app", None, [])]


def test_keys_are_listed_with_their_scopes_and_state(clause: Clause) -> None:
    first, second = clause("keys", "list").out.splitlines()
    assert first == "01K  in force  app  reads public  writes nothing  never used"
    assert "revoked" in second
    assert "reads everything" in second
    assert len(json.loads(clause("keys", "list", "--json").out)["keys"]) == 2


def test_a_key_is_revoked_by_its_id(clause: Clause) -> None:
    assert "opens nothing any more" in clause("keys", "revoke", "01K").out
    assert json.loads(clause("keys", "revoke", "01K", "--json").out)["revoked_at"]
    assert clause("keys", "revoke", "02K").code == 1


def test_a_key_is_given_a_new_secret_by_its_id(clause: Clause, asked: list[Any]) -> None:
    assert clause("keys", "rotate", KEY.id).out == "clause_01K_another\n"
    assert json.loads(clause("keys", "rotate", KEY.id, "--overlap-hours", "2", "--json").out)["id"] == KEY.id
    assert [overlap.total_seconds() for _, overlap in asked] == [0, 7200]
