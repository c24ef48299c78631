"""Experiences as models: axes, tiers, what a falsified one has to say, warnings within their budget."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from clause.errors import BadInputError, OutOfBoundsError
from clause.text.tokens import count_tokens
from clause.values.axes import (
    Axis,
    axis_texts,
    entry_of,
    micros,
    number_of,
    parse_cluster_id,
    properties_of,
    told_text,
    value_id,
)
from clause.values.experiences import premortem
from clause.values.ghap import ResolveGhap, RootCause, StartGhap, Tier, UpdateGhap, tier_weight
from clause.values.models import Value
from tests.contract.vector_store_checks import axis_vector
from tests.shapes_of_values import resolved_entry


def resolving(status: str = "confirmed", **more: object) -> ResolveGhap:
    return ResolveGhap.model_validate({"status": status, "result": "so it was", **more})


def test_a_falsified_experience_has_four_axes_and_others_two() -> None:
    assert set(axis_texts(resolved_entry("public"))) == set(Axis)
    for outcome in ("confirmed", "abandoned"):
        assert set(axis_texts(resolved_entry("public", outcome=outcome))) == {Axis.FULL, Axis.STRATEGY}


def test_each_axis_tells_its_own() -> None:
    texts = axis_texts(resolved_entry("public"))
    assert "Goal: make the import pass" in texts[Axis.FULL]
    assert texts[Axis.STRATEGY].startswith("Strategy: check-assumptions")
    assert "Unexpected: the header repeats" in texts[Axis.SURPRISE]
    assert "Cause: nobody looked" in texts[Axis.ROOT_CAUSE]
    assert "Goal:" not in told_text(resolved_entry("public"))


@pytest.mark.parametrize(
    ("request_", "tier"),
    [
        (resolving(auto_captured=True), Tier.GOLD),
        (resolving(), Tier.SILVER),
        (resolving(confidence_tier="bronze"), Tier.BRONZE),
        (resolving(auto_captured=True, confidence_tier="silver"), Tier.SILVER),
        (resolving("abandoned", auto_captured=True), Tier.ABANDONED),
    ],
)
def test_the_tier_says_how_the_outcome_was_captured(request_: ResolveGhap, tier: Tier) -> None:
    assert request_.tier() is tier


@pytest.mark.parametrize(
    "request_", [resolving(confidence_tier="gold"), resolving("abandoned", confidence_tier="bronze")]
)
def test_a_tier_beyond_the_outcome_is_refused(request_: ResolveGhap) -> None:
    with pytest.raises(OutOfBoundsError):
        request_.tier()


def test_weights_go_by_tier_and_a_missing_one_counts_half() -> None:
    assert [tier_weight(tier) for tier in ("gold", "silver", "bronze", "abandoned", None)] == [1.0, 0.8, 0.5, 0.2, 0.5]


def test_falsified_needs_surprise_and_root_cause() -> None:
    cause = RootCause(category="oversight", description="nobody looked")
    with pytest.raises(OutOfBoundsError, match="surprise"):
        resolving("falsified", root_cause=cause).require_reasons()
    with pytest.raises(OutOfBoundsError, match="root_cause"):
        resolving("falsified", surprise="odd").require_reasons()
    resolving("falsified", surprise="odd", root_cause=cause).require_reasons()
    resolving().require_reasons()


def test_blank_or_unknown_input_is_refused() -> None:
    whole = dict.fromkeys(("domain", "strategy", "goal", "hypothesis", "action", "prediction"), "x")
    with pytest.raises(ValidationError):
        StartGhap.model_validate({**whole, "goal": "  "})
    with pytest.raises(ValidationError):
        StartGhap.model_validate({**whole, "gaol": "typo"})
    with pytest.raises(ValidationError, match="at least one"):
        UpdateGhap()


def test_an_entry_survives_its_way_through_properties() -> None:
    for entry in (resolved_entry("user:ann"), resolved_entry("user:ann", outcome="confirmed", lesson=None)):
        assert entry_of({"entry": {**properties_of(entry), "id": entry.id}, "entities": []}) == entry


def test_an_open_entry_holds_its_sessions_key() -> None:
    entry = resolved_entry("user:ann", session_id="7", confidence_tier=None).model_copy(update={"outcome": None})
    assert properties_of(entry)["open_key"] == "user:ann#7"
    assert properties_of(resolved_entry("user:ann", session_id="7"))["open_key"] is None


@given(st.sampled_from([*Axis]), st.integers(0, 999), st.integers(0, 4_000_000_000_000_000))
def test_a_values_id_gives_its_number_back(axis: Axis, label: int, number: int) -> None:
    assert number_of(value_id(axis.value, label, number)) == number


@pytest.mark.parametrize(
    "text", ["value_full_0_x", "value_domain_0_20260501T120000000000Z", "value_full_0_20261399T120000000000Z"]
)
def test_other_texts_are_no_values_ids(text: str) -> None:
    with pytest.raises(BadInputError):
        number_of(text)


def test_a_cluster_id_is_taken_apart() -> None:
    assert parse_cluster_id("surprise_3@01JD").of_run("X") == "surprise_3@X"
    assert parse_cluster_id("full_0").run_id is None


def value(text: str, place: int, number: int = 0) -> Value:
    return Value(
        id=value_id("full", 0, 1_777_000_000_000_000 + number), text=text, cluster_id="full_0@X", axis="full",
        embedding=axis_vector(place), cluster_size=5, created_at="2026-05-01T12:00:00+00:00",
    )  # fmt: skip


def test_the_nearest_values_warn_first_within_the_budget() -> None:
    values = [value("far", 9, 1), value("near", 0, 2), value("long " * 2000, 0, 3)]
    found = premortem(axis_vector(0, 0.1), values)
    assert [warning.text for warning in found.warnings] == ["near", "far"]
    assert found.left_out == 1
    assert 0 < found.tokens <= 1500


@given(st.lists(st.text(min_size=1, max_size=400), min_size=0, max_size=40))
def test_warnings_never_exceed_their_tokens(texts: list[str]) -> None:
    found = premortem(axis_vector(0), [value(text, i % 9, i) for i, text in enumerate(texts)])
    shown = json.dumps([warning.model_dump() for warning in found.warnings], ensure_ascii=False, separators=(",", ":"))
    assert count_tokens("\n".join(warning.text for warning in found.warnings)) <= 1500
    assert count_tokens(shown) <= 1500
    assert len(found.warnings) + found.left_out == len(texts)


def test_no_values_no_warnings() -> None:
    found = premortem(np.ones(384, dtype=np.float32), [])
    assert (found.warnings, found.tokens, found.left_out) == ((), 0, 0)


def test_an_instant_in_microseconds() -> None:
    from datetime import UTC, datetime

    assert micros(datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)) % 1_000_000 == 123456
