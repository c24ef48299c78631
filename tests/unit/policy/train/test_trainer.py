import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from clause.errors import BadInputError, ConflictError, NotFoundError
from clause.policy.config import CloningConfig, LearningConfig, Recipe
from clause.policy.train.lessons import AnsweredQuestion, choose, fingerprint, label, plain_types
from clause.policy.train.networks import Checkpoint
from clause.policy.train.rollout import Task
from clause.policy.train.trainer import TensorBoardLog, Training, TrainingMaterial
from tests.unit.policy.cinema import (
    DIRECTED,
    DIRECTS,
    EMBEDDER,
    GENRE,
    NETWORK,
    RELATIONS,
    STARS,
    cinema,
    task,
    types,
    walk,
)

pytestmark = pytest.mark.slow

WORDINGS = {
    "who directed {}": (DIRECTED,),
    "who stars in {}": (STARS,),
    "which genres have films by the director of {}": (DIRECTED, DIRECTS, GENRE),
}
RECIPE = Recipe(
    network=NETWORK,
    cloning=CloningConfig(epochs=4, batch=32, distractors=2),
    learning=LearningConfig(iterations=4, episodes=12, epochs=1, minibatch=64),
    demonstrations=12,
    imitation_epochs=2,
    learning_questions=30,
    validation=2,
    validate_every=2,
)


def questions() -> list[AnsweredQuestion]:
    found = []
    for film in range(12):
        name = f"Blue{film}"
        for wording, pattern in WORDINGS.items():
            text = wording.format(name)
            start = text.find(name)
            found.append(AnsweredQuestion(text, f"film{film}", start, start + len(name), walk(f"film{film}", pattern)))
    return found


MATERIAL = TrainingMaterial(cinema(), questions(), EMBEDDER)


class KilledError(Exception):
    pass


def run(
    folder: Path, *, until: int | None = None, resume: bool = False, recipe: Recipe = RECIPE, workers: int = 1
) -> Checkpoint:
    def report(phase: str, done: int, total: int, figures: dict[str, float]) -> None:
        if phase == "learning" and done == until:
            raise KilledError

    return Training(recipe, MATERIAL, folder, report, workers=workers).run(resume=resume)


def weights(checkpoint: Checkpoint) -> list[torch.Tensor]:
    return [*checkpoint.scorer.state_dict().values(), *checkpoint.actors.state_dict().values()]


def left_behind(folder: Path) -> dict[str, torch.Tensor]:
    """Everything that a run wrote last: reader, actors of the best round and of the last, critic, optimisers."""
    (file,) = folder.glob("state-*.safetensors")
    return load_file(file)


def same(one: Path, other: Path) -> bool:
    first, second = left_behind(one), left_behind(other)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


@pytest.fixture(scope="module")
def unbroken_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("unbroken")


@pytest.fixture(scope="module")
def unbroken(unbroken_folder: Path) -> Checkpoint:
    return run(unbroken_folder)


def test_a_killed_run_resumes_to_the_same_end(unbroken: Checkpoint, unbroken_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        run(tmp_path, until=3)
    assert not same(tmp_path, unbroken_folder)
    resumed = run(tmp_path, resume=True)
    assert all(torch.equal(one, other) for one, other in zip(weights(unbroken), weights(resumed), strict=True))
    assert same(tmp_path, unbroken_folder)
    assert resumed.about.metrics == unbroken.about.metrics


def test_two_workers_give_their_own_weights_every_time_also_when_killed_and_resumed(
    unbroken: Checkpoint, unbroken_folder: Path, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    spread = run(whole, workers=2)
    with pytest.raises(KilledError):
        run(broken, until=3, workers=2)
    with pytest.raises(ConflictError, match="number of workers"):
        run(broken, resume=True)
    resumed = run(broken, resume=True, workers=2)
    assert same(whole, broken)
    assert spread.about.metrics == resumed.about.metrics
    assert spread.about.metrics["cloned"] == unbroken.about.metrics["cloned"]  # nothing is drawn in validation
    assert not same(whole, unbroken_folder)


def test_the_checkpoint_says_how_it_was_made(unbroken: Checkpoint) -> None:
    about = unbroken.about
    assert about.recipe == RECIPE.model_dump(mode="json")
    assert about.data_fingerprint == fingerprint(cinema(), questions())
    assert set(about.metrics) == {"cloned", "trained", "best_iteration", "words"}


def test_a_run_of_another_recipe_is_not_resumed(unbroken: Checkpoint, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        run(tmp_path, until=1)
    with pytest.raises(ConflictError, match="another recipe"):
        run(tmp_path, resume=True, recipe=RECIPE.model_copy(update={"seed": 1}))


def test_a_damaged_state_is_said_to_be_damaged(tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        run(tmp_path, until=1)
    next(tmp_path.glob("state-*.safetensors")).write_bytes(b"no")
    with pytest.raises(BadInputError, match="damaged"):
        run(tmp_path, resume=True)


def test_only_questions_that_a_pattern_answers_are_lessons() -> None:
    right = questions()[0]
    wrong = dataclasses.replace(right, answers=frozenset({"genre0", "actor1"}))
    foreign = dataclasses.replace(right, seed="nowhere")
    assert len(label(cinema(), [right, wrong, foreign], max_hops=3)) == 1
    with pytest.raises(BadInputError, match="no question"):
        label(cinema(), [wrong], max_hops=3)


def test_most_of_what_is_played_has_the_longest_pattern_and_nothing_is_huge() -> None:
    tasks = [task(f"film{film}", pattern) for film in range(12) for pattern in WORDINGS.values()]
    huge = Task(tasks[2].plans, frozenset(map(str, range(500))))
    drawn = choose([*tasks, huge], np.random.default_rng(0), count=12, long_share=0.75, largest=80)
    assert len(drawn) == 12
    assert huge not in drawn
    assert sum(len(one.plans[0].pattern) == 3 for one in drawn) == 9


def test_undescribed_types_get_their_plain_texts() -> None:
    made, known = plain_types(RELATIONS, EMBEDDER), types()
    for name in RELATIONS:
        assert made[name].inverse_text == known[name].inverse_text
        np.testing.assert_array_equal(made[name].embedding, known[name].embedding)


def test_other_data_have_another_fingerprint() -> None:
    first = questions()
    assert fingerprint(cinema(), first) != fingerprint(cinema(), first[1:])


# -- recipes -----------------------------------------------------------------------------------------------------------


def test_the_published_recipe_reads_and_its_seed_can_be_changed() -> None:
    assert Recipe.read().fingerprint != Recipe.read(seed=7).fingerprint
    assert Recipe.read(seed=7).seed == 7


@pytest.mark.parametrize(
    ("text", "said"), [("seed = ", "no TOML"), ("[learning]\nspeed = 3", "learning.speed"), ("seed = -1", "seed")]
)
def test_a_bad_recipe_names_the_field(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(BadInputError, match=said):
        Recipe.read(file)


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no recipe"):
        Recipe.read(tmp_path / "none.toml")


def test_figures_are_written_for_tensorboard(tmp_path: Path) -> None:
    with TensorBoardLog(tmp_path) as board:
        board.write("learning", 1, {"masked_f1": 0.5})
    assert any(file.stat().st_size for file in (tmp_path / "tensorboard").iterdir())
