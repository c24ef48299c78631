"""The origin's usage examples on the library, request models and all, and a Curator that drops what answers nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clause import Clause, SyncClause
from clause.errors import OutOfBoundsError
from clause.graph.wire import Address
from clause.reasoning.models import (
    BudgetAllocation,
    ContextCurationRequest,
    CoordinationRequest,
    EdgeScoreRequest,
    EdgeTriple,
    LambdaParameters,
    PathNavigationRequest,
    SubgraphRequest,
)

pytestmark = pytest.mark.integration

TRIPLES = """ocean warming|caused_by|greenhouse gases
greenhouse gases|emitted_by|coal plants
coal plants|located_in|river valleys
"""
POOLS = [
    (lines[0], [line[2:] for line in lines[1:] if line[0] == "+"], [line[2:] for line in lines[1:] if line[0] == "-"])
    for lines in (
        block.strip().splitlines()
        for block in (Path(__file__).parents[1] / "curated_pools.txt").read_text(encoding="utf-8").split("\n\n")[1:]
    )
]
"""Question, texts that bear on its answer, texts that do not; the last ten were kept aside."""


@pytest.fixture
def opened(migrated_address: Address, tmp_path: Path, no_model: None, scope: str) -> Iterator[SyncClause]:
    file = tmp_path / "ocean.txt"
    file.write_text(TRIPLES)
    with SyncClause.open(
        home=tmp_path,
        neo4j_uri=migrated_address.uri,
        neo4j_user=migrated_address.user,
        neo4j_password=migrated_address.password,
        neo4j_database=migrated_address.database,
    ) as c:
        c.call(c.clause.load, "triples", file, scope)
        yield c


def test_the_examples_work_as_they_are_written(opened: SyncClause, scope: str) -> None:
    navigation = PathNavigationRequest(
        query="What causes ocean warming?", start_node="ocean warming", step_budget=10,
        enable_thoughtseeds=True, enable_curiosity=True, enable_causal=True, scopes=[scope],
    )  # fmt: skip
    walked = opened.navigate(navigation)
    assert 0 < len(walked.path["steps"]) <= navigation.step_budget

    curation = ContextCurationRequest(
        evidence_pool=["Coal plants emit carbon dioxide...", "Carbon dioxide is a greenhouse gas..."],
        token_budget=2048, enable_provenance=True,
    )  # fmt: skip
    curated = opened.curate(curation)
    assert 0 < curated.metadata["tokens_used"] <= curation.token_budget

    coordination = CoordinationRequest(
        query="What causes ocean warming?",
        budgets=BudgetAllocation(edge_budget=50, step_budget=10, token_budget=2048),
        lambdas=LambdaParameters(edge=0.01, latency=0.01, token=0.01),
        scopes=[scope],
    )
    answered = opened.coordinate(coordination)
    assert len(answered.agent_handoffs) == 3
    assert [answer.name for answer in answered.result["answers"]] == ["greenhouse gases"]
    with pytest.raises(KeyError):
        answered.result["nothing"]


def test_a_request_says_what_keywords_say_and_keywords_win(opened: SyncClause, scope: str) -> None:
    asked = CoordinationRequest(query="What causes ocean warming?", budgets=BudgetAllocation(), scopes=[scope])
    spelled = opened.coordinate("What causes ocean warming?", scopes=[scope])
    assert opened.coordinate(asked).result.answers == spelled.result.answers
    assert opened.coordinate(asked, record=False).run_id is None
    walk = PathNavigationRequest(query="What causes it?", start_node="ocean warming", scopes=[scope])
    assert opened.navigate(walk).path == opened.navigate("What causes it?", "ocean warming", scopes=[scope]).path
    assert opened.navigate(walk, "greenhouse gases").path.nodes[0] != opened.navigate(walk).path.nodes[0]
    graph = SubgraphRequest(query="What causes ocean warming?", scopes=[scope], min_edge_score=0)
    assert opened.subgraph(graph).selected_edges
    scored = EdgeScoreRequest(
        query="What causes ocean warming?",
        edges=[EdgeTriple(source="ocean warming", relation="caused_by", target="greenhouse gases")],
        scopes=[scope],
    )
    assert len(opened.call(opened.clause.score_edges, scored).scores) == 1
    with pytest.raises(OutOfBoundsError, match="step_budget"):
        opened.navigate(walk, step_budget=99)
    assert isinstance(opened.clause, Clause)


def test_what_does_not_bear_on_the_question_is_dropped(opened: SyncClause) -> None:
    """On the half kept aside: every answering text stays, at most one in ten of the others does."""
    kept, dropped = 0, 0
    for question, answering, other in POOLS[10:]:
        found = opened.curate([*other, *answering], query=question)
        texts = {evidence.text for evidence in found.selected_evidence}
        kept += len(texts & {*answering})
        dropped += len({*other} - texts)
        assert found.metadata.learned_stop_triggered is (len(texts) < len(answering) + len(other))
    assert kept == sum(len(answering) for _, answering, _ in POOLS[10:])
    assert dropped >= 0.9 * sum(len(other) for _, _, other in POOLS[10:])


def test_a_pool_of_nothing_but_strangers_gives_nothing(opened: SyncClause) -> None:
    found = opened.curate(["The dishwasher leaks.", "Seagulls followed the boat."], query="Who discovered penicillin?")
    assert found.selected_evidence == []
    assert (found.metadata.learned_stop_triggered, found.metadata.stopped_reason) == (True, "GAIN_NEGATIVE")


def test_a_pool_that_ran_out_or_a_budget_that_did_is_no_learned_stop(opened: SyncClause) -> None:
    question, answering, _ = POOLS[3]
    whole = opened.curate(answering, query=question)
    assert (whole.metadata.learned_stop_triggered, whole.metadata.stopped_reason) == (False, "COMPLETE")
    long = [f"{text} {'It was a great success everywhere. ' * 12}" for text in answering]
    short = opened.curate(long, query=question, token_budget=100)
    assert (short.metadata.learned_stop_triggered, short.metadata.stopped_reason) == (False, "BUDGET_EXHAUSTED")
    assert len(short.selected_evidence) == 1
