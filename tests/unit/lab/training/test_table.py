"""The table of ablations on the small cinema: each row once, resumed, compared, printed."""

import json
from pathlib import Path

import numpy as np
import pytest

from clause.errors import ConflictError
from clause.lab.report import table_text
from clause.lab.training import table as tables
from clause.lab.training.table import REFERENCE, ROWS, SHORTENED, Study, compared
from clause.lab.training.trial import over_time
from clause.policy.config import Recipe
from tests.unit.policy.train.test_trainer import MATERIAL, RECIPE

pytestmark = pytest.mark.slow

SMALL = RECIPE.model_copy(update={"validation": 0})
NAMES = ["cloned-only", "fixed", "delete-off"]


def study(folder: Path, asked: int = 6) -> Study:
    return Study(SMALL, lambda _recipe: MATERIAL, MATERIAL.questions[:asked], folder)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Study:
    made = study(tmp_path_factory.mktemp("table"))
    made.run(NAMES, [0])
    return made


@pytest.mark.parametrize("name", ROWS)
def test_every_row_is_a_recipe_of_its_own_but_for_the_reference(name: str) -> None:
    shortened = Recipe.read(SHORTENED)
    final = dict.fromkeys(("edges", "steps", "tokens", "chance"), (0.5,) * 4)
    recipe = ROWS[name].recipe(shortened, 1, final)
    assert recipe.seed == 1
    assert (recipe.model_copy(update={"seed": 0}) == shortened) == (name == REFERENCE)


def test_a_finished_row_is_not_done_again(done: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "Training", None)
    told: list[tuple[str, int, int]] = []
    done.run(NAMES, [0], lambda *what: told.append(what))
    assert told[-1] == ("delete-off, seed 0", 4, 4)
    assert not list((done.folder / "at-work").iterdir())


def test_rows_of_another_sample_are_refused(done: Study) -> None:
    with pytest.raises(ConflictError, match="another recipe or sample"):
        study(done.folder, asked=3).run([], [0])


def test_a_killed_row_goes_on_where_it_stopped(tmp_path: Path, done: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    class KilledError(Exception):
        pass

    def dies(*_args: object) -> None:
        raise KilledError

    made = study(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(tables, "trial", dies)
        with pytest.raises(KilledError):
            made.run([], [0])
    assert (tmp_path / "at-work" / f"{REFERENCE}-0" / "state.json").is_file()
    made.run([], [0])
    first, again = (one.results([], [0])[REFERENCE][0] for one in (done, made))
    assert first["scarce"] == again["scarce"]
    assert first["multipliers"] == again["multipliers"]


def test_multipliers_that_are_held_are_those_of_the_reference(done: Study) -> None:
    results = done.results(NAMES, [0])
    assert results["fixed"][0]["multipliers"] == results[REFERENCE][0]["multipliers"]


def test_without_delete_nothing_is_deleted(done: Study) -> None:
    assert done.results(NAMES, [0])["delete-off"][0]["deletes"] == 0.0


def test_rows_are_compared_question_by_question_over_the_seeds() -> None:
    def row(name: str, seed: int, shift: float) -> dict:
        figures = {measure: [0.5 + shift, 0.7 + shift] for measure in tables.COMPARED}
        return {"row": name, "seed": seed, **figures, "deletes": 0.0, "training_s": 1.0}

    lines = compared(
        {
            REFERENCE: [row(REFERENCE, 0, 0.1), row(REFERENCE, 1, -0.1)],
            "mean-only": [row("mean-only", 0, -0.2), row("mean-only", 1, -0.2)],
        }
    )
    assert lines[0]["scarce"] == pytest.approx(0.6)
    assert lines[0]["scarce_spread"] == pytest.approx(np.std([0.7, 0.5], ddof=1))
    assert lines[1]["scarce_difference"]["mean"] == pytest.approx(-0.2)
    assert lines[1]["scarce_difference"]["high"] < 0


def test_the_table_shows_rows_multipliers_and_prices(done: Study) -> None:
    results = done.results(NAMES, [0])
    rounds = over_time(results[REFERENCE], every=2)
    assert [one["round"] for one in rounds] == [1, 2, 4]
    prices = {name: [one["prices"] for one in found] for name, found in results.items()}
    text = table_text({"rows": compared(results), "multipliers": rounds, "prices": prices, "command": "clause x"})
    assert "| delete-off |" in text
    assert "multiplier, chance" in text
    assert text.endswith("`clause x`")
    assert json.dumps(compared(results))
