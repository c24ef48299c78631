import math
from datetime import UTC, datetime

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from clause.errors import AmbiguousNameError, ClauseError, NotFoundError, OutOfBoundsError
from clause.mcp_bridge.answers import LONGEST_MESSAGE, answer_of, failure_of, result_of, written


class Kept(BaseModel):
    """Something with a vector."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    id: str
    when: datetime
    embedding: list[float] | None = None
    state: list[float] = Field(default_factory=list)


WHEN = datetime(2026, 11, 22, tzinfo=UTC)


def test_embeddings_are_left_out_however_deep_they_are() -> None:
    found = answer_of(
        {
            "kept": [Kept(id="1", when=WHEN, embedding=[0.5] * 384, state=[0.1] * 1155)],
            "query_embedding": [0.5] * 3,
            "deep": {"centroid": [1.0], "prototype": None, "vector": "a word", "numbers": [1, 2, 3]},
        }
    )
    assert found == {
        "kept": [{"id": "1", "when": "2026-11-22T00:00:00Z", "state": "1155 numbers, left out"}],
        "deep": {"vector": "a word", "numbers": [1, 2, 3]},
    }


def test_a_list_of_models_becomes_items_and_what_json_cannot_say_is_left_out() -> None:
    assert answer_of([Kept(id="1", when=WHEN)])["items"][0]["id"] == "1"
    assert answer_of({"a": math.nan, "b": WHEN, "c": (1, 2), "success": "no"}) == {
        "a": None,
        "b": str(WHEN),
        "c": [1, 2],
    }
    assert answer_of({"a": np.float32(1.5)})["a"] == "1.5"


def test_a_result_is_structured_and_the_same_in_text() -> None:
    result = result_of({"success": True, "items": ["ä"]})
    assert result.structured_content == {"success": True, "items": ["ä"]}
    assert result.content[0].text == '{"success": true, "items": ["ä"]}'
    assert not result.is_error


def test_our_own_errors_say_how_to_mend_them() -> None:
    error = OutOfBoundsError("too many steps", field="step_budget", bound="at most 20", remedy="ask for less")
    result = failure_of(error)
    assert result.is_error
    assert result.structured_content == {
        "success": False,
        "error": {
            "code": "out_of_bounds",
            "message": "too many steps",
            "remedy": "ask for less",
            "field": "step_budget",
            "bound": "at most 20",
        },
    }


def test_the_candidates_of_an_ambiguous_name_are_told_unless_they_are_too_many() -> None:
    few = failure_of(AmbiguousNameError("two Anns", details={"candidates": ["a", "b"]})).structured_content
    many = failure_of(AmbiguousNameError("two Anns", details={"candidates": ["a" * 3000]})).structured_content
    assert few["error"]["details"] == {"candidates": ["a", "b"]}
    assert "details" not in many["error"]


def test_what_nobody_expected_is_not_told() -> None:
    for error in (ZeroDivisionError("secret"), ClauseError("the statement memory/x is broken")):
        told = failure_of(error).structured_content["error"]
        assert told["code"] == "internal"
        assert "secret" not in str(told)
        assert "memory/x" not in str(told)


def test_the_arguments_that_do_not_fit_are_named_without_their_values() -> None:
    try:
        Kept.model_validate({"id": 7, "embedding": "hush " * 1000})
    except ValidationError as error:
        told = failure_of(error).structured_content["error"]
    assert told["field"] == "id"
    assert [one["field"] for one in told["errors"]] == ["id", "when", "embedding"]
    assert "hush" not in written(told)


def test_a_long_message_is_cut_and_a_lone_surrogate_is_no_crash() -> None:
    told = failure_of(NotFoundError("x" * 5000 + "\ud800", remedy="\ud800")).structured_content["error"]
    assert len(told["message"]) == LONGEST_MESSAGE
    assert told["remedy"] == "?"
