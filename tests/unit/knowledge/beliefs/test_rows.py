"""Texts, sources and properties of beliefs, without a graph."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from clause.graph.scopes import scope_token
from clause.knowledge.beliefs.beliefs import advice, corroborations
from clause.knowledge.beliefs.confidence import STARTS, WEIGHTS, overall, start_of
from clause.knowledge.beliefs.models import (
    BeliefCreate,
    ConfidenceDimensions,
    ConfidenceGiven,
    SourcedStatement,
    SourceGiven,
    millis,
    unpacked,
)
from clause.knowledge.beliefs.origins import evidence, new_source, provenance, source_words
from clause.knowledge.beliefs.queries import recency, semantic, words_of
from clause.knowledge.beliefs.query_models import BeliefQuery, RankingWeights
from clause.knowledge.beliefs.rows import (
    as_recorded,
    belief_of,
    content_hash,
    dimensions_of,
    live_hash,
    new_belief,
    normalised,
    recorded_token,
    settling,
    short_name,
    starting_dimensions,
)
from clause.knowledge.beliefs.supersession import inherited
from clause.knowledge.tension_detection import TensionResolve

AT = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = {"id": "src_1", "kind": "document"}


def made(**more: Any) -> dict[str, Any]:
    given = BeliefCreate(**{"content": "tea is ready", **more})
    proof = provenance(given, SOURCE, "p1", scope="user:ann", at=AT)
    return new_belief(given, "b1", SOURCE, proof, scope="user:ann", model="m", at=AT)


@given(st.text(max_size=200))
def test_normalising_twice_changes_nothing_and_the_hash_ignores_blanks(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
    assert content_hash(f"  {text}\n") == content_hash(text)


@given(st.text(min_size=1, max_size=300).filter(normalised))
def test_a_name_is_short_and_the_beginning_of_its_text(text: str) -> None:
    assert 0 < len(short_name(text)) <= 80
    assert normalised(text).startswith(short_name(text))


def test_the_live_hash_tells_valid_times_apart() -> None:
    assert len({live_hash("a", None, None), live_hash("a", AT, None), live_hash("a", None, AT)}) == 3


@given(
    st.datetimes(
        min_value=AT.replace(tzinfo=None),
        timezones=st.just(UTC),
        max_value=(AT + timedelta(days=99_999)).replace(tzinfo=None),
    ),
    st.timedeltas(timedelta(0), timedelta(9)),
)
def test_instants_as_digits_sort_like_instants(at: datetime, more: timedelta) -> None:
    assert recorded_token(at) <= recorded_token(at + more)


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": ""},
        {"content": " \x00 "},
        {"content": "x" * 10_001},
        {"content": "a", "valid_from": AT, "valid_until": AT},
        {"content": "a", "automatic": True},
        {"content": "a", "source_id": "s", "source": {"kind": "document"}},
        {"content": "a", "signal": "shouting"},
        {"content": "a", "confidence": {"overall": 0.5}},
        {"content": "a", "valid_from": "2026-01-01T00:00:00"},
        {"content": "a", "stage": "established"},
    ],
)
def test_a_statement_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        BeliefCreate.model_validate(wrong)


def test_other_requests_refuse_nonsense_too() -> None:
    with pytest.raises(ValidationError):
        RankingWeights(semantic=0, confidence=0, recency=0)
    with pytest.raises(ValidationError):
        BeliefQuery(query="")
    with pytest.raises(ValidationError):
        TensionResolve.model_validate({"action": "forget_both"})


@pytest.mark.parametrize("signal", STARTS)
def test_a_new_belief_starts_at_its_signal(signal: Any) -> None:
    assert made(signal=signal)["overall"] == pytest.approx(STARTS[signal], abs=1e-9)


@given(
    st.fixed_dictionaries({name: st.one_of(st.none(), st.floats(0, 1)) for name in ConfidenceGiven.model_fields}),
    st.sampled_from([*STARTS]),
    st.sampled_from(["document", "inference"]),
)
def test_given_dimensions_lower_a_belief_and_never_lift_it(
    shares: dict[str, float | None], signal: Any, kind: str
) -> None:
    said = BeliefCreate(content="a", confidence=ConfidenceGiven(**shares), signal=signal)
    found = starting_dimensions(said, kind)
    assert all(found[name] <= value for name, value in shares.items() if value is not None)  # type: ignore[operator]
    assert overall(found) <= start_of(signal, kind) + 1e-9
    unclaimed = {**found, "corroboration": None}
    assert overall(unclaimed) <= start_of(signal, kind) + 1e-9


def test_a_new_belief_carries_its_first_entry_of_history() -> None:
    belief = made(decay="hour")
    (first,) = unpacked(belief["history"])
    assert (first.at, first.confirmed_at) == (millis(AT), millis(AT))
    assert first.dimensions == {name: belief[f"c_{name}"] for name in WEIGHTS}
    assert (first.sources, first.open_tensions, first.statements, first.ceiling) == (1, 0, 1, None)
    assert belief["scope_token"] == scope_token("user:ann")
    later = AT + timedelta(hours=1)
    assert dimensions_of(belief, later).temporal_freshness == pytest.approx(0.5)
    assert belief_of(belief, [], later).confidence.overall < belief_of(belief, [], AT).confidence.overall


def test_a_ceiling_caps_what_is_derived() -> None:
    assert dimensions_of({**made(), "ceiling": 0.2}, AT).overall == 0.2


def test_the_past_knows_nothing_of_what_came_later() -> None:
    belief = made(valid_until=AT + timedelta(days=900))
    (first,) = unpacked(belief["history"])
    later = replace(first, at=millis(AT + timedelta(days=1)), sources=3.0, open_tensions=1.0, statements=4.0)
    belief = {
        **belief,
        "history": [*belief["history"], *later.packed()],
        "superseded_at": AT + timedelta(days=2),
        "superseded_by_id": "b2",
        "valid_until": AT + timedelta(days=2),
        "archived_at": AT + timedelta(days=3),
        "retracted_at": AT + timedelta(days=4),
    }
    assert as_recorded(belief, AT - timedelta(days=1)) is None
    seen = [as_recorded(belief, AT + timedelta(days=days, hours=1)) for days in range(5)]
    assert [one and one["status"] for one in seen] == ["active", "disputed", "superseded", "archived", "retracted"]
    assert [one and one["sources"] for one in seen] == [1, 3, 3, 3, 3]
    assert [one and one["stage"] for one in seen][:2] == ["tentative", "emerging"]
    assert [one and one["superseded_by_id"] for one in seen] == [None, None, "b2", "b2", "b2"]
    assert seen[1] is not None
    assert seen[1]["valid_until"] == AT + timedelta(days=900)


def test_settling_takes_each_belief_once_and_in_one_order() -> None:
    name, asked = settling(["b", "a", "b"], ("user:ann",), AT)
    assert (name, asked["ids"]) == ("knowledge/settle", ["a", "b"])


def test_a_source_is_known_by_what_it_is_and_a_session_by_its_id() -> None:
    def source_id(**more: Any) -> str:
        return str(new_source(SourcedStatement(**more), "user:ann", AT)["id"])

    assert source_id() == source_id()
    assert len({source_id(), source_id(session_id="1"), source_id(source=SourceGiven(title="a"))}) == 3
    assert source_id(source=SourceGiven(title="a"), session_id="1") == source_id(source=SourceGiven(title="a"))
    assert new_source(SourcedStatement(session_id="1"), "user:ann", AT)["kind"] == "conversation"


def test_copies_of_one_upstream_share_their_origin() -> None:
    said = [SourcedStatement(source=SourceGiven(title=title, upstream="wire")) for title in ("a", "b")]
    sources = [new_source(one, "user:ann", AT) for one in said]
    proofs = [provenance(one, source, "p", scope="s", at=AT) for one, source in zip(said, sources, strict=True)]
    assert sources[0]["id"] != sources[1]["id"]
    assert [proof["origin"] for proof in proofs] == ["wire", "wire"]
    told = evidence("a\x00b", "b1", proofs[0], model="hash")
    assert (told["text"], told["embedding_model"]) == ("ab", "hash")
    assert source_words({"title": "The Times", "uri": "https://a.org/sports"}) == {"the", "times", "sports"}


@given(st.floats(-1, 1), st.text(max_size=40), st.text(max_size=40))
def test_nearness_stays_a_share_and_never_falls_below_the_cosine(similarity: float, asked: str, said: str) -> None:
    found = semantic(similarity, words_of(asked), said)
    assert max(0.0, similarity) - 1e-12 <= found <= 1.0
    assert found >= semantic(similarity, words_of(asked), "") - 1e-12


def test_recency_falls_by_a_hundredth_a_day() -> None:
    assert recency(AT, AT + timedelta(days=1)) == pytest.approx(0.990049833749168)
    assert recency(AT + timedelta(days=1), AT) == 1.0


def test_advice_comes_at_its_bounds() -> None:
    low = {"source_reliability": 0.49, "corroboration": 0.29, "temporal_freshness": 0.49, "internal_consistency": 0.49}
    high = {name: value + 0.01 for name, value in low.items()}
    assert len(advice(ConfidenceDimensions(**low, overall=0.5))) == 4
    assert advice(ConfidenceDimensions(**high, overall=0.5)) == ()


def test_corroborations_are_the_sources_besides_the_first() -> None:
    told = corroborations(belief_of({**made(), "sources": 5}, [], AT), [])
    assert (told.corroborations, told.label) == (4, "well corroborated")


def test_what_supersedes_may_bring_its_own_source_or_keep_the_old_one() -> None:
    from clause.knowledge.beliefs.models import BeliefSupersede

    old = {**made(), "source_id": "src_old"}
    assert inherited(BeliefSupersede(content="a"), old).source_id == "src_old"
    assert inherited(BeliefSupersede(content="a", source=SourceGiven(title="b")), old).source_id is None
    assert inherited(BeliefSupersede(content="a", session_id="s"), old).source_id is None
    assert inherited(BeliefSupersede(content="a", signal="mention"), old).confidence is None
