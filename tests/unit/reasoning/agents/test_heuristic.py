"""The heuristic agents: what they take, when they stop, what they leave out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import pytest

from clause.reasoning.agents.heuristic import HeuristicAgents, HeuristicCurator, HeuristicPolicy, stop_probability
from clause.reasoning.agents.policy import Agents, Question
from clause.reasoning.agents.scoring import relevance, shaped_utility
from clause.reasoning.episode.actions import ARCHITECT, CURATOR, NAVIGATOR, Agent, Look, Stop
from clause.reasoning.episode.budget import Budgets, Prices, Unit
from clause.reasoning.episode.driver import MAX_LOOKS, AgentTurn, Driver, PortFeeder, edge_units, unit_vectors
from clause.reasoning.episode.episode import Episode
from clause.reasoning.neighbourhood.snapshot import Snapshot
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import VIEW, ask, embedded_films
from tests.unit.reasoning.films import NAMES


def count(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@dataclass(frozen=True)
class Table:
    """Agents at an episode, each driven alone."""

    episode: Episode
    question: Question
    agents: Agents
    graph: Snapshot

    async def turn(self, agent: Agent) -> AgentTurn:
        feeder = PortFeeder(self.graph, VIEW, self.question, reads_vectors=True)
        return await feeder.feed(Driver(self.episode, self.question, self.agents, count).turn(agent))

    async def architect(self) -> AgentTurn:
        return await self.turn(ARCHITECT)

    async def navigator(self) -> AgentTurn:
        return await self.turn(NAVIGATOR)

    async def curator(self) -> AgentTurn:
        return await self.turn(CURATOR)


async def table_for(
    text: str, seeds: list[str], embedder: HashEmbedder, budgets: Budgets | None = None, prices: Prices | None = None
) -> Table:
    graph = await embedded_films(embedder)
    asked = await ask(text, seeds, graph, embedder, prices)
    agents = await HeuristicPolicy().begin(asked.question, embedder.embed)
    return Table(Episode(seeds, budgets or Budgets()), asked.question, agents, graph)


async def test_the_architect_adds_the_edge_that_reads_like_the_question_first(embedder: HashEmbedder) -> None:
    table = await table_for("who is Heat directed by", ["heat"], embedder)
    await table.architect()
    first = next(iter(table.episode.subgraph.edges))
    assert first.relation == "directed_by"


async def test_the_architect_stops_at_its_budget_and_names_the_best_edge_left(embedder: HashEmbedder) -> None:
    table = await table_for("who is Heat directed by", ["heat"], embedder, Budgets(edges=2))
    turn = await table.architect()
    assert turn.stop == Stop("BUDGET_EXHAUSTED")
    assert table.episode.spend.edges == 2
    assert turn.left_out is not None
    assert turn.left_out.would_cost == 1


async def test_a_dear_edge_is_not_worth_adding(embedder: HashEmbedder) -> None:
    table = await table_for("who is Heat directed by", ["heat"], embedder, prices=Prices(edge=1.0))
    turn = await table.architect()
    assert turn.stop == Stop("GAIN_NEGATIVE")
    assert table.episode.spend.edges == 0


async def test_without_seeds_there_are_no_candidates(embedder: HashEmbedder) -> None:
    table = await table_for("who is it", [], embedder)
    assert (await table.architect()).stop == Stop("NO_CANDIDATES")
    assert (await table.navigator()).stop == Stop("COMPLETE")
    assert (await table.curator()).stop == Stop("NO_CANDIDATES")


async def test_the_navigator_answers_a_one_hop_question(embedder: HashEmbedder) -> None:
    table = await table_for("Heat directed by", ["heat"], embedder)
    await table.architect()
    await table.navigator()
    assert table.episode.front is not None
    assert table.episode.trail[0].nodes == ("mann",)


async def test_a_walk_alone_reads_the_graph_as_it_goes(embedder: HashEmbedder) -> None:
    table = await table_for("Heat directed by", ["heat"], embedder)
    alone = replace(table, episode=Episode(["heat"], Budgets(steps=1), walk_known=True))
    turn = await alone.navigator()
    assert alone.episode.spend.steps == 1
    assert alone.episode.subgraph.edges_read > 0
    assert turn.agent == NAVIGATOR


async def test_answer_scores_stay_in_bounds(embedder: HashEmbedder) -> None:
    table = await table_for("Heat directed by", ["heat"], embedder)
    await table.architect()
    await table.navigator()
    scores = table.agents.answer_scores(table.episode)
    assert scores
    assert all(0.0 <= score <= 1.0 for score in scores.values())


def test_the_termination_head_prefers_the_better_place() -> None:
    assert stop_probability(0.9, 0.1) > 0.5 > stop_probability(0.1, 0.9)


async def curated(
    units: list[Unit], embedder: HashEmbedder, budgets: Budgets, price: float = 0.01
) -> tuple[Episode, Stop]:
    graph: Snapshot = await embedded_films(embedder)
    asked = await ask("crime films of Michael Mann", ["mann"], graph, embedder, Prices(token=price))
    vectors = await embedder.embed([unit.text for unit in units])
    asked.question.vectors.update({unit.id: vector for unit, vector in zip(units, vectors, strict=True)})
    episode = Episode([], budgets)
    episode.offer(units)
    curator = HeuristicCurator(asked.question)
    while not isinstance((decision := curator.decide(episode)).action, Stop):
        episode.step(decision.action, decision.score)
    return episode, decision.action


def unit(text: str, tokens: int) -> Unit:
    return Unit(text, text, tokens)


async def test_a_unit_that_does_not_fit_is_skipped_and_is_no_reason_to_stop(embedder: HashEmbedder) -> None:
    pool = [unit("crime films of Michael Mann", 50), unit("films of Mann", 5), unit("crime films", 5)]
    episode, _ = await curated(pool, embedder, Budgets(tokens=10))
    assert sorted(episode.picked) == [1, 2]


async def test_the_second_of_two_twins_is_worth_less_than_something_new(embedder: HashEmbedder) -> None:
    pool = [unit("crime films Michael Mann", 5), unit("crime films Michael  Mann", 5), unit("films of crime", 5)]
    episode, _ = await curated(pool, embedder, Budgets(tokens=100))
    assert episode.picked == [0, 2, 1]


async def test_at_least_one_unit_is_picked_when_anything_fits(embedder: HashEmbedder) -> None:
    episode, stop = await curated([unit("rain", 5), unit("snow", 5)], embedder, Budgets(tokens=100), price=1.0)
    assert len(episode.picked) == 1
    assert stop == Stop("GAIN_NEGATIVE")


async def test_nothing_fits_nothing_is_picked(embedder: HashEmbedder) -> None:
    episode, stop = await curated([unit("films", 500)], embedder, Budgets(tokens=100))
    assert episode.picked == []
    assert stop == Stop("BUDGET_EXHAUSTED")


def pool_of(seed: int, size: int) -> tuple[list[Unit], Question]:
    """Units around a question, every third as another: ties of their utilities."""
    drawn = np.random.default_rng(seed)
    asked = drawn.normal(size=16)
    vectors = asked + 1.5 * drawn.normal(size=(size, 16))
    vectors[::3] = vectors[0]
    units = [Unit(str(place), str(place), int(drawn.integers(3, 6))) for place in range(size)]
    question = Question("", (asked / np.linalg.norm(asked)).astype(np.float32), [], {}, Prices(token=float(seed % 4)))
    question.vectors.update({unit.id: vector.astype(np.float32) for unit, vector in zip(units, vectors, strict=True)})
    return units, question


def picked_one_by_one(units: list[Unit], question: Question, tokens: int, least: float) -> list[int]:
    """The picks by a slow loop over places: the greatest utility, of equal ones the first, while it is above 0."""
    vectors = unit_vectors(units, question).astype(np.float64)
    near, overlap = vectors @ question.embedding.astype(np.float64), np.zeros(len(units))
    picked: list[int] = []
    while True:
        scores = relevance(near, overlap, len(picked))
        worth = [
            (shaped_utility(float(scores[place]), unit.tokens, question.prices.token), -place)
            for place, unit in enumerate(units)
            if place not in picked and near[place] >= least and unit.tokens <= tokens
        ]
        utility, place = max(worth, default=(0.0, 0))
        if not worth or (utility <= 0 and picked):
            return picked
        picked.append(-place)
        tokens -= units[-place].tokens
        overlap = overlap + vectors @ vectors[-place]


@pytest.mark.parametrize("seed", range(12))
def test_the_curator_picks_as_a_loop_over_every_place_does(seed: int) -> None:
    units, question = pool_of(seed, size=1 + 5 * seed)
    for tokens, least in ((1000, -1.0), (60, -1.0), (60, 0.4)):
        episode = Episode([], Budgets(tokens=tokens))
        episode.offer(units)
        turn = Driver(episode, question, HeuristicAgents(question, least_bearing=least), count).turn(CURATOR)
        with pytest.raises(StopIteration):
            next(turn)
        assert episode.picked == picked_one_by_one(units, question, tokens, least)


def test_five_hundred_snippets_are_picked_from_in_a_moment() -> None:
    units, question = pool_of(0, size=500)
    took = []
    for _ in range(3):
        episode = Episode([], Budgets(tokens=8192))
        episode.offer(units)
        began = time.process_time()
        with pytest.raises(StopIteration):
            next(Driver(episode, question, HeuristicAgents(question), count).turn(CURATOR))
        took.append(time.process_time() - began)
        assert len(episode.picked) > 400
    assert min(took) < 0.5, "the event loop waits for it"


async def test_triples_are_units_with_sentences_and_composed_vectors(embedder: HashEmbedder) -> None:
    table = await table_for("Heat directed by", ["heat"], embedder)
    await table.architect()
    units = edge_units(table.episode, table.question, count)
    assert f"{NAMES['heat']} directed by {NAMES['mann']}." in {unit.text for unit in units}
    table.episode.offer(units)
    turn = await table.curator()
    assert turn.agent == CURATOR
    assert table.episode.picked


class Reader(HeuristicAgents):
    """Looks for ever."""

    def architect(self, episode: Episode):  # type: ignore[no-untyped-def]
        decision = super().architect(episode)
        return replace(decision, action=Look(("heat",)))


async def test_an_agent_that_looks_for_ever_is_stopped(embedder: HashEmbedder) -> None:
    table = await table_for("Heat directed by", ["heat"], embedder)
    endless = replace(table, agents=Reader(table.question))
    turn = await endless.architect()
    assert turn.stop == Stop("NO_CANDIDATES")
    assert turn.agent == ARCHITECT
    assert MAX_LOOKS < 100
