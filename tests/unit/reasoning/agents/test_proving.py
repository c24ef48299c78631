"""Answers that a reading found are proved within the budgets: added, walked from every topic, and cited."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from clause.errors import BudgetError
from clause.reasoning.agents.policy import Account, ProvedAnswer
from clause.reasoning.agents.proving import ProvingAgents
from clause.reasoning.answer.integrations import taken
from clause.reasoning.answer.report import proved_views
from clause.reasoning.episode.actions import NAVIGATOR, Restart, Stop
from clause.reasoning.episode.budget import Budgets, Prices, Unit, edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Hop

KES, UP = Edge("kes", "made_in", "1969"), Edge("up", "made_in", "2009")
OLDER = ProvedAnswer("Kes", "kes", 0.9, (KES, UP))
PARTS = tuple(ProvedAnswer(f"part {n}", f"p{n}", 0.8, (Edge("kes", "part", f"p{n}"),)) for n in range(4))


def prove(
    found: tuple[ProvedAnswer, ...], budgets: Budgets, prices: Prices | None = None
) -> tuple[Episode, Sequence[ProvedAnswer]]:
    """An episode in which the three agents have proved what they could, and what that is."""
    topics = ("kes", "up")
    episode = Episode(topics, budgets)
    agents = ProvingAgents(found, Account(), (), topics, prices or Prices())
    for agent, decide in (("SubgraphArchitect", agents.architect), (NAVIGATOR, agents.navigator)):
        while not isinstance(action := decide(episode).action, Stop):
            episode.step(action)
        episode.stop(agent, action)
    edges = list(episode.subgraph.edges)
    episode.offer([Unit(edge_unit_id(edge), " ".join(edge), 10, "triple", edge=edge) for edge in edges])
    while not isinstance(action := agents.curator(episode).action, Stop):
        episode.step(action)
    episode.stop("ContextCurator", action)
    assert not budgets.exceeded_by(episode.spend)
    return episode, agents.findings(episode)


def test_a_proof_from_two_topics_is_walked_from_both() -> None:
    episode, proved = prove((OLDER,), Budgets(10, 5, 100))
    assert [front.seed for front in episode.walked] == ["kes", "up"]
    assert (episode.spend.edges, episode.spend.steps, episode.spend.tokens) == (2, 2, 20)
    assert [(hop.before.seed, hop.hop) for hop in taken(episode)] == [
        ("kes", Hop("made_in", True)), ("up", Hop("made_in", True)),
    ]  # fmt: skip
    (answer,), paths = proved_views(episode, proved)
    assert (answer.supported, answer.answer_score, len(paths)) == (True, 0.9, 2)


def test_a_proof_that_cannot_be_walked_whole_gives_no_answer() -> None:
    episode, proved = prove((OLDER,), Budgets(10, 1, 100))
    assert (episode.spend.steps, list(proved)) == (1, [])
    assert episode.picked == []


@pytest.mark.parametrize(("budgets", "answers", "supported"), [
    (Budgets(2, 5, 100), 2, 2),
    (Budgets(10, 5, 25), 4, 2),
    (Budgets(10, 5, 100), 4, 4),
])  # fmt: skip
def test_answers_are_proved_as_far_as_budgets_go(budgets: Budgets, answers: int, supported: int) -> None:
    found, _ = proved_views(*prove(PARTS, budgets))
    assert (len(found), sum(answer.supported for answer in found)) == (answers, supported)


def test_at_a_high_price_one_proof_is_taken() -> None:
    _, proved = prove(PARTS, Budgets(10, 5, 100), Prices(edge=1.0))
    assert [one.name for one in proved] == ["part 0"]


def test_beginning_again_is_free_and_masked_where_nothing_was_walked() -> None:
    episode = Episode(["kes"], Budgets())
    with pytest.raises(BudgetError):
        episode.step(Restart())


def test_a_triple_that_a_proof_comes_by_twice_is_cited_once() -> None:
    boss = Edge("kes", "reports_to", "ann")
    there_and_back = ProvedAnswer("Kes", "kes", 0.9, (boss, Edge("up", "reports_to", "ann"), boss))
    episode, _ = prove((there_and_back,), Budgets(10, 5, 100))
    assert len(episode.picked) == len(set(episode.picked))


def test_a_walk_that_goes_on_from_a_finished_one_is_left_out_where_no_step_is_left() -> None:
    made, held = Edge("kes", "made_by", "ken"), Edge("ken", "lives_in", "bath")
    near, far = ProvedAnswer("Ken", "ken", 0.9, (made,)), ProvedAnswer("Bath", "bath", 0.8, (made, held))
    for steps, known in ((1, ["Ken"]), (2, ["Ken", "Bath"])):
        episode, proved = prove((near, far), Budgets(10, steps, 100))
        assert [one.name for one in proved] == known
        assert episode.spend.steps == steps


WORDS = 10
"""The tokens of every edge's sentence in these tests."""


def star(hub: str, *ends: str) -> tuple[ProvedAnswer, ...]:
    """The answers that two hops from `kes` over a hub reach."""
    first = Edge("kes", "made_by", hub)
    return tuple(ProvedAnswer(end, end, 0.9, (first, Edge(hub, "made", end))) for end in ends)


def settle(found: tuple[ProvedAnswer, ...], budgets: Budgets, *, hard: bool = True) -> tuple[Episode, ProvingAgents]:
    """An episode of agents that know what triples cost, played to its end."""
    episode = Episode(("kes",), budgets, hard=hard)
    for edge in (edge for one in found for edge in one.triples):
        for near, forward in ((edge.source, True), (edge.target, False)):
            listed = episode.subgraph.known.setdefault(near, {}).setdefault(Hop(edge.relation, forward), [])
            listed += [] if edge in listed else [edge]
    agents = ProvingAgents(found, Account(), (), ("kes",), Prices(), lambda some, _: [WORDS] * len(some))
    for decide in (agents.architect, agents.navigator):
        while not isinstance(action := decide(episode).action, Stop):
            episode.step(action)
        episode.stop(NAVIGATOR, action)
    units = [Unit(edge_unit_id(edge), " ".join(edge), WORDS, "triple", edge=edge) for edge in episode.subgraph.edges]
    episode.offer(units)
    while not isinstance(action := agents.curator(episode).action, Stop):
        episode.step(action)
    assert not budgets.exceeded_by(episode.spend)
    return episode, agents


def supported(episode: Episode, agents: ProvingAgents) -> set[str]:
    """The names of the answers whose whole proof is in the evidence."""
    return {one.name for one in proved_views(episode, agents.findings(episode))[0] if one.supported}


@pytest.mark.parametrize("hard", [True, False])
def test_a_dear_first_step_to_many_answers_comes_before_one_to_few(hard: bool) -> None:
    found = (*star("ann", "a1"), *star("ben", "b1"), *star("cid", "c1", "c2", "c3"))
    assert supported(*settle(found, Budgets(4, 5, 100), hard=hard)) == {"c1", "c2", "c3"}
    assert supported(*settle(found, Budgets(50, 5, 40), hard=hard)) == {"c1", "c2", "c3"}


def test_an_answer_is_proved_by_the_way_that_others_share() -> None:
    both = (*star("ann", "x", "a1"), *star("cid", "c1", "c2", "c3"))
    through_cid = Edge("cid", "made", "x")
    other = ProvedAnswer("kept", "kept", 0.9, (Edge("kes", "made_by", "cid"), through_cid, Edge("x", "in", "kept")))
    episode, agents = settle((*both, other), Budgets(5, 9, 100))
    assert {"x", "c1", "c2", "c3"} <= supported(episode, agents)
    assert through_cid in episode.subgraph.edges


def test_what_fits_whole_is_proved_as_it_was_found() -> None:
    found = (*star("ann", "a1"), *star("cid", "c1", "c2"))
    episode, agents = settle(found, Budgets(5, 2, 50))
    assert list(agents.found) == list(found)
    assert list(episode.subgraph.edges) == list(dict.fromkeys(edge for one in found for edge in one.triples))
