"""What is expected of a hop: the critic first, then the policy's own score, then running means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clause.intelligence.curiosity import RunningMean, Surprise, realised
from clause.reasoning.agents.policy import Foresight, Question
from clause.reasoning.answer.integrations import (
    best_cosine,
    nodes_looked_at,
    read_vectors,
    relation_cosine,
    surprises_of,
    taken,
)
from clause.reasoning.episode.actions import AddEdge, Continue
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.episode.episode import Episode
from tests.fakes.embedder import HashEmbedder
from tests.unit.reasoning.asking_fakes import ask, embedded_films
from tests.unit.reasoning.films import DIRECTED, DIRECTS, edge

SCORE = 0.35


@pytest.fixture
async def walked() -> tuple[Episode, Question]:
    """From Heat to its director, and on to another film of his."""
    embedder = HashEmbedder()
    graph = await embedded_films(embedder)
    asked = await ask("who directed heat", ["heat"], graph, embedder)
    episode = Episode(["heat"], Budgets())
    for one in (edge("heat", "directed_by", "mann"), edge("ali", "directed_by", "mann")):
        episode.step(AddEdge(one))
    episode.step(Continue(DIRECTED, seed="heat"), SCORE)
    episode.step(Continue(DIRECTS, seed="heat"), SCORE)
    await read_vectors(graph, taken(episode), asked.question)
    return episode, asked.question


def errors(walked: tuple[Episode, Question], **more: object) -> list[Surprise]:
    episode, question = walked
    return surprises_of(taken(episode), episode, question, **{"judged": False, **more})  # type: ignore[arg-type]


async def test_what_the_critic_foretold_is_expected_first(walked: tuple[Episode, Question]) -> None:
    episode, question = walked
    foresights = [Foresight(0.1, 0.2, 0.3), Foresight(0.4, 0.0, 0.0)]
    first, second = errors(walked, judged=True, foresights=foresights)
    hop = taken(episode)[0]
    before = best_cosine(hop.before, question)
    assert before == pytest.approx(float(question.vectors["heat"] @ question.embedding))
    assert first.expected == pytest.approx(0.1 + 0.2 * before + 0.3 * relation_cosine(DIRECTED, question))
    assert first.realised == realised(best_cosine(hop.after, question) - before)
    assert second.expected == 0.4


async def test_an_estimate_outside_the_scale_is_cut_to_it(walked: tuple[Episode, Question]) -> None:
    found = errors(walked, foresights=[Foresight(7.0, 0.0, 0.0), Foresight(-7.0, 0.0, 0.0)])
    assert [one.expected for one in found] == [1.0, 0.0]


async def test_without_a_critic_the_hop_s_score_counts_where_hops_are_judged_else_the_running_mean(
    walked: tuple[Episode, Question],
) -> None:
    _, question = walked
    assert [one.expected for one in errors(walked, judged=True)] == [SCORE, SCORE]
    mean = RunningMean(97, 97 * 0.5)
    kind = question.relationship_types["directed_by"]
    question.relationship_types = {"directed_by": replace(kind, gains={True: mean})}
    assert [one.expected for one in errors(walked)] == [mean.expected, RunningMean().expected]


async def test_a_type_that_nobody_registered_is_foretold_by_the_critic_alone(
    walked: tuple[Episode, Question],
) -> None:
    _, question = walked
    question.relationship_types = {}
    assert errors(walked) == []
    assert relation_cosine(DIRECTED, question) == 0.0
    assert len(errors(walked, foresights=[Foresight(0.5, 0.0, 0.9)] * 2)) == 2


async def test_vectors_are_read_of_the_root_and_of_the_ends_of_what_was_reached(
    walked: tuple[Episode, Question],
) -> None:
    episode, question = walked
    assert set(nodes_looked_at(taken(episode))) == {"heat", "mann", "ali"} == set(question.vectors)
