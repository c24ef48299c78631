"""`clause evaluate` and `clause bench` from their arguments to what they print; the service behind them is a fake."""

import json
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from clause.cli import console as opening
from clause.errors import BadInputError, NotFoundError
from clause.evaluation.harness import FigureRow
from clause.evaluation.question_files import GoldQuestion
from clause.lab.baselines import BASELINES
from clause.lab.commands import bench, evaluate, measuring
from clause.lab.training.trial import log_uniform_limits
from clause.reasoning.agents.policy import PolicyBook
from tests.unit.evaluation.films import TRIPLES
from tests.unit.evaluation.test_service import response
from tests.unit.evaluation.test_service_playing import stage as film_stage

QUESTIONS = "who directed [Heat]\tMann\nwho directed [Ali]\tMann\n"


class Coordinator:
    """Answers everything with Mann."""

    def __init__(self):
        self.policies = PolicyBook({"learned": lambda: None, "heuristic": lambda: None, **BASELINES}, default="learned")
        self.asked = []

    async def coordinate(self, request, caller, *, budgets=None, hard=True):
        self.asked.append((request, caller, budgets))
        self.hard = hard
        return response()


@pytest.fixture
def service(monkeypatch, tmp_path):
    """A container of fakes, and the sample's triples in a little file."""
    coordinator = Coordinator()

    async def find(text, view, limit=8):
        return [SimpleNamespace(name="Heat" if "Heat" in text else "Mann")]

    container = SimpleNamespace(coordinator=coordinator, seeds=SimpleNamespace(find=find))

    @asynccontextmanager
    async def opened(*, sample=True):
        yield container

    kb = tmp_path / "kb.txt"
    kb.write_text("".join("|".join(triple) + "\n" for triple in TRIPLES), encoding="utf-8")
    monkeypatch.setattr("clause.ingest.samples.KB", kb)
    monkeypatch.setattr(measuring, "opened", opened)
    monkeypatch.setattr(bench, "opened", opened)
    return container


@pytest.fixture
def files(tmp_path):
    """Three question files, the first with its types beside it."""
    for hop in "123":
        (tmp_path / f"{hop}.txt").write_text(QUESTIONS, encoding="utf-8")
    (tmp_path / "1_qtype.txt").write_text("movie_to_director\nmovie_to_director\n", encoding="utf-8")
    return [f"{hop}={tmp_path / hop}.txt" for hop in "123"]


def run(app, *words):
    return CliRunner().invoke(app, list(words), catch_exceptions=False)


def test_metaqa_prints_one_json_object_with_the_agreed_keys(service, files, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/bin/clause", "evaluate", "metaqa", "--questions", "1=a b"])
    found = json.loads(run(evaluate.app, "metaqa", "--questions", *files, "--json").stdout)
    assert list(found) == ["dataset", "policy", "n", "hops", "command"]
    assert (found["dataset"], found["policy"], found["n"]) == ("metaqa", "learned", 6)
    assert list(found["hops"]) == ["1", "2", "3"]
    assert list(found["hops"]["1"]) == list(FigureRow.__annotations__)
    assert found["hops"]["1"]["ceiling_em"] == 1.0
    assert found["hops"]["2"]["ceiling_em"] is None
    assert found["command"] == "clause evaluate metaqa --questions '1=a b'"


@pytest.mark.parametrize(
    "order",
    [
        lambda a, b, c: ["--questions", a, b, c, "--limit", "1"],
        lambda a, b, c: ["--limit", "1", "--questions", a, "--questions", b, "--questions", c],
        lambda a, b, c: ["--questions", a, "--questions", b, c, "--limit", "1"],
    ],
)
def test_question_files_follow_the_option_or_repeat_it(service, files, order):
    found = json.loads(run(evaluate.app, "metaqa", *order(*files), "--json").stdout)
    assert {hop: row["n"] for hop, row in found["hops"].items()} == {"1": 1, "2": 1, "3": 1}


def test_options_reach_the_service(service, files):
    words = ["--policy", "khop", "--edge-budget", "5", "--step-budget", "3", "--token-budget", "64", "--seeds", "gold"]
    found = json.loads(run(evaluate.app, "metaqa", "--questions", files[1], *words, "--limit", "1", "--json").stdout)
    assert found["policy"] == "khop"
    assert list(found["hops"]) == ["2"]
    ((request, caller, budgets),) = service.coordinator.asked
    assert (request.policy, request.start_nodes, request.scopes) == ("khop", ["Heat"], ["kg:metaqa"])
    assert (budgets.edges, budgets.steps, budgets.tokens) == (5, 3, 64)
    assert caller.readable is None


def test_without_json_a_table_is_printed(service, files):
    assert "| learned | 1 | 2 | 100.00 |" in run(evaluate.app, "metaqa", "--questions", files[0]).stdout


def test_wrong_files_and_policies_are_clear_errors_before_anything_is_asked(service, files):
    with pytest.raises(BadInputError, match="HOP=FILE"):
        run(evaluate.app, "metaqa", "--questions", "qa.txt")
    with pytest.raises(NotFoundError, match="no file"):
        run(evaluate.app, "metaqa", "--questions", "1=missing.txt")
    with pytest.raises(NotFoundError, match="no policy"):
        run(evaluate.app, "metaqa", "--questions", files[0], "--policy", "oracle")
    assert service.coordinator.asked == []


def test_two_policies_are_compared_on_the_same_questions(service, files):
    words = ["--policy", "khop", "--against", "greedy", "--limit", "1"]
    found = json.loads(run(evaluate.app, "compare", "--questions", files[0], *words, "--json").stdout)
    assert found["hops"]["1"]["f1"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    assert [request.policy for request, _, _ in service.coordinator.asked] == ["khop", "greedy"]


def test_masks_can_be_taken_off_and_limits_drawn_for_each_question(service, files):
    words = ["--no-mask", "--limits", "sampled", "--sample", "1", "--sample-seed", "3"]
    found = json.loads(run(evaluate.app, "metaqa", "--questions", files[0], *words, "--json").stdout)
    ((request, _, budgets),) = service.coordinator.asked
    assert not service.coordinator.hard
    assert found["n"] == 1
    assert budgets == log_uniform_limits(GoldQuestion(request.query, ()))


@pytest.fixture
def stage(monkeypatch):
    """The stage of `frontier` is a fake film graph."""
    made = film_stage()

    async def snapshot_stage(container, scopes, seeds):
        assert (scopes, seeds) == (["kg:metaqa"], "gold")
        return made

    monkeypatch.setattr(measuring, "snapshot_stage", snapshot_stage)
    return made


def test_the_frontier_is_measured_over_the_grid_and_drawn(service, stage, files, tmp_path, monkeypatch):
    service.coordinator.policies = PolicyBook({"null": lambda: None}, default="null")
    drawn = []
    monkeypatch.setattr("clause.lab.report.draw", lambda result, path: drawn.append(path))
    words = ["--edges", "3,5", "--tokens", "64", "--steps", "3", "--prices", "", "--policy", "null"]
    words += ["--against", "null", "--plot", str(tmp_path / "a.png")]
    found = json.loads(run(evaluate.app, "frontier", "--questions", files[0], *words, "--json").stdout)
    assert [(row["edge_budget"], row["policy"]) for row in found["grid"]] == [(3, "null"), (5, "null")]
    assert (found["n"], found["prices"], drawn) == (2, [], [tmp_path / "a.png"])
    assert "3 edges" in run(evaluate.app, "frontier", "--questions", files[0], *words[:-2]).stdout


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--edges", "five"], "not numbers"),
        (["--steps", "2.5"], "whole numbers"),
        (["--prices", "-1"], "below 0"),
        (["--seeds", "both"], "neither gold nor text"),
    ],
)
def test_wrong_numbers_of_a_frontier_are_clear_errors(service, files, words, line):
    with pytest.raises(BadInputError, match=line):
        run(evaluate.app, "frontier", "--questions", files[0], *words)


def test_abstaining_and_seeds_are_measured(service, files):
    found = json.loads(run(evaluate.app, "abstain", "--questions", files[0], "--each", "2", "--json").stdout)
    assert found["answerable"] == 2
    found = json.loads(run(evaluate.app, "seeds", "--questions", files[0], "--json").stdout)
    assert found["pooled"]["first"] == 0.5
    assert "pooled: {" in run(evaluate.app, "seeds", "--questions", files[0]).stdout


def test_training_writes_a_classifier_and_says_how(service, tmp_path):
    lines = ["who directed [Ali]\tMann", "who directed [Ronin]\tFrankenheimer"]
    lines += ["what genre is [Ali]\tDrama", "what genre is [Ronin]\tCrime"]
    (tmp_path / "qa.txt").write_text("\n".join(lines * 8) + "\n", encoding="utf-8")
    kb, out = tmp_path / "kb.txt", tmp_path / "model"
    words = ["--questions", f"1={tmp_path / 'qa.txt'}", "--triples", str(kb), "--out", str(out), "--per-hop", "32"]
    found = json.loads(run(evaluate.app, "train-relation-path", *words, "--json").stdout)
    assert (found["questions"], found["patterns"]) == (32, 2)
    assert out.with_suffix(".safetensors").is_file()


def test_edges_are_scored_without_a_server():
    found = json.loads(run(bench.app, "edges", "--calls", "3", "--json").stdout)
    assert found["n"] == 3
    assert found["baseline"]["name"] == "brute-force numpy"


def test_progress_is_told_sparsely_and_to_the_end(capsys):
    tell = opening.counter("read", every=2)
    for done in range(1, 6):
        tell(done, 5)
    assert capsys.readouterr().err.splitlines() == ["2 of 5 read", "4 of 5 read", "5 of 5 read"]
