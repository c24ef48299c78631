"""Ceilings of a perfect typed walk, and weak labels."""

import os
from pathlib import Path

import pytest

from clause.evaluation.ceiling import ceiling, ceilings_by_type
from clause.evaluation.metaqa import read_questions
from clause.evaluation.patterns import parse_pattern, pattern_name, shortest_patterns
from clause.evaluation.questions import Question
from clause.evaluation.triples import TripleGraph
from clause.reasoning.neighbourhood import Hop
from tests.unit.evaluation.films import TRIPLES

GRAPH = TripleGraph([*TRIPLES, TRIPLES[0]])
DATA = Path(os.environ.get("CLAUSE_DATA", "../shared/data")) / "metaqa"


def test_a_walk_serves_the_whole_front_and_never_returns_to_its_start():
    out_and_back = parse_pattern("starred_actors ~starred_actors")
    assert GRAPH.walk("Heat", out_and_back) == {"Ronin", "Scarface"}
    assert GRAPH.walk("Heat", (*out_and_back, Hop("directed_by", True))) == {"Frankenheimer", "De Palma"}
    assert GRAPH.walk("nowhere", out_and_back) == frozenset()


def test_a_triple_given_twice_counts_once():
    assert len(GRAPH.hops("Heat")[Hop("directed_by", True)]) == 1
    assert "Heat" in GRAPH
    assert "heat" not in GRAPH
    assert len(GRAPH) == len({end for head, _, tail in TRIPLES for end in (head, tail)})


def test_the_graph_file_is_read_and_lines_that_are_no_triple_are_left_out(tmp_path):
    (tmp_path / "kb.txt").write_text("Heat|directed_by|Mann\nbroken\n", encoding="utf-8")
    assert TripleGraph.read(tmp_path / "kb.txt").walk("Heat", parse_pattern("directed_by")) == {"Mann"}


def test_the_ceiling_counts_ties_in_expectation_and_is_none_without_types():
    right = Question("?", ("Pacino", "De Niro"), "Heat", "movie_to_actor")
    half = Question("?", ("Pacino",), "Heat", "movie_to_actor")
    found = ceiling(GRAPH, [right, half])
    assert found == (2, 0.75, pytest.approx((1 + 2 / 3) / 2))
    assert ceiling(GRAPH, [right, Question("?", ("Pacino",), "Heat")]) is None
    assert ceiling(GRAPH, []) is None
    assert ceilings_by_type(GRAPH, [right, half, Question("?", ())]) == {"movie_to_actor": found}


def test_the_shortest_patterns_are_every_one_that_gives_exactly_the_answers():
    assert shortest_patterns(GRAPH, "Heat", ["Mann"]) == [parse_pattern("directed_by"), parse_pattern("written_by")]
    assert parse_pattern("~directed_by") in shortest_patterns(GRAPH, "Mann", ["Heat", "Ali"])
    assert shortest_patterns(GRAPH, "Heat", ["Smith", "Crime"]) == []
    assert shortest_patterns(GRAPH, "nowhere", ["Mann"]) == []


def test_a_pattern_and_its_name_are_inverse():
    pattern = (Hop("a", True), Hop("b", False))
    assert parse_pattern(pattern_name(pattern)) == pattern


@pytest.mark.data
@pytest.mark.parametrize(("hop", "em"), [("1", 0.9735), ("2", 0.9951), ("3", 0.9987)])
def test_the_ceilings_on_metaqa_dev_are_those_of_the_specification(hop, em):
    if not DATA.is_dir():
        pytest.skip(f"no evaluation data in {DATA}: set CLAUSE_DATA")
    graph = TripleGraph.read(DATA / "kb.txt.gz")
    found = ceiling(graph, read_questions(DATA / f"{hop}-hop" / "qa_dev.txt.gz"))
    assert found is not None
    assert found.em_at_1 == pytest.approx(em, abs=1e-4)
