"""Which near beliefs are the same, which contradict: over rows, without a graph."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.knowledge.beliefs.candidates import Newcomer, compatible, judge, pair_key
from clause.knowledge.beliefs.rows import content_hash
from clause.knowledge.tension_detection import Held, detect, overlap, severity

VECTOR = np.ones(384, dtype=np.float32) / np.sqrt(384).astype(np.float32)
YEARS = {number: datetime(number, 1, 1, tzinfo=UTC) for number in range(2010, 2014)}
INSTANTS = st.one_of(st.none(), st.sampled_from([*YEARS.values()]))
SPANS = st.tuples(INSTANTS, INSTANTS).filter(lambda span: None in span or span[0] < span[1])


def newcomer(content: str, **more: Any) -> Newcomer:
    return Newcomer(Held(content, 0.8, **more), "user:ann", content_hash(content), VECTOR)


def row(content: str, similarity: float, **more: Any) -> dict[str, Any]:
    return {
        "id": f"b:{content}", "content": content, "content_hash": content_hash(content), "similarity": similarity,
        "valid_from": None, "valid_until": None, "domain_path": [], "overall": 0.8, "subjects": [], "recalled_in": [],
        "told_to": [], "embedding": VECTOR, "held": True, **more,
    }  # fmt: skip


def test_the_same_words_are_the_same_belief() -> None:
    found = judge(newcomer("Ann has a car"), [row("Ann has a car", 1.0, recalled_in=["s1"])])
    assert (found.same, found.exact, found.told["recalled_in"]) == ("b:Ann has a car", True, ["s1"])
    assert found.contradictions == {}


def test_who_said_the_same_and_is_held_no_longer_is_remembered_and_never_the_same() -> None:
    found = judge(newcomer("Ann has a car"), [row("Ann has a car", 1.0, held=False)])
    assert (found.same, found.verdicts, found.repeats) == (None, (), ("b:Ann has a car",))


def test_a_paraphrase_is_the_same_and_a_contradiction_never_is() -> None:
    found = judge(
        newcomer("Ann rides a bike to work"),
        [row("Ann does not ride a bike to work", 0.97), row("Ann rides a bicycle to work", 0.95)],
    )
    assert (found.same, found.exact) == ("b:Ann rides a bicycle to work", False)
    assert list(found.contradictions) == ["b:Ann does not ride a bike to work"]
    assert [(verdict.same, verdict.reasons) for verdict in found.verdicts] == [(False, ("negation",)), (True, ())]


def test_a_belief_that_is_not_near_is_not_even_looked_at_as_a_duplicate() -> None:
    found = judge(newcomer("Ann rides a bike"), [row("Ann rides a bicycle", 0.90)])
    assert (found.same, found.verdicts) == (None, ())


def test_valid_times_that_differ_keep_the_same_words_apart() -> None:
    spans = {"valid": (YEARS[2010], YEARS[2011])}
    found = judge(
        newcomer("the shop is in Rome", **spans),
        [row("the shop is in Rome", 1.0, valid_from=YEARS[2012])],
    )
    assert found.same is None
    assert found.verdicts[0].reasons == ("valid times differ",)


def test_without_vectors_the_rules_alone_speak() -> None:
    found = judge(newcomer("The car is red"), [row("The car is blue", 0.86, embedding=None)])
    assert list(found.contradictions) == ["b:The car is blue"]


RED, BLUE = Held("The car is red", 0.9), Held("The car is blue", 0.9)


@pytest.mark.parametrize(
    ("a", "b", "similarity", "kind"),
    [
        (RED, BLUE, 0.9, "contradiction"),
        (RED, BLUE, 0.45, "contradiction"),
        (RED, BLUE, 0.4, None),
        (
            Held("The car is red", 0.9, frozenset("e")),
            Held("The car is blue", 0.9, frozenset("e")),
            0.7,
            "contradiction",
        ),
        (Held("The car is red", 0.9, frozenset("e")), Held("The car is blue", 0.9, frozenset("f")), 0.7, None),
        (
            Held("The fair is in May 2024", 0.9),
            Held("The fair is in June 2024", 0.9),
            0.95,
            "temporal_conflict",
        ),
        (Held("Ann was born in 1990", 0.9), Held("Ann was born in 1991", 0.9), 0.95, "temporal_conflict"),
        (Held("The bag costs 1990 euros", 0.9), Held("The bag costs 1991 euros", 0.9), 0.95, "contradiction"),
        (
            Held("The car is red", 0.9, domain_path=("a",)),
            Held("The car is blue", 0.9, domain_path=("b",)),
            0.9,
            "scope_conflict",
        ),
        (
            Held("The car is red", 0.9, valid=(YEARS[2010], YEARS[2012])),
            Held("The car is blue", 0.9, valid=(YEARS[2011], YEARS[2013])),
            0.9,
            "partial_overlap",
        ),
        (
            Held("The car is red", 0.9, valid=(YEARS[2010], YEARS[2011])),
            Held("The car is blue", 0.9, valid=(YEARS[2011], None)),
            0.9,
            None,
        ),
        (Held("The car is red", 0.9), Held("The lamp is red", 0.9), 0.9, None),
    ],
)
def test_contradictions_have_their_kinds(a: Held, b: Held, similarity: float, kind: str | None) -> None:
    for found in (detect(a, b, similarity), detect(b, a, similarity)):
        assert (found and found.kind) == kind


def test_what_may_hold_in_its_own_domain_is_milder() -> None:
    plain = detect(RED, BLUE, 0.9)
    milder = detect(
        Held("The car is red", 0.9, domain_path=("a",)), Held("The car is blue", 0.9, domain_path=("b",)), 0.9
    )
    assert plain is not None
    assert milder is not None
    assert (plain.severity, milder.severity) == ("critical", "high")


@given(st.floats(0, 1), st.floats(0, 1))
def test_severity_rises_with_the_weight(one: float, other: float) -> None:
    steps = ["low", "medium", "high", "critical"]
    low, high = sorted((one, other))
    assert steps.index(severity(low)) <= steps.index(severity(high))
    assert steps.index(severity(low, milder=True)) <= steps.index(severity(low))


@given(SPANS, SPANS)
def test_overlap_and_compatibility_do_not_depend_on_the_order(first: Any, second: Any) -> None:
    assert overlap(first, second) == overlap(second, first)
    assert compatible(first, second) == compatible(second, first)
    assert not compatible(first, second) or overlap(first, second)
    assert compatible(first, (None, None))


@given(st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5))
def test_a_pair_has_one_key(first: str, second: str) -> None:
    assert pair_key(first, second) == pair_key(second, first)


def test_what_no_rule_sees_contradicts_by_its_meaning() -> None:
    held = row("There's about nine thousand in the savings account.", 0.6)
    found = judge(newcomer("The savings account is empty."), [held])
    assert found.contradictions[held["id"]].signals == ("meaning",)


@pytest.mark.parametrize(
    "other",
    [
        row("There's about nine thousand in the savings account.", 0.3),
        row(
            "There's about nine thousand in the savings account.", 0.6, valid_from=YEARS[2010], valid_until=YEARS[2011]
        ),
        row("The savings account was opened in May.", 0.6),
    ],
)
def test_what_is_far_away_or_past_or_goes_together_does_not(other: dict[str, Any]) -> None:
    held = newcomer("The savings account is empty.", valid=(YEARS[2012], None))
    assert judge(held, [other]).contradictions == {}


def test_what_is_said_again_in_the_same_words_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def unread(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("clause.knowledge.beliefs.candidates.read_beside", unread)
    rows = [row("The savings account is empty.", 1.0), row("There's about nine thousand in the savings account.", 0.6)]
    assert judge(newcomer("The savings account is empty."), rows).exact
