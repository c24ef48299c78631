"""DELETE: what is offered, what it costs, and a case where it wins."""

import numpy as np
import pytest

from clause.arrays import Floats
from clause.policy.serve.agents import LearnedAgents
from clause.policy.serve.bundles import idle_edges
from clause.policy.serve.decider import Choice, Decider
from clause.policy.serve.observations import ARCHITECT_OPTION, operations_alone
from clause.policy.serve.tree import PlanTree, TreeProgress
from clause.policy.train.demonstrations import depth_first, imitate, serving_networks
from clause.policy.train.rollout import Arena, Result
from clause.reasoning.agents.policy import Decision
from clause.reasoning.episode.actions import ARCHITECT, AddEdge, Agent, Continue, Delete, Look, Stop
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.port import Hop
from tests.unit.policy.cinema import DIRECTED, DIRECTS, STARS, actors, cinema, task

pytestmark = pytest.mark.slow

ARENA = Arena(cinema())
PATTERN = (DIRECTED, DIRECTS, STARS)
IS_DELETE = ARCHITECT_OPTION.index("is_delete")
RIGHT, WRONG = "film0", "film1"


def deletes_first(agent: Agent, options: Floats, context: Floats) -> int:
    """The teacher, except that it deletes what is off the plan, which has no tokens there."""
    if agent == ARCHITECT and options[-1, IS_DELETE] and not options[-1, ARCHITECT_OPTION.index("tokens_to_answers")]:
        return len(options) - 1
    return depth_first(agent, options, context)


class Misguided:
    """Learned agents where the edges of a wrong seed are in the subgraph already, and the walk begins at any seed."""

    def __init__(self, agents: LearnedAgents) -> None:
        self._agents = agents
        self.edge_score = agents.edge_score
        self.curator, self.answer_scores = agents.curator, agents.answer_scores
        self.account = agents.account

    def architect(self, episode: Episode) -> Decision:
        """The wrong seed's first hop, then the learned Architect."""
        if not episode.log:
            if WRONG not in episode.subgraph.known:
                return Decision(Look((WRONG,), (DIRECTED,)))
            return Decision(AddEdge(episode.subgraph.known[WRONG][DIRECTED][0]))
        return self._agents.architect(episode)

    def navigator(self, episode: Episode) -> Decision:
        """The pattern's hops from the first seed that has one."""
        depth = len(episode.trail)
        found = [(seed, hop) for seed, hop in episode.hops() if depth < 3 and hop == PATTERN[depth]]
        return Decision(Continue(found[0][1], seed=found[0][0])) if found else Decision(Stop("COMPLETE"))


PRICES = Prices(edge=0.02)


def played(decider: Decider, *, deletes: bool) -> Result:
    arena = Arena(cinema(), deletes=deletes)
    agents = Misguided(arena.agents(task(RIGHT, PATTERN), decider, PRICES))
    return arena.play(task(RIGHT, PATTERN), agents, Budgets(200, 3, 2048), PRICES, seeds=[WRONG, RIGHT])


@pytest.fixture(scope="module")
def taught() -> Decider:
    """Networks that learned from demonstrations in which idle edges are deleted; the second on edges as they rank."""
    choices: list[Choice] = []
    learner = actors()
    for _ in range(2):
        played(Decider(serving_networks(learner), pilot=deletes_first, trace=choices), deletes=True)
        imitate(learner, choices, epochs=150, learning_rate=1e-2)
    return Decider(serving_networks(learner))


def test_deleting_the_edges_of_a_wrong_seed_wins_where_the_walk_cannot_tell_seeds_apart(taught: Decider) -> None:
    without = played(Decider(serving_networks(actors()), pilot=depth_first), deletes=False)
    deleting = played(taught, deletes=True)
    deleted = [step for step in deleting.episode.log if isinstance(step.action, Delete)]
    assert [step.cost.edges for step in deleted] == [1]
    assert without.f1 == 0.0
    assert deleting.f1 > 0.8


def test_a_deleted_edge_counts_as_an_edit_and_is_never_added_again(taught: Decider) -> None:
    log = played(taught, deletes=True).episode.log
    gone = {edge for step in log if isinstance(step.action, Delete) for edge in step.edges}
    place = next(number for number, step in enumerate(log) if isinstance(step.action, Delete))
    assert gone
    assert not any(edge in gone for step in log[place + 1 :] if step.agent == ARCHITECT for edge in step.edges)


def grown(*edges: int) -> tuple[Episode, PlanTree]:
    """An episode that read a pattern and added the first so many edges of each depth."""
    episode = Episode([RIGHT, WRONG], Budgets(200, 3, 2048))
    front = [RIGHT]
    for hop in PATTERN:
        episode.subgraph.learn(cinema().expand_now(front, per_type=99, hops=(hop,)), front, (hop,))
        front = sorted({edge.other(node) for node in front for edge in episode.subgraph.known[node].get(hop, ())})
    tree = PlanTree.build(episode.subgraph, RIGHT, PATTERN, lambda added, _nodes: [1] * len(added))
    for depth, count in enumerate(edges):
        for edge in tree.levels[depth].edges[:count]:
            episode.step(AddEdge(edge))
    return episode, tree


def answered(episode: Episode, tree: PlanTree) -> None:
    """Add an answer behind the first film that was reached."""
    level = tree.levels[2]
    episode.step(AddEdge(next(edge for place, edge in enumerate(level.edges) if level.near[place] == 0)))


def test_edges_are_idle_until_an_answer_hangs_on_them() -> None:
    episode, tree = grown(1, 1)
    assert idle_edges(episode, tree, TreeProgress.of(tree, episode)) == tuple(episode.subgraph.edges)
    answered(episode, tree)
    assert idle_edges(episode, tree, TreeProgress.of(tree, episode)) == ()


def test_edges_off_the_plan_are_idle() -> None:
    episode, tree = grown(1, 1)
    answered(episode, tree)
    hop = Hop("has_genre", True)
    episode.subgraph.learn(cinema().expand_now([WRONG], per_type=9, hops=(hop,)), [WRONG], (hop,))
    stray = episode.subgraph.known[WRONG][hop][0]
    episode.step(AddEdge(stray))
    assert idle_edges(episode, tree, TreeProgress.of(tree, episode)) == (stray,)


def test_stop_and_delete_are_operations_of_their_own() -> None:
    options = np.zeros((4, len(ARCHITECT_OPTION)), dtype=np.float32)
    options[3, IS_DELETE] = 1.0
    assert operations_alone(ARCHITECT, options).tolist() == [True, False, False, True]
    assert operations_alone("PathNavigator", options).tolist() == [True, False, False, False]
