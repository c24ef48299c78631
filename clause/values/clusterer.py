"""Finds clusters among the experiences of a scope, and answers for those that were found. Each run is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from clause.errors import ConflictError, NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.values.axes import (
    ClusterRef,
    UnknownClusterError,
    parse_axis,
    parse_cluster_id,
    require_enough,
)
from clause.values.clustering import NOISE, Cluster, Density, Worker, clusters_of, labels_of
from clause.values.models import ClusterInfo, ClusteringRun, Experience, RunRequest
from clause.values.vector_store import AxisVectors, VectorStore

OWNER = Caller()
"""The owner of everything, as on the loopback."""


class Clusterer:
    """HDBSCAN over the experiences of one scope, on one axis at a time.

    Args:
        ground: clock, ids, metrics and the default scope; the value store takes its own from here.
        store: where experiences, runs and clusters are.
        worker: the process that the arithmetic runs in.
        density: how clusters are looked for.
        clock: seconds, for the run's own time.
    """

    def __init__(
        self,
        ground: Ground,
        store: VectorStore,
        worker: Worker,
        density: Density | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.ground = ground
        self._store = store
        self._worker = worker
        self._density = density or Density()
        self._clock = clock

    async def run(self, request: RunRequest, *, caller: Caller = OWNER) -> ClusteringRun:
        """Find the clusters of an axis, and keep them as a run of their own; earlier runs stay as they are.

        Raises:
            InvalidAxisError: there is no such axis.
            InsufficientDataError: fewer than 20 experiences are resolved there.
            ForbiddenError: the caller may not write to the scope.
        """
        axis = parse_axis(request.axis)
        scope = self.ground.writable(caller, request.scope)
        domain = request.domain.strip().lower() if request.domain else None
        found = await self._store.vectors(axis, scope, domain)
        require_enough(len(found.ids), axis)
        density = self._density.of(len(found.ids))
        started = self._clock()
        labels = await self._worker.run(labels_of, found.vectors, density)
        clusters = await self.ground.pool.run(clusters_of, found.vectors, found.weights, labels)
        seconds = self._clock() - started
        self.ground.metrics.observe_stages({"clustering_ms": seconds * 1000})
        run = ClusteringRun(
            id=self.ground.ids(),
            scope=scope,
            axis=axis.value,
            domain=domain,
            experiences=len(found.ids),
            noise=int((labels == NOISE).sum()),
            clusters=len(clusters),
            reduction=str(density),
            seconds=seconds,
            created_at=self.ground.now(),
        )
        infos = [_info(cluster, found, run) for cluster in clusters]
        weights = np.concatenate([found.weights[cluster.members] for cluster in clusters] or [np.empty(0)])
        await self._store.save_run(run, infos, weights.tolist())
        return run

    async def runs(
        self,
        *,
        axis: str | None = None,
        scopes: Sequence[str] | None = None,
        limit: int = 20,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> list[ClusteringRun]:
        """Runs, newest first, older than `after`."""
        readable = await self.ground.readable(caller, scopes)
        return await self._store.runs(readable, parse_axis(axis) if axis else None, before=after, limit=limit)

    async def clusters(
        self, axis: str, *, scope: str | None = None, run_id: str | None = None, caller: Caller = OWNER
    ) -> list[ClusterInfo]:
        """The clusters of a run, largest first: of the one named, wherever the caller may read it, or of the latest of
        the axis in the caller's scope; none before a run.

        Raises:
            InvalidAxisError: there is no such axis.
            NotFoundError: there is no such run, or none that the caller may see.
        """
        chosen = parse_axis(axis)
        if run_id is None:
            found = await self._store.runs([await self.ground.home(caller, scope)], chosen)
        else:
            readable = await self.ground.readable(caller, [scope] if scope else None)
            found = await self._store.runs(readable, run_id=run_id)
            if not found:
                raise NotFoundError(f"no clustering run has the id {run_id[:80]!r}", field="run_id")
        clusters = await self._store.clusters(found[0].id, [found[0].scope]) if found else []
        return [one for one in clusters if one.axis == chosen.value]

    async def cluster(self, cluster_id: str, *, scope: str | None = None, caller: Caller = OWNER) -> ClusterInfo:
        """One cluster by its public id: `full_0` of the latest run in the caller's scope, or `full_0@<run>`.

        Raises:
            UnknownClusterError: there is none, or none that the caller may see.
            ConflictError: it was found with another embedding model.
        """
        ref = parse_cluster_id(cluster_id)
        whole = cluster_id if ref.run_id else await self._latest(ref, scope, caller)
        found = await self._store.cluster(whole) if whole else None
        if found is None or not caller.may_read(found.scope):
            raise UnknownClusterError(
                f"no cluster is called {cluster_id!r}", remedy="list the clusters of its axis", field="cluster_id"
            )
        model = self.ground.embedder.model
        if found.embedding_model not in {"", model}:
            raise ConflictError(
                f"{cluster_id} was found with the model {found.embedding_model}, this service embeds with {model}",
                remedy="run clustering again",
                field="cluster_id",
            )
        return found

    async def members(
        self,
        cluster_id: str,
        *,
        scope: str | None = None,
        after: str = "",
        limit: int = 10_000,
        caller: Caller = OWNER,
    ) -> list[Experience]:
        """A cluster's experiences with their vectors and whole entries, in the order of their ids.

        Raises:
            UnknownClusterError: there is no such cluster, or none that the caller may see.
        """
        found = await self.cluster(cluster_id, scope=scope, caller=caller)
        return await self._store.members(found, after=after, limit=limit)

    async def _latest(self, ref: ClusterRef, scope: str | None, caller: Caller) -> str | None:
        home = await self.ground.home(caller, scope)
        runs = await self._store.runs([home], ref.axis, limit=1)
        return ref.of_run(runs[0].id) if runs else None


def _info(cluster: Cluster, found: AxisVectors, run: ClusteringRun) -> ClusterInfo:
    return ClusterInfo(
        cluster_id=f"{run.axis}_{cluster.label}@{run.id}",
        axis=run.axis,
        label=cluster.label,
        centroid=cluster.centroid,
        member_ids=tuple(found.ids[row] for row in cluster.members),
        size=len(cluster.members),
        avg_weight=cluster.avg_weight,
        run_id=run.id,
        scope=run.scope,
    )
