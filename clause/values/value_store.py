"""Judges and stores the values that agents make of clusters. The agent writes the text, the server never does."""

from __future__ import annotations

from collections.abc import Sequence

from clause.arrays import Floats
from clause.errors import NotFoundError
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.text.embedder import Embedder
from clause.text.linking import EntityLinker
from clause.values.axes import EmptyClusterError, InvalidAxisError, ValueRejectedError, parse_axis
from clause.values.clusterer import OWNER, Clusterer
from clause.values.clustering import judge
from clause.values.models import ClusterInfo, Experience, ValidationResult, Value
from clause.values.vector_store import ValueDraft, VectorStore


class ValueStore:
    """Judges and stores agents' values.

    Args:
        embedding_service: embeds value candidates for validation and storage.
        vector_store: storage for validated values.
        clusterer: gives cluster centroids and members.
        ground: clock, ids and scopes; the clusterer's own by default.
        linker: finds what a value is about; the ground's own by default.
    """

    def __init__(
        self,
        embedding_service: Embedder,
        vector_store: VectorStore,
        clusterer: Clusterer,
        ground: Ground | None = None,
        linker: EntityLinker | None = None,
    ) -> None:
        self._embedder = embedding_service
        self._store = vector_store
        self._clusterer = clusterer
        self._ground = ground or clusterer.ground
        self._linker = linker or self._ground.linker

    async def get_clusters(self, axis: str, *, scope: str | None = None, caller: Caller = OWNER) -> list[ClusterInfo]:
        """The clusters of the latest run on `axis`, largest first.

        Raises:
            InvalidAxisError: there is no such axis (it is a ValueError too).
        """
        return await self._clusterer.clusters(axis, scope=scope, caller=caller)

    async def get_cluster_members(
        self, cluster_id: str, *, scope: str | None = None, caller: Caller = OWNER
    ) -> list[Experience]:
        """All experiences in a cluster, with embeddings and payloads.

        Raises:
            UnknownClusterError: there is no such cluster (it is a ValueError too).
        """
        return await self._clusterer.members(cluster_id, scope=scope, caller=caller)

    async def validate_value_candidate(
        self, text: str, cluster_id: str, *, scope: str | None = None, caller: Caller = OWNER
    ) -> ValidationResult:
        """Judges whether `text` is central to the cluster: within mean + 0.5 * std of members' distances to it.

        Raises:
            UnknownClusterError: there is no such cluster (it is a ValueError too).
            EmptyClusterError: it has no members any more (a ValueError too).
        """
        cluster = await self._clusterer.cluster(cluster_id, scope=scope, caller=caller)
        return (await self._judged(text, cluster))[0]

    async def store_value(
        self, text: str, cluster_id: str, axis: str, *, scope: str | None = None, caller: Caller = OWNER
    ) -> Value:
        """Validate again, and store. The value keeps the whole id of its cluster, with the run.

        Raises:
            UnknownClusterError: there is no such cluster.
            InvalidAxisError: there is no such axis, or it is not the cluster's.
            EmptyClusterError: the cluster has no members any more.
            ValueRejectedError: the text is too far from the cluster; `details["validation"]` tells how far.
            (Each of them is a ValueError too.)
            ForbiddenError: the caller may not write where the cluster is.
        """
        chosen = parse_axis(axis)
        cluster = await self._clusterer.cluster(cluster_id, scope=scope, caller=caller)
        if cluster.axis != chosen.value:
            raise InvalidAxisError(
                f"{cluster_id} is a cluster of the axis {cluster.axis}, not {chosen.value}",
                field="axis",
                bound=cluster.axis,
            )
        caller.require_write(cluster.scope)
        text = text.strip()
        validation, embedding = await self._judged(text, cluster)
        if not validation.valid:
            raise ValueRejectedError(
                validation.reason or "rejected",
                remedy="revise the text and validate it again",
                field="text",
                details={"validation": validation.model_dump()},
            )
        now = self._ground.now()
        linking = await self._linker.link([text], cluster.scope, now)
        draft = ValueDraft(self._ground.ids(), text, embedding, cluster, validation, linking, now)
        return await self._store.add_value(draft)

    async def list_values(
        self,
        axis: str | None = None,
        *,
        scopes: Sequence[str] | None = None,
        limit: int = 1000,
        after: str | None = None,
        caller: Caller = OWNER,
    ) -> list[Value]:
        """Stored values, newest first, of one axis or all; older than the value with id `after`.

        Raises:
            InvalidAxisError: there is no such axis.
        """
        chosen = parse_axis(axis) if axis else None
        readable = await self._ground.readable(caller, scopes)
        return await self._store.values(readable, chosen, before=after, limit=limit)

    async def get(self, value_id: str, *, caller: Caller = OWNER) -> Value:
        """One value by its id.

        Raises:
            NotFoundError: there is none, or none that the caller may see.
        """
        found = await self._store.value(value_id)
        if found is None or not caller.may_read(found.scope):
            raise NotFoundError(f"no value is called {value_id[:120]!r}", field="value_id")
        return found

    async def _judged(self, text: str, cluster: ClusterInfo) -> tuple[ValidationResult, Floats]:
        members = await self._store.member_vectors(cluster)
        if not len(members):
            raise EmptyClusterError(
                f"{cluster.cluster_id} has no members", remedy="run clustering again", field="cluster_id"
            )
        embedding = await self._embedder.embed_query(text)
        middle = await self._store.middle(cluster)
        return await self._ground.pool.run(judge, embedding, members, middle), embedding
