"""The clusterer's and the value store's port in memory; passes tests/contract/vector_store_checks.py like Neo4j."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any

import numpy as np

from clause.arrays import Floats
from clause.values.axes import Axis, micros, number_of, value_id
from clause.values.ghap import tier_weight
from clause.values.models import ClusterInfo, ClusteringRun, Experience, Value
from clause.values.vector_store import AxisVectors, ValueDraft


@dataclass(frozen=True)
class Resolved:
    """A resolved experience as the fake keeps it."""

    id: str
    scope: str
    payload: dict[str, Any]
    vectors: dict[Axis, Floats]

    @property
    def weight(self) -> float:
        return tier_weight(self.payload.get("confidence_tier"))


@dataclass
class InMemoryVectorStore:
    """Everything in dicts."""

    dimension: int = 384
    experiences: dict[str, Resolved] = field(default_factory=dict)
    kept_runs: dict[str, ClusteringRun] = field(default_factory=dict)
    kept_clusters: dict[str, ClusterInfo] = field(default_factory=dict)
    kept_values: dict[str, Value] = field(default_factory=dict)
    last_number: int = 0

    def add(self, experience: Resolved) -> None:
        self.experiences[experience.id] = experience

    def remove(self, experience_id: str) -> None:
        """As erasure does."""
        del self.experiences[experience_id]

    async def vectors(self, axis: Axis, scope: str, domain: str | None = None) -> AxisVectors:
        found = [
            experience
            for experience in sorted(self.experiences.values(), key=lambda experience: experience.id)
            if experience.scope == scope
            and axis in experience.vectors
            and (domain is None or experience.payload["domain"] == domain)
        ]
        return AxisVectors(
            tuple(experience.id for experience in found),
            self._stacked([experience.vectors[axis] for experience in found]),
            np.array([experience.weight for experience in found]),
        )

    async def save_run(self, run: ClusteringRun, clusters: Sequence[ClusterInfo], weights: Sequence[float]) -> None:
        assert len(weights) == sum(cluster.size for cluster in clusters)
        self.kept_runs[run.id] = run
        self.kept_clusters |= {cluster.cluster_id: cluster for cluster in clusters}

    async def runs(
        self,
        scopes: Sequence[str],
        axis: Axis | None = None,
        *,
        before: str | None = None,
        run_id: str | None = None,
        limit: int = 1,
    ) -> list[ClusteringRun]:
        found = [
            run
            for run in sorted(self.kept_runs.values(), key=lambda run: run.id, reverse=True)
            if run.scope in scopes and axis in {None, run.axis} and (before is None or run.id < before)
            if run_id in {None, run.id}
        ]
        return found[:limit]

    async def clusters(self, run_id: str, scopes: Sequence[str]) -> list[ClusterInfo]:
        found = [
            self._now(cluster)
            for cluster in self.kept_clusters.values()
            if cluster.run_id == run_id and cluster.scope in scopes
        ]
        return sorted(found, key=lambda cluster: (-cluster.size, cluster.label))

    async def cluster(self, cluster_id: str) -> ClusterInfo | None:
        found = self.kept_clusters.get(cluster_id)
        return self._now(found) if found else None

    async def members(self, cluster: ClusterInfo, *, after: str = "", limit: int = 10_000) -> list[Experience]:
        found = [
            Experience(
                id=member.id, embedding=member.vectors[Axis(cluster.axis)], payload=member.payload, weight=member.weight
            )
            for member in self._members(cluster)
            if member.id > after
        ]
        return found[:limit]

    async def member_vectors(self, cluster: ClusterInfo) -> Floats:
        return self._stacked([member.vectors[Axis(cluster.axis)] for member in self._members(cluster)])

    async def middle(self, cluster: ClusterInfo) -> Floats:
        return cluster.centroid

    async def add_value(self, draft: ValueDraft) -> Value:
        cluster = draft.cluster
        self.last_number = max(self.last_number + 1, micros(draft.created_at))
        payloads = [member.payload for member in self._members(cluster)]
        contexts = {_context(payload["domain"], payload["strategy"]) for payload in payloads}
        stored = Value(
            id=value_id(cluster.axis, cluster.label, self.last_number),
            text=draft.text,
            cluster_id=cluster.cluster_id,
            axis=cluster.axis,
            embedding=draft.embedding,
            cluster_size=cluster.size,
            created_at=draft.created_at.astimezone(UTC).isoformat(timespec="microseconds"),
            metadata={
                "cluster_label": cluster.label,
                "validation": draft.validation.model_dump(exclude={"valid", "reason"}),
                "contexts": sorted(contexts),
            },
            scope=cluster.scope,
            node_id=draft.node_id,
            entities=draft.linking.entities[0],
        )
        self.kept_values[stored.id] = stored
        return stored

    async def value(self, value_id: str) -> Value | None:
        by_node = (value for value in self.kept_values.values() if value.node_id == value_id)
        return self.kept_values.get(value_id) or next(by_node, None)

    async def values(
        self, scopes: Sequence[str], axis: Axis | None = None, *, before: str | None = None, limit: int = 1000
    ) -> list[Value]:
        found = [
            value
            for value in sorted(self.kept_values.values(), key=lambda value: number_of(value.id), reverse=True)
            if value.scope in scopes
            and axis in {None, value.axis}
            and (before is None or number_of(value.id) < number_of(before))
        ]
        return found[:limit]

    async def values_of_context(self, scopes: Sequence[str], domain: str, strategy: str, limit: int) -> list[Value]:
        found = await self.values(scopes, limit=len(self.kept_values))
        return [value for value in found if _context(domain, strategy) in value.metadata["contexts"]][:limit]

    def _members(self, cluster: ClusterInfo) -> list[Resolved]:
        return [self.experiences[member] for member in sorted(cluster.member_ids) if member in self.experiences]

    def _now(self, cluster: ClusterInfo) -> ClusterInfo:
        return cluster.model_copy(update={"member_ids": tuple(member.id for member in self._members(cluster))})

    def _stacked(self, vectors: Sequence[Floats]) -> Floats:
        return np.stack(vectors) if vectors else np.empty((0, self.dimension), dtype=np.float32)


def _context(domain: str, strategy: str) -> str:
    return "/".join(word.replace("/", "\u2215") for word in (domain, strategy))
