from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clause.reasoning.episode.subgraph import Front, walk
from clause.reasoning.neighbourhood.port import Hop
from clause.reasoning.question.comparing import Compare, Lacking
from clause.reasoning.question.lists import Meet
from clause.reasoning.question.patterns import UNWALKED_STEP, ReadBounds, drive, enumerate_patterns
from clause.reasoning.question.plan import (
    UNCOMPARED,
    AnyOf,
    Best,
    Count,
    Exists,
    Having,
    HavingValue,
    NodeTest,
    WalkFrom,
    Where,
    Without,
    answers,
)
from clause.text.literals import read_literal
from tests.unit.reasoning.question.small_graph import SmallGraph

NODES = "abcdef"
triples = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from("rs"), st.sampled_from(NODES)), max_size=25)
patterns = st.lists(st.builds(Hop, st.sampled_from("rs"), st.booleans()), min_size=1, max_size=3).map(tuple)
DIRECTED = Hop("directed_by", True)
RELEASED = Hop("release_date", True)


def named(result):
    return sorted(answer.name for answer in result.answers)


def test_what_has_an_attribute_is_had_without_a_name():
    graph = SmallGraph([("oak", "height", "30 m"), ("ash", "height", "20 m"), ("elm", "colour", "green")])
    height = Hop("height", True)
    assert named(answers(Having(height), graph)) == ["ash", "oak"]
    assert named(answers(Best(Having(height), (height,)), graph)) == ["oak"]
    assert answers(Having(Hop("weight", True)), graph).reason == "nothing has weight"


def test_a_best_of_more_than_can_be_read_is_none():
    graph = SmallGraph([(f"tree{number}", "height", f"{number} m") for number in range(1, 9)])
    height = Hop("height", True)
    result = answers(Best(Having(height), (height,)), graph, ReadBounds(front=5))
    assert not result.answers
    assert result.truncated


TREES = SmallGraph([(f"tree{number}", "height", f"{number % 4} m") for number in range(1, 13)])
HEIGHT = Hop("height", True)


def test_values_that_pass_lead_back_to_more_than_is_read_of_all_there_is():
    over_two = NodeTest((HEIGHT,), operator="at_least", value=read_literal("3 m"))
    found = answers(HavingValue(HEIGHT, over_two), TREES, ReadBounds(front=2, values=5))
    assert (named(found), found.truncated) == (["tree11", "tree3", "tree7"], False)
    assert found.answers[0].triples == (("tree11", "height", "3 m"),)


def test_the_best_value_is_the_best_of_more_than_is_read_of_all_there_is():
    assert named(answers(HavingValue(HEIGHT, rank=1), TREES, ReadBounds(front=2))) == ["tree11", "tree3", "tree7"]
    assert named(answers(HavingValue(HEIGHT, None, False, 2), TREES, ReadBounds(front=2))) == [
        "tree1",
        "tree5",
        "tree9",
    ]
    assert answers(HavingValue(HEIGHT, rank=9), TREES).reason == UNCOMPARED


def test_values_of_which_there_are_more_than_are_read_are_not_told_to_be_all():
    tall = NodeTest((HEIGHT,), operator="more", value=read_literal("1 m"))
    found = answers(HavingValue(HEIGHT, tall), TREES, ReadBounds(values=3))
    assert (named(found), found.truncated) == (["tree10", "tree2", "tree6"], True)
    none = answers(HavingValue(HEIGHT, replace(tall, value=read_literal("9 m"))), TREES, ReadBounds(values=3))
    assert "there is more" in (none.reason or "")
    assert not answers(HavingValue(HEIGHT, rank=1), TREES, ReadBounds(values=3)).answers


def slowly(edges, topic, pattern):
    """Every walk, by trying all sequences of edges; never back to the topic."""
    reached = set()
    for steps in product(sorted(set(edges)), repeat=len(pattern)):
        node = topic
        for hop, (head, relation, tail) in zip(pattern, steps, strict=True):
            start, end = (head, tail) if hop.forward else (tail, head)
            node = end if relation == hop.relation and start == node and end != topic else None
            if node is None:
                break
        if node is not None:
            reached.add(node)
    return reached


@given(triples, patterns.filter(lambda p: len(p) < 3))
def test_a_walk_reaches_what_a_slow_loop_reaches(edges, pattern):
    assert set(named(answers(WalkFrom(("a",), pattern), SmallGraph(edges)))) == slowly(edges, "a", pattern)


@given(triples, patterns)
def test_a_walk_reaches_what_the_fronts_of_the_episode_reach(edges, pattern):
    graph = SmallGraph(edges)
    front = Front.root("a")
    for hop in pattern:
        front = walk(front, hop, graph.hops)
    assert named(answers(WalkFrom(("a",), pattern), graph)) == sorted(front.nodes)


@given(triples, patterns, patterns)
def test_meeting_is_the_intersection_and_order_free(edges, one, two):
    graph = SmallGraph(edges)
    first, second = WalkFrom(("a",), one), WalkFrom(("b",), two)
    met = named(answers(Meet((first, second)), graph))
    assert met == sorted(set(named(answers(first, graph))) & set(named(answers(second, graph))))
    assert met == named(answers(Meet((second, first)), graph))


@given(triples, patterns, patterns)
def test_without_and_any_of_are_difference_and_union(edges, one, two):
    graph = SmallGraph(edges)
    first, second = WalkFrom(("a",), one), WalkFrom(("b",), two)
    left, right = set(named(answers(first, graph))), set(named(answers(second, graph)))
    assert set(named(answers(Without(first, minus=(second,)), graph))) == left - right
    assert set(named(answers(AnyOf((first, second)), graph))) == left | right


@given(triples, patterns)
def test_a_walk_reads_one_front_a_hop_and_proves_each_answer(edges, pattern):
    graph = SmallGraph(edges)
    result = answers(WalkFrom(("a",), pattern), graph)
    assert graph.reads <= len(pattern)
    for answer in result.answers:
        assert len(answer.triples) == len(pattern)
        assert "a" in answer.triples[0]
        assert answer.node in answer.triples[-1]


@given(st.integers(1, 3000))
def test_a_hub_costs_no_more_than_a_leaf(degree):
    graph = SmallGraph([("hub", "has", f"n{number}") for number in range(degree)] + [("n0", "is", "x")])
    bounds = ReadBounds(sample=4, sample_edges=5)
    found = drive(enumerate_patterns(("hub",), ("what has it",), bounds), graph)
    assert graph.reads <= bounds.hops
    assert graph.edges_read <= bounds.hops * bounds.sample * bounds.sample_edges * 4
    assert found[0].pattern == (Hop("has", True),)


def test_patterns_lead_somewhere_and_are_those_that_exist():
    graph = SmallGraph.load("studio")
    found = drive(enumerate_patterns(("Salt Road",), ("q",), ReadBounds(hops=2, beam=1000)), graph)
    assert all(answers(WalkFrom(("Salt Road",), one.pattern), graph).answers for one in found)
    assert (DIRECTED, DIRECTED.inverse) in {one.pattern for one in found}
    assert (DIRECTED, Hop("capital", True)) not in {one.pattern for one in found}


def test_count_is_a_number_and_a_single_number_is_itself():
    graph = SmallGraph.load("studio")
    assert named(answers(Count(WalkFrom(("Mara Voss",), (DIRECTED.inverse,))), graph)) == ["3"]
    platform = SmallGraph.load("platform")
    requests = WalkFrom(("search-api",), (Hop("requests_per_day", True),))
    assert named(answers(Count(requests), platform)) == ["3,400,000"]


def test_a_count_that_a_bound_cut_off_is_none():
    graph = SmallGraph([("a", "has", str(number)) for number in range(50)])
    result = answers(Count(WalkFrom(("a",), (Hop("has", True),))), graph, ReadBounds(per_type=20))
    assert result.answers == ()
    assert result.truncated
    assert result.reason == "there are more than 20"


def test_no_is_an_answer_only_where_the_graph_knows_alternatives():
    graph = SmallGraph.load("studio")
    directed = WalkFrom(("Salt Road",), (DIRECTED,))
    composed = WalkFrom(("Salt Road",), (Hop("composed_by", True),))
    assert named(answers(Exists(directed, frozenset({"Mara Voss"})), graph)) == ["yes"]
    refused = answers(Exists(directed, frozenset({"Emil Brandt"})), graph)
    assert named(refused) == ["no"]
    assert refused.triples[0].target == "Mara Voss"
    assert answers(Exists(composed, frozenset({"Mara Voss"})), graph).answers == ()


def test_filters_by_value_class_and_name():
    graph = SmallGraph.load("studio")
    films = WalkFrom(("Mara Voss",), (DIRECTED.inverse,))
    early = NodeTest((RELEASED,), operator="before", value=read_literal("1990"))
    assert named(answers(Where(films, early), graph)) == ["The Long Tide"]
    assert len(answers(Where(films, NodeTest(classes=frozenset({"films"}))), graph).answers) == 3
    german = NodeTest((Hop("language", True),), called=frozenset({"german"}))
    assert named(answers(Where(films, german), graph)) == ["Night Ferry", "The Long Tide"]


def test_what_has_no_class_may_say_what_it_is_by_its_name():
    graph = SmallGraph(
        [
            ("Red Kiln", "is_a", "kiln"),
            ("Ann", "fires", "Red Kiln"),
            ("Ann", "fires", "Kiln 5"),
            ("Ann", "fires", "jug"),
        ]
    )
    kilns = Where(WalkFrom(("Ann",), (Hop("fires", True),)), NodeTest(classes=frozenset({"kilns"})))
    assert named(answers(kilns, graph)) == ["Kiln 5", "Red Kiln"]


def test_best_by_value_by_frequency_and_by_rank():
    graph = SmallGraph.load("studio")
    films = WalkFrom(("Mara Voss",), (DIRECTED.inverse,))
    assert named(answers(Best(films, (RELEASED,), largest=False), graph)) == ["The Long Tide"]
    assert named(answers(Best(films, (RELEASED,), largest=False, rank=2), graph)) == ["Salt Road"]
    actors = WalkFrom(("Mara Voss",), (DIRECTED.inverse, Hop("starred_actors", True)))
    assert named(answers(Best(actors, None), graph)) == ["Ida Holm"]


def test_comparisons_abstain_where_the_dates_overlap():
    graph = SmallGraph([("a", "born", "1980"), ("b", "born", "12 March 1980"), ("c", "born", "1979-12-31")])
    born = (Hop("born", True),)
    assert answers(Compare((("a",), ("b",)), born, "before"), graph).answers == ()
    assert named(answers(Compare((("a",), ("c",)), born, "before"), graph)) == ["c"]
    assert named(answers(Compare((("c",), ("b",)), born, "before", verdict=True), graph)) == ["yes"]


def test_the_time_between_two_dates_is_compared():
    graph = SmallGraph(
        [("s", "b", "30 August 1650"), ("s", "d", "11 June 1724"), ("m", "b", "1881"), ("m", "d", "12 January 1960")]
    )
    longer = Compare((("s",), ("m",)), (Hop("b", True),), "more", until=(Hop("d", True),))
    assert named(answers(longer, graph)) == ["m"]


class Values:
    """Names that are what they are called."""

    def name(self, node):
        return node

    def value(self, node):
        return read_literal(node)

    def classes(self, node):
        return frozenset()


@pytest.mark.parametrize(
    ("relation", "value", "reference", "passes"),
    [
        ("ram_gb", "128", "100 GB", True),
        ("ram_gb", "64", "100 GB", False),
        ("minutes", "45", "1 hour", False),
        ("minutes", "75", "1 hour", True),
        ("boiling_point", "118 °C", "100 degrees", True),
        ("built_year", "99", "100", False),
    ],
)
def test_a_bare_number_is_measured_as_its_type_says(relation, value, reference, passes):
    test = NodeTest((Hop(relation, True),), operator="more", value=read_literal(reference))
    assert test.passes(value, Values()) is passes


STEPS = ("it 's wife", "it 's son", "where does it live")
WIFE, SON, LIVES = Hop("wife", True), Hop("son", True), Hop("lives in", True)


class NamedSteps:
    """Scores a hop high where it is what a step names; whole questions tell nothing apart."""

    def score(self, masked_question, patterns):
        named = dict(zip(STEPS, (WIFE, SON, LIVES), strict=True)).get(masked_question)
        return [6.0 if named is not None and pattern == (named,) else 0.0 for pattern in patterns]


def family(*more):
    return SmallGraph(
        [("Jon", "wife", "Ada"), ("Ada", "son", "Tim"), ("Tim", "lives in", "Bern"), ("Ada", "lives in", "Oslo"), *more]
    )


def by_steps(graph, steps=STEPS):
    return drive(enumerate_patterns(("Jon",), ("q",), ReadBounds(), steps), graph, NamedSteps())


def test_hops_are_walked_in_the_order_in_which_a_question_names_them():
    assert by_steps(family())[0].pattern == (WIFE, SON, LIVES)
    assert by_steps(family(), STEPS[::2])[0].pattern == (WIFE, LIVES)


def test_a_hop_that_no_step_names_costs_less_than_a_step_that_is_not_walked():
    graph = family(("Bern", "part of", "Canton"), ("Tim", "desk", "D1"), ("D1", "lives in", "Hall"))
    best = {one.pattern: one.steps for one in by_steps(graph)}
    assert best[(WIFE, SON, LIVES)] > UNWALKED_STEP >= best[(WIFE, SON)] > best[(WIFE,)]
    loose = {one.pattern: one.steps for one in by_steps(graph, STEPS[:2])}
    assert loose[(WIFE, SON)] > loose[(WIFE, SON, LIVES)] > loose[(WIFE, LIVES)]
    assert {one.steps for one in drive(enumerate_patterns(("Jon",), ("q",)), graph)} == {0.0}


def test_what_is_not_read_is_not_said_to_lack_anything():
    """Of more things than a plan may look at none is told to be without: those beyond the bound would seem so."""
    graph = SmallGraph([(f"hut {n}", "beds", str(n)) for n in range(5)] + [("hut 0", "warden", "Ida")])
    plan = Lacking(Having(Hop("beds", True)), Hop("warden", True))
    assert [one.name for one in answers(plan, graph).answers] == [f"hut {n}" for n in range(1, 5)]
    for front in (5, 4):
        cut = answers(plan, graph, ReadBounds(front=front))
        assert (cut.answers, cut.truncated) == ((), True)
    joined = Lacking(AnyOf((Having(Hop("beds", True)), Having(Hop("warden", False)))), Hop("warden", True))
    cut = answers(joined, graph, ReadBounds(front=5))
    assert not cut.answers


FILMS = SmallGraph(
    [("Alpha", "year", "1999"), ("Beta", "year", "2004"), ("Beta", "year", "1999"), ("Gamma", "year", "2004")]
)
YEAR = Hop("year", True)


def test_what_is_denied_holds_of_no_value():
    in_1999 = NodeTest((YEAR,), operator="in", value=read_literal("1999"))
    assert named(answers(Where(Having(YEAR), in_1999), FILMS)) == ["Alpha", "Beta"]
    assert named(answers(Where(Having(YEAR), replace(in_1999, negated=True)), FILMS)) == ["Gamma"]


def test_what_does_not_tell_is_neither_denied_nor_held():
    runs = SmallGraph([("Heat", "runtime", "170"), ("Up", "runtime", "96")])  # in which unit is not said
    runtime = Hop("runtime", True)
    over = NodeTest((runtime,), operator="more", value=read_literal("2 hours"))
    assert not answers(Where(Having(runtime), over), runs).answers
    assert not answers(Where(Having(runtime), replace(over, negated=True)), runs).answers


@pytest.mark.parametrize(
    ("values", "largest"),
    [
        (("2 years", "6 months", "90 days"), ["a"]),
        (("800 kg", "2.5 tonnes", "5 t"), ["c"]),
        (("512 MB", "4 GiB", "1 GB"), ["b"]),
        (("950K", "800K", "1.2M"), ["c"]),
        (("45s", "30s", "90s"), ["c"]),
        (("2:58:12", "2:58:40", "2:58:11"), ["b"]),
        (("$1,200", "€900", "£1,000"), []),
        (("5 km", "3 kg", "2 l"), []),
    ],
)
def test_the_most_is_told_in_one_unit_or_not_at_all(values, largest):
    graph = SmallGraph([(name, "size", value) for name, value in zip("abc", values, strict=True)])
    size = Hop("size", True)
    assert named(answers(Best(Having(size), (size,)), graph)) == largest
    assert named(answers(HavingValue(size, rank=1), graph)) == largest
