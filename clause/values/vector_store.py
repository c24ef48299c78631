"""The port behind the clusterer and the value store: where vectors, runs, clusters and values are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from clause.arrays import Doubles, Floats
from clause.text.linking import Linking
from clause.values.axes import Axis
from clause.values.models import ClusterInfo, ClusteringRun, Experience, ValidationResult, Value


@dataclass(frozen=True)
class AxisVectors:
    """Resolved experiences on one axis, in the order of their ids: ids, vectors [n, d], weights [n]."""

    ids: tuple[str, ...]
    vectors: Floats
    weights: Doubles


@dataclass(frozen=True)
class ValueDraft:
    """A value that is to be stored; the store gives it its readable id.

    Attributes:
        node_id: its id in the graph.
        text, embedding: what it says, and the vector [d] of it.
        cluster: what it was made of.
        validation: how it was judged.
        linking: what it is about.
        created_at: the clock when it was made.
    """

    node_id: str
    text: str
    embedding: Floats
    cluster: ClusterInfo
    validation: ValidationResult
    linking: Linking
    created_at: datetime


class VectorStore(Protocol):
    """Everything is within the scopes that are named; by-id reads with `scopes` None are judged by who calls."""

    async def vectors(self, axis: Axis, scope: str, domain: str | None = None) -> AxisVectors:
        """Every resolved experience of `scope` that has a vector on `axis`."""
        ...

    async def save_run(self, run: ClusteringRun, clusters: Sequence[ClusterInfo], weights: Sequence[float]) -> None:
        """Keep a run with its clusters, all or nothing; `weights` are those of the members, cluster after cluster."""
        ...

    async def runs(
        self,
        scopes: Sequence[str],
        axis: Axis | None = None,
        *,
        before: str | None = None,
        run_id: str | None = None,
        limit: int = 1,
    ) -> list[ClusteringRun]:
        """Runs, newest first, older than the run with id `before`, or the one with `run_id`."""
        ...

    async def clusters(self, run_id: str, scopes: Sequence[str]) -> list[ClusterInfo]:
        """The clusters of a run, largest first."""
        ...

    async def cluster(self, cluster_id: str) -> ClusterInfo | None:
        """One cluster by its whole id; the caller's rights are not looked at."""
        ...

    async def members(self, cluster: ClusterInfo, *, after: str = "", limit: int = 10_000) -> list[Experience]:
        """Members with vectors and whole entries, in the order of their ids."""
        ...

    async def member_vectors(self, cluster: ClusterInfo) -> Floats:
        """Give what a value is compared with: vectors of what the members say, [m, d], member by member; m may be 0."""
        ...

    async def middle(self, cluster: ClusterInfo) -> Floats:
        """The point from which a value's distance is taken, [d]: the centroid of what the members say."""
        ...

    async def add_value(self, draft: ValueDraft) -> Value:
        """Store a value under an id that no other has, however many store at the same instant."""
        ...

    async def value(self, value_id: str) -> Value | None:
        """One value by its readable id or its node's; the caller's rights are not looked at."""
        ...

    async def values(
        self, scopes: Sequence[str], axis: Axis | None = None, *, before: str | None = None, limit: int = 1000
    ) -> list[Value]:
        """Values, newest first, older than the value with id `before`."""
        ...

    async def values_of_context(self, scopes: Sequence[str], domain: str, strategy: str, limit: int) -> list[Value]:
        """Values whose cluster holds an experience of this domain and strategy, newest first."""
        ...
