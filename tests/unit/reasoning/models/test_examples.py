"""The examples in the OpenAPI document have the shape of real answers: the same fields, in the same order."""

from __future__ import annotations

from typing import Any

import pytest

from clause.reasoning.models import (
    ContextCurationRequest,
    ContextCurationResponse,
    CoordinationResponse,
    PathNavigationRequest,
    PathNavigationResponse,
)
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import embedded_films
from tests.unit.reasoning.test_coordinator import OWNER, House, request


def shape(value: Any) -> Any:
    """Field names in their order, kinds of values, and the shape of a list's first element."""
    if isinstance(value, dict):
        return [(name, shape(inner)) for name, inner in value.items()]
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return type(value).__name__


def agrees(example: Any, real: Any) -> bool:
    """Whether two values have one shape; null and an empty list may stand for anything of their kind."""
    if example is None or real is None:
        return True
    if isinstance(example, dict) and isinstance(real, dict):
        return list(example) == list(real) and all(agrees(example[name], real[name]) for name in example)
    if isinstance(example, list) and isinstance(real, list):
        if not example or not real:
            return True
        pairs = zip(example, real, strict=True) if len(example) == len(real) else ((example[0], one) for one in real)
        return all(agrees(one, other) for one, other in pairs)
    return type(example) is type(real)


def example_of(model: type[Any]) -> Any:
    """What the schema of a model shows."""
    return model.model_config["json_schema_extra"]["example"]


@pytest.fixture
async def house() -> House:
    return House(await embedded_films(HashEmbedder()))


async def test_the_example_of_coordinate_is_what_is_returned(house: House) -> None:
    real = (await house.coordinator.coordinate(request(), OWNER)).model_dump(mode="json")
    assert real["result"]["answers"]
    assert real["result"]["evidence"]
    assert agrees(example_of(CoordinationResponse), real), shape(real)


async def test_the_example_of_navigate_is_what_is_returned(house: House) -> None:
    asked = PathNavigationRequest(query="Heat directed by", start_node="heat")
    real = (await house.agents.navigate(asked, OWNER)).model_dump(mode="json")
    assert real["path"]["steps"]
    assert agrees(example_of(PathNavigationResponse), real), shape(real)


async def test_the_example_of_curate_is_what_is_returned(house: House) -> None:
    asked = ContextCurationRequest(evidence_pool=["Heat is a crime film", "Ali is a drama"], query="crime films")
    real = (await house.agents.curate(asked, OWNER)).model_dump(mode="json")
    assert agrees(example_of(ContextCurationResponse), real), shape(real)


def test_a_field_more_or_less_or_elsewhere_is_told() -> None:
    assert agrees({"a": 1, "b": [{"c": "d"}]}, {"a": 2, "b": []})
    assert not agrees({"a": 1, "b": 1}, {"b": 1, "a": 1})
    assert not agrees({"a": 1}, {"a": 1, "b": 1})
    assert not agrees({"b": [{"c": 1}]}, {"b": [{"c": 1}, {"d": 1}]})
    assert not agrees({"a": 1}, {"a": 1.0})


async def test_an_abstaining_answer_keeps_every_field_of_an_empty_path(house: House) -> None:
    real = (await house.coordinator.coordinate(request(query="what is the weather"), OWNER)).model_dump(mode="json")
    assert real["result"]["path"] == {"id": None, "nodes": [], "edges": [], "steps": [], "answer": None}
    assert list(real["result"]) == [
        "answers", "path", "paths", "evidence", "subgraph", "seeds", "abstained", "reason",
        "form", "readings", "did_you_mean", "intelligence", "calibration",
    ]  # fmt: skip
