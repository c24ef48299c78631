import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.api.strict_json import StrictJSONResponse, parse
from clause.errors import BadInputError


@pytest.mark.parametrize(
    "body",
    [b"NaN", b"[Infinity]", b'{"a": -Infinity}', b"1e999", b"{", b"", b"\xff\xfe", b'"\\ud800"', b"[" * 100_000],
)
def test_a_body_that_is_not_strict_json_is_refused_and_named(body: bytes) -> None:
    with pytest.raises(BadInputError) as refused:
        parse(body)
    assert refused.value.field == "body"


def test_escaped_characters_outside_the_basic_plane_and_nul_are_read() -> None:
    assert parse(b'"\\ud83d\\ude00\\u0000"') == "\U0001f600\x00"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_written_is_read_back(value: object) -> None:
    assert parse(StrictJSONResponse(value).body) == value


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_cannot_say_is_never_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        StrictJSONResponse({"score": number})
