"""The public models: names, fields, bounds and examples of seed 004, and what was added to them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from clause.reasoning import models
from clause.text.fields import readable

SEED_MODELS = [
    "PathNavigationRequest",
    "PathStep",
    "PathNavigationResponse",
    "ContextCurationRequest",
    "TrustSignals",
    "ProvenanceMetadata",
    "SelectedEvidence",
    "ContextCurationResponse",
    "BudgetAllocation",
    "LambdaParameters",
    "CoordinationRequest",
    "AgentHandoff",
    "CoordinationResponse",
    "BasinContext",
    "ThoughtSeed",
    "CuriosityTrigger",
    "CausalIntervention",
    "StateEncoding",
    "BudgetUsage",
]
FIRST_PHASE = ["SubgraphRequest", "SubgraphResponse", "EdgeScore"]
PUBLIC: list[type[BaseModel]] = [getattr(models, name) for name in [*SEED_MODELS, *FIRST_PHASE]]
NAVIGATE: dict[str, Any] = {"query": "What causes rain?", "start_node": "rain"}
COORDINATE: dict[str, Any] = {"query": "What causes rain?", "budgets": {}}
CURATE: dict[str, Any] = {"evidence_pool": ["Rain falls."]}
HANDOFF = {"step": 1, "agent": "PathNavigator", "action": "walked", "budget_used": {"steps": 1}, "latency_ms": 1.0}
SEED_FIELDS = {
    "PathStep": {"step", "from_node", "to_node", "relation", "action", "causal_score", "thoughtseed_id"},
    "PathNavigationResponse": {"path", "metadata", "performance"},
    "ContextCurationResponse": {"selected_evidence", "metadata", "performance"},
    "TrustSignals": {"reputation_score", "recency_score", "semantic_consistency"},
    "SelectedEvidence": {"text", "tokens", "score", "shaped_utility", "provenance"} | {"node", "edge", "source_id"},
    "BudgetAllocation": {"edge_budget", "step_budget", "token_budget"},
    "LambdaParameters": {"edge", "latency", "token"},
    "AgentHandoff": {"step", "agent", "action", "budget_used", "latency_ms"},
    "BasinContext": {"strength", "activation_count", "co_occurring"},
    "CausalIntervention": {"intervention_node", "target_node", "intervention_score", "computation_time_ms"},
}


def test_there_are_22_public_models() -> None:
    assert len(PUBLIC) == len(set(PUBLIC)) == 22
    assert set(models.__all__) >= {model.__name__ for model in PUBLIC}
    assert models.__all__ == sorted(models.__all__)


@pytest.mark.parametrize("name", SEED_FIELDS)
def test_models_that_were_not_extended_have_the_fields_of_the_seed(name: str) -> None:
    assert set(getattr(models, name).model_fields) == SEED_FIELDS[name]


@pytest.mark.parametrize("model", [model for model in PUBLIC if model.model_config.get("json_schema_extra")])
def test_every_example_is_valid_and_survives_a_round_trip(model: type[BaseModel]) -> None:
    example = model.model_config["json_schema_extra"]["example"]  # type: ignore[index,call-overload]
    read = model.model_validate(example)
    assert model.model_validate_json(read.model_dump_json()) == read


@pytest.mark.parametrize("model", PUBLIC)
def test_every_model_is_frozen_closed_and_described(model: type[BaseModel]) -> None:
    assert model.model_config["frozen"] is True
    assert model.model_config["extra"] == "forbid"
    assert (model.__doc__ or "").strip()
    schema = model.model_json_schema()
    assert all("description" in field or "$ref" in field or "allOf" in field for field in schema["properties"].values())


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="edge_bugdet"):
        models.BudgetAllocation(edge_bugdet=20)  # type: ignore[call-arg]


def test_defaults_are_those_of_the_seed() -> None:
    request = models.CoordinationRequest(**COORDINATE)
    assert request.budgets.model_dump() == {"edge_budget": 50, "step_budget": 10, "token_budget": 2048}
    assert request.lambdas.model_dump() == {"edge": 0.01, "latency": 0.01, "token": 0.01}
    flags = (request.enable_thoughtseeds, request.enable_curiosity, request.enable_causal, request.enable_provenance)
    assert flags == (True, True, True, True)
    assert (request.max_rounds, request.curiosity_threshold, request.record) == (1, 0.7, True)
    assert (request.start_nodes, request.scopes, request.policy) == (None, None, None)
    walk = models.PathNavigationRequest(**NAVIGATE)
    assert (walk.step_budget, walk.curiosity_threshold, walk.enable_causal) == (10, 0.7, True)
    curate = models.ContextCurationRequest(**CURATE)
    assert (curate.token_budget, curate.lambda_tok, curate.enable_provenance, curate.query) == (2048, 0.01, True, None)
    build = models.SubgraphRequest(query="What causes rain?")
    assert (build.edge_budget, build.lambda_edge, build.hop_distance, build.min_edge_score) == (50, 0.01, 2, 0.3)


def test_budgets_of_a_coordination_are_required() -> None:
    with pytest.raises(ValidationError, match="budgets"):
        models.CoordinationRequest(query="What causes rain?")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("model", "valid", "field", "below", "low", "high", "above"),
    [
        (models.BudgetAllocation, {}, "edge_budget", 9, 10, 200, 201),
        (models.BudgetAllocation, {}, "step_budget", 0, 1, 20, 21),
        (models.BudgetAllocation, {}, "token_budget", 99, 100, 8192, 8193),
        (models.LambdaParameters, {}, "edge", -0.1, 0, 1, 1.1),
        (models.LambdaParameters, {}, "latency", -0.1, 0, 1, 1.1),
        (models.LambdaParameters, {}, "token", -0.1, 0, 1, 1.1),
        (models.PathNavigationRequest, NAVIGATE, "step_budget", 0, 1, 20, 21),
        (models.PathNavigationRequest, NAVIGATE, "curiosity_threshold", -0.1, 0, 1, 1.1),
        (models.ContextCurationRequest, CURATE, "token_budget", 99, 100, 8192, 8193),
        (models.ContextCurationRequest, CURATE, "lambda_tok", -0.1, 0, 1, 1.1),
        (models.SubgraphRequest, {"query": "rain"}, "edge_budget", 0, 1, 1000, 1001),
        (models.SubgraphRequest, {"query": "rain"}, "hop_distance", 0, 1, 5, 6),
        (models.CoordinationRequest, COORDINATE, "max_rounds", 0, 1, 5, 6),
        (models.BasinContext, {"activation_count": 0, "co_occurring": {}}, "strength", 0.9, 1, 2, 2.1),
    ],
)
def test_bounds_hold_on_both_sides(
    model: type[BaseModel], valid: dict[str, Any], field: str, below: float, low: float, high: float, above: float
) -> None:
    for inside in (low, high):
        assert getattr(model(**{**valid, field: inside}), field) == inside
    for outside in (below, above, float("nan"), float("inf")):
        with pytest.raises(ValidationError, match=field):
            model(**{**valid, field: outside})


@pytest.mark.parametrize("text", ["", "ab", "   ", "\x00\x00\x00", "\t\n\u200b\x07", "\ud800abc", "x" * 10_001])
def test_a_query_must_say_something(text: str) -> None:
    for model, valid in (
        (models.PathNavigationRequest, NAVIGATE),
        (models.ContextCurationRequest, CURATE),
        (models.CoordinationRequest, COORDINATE),
        (models.SubgraphRequest, {}),
    ):
        with pytest.raises(ValidationError, match="query"):
            model(**{**valid, "query": text})


@pytest.mark.parametrize("text", ["abc", "雨は何故", "مطر؟", "🌧️?!", "a\x00b", "x" * 10_000])
def test_any_script_is_a_query(text: str) -> None:
    assert models.SubgraphRequest(query=text).query == text


@pytest.mark.parametrize("pool", [[], [""], ["  "], ["\x00"], ["fine", "x" * 10_001]])
def test_a_pool_needs_texts(pool: list[str]) -> None:
    with pytest.raises(ValidationError, match="evidence_pool"):
        models.ContextCurationRequest(evidence_pool=pool)


def test_instants_must_have_a_zone_and_become_utc() -> None:
    with pytest.raises(ValidationError, match="as_of_valid"):
        models.CoordinationRequest(**COORDINATE, as_of_valid=datetime(2026, 1, 1))  # noqa: DTZ001
    there = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    read = models.CoordinationRequest(**COORDINATE, as_of_recorded=there).as_of_recorded
    assert read is not None
    assert (read, read.tzinfo) == (datetime(2026, 1, 1, tzinfo=UTC), UTC)


def test_default_instants_are_aware() -> None:
    seed = models.ThoughtSeed(
        id="1",
        concept="rain",
        source_doc="d",
        basin_context=models.BasinContext(strength=1.0, activation_count=0, co_occurring={}),
    )
    trigger = models.CuriosityTrigger(trigger_type="prediction_error", concept="rain", error_magnitude=0.8)
    assert seed.created_at.tzinfo is UTC
    assert trigger.timestamp.tzinfo is UTC
    assert (seed.similarity_threshold, trigger.investigation_status) == (0.8, "queued")


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (models.PathStep, {"step": 1, "from_node": "a", "to_node": "b", "relation": "r", "action": "JUMP"}),
        (models.CuriosityTrigger, {"trigger_type": "boredom", "concept": "c", "error_magnitude": 0.1}),
        (models.AgentHandoff, {**HANDOFF, "agent": "Somebody"}),
    ],
)
def test_words_outside_the_patterns_are_refused(model: type[BaseModel], values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="pattern"):
        model(**values)


def test_supporting_evidence_is_at_most_200_characters() -> None:
    example = models.ProvenanceMetadata.model_config["json_schema_extra"]["example"]  # type: ignore[index,call-overload]
    models.ProvenanceMetadata(**{**example, "supporting_evidence": "x" * 200})
    with pytest.raises(ValidationError, match="supporting_evidence"):
        models.ProvenanceMetadata(**{**example, "supporting_evidence": "x" * 201})


def test_provenance_may_be_null() -> None:
    assert (
        models.SelectedEvidence(text="a", tokens=1, score=0.5, shaped_utility=0.4, provenance=None).provenance is None
    )


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_coordination_has_exactly_three_handoffs(count: int) -> None:
    values = {"result": {}, "conflicts_detected": 0, "conflicts_resolved": 0, "performance": {}}
    assert len(models.CoordinationResponse(**values, agent_handoffs=[HANDOFF] * 3).agent_handoffs) == 3
    with pytest.raises(ValidationError, match="agent_handoffs"):
        models.CoordinationResponse(**values, agent_handoffs=[HANDOFF] * count)


@given(st.integers(1, 40))
def test_a_state_has_3d_plus_3_numbers(dimension: int) -> None:
    vector = [0.5] * dimension
    fields = {
        "query_embedding": vector, "node_embedding": vector, "node_degree": 7, "basin_strength": 1.5,
        "neighborhood_mean": vector, "budget_remaining": 0.25,
    }  # fmt: skip
    state = models.StateEncoding.model_validate(fields, context={"dimension": dimension})
    with pytest.raises(ValidationError, match="384 numbers"):
        models.StateEncoding.model_validate(fields)
    numbers = state.to_numpy()
    assert numbers.shape == (3 * dimension + 3,)
    assert np.isfinite(numbers).all()
    assert numbers[2 * dimension : 2 * dimension + 2].tolist() == [7.0, 1.5]
    assert numbers[-1] == 0.25


def test_the_default_state_has_1155_numbers_and_one_vector_length() -> None:
    values = {"node_degree": 1, "basin_strength": 1.0, "budget_remaining": 1.0}
    vector = [0.1] * 384
    state = models.StateEncoding(query_embedding=vector, node_embedding=vector, neighborhood_mean=vector, **values)
    assert state.to_numpy().shape == (1155,)
    with pytest.raises(ValidationError, match="384 numbers"):
        models.StateEncoding(query_embedding=vector, node_embedding=vector[1:], neighborhood_mean=vector, **values)
    with pytest.raises(ValidationError, match="finite"):
        models.StateEncoding(
            query_embedding=[float("nan"), *vector[1:]], node_embedding=vector, neighborhood_mean=vector, **values
        )


@given(st.integers(0, 300), st.integers(0, 30), st.integers(0, 9000))
def test_what_remains_of_a_budget_is_never_negative(edges: int, steps: int, tokens: int) -> None:
    usage = models.BudgetUsage(
        edge_used=edges, step_used=steps, token_used=tokens, edge_total=50, step_total=10, token_total=2048
    )
    assert usage.edge_remaining == max(0, 50 - edges)
    assert usage.step_remaining == max(0, 10 - steps)
    assert usage.token_remaining == max(0, 2048 - tokens)


def test_half_a_character_is_refused_with_its_place() -> None:
    with pytest.raises(ValueError, match="lone surrogate at character 2"):
        readable("ab\ud800")
