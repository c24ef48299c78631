"""The baselines as policies: what each does, and that none exceeds a budget."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clause.errors import NotFoundError
from clause.lab.baselines import BASELINES, baseline
from clause.lab.baselines.relation_path import BreadthFirst, DepthFirst, RelationPath
from clause.lab.pattern_classifier import PatternClassifier, parse_pattern
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.neighbourhood.port import Edge
from tests.unit.evaluation.episodes import play
from tests.unit.evaluation.films import DIMENSION, NAMES, NODE_VECTORS, RELATIONS, TYPES, snapshot

GRAPH = snapshot()
AMPLE = Budgets(200, 10, 2048)


def always(*names, shares=None):
    """A classifier that predicts these patterns, whatever is asked."""
    odds = np.log(np.asarray(shares or [1.0] * len(names), dtype=np.float32))
    return PatternClassifier({}, tuple(map(parse_pattern, names)), np.zeros((0, len(names)), np.float32), odds)


CO_FILMS = "starred_actors ~starred_actors directed_by"


async def test_the_shipped_baselines_answer_a_two_hop_question_completely_when_budgets_are_ample():
    for name in ("relation-path", "relation-path-breadth-first", "relation-path-depth-first"):
        text = "which movies have the same director of Heat"
        played = await play(baseline(name), GRAPH, text, [("Heat", 0.9)], AMPLE)
        assert set(played.scores) == {"Ali"}
        assert played.supported == {"Ali"}
        assert played.episode.spend.steps == 2
        assert played.stops == ["COMPLETE"] * 3


async def test_depth_first_finishes_a_branch_before_the_next_and_breadth_first_does_not():
    deep = await play(DepthFirst(always(CO_FILMS)), GRAPH, "Heat?", [("Heat", 1.0)], Budgets(3, 10, 2048))
    wide = await play(BreadthFirst(always(CO_FILMS)), GRAPH, "Heat?", [("Heat", 1.0)], Budgets(3, 10, 2048))
    assert deep.edges == [
        Edge("Heat", "starred_actors", "De Niro"),
        Edge("Ronin", "starred_actors", "De Niro"),
        Edge("Ronin", "directed_by", "Frankenheimer"),
    ]
    assert set(deep.scores) == deep.supported == {"Frankenheimer"}
    assert [edge.source for edge in wide.edges] == ["Heat", "Heat", "Ronin"]
    assert wide.scores == {}
    assert (deep.stops[0], wide.stops[0]) == ("BUDGET_EXHAUSTED", "BUDGET_EXHAUSTED")


async def test_whole_fronts_are_added_or_left_alone():
    played = await play(RelationPath(always(CO_FILMS)), GRAPH, "Heat?", [("Heat", 1.0)], Budgets(3, 10, 2048))
    assert [edge.source for edge in played.edges] == ["Heat", "Heat"]


async def test_the_curator_takes_whole_paths_and_skips_those_that_do_not_fit():
    played = await play(DepthFirst(always(CO_FILMS)), GRAPH, "Heat?", [("Heat", 1.0)], Budgets(200, 10, 15))
    assert set(played.scores) == {"Frankenheimer", "De Palma"}
    assert played.supported == {"Frankenheimer"}
    assert played.episode.spend.tokens == 14
    assert played.scores["De Palma"] < played.scores["Frankenheimer"]
    assert played.stops[2] == "BUDGET_EXHAUSTED"


async def test_a_unit_is_picked_even_when_no_whole_path_fits():
    played = await play(DepthFirst(always(CO_FILMS)), GRAPH, "Heat?", [("Heat", 1.0)], Budgets(200, 10, 5))
    assert len(played.episode.picked) == 1
    assert played.supported == set()


async def test_a_pattern_that_leads_nowhere_or_is_too_long_gives_way_to_the_next():
    patterns = always("has_tags", CO_FILMS, "directed_by", shares=[0.5, 0.3, 0.2])
    played = await play(DepthFirst(patterns), GRAPH, "Ali?", [("Ali", 1.0)], Budgets(200, 2, 2048))
    assert played.scores == {"Mann": pytest.approx(0.2)}


async def test_an_unlikely_pattern_is_not_tried_and_nothing_is_answered():
    patterns = always("has_tags", "directed_by", shares=[0.99, 0.01])
    played = await play(DepthFirst(patterns), GRAPH, "Ali?", [("Ali", 1.0)], AMPLE)
    assert played.scores == {}
    assert played.edges == []
    assert played.stops[:2] == ["NO_CANDIDATES", "NO_CANDIDATES"]


async def test_the_second_seed_is_used_when_the_first_leads_nowhere():
    played = await play(DepthFirst(always("~directed_by")), GRAPH, "Heat Mann", [("Heat", 0.9), ("Mann", 0.8)], AMPLE)
    assert set(played.scores) == {"Heat", "Ali"}


async def test_a_seed_found_by_its_words_is_masked_where_its_name_stands_and_else_nothing_is():
    from clause.lab.baselines.relation_path import plans
    from clause.reasoning.agents.policy import Question, SeedCandidate
    from clause.reasoning.episode.budget import Prices

    class Reader:
        def __init__(self):
            self.read = []

        def predict(self, masked):
            self.read.append(masked)
            return [(parse_pattern("directed_by"), 0.5)]

    reader = Reader()
    seeds = [SeedCandidate("1", "Heat", 0.5), SeedCandidate("2", "Ali", 0.9), SeedCandidate("3", "heat", 0.4, 13, 17)]
    found = plans(Question("who directed Heat", None, seeds, {}, Prices()), reader)
    assert reader.read == ["who directed it", "who directed Heat", "who directed it"]
    assert [(plan.seed, plan.score) for plan in found] == [("2", 0.45), ("1", 0.25), ("3", 0.2)]


async def test_the_step_budget_ends_the_walk_to_the_best_node():
    toward = NODE_VECTORS["Frankenheimer"]
    played = await play(baseline("khop"), GRAPH, "?", [("Heat", 1.0)], Budgets(200, 1, 2048), toward)
    assert played.episode.spend.steps == 1
    assert "Frankenheimer" not in played.scores


async def test_khop_reaches_three_hops_and_ranks_by_cosine():
    toward = NODE_VECTORS["Frankenheimer"]
    played = await play(baseline("khop"), GRAPH, "?", [("Heat", 1.0)], AMPLE, toward)
    assert played.scores == {"Frankenheimer": 1.0}
    assert played.supported == {"Frankenheimer"}
    assert len(played.edges) == len(NAMES) - 1


async def test_khop_adds_near_edges_first():
    toward = NODE_VECTORS["Frankenheimer"]
    played = await play(baseline("khop"), GRAPH, "?", [("Heat", 1.0)], Budgets(4, 10, 2048), toward)
    assert {edge.source for edge in played.edges} == {"Heat"}
    assert played.stops[0] == "BUDGET_EXHAUSTED"


async def test_greedy_spends_on_what_is_similar_to_the_question():
    toward = (TYPES[RELATIONS.index("has_genre")].embedding + NODE_VECTORS["Crime"]) / np.sqrt(2)
    played = await play(baseline("greedy"), GRAPH, "?", [("Heat", 1.0)], Budgets(1, 10, 2048), toward.astype("float32"))
    assert played.edges == [Edge("Heat", "has_genre", "Crime")]
    assert played.scores == {"Crime": pytest.approx(np.sqrt(0.5), abs=1e-6)}


async def test_pagerank_prefers_what_many_walks_from_the_seed_meet():
    played = await play(baseline("pagerank"), GRAPH, "?", [("Heat", 1.0)], AMPLE)
    assert max(played.scores.values()) == 1.0
    assert set(played.scores) <= {"De Niro", "Pacino", "Crime", "Mann"}


@pytest.mark.parametrize("name", BASELINES)
async def test_without_seeds_there_is_no_answer(name):
    played = await play(baseline(name), GRAPH, "?", [], AMPLE, np.zeros(DIMENSION, np.float32))
    assert played.scores == {}
    assert played.edges == []


async def test_an_unregistered_relationship_type_still_counts_by_its_far_end():
    from clause.reasoning.neighbourhood.snapshot import Snapshot

    graph = Snapshot.build(
        {"a": "a", "b": "b"}, [("a", "r", "b")], (), {"a": NODE_VECTORS["Ali"], "b": NODE_VECTORS["Heat"]}
    )
    played = await play(baseline("greedy"), graph, "?", [("a", 1.0)], AMPLE, NODE_VECTORS["Heat"])
    assert played.scores == {"b": 0.5}


def test_an_unknown_baseline_is_named_with_the_known_ones():
    with pytest.raises(NotFoundError, match="known: heuristic, khop"):
        baseline("oracle")


budgets = st.builds(Budgets, st.integers(1, 15), st.integers(1, 4), st.integers(3, 60))


@settings(deadline=None)
@given(st.sampled_from(sorted(BASELINES)), budgets, st.sampled_from(NAMES), st.integers(0, DIMENSION - 1))
async def test_no_baseline_exceeds_a_budget_and_every_answer_has_a_walk(name, limits, start, axis):
    toward = np.zeros(DIMENSION, np.float32)
    toward[axis] = 1
    played = await play(baseline(name), GRAPH, f"who starred in films of {start}", [(start, 0.9)], limits, toward)
    assert limits.exceeded_by(played.episode.spend) == ()
    assert start not in played.scores
    assert all(0 <= score <= 1 for score in played.scores.values())
    for node in played.scores:
        assert next(played.episode.front.paths(node)).end == node
