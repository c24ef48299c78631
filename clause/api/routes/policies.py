"""/api/policies: which policy decides in which scope, at once and without a restart; /api/scopes: what there is."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field

from clause.api.dependencies import CallerDependency, Services
from clause.api.preconditions import Idempotent
from clause.api.strict_json import StrictRoute, written
from clause.app import Container
from clause.evaluation.question_files import GoldQuestion
from clause.graph.scopes import example_questions, readable_scopes
from clause.operations.promotion import MOST, KnownPolicies, Promoted, Promotions, ScopeChoice
from clause.text.fields import Frozen, Model, QueryText
from clause.text.names import readable_relation

router = APIRouter(prefix="/api/policies", tags=["policies"], route_class=StrictRoute)


class OneScope(Model):
    """A scope."""

    model_config = ConfigDict(json_schema_extra={"example": {"scope": "kg:mine"}})

    scope: str = Field(max_length=300, description="where it decides")


class PolicyInScope(OneScope):
    """A policy that shall decide in a scope."""

    model_config = ConfigDict(json_schema_extra={"example": {"policy": "grounded", "scope": "kg:mine"}})

    policy: str = Field(min_length=1, max_length=200, description="its name, as `policy` in a request says it")


class GateQuestion(Model):
    """A question with the names of its answers; none: it is right to abstain."""

    question: Annotated[QueryText, Field(max_length=1000)]
    answers: tuple[str, ...] = Field(max_length=1000)


class PromotionRequest(PolicyInScope):
    """A checkpoint that shall decide in a scope, and the questions of its gate."""

    model_config = ConfigDict(json_schema_extra={"example": {"policy": "mine", "scope": "kg:mine"}})

    questions: dict[str, Annotated[tuple[GateQuestion, ...], Field(max_length=MOST)]] | None = Field(
        None, max_length=10, description="by set (unset: those that training kept aside)"
    )

    def sets(self) -> dict[str, list[GoldQuestion]] | None:
        """The questions as the gate asks them."""
        if self.questions is None:
            return None
        return {key: [GoldQuestion(one.question, one.answers) for one in ones] for key, ones in self.questions.items()}


@router.get("", response_model=KnownPolicies)
async def list_policies(services: Services, caller: CallerDependency) -> Response:
    """The default policy, those at hand, and what scopes chose."""
    return written(await _promotions(services).all(caller))


@router.post("/promote", response_model=Promoted)
async def promote(body: PromotionRequest, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A checkpoint in the service's folder `policies` decides in a scope, if it passes the gate on its questions."""
    work = partial(_promotions(services).promote, body.policy, body.scope, caller, body.sets())
    return await once.answer(work, status=HTTPStatus.OK, whole=False)


@router.post("/use", response_model=ScopeChoice)
async def use(body: PolicyInScope, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """A policy decides in a scope from the next question on, without a gate."""
    return await once.answer(partial(_promotions(services).use, body.policy, body.scope, caller), status=HTTPStatus.OK)


@router.post("/rollback", response_model=ScopeChoice)
async def rollback(body: OneScope, services: Services, caller: CallerDependency, once: Idempotent) -> Response:
    """Let what decided in a scope before decide there again."""
    return await once.answer(partial(_promotions(services).rollback, body.scope, caller), status=HTTPStatus.OK)


def _promotions(services: Container) -> Promotions:
    return Promotions(services.graph, services.checkpoints, services.coordinator)


scopes_router = APIRouter(prefix="/api/scopes", tags=["scopes"], route_class=StrictRoute)


class KnownScopes(Frozen):
    """Scopes that hold something and that the caller may read."""

    items: tuple[str, ...] = Field(description="by name")


class ExampleQuestions(Frozen):
    """Questions to begin with."""

    items: tuple[str, ...] = Field(description="each asks for a triple; none where there are no triples")


@scopes_router.get("", response_model=KnownScopes)
async def list_scopes(services: Services, caller: CallerDependency) -> Response:
    """The scopes that hold something and that the caller may read."""
    return written(KnownScopes(items=await readable_scopes(services.graph, caller)))


@scopes_router.get("/examples", response_model=ExampleQuestions)
async def examples(
    services: Services,
    caller: CallerDependency,
    scope: Annotated[str, Query(max_length=300, description="the scope to ask")],
) -> Response:
    """Example questions of a scope, one for each type of relationship that it holds."""
    (known, *_) = await readable_scopes(services.graph, caller, [scope], stored=True)
    return written(ExampleQuestions(items=tuple(await example_questions(services.graph, known, readable_relation))))
