"""Models of the coordinator: POST /api/clause/coordinate, budgets and prices."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from clause.reasoning.models.agents import EdgeTriple
from clause.reasoning.models.answer import CoordinationResult, Receipt, TextFilters, WrittenAnswer
from clause.reasoning.models.examples import COORDINATION
from clause.text.fields import AsOfRecorded, AsOfValid, Model, NodeName, QueryText, Scopes


class BudgetAllocation(Model):
    """The amounts that each agent may spend; hard limits."""

    edge_budget: int = Field(default=50, ge=10, le=200, description="Subgraph edge budget")
    step_budget: int = Field(default=10, ge=1, le=20, description="Path navigation step budget")
    token_budget: int = Field(default=2048, ge=100, le=8192, description="Evidence curation token budget")


class LambdaParameters(Model):
    """Prices: of one edge edited, of one Navigator step, and of 100 tokens of evidence."""

    edge: float = Field(default=0.01, ge=0.0, le=1.0, description="Edge cost multiplier")
    latency: float = Field(default=0.01, ge=0.0, le=1.0, description="Latency cost multiplier (per Navigator step)")
    token: float = Field(default=0.01, ge=0.0, le=1.0, description="Token cost multiplier (per 100 tokens)")


class Withheld(Model):
    """The knowledge that an answer is also given without: as if none of it, nor what rests on it alone, were known."""

    sources: Annotated[
        tuple[NodeName, ...], Field(max_length=64, description="Sources by id, uri or title, as evidence names them")
    ] = ()
    beliefs: Annotated[tuple[NodeName, ...], Field(max_length=64, description="Ids of beliefs or other texts")] = ()
    edges: Annotated[tuple[EdgeTriple, ...], Field(max_length=64, description="Triples, from head to tail")] = ()

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.sources or self.beliefs or self.edges):
            raise ValueError("name at least one source, belief or edge")
        return self


class CoordinationRequest(Model):
    """Input of POST /api/clause/coordinate. `budgets: {}` means 50 edges, 10 steps, 2048 tokens."""

    query: QueryText
    budgets: BudgetAllocation = Field(..., description="Budget allocation across agents")
    lambdas: LambdaParameters = Field(default_factory=LambdaParameters, description="Cost multipliers")
    start_nodes: Annotated[
        list[NodeName] | None,
        Field(description="Ids, exact names or aliases to start from (unset: found in the query)", max_length=64),
    ] = None
    scopes: Scopes = None
    policy: str | None = Field(default=None, max_length=200, description="Policy that decides (unset: the default)")
    reading: str | None = Field(default=None, max_length=64, description="Id of a reading (unset: the likeliest)")
    abstain_below: float | None = Field(
        default=None, ge=0.0, le=1.0, description="Score below which answers are withheld (unset: the policy's)"
    )
    max_rounds: int = Field(default=1, ge=1, le=5, description="Rounds of edit, traverse, curate")
    as_of_valid: AsOfValid = None
    as_of_recorded: AsOfRecorded = None
    without: Withheld | None = Field(default=None, description="Answer also as if this were not known")
    texts: TextFilters | None = Field(default=None, description="What texts must be to be walked or handed on")
    read: bool = Field(default=False, description="Let the reader that the service is set to write an answer, too")
    enable_thoughtseeds: bool = Field(default=True, description="Generate ThoughtSeeds during exploration")
    enable_curiosity: bool = Field(default=True, description="Trigger curiosity agents on prediction errors")
    enable_causal: bool = Field(default=True, description="Use causal reasoning for path selection")
    curiosity_threshold: float = Field(
        default=0.7, ge=0.0, le=1.0, description="Prediction error threshold for curiosity"
    )
    enable_provenance: bool = Field(default=True, description="Add full provenance metadata")
    record: bool = Field(default=True, description="Record the run so that it can be explained and replayed")

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "query": "What causes climate change?",
                "budgets": {"edge_budget": 50, "step_budget": 10, "token_budget": 2048},
                "lambdas": {"edge": 0.01, "latency": 0.01, "token": 0.01},
            }
        }
    )


class AgentHandoff(Model):
    """One agent's turn in a coordination; spend of all its rounds added up."""

    step: int = Field(..., ge=1, description="Execution order (1=Architect, 2=Navigator, 3=Curator)")
    agent: str = Field(
        ..., pattern="^(SubgraphArchitect|PathNavigator|ContextCurator)$", description="The agent whose turn it was"
    )
    action: str = Field(..., description="Action taken by agent")
    budget_used: dict[str, int] = Field(..., description="Budgets consumed")
    latency_ms: float = Field(..., ge=0.0, description="Agent execution latency")


class AnswerChange(Model):
    """One answer that differs between two answers to the same question."""

    kind: Literal["came", "went", "score"] = Field(..., description="It is new, gone, or scored otherwise")
    node: str | None = Field(..., description="Node id (null: a word)")
    name: str = Field(..., description="Its name as the graph has it")
    before: float | None = Field(default=None, description="Its score before (null: it was no answer)")
    after: float | None = Field(default=None, description="Its score after (null: it is no answer)")


class Counterfactual(Model):
    """The answer as if something were not known, under the same budgets, and what that changes."""

    without: Withheld = Field(..., description="What was left out")
    hidden_texts: int = Field(..., ge=0, description="Texts left out: those named, and those that rest on them alone")
    same: bool = Field(..., description="The answers and whether there is one are the same")
    changes: tuple[AnswerChange, ...] = Field(
        ..., description="What the answers are without it, compared with those with"
    )
    result: CoordinationResult = Field(..., description="Combined results from all agents, without it")
    agent_handoffs: list[AgentHandoff] = Field(..., description="Agent execution timeline, without it")
    performance: dict[str, float] = Field(..., description="Its own latency breakdown, in milliseconds")
    receipt: Receipt | None = Field(default=None, description="Budget, spend and price of each resource, without it")
    answer_sha256: str | None = Field(default=None, description="Hash of the answer without it")


class CoordinationResponse(Model):
    """Output of POST /api/clause/coordinate: exactly three handoffs, Architect, Navigator, Curator.

    `receipt` says for each resource what was allowed, spent and paid, what stopped the agent and the best thing left
    out.
    """

    result: CoordinationResult = Field(..., description="Combined results from all agents")
    agent_handoffs: Annotated[
        list[AgentHandoff], Field(min_length=3, max_length=3, description="Agent execution timeline")
    ]
    conflicts_detected: int = Field(
        ..., ge=0, description="Number of write conflicts: 0, an answer makes no absolute write"
    )
    conflicts_resolved: int = Field(..., ge=0, description="Number of conflicts resolved")
    performance: dict[str, float] = Field(..., description="Total latency breakdown, in milliseconds")
    receipt: Receipt | None = Field(default=None, description="Budget, spend and price of each resource")
    counterfactual: Counterfactual | None = Field(
        default=None, description="The answer without what the request names in `without`"
    )
    answer_sha256: str | None = Field(
        default=None, description="Hash of the answer without run id and times: equal for the same graph and request"
    )
    written: WrittenAnswer | None = Field(default=None, description="What a reader wrote, where `read` was asked for")
    run_id: str | None = Field(default=None, description="Recorded run, for GET /runs/{run_id} (null: not recorded)")

    model_config = ConfigDict(json_schema_extra={"example": COORDINATION})
