"""The choice of questions within a budget."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from clause.intelligence.curiosity import AGAIN, chosen_of
from clause.intelligence.models import PlannedQuestion

GAPS = st.lists(st.tuples(st.floats(0, 9), st.sampled_from("xyz")), max_size=6)


def gap(number: int, gain: float, *about: str) -> PlannedQuestion:
    return PlannedQuestion(id=f"g{number}", kind="question", question="?", why="", gain=gain, scope="kg:x", about=about)


def worth(order: tuple[PlannedQuestion, ...]) -> float:
    seen: dict[str, int] = {}
    total = 0.0
    for one in order:
        total += one.gain * AGAIN ** max((seen.get(node, 0) for node in one.about), default=0)
        for node in one.about:
            seen[node] = seen.get(node, 0) + 1
    return total


def test_a_second_question_about_the_same_gains_half() -> None:
    chosen, rest = chosen_of([gap(1, 4.0, "x"), gap(2, 3.0, "x"), gap(3, 2.0, "y")], 2)
    assert [(one.id, one.gain) for one in chosen] == [("g1", 4.0), ("g3", 2.0)]
    assert [one.id for one in rest] == ["g2"]


@given(GAPS, st.integers(0, 6))
def test_it_keeps_the_budget_and_finds_nearly_the_best(drawn: list[tuple[float, str]], budget: int) -> None:
    gaps = [gap(number, gain, about) for number, (gain, about) in enumerate(drawn)]
    chosen, rest = chosen_of(gaps, budget)
    assert len(chosen) == min(budget, len(gaps))
    assert sorted(one.id for one in (*chosen, *rest)) == sorted(one.id for one in gaps)
    best = max((worth(order) for order in permutations(gaps, len(chosen))), default=0.0)
    assert sum(one.gain for one in chosen) >= 0.63 * best - 1e-9
