"""The studies of training from their arguments to what they print, on the small cinema."""

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from clause.errors import BadInputError
from clause.evaluation import training_material as material
from clause.lab.commands import evaluate
from clause.policy.train.networks import save
from tests.unit.policy.cinema import DIRECTED, EMBEDDER, STARS, checkpoint, cinema, walk

pytestmark = pytest.mark.slow

RECIPE = """
demonstrations = 6
imitation_epochs = 1
learning_questions = 12
validation = 0
[network]
dimension = 32
hidden = 16
option_hidden = 8
[cloning]
epochs = 2
batch = 16
distractors = 2
[learning]
iterations = 1
episodes = 6
epochs = 1
"""


@pytest.fixture(autouse=True)
def _cinema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "packaged", lambda: (cinema(), EMBEDDER))


@pytest.fixture
def lines(tmp_path: Path) -> str:
    names = dict(zip(cinema().ids, cinema().names, strict=True))
    rows, kinds = [], []
    for film in range(6):
        for wording, kind, pattern in (
            ("who directed [{}]", "movie_to_director", (DIRECTED,)),
            ("who stars in [{}]", "movie_to_actor", (STARS,)),
        ):
            answers = "|".join(sorted(names[node] for node in walk(f"film{film}", pattern)))
            rows.append(f"{wording.format(names[f'film{film}'])}\t{answers}")
            kinds.append(kind)
    (tmp_path / "qa.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "qa_qtype.txt").write_text("\n".join(kinds) + "\n")
    return f"1={tmp_path / 'qa.txt'}"


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    file = tmp_path / "small.toml"
    file.write_text(RECIPE)
    return str(file)


@pytest.fixture
def saved(tmp_path: Path) -> str:
    save(checkpoint(), tmp_path / "made")
    return str(tmp_path / "made")


def run(*words: str) -> Result:
    result = CliRunner().invoke(evaluate.app, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_the_table_is_trained_and_goes_on_from_its_folder(tmp_path: Path, lines: str, recipe: str) -> None:
    words = ["ablations", "--train", lines, "--questions", lines, "--row", "delete-off", "--seeds", "1"]
    words += ["--sample", "4", "--out", str(tmp_path / "table"), "--config", recipe]
    found = json.loads(run(*words, "--json").stdout)
    assert [row["row"] for row in found["rows"]] == ["reference", "delete-off"]
    assert found["n"] == 4
    assert "| delete-off |" in run(*words).stdout


def test_an_unknown_row_is_named(lines: str) -> None:
    with pytest.raises(BadInputError, match="nonsense"):
        run("ablations", "--train", lines, "--questions", lines, "--row", "nonsense")


def test_generalisation_is_measured(lines: str, recipe: str, saved: str) -> None:
    words = ["generalisation", "--train", lines, "--questions", lines, "--seeds", "1", "--sample", "4"]
    found = json.loads(run(*words, "--checkpoint", saved, "--config", recipe, "--json").stdout)
    assert found["renamed_types"]["1"]["n"] == 4
    assert set(found["left_out_types"]["types"]) == {"directed_by", "starred_actors"}


def test_adaptation_and_a_trial_need_no_server(lines: str, saved: str) -> None:
    words = ["--questions", lines, "--sample", "4", "--checkpoint", saved]
    found = json.loads(run("adaptation", *words, "--json").stdout)
    assert [row["change"] for row in found["rows"]] == ["tightened", "loosened"]
    assert "| 1 | 4 |" in run("trial", *words).stdout
