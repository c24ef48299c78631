"""Answers out of what is kept in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from clause.arrays import Floats, Vector
from clause.reasoning.agents.policy import ProvedAnswer, Question
from clause.reasoning.agents.statements import NOTHING_KEPT, StatementPolicy
from clause.reasoning.episode.actions import Look
from clause.reasoning.episode.budget import Budgets, Prices
from clause.reasoning.episode.driver import Driver, begun, feed_from
from clause.reasoning.neighbourhood.port import Edge, Expansion, FoundText, Hop, Node
from clause.reasoning.neighbourhood.snapshot import Snapshot
from clause.text.tokens import content_words
from tests.fakes.embedder import HashEmbedder

WORDS = HashEmbedder(256)
KEPT: Mapping[str, tuple[str, str, float | None, int, int]] = {
    "pump": ("belief", "The pump in the barn was repaired by Ines Falk.", 0.6, 1, 1),
    "rumour": ("belief", "The dam will be opened in March.", 0.9, 1, 1),
    "hearsay": ("belief", "The dam will be opened in April.", 0.9, 1, 5),
    "dam": ("belief", "The dam will be opened in October.", 0.9, 3, 3),
    "whisper": ("belief", "The dam there will be opened in March.", 0.9, 1, 1),
    "three": ("belief", "The weir will be opened in May.", 0.9, 1, 3),
    "one": ("belief", "The weir there will be opened in June.", 0.9, 1, 1),
    "goat": ("memory", "Oskar: the goat ate my notes again", None, 0, 0),
    "page": ("passage", "The pump in the barn was repaired by a page of a book.", None, 0, 0),
}
ENTITY = Node("falk", "Ines Falk", "entity", 1)


async def _compared(asked: str, texts: Sequence[str]) -> Floats:
    """The share of the question's words that a text says, as the trained reader's: 10 nats for all, .6 explained."""
    words = [word.lower() for word in content_words(asked)]
    shares = [sum(word in text.lower() for word in words) / len(words) for text in texts]
    return np.array([(10 * share, 0.6 * share) for share in shares], dtype=np.float32)


async def _beside(asked: str, texts: Sequence[str]) -> Floats:
    """The same read beside each other: 2 nats for all words, -2 for none."""
    return 0.4 * (await _compared(asked, texts))[:, 0] - 2


POLICY = StatementPolicy(_compared, _beside)


class Kept:
    """The statements, and the one entity that one of them mentions."""

    def __init__(self, *ids: str) -> None:
        self.nodes = {one: Node(one, "", KEPT[one][0], text=KEPT[one][1]) for one in ids}

    async def recall(self, _limit: int) -> Sequence[FoundText]:
        return [FoundText(node, 1.0, 1.0, *KEPT[one.split()[0]][2:]) for one, node in self.nodes.items()]

    async def expand(self, look: Look) -> Expansion:
        edge = Edge("pump", "MENTIONS", "falk")
        here = {one: {Hop("MENTIONS", True): (edge,)} if one == "pump" else {} for one in look.nodes}
        return Expansion(here, {**{one: self.nodes[one] for one in look.nodes}, "falk": ENTITY})

    async def vectors(self, nodes: Sequence[str]) -> Mapping[str, Vector]:
        return {one: (await WORDS.embed([KEPT[one.split()[0]][1]]))[0] for one in nodes}

    async def ask(
        self, text: str, budgets: Budgets | None = None, policy: StatementPolicy = POLICY
    ) -> tuple[Sequence[ProvedAnswer], str | None, list[str]]:
        """The answers, why there is none, and the evidence."""
        question = Question(text, (await WORDS.embed([text]))[0], [], {}, Prices())
        question.recall, question.expand, question.read_vectors = self.recall, self.expand, self.vectors
        question.embed_tokens = WORDS.embed_tokens
        agents = await policy.begin(question, _embed)
        episode = begun(question, agents, budgets or Budgets(50, 10, 200))
        feed_from(Snapshot.build({}, ()), Driver(episode, question, agents, _count).rounds())
        assert not (budgets or Budgets(50, 10, 200)).exceeded_by(episode.spend)
        return agents.findings(episode), agents.account.reason, [episode.pool[place].id for place in episode.picked]


async def _embed(texts: Sequence[str]) -> Floats:
    return np.zeros((len(texts), 256), dtype=np.float32)


def _count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


async def test_who_it_was_comes_before_the_statement_that_says_so() -> None:
    answers, _, evidence = await Kept("goat", "pump", "dam").ask("who repaired the pump in the barn?")
    assert [(one.name, one.node) for one in answers[:2]] == [("Ines Falk", "falk"), (KEPT["pump"][1], "pump")]
    assert {one.statement.id for one in answers[:2] if one.statement} == {"pump"}
    assert evidence[0] == "pump"


async def test_an_entity_that_cannot_be_walked_to_leaves_the_statement() -> None:
    answers, *_ = await Kept("goat", "pump").ask("who repaired the pump in the barn?", Budgets(0, 0, 200))
    assert [one.node for one in answers] == ["pump"]


async def test_what_is_held_surely_stands_before_a_rumour() -> None:
    answers, *_ = await Kept("rumour", "hearsay", "dam", "goat").ask("when will the dam be opened?")
    assert [one.name for one in answers[:2]] == ["October", KEPT["dam"][1]]


async def test_sources_that_one_author_names_count_less_than_those_that_spoke() -> None:
    answers, *_ = await Kept("rumour", "hearsay", "goat").ask("when will the dam be opened?")
    assert answers[0].name == "April"
    answers, *_ = await Kept("hearsay", "dam").ask("when will the dam be opened?")
    assert answers[0].name == "October"


async def test_a_rumour_in_the_words_of_the_question_gives_way_to_what_five_say() -> None:
    question = "when will the dam there be opened?"
    answers, *_ = await Kept("whisper", "goat").ask(question)
    assert answers[0].name == "March"
    answers, *_ = await Kept("whisper", "hearsay", "goat").ask(question)
    assert answers[0].name == "April"
    assert "March" not in {one.name for one in answers}


async def test_what_three_are_named_for_stands_before_what_one_says() -> None:
    question = "when will the weir there be opened?"
    alone, *_ = await Kept("one", "goat").ask(question)
    assert alone[0].name == "June"
    answers, *_ = await Kept("one", "three", "goat").ask(question)
    assert answers[0].name == "May"
    assert "June" not in {one.name for one in answers}


async def test_what_the_question_hardly_explains_is_no_sure_answer() -> None:
    explained, *_ = await Kept("pump", "goat", "dam").ask("who repaired the pump in the barn?")
    hardly, *_ = await Kept("pump", "goat", "dam").ask("who painted the doors of the barn?")
    assert hardly[0].score < POLICY.abstain_below <= explained[0].score


async def test_what_answers_nothing_when_read_beside_the_question_is_no_sure_answer() -> None:
    async def doubts(_asked: str, texts: Sequence[str]) -> Floats:
        return np.full(len(texts), -4.0, dtype=np.float32)

    asked = "who repaired the pump in the barn?"
    sure, *_ = await Kept("pump", "goat", "dam").ask(asked)
    unsure, *_ = await Kept("pump", "goat", "dam").ask(asked, policy=StatementPolicy(_compared, doubts))
    assert unsure[0].name == sure[0].name == "Ines Falk"
    assert unsure[0].score < POLICY.abstain_below <= sure[0].score


async def test_a_statement_without_what_is_wanted_is_no_sure_answer() -> None:
    known, *_ = await Kept("goat", "pump").ask("who repaired the pump in the barn?")
    silent, *_ = await Kept("goat", "pump").ask("how many repaired the pump in the barn?")
    least = POLICY.abstain_below
    assert silent[0].score < least <= known[0].score


async def test_a_statement_that_the_tokens_do_not_hold_answers_nothing() -> None:
    answers, _, evidence = await Kept("goat", "pump").ask("who repaired the pump in the barn?", Budgets(50, 10, 3))
    assert not answers
    assert not evidence


async def test_leading_nothing_proves_nothing() -> None:
    question = "who was the mayor of Samarkand in 1880?"
    alone, *_ = await Kept("goat").ask(question)
    assert alone[0].score < POLICY.abstain_below


async def test_passages_are_no_statements() -> None:
    answers, reason, evidence = await Kept("page").ask("who repaired the pump in the barn?")
    assert not answers
    assert reason == NOTHING_KEPT
    assert evidence == ["page"]
