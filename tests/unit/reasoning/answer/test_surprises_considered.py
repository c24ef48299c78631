"""What the Navigator considered and took, read back from an episode."""

from __future__ import annotations

import pytest

from clause.reasoning.answer import integrations as considered
from clause.reasoning.answer.integrations import candidates, taken
from clause.reasoning.episode.actions import Backtrack, Continue, Stop
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Expansion, Hop, Node

DIRECTED, STARRED = Hop("directed_by", True), Hop("starred", True)
EDGES = [Edge("heat", "directed_by", "mann"), Edge("heat", "starred", "pacino"), Edge("thief", "directed_by", "mann")]


def episode(steps: int = 10, *, seeds: tuple[str, ...] = ("heat",)) -> Episode:
    one = Episode(seeds, Budgets(steps=steps))
    one.subgraph.learn(Expansion(nodes={"mann": Node("mann", "Michael Mann")}), [])
    one.subgraph.add(EDGES)
    return one


def test_nothing_walked_still_considered_what_could_be() -> None:
    walked = episode()
    walked.stop("PathNavigator", Stop())
    assert dict(candidates(walked)) == {"mann": "Michael Mann", "pacino": "pacino"}
    assert taken(walked) == []


def test_each_place_adds_what_it_could_reach() -> None:
    walked = episode()
    walked.step(Continue(DIRECTED, seed="heat"), 0.7)
    walked.stop("PathNavigator", Stop())
    assert list(candidates(walked)) == ["mann", "pacino", "thief"]
    (hop,) = taken(walked)
    assert (hop.hop, hop.score, hop.before.nodes, hop.after.nodes) == (DIRECTED, 0.7, ("heat",), ("mann",))


def test_a_spent_budget_considers_nothing_more() -> None:
    walked = episode(steps=1)
    walked.step(Continue(DIRECTED, seed="heat"))
    walked.stop("PathNavigator", Stop("BUDGET_EXHAUSTED"))
    assert list(candidates(walked)) == ["mann", "pacino"]


def test_a_hop_taken_back_was_taken_and_the_walk_goes_on_from_before() -> None:
    walked = episode()
    walked.step(Continue(DIRECTED, seed="heat"))
    walked.step(Backtrack())
    walked.step(Continue(STARRED, seed="heat"))
    walked.stop("PathNavigator", Stop())
    assert [(hop.hop, hop.before.nodes) for hop in taken(walked)] == [(DIRECTED, ("heat",)), (STARRED, ("heat",))]


def test_a_hop_from_one_node_of_a_front_reaches_its_ends_alone() -> None:
    walked = episode(seeds=("mann",))
    walked.step(Continue(DIRECTED.inverse, seed="mann"))
    walked.step(Continue(STARRED, node="heat"))
    walked.stop("PathNavigator", Stop())
    assert [hop.after.nodes for hop in taken(walked)] == [("heat", "thief"), ("pacino",)]


def test_candidates_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(considered, "MOST_CONSIDERED", 1)
    walked = episode()
    walked.stop("PathNavigator", Stop())
    assert list(candidates(walked)) == ["mann"]
