"""Ceilings of a perfect typed walk, and weak labels."""

import os
from pathlib import Path

import pytest

from clause.evaluation.question_files import GoldQuestion, read_questions
from clause.evaluation.training_material import read_triples
from clause.lab.bench.loading import triples
from clause.lab.pattern_classifier import parse_pattern, pattern_name
from clause.lab.studies import ceiling
from clause.policy.train.lessons import TypedWalks
from clause.reasoning.neighbourhood.port import Edge, Hop
from tests.unit.evaluation.films import snapshot

pytestmark = pytest.mark.slow

GRAPH = TypedWalks(snapshot())
DATA = Path(os.environ.get("CLAUSE_DATA", "../shared/data")) / "metaqa"


def test_a_walk_serves_the_whole_front_and_never_returns_to_its_start():
    out_and_back = parse_pattern("starred_actors ~starred_actors")
    assert GRAPH.ends("Heat", out_and_back) == {"Ronin", "Scarface"}
    assert GRAPH.ends("Heat", (*out_and_back, Hop("directed_by", True))) == {"Frankenheimer", "De Palma"}
    assert GRAPH.ends("nowhere", out_and_back) == frozenset()


def test_the_graph_file_is_read_and_lines_that_are_no_triple_are_left_out(tmp_path):
    (tmp_path / "kb.txt").write_text("Heat|directed_by|Mann\nbroken\nHeat|directed_by|Mann\n", encoding="utf-8")
    graph = read_triples(tmp_path / "kb.txt")
    assert triples(graph) == [Edge("Heat", "directed_by", "Mann")]
    assert TypedWalks(graph).ends("Heat", parse_pattern("directed_by")) == {"Mann"}


def test_the_ceiling_counts_ties_in_expectation_and_is_none_without_types():
    right = GoldQuestion("?", ("Pacino", "De Niro"), "Heat", "movie_to_actor")
    half = GoldQuestion("?", ("Pacino",), "Heat", "movie_to_actor")
    found = ceiling(GRAPH, [right, half])
    assert found == (2, 0.75, pytest.approx((1 + 2 / 3) / 2))
    assert ceiling(GRAPH, [right, GoldQuestion("?", ("Pacino",), "Heat")]) is None
    assert ceiling(GRAPH, []) is None


def test_the_shortest_patterns_are_every_one_that_gives_exactly_the_answers():
    assert GRAPH.shortest("Heat", ["Mann"]) == (parse_pattern("directed_by"), parse_pattern("written_by"))
    assert parse_pattern("~directed_by") in GRAPH.shortest("Mann", ["Heat", "Ali"])
    assert GRAPH.shortest("Heat", ["Smith", "Crime"]) == ()
    assert GRAPH.shortest("nowhere", ["Mann"]) == ()


def test_a_pattern_and_its_name_are_inverse():
    pattern = (Hop("a", True), Hop("b", False))
    assert parse_pattern(pattern_name(pattern)) == pattern


@pytest.mark.data
@pytest.mark.parametrize(("hop", "em"), [("1", 0.9735), ("2", 0.9951), ("3", 0.9987)])
def test_the_ceilings_on_metaqa_dev_are_those_of_the_specification(hop, em):
    if not DATA.is_dir():
        pytest.skip(f"no evaluation data in {DATA}: set CLAUSE_DATA")
    graph = TypedWalks(read_triples(DATA / "kb.txt.gz"))
    found = ceiling(graph, read_questions(DATA / f"{hop}-hop" / "qa_dev.txt.gz"))
    assert found is not None
    assert found.em_at_1 == pytest.approx(em, abs=1e-4)
