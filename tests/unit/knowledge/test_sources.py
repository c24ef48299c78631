"""Trust along edges, track records, and names that may mean one thing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.knowledge.beliefs.origins import RELIABILITY
from clause.knowledge.entities import alike
from clause.knowledge.sources import DECAY, HOPS, passed_on, track_record

NAMES = "abcde"
EDGES = st.dictionaries(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1]),
    st.floats(0, 1),
    max_size=12,
)


@given(EDGES)
def test_trust_is_the_best_of_all_paths_of_at_most_three_hops(edges: dict[tuple[str, str], float]) -> None:
    found = passed_on([(start, end, weight) for (start, end), weight in edges.items()], "a")
    for target in NAMES[1:]:
        best = None
        for hops in range(1, HOPS + 1):
            for between in itertools.product(NAMES, repeat=hops - 1):
                steps = list(itertools.pairwise(("a", *between, target)))
                if all(step in edges for step in steps):
                    value = DECAY ** (hops - 1)
                    for step in steps:
                        value *= edges[step]
                    best = value if best is None else max(best, value)
        assert found.get(target) == (None if best is None else pytest.approx(best))


@given(st.sampled_from([*RELIABILITY, "unknown"]), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_a_track_record_rises_with_confirmations_and_falls_with_disputes(
    kind: str, confirmed: int, disputed: int, superseded: int
) -> None:
    now = track_record(kind, confirmed, disputed, superseded).reliability
    assert 0 < now < 1
    assert track_record(kind, confirmed + 1, disputed, superseded).reliability > now
    assert track_record(kind, confirmed, disputed + 1, superseded).reliability < now
    assert track_record(kind, confirmed, disputed, superseded + 1).reliability < now


@given(st.sampled_from(sorted(RELIABILITY)))
def test_a_source_starts_with_the_prior_of_its_kind(kind: str) -> None:
    assert track_record(kind, 0, 0, 0).reliability == pytest.approx(RELIABILITY[kind])


@pytest.mark.parametrize(
    ("a", "b", "similarity", "shared", "maybe"),
    [
        ("Neo4j", "neo4j", 0.99, 0, True),
        ("IBM 360", "IBM 370", 0.99, 9, False),
        ("Ken Loach", "Loach", 0.8, 0, False),
        ("Ken Loach", "Loach", 0.8, 1, True),
        ("Ken Loach", "K Loach", 0.8, 0, True),
        ("Ken Loach", "Mike Leigh", 0.8, 9, False),
        ("New York City", "NYC", 0.95, 0, True),
        ("Ann", "A", 0.8, 0, False),
    ],
)
def test_names_that_may_mean_one_thing(a: str, b: str, similarity: float, shared: int, maybe: bool) -> None:
    assert (alike(a, b, similarity, shared) is not None) is maybe
    assert (alike(b, a, similarity, shared) is not None) is maybe
