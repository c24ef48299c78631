"""The critic's head for relevance: fitted to walks, kept in a checkpoint, asked at every hop."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from clause.errors import BadInputError
from clause.policy.serve.agents import LearnedAgents
from clause.policy.serve.decider import Decider
from clause.policy.serve.observations import CONTEXT, COSINES, GainHead, inputs
from clause.policy.train.demonstrations import fitted, serving_networks, with_gain
from clause.policy.train.lessons import AnsweredQuestion
from clause.policy.train.networks import Checkpoint, load, save
from clause.policy.train.rollout import Arena, Result
from clause.policy.train.warm_start import VectorTable
from clause.reasoning.answer.integrations import taken
from clause.reasoning.episode.budget import Budgets, Prices
from tests.unit.policy.cinema import DIRECTED, DIRECTS, EMBEDDER, GENRE, NETWORK, actors, checkpoint, cinema, task, walk

SIZE = len(COSINES) + len(CONTEXT) + NETWORK.option_hidden


def head(seed: int = 0) -> GainHead:
    weights = np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)
    return GainHead(weights, 0.25)


def questions() -> list[AnsweredQuestion]:
    found = []
    for film in range(12):
        name = f"Blue{film}"
        text = f"which genres have films by the director of {name}"
        start = text.find(name)
        answers = walk(f"film{film}", (DIRECTED, DIRECTS, GENRE))
        found.append(AnsweredQuestion(text, f"film{film}", start, start + len(name), answers))
    return found


def test_a_foresight_with_its_cosines_is_the_whole_linear_head() -> None:
    rng = np.random.default_rng(1)
    context = rng.standard_normal(len(CONTEXT)).astype(np.float32)
    key = rng.standard_normal(NETWORK.option_hidden).astype(np.float32)
    told = head().foresight(context, key).expected(0.3, -0.2)
    assert told == pytest.approx(0.25 + float(head().weights @ inputs(0.3, -0.2, context, key)), abs=1e-5)


def test_a_checkpoint_keeps_its_head_and_one_without_still_loads(tmp_path: Path) -> None:
    save(dataclasses.replace(checkpoint(), gain=head()), tmp_path / "with")
    save(checkpoint(), tmp_path / "without")
    found = load(tmp_path / "with").gain
    assert found is not None
    assert found.bias == 0.25
    np.testing.assert_array_equal(found.weights, head().weights)
    assert load(tmp_path / "without").gain is None


@pytest.mark.parametrize(
    "wrong",
    [GainHead(head().weights[:-1], 0.0), GainHead(head().weights, float("nan"))],
    ids=["another size", "no number"],
)
def test_a_head_that_does_not_fit_is_refused(tmp_path: Path, wrong: GainHead) -> None:
    save(dataclasses.replace(checkpoint(), gain=wrong), tmp_path / "policy")
    with pytest.raises(BadInputError, match="does not fit"):
        load(tmp_path / "policy")


def test_an_input_that_hardly_varies_gets_no_large_weight() -> None:
    rng = np.random.default_rng(0)
    rows = np.stack([rng.random(200), 1e-4 * rng.random(200)], axis=1).astype(np.float32)
    found = fitted(rows, 0.3 + 0.4 * rows[:, 0].astype(np.float64) + 1e-3 * rng.standard_normal(200))
    assert found.weights[0] == pytest.approx(0.4, abs=0.01)
    assert abs(found.weights[1]) < 0.1


def walker() -> Checkpoint:
    """A checkpoint of networks that were not trained, but prefer walking to stopping."""
    return dataclasses.replace(checkpoint(), actors=actors(4, loud=True).eval())


def fitted_checkpoint() -> Checkpoint:
    return with_gain(walker(), cinema(), questions(), VectorTable(EMBEDDER), seed=3)


def test_fitting_is_reproducible_and_leaves_the_policy_as_it_was() -> None:
    one, other = fitted_checkpoint().gain, fitted_checkpoint().gain
    assert one is not None
    assert other is not None
    np.testing.assert_array_equal(one.weights, other.weights)
    assert np.isfinite(one.weights).all()
    assert len(one.weights) == SIZE
    assert all(
        torch.equal(value, walker().actors.state_dict()[name])
        for name, value in fitted_checkpoint().actors.state_dict().items()
    )


def test_without_a_walk_there_is_nothing_to_fit() -> None:
    nowhere = [dataclasses.replace(questions()[0], seed="nowhere", answers=frozenset())]
    assert with_gain(checkpoint(), cinema(), nowhere, VectorTable(EMBEDDER)).gain is None


def played(made: Checkpoint) -> tuple[LearnedAgents, Result]:
    arena = Arena(cinema())
    agents = arena.agents(task(), Decider(serving_networks(made.actors)), Prices())
    agents.gain = made.gain
    return agents, arena.play(task(), agents, Budgets(200, 10, 2048), Prices())


def test_each_hop_taken_was_foretold_once_those_taken_back_too() -> None:
    agents, result = played(fitted_checkpoint())
    assert len(agents.foresights) == len(taken(result.episode)) > len(result.episode.trail)


def test_foretelling_changes_no_step() -> None:
    (_, told), (silent, plain) = played(fitted_checkpoint()), played(walker())
    assert silent.foresights == []
    assert told.episode.log == plain.episode.log
