"""Clusters of experiences, the values that agents make of them, and how a value is judged (seed 000)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, Field, PlainSerializer, PlainValidator, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from clause.arrays import Floats
from clause.text.fields import Frozen, request_config
from clause.text.linking import EntityRef
from clause.values.ghap import GhapEntry


def _as_vector(numbers: Any) -> Floats:
    return np.asarray(numbers, dtype=np.float32)


Vector = Annotated[
    Floats, PlainValidator(_as_vector), PlainSerializer(lambda vector: vector.tolist(), return_type=list)
]
"""float32 [d]; it stays in the process: no answer of the service holds one."""

HiddenVector = SkipJsonSchema[Vector]


class ValidationResult(Frozen):
    """The place of a candidate in its cluster. Distances are 1 - cosine to the centroid, in [0, 2].

    The threshold is mean + 0.5 * population standard deviation (ddof 0) of the members' distances.
    """

    valid: bool = Field(description="the candidate's distance is at most the threshold")
    similarity: float | None = Field(None, description="1 - distance, if valid")
    reason: str | None = Field(None, description="why not, if invalid")
    candidate_distance: float | None = Field(None, description="of the candidate to the centroid")
    mean_distance: float | None = Field(None, description="of the members to the centroid")
    std_distance: float | None = Field(None, description="population standard deviation of the members' distances")
    threshold: float | None = Field(None, description="mean + 0.5 * std")


class Value(Frozen):
    """A stored value: what an agent has learned from a cluster of experiences."""

    id: str = Field(description="value_{axis}_{cluster_label}_{timestamp}")
    text: str
    cluster_id: str = Field(description="of the cluster, with its run: full_0@<run>")
    axis: str = Field(description="full, strategy, surprise or root_cause")
    embedding: HiddenVector = Field(exclude=True, repr=False)
    cluster_size: int = Field(ge=0)
    created_at: str = Field(description="ISO 8601, UTC")
    metadata: dict[str, Any] = Field(default_factory=dict, description="cluster label, validation metrics, contexts")
    scope: str = Field("public", description="whose it is")
    node_id: str = Field("", description="its id in the graph")
    entities: tuple[EntityRef, ...] = Field((), description="what it is about")
    version: int = Field(1, ge=1)


class ClusterInfo(Frozen):
    """A cluster of experiences on one axis, found by one run."""

    cluster_id: str = Field(description="axis_label@run")
    axis: str
    label: int = Field(ge=0, description="HDBSCAN's label")
    centroid: HiddenVector = Field(exclude=True, repr=False)
    member_ids: tuple[str, ...] = Field(description="the experiences, sorted")
    size: int = Field(ge=0)
    avg_weight: float = Field(description="mean confidence weight of the members")
    run_id: str = Field("", description="the run that found it")
    scope: str = Field("public", description="whose it is")
    embedding_model: str = Field("", description="the model that its experiences were embedded with")


class Experience(Frozen):
    """A single experience from a cluster."""

    id: str
    embedding: HiddenVector = Field(exclude=True, repr=False)
    payload: dict[str, Any] = Field(description="the whole GHAP entry")
    weight: float = Field(description="of its confidence tier")


class ClusteringRun(Frozen):
    """One pass over the experiences of a scope on one axis."""

    id: str = Field(description="ULID: what stands after @ in a cluster's id")
    scope: str
    axis: str
    domain: str | None = Field(None, description="the only domain that was looked at")
    experiences: int = Field(ge=0, description="how many were looked at")
    noise: int = Field(ge=0, description="how many are in no cluster")
    clusters: int = Field(ge=0, description="how many clusters were found")
    reduction: str = Field(description="how dimensions were reduced before density was measured")
    seconds: float = Field(ge=0, description="of the clustering itself")
    created_at: datetime


class RunRequest(BaseModel):
    """The experiences to cluster."""

    model_config = request_config(axis="full")

    axis: str = Field(max_length=40, description="full, strategy, surprise or root_cause")
    scope: str | None = Field(None, max_length=300, description="whose; the caller's own if not said")
    domain: str | None = Field(None, max_length=100, description="look at this domain only")


class ValueCandidate(BaseModel):
    """A text to be judged against a cluster."""

    model_config = request_config(text="Look at the data before the code.", cluster_id="full_0")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
    cluster_id: str = Field(max_length=200, description="full_0 (of the latest run) or full_0@<run>")
    scope: str | None = Field(None, max_length=300, description="where the latest run is looked up")


class NewValue(ValueCandidate):
    """A text to be stored as a value."""

    model_config = request_config(text="Look at the data before the code.", cluster_id="full_0", axis="full")

    axis: str = Field(max_length=40, description="the cluster's axis")


class FoundExperience(Frozen):
    """An experience that a search found."""

    experience: GhapEntry
    similarity: float = Field(description="cosine on the axis that was searched")


class SearchExperiences(BaseModel):
    """A search among resolved experiences."""

    model_config = request_config(query="imports that fail at night")

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
    axis: str = Field("full", max_length=40)
    domain: str | None = Field(None, max_length=100)
    strategy: str | None = Field(None, max_length=100)
    outcome: str | None = Field(None, max_length=40, description="confirmed, falsified or abandoned")
    limit: int = Field(10, ge=1, le=100)
    scopes: tuple[str, ...] | None = Field(None, max_length=100)


class FoundExperiences(Frozen):
    """The finds of a search, nearest first."""

    items: tuple[FoundExperience, ...]
