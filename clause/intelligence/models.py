"""Public models of this room: basins, ThoughtSeeds, curiosity, agents' absolute writes and their conflicts.

BasinContext, ThoughtSeed, CuriosityTrigger and CausalIntervention are seed 004's own; `clause.reasoning.models`
hands them on. All are frozen, refuse unknown fields and NaN, and carry time-zone aware instants.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from clause.intelligence.causal.inference import BASE_RATE
from clause.knowledge.beliefs.models import SourceGiven
from clause.text.fields import Instant, Model, Scopes, readable, utc_now

MAX_CONCEPTS = 100
"""Concepts of one document that are strengthened by one request."""

Name = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(readable)]
ScopeField = Annotated[
    str | None, Field(max_length=300, description="Where it is written; the default scope if not said")
]
BasinState = Literal["DORMANT", "ACTIVATING", "ACTIVE", "SATURATED", "DECAYING"]


class BasinContext(Model):
    """The attractor basin of a concept."""

    strength: float = Field(..., ge=1.0, le=2.0, description="Basin strength from Phase 1")
    activation_count: int = Field(..., ge=0, description="Activation count")
    co_occurring: dict[str, int] = Field(..., description="Co-occurrence counts")


class ThoughtSeed(Model):
    """A concept met while reasoning, kept for links across documents."""

    id: str = Field(..., description="Unique ThoughtSeed ID")
    concept: str = Field(..., description="Concept node")
    source_doc: str = Field(..., description="Source document/query")
    basin_context: BasinContext = Field(..., description="Basin context from Phase 1")
    similarity_threshold: float = Field(default=0.8, ge=0.0, le=1.0, description="Least similarity of a link")
    linked_documents: list[str] = Field(default_factory=list, description="Cross-document links")
    created_at: Instant = Field(default_factory=utc_now, description="When it was made")


class CuriosityTrigger(Model):
    """A hop that came out otherwise than expected, queued for investigation."""

    trigger_type: str = Field(..., pattern="^prediction_error$", description="Trigger type")
    concept: str = Field(..., description="Concept that triggered curiosity")
    error_magnitude: float = Field(..., ge=0.0, le=1.0, description="Prediction error magnitude")
    timestamp: Instant = Field(default_factory=utc_now, description="When it happened")
    investigation_status: str = Field(
        default="queued", pattern="^(queued|investigating|completed)$", description="How far the investigation is"
    )


class CausalIntervention(Model):
    """P(target | do(intervention)) and what computing it took."""

    intervention_node: str = Field(..., description="Node to intervene on")
    target_node: str = Field(..., description="Target outcome node")
    intervention_score: float = Field(..., ge=0.0, le=1.0, description="P(target | do(intervention))")
    computation_time_ms: float = Field(..., ge=0.0, description="Inference latency")


class StrengthenRequest(Model):
    """Concepts that a document names: each one's basin grows once for that document."""

    concepts: list[Name] = Field(min_length=1, max_length=MAX_CONCEPTS, description="Names or ids of concepts")
    document_id: Name = Field(description="The document that names them; the same one counts once")
    increment: float = Field(0.2, gt=0.0, le=1.0, description="Strength of one reappearance")
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"concepts": ["greenhouse gases", "CO2 emissions"], "document_id": "ipcc-ar6", "increment": 0.2}
        }
    )


class Basin(Model):
    """The basin of a concept: how firmly it is known.

    `strength` is within [1, 2]; `activation_history` holds the last 50 instants; `co_occurring` the concepts that
    documents name together with it, most often first.
    """

    id: str
    concept: str = Field(description="The concept's name")
    entity_id: str = Field(description="The entity whose basin it is")
    scope: str
    kind: str = Field(description="What kind of thing the concept is")
    strength: float = Field(ge=1.0, le=2.0)
    activation_count: int = Field(ge=0, description="Documents that strengthened it")
    activation_history: list[Instant] = Field(default_factory=list)
    state: BasinState
    stability: float
    depth: float
    co_occurring: dict[str, int] = Field(default_factory=dict)
    neighbour_count: int = Field(ge=0, description="How many concepts it occurs together with")
    last_activated_at: Instant | None = None
    recorded_at: Instant
    version: int = Field(ge=0)


class Strengthened(Model):
    """The basins of a document's concepts after it was counted, in the order of the request."""

    document_id: str
    basins: list[Basin]


class TriggerState(CuriosityTrigger):
    """A trigger as it is stored, and how far its investigation is."""

    id: str
    scope: str
    priority: Literal["normal", "high"] = Field("normal", description="High above an error of 0.8")
    findings: int = Field(0, ge=0, description="Relationships that the investigation wrote")


class InvestigationReport(Model):
    """The work that a worker did."""

    investigated: int = Field(ge=0)
    findings: int = Field(ge=0, description="Relationships written, with provenance")
    failed: int = Field(0, ge=0, description="Triggers that wait until their lease expires")


class TriggerList(Model):
    """Triggers, newest first."""

    items: list[TriggerState]


ConflictKind = Literal["BASIN_STRENGTH_RACE", "CONTRADICTORY_RELATIONSHIP", "DUPLICATE_NODE_CREATION"]
Resolution = Literal["MERGE", "RETRY", "ROLLBACK"]
MAX_WRITES = 100


class StrengthWrite(Model):
    """Set a basin's strength. `version` is the one that was read; if it moved, the larger strength stays."""

    op: Literal["strength"] = "strength"
    concept: Name = Field(description="The concept: its id, name or alias")
    strength: float = Field(ge=1.0, le=2.0)
    version: int = Field(ge=0, description="The basin's version that was read")


class RelationWrite(Model):
    """Say that one thing causes, enables or inhibits another.

    `version` is that of the relationship between the two that was read; None: there was none. The opposite of what is
    stored contradicts it, unless the stored one's version shows that it was read and is to be replaced.
    """

    op: Literal["relate"] = "relate"
    cause: Name = Field(description="Its id, name or alias; unknown names become entities")
    effect: Name = Field(description="Its id, name or alias; unknown names become entities")
    kind: Literal["causes", "enables", "inhibits"] = "causes"
    strength: float = Field(1.0, ge=0.0, le=1.0, description="Chance that the cause acts when it is present")
    version: int | None = Field(None, ge=1)


class ConceptWrite(Model):
    """Make a concept that nobody made yet; one that is there is a conflict, and the one there is taken."""

    op: Literal["create"] = "create"
    concept: Name


AgentWrite = Annotated[StrengthWrite | RelationWrite | ConceptWrite, Field(discriminator="op")]


class AgentWrites(Model):
    """The writes of one agent: all of them happen or none does."""

    agent: Name = Field(description="Who writes")
    writes: list[AgentWrite] = Field(min_length=1, max_length=MAX_WRITES)
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "agent": "researcher-1",
                "writes": [
                    {"op": "create", "concept": "greenhouse gases"},
                    {"op": "relate", "cause": "greenhouse gases", "effect": "climate change", "strength": 0.9},
                ],
            }
        }
    )


class WriteConflict(Model):
    """Two writes that met, and how that was settled."""

    id: str
    scope: str
    kind: ConflictKind
    resolution: Resolution
    agent: str
    subject: str = Field(description="What both wrote: ids")
    detail: str = Field(description="What was stored, and what was to be written")
    attempts: int = Field(1, ge=1)
    recorded_at: Instant


class AgentWritesDone(Model):
    """The outcome of an agent's writes. `versions` are those stored now, in the order of the writes."""

    versions: list[int]
    conflicts_detected: int = Field(ge=0)
    conflicts_resolved: int = Field(ge=0)
    conflicts: list[WriteConflict] = Field(default_factory=list)


class Conflicts(Model):
    """Recorded conflicts, newest first, and their share of this process's agent writes in the last 60 seconds."""

    items: list[WriteConflict]
    rate: float = Field(ge=0.0, le=1.0)


GapKind = Literal["question", "tension", "belief", "surprise"]


class CuriosityPlanRequest(Model):
    """The number of questions that may be asked, and whose knowledge is looked at."""

    budget: int = Field(5, ge=1, le=50, description="questions that may be asked")
    scopes: Scopes = None

    model_config = ConfigDict(json_schema_extra={"example": {"budget": 5, "scopes": ["user:ann"]}})


class PlannedQuestion(Model):
    """Something to find out."""

    id: str = Field(description="closes it, see `CuriosityAnswer`")
    kind: GapKind
    question: str = Field(description="what to ask a person, a document or a search")
    why: str = Field(description="what is open, in words")
    gain: float = Field(ge=0, description="answers that are expected to come out otherwise")
    scope: str
    about: tuple[str, ...] = Field((), description="ids of the nodes that it is about")
    sides: tuple[str, ...] = Field((), description="of a tension: what a says, what b says")


class CuriosityPlan(Model):
    """The things to find out next, the most telling first."""

    budget: int
    questions: tuple[PlannedQuestion, ...]
    expected_gain: float = Field(ge=0, description="of all of them together")
    left_out: int = Field(ge=0, description="gaps that are known and did not fit the budget")
    left_out_gain: float = Field(ge=0, description="of the best one left out (0: none was)")


class CuriosityAnswer(Model):
    """The answer that was found out; it closes the question."""

    id: Annotated[str, Field(max_length=200, description="of the planned question")]
    statement: str | None = Field(None, min_length=1, max_length=10_000, description="held as a belief from now on")
    side: Literal["a", "b", "both"] | None = Field(None, description="of a tension: which side is right")
    source: SourceGiven | None = Field(None, description="who says so")

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "id": "gap_2ab51d49aff9365544a483d2",
                "statement": "The night watch carries a brass lantern.",
                "source": {"kind": "document", "title": "town ledger"},
            }
        }
    )


class CuriosityClosed(Model):
    """The effect of an answer."""

    id: str
    kind: GapKind
    did: str = Field(description="in words")
    belief_id: str | None = Field(None, description="of the belief that the statement made or confirmed")


Method = Literal["exact", "sampled", "none"]
Direction = Literal["forward", "backward"]


class CausalQuestion(Model):
    """The question of what happens to `target_node` when `intervention_node` is set from outside."""

    intervention_node: Name = Field(description="Node to intervene on: its id, name or alias")
    target_node: Name = Field(description="Target outcome node: its id, name or alias")
    base_rate: float = Field(
        BASE_RATE, ge=0.0, le=1.0, description="Chance that a node without known causes is present"
    )
    scopes: list[str] | None = Field(None, min_length=1, max_length=100, description="Scopes to read; unset: all")
    as_of_valid: Instant | None = Field(None, description="Use what was true then (unset: as_of_recorded, or now)")
    as_of_recorded: Instant | None = Field(None, description="Use what was known at this instant (unset: now)")

    model_config = ConfigDict(
        json_schema_extra={"example": {"intervention_node": "greenhouse gases", "target_node": "climate change"}}
    )


class InterventionRequest(CausalQuestion):
    """P(target | do(intervention = value))."""

    value: bool = Field(True, description="Whether the node is made present or absent")


class CausalBasis(Model):
    """The basis of an answer: what it was made from.

    `method` is `none`, and the score null, where no causal relationship bears on the question. `error` is the
    half-width of a sampled answer's 95 % interval, 0 for an exact one. `cycles` lists nodes that were taken as one.
    """

    method: Method
    error: float = Field(0.0, ge=0.0)
    edges: int = Field(ge=0, description="Causal relationships that were used")
    truncated: bool = Field(False, description="There were more causal relationships than are read")
    cycles: list[list[str]] = Field(default_factory=list)
    reason: str | None = Field(None, description="Why there is no score, or why it is not exact")


class InterventionResponse(Model):
    """The answer, and what it was made from."""

    intervention: CausalIntervention | None
    basis: CausalBasis


class CounterfactualResponse(Model):
    """P(target | do(present)) - P(target | do(absent)): what the node makes of the target, in [-1, 1]."""

    with_node: float | None = Field(description="P(target | do(node present))")
    without_node: float | None = Field(description="P(target | do(node absent))")
    difference: float | None = Field(description="The one less the other")
    basis: CausalBasis


class RootCauseRequest(Model):
    """The question of which causes lead to a node along strong paths."""

    node: Name = Field(description="The effect: its id, name or alias")
    least: float = Field(0.5, ge=0.0, lt=1.0, description="Products of path strengths must be above this")
    scopes: list[str] | None = Field(None, min_length=1, max_length=100, description="Scopes to read; unset: all")

    model_config = ConfigDict(json_schema_extra={"example": {"node": "climate change"}})


class CausalRoot(Model):
    """A cause, the product of strengths along its strongest path, and whether nothing known causes it in turn."""

    id: str
    name: str
    path_strength: float = Field(ge=0.0, le=1.0)
    is_root: bool


class RootCauses(Model):
    """Roots first, then by falling strength."""

    node: str
    causes: list[CausalRoot]
    truncated: bool = False


class CausalType(Model):
    """The meaning of a relationship type of a scope: a cause of some kind, or none."""

    relation: Name
    kind: Literal["causes", "enables", "inhibits", "none"]
    direction: Direction | None = Field(
        None, description="forward: its start is the cause; backward: its end is (caused_by); unset: as its words say"
    )
    scope: ScopeField = None

    model_config = ConfigDict(
        json_schema_extra={"example": {"relation": "feeds", "kind": "causes", "direction": "forward"}}
    )
