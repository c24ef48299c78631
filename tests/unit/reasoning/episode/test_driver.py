"""The driver: fed from the port as answers are, and from a snapshot as training is, it plays the same episodes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.errors import UnavailableError
from clause.policy.serve.agents import LearnedAgents
from clause.policy.serve.decider import Decider
from clause.policy.train.demonstrations import serving_networks
from clause.policy.train.rollout import Arena
from clause.reasoning.agents.heuristic import HeuristicAgents
from clause.reasoning.agents.policy import Agents, Decision, PlainAgents, Question
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Look, Stop
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.episode.driver import MAX_LOOKS, Driver, Found, PortFeeder, Search, Turns, feed_from
from clause.reasoning.episode.episode import Episode, Step
from clause.reasoning.neighbourhood.port import FoundText, Hop, Node, View
from clause.text.tokens import count_all
from tests.unit.policy.cinema import DIMENSION, DIRECTED, DIRECTS, GENRE, STARS, actors, cinema, task

ARENA = Arena(cinema())
PATTERNS = [(DIRECTED,), (STARS, STARS.inverse), (DIRECTED, DIRECTS, STARS), (DIRECTED, DIRECTS, GENRE)]


def learned(film: str, pattern: tuple[Hop, ...], weights: int) -> LearnedAgents:
    decider = Decider(serving_networks(actors(weights, loud=True)))
    return ARENA.agents(task(film, pattern), decider, Prices())


def question() -> Question:
    return Question("who", np.zeros(DIMENSION, dtype=np.float32), (), cinema().types, Prices())


class Endless(PlainAgents):
    """Look for ever, for other nodes each time."""

    def __init__(self) -> None:
        self.looked = 0

    def _look(self) -> Decision[Any]:
        self.looked += 1
        return Decision(Look((f"film{self.looked % 24}",)))

    def architect(self, episode: Episode) -> Decision[Any]:
        return self._look()

    def navigator(self, episode: Episode) -> Decision[Any]:
        return self._look()

    def curator(self, episode: Episode) -> Decision[Any]:
        return Decision(Stop("NO_CANDIDATES"))

    def answer_scores(self, episode: Episode) -> Mapping[str, float]:
        return {}


def outcome(episode: Episode, turns: Turns, agents: Agents) -> dict[str, Any]:
    """Everything that an answer is made of."""
    return {
        "log": episode.log,
        "stops": [(turn.agent, turn.stop, turn.left_out) for turn in sum(turns.values(), ())],
        "known": episode.subgraph.known,
        "read": episode.subgraph.edges_read,
        "pool": episode.pool,
        "picked": episode.picked,
        "spend": episode.spend,
        "scores": dict(agents.answer_scores(episode)),
    }


async def both(make: Any, seeds: Sequence[str], budgets: Budgets, *, rounds: int = 1) -> list[dict[str, Any]]:
    """The outcome of the port's feeder, then of the snapshot's; `make` gives fresh agents."""
    found = []
    for feed_by_port in (True, False):
        asked, agents = question(), make()
        episode = Episode(seeds, budgets, edge_score=agents.edge_score)
        reading = Driver(episode, asked, agents, count_all).rounds(rounds)
        if feed_by_port:
            turns = await PortFeeder(cinema(), View(()), asked, reads_vectors=False).feed(reading)
        else:
            turns = feed_from(cinema(), reading)
        found.append(outcome(episode, turns, agents))
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(PATTERNS),
    st.integers(0, 23),
    st.integers(0, 5),
    st.builds(Budgets, st.integers(1, 30), st.integers(1, 6), st.integers(1, 300)),
    st.integers(1, 2),
)
async def test_both_feeders_give_the_same_episode(
    pattern: tuple[Hop, ...], film: int, weights: int, budgets: Budgets, rounds: int
) -> None:
    seed = f"film{film}"
    served, trained = await both(lambda: learned(seed, pattern, weights), [seed], budgets, rounds=rounds)
    assert served == trained
    assert [agent for agent, _, _ in served["stops"]] == [ARCHITECT] * rounds + [NAVIGATOR] * rounds + [
        CURATOR
    ] * rounds


async def test_agents_that_read_whole_nodes_play_the_same_too() -> None:
    def heuristic() -> HeuristicAgents:
        return HeuristicAgents(question())

    served, trained = await both(heuristic, ["film1"], Budgets())
    assert served == trained


async def test_who_looks_for_ever_is_stopped_after_64_looks_whoever_feeds() -> None:
    agents: list[Endless] = []

    def endless() -> Endless:
        agents.append(Endless())
        return agents[-1]

    served, trained = await both(endless, ["film1"], Budgets())
    assert served == trained
    assert [stop for _, stop, _ in served["stops"]] == [Stop("NO_CANDIDATES")] * 3
    assert [step.action for step in served["log"]] == [Stop("NO_CANDIDATES")] * 3
    assert [one.looked for one in agents] == [2 * (MAX_LOOKS + 1)] * 2


async def test_the_arena_of_training_plays_what_an_answer_plays() -> None:
    budgets = Budgets(9, 3, 200)
    served, _ = await both(lambda: learned("film2", PATTERNS[3], 4), ["film2"], budgets)
    after: list[Step] = []
    result = ARENA.play(
        task("film2", PATTERNS[3]),
        learned("film2", PATTERNS[3], 4),
        budgets,
        Prices(),
        after=lambda episode: after.append(episode.log[-1]),
    )
    assert result.episode.log == served["log"] == after
    assert result.episode.pool == served["pool"]


def test_a_small_pool_is_searched_for_once_and_a_large_one_not() -> None:
    wanted = []
    for size in (3, 30):
        episode = Episode([], Budgets())
        reading = Driver(episode, question(), Endless(), count_all)._fill_pool()
        episode.subgraph.nodes = {
            str(number): Node(str(number), "x", "passage", text=f"t{number}") for number in range(size)
        }
        episode.subgraph.seeds = tuple(episode.subgraph.nodes)
        wanted.append(list(reading_of(reading)))
    assert wanted == [[Search()], []]


def reading_of(reading: Any) -> Any:
    """What is wanted, everything answered with nothing."""
    try:
        one = next(reading)
        while True:
            yield one
            one = reading.send(Found())
    except StopIteration:
        return


@pytest.mark.parametrize("per_type", [None, 3])
def test_a_look_carries_its_cap(per_type: int | None) -> None:
    class OneLook(Endless):
        def architect(self, episode: Episode) -> Decision[Any]:
            return Decision(Stop()) if episode.subgraph.known else Decision(Look(("film1",), None, per_type))

    episode = Episode(["film1"], Budgets())
    look = next(Driver(episode, question(), OneLook(), count_all).turn(ARCHITECT))
    assert look == Look(("film1",), None, per_type or 50)


class Away:
    """Texts whose server is away; counts who asks."""

    asked = 0

    async def nearest(self, *_: object, **__: object) -> Sequence[Node]:
        self.asked += 1
        raise UnavailableError("Neo4j is away")

    async def recall(self, *_: object, **__: object) -> Sequence[FoundText]:
        return ()


async def test_texts_are_asked_for_once_and_miss_only_where_they_are_wanted() -> None:
    def reads(*wanted: Look | Search) -> Any:
        for one in wanted:
            assert isinstance((yield one), Found)
        return "read"

    texts = Away()
    feeder = PortFeeder(cinema(), View(()), question(), reads_vectors=False, texts=texts)
    assert await feeder.feed(reads(Look(("film1",)), Look(("film2",)))) == "read"
    await asyncio.sleep(0)  # nobody waited for them
    assert texts.asked == 1
    with pytest.raises(UnavailableError):
        await feeder.feed(reads(Look(("film1",)), Search()))
    assert texts.asked == 2
