"""The value store over the fake in memory, with vectors of a test's choice for each text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
import pytest

from clause.arrays import Floats
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.linking import Linking
from clause.values.axes import Axis, axis_texts
from clause.values.clusterer import Clusterer
from clause.values.clustering import Density
from clause.values.models import ClusterInfo
from clause.values.value_store import ValueStore
from clause.workers import CpuPool
from tests.contract.vector_store_checks import DIMENSION, cluster_of, run_of
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_store import InMemoryVectorStore, Resolved
from tests.shapes_of_values import resolved_entry

SCOPE = "user:ann"
ANN = Caller(readable=("user:ann",), writable=("user:ann",))


class GivenEmbedder(HashEmbedder):
    """Texts have the vectors that a test gives them; others those of hashed words."""

    def __init__(self) -> None:
        super().__init__(DIMENSION)
        self.given: dict[str, Floats] = {}

    def _vector(self, text: str) -> Floats:
        given = self.given.get(text)
        return super()._vector(text) if given is None else given


class NobodyLinker:
    """Finds no entity in any text."""

    async def link(self, texts: Sequence[str], scope: str, recorded_at: datetime, **_more: Any) -> Linking:
        return Linking(tuple(() for _ in texts), ())


class InlineWorker:
    """Does the work here and now."""

    def __init__(self) -> None:
        self.pieces = 0

    async def run(self, work: Callable[..., Any], *args: Any) -> Any:
        self.pieces += 1
        return work(*args)


@dataclass(frozen=True)
class ScopesAlone:
    """A graph that knows only which scopes there are."""

    ids: Sequence[str]

    async def run(self, name: str, **_parameters: Any) -> list[dict[str, Any]]:
        assert name == "graph/scopes"
        return [{"id": scope} for scope in self.ids]


@dataclass
class World:
    """The parts together."""

    memory: InMemoryVectorStore = field(default_factory=InMemoryVectorStore)
    embedder: GivenEmbedder = field(default_factory=GivenEmbedder)
    worker: InlineWorker = field(default_factory=InlineWorker)
    density: Density = field(default_factory=lambda: Density(reduction="none"))
    scopes: list[str] = field(default_factory=lambda: [SCOPE])

    def __post_init__(self) -> None:
        self.pool = CpuPool(1)
        settings = Settings(default_scope=SCOPE)
        self.ground = Ground(ScopesAlone(self.scopes), self.embedder, None, self.pool, settings, Metrics())  # type: ignore[arg-type]
        self.clusterer = Clusterer(self.ground, self.memory, self.worker, self.density)  # type: ignore[arg-type]
        self.store = ValueStore(
            self.embedder,
            self.memory,
            self.clusterer,
            self.ground,
            linker=NobodyLinker(),  # type: ignore[arg-type]
        )

    def tell(self, vector: Floats, **more: Any) -> str:
        """A resolved experience with this vector on each of its axes; its id."""
        entry = resolved_entry(more.pop("scope", SCOPE), **more)
        vectors = {axis: vector for axis in Axis if axis in axis_texts(entry)}
        self.memory.add(Resolved(entry.id, entry.scope, entry.model_dump(mode="json"), vectors))
        return entry.id

    async def cluster(
        self, vectors: Sequence[Floats], centroid: Floats | None = None, axis: str = "full"
    ) -> ClusterInfo:
        """A cluster made by hand of experiences with these vectors; their mean is the centroid if none is given."""
        members = tuple([self.tell(vector) for vector in vectors])
        run = run_of(SCOPE, axis=axis)
        mean = np.mean(vectors, axis=0) if centroid is None else centroid
        made = cluster_of(run, 0, members, np.asarray(mean, dtype=np.float32))
        await self.memory.save_run(run, [made], [0.8] * len(members))
        return made


@pytest.fixture
def world() -> Any:
    made = World()
    yield made
    made.pool.close()
