"""The open services of this room, and the long work that it brings."""

from __future__ import annotations

from dataclasses import dataclass

from clause.graph.lease import JobKind, Lease
from clause.ground import Ground
from clause.values.clusterer import Clusterer
from clause.values.clustering import Density, Worker
from clause.values.experiences import Experiences, OutcomeListener
from clause.values.models import RunRequest
from clause.values.neo4j_store import Neo4jVectorStore
from clause.values.value_store import ValueStore


@dataclass(frozen=True)
class Values:
    """The services of this room that the doors may ask.

    Attributes:
        ground: what it stands on.
        experiences: what agents have tried, and what came of it.
        clusterer: finds and tells clusters of experiences.
        store: judges and keeps the values that agents make of clusters.
        worker: the process that clustering runs in; ended by `close`.
    """

    ground: Ground
    experiences: Experiences
    clusterer: Clusterer
    store: ValueStore
    worker: Worker

    @classmethod
    def open(cls, ground: Ground, judge: OutcomeListener | None = None) -> Values:
        """Join the services; nothing is read or started yet. `judge` hears what came of answers that were acted on."""
        vectors = Neo4jVectorStore(ground.graph, ground.embedder)
        worker = Worker()
        clusterer = Clusterer(ground, vectors, worker, Density(reduction=ground.settings.cluster_reduction))
        store = ValueStore(ground.embedder, vectors, clusterer, ground)
        return cls(ground, Experiences(ground, vectors, judge, worker.warm), clusterer, store, worker)

    def close(self) -> None:
        """End the process for clustering, where it was started."""
        self.worker.close()

    def job_kinds(self) -> dict[str, JobKind]:
        """Long work by kind: `cluster_values` with the parameters axis (full) and domain."""

        async def cluster_values(lease: Lease) -> None:
            wanted = lease.job.parameters
            await lease.progress(message="clustering")
            request = RunRequest(axis=wanted.get("axis", "full"), domain=wanted.get("domain"), scope=lease.job.scope)
            run = await self.clusterer.run(request)
            message = f"run {run.id}: {run.clusters} clusters of {run.experiences} experiences"
            await lease.progress(run.experiences, run.experiences, message)

        return {"cluster_values": cluster_values}
