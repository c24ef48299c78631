"""Episodes without responses: prepared once for each question, under any limits and prices."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.errors import NotFoundError
from clause.evaluation.question_files import GoldQuestion, drawn
from clause.evaluation.service import PlayedSystem, Stage
from clause.lab.baselines.relation_path import DepthFirst
from clause.lab.studies import RememberingEmbedder
from clause.lab.training.trial import log_uniform_limits
from clause.reasoning.agents.policy import PolicyBook, SeedCandidate
from clause.reasoning.agents.policy import Question as Prepared
from clause.reasoning.coordinator import Coordinator
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.models import SeedEntity
from clause.reasoning.question.preparation import PreparedQuestion
from tests.fakes.embedder import HashEmbedder
from tests.unit.evaluation.episodes import VIEW, count_words
from tests.unit.evaluation.films import axis, snapshot
from tests.unit.lab.test_baselines import CO_FILMS, always

HEAT = GoldQuestion("who directed films with the actors of Heat", ("De Palma", "Frankenheimer"), "Heat")


class FilmAsker:
    """Prepares questions about Heat, and counts how often."""

    def __init__(self):
        self.asked = []
        self.embedder = SimpleNamespace(embed=None)
        self.texts = None

    async def ask(self, text, prices, view, *, start_nodes=None):
        if start_nodes == ["Nobody"]:
            raise NotFoundError("no entity is called 'Nobody'")
        self.asked.append((text, start_nodes))
        seed = SeedEntity(id="Heat", name="Heat", score=1.0, reason="exact")
        prepared = Prepared(text, axis(0), [SeedCandidate("Heat", "Heat", 1.0)], {}, prices)
        return PreparedQuestion(prepared, view, (seed,), 0.0)


class Greedy(DepthFirst):
    """Depth first; with the masks off it adds all that the plan has."""


def stage(seeds="gold"):
    book = PolicyBook({"null": lambda: Greedy(always(CO_FILMS))}, default="null")
    asker = FilmAsker()
    coordinator = Coordinator(asker, snapshot(), book, count=count_words, reporter=None)
    return Stage(asker, coordinator, VIEW, seeds)


def system(on, budgets, **changes):
    return PlayedSystem(on, "null", lambda _question: budgets, **changes)


async def test_an_episode_becomes_an_outcome():
    outcome = await system(stage(), Budgets(3, 6, 99)).answer(HEAT)
    assert [name for name, _ in outcome.answers] == ["Frankenheimer"]
    assert outcome.supported == {"Frankenheimer"}
    assert (outcome.edges, outcome.steps, outcome.violations) == (3, 3, ())
    assert (outcome.seeds, len(outcome.evidence)) == (("Heat",), 3)
    assert outcome.edges_read > 3


async def test_without_masks_budgets_may_be_exceeded_and_that_is_told():
    outcome = await system(stage(), Budgets(3, 6, 99), hard=False).answer(HEAT)
    assert outcome.violations == ("edges",)
    assert outcome.edges > 3


async def test_a_question_is_prepared_once_for_all_limits_and_prices():
    on = stage()
    for prices in (Prices(), Prices(0.5, 0.5, 0.5)):
        await system(on, Budgets(3, 6, 99), prices=prices).answer(HEAT)
        assert (await on.ask(HEAT, prices)).question.prices == prices
    assert on.asker.asked == [(HEAT.text, ["Heat"])]


async def test_seeds_are_found_in_the_text_unless_they_are_given():
    on = stage("text")
    await system(on, Budgets()).answer(HEAT)
    assert on.asker.asked == [(HEAT.text, None)]


async def test_what_cannot_be_asked_is_an_outcome_with_its_reason():
    outcome = await system(stage(), Budgets()).answer(GoldQuestion("who is it", (), "Nobody"))
    assert outcome.error == "no entity is called 'Nobody'"
    assert outcome.abstained


async def test_vectors_are_made_once():
    class Counting(HashEmbedder):
        texts = 0

        async def embed(self, texts):
            self.texts += len(texts)
            return await super().embed(texts)

    inner = Counting()
    embedder = RememberingEmbedder(inner)
    await embedder.warm()
    assert (embedder.model, embedder.dimension) == (inner.model, inner.dimension)
    first = await embedder.embed(["a", "b", "a"])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(await embedder.embed_query("b"), first[1])
    assert (await embedder.embed([])).shape == (0, inner.dimension)
    assert inner.texts == 2


@given(st.text())
def test_sampled_limits_stay_within_the_ranges_of_training(text):
    limits = log_uniform_limits(GoldQuestion(text, ()))
    assert 3 <= limits.edges <= 200
    assert 2 <= limits.steps <= 10
    assert 64 <= limits.tokens <= 2048
    assert limits == log_uniform_limits(GoldQuestion(text, ("other",)))


@pytest.mark.parametrize("count", [None, 9, 5])
def test_all_questions_are_drawn_where_no_fewer_are_wanted(count):
    questions = [GoldQuestion(mark, ()) for mark in "abcde"]
    assert drawn(questions, count) == questions
