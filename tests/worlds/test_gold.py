"""The worlds' questions: every answer follows from its graph, and the mix is the one that README.md promises."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.gold import HERE, World, read_lines

DEV = ("company", "recipes", "chemistry")
KEPT_ASIDE = ("transport", "library", "packages")
WORLDS = DEV + KEPT_ASIDE
AT_LEAST = {
    "direction": 5,
    "intersection": 4,
    "exclusion": 3,
    "filter": 5,
    "count": 3,
    "yes_no": 3,
    "comparison": 3,
    "superlative": 3,
    "pronoun": 2,
}
FORMS = {*AT_LEAST, "list", "composition", "abstain"}
DIRECTIONS = read_lines(HERE / "directions.jsonl")


def graph_of(name: str) -> World:
    return World(HERE / name / "triples.txt")


def questions_of(name: str) -> list[dict[str, Any]]:
    return read_lines(HERE / name / "questions.jsonl")


def words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def folded(text: str) -> str:
    """The text in lower case, without accents: how people type names."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def skeleton(question: str, names: set[str]) -> str:
    """The question with every name of its graph masked: what a template would leave."""
    text = folded(question)
    for name in sorted(map(folded, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "*", text)
    return text


def assert_is_a_graph(path: Path, fewest: int, most: int) -> None:
    graph = World(path)
    assert len(set(graph.lines)) == len(graph.lines), f"a triple twice in {path}"
    assert fewest <= len(graph.lines) <= most
    assert all(unicodedata.is_normalized("NFC", line) for line in graph.lines)
    assert all(part and part == part.strip() for line in graph.lines for part in line.split("|"))


@pytest.mark.parametrize("name", WORLDS)
def test_the_graph_is_small_and_has_types_of_its_own(name: str) -> None:
    assert_is_a_graph(HERE / name / "triples.txt", 60, 400)
    assert 8 <= len(graph_of(name).relations) <= 25


@pytest.mark.parametrize("name", WORLDS)
def test_every_answer_follows_from_the_graph(name: str) -> None:
    graph = graph_of(name)
    wrong = {
        row["question"]: (row["answers"], sorted(graph.answers(row["gold"])))
        for row in questions_of(name)
        if row["answers"] != sorted(graph.answers(row["gold"]))
    }
    assert wrong == {}


@pytest.mark.parametrize("name", WORLDS)
def test_the_mix_of_forms_is_the_promised_one(name: str) -> None:
    rows = questions_of(name)
    forms = Counter(row["form"] for row in rows)
    hops = Counter(row["hops"] for row in rows if row["answers"])
    assert len(rows) == 50
    assert forms.keys() == FORMS
    assert forms["abstain"] == 10
    assert {form: least for form, least in AT_LEAST.items() if forms[form] < least} == {}
    assert hops[2] >= 6
    assert hops[3] >= 3
    assert {tuple(row["answers"]) for row in rows if row["form"] == "yes_no"} == {("yes",), ("no",)}
    assert len({row["who"] for row in rows}) >= 15


@pytest.mark.parametrize("name", WORLDS)
def test_each_form_has_answers_of_its_kind(name: str) -> None:
    graph = graph_of(name)
    for row in questions_of(name):
        operator, answers = next(iter(row["gold"])), row["answers"]
        assert (answers == []) == (row["form"] == "abstain") == (operator == "none"), row["question"]
        if row["form"] == "count":
            assert operator == "count"
            assert answers[0].isdigit()
        elif row["form"] == "yes_no":
            assert operator in {"is", "same"}
        else:
            assert set(answers) <= graph.names
        if row["form"] in {"comparison", "superlative"}:
            assert operator in {"max", "min"}
            assert len(answers) == 1, f"a tie: {row['question']}"
        if row["form"] == "comparison":
            assert len(row["gold"][operator]["of"]["or"]) == 2
        if row["form"] == "exclusion":
            assert operator == "minus"
            assert graph.answers(row["gold"]) != graph.answers(row["gold"]["minus"][0]), "nothing is left out"
        if row["form"] == "intersection" or (row["form"] == "filter" and operator == "and"):
            assert all(graph.answers(part) > set(answers) for part in row["gold"]["and"]), (
                f"one part would do: {row['question']}"
            )


@pytest.mark.parametrize("name", WORLDS)
def test_typos_are_in_the_question_and_nowhere_in_the_graph(name: str) -> None:
    known = words_of(" ".join(graph_of(name).names | graph_of(name).relations))
    typos = [(row, row["who"].split("typo: ")[1]) for row in questions_of(name) if "typo: " in row["who"]]
    assert len(typos) >= 5
    for row, typo in typos:
        assert typo.casefold() in words_of(row["question"])
        assert typo.casefold() not in known


def test_no_two_questions_are_alike() -> None:
    every = [row["question"] for name in WORLDS for row in questions_of(name)]
    assert len(every) == 300
    pairs = combinations([(question, words_of(question)) for question in every], 2)
    assert [(one, two) for (one, a), (two, b) in pairs if len(a & b) > 0.8 * len(a | b)] == []


def test_no_question_is_made_from_a_template() -> None:
    shapes = Counter(skeleton(row["question"], graph_of(name).names) for name in WORLDS for row in questions_of(name))
    assert [shape for shape, times in shapes.items() if times > 1] == []


def test_every_direction_answer_follows_from_its_graph() -> None:
    for row in DIRECTIONS:
        graph = World(HERE / "directions" / f"{row['graph']}.txt")
        assert row["answers"] == sorted(graph.answers(row["gold"])), row["question"]
        assert (row["answers"] == []) == ("none" in row["gold"])


def test_sixty_directions_are_asked_both_ways_over_every_tiny_graph() -> None:
    paths = sorted((HERE / "directions").glob("*.txt"))
    for path in paths:
        assert_is_a_graph(path, 10, 40)
    assert len(DIRECTIONS) == 60
    assert len({(row["graph"], row["question"]) for row in DIRECTIONS}) == 60
    assert {row["graph"] for row in DIRECTIONS} == {path.stem for path in paths}
    steps = Counter(step[0] for row in DIRECTIONS for step in re.findall(r"[<>](?=\w)", str(row["gold"])))
    assert min(steps["<"], steps[">"]) >= 20
    assert sum(not row["answers"] for row in DIRECTIONS) >= 10
