"""Records of confidence: what is kept is what was settled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from clause.knowledge.beliefs.confidence import WEIGHTS
from clause.knowledge.beliefs.models import (
    ABSENT,
    SETTLED,
    ConfidenceRecord,
    instant_of,
    millis,
    recorded_by,
    unpacked,
)

AT = datetime(2026, 1, 1, tzinfo=UTC)
SHARES = st.one_of(st.none(), st.floats(0, 1))
COUNTS = st.integers(0, 99).map(float)
INSTANTS = st.integers(0, 2**42).map(float)
RECORDS = st.builds(
    ConfidenceRecord,
    at=INSTANTS,
    **dict.fromkeys((*WEIGHTS, "ceiling"), SHARES),
    confirmed_at=INSTANTS,
    **dict.fromkeys(("sources", "open_tensions", "statements"), COUNTS),
)


@given(st.lists(RECORDS, max_size=4))
def test_records_come_back_as_they_were_kept(records: list[ConfidenceRecord]) -> None:
    assert unpacked([number for record in records for number in record.packed()]) == records


def test_the_numbers_are_in_the_order_in_which_graphs_hold_them() -> None:
    record = ConfidenceRecord(
        at=1.0,
        source_reliability=0.2,
        method_quality=0.3,
        internal_consistency=0.4,
        temporal_freshness=0.5,
        corroboration=0.6,
        domain_applicability=0.7,
        confirmed_at=8.0,
        sources=9.0,
        open_tensions=10.0,
        statements=11.0,
        ceiling=None,
    )
    assert record.packed() == [1.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 8.0, 9.0, 10.0, 11.0, ABSENT]
    assert len(SETTLED) == 11
    assert list(record.dimensions) == list(WEIGHTS)


@given(st.datetimes(AT.replace(year=1971, tzinfo=None), AT.replace(year=2400, tzinfo=None), timezones=st.just(UTC)))
def test_an_instant_is_kept_to_the_millisecond(at: datetime) -> None:
    assert abs(instant_of(millis(at)) - at) < timedelta(milliseconds=1.001)


def test_what_was_settled_later_is_left_out_and_the_first_record_never() -> None:
    history = []
    for day in range(3):
        at = millis(AT + timedelta(days=day))
        history += ConfidenceRecord(at, 0.5, 0.5, 1.0, 1.0, None, None, at, 1.0, 0.0, 1.0, None).packed()
    assert [len(recorded_by(history, AT + timedelta(days=day))) for day in (-1, 0, 1, 9)] == [1, 1, 2, 3]
