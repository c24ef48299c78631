from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import BadInputError, ForbiddenError
from clause.graph.scopes import Caller, example_questions, known_scopes, parse_scope, readable_scopes, scope_of
from clause.text.names import readable_relation

IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,20}", fullmatch=True)


@given(IDS, IDS)
def test_every_form_keeps_its_text_and_gives_its_parts(user: str, session: str):
    both = parse_scope(f"user:{user}/session:{session}")
    assert (both.user, both.session, both.knowledge_graph) == (user, session, None)
    assert parse_scope(f"session:{session}").session == session
    assert parse_scope(f"kg:{user}").knowledge_graph == user
    assert str(both) == f"user:{user}/session:{session}"
    assert scope_of(user, session) == both.text


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "kg:",
        "user:",
        "user:a/",
        "user:a/session:",
        "kg:a b",
        "kg:a'b",
        "Public",
        "kg:a\n",
        "x:y",
        "kg:" + "a" * 129,
    ],
)
def test_a_malformed_scope_names_field_and_bound(bad: str):
    with pytest.raises(BadInputError) as caught:
        parse_scope(bad, field="scopes")
    assert caught.value.field == "scopes"
    assert "kg:<name>" in str(caught.value.bound)


def test_a_long_malformed_scope_is_shortened_in_the_message():
    with pytest.raises(BadInputError) as caught:
        parse_scope("?" * 10_000)
    assert len(str(caught.value)) < 300


def test_a_session_sees_itself_its_user_and_public():
    assert parse_scope("user:a/session:b").sees == ("user:a/session:b", "user:a", "public")
    assert parse_scope("session:b").sees == ("session:b", "public")
    assert parse_scope("user:a").sees == ("user:a", "public")
    assert parse_scope("public").sees == ("public",)


def test_the_owner_reads_all_that_is_known_and_public():
    assert Caller().resolve(None, ["kg:b", "kg:a"]) == ("kg:a", "kg:b", "public")
    assert Caller().may_write("kg:a")


def test_a_tenant_without_a_list_reads_only_its_own():
    caller = Caller(readable=("user:a",), writable=("user:a",))
    assert caller.resolve(None, ["kg:x", "user:a/session:1", "user:b"]) == ("user:a", "user:a/session:1")


def test_a_named_session_brings_its_user_and_public_where_they_may_be_read():
    assert Caller().resolve(["user:a/session:1"], []) == ("public", "user:a", "user:a/session:1")
    tenant = Caller(readable=("user:a/session:1",))
    assert tenant.resolve(["user:a/session:1"], []) == ("user:a/session:1",)


def test_a_named_knowledge_graph_is_read_alone():
    assert Caller().resolve(["kg:a", "kg:a"], ["kg:a", "kg:b"]) == ("kg:a",)


def test_an_unknown_scope_and_an_empty_list_are_bad_input():
    with pytest.raises(BadInputError, match="nothing is stored"):
        Caller().resolve(["kg:nope"], ["kg:a"])
    with pytest.raises(BadInputError, match="no scope"):
        Caller().resolve([], ["kg:a"])


def test_a_foreign_scope_is_forbidden_before_it_is_looked_up():
    caller = Caller(readable=("user:a",), writable=("user:a",))
    with pytest.raises(ForbiddenError):
        caller.resolve(["user:b"], [])
    with pytest.raises(ForbiddenError):
        caller.require_write("user:b/session:1")
    assert caller.require_write("user:a/session:1") == "user:a/session:1"
    with pytest.raises(BadInputError):
        caller.require_write("nonsense")


@given(IDS, IDS)
def test_no_user_covers_another_user_whose_name_begins_alike(user: str, suffix: str):
    assert not Caller(readable=(f"user:{user}",)).may_read(f"user:{user}{suffix}")


class Holding:
    """A graph that holds something in two scopes; counts how often it is asked for them."""

    def __init__(self) -> None:
        self.asked = 0

    async def run(self, name: str, *, ids: Sequence[str] | None = None) -> list[dict[str, str]]:
        assert name == ("graph/scopes" if ids is None else "graph/named_scopes")
        self.asked += 1
        return [{"id": one} for one in ("kg:films", "user:ann") if ids is None or one in ids]


async def test_a_read_that_names_no_scope_covers_all_that_the_caller_may_read():
    graph: Any = Holding()
    assert await known_scopes(graph) == ["kg:films", "user:ann"]
    assert await readable_scopes(graph, Caller()) == ("kg:films", "public", "user:ann")
    assert await readable_scopes(graph, Caller(("user:ann",), ())) == ("user:ann",)


async def test_a_named_scope_need_not_hold_anything_unless_it_must():
    graph: Any = Holding()
    assert await readable_scopes(graph, Caller(), ["kg:empty"]) == ("kg:empty",)
    assert graph.asked == 0
    with pytest.raises(BadInputError, match="nothing is stored"):
        await readable_scopes(graph, Caller(), ["kg:empty"], stored=True)
    assert await readable_scopes(graph, Caller(), ["kg:films"], stored=True) == ("kg:films",)


@pytest.mark.parametrize("stored", [False, True])
async def test_a_named_scope_of_somebody_else_is_refused(stored: bool):
    graph: Any = Holding()
    with pytest.raises(ForbiddenError):
        await readable_scopes(graph, Caller(("user:bob",), ()), ["user:ann"], stored=stored)


def test_a_write_goes_to_the_named_scope_or_home_and_nowhere_else():
    ann = Caller(("user:ann",), ("user:ann",))
    assert (ann.target(None, "public"), ann.target("user:ann/session:1", "public")) == (
        "user:ann",
        "user:ann/session:1",
    )
    with pytest.raises(ForbiddenError):
        ann.target("public", "public")
    with pytest.raises(BadInputError):
        Caller().target("nowhere", "public")


async def test_examples_ask_for_classes_last():
    class Holding:
        async def run(self, name: str, **given: Any) -> list[dict[str, str]]:
            assert (name, given["scope"]) == ("graph/triples_of_scope", "kg:boats")
            said = (("Tern", "is_a", "Boat"), ("Tern", "yr built", "1911"), ("Skua", "is_a", "Boat"))
            return [dict(zip(("head", "relation", "tail"), triple, strict=True)) for triple in said]

    graph: Any = Holding()
    asked = await example_questions(graph, "kg:boats", readable_relation)
    assert asked == ["What is the year built of Tern?", "Skua is a what?"]
