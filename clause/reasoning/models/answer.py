"""Models of an answer: what was found, the walks to it, the evidence it rests on, and the receipt of what it cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from clause.reasoning.models.examples import PROVENANCE
from clause.text.fields import Instant, Model

SeedReason = Literal["given", "exact", "case_insensitive", "accent_insensitive", "alias", "full_text", "vector"]


QuestionForm = Literal[
    "list",
    "yes_no",
    "count",
    "comparison",
    "superlative",
    "intersection",
    "exclusion",
    "filter",
    "composition",
]


AnswerKind = Literal["entity", "word", "statement"]


class SeedNode(Model):
    """An entity that was started from, and why."""

    id: str = Field(description="the entity's id")
    name: str = Field(description="its name as the graph has it")
    score: float = Field(description="how likely it is what the question asks about")
    reason: str = Field(description="how it was found")


class SeedEntity(SeedNode):
    """An entity that a question may start from, and where the question names it."""

    score: float = Field(ge=0, le=1, description="how likely it is what the question asks about")
    reason: SeedReason = Field(description="how it was found")
    start: int | None = Field(None, ge=0, description="where the question names it: first character")
    end: int | None = Field(None, ge=0, description="where the question names it: after the last character")


class ForgivenSpelling(Model):
    """A name that the question misspells, and the entity that was taken for it."""

    said: str = Field(..., description="As the question has it")
    meant: str = Field(..., description="As the graph has it")


class AnswerNode(Model):
    """A node by its id and its name."""

    id: str = Field(..., description="Node id")
    name: str = Field(..., description="Its name as the graph has it")


def _named(node: Any) -> Any:
    """A node that is told by its id alone has that for a name."""
    return {"id": node, "name": node} if isinstance(node, str) else node


NodeOrId = Annotated[AnswerNode, BeforeValidator(_named)]


class AnswerEdge(Model):
    """A relationship from head to tail; JSON calls its ends `from` and `to`."""

    from_node: str = Field(..., alias="from", description="Head node id")
    relation: str = Field(..., description="Relationship type")
    to_node: str = Field(..., alias="to", description="Tail node id")

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


class PathStep(Model):
    """One step of a navigation path."""

    step: int = Field(..., ge=1, description="Step number (1-indexed)")
    from_node: str = Field(..., description="Source node")
    to_node: str = Field(..., description="Target node")
    relation: str = Field(..., description="Edge relation type")
    action: str = Field(..., pattern="^(CONTINUE|BACKTRACK|STOP)$", description="Navigator action")
    causal_score: float | None = Field(None, ge=0.0, le=1.0, description="Causal intervention score")
    thoughtseed_id: str | None = Field(None, description="Generated ThoughtSeed ID")


class TrustSignals(Model):
    """Signals of how far a source is to be trusted, each in [0, 1]."""

    reputation_score: float = Field(..., ge=0.0, le=1.0, description="Source reputation (0-1)")
    recency_score: float = Field(..., ge=0.0, le=1.0, description="Information recency (0-1)")
    semantic_consistency: float = Field(..., ge=0.0, le=1.0, description="Consistency with query (0-1)")


class ProvenanceMetadata(Model):
    """The source of a piece of evidence, and how far to trust it."""

    source_uri: str = Field(..., description="Neo4j URI or document source")
    extraction_timestamp: Instant = Field(..., description="When evidence was extracted")
    extractor_identity: str = Field(..., description="Agent/service that extracted evidence")
    supporting_evidence: str = Field(..., max_length=200, description="Evidence snippet (200 chars)")
    verification_status: str = Field(
        ..., pattern="^(verified|pending_review|unverified)$", description="How far the evidence was checked"
    )
    corroboration_count: int = Field(..., ge=0, description="Number of corroborating sources")
    trust_signals: TrustSignals = Field(..., description="Trust signal scores")

    model_config = ConfigDict(json_schema_extra={"example": PROVENANCE})


class SelectedEvidence(Model):
    """One pick of the Curator: its text, what it costs and what it is worth.

    `shaped_utility` = score - lambda_tok * tokens / 100. `provenance` is null where the request switched it off.
    """

    text: str = Field(..., description="Evidence text")
    tokens: int = Field(..., ge=1, description="Token count (tiktoken)")
    score: float = Field(..., ge=0.0, le=1.0, description="Relevance score")
    shaped_utility: float = Field(..., description="Score minus token cost (per 100 tokens)")
    provenance: ProvenanceMetadata | None = Field(None, description="Full provenance metadata")
    node: str | None = Field(None, description="Id of the belief, memory or passage that says it (null: a triple)")
    edge: AnswerEdge | None = Field(None, description="The triple that it is made of (null: a text)")
    source_id: str | None = Field(None, description="Id of its source (null: none is known)")


class Answer(Model):
    """An answer: an end of the walk, or a word that the walk proves."""

    node: str | None = Field(..., description="Node id (null: a word, such as yes, no or a number)")
    name: str = Field(..., description="Its name as the graph has it; of a statement, its text")
    kind: AnswerKind = Field(default="entity", description="What answers: an entity, a word, or a statement")
    answer_score: float = Field(..., description="How good the answer is; answers come by falling score")
    supported: bool = Field(default=False, description="A whole walk to it is in the evidence")
    path_ids: tuple[str, ...] = Field(default=(), description="The walks to it, by their ids in `paths`")
    statement: str | None = Field(default=None, description="Id of the statement that says it (null: triples do)")
    confidence: float | None = Field(default=None, description="Overall confidence of that statement, where it has one")


class AnswerPath(Model):
    """A walk from a seed: one step for each edge."""

    id: str | None = Field(default=None, description="Stable id of the walk (null: there was none)")
    nodes: tuple[NodeOrId, ...] = Field(default=(), description="The nodes, one more than there are edges")
    edges: tuple[AnswerEdge, ...] = Field(default=(), description="The relationships, as they are stored")
    steps: tuple[PathStep, ...] = Field(default=(), description="The steps, in order")
    answer: str | None = Field(default=None, description="Id of the node where it ends (null: nothing was walked)")


class ReadingHop(Model):
    """One hop of a reading: a relationship type, and whether it is walked from head to tail."""

    relation: str = Field(..., description="Relationship type")
    forward: bool = Field(..., description="From head to tail")


class AnswerReading(Model):
    """One meaning of the question on this graph."""

    id: str = Field(..., description="Stable id; a request's `reading` chooses by it")
    words: str = Field(..., description="The meaning, said back in words")
    probability: float = Field(..., ge=0, le=1, description="That this is meant, and its answer right")
    patterns: tuple[tuple[ReadingHop, ...], ...] = Field(default=(), description="The walk from each topic")
    answers: int | None = Field(default=None, ge=0, description="How many answers it has (null: it was not run)")


class AnswerSubgraph(Model):
    """The working subgraph that the Architect built."""

    nodes: tuple[NodeOrId, ...] = Field(default=(), description="Its nodes, by id")
    edges: tuple[AnswerEdge, ...] = Field(default=(), description="Its relationships, in the order they were added")
    edges_read: int = Field(default=0, ge=0, description="Relationships that were read to build it")


class IntelligenceCounts(Model):
    """The number of thoughts an answer gave rise to, and whether anything was given up on the way."""

    thoughtseeds_generated: int = Field(default=0, ge=0, description="ThoughtSeeds of concepts that were met")
    curiosity_triggers_spawned: int = Field(default=0, ge=0, description="Hops that came out otherwise than expected")
    fallback_used: bool = Field(default=False, description="A causal score was not ready and was gone without")


class ScopeCalibration(Model):
    """The way feedback moved scores: logit p = slope * logit s + offset, of the reader's s and the answer's p."""

    feedback: int = Field(..., ge=1, description="Verdicts that it was learnt from")
    slope: float = Field(..., gt=0, description="1 as shipped")
    offset: float = Field(..., description="0 as shipped")


class CoordinationResult(Model):
    """The findings of the three agents."""

    answers: tuple[Answer, ...] = Field(default=(), description="The answers, best first")
    path: AnswerPath = Field(default=AnswerPath(), description="The best walk")
    paths: tuple[AnswerPath, ...] = Field(default=(), description="All walks that were kept")
    evidence: tuple[SelectedEvidence, ...] = Field(default=(), description="What the Curator picked, in order")
    subgraph: AnswerSubgraph = Field(default=AnswerSubgraph(), description="The subgraph that the Architect built")
    seeds: tuple[SeedEntity, ...] = Field(default=(), description="Where the question started, best first")
    abstained: bool = Field(default=False, description="No answer is good enough")
    reason: str | None = Field(default=None, description="Why it abstained, where it did")
    form: QuestionForm | None = Field(default=None, description="What kind of question it is (null: not told)")
    readings: tuple[AnswerReading, ...] = Field(
        default=(), description="What the question may mean, the meaning that was answered first"
    )
    did_you_mean: tuple[ForgivenSpelling, ...] = Field(
        default=(), description="Names of the question that were taken for others that they resemble"
    )
    intelligence: IntelligenceCounts = Field(default=IntelligenceCounts(), description="What else the walk led to")
    calibration: ScopeCalibration | None = Field(
        default=None, description="How feedback in these scopes moved the scores (null: not at all)"
    )


class RecordedAnswer(Model):
    """An answer of a recorded run, as feedback judges it."""

    node: str | None = Field(None, description="node id (null: a word)")
    name: str
    reader_score: float = Field(description="before any calibration by feedback")
    evidence: tuple[str, ...] = Field((), description="ids of the evidence that its walks or its statement are")


StatementFate = Literal["came", "went", "gained_confidence", "lost_confidence", "erased"]


class StatementChange(Model):
    """A statement that one of two answers rests on, and what became of it between their clocks."""

    kind: StatementFate = Field(description="what became of it")
    text: str = Field(description="what it says")
    why: str = Field(description="in words")
    at: Instant | None = Field(None, description="when; null: not known")
    node: str | None = Field(None, description="id of the belief, passage or memory (null: a triple)")
    edge: AnswerEdge | None = Field(None, description="the triple (null: a text)")
    before: float | None = Field(None, description="a belief's confidence at the run's time")
    after: float | None = Field(None, description="a belief's confidence at the replay's time")


class Difference(Model):
    """One place where a replay differs from the record; null where one of them has nothing there."""

    path: str
    recorded: Any = None
    fresh: Any = None


class RunSummary(Model):
    """A line of the list of runs."""

    id: str
    scope: str
    query: str
    policy: str
    recorded_at: Instant


class LeftOutItem(Model):
    """The best thing that was not chosen, what it would have cost, and its score."""

    what: str
    would_cost: int = Field(ge=0)
    score: float


StoppedBy = Literal["budget", "gain", "stop", "nothing_left"]


class ResourceReceipt(Model):
    """One resource's line. `paid` = price * spent, in the price's unit."""

    budget: int = Field(ge=0, description="the hard limit")
    spent: int = Field(ge=0, description="never above the limit less the margin")
    price: float = Field(ge=0, description="the request's multiplier")
    unit: str = Field(description="what the price is for")
    paid: float = Field(ge=0, description="price times what was spent, in the price's unit")
    stopped_by: StoppedBy = Field(description="which constraint stopped the agent")
    best_left_out: LeftOutItem | None = Field(None, description="the best thing left out; null where nothing was")


class Receipt(Model):
    """The three lines of an answer's receipt."""

    edges: ResourceReceipt
    steps: ResourceReceipt
    tokens: ResourceReceipt
    token_margin: int = Field(0, ge=0, description="tokens kept free of the token budget")
    left_out: dict[str, int] = Field(
        {}, description="texts of these scopes that `texts` of the request left out, by the filter or floor that did"
    )


TextKind = Literal["passage", "belief", "memory", "insight", "value", "experience"]


Share = Annotated[float | None, Field(ge=0, le=1)]


class TextFloors(Model):
    """The least value of dimensions of confidence; only beliefs have them, other texts pass."""

    source_reliability: Share = None
    method_quality: Share = None
    temporal_freshness: Share = None
    corroboration: Share = None
    domain_applicability: Share = None
    overall: Share = None

    @property
    def given(self) -> dict[str, float]:
        """The floors that are set, by dimension."""
        return self.model_dump(exclude_none=True)


class TextFilters(Model):
    """The conditions for a text to be walked, to be an answer, or to be handed on as evidence; triples are not touched.

    >>> TextFilters(kinds=("belief",), floors=TextFloors(overall=0.6)).floors.given
    {'overall': 0.6}
    """

    kinds: Annotated[tuple[TextKind, ...], Field(max_length=6, description="Only these kinds (empty: all)")] = ()
    floors: TextFloors = Field(default=TextFloors(), description="The least confidence of beliefs, by dimension")
    since: Instant | None = Field(default=None, description="Said (or else stored) at this instant or later")
    until: Instant | None = Field(default=None, description="Said (or else stored) before this instant")

    @model_validator(mode="after")
    def _some_time_lies_between(self) -> Self:
        if self.since is not None and self.until is not None and self.until <= self.since:
            raise ValueError("until must be later than since")
        return self


class WrittenAnswer(Model):
    """The words that a reader outside of the graph wrote from the evidence: its own, proved by nothing here."""

    text: str | None = Field(default=None, description="What it wrote (null: nothing, see `reason`)")
    reason: str | None = Field(default=None, description="Why there is no text")
    reader: str | None = Field(default=None, description="Name of the model that was asked (null: none is set)")
    latency_ms: float = Field(default=0.0, ge=0.0, description="How long it took, beyond the answer itself")


class BudgetUsage(Model):
    """The amount spent of each budget.

    >>> BudgetUsage(edge_used=60, edge_total=50, step_total=10, token_total=2048).edge_remaining
    0
    """

    edge_used: int = Field(default=0, ge=0, description="Edges used by Architect")
    step_used: int = Field(default=0, ge=0, description="Steps used by Navigator")
    token_used: int = Field(default=0, ge=0, description="Tokens used by Curator")
    edge_total: int = Field(..., ge=1, description="Total edge budget")
    step_total: int = Field(..., ge=1, description="Total step budget")
    token_total: int = Field(..., ge=1, description="Total token budget")

    @property
    def edge_remaining(self) -> int:
        """Edges left, never below 0."""
        return max(0, self.edge_total - self.edge_used)

    @property
    def step_remaining(self) -> int:
        """Steps left, never below 0."""
        return max(0, self.step_total - self.step_used)

    @property
    def token_remaining(self) -> int:
        """Tokens left, never below 0."""
        return max(0, self.token_total - self.token_used)
