"""Causal questions on a real Neo4j: interventions, counterfactuals, root causes, and what a mapped type means."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from clause.errors import AmbiguousNameError, NotFoundError
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.ingest.triples import load_triples
from clause.intelligence.basins import Concepts
from clause.intelligence.causal import questions
from clause.intelligence.causal.questions import Causal, Sight
from clause.intelligence.models import CausalQuestion, CausalType, InterventionRequest, RootCauseRequest
from tests.fakes.clock import Clock
from tests.integration.intelligence.ground import make_ground
from tests.integration.reasoning.known_graph import run

pytestmark = pytest.mark.integration

OWNER = Caller()
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EDGES = [
    ("emissions", "CAUSES", "gases", 0.9),
    ("gases", "CAUSES", "warming", 0.8),
    ("forests", "INHIBITS", "gases", 0.5),
    ("warming", "ENABLES", "floods", 0.7),
    ("sun", "near", "warming", 1.0),
]


async def write(graph: Graph, scope: str, edges: list[tuple[str, str, str, float]], **properties: Any) -> None:
    await run(
        graph,
        "UNWIND $names AS name MERGE (e:Entity {id: $scope + ':' + name}) ON CREATE SET e.scope = $scope, "
        "e.name = name, e.name_key = name, e.canonical_key = 'concept:' + name, e.degree = 0, e.recorded_at = $at",
        names=sorted({end for head, _, tail, _ in edges for end in (head, tail)}),
        scope=scope,
        at=NOW,
    )
    await run(
        graph,
        "UNWIND $rows AS row MATCH (a:Entity {id: $scope + ':' + row[0]}) MATCH (b:Entity {id: $scope + ':' + row[2]}) "
        "CREATE (a)-[r:$(row[1]) {scope: $scope, recorded_at: $at, weight: 1.0, strength: row[3]}]->(b) "
        "SET r += $properties "
        "MERGE (t:RelationshipType {id: $scope + row[1]}) ON CREATE SET t.scope = $scope, t.name = row[1], "
        "t.is_causal = row[1] <> 'near', t.count = 0, t.recorded_at = $at",
        rows=[list(edge) for edge in edges],
        scope=scope,
        at=NOW,
        properties=properties,
    )


@pytest.fixture
async def ground(graph: Graph, scope: str) -> AsyncIterator[Ground]:
    await write(graph, scope, EDGES)
    await graph.run("graph/register_scope", scope=scope, recorded_at=NOW)
    yield make_ground(graph, Clock(NOW), scope)
    await run(graph, "MATCH (n:Scope {id: $id}) DETACH DELETE n", id=scope)


def asked(node: str, target: str, scope: str, **more: Any) -> InterventionRequest:
    return InterventionRequest(intervention_node=node, target_node=target, scopes=[scope], **more)


async def test_an_intervention_is_computed_from_the_stored_causes(ground: Ground, scope: str) -> None:
    answer = await Causal(ground).intervene(asked("emissions", "warming", scope), caller=OWNER)
    assert answer.intervention is not None
    assert answer.intervention.intervention_score == pytest.approx(0.9 * (1 - 0.5 * 0.5) * 0.8)
    assert answer.intervention.intervention_node == f"{scope}:emissions"
    assert (answer.basis.method, answer.basis.edges, answer.basis.error) == ("exact", 3, 0.0)
    without = await Causal(ground).intervene(asked("gases", "floods", scope, value=False), caller=OWNER)
    assert without.intervention is not None
    assert without.intervention.intervention_score == 0.0


async def test_a_counterfactual_is_the_difference_of_two_propagations(ground: Ground, scope: str) -> None:
    question = CausalQuestion(intervention_node="forests", target_node="gases", scopes=[scope])
    found = await Causal(ground).counterfactual(question, caller=OWNER)
    assert (found.with_node, found.without_node) == (pytest.approx(0.225), pytest.approx(0.45))
    assert found.difference == pytest.approx(-0.225)


async def test_without_a_causal_path_the_score_is_null(ground: Ground, scope: str) -> None:
    for node, target in (("sun", "warming"), ("floods", "gases"), ("forests", "sun")):
        answer = await Causal(ground).intervene(asked(node, target, scope), caller=OWNER)
        assert answer.intervention is None
        assert (answer.basis.method, answer.basis.reason is not None) == ("none", True)


async def test_a_type_that_the_user_maps_is_a_cause_and_no_longer(ground: Ground, scope: str) -> None:
    causal = Causal(ground)
    await causal.map_type(CausalType(relation="near", kind="causes", scope=scope), caller=OWNER)
    answer = await causal.intervene(asked("sun", "warming", scope), caller=OWNER)
    assert answer.intervention is not None
    assert answer.intervention.intervention_score == 1.0
    await causal.map_type(CausalType(relation="near", kind="none", scope=scope), caller=OWNER)
    assert (await causal.intervene(asked("sun", "warming", scope), caller=OWNER)).intervention is None
    with pytest.raises(NotFoundError, match="unheard"):
        await causal.map_type(CausalType(relation="unheard", kind="causes", scope=scope), caller=OWNER)


async def test_nodes_are_named_by_their_aliases(ground: Ground, graph: Graph, scope: str) -> None:
    await graph.run("knowledge/add_alias", id=f"{scope}:emissions", scope=scope, alias="Exhaust Fumes", versions=None)
    await graph.run("knowledge/add_alias", id=f"{scope}:floods", scope=scope, alias="High Water", versions=None)
    indexed = "MATCH (e:Entity {scope: $scope}) SET e.scope_token = $token"
    await run(graph, indexed, scope=scope, token=scope_token(scope))
    causal = Causal(ground)
    answer = await causal.intervene(asked("exhaust fumes", "High Water", scope), caller=OWNER)
    assert answer.intervention is not None
    assert (answer.intervention.intervention_node, answer.intervention.target_node) == (
        f"{scope}:emissions",
        f"{scope}:floods",
    )
    found = await causal.root_causes(RootCauseRequest(node="high water", scopes=[scope]), caller=OWNER)
    by_name = await causal.root_causes(RootCauseRequest(node="floods", scopes=[scope]), caller=OWNER)
    assert found.causes == by_name.causes != []


async def test_root_causes_have_strong_paths_and_come_before_what_lies_between(ground: Ground, scope: str) -> None:
    found = await Causal(ground).root_causes(RootCauseRequest(node="floods", scopes=[scope]), caller=OWNER)
    assert [(cause.name, round(cause.path_strength, 6), cause.is_root) for cause in found.causes] == [
        ("emissions", 0.504, True),
        ("warming", 0.7, False),
        ("gases", 0.56, False),
    ]
    strict = RootCauseRequest(node="floods", least=0.6, scopes=[scope])
    assert [cause.name for cause in (await Causal(ground).root_causes(strict, caller=OWNER)).causes] == ["warming"]


async def test_what_was_not_true_or_not_known_at_the_clocks_causes_nothing(
    ground: Ground, graph: Graph, scope: str
) -> None:
    await write(graph, scope, [("volcano", "CAUSES", "gases", 1.0)], valid_until=NOW - timedelta(days=1))
    causal = Causal(ground)
    assert (await causal.intervene(asked("volcano", "gases", scope), caller=OWNER)).intervention is None
    before = asked("volcano", "gases", scope, as_of_valid=NOW - timedelta(days=2))
    assert (await causal.intervene(before, caller=OWNER)).intervention is not None
    unknown = asked("emissions", "gases", scope, as_of_recorded=NOW - timedelta(days=1))
    assert (await causal.intervene(unknown, caller=OWNER)).intervention is None


async def test_what_is_over_hides_no_cause_that_holds(
    ground: Ground, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "MOST_EDGES", 4)
    over = [(f"volcano_{number}", "CAUSES", "gases", 1.0) for number in range(20)]
    await write(graph, scope, over[:10], valid_until=NOW - timedelta(days=1))
    await write(graph, scope, [("engines", "CAUSES", "gases", 1.0)])
    await write(graph, scope, over[10:], valid_until=NOW - timedelta(days=1))
    answer = await Causal(ground).intervene(asked("engines", "gases", scope), caller=OWNER)
    assert answer.intervention is not None
    assert answer.intervention.intervention_score > 0


async def test_cycles_are_condensed_and_named(ground: Ground, graph: Graph, scope: str) -> None:
    await write(graph, scope, [("warming", "CAUSES", "ice_melt", 0.9), ("ice_melt", "CAUSES", "warming", 0.6)])
    answer = await Causal(ground).intervene(asked("emissions", "floods", scope), caller=OWNER)
    assert answer.basis.cycles == [[f"{scope}:ice_melt", f"{scope}:warming"]]


async def test_a_wide_graph_is_sampled_with_its_error(ground: Ground, graph: Graph, scope: str) -> None:
    wide = [(f"a{one}", "CAUSES", f"b{other}", 0.05) for one in range(20) for other in range(20)]
    await write(graph, scope, [*wide, *((f"b{one}", "CAUSES", "end", 0.1) for one in range(20))])
    answer = await Causal(ground).intervene(asked("a0", "end", scope), caller=OWNER)
    assert answer.intervention is not None
    assert (answer.basis.method, answer.basis.edges) == ("sampled", 420)
    assert 0 < answer.basis.error < 0.01
    again = await Causal(ground).intervene(asked("a0", "end", scope), caller=OWNER)
    assert again.intervention is not None
    assert again.intervention.intervention_score == answer.intervention.intervention_score


async def test_scores_around_seeds_follow_a_changed_relationship(ground: Ground, graph: Graph, scope: str) -> None:
    causal, sight = Causal(ground), Sight((scope,))
    gases, warming = f"{scope}:gases", f"{scope}:warming"
    assert (await causal.scores([warming], sight)).of(gases, warming) == pytest.approx(0.8)
    await run(graph, "MATCH (:Entity {id: $id})-[r:CAUSES]->() SET r.strength = 0.3", id=gases)
    scores = await causal.scores([warming], sight)
    assert scores.of(gases, warming) == pytest.approx(0.3)
    assert scores.of_hop(warming, [f"{scope}:sun", gases]) == pytest.approx(0.3)
    assert scores.of(warming, gases) is None


async def test_a_foreign_or_ambiguous_node_is_refused(ground: Ground, graph: Graph, scope: str) -> None:
    stranger = Caller(readable=("public",), writable=())
    with pytest.raises(NotFoundError):
        await Causal(ground).intervene(
            InterventionRequest(intervention_node=f"{scope}:gases", target_node=f"{scope}:warming"), caller=stranger
        )
    await run(
        graph,
        "CREATE (:Entity {id: $scope + ':other', scope: $scope, name: 'gases', name_key: 'gases', "
        "canonical_key: 'film:gases', degree: 0, recorded_at: $at})",
        scope=scope,
        at=NOW,
    )
    with pytest.raises(AmbiguousNameError) as refused:
        await Causal(ground).intervene(asked("gases", "warming", scope), caller=OWNER)
    assert refused.value.field == "intervention_node"
    assert len(refused.value.details["candidates"]) == 2


BACKWARD = """dust storms|caused_by|soil erosion
soil erosion|is_due_to|overgrazing
soil erosion|prevented_by|hedges
overgrazing|driven_from|subsidies
dust storms|seen_from|space
"""


async def test_root_causes_are_found_on_a_graph_that_names_effects_first(
    graph: Graph, scope: str, tmp_path: Path, no_model: None
) -> None:
    """Loaded as a user loads it: known wordings mean causes from their ends, others by `PUT /causal/types`."""
    file = tmp_path / "soil.txt"
    file.write_text(BACKWARD)
    ground = make_ground(graph, Clock(NOW), scope)
    await load_triples(graph, ground.embedder, file, scope)
    causal = Causal(ground)
    found = await causal.root_causes(RootCauseRequest(node="dust storms", scopes=[scope]), caller=OWNER)
    assert [(cause.name, cause.is_root) for cause in found.causes] == [("overgrazing", True), ("soil erosion", False)]
    nothing = await causal.root_causes(RootCauseRequest(node="overgrazing", scopes=[scope]), caller=OWNER)
    assert nothing.causes == []

    done = await causal.map_type(
        CausalType(relation="driven_from", kind="causes", direction="backward", scope=scope), caller=OWNER
    )
    assert done.direction == "backward"
    deeper = await causal.root_causes(RootCauseRequest(node="dust storms", scopes=[scope]), caller=OWNER)
    assert [cause.name for cause in deeper.causes if cause.is_root] == ["subsidies"]
    await causal.map_type(
        CausalType(relation="driven_from", kind="causes", direction="forward", scope=scope), caller=OWNER
    )
    other = await causal.root_causes(RootCauseRequest(node="subsidies", scopes=[scope]), caller=OWNER)
    assert [cause.name for cause in other.causes] == ["overgrazing"]

    with_hedges = await causal.intervene(asked("hedges", "dust storms", scope), caller=OWNER)
    without = await causal.intervene(asked("hedges", "dust storms", scope, value=False), caller=OWNER)
    assert with_hedges.intervention is not None
    assert without.intervention is not None
    assert with_hedges.intervention.intervention_score < without.intervention.intervention_score
    ids = await Concepts(ground).resolve(["dust storms", "overgrazing"], (scope,), field="node")
    scores = await causal.scores([ids["dust storms"]], Sight((scope,)))
    assert scores.of(ids["overgrazing"], ids["dust storms"]) is not None
    assert scores.of(ids["dust storms"], ids["overgrazing"]) is None


async def test_a_mapping_takes_its_direction_from_the_words_where_none_is_said(
    ground: Ground, graph: Graph, scope: str
) -> None:
    await write(graph, scope, [("floods", "brought_about_by", "rain", 0.9)])
    said = await Causal(ground).map_type(
        CausalType(relation="brought_about_by", kind="causes", scope=scope), caller=OWNER
    )
    assert said.direction == "backward"
    found = await Causal(ground).root_causes(RootCauseRequest(node="floods", scopes=[scope]), caller=OWNER)
    assert f"{scope}:rain" in [cause.id for cause in found.causes]
    gone = await Causal(ground).map_type(
        CausalType(relation="brought_about_by", kind="none", scope=scope), caller=OWNER
    )
    assert gone.kind == "none"
    found = await Causal(ground).root_causes(RootCauseRequest(node="floods", scopes=[scope]), caller=OWNER)
    assert f"{scope}:rain" not in [cause.id for cause in found.causes]
