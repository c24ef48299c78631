"""The public request and response models of the agents: 19 of seed 004 and three of its first phase, by name.

Grouped by agent in `models_*.py`; import them from here. Fields are the seed's own, extended, never renamed
(spec decision 5). All are frozen, refuse unknown fields and NaN, and carry time-zone aware instants.
"""

from clause.reasoning.models_coordination import (
    AgentHandoff,
    BudgetAllocation,
    BudgetUsage,
    CoordinationRequest,
    CoordinationResponse,
    LambdaParameters,
)
from clause.reasoning.models_curation import (
    ContextCurationRequest,
    ContextCurationResponse,
    ProvenanceMetadata,
    SelectedEvidence,
    TrustSignals,
)
from clause.reasoning.models_intelligence import BasinContext, CausalIntervention, CuriosityTrigger, ThoughtSeed
from clause.reasoning.models_navigation import (
    PathNavigationRequest,
    PathNavigationResponse,
    PathStep,
    StateEncoding,
)
from clause.reasoning.models_subgraph import (
    EdgeScore,
    EdgeScoreRequest,
    EdgeScoreResponse,
    EdgeSignals,
    EdgeTriple,
    SubgraphRequest,
    SubgraphResponse,
)
from clause.reasoning.models_text import Model, QueryText, ScopeName

__all__ = [
    "AgentHandoff",
    "BasinContext",
    "BudgetAllocation",
    "BudgetUsage",
    "CausalIntervention",
    "ContextCurationRequest",
    "ContextCurationResponse",
    "CoordinationRequest",
    "CoordinationResponse",
    "CuriosityTrigger",
    "EdgeScore",
    "EdgeScoreRequest",
    "EdgeScoreResponse",
    "EdgeSignals",
    "EdgeTriple",
    "LambdaParameters",
    "Model",
    "PathNavigationRequest",
    "PathNavigationResponse",
    "PathStep",
    "ProvenanceMetadata",
    "QueryText",
    "ScopeName",
    "SelectedEvidence",
    "StateEncoding",
    "SubgraphRequest",
    "SubgraphResponse",
    "ThoughtSeed",
    "TrustSignals",
]
