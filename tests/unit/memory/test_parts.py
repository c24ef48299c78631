"""Small parts: what a text tells, twins, crowding, calibration."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.errors import BadInputError, OutOfBoundsError
from clause.memory.cluster import Group, OpenCluster, assign, closest_pairs, sequential_labels
from clause.memory.consolidation import Said, Stored, Twins, near_pairs, twins
from clause.memory.memory_text import LONGEST_NAME, occurred_at, short_name, speaker_of
from clause.memory.models import MCSConfig, MemoryFilters, unit_vector
from clause.memory.statistics import calibrate, curve_point
from clause.memory.writer import OpenClusters
from clause.settings import Settings
from tests.fakes.embedder import HashEmbedder
from tests.unit.memory.test_cluster_assignment import units

NOW = datetime(2026, 11, 22, tzinfo=UTC)
HERE = np.array([1.0, 0.0], dtype=np.float32)
NEAR = np.array([0.995, 0.0998], dtype=np.float32)


@pytest.mark.parametrize(
    ("timestamp", "instant"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00+00:00"),
        ("2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00+00:00"),
        ("2026-01-31", "2026-01-31T00:00:00+00:00"),
        ("2023/05/20 (Sat) 02:21", "2023-05-20T02:21:00+00:00"),
        ("2026-W03-4", "2026-01-15T00:00:00+00:00"),
        ("2026-01", "2026-01-01T00:00:00+00:00"),
        ("202601311005", "2026-01-31T10:05:00+00:00"),
        ("2026-01-31T10:00+01:00[Europe/Berlin]", "2026-01-31T09:00:00+00:00"),
        ("Mon May 08 2023 13:56:00 GMT+0200 (Central European Summer Time)", "2023-05-08T11:56:00+00:00"),
        ("Mon, 08 May 23 13:56:00 GMT", "2023-05-08T13:56:00+00:00"),
        ("2026-01-31 10:00:00 +0000 UTC", "2026-01-31T10:00:00+00:00"),
        ("5/8/2023, 1:56:00 PM", "2023-05-08T13:56:00+00:00"),
        ("1:56 p.m. on the 8th of May 2023", "2023-05-08T13:56:00+00:00"),
        ("13:56 ON 8 MAY 2023", "2023-05-08T13:56:00+00:00"),
        ("May 2023", "2023-05-01T00:00:00+00:00"),
        ("2026-11-22 15:00 EST", "2026-11-22T20:00:00+00:00"),
        ("2026-07-22 15:00 (CEST)", "2026-07-22T13:00:00+00:00"),
        ("2026-11-22 15:00 UTC+2", "2026-11-22T13:00:00+00:00"),
        ("yesterday", NOW.isoformat()),
        ("99:99 on 45 May", NOW.isoformat()),
        ("1", NOW.isoformat()),
        ("", NOW.isoformat()),
        (None, NOW.isoformat()),
    ],
)
def test_a_time_in_free_text_is_read_and_an_unreadable_one_is_now(timestamp: str | None, instant: str) -> None:
    assert occurred_at(timestamp, NOW).isoformat() == instant


@pytest.mark.parametrize(
    "timestamp",
    [
        "10 minutes ago",
        "2 days ago",
        "2 days after 8 May 2023",
        "the day before 2023-05-08",
        "3:15 pm",
        "yesterday at 10:30",
        "Monday, 9 am",
        "Friday, April 2023",
        "8 May, 3 pm",
        "8 May 2023, 10:00 in the evening",
        "turn 12",
        "message 42",
        "5 messages in May 2023",
        "3) 8 May 2023",
        "8 and 9 May 2023",
        "2023-05-08/2023-05-10",
        "Q2 2023",
        "1.2.3",
        "110203",
        "1711111111",
        "2026-11-22 15:00 XYZ",
        "2026-11-22 15:00 XYZ+3",
        "2026-11-22 15:00 America/New_York",
        "EST 15:00 2026-11-22",
        "8 mai 2023",
    ],
)
def test_a_time_of_which_a_part_is_open_or_unknown_is_not_guessed(timestamp: str) -> None:
    assert occurred_at(timestamp, NOW) == NOW


@given(st.text(max_size=40))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    assert occurred_at(text, NOW).tzinfo is not None


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Ann: hi", "Ann"),
        ("Jean-Luc O'Neil: hi", "Jean-Luc O'Neil"),
        ("李雷: 你好", "李雷"),
        ("note: x", None),
        ("Ann:hi", None),
    ],
)
def test_a_speaker_opens_the_text(text: str, speaker: str | None) -> None:
    assert speaker_of(text) == speaker


@given(st.text(max_size=300))
def test_a_name_is_one_short_line(text: str) -> None:
    name = short_name(text)
    assert len(name) <= LONGEST_NAME
    assert len(name.splitlines()) <= 1


KEYS = st.sampled_from(["a", "session", 'x"session', "", "tags "])
VALUES = st.one_of(st.integers(0, 19), st.booleans(), st.floats(0, 2), st.text(alphabet='1, "}]\\é', max_size=4))
TAGS = st.lists(st.text(alphabet='ci ,"]', max_size=3), max_size=3)


@given(metadata=st.dictionaries(KEYS, VALUES), tags=TAGS, data=st.data())
def test_what_passes_filters_has_a_stretch_of_each_that_the_search_looks_for(
    metadata: dict[str, str | int | float | bool], tags: list[str], data: st.DataObject
) -> None:
    wanted = data.draw(st.lists(st.sampled_from(sorted(metadata)), unique=True)) if metadata else []
    filters = MemoryFilters(metadata={key: metadata[key] for key in wanted}, tags=tags[:1])
    kept = json.dumps({**metadata, "tags": tags}, ensure_ascii=False, sort_keys=True)
    assert filters.passes(kept)
    assert all(any(way in kept for way in ways) for ways in filters.written())


@pytest.mark.parametrize(
    ("kept", "asked", "same"),
    [
        (5.0, 5, True), (5, 5.0, True), (-0.5, -0.5, True), (1e16, 10**16, True), (2**53 + 1, float(2**53), False),
        (5.5, 5, False), (True, 1, False), (1, True, False), (1.0, True, False), ("5", 5, False), (5, "5", False),
        (10**400, 10**400, True),
    ],
)  # fmt: skip
def test_a_whole_number_is_the_same_however_it_is_written(kept: object, asked: Any, same: bool) -> None:
    filters = MemoryFilters(metadata={"n": asked})
    for text in (json.dumps({"n": kept}), json.dumps({"n": kept, "z": 1})):
        assert filters.passes(text) is same
        assert any(way in text for way in filters.written()[0]) is same


def stored(number: int) -> Stored:
    return Stored(number, f"c{number}", 1)


def page(*near: tuple[int, list[int]]) -> list[dict[str, object]]:
    return [
        {"id": f"c{n}", "cluster_id": n, "version": 1, "near": [[f"c{m}", m, 1] for m in others]} for n, others in near
    ]


def test_near_clusters_are_tried_once_the_later_against_the_earlier() -> None:
    assert near_pairs(page((2, [1]), (1, [2, 3]))) == [(stored(2), stored(1)), (stored(3), stored(1))]


def test_no_cluster_is_in_two_pairs_of_twins() -> None:
    same = (Said("tea", HERE), Said("tea ", HERE))
    pairs = near_pairs(page((1, [2, 3]), (2, [3])))
    texts = {(later.id, earlier.id): same for later, earlier in pairs}
    assert twins(pairs, texts, 0.85) == [Twins("c1", 1, "c2", 1)]


def test_twins_are_of_one_meaning_by_the_guards() -> None:
    (pair,) = near_pairs(page((1, [2])))
    for first, second, joined in (
        ("Ann rides a bike to work", "Ann is riding a bicycle to work", True),
        ("Ann owns 2 red cars", "Ann owns 3 red cars", False),
        ("Ann is at home", "Ann is not at home", False),
    ):
        texts = {("c2", "c1"): (Said(first, HERE), Said(second, NEAR))}
        assert bool(twins([pair], texts, 0.85)) is joined, first
    assert twins([pair], {}, 0.85) == []


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), count=st.integers(0, 30), pairs=st.integers(0, 5))
def test_the_closest_pairs_are_the_closest(seed: int, count: int, pairs: int) -> None:
    vectors = units(seed, count, 8)
    found = closest_pairs(vectors, pairs)
    assert len(found) == min(pairs, count // 2) or len(found) < pairs
    assert len({one for pair in found for one in pair}) == 2 * len(found)
    assert all(a < b for a, b in found)
    if found:
        cosines = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
        best = max(cosines[a, b] for a in range(count) for b in range(a + 1, count))
        assert cosines[found[0]] == pytest.approx(best, abs=1e-6)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000))
def test_a_curve_point_counts_what_joining_gives(seed: int) -> None:
    vectors = units(seed, 20)
    labels = sequential_labels(vectors, 0.85)
    point = curve_point(vectors, 0.85)
    assert point.clusters == len(set(labels.tolist()))
    assert point.compression == pytest.approx(20 / point.clusters)
    assert point.cohesion > 0.85


def grouped(groups: int, each: int) -> np.ndarray:
    """Unit vectors in groups: members are near their centre."""
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.normal(size=(groups, 32)), each, axis=0)
    rows = centres + 0.15 * rng.normal(size=centres.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)[rng.permutation(groups * each)]


def test_calibration_finds_a_threshold_for_a_wanted_compression_or_cohesion() -> None:
    vectors = grouped(15, 4)
    told: list[tuple[int, int]] = []
    found = calibrate(vectors, progress=lambda *at: told.append(at))
    assert (found.texts, found.wanted) == (60, "compression 4")
    assert found.found.compression == pytest.approx(4, abs=0.3)
    assert found.setting == f"CLAUSE_MEMORY_THRESHOLD={found.found.threshold:g}"
    assert [point.threshold for point in found.curve] == sorted((p.threshold for p in found.curve), reverse=True)
    assert told[-1] == (22, 22)
    tight = calibrate(vectors, cohesion=0.995)
    assert tight.wanted == "cohesion 0.995"
    assert tight.found.cohesion == pytest.approx(0.995, abs=0.02)


def test_calibration_without_texts_or_with_two_wishes_is_refused() -> None:
    with pytest.raises(BadInputError, match="nothing to calibrate on"):
        calibrate(np.zeros((0, 3), dtype=np.float32))
    with pytest.raises(BadInputError, match="both wanted"):
        calibrate(units(0, 3), compression=2.0, cohesion=0.9)


def test_one_text_is_one_cluster_whatever_is_wanted() -> None:
    assert calibrate(units(0, 1), compression=5.0).found.clusters == 1


def test_the_origins_configuration_and_that_of_a_service() -> None:
    seed = MCSConfig()
    assert seed.model_dump() == {
        "embedding_dim": 384, "similarity_threshold": 0.85, "consolidation_threshold": 5, "max_clusters": 10_000,
        "decay_factor": 0.99, "decay_unit_seconds": 3600, "y_encoder_model": "all-MiniLM-L6-v2",
        "enable_hybrid_search": True, "sparse_weight": 0.3, "fusion_method": "rrf", "when_full": "refuse",
    }  # fmt: skip
    service = MCSConfig.following(Settings(memory_threshold=0.7), HashEmbedder(dimension=16))
    assert (service.similarity_threshold, service.embedding_dim, service.y_encoder_model) == (0.7, 16, "hash")
    assert (service.fusion_method, service.sparse_weight) == ("rsf", 0.3)


@pytest.mark.parametrize("numbers", [[1.0], [0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_what_is_no_direction_is_refused(numbers: list[float]) -> None:
    with pytest.raises(OutOfBoundsError) as refused:
        unit_vector(numbers, 2, "query")
    assert refused.value.field == "query"


def one_by_one(vectors: np.ndarray, known: list[np.ndarray], threshold: float) -> list[int]:
    """The cluster of each vector, by a slow loop over sums."""
    sums = [total.astype(np.float64) for total in known]
    found = []
    for vector in vectors.astype(np.float64):
        cosines = [float(total @ vector / np.linalg.norm(total)) for total in sums]
        best = max(range(len(sums)), key=cosines.__getitem__, default=-1)
        if best < 0 or not cosines[best] > threshold:
            best = len(sums)
            sums.append(np.zeros(len(vector)))
        sums[best] = sums[best] + vector
        found.append(best)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_stored_clusters_move_with_each_member_as_if_all_were_written_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(6, 8))
    drawn = centres[rng.integers(0, 6, 80)] + 0.5 * rng.normal(size=(80, 8))
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)
    known = [OpenCluster(f"c{place}", vectors[place] * 2) for place in range(3)]
    labels = np.zeros(77, dtype=int)
    for number, group in enumerate(groups := assign(vectors[3:], known, 0.8)):
        labels[[place for place, _ in group.members]] = number
    expected = one_by_one(vectors[3:], [cluster.sum for cluster in known], 0.8)
    names = [f"c{place}" if place < 3 else None for place in dict.fromkeys(expected)]
    assert [group.joins for group in groups] == names
    order = list(dict.fromkeys(expected))
    assert labels.tolist() == [order.index(cluster) for cluster in expected]


def test_the_closest_are_merged_only_where_all_can_be_compared() -> None:
    merging = MCSConfig.following(Settings(memory_when_full="merge"), HashEmbedder())
    assert (merging.max_clusters, MCSConfig.following(Settings(), HashEmbedder()).max_clusters) == (100_000, 1_000_000)


def test_what_a_chunk_wrote_is_known_to_the_next() -> None:
    known = OpenClusters(500, {"old": np.ones(2, dtype=np.float32), "shut": np.ones(2, dtype=np.float32)})
    known.follow(Group("old", np.array([1.0, 0.0])), {"spare": "s1"}, fresh=False)
    known.follow(Group(None, np.array([0.0, 3.0])), {"spare": "s2"}, fresh=True)
    known.follow(Group("shut", np.array([0.0, 1.0])), {"spare": "s3"}, fresh=True)  # closed by another meanwhile
    assert known.sums is not None
    assert {name: total.tolist() for name, total in known.sums.items()} == {"old": [2, 1], "s2": [0, 3], "s3": [0, 1]}
