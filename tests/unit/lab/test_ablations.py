"""Ablations of the learned agents: each part exchanged, the rest as it ships, no budget exceeded."""

import numpy as np
import pytest

from clause.lab.ablation_agents import first_fit, mmr, top_k
from clause.lab.ablations import DECIDING, NULL, SWAPS, Ablation, KnowingAgents, ReadAnswers, ablations
from clause.lab.pattern_classifier import parse_pattern
from clause.policy.serve.agents import LearnedAgents, Plan
from clause.policy.serve.decider import Decider
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.networks import load
from clause.reasoning.agents.policy import Account, ProvedAnswer, Question
from clause.reasoning.answer.report import proved_views
from clause.reasoning.episode.actions import Stop
from clause.reasoning.episode.budget import Budgets, Prices, Unit, edge_sentence, edge_unit_id
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Edge, Hop
from tests.unit.evaluation.episodes import count_words, play
from tests.unit.evaluation.films import axis, snapshot

GRAPH = snapshot()
PATTERN = parse_pattern("starred_actors ~starred_actors directed_by")
AMPLE = Budgets(200, 10, 2048)
SCARCE = Budgets(4, 6, 15)


@pytest.fixture(scope="module")
def decider():
    """The networks that ship."""
    return Decider(serving_networks(load().actors))


class KnowsThePlan:
    """The learned policy with its plan given, so that no question is read."""

    name = "learned"
    reads_vectors = False
    abstain_below = 0.0

    def __init__(self, decider):
        self._mind = decider

    async def begin(self, question, embed):
        def count(edges, nodes):
            return count_words([edge_sentence(edge, nodes, edge.relation.replace("_", " ")) for edge in edges])

        plans = [Plan(seed.id, PATTERN, seed.score) for seed in question.seeds]
        return LearnedAgents(plans, self._mind, count, Prices())


async def played(policy, budgets):
    return await play(policy, GRAPH, "who directed films with the actors of Heat", [("Heat", 1.0)], budgets, axis(0))


@pytest.mark.parametrize("name", SWAPS)
@pytest.mark.parametrize("budgets", [AMPLE, SCARCE, Budgets(1, 1, 4)])
async def test_no_ablation_exceeds_a_budget_and_each_is_the_same_when_played_again(decider, name, budgets):
    makers = ablations(lambda: KnowsThePlan(decider))
    first, again = [await played(makers[name](), budgets) for _ in range(2)]
    assert budgets.exceeded_by(first.episode.spend) == ()
    assert first.episode.log == again.episode.log
    assert first.scores == again.scores


@pytest.mark.parametrize(
    ("name", "resource"), [("architect-random", "edges"), ("navigator-random", "steps"), ("curator-random", "tokens")]
)
async def test_chance_spends_no_more_than_the_agent_it_replaces(decider, name, resource):
    learned = await played(KnowsThePlan(decider), SCARCE)
    random = await played(Ablation(name, lambda: KnowsThePlan(decider)), SCARCE)
    assert learned.episode.spend.of(resource) > 0
    assert random.episode.spend.of(resource) <= learned.episode.spend.of(resource)
    if resource == "edges":
        assert random.episode.spend.edges == learned.episode.spend.edges


async def test_without_an_architect_nothing_is_added_and_the_whole_graph_is_walked(decider):
    found = await played(Ablation("navigator-only", lambda: KnowsThePlan(decider)), AMPLE)
    assert found.episode.spend.edges == 0
    assert found.supported == {"Frankenheimer", "De Palma"}


async def test_the_architect_alone_is_followed_along_its_plan(decider):
    found = await played(Ablation("architect-only", lambda: KnowsThePlan(decider)), AMPLE)
    assert found.episode.front.pattern == PATTERN
    assert found.supported == {"Frankenheimer", "De Palma"}


async def test_the_architect_alone_says_nothing_where_it_has_no_plan(decider):
    found = await play(Ablation("architect-only", lambda: KnowsThePlan(decider)), GRAPH, "?", [], AMPLE, axis(0))
    assert found.scores == {}
    assert found.stops[1] == "COMPLETE"


async def test_a_shuffled_view_of_the_budgets_changes_what_is_spent_on_some_question(decider):
    makers = ablations(lambda: KnowsThePlan(decider))
    spends = set()
    for mark in "abcdefgh":
        found = await play(makers["budgets-shuffled"](), GRAPH, f"Heat {mark}", [("Heat", 1.0)], SCARCE, axis(0))
        assert SCARCE.exceeded_by(found.episode.spend) == ()
        spends.add((found.episode.spend, len(found.supported)))
    assert len(spends) > 1


def test_only_ablations_that_compare_vectors_read_them(decider):
    makers = ablations(lambda: KnowsThePlan(decider))
    assert makers["curator-mmr"]().reads_vectors
    assert not makers["curator-first-fit"]().reads_vectors


def curated(maker, vectors, tokens, budget):
    """The order in which texts with these vectors and tokens are picked."""
    episode = Episode(["seed"], Budgets(tokens=budget))
    episode.offer([Unit(str(place), f"text {place}", cost, "passage") for place, cost in enumerate(tokens)])
    found = {str(place): np.array(vector, dtype=np.float32) for place, vector in enumerate(vectors)}
    curator = maker(Question("?", np.array([1, 0, 0], dtype=np.float32), [], {}, Prices(), found))
    while hasattr(action := curator(episode).action, "unit"):
        episode.step(action)
    return episode.picked


NEAR, TWIN, OTHER = [0.9, 0.436, 0], [0.9, 0.436, 0.0], [0.6, -0.8, 0]


def test_top_k_is_by_likeness_and_mmr_prefers_what_is_new():
    assert curated(top_k, [OTHER, NEAR, TWIN], [1, 1, 1], 9) == [1, 2, 0]
    assert curated(mmr, [OTHER, NEAR, TWIN], [1, 1, 1], 9) == [1, 0, 2]


def test_first_fit_passes_over_what_does_not_fit():
    assert curated(first_fit, [OTHER, NEAR, TWIN], [2, 9, 3], 5) == [0, 2]
    assert curated(first_fit, [NEAR], [9], 5) == []


def test_who_decides_over_proofs_keeps_the_limits_and_nobody_beats_the_optimum() -> None:
    first = {hub: Edge("kes", "made_by", hub) for hub in ("ann", "ben", "cid")}
    ends = {"ann": "a", "ben": "b", "cid": "cdef"}
    found = [
        ProvedAnswer(end, end, 0.9, (edge, Edge(hub, "made", end))) for hub, edge in first.items() for end in ends[hub]
    ]
    rival = ReadAnswers((ProvedAnswer("z", "z", 0.4, (Edge("kes", "in", "z"),)),), ("kes",))
    cost = [10].__mul__
    served = KnowingAgents(
        found, Account(abstain_below=0.7), (), ("kes",), Prices(), lambda edges, _: cost(len(edges)), rivals=[rival]
    )
    proved = {}
    for name, make in DECIDING.items():
        episode, agents = Episode(("kes",), Budgets(5, 5, 45)), make(served, "who made what")
        for edge in dict.fromkeys(edge for one in (*found, *rival.found) for edge in one.triples):
            near = episode.subgraph.known.setdefault(edge.source, {}).setdefault(Hop(edge.relation, True), [])
            near.append(edge)
        for decide in (agents.architect, agents.navigator):
            while not isinstance(action := decide(episode).action, Stop):
                episode.step(action)
        units = [Unit(edge_unit_id(edge), "x", 10, "triple", edge=edge) for edge in episode.subgraph.edges]
        episode.offer(units)
        while not isinstance(action := agents.curator(episode).action, Stop):
            episode.step(action)
        assert not episode.budgets.exceeded_by(episode.spend)
        answers = proved_views(episode, agents.findings(episode))[0]
        proved[name] = sum(one.supported for one in answers)
    assert proved["served"] == proved["optimum"] == max(proved.values()) == 3
    assert proved[NULL] == proved["architect by rule"] == 2
