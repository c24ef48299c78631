"""The service as a system under test."""

import pytest

from clause.errors import NotFoundError, UnavailableError
from clause.evaluation.question_files import GoldQuestion
from clause.evaluation.service import ServiceSystem
from clause.reasoning.episode.budget import Budgets
from clause.reasoning.models import CoordinationResponse

QUESTION = GoldQuestion("who directed Heat", ("Mann",), "Heat")


def handoff(step, agent, resource, amount):
    return {
        "step": step,
        "agent": agent,
        "action": "acted",
        "budget_used": {resource: amount},
        "latency_ms": 1.0,
    }


def response(edges=3):
    return CoordinationResponse.model_validate(
        {
            "result": {
                "answers": [
                    {"node": "1", "name": "Mann", "answer_score": 0.4, "supported": False, "path_ids": []},
                    {"node": "2", "name": "Mann", "answer_score": 0.9, "supported": True, "path_ids": []},
                    {"node": "3", "name": "Bay", "answer_score": 0.5, "supported": False, "path_ids": []},
                ],
                "evidence": [{"text": "Heat directed by Mann.", "tokens": 70, "score": 0.9, "shaped_utility": 0.9}],
                "seeds": [{"id": "4", "name": "Heat", "score": 1.0, "reason": "exact"}],
                "abstained": False,
                "subgraph": {"nodes": [], "edges": [], "edges_read": 12},
            },
            "agent_handoffs": [
                handoff(1, "SubgraphArchitect", "edges", edges),
                handoff(2, "PathNavigator", "steps", 2),
                handoff(3, "ContextCurator", "tokens", 70),
            ],
            "conflicts_detected": 0,
            "conflicts_resolved": 0,
            "performance": {"embed_ms": 1.5},
        }
    )


async def test_a_response_becomes_an_outcome_with_each_name_once():
    async def coordinate(request, budgets):
        return response()

    outcome = await ServiceSystem(coordinate, budgets=Budgets(3, 2, 70)).answer(QUESTION)
    assert outcome.answers == (("Mann", 0.9), ("Bay", 0.5))
    assert outcome.supported == {"Mann"}
    assert (outcome.edges, outcome.steps, outcome.tokens, outcome.edges_read) == (3, 2, 70, 12)
    assert (outcome.evidence, outcome.seeds) == (("Heat directed by Mann.",), ("Heat",))
    assert outcome.violations == ()
    assert outcome.latency_ms > 0


async def test_what_was_spent_above_a_budget_is_a_violation():
    async def coordinate(request, budgets):
        return response(edges=4)

    outcome = await ServiceSystem(coordinate, budgets=Budgets(3, 2, 69)).answer(QUESTION)
    assert outcome.violations == ("edges", "tokens")


@pytest.mark.parametrize(("seeds", "start"), [("gold", ["Heat"]), ("text", None)])
async def test_gold_seeds_are_start_nodes_and_scarce_budgets_go_beside_the_request(seeds, start):
    asked = []

    async def coordinate(request, budgets):
        asked.append((request, budgets))
        return response()

    system = ServiceSystem(coordinate, policy="khop", budgets=Budgets(1, 1, 5), scopes=["kg:metaqa"], seeds=seeds)
    await system.answer(QUESTION)
    request, budgets = asked[0]
    assert system.name == request.policy == "khop"
    assert request.start_nodes == start
    assert request.query == "who directed Heat"
    assert request.scopes == ["kg:metaqa"]
    assert not request.record
    assert budgets == Budgets(1, 1, 5)


async def test_refused_input_is_an_outcome_and_an_absent_database_is_an_error():
    async def refuse(request, budgets):
        raise NotFoundError("no entity is called 'Heat'")

    async def away(request, budgets):
        raise UnavailableError("Neo4j is away")

    outcome = await ServiceSystem(refuse, budgets=Budgets()).answer(QUESTION)
    assert outcome.error == "no entity is called 'Heat'"
    assert outcome.abstained
    assert outcome.answers == ()
    with pytest.raises(UnavailableError):
        await ServiceSystem(away, budgets=Budgets()).answer(QUESTION)
