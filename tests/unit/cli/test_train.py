import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from clause.cli import train
from clause.errors import BadInputError
from clause.evaluation import training_material as material
from clause.evaluation.question_files import GoldQuestion, read_questions
from clause.policy.config import CloningConfig, LearningConfig, Recipe
from clause.policy.train.networks import load, save
from clause.reasoning.models import SeedEntity
from clause.reasoning.neighbourhood.port import View
from clause.reasoning.neighbourhood.snapshot import Snapshot
from tests.unit.policy.cinema import DIRECTED, EMBEDDER, NETWORK, STARS, actors, checkpoint, cinema, walk

pytestmark = pytest.mark.slow

RECIPE = """
demonstrations = 6
imitation_epochs = 1
learning_questions = 12
validation = 2
[network]
dimension = 32
hidden = 16
option_hidden = 8
[cloning]
epochs = 2
[learning]
iterations = 1
episodes = 6
epochs = 1
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    file = tmp_path / "recipe.toml"
    file.write_text(RECIPE)
    return file


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    names = dict(zip(cinema().ids, cinema().names, strict=True))
    rows = []
    for film in range(10):
        topic = names[f"film{film}"]
        for wording, pattern in (("who directed [{}]", (DIRECTED,)), ("who stars in [{}]", (STARS,))):
            answers = "|".join(sorted(names[node] for node in walk(f"film{film}", pattern)))
            rows.append(f"{wording.format(topic)}\t{answers}")
    file = tmp_path / "qa.txt"
    file.write_text("\n".join(rows) + "\n")
    return file


def test_a_checkpoint_that_was_trained_before_gets_the_head_for_relevance(
    tmp_path: Path, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "packaged", lambda: (cinema(), EMBEDDER))
    path = tmp_path / "old"
    save(
        replace(checkpoint(), about=replace(checkpoint().about, embedder=EMBEDDER.model), actors=actors(4, loud=True)),
        path,
    )
    assert load(path).gain is None
    command = ["gain", "--questions", f"1={lines}", "--checkpoint", str(path), "--json"]
    result = CliRunner().invoke(train.app, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"checkpoint": str(path), "fitted": True}
    assert load(path).gain is not None


def test_training_ends_with_a_checkpoint_and_one_json_object(
    tmp_path: Path, recipe: Path, lines: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(material, "packaged", lambda: (cinema(), EMBEDDER))
    out = tmp_path / "run"
    command = [
        "metaqa",
        "--questions",
        f"1={lines}",
        "--config",
        str(recipe),
        "--out",
        str(out),
        "--seed",
        "3",
        "--json",
    ]
    result = CliRunner().invoke(train.app, command)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["checkpoint"] == str(out / "policy")
    assert "trained" in printed["metrics"]
    assert (out / "policy.safetensors").is_file()
    assert json.loads((out / "policy.json").read_text())["recipe"]["seed"] == 3
    assert "learning 1 of 1" in result.stderr


def test_a_further_graph_is_trained_on_beside_the_packaged_one(tmp_path: Path, lines: Path) -> None:
    (tmp_path / "mill.txt").write_text("Old Mill|grinds|rye\nOld Mill|grinds|oats\n")
    asked = {"question": "what does Old Mill grind", "answers": ["rye", "oats"], "entity": "Old Mill"}
    (tmp_path / "mill.jsonl").write_text(json.dumps(asked))
    mill = material.read_triples(tmp_path / "mill.txt", "1:"), read_questions(tmp_path / "mill.jsonl")
    made = material.drawn_for(cinema(), EMBEDDER, [read_questions(lines)], Recipe(), [mill])
    assert len(made.snapshot.ids) == len(cinema().ids) + 3
    assert set(made.snapshot.types) == {"directed_by", "has_genre", "starred_actors", "grinds"}
    assert made.snapshot.types["starred_actors"] == cinema().types["starred_actors"]
    (last,) = made.questions[20:]
    assert (last.seed, last.answers) == ("1:Old Mill", frozenset({"1:rye", "1:oats"}))
    edges = made.snapshot.expand_now([last.seed], per_type=9).neighbours[last.seed]
    assert {edge.target for row in edges.values() for edge in row} == last.answers
    with pytest.raises(BadInputError, match="TRIPLES=QUESTIONS"):
        CliRunner().invoke(
            train.app, ["metaqa", "--questions", f"1={lines}", "--graph", "mill.txt"], catch_exceptions=False
        )


def test_workers_are_refused_where_no_episode_is_played(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(json.dumps({"question": "who directed Heat", "answers": ["Mann"]}))
    with pytest.raises(BadInputError, match="--agents"):
        CliRunner().invoke(
            train.app, ["own", str(file), "--scope", "kg:mine", "--workers", "2"], catch_exceptions=False
        )


def test_own_questions_are_trained_on_the_explored_graph(
    tmp_path: Path, recipe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = dict(zip(cinema().ids, cinema().names, strict=True))
    asked = [
        GoldQuestion(f"who directed {names[f'film{film}']}", tuple(names[n] for n in walk(f"film{film}", (DIRECTED,))))
        for film in range(24)
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(json.dumps({"question": q.text, "answers": q.answers}) for q in asked))

    taught: list[str] = []

    async def explored(questions: list[GoldQuestion], scopes: list[str]):
        assert scopes == ["kg:mine"]
        taught.extend(question.text for question in questions)
        ids = {name: node for node, name in names.items()}
        found = []
        for question in questions:
            name = question.text.removeprefix("who directed ")
            start = question.text.find(name)
            found.append(material.answered(question, ids[name], (start, start + len(name)), ids))
        return cinema(), found, "hash"

    monkeypatch.setattr(train, "_explored", explored)
    monkeypatch.setattr("clause.text.embedder.SentenceTransformerEmbedder", lambda model: EMBEDDER)
    command = ["own", str(file), "--scope", "kg:mine", "--config", str(recipe), "--out", str(tmp_path / "run")]
    result = CliRunner().invoke(train.app, command)
    assert result.exit_code == 0, result.output
    assert "policy" in result.stdout
    about = json.loads((tmp_path / "run" / "policy.json").read_text())
    aside = {one["question"] for one in about["kept_aside"]}
    assert len(aside) == 6
    assert sorted([*aside, *taught]) == sorted(question.text for question in asked)


def test_own_questions_teach_the_shipped_reader_unless_agents_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(json.dumps({"question": "who directed Heat", "answers": ["Mann"]}))
    told = []

    async def taught(questions: list[GoldQuestion], scopes: list[str], out: Path, **how: object) -> dict[str, float]:
        told.append((questions[0].text, scopes, how))
        return {"right": 0.5}

    monkeypatch.setattr(train, "_taught", taught)
    command = ["own", str(file), "--scope", "kg:mine", "--out", str(tmp_path / "run"), "--resume", "--json"]
    result = CliRunner().invoke(train.app, command)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"checkpoint": str(tmp_path / "run" / "policy"), "metrics": {"right": 0.5}}
    assert told == [("who directed Heat", ["kg:mine"], {"resume": True, "seed": 0})]


def test_bracketed_entities_that_the_graph_lacks_are_left_out() -> None:
    name = cinema().names[cinema().ids.index("film0")]
    questions = [
        GoldQuestion(f"who directed {name}", ("Director1", "Nobody"), name),
        GoldQuestion("who", ("x",), "nowhere"),
    ]
    found = material.bracketed(cinema(), questions)
    assert [question.masked for question in found] == ["who directed it"]
    assert found[0].missing == 1


def test_help_names_both_ways_to_train() -> None:
    shown = CliRunner().invoke(train.app, ["--help"]).output
    assert re.search(r"metaqa", shown)
    assert re.search(r"own", shown)


def test_the_recipe_s_defaults_are_the_published_settings() -> None:
    assert Recipe.read().learning == LearningConfig()
    assert Recipe.read().cloning == CloningConfig(epochs=16)
    assert NETWORK.dimension == 32


def test_the_packaged_sample_is_a_snapshot_without_any_server() -> None:
    snapshot, embedder = material.packaged()
    assert len(snapshot.ids) > 40_000
    assert "directed_by" in snapshot.relations
    assert embedder.model == "all-MiniLM-L6-v2"


async def test_a_graph_of_one_s_own_is_exported_and_its_questions_get_their_first_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = cinema().names[cinema().ids.index("film0")]
    text = f"who directed {name}"

    class Seeds:
        async def find(self, question: str, view: View, limit: int) -> list[SeedEntity]:
            assert view.scopes == ("kg:mine",)
            if question == "nothing named":
                return []
            start = question.find(name)
            return [SeedEntity(id="film0", name=name, score=0.9, reason="exact", start=start, end=start + len(name))]

    @asynccontextmanager
    async def opened(*, sample: bool) -> AsyncIterator[SimpleNamespace]:
        assert not sample
        yield SimpleNamespace(embedder=EMBEDDER, graph=None, seeds=Seeds())

    async def export(graph: object, port: object, view: View, *, dimension: int) -> Snapshot:
        assert dimension == EMBEDDER.dimension
        return cinema()

    monkeypatch.setattr("clause.cli.console.opened", opened)
    monkeypatch.setattr("clause.evaluation.training_material.export_snapshot", export)
    questions = [GoldQuestion(text, ("Director1",)), GoldQuestion("nothing named", ("x",))]
    snapshot, found, model = await train._explored(questions, ["kg:mine"])
    assert snapshot is cinema()
    assert [(one.seed, one.masked) for one in found] == [("film0", "who directed it")]
    assert model == "hash"
