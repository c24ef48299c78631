"""The public request and response models of the agents: 19 of seed 004, three of its first phase, and what they hold.

Import them from here. Fields are the seed's own, extended, never renamed
(spec decision 5). All are frozen, refuse unknown fields and NaN, and carry time-zone aware instants.
"""

from __future__ import annotations

from clause.intelligence.models import BasinContext, CausalIntervention, CuriosityTrigger, ThoughtSeed
from clause.reasoning.models.agents import (
    ContextCurationRequest,
    ContextCurationResponse,
    CurationMetadata,
    EdgeScore,
    EdgeScoreRequest,
    EdgeScoreResponse,
    EdgeSignals,
    EdgeTriple,
    NavigationMetadata,
    PathNavigationRequest,
    PathNavigationResponse,
    StateEncoding,
    SubgraphRequest,
    SubgraphResponse,
)
from clause.reasoning.models.answer import (
    Answer,
    AnswerEdge,
    AnswerNode,
    AnswerPath,
    AnswerSubgraph,
    CoordinationResult,
    IntelligenceCounts,
    LeftOutItem,
    PathStep,
    ProvenanceMetadata,
    Receipt,
    ResourceReceipt,
    SeedEntity,
    SeedNode,
    SelectedEvidence,
    TrustSignals,
)
from clause.reasoning.models.coordination import (
    AgentHandoff,
    BudgetAllocation,
    BudgetUsage,
    CoordinationRequest,
    CoordinationResponse,
    LambdaParameters,
)
from clause.text.fields import Model, QueryText, ScopeName

__all__ = [
    "AgentHandoff",
    "Answer",
    "AnswerEdge",
    "AnswerNode",
    "AnswerPath",
    "AnswerSubgraph",
    "BasinContext",
    "BudgetAllocation",
    "BudgetUsage",
    "CausalIntervention",
    "ContextCurationRequest",
    "ContextCurationResponse",
    "CoordinationRequest",
    "CoordinationResponse",
    "CoordinationResult",
    "CurationMetadata",
    "CuriosityTrigger",
    "EdgeScore",
    "EdgeScoreRequest",
    "EdgeScoreResponse",
    "EdgeSignals",
    "EdgeTriple",
    "IntelligenceCounts",
    "LambdaParameters",
    "LeftOutItem",
    "Model",
    "NavigationMetadata",
    "PathNavigationRequest",
    "PathNavigationResponse",
    "PathStep",
    "ProvenanceMetadata",
    "QueryText",
    "Receipt",
    "ResourceReceipt",
    "ScopeName",
    "SeedEntity",
    "SeedNode",
    "SelectedEvidence",
    "StateEncoding",
    "SubgraphRequest",
    "SubgraphResponse",
    "ThoughtSeed",
    "TrustSignals",
]
