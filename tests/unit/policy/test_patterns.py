import itertools

import numpy as np
import pytest

from clause.policy.patterns import HopTable
from tests.unit.policy.cinema import DIRECTED, DIRECTS, STARS, cinema, walk


@pytest.fixture(scope="module")
def table() -> HopTable:
    return HopTable(cinema())


def rows(nodes: frozenset[str]) -> list[int]:
    return [cinema().ids.index(node) for node in nodes]


@pytest.mark.parametrize("seed", ["film0", "film7", "director1", "actor4", "genre2"])
@pytest.mark.parametrize("pattern", [(DIRECTED,), (DIRECTED, DIRECTS), (DIRECTED, DIRECTS, STARS)])
def test_the_shortest_patterns_are_those_of_a_slow_search(table: HopTable, seed: str, pattern: tuple) -> None:
    answers = walk(seed, pattern)
    if not answers:
        return
    expected: list[tuple] = []
    for length in range(1, 4):
        expected = sorted(p for p in itertools.product(table.hops, repeat=length) if walk(seed, p) == answers)
        if expected:
            break
    assert list(table.shortest(cinema().ids.index(seed), rows(answers))) == expected


def test_answers_that_no_pattern_gives_have_no_pattern(table: HopTable) -> None:
    assert table.shortest(0, rows(frozenset({"genre0", "actor1", "film3"}))) == ()


def test_fronts_that_are_too_wide_are_not_followed(table: HopTable) -> None:
    answers = walk("director0", (DIRECTS,))
    assert table.shortest(cinema().ids.index("director0"), rows(answers), max_hops=1, widest=len(answers) - 1) == ()


def test_a_step_from_nowhere_reaches_nothing(table: HopTable) -> None:
    assert table.step(np.array([cinema().ids.index("actor1")], dtype=np.int32), STARS).size == 0
