"""The rows of `clause bench beliefs`: stating and asking among many beliefs."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import numpy as np
from ulid import ULID

from clause.arrays import Floats
from clause.graph.migrations import online
from clause.graph.runner import Graph
from clause.graph.scopes import Caller, scope_token
from clause.ground import Ground
from clause.knowledge.beliefs.beliefs import BeliefService
from clause.knowledge.beliefs.models import BeliefCreate
from clause.knowledge.beliefs.origins import RELIABILITY, provenance
from clause.knowledge.beliefs.query_models import BeliefQuery
from clause.knowledge.beliefs.rows import new_belief
from clause.lab.bench.loading import bench_scope
from clause.lab.bench.reasoning import BOLT, round_trip_ms
from clause.lab.bench.timing import Timings, row, timed
from clause.text.names import canonical_key, entity_id, name_key

SCOPE: Final = "kg:bench-beliefs"
CALLER: Final = Caller((SCOPE,), (SCOPE,))
BATCH: Final = 250
PEOPLE: Final = 500
SPREAD: Final = 0.6
"""Length of the noise around a sentence's own vector: the beliefs of one sentence have a mean cosine near .73."""

_NAMES = ("Ann", "Bob", "Clara", "Dan", "Eva", "Finn", "Greta", "Hugo", "Ida", "Jonas")
_VERBS = ("likes", "sells", "repairs", "paints", "collects", "describes", "avoids", "borrows", "designs", "tests")
_THINGS = (
    "old bicycles", "green tea", "wooden boats", "paper maps", "film cameras", "garden tools", "rare stamps",
    "sea birds", "steel bridges", "jazz records",
)  # fmt: skip
_PLACES = ("in the harbour", "at the market", "near the station", "on the hill", "behind the school", "by the river")


class BeliefServices(Protocol):
    """The services that the rows drive (the container has them)."""

    @property
    def graph(self) -> Graph:
        """The database."""
        ...

    @property
    def rooms(self) -> Any:
        """The open rooms."""
        ...


async def beliefs_bench(services: BeliefServices, count: int, calls: int, command: str) -> dict[str, Any]:
    """Create and query among `count` beliefs of a scope of their own, which is erased afterwards.

    Every text is new, so that each call embeds one; `beyond_embedding_ms` is the median less that of an embedding
    alone in the same run. The beliefs around are written in batches with vectors near those of real sentences.
    """
    ground: Ground = services.rooms.ground
    beliefs: BeliefService = services.rooms.knowledge.beliefs
    warm_up = max(1, calls // 10)
    texts = list(sentences(calls + warm_up, seed=1))
    questions = [f"who {text.split(' ', 2)[2]}" for text in texts]

    async def state(text: str) -> None:
        await beliefs.create(BeliefCreate(content=text, scope=SCOPE), caller=CALLER)

    async def ask(question: str) -> None:
        await beliefs.query(BeliefQuery(query=question, scopes=(SCOPE,)), caller=CALLER)

    async def embed(text: str) -> None:
        await ground.embedder.embed([f"{text}, again"])

    async with bench_scope(services.graph, SCOPE):
        started = time.perf_counter()
        await fill(ground, count)
        await online(services.graph)
        filled_s = time.perf_counter() - started
        baseline_ms = await round_trip_ms(services.graph)
        embedded = await timed(embed, texts, warm_up=warm_up)
        asked = await timed(ask, questions, warm_up=warm_up)
        stated = await timed(state, texts, warm_up=warm_up)
    single_ms = embedded.percentile_ms(50)

    def told(name: str, figure: Timings) -> dict[str, Any]:
        found = row(name, figure, BOLT, baseline_ms, command)
        return {**found, "beyond_embedding_ms": round(found["p50_ms"] - single_ms, 3)}

    return {
        "name": f"beliefs, {count} of them",
        "beliefs": count,
        "filled_s": round(filled_s, 1),
        "embedding_ms": single_ms,
        "create": told("create a belief", stated),
        "query": told("query the beliefs, 20 at most", asked),
    }


async def fill(ground: Ground, count: int) -> None:
    """Write `count` beliefs about `PEOPLE` entities, in batches, with vectors scattered around real sentences."""
    at = datetime.now(UTC)
    rng = np.random.default_rng(0)
    people = [f"{_NAMES[place % len(_NAMES)]} Number{place // len(_NAMES)}" for place in range(PEOPLE)]
    ids = [entity_id(SCOPE, canonical_key(name)) for name in people]
    rows = [
        [place, ids[place], canonical_key(name), name, name_key(name), "concept", []]
        for place, name in enumerate(people)
    ]
    made = {"rows": rows, "scope": SCOPE, "scope_token": scope_token(SCOPE), "recorded_at": at}
    known = ("graph/register_scope", {"scope": SCOPE, "recorded_at": at})
    await ground.graph.write([known, ("graph/merge_entities", made)])
    centres = await ground.embedder.embed(list(dict.fromkeys(sentences(1_000, seed=2))))
    for start in range(0, count, BATCH):
        source = {"id": f"src_{SCOPE}_{start}", "kind": "document"}  # of one for all, no slice could be erased
        vectors = scattered(centres, size := min(BATCH, count - start), rng)
        batch = []
        for offset in range(size):
            number = start + offset
            given = BeliefCreate(content=f"{people[number % PEOPLE]} keeps the record number {number}", scope=SCOPE)
            proof, own = provenance(given, source, "prv", scope=SCOPE, at=at), str(ULID())
            belief = new_belief(given, own, source, proof, scope=SCOPE, model=ground.embedder.model, at=at)
            batch.append([{**belief, "degree": 1}, vectors[offset], ids[number % PEOPLE]])
        await ground.graph.run(
            "evaluation/create_beliefs",
            rows=batch,
            scope=SCOPE,
            source_id=source["id"],
            reliability=RELIABILITY[source["kind"]],
            recorded_at=at,
        )


def scattered(centres: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Unit vectors [count, d] around some of the centres [n, d].

    >>> near = scattered(np.eye(4, 64, dtype=np.float32), 3, np.random.default_rng(0))
    >>> near.shape, bool(np.allclose(np.linalg.norm(near, axis=1), 1))
    ((3, 64), True)
    """
    noise = rng.standard_normal((count, centres.shape[1])).astype(np.float32)
    noise *= SPREAD / np.linalg.norm(noise, axis=1, keepdims=True)
    near = centres[rng.integers(len(centres), size=count)] + noise
    return np.asarray(near / np.linalg.norm(near, axis=1, keepdims=True), dtype=np.float32)


def sentences(count: int, seed: int) -> Iterator[str]:
    """`count` different short sentences about people whom the bench knows.

    >>> next(sentences(1, seed=3)).split()[1].startswith("Number")
    True
    """
    chance = random.Random(seed)  # noqa: S311 -- a reproducible draw
    seen: set[str] = set()
    while len(seen) < count:
        parts: Sequence[str] = (
            f"{chance.choice(_NAMES)} Number{chance.randrange(PEOPLE // len(_NAMES))}",
            chance.choice(_VERBS),
            chance.choice(_THINGS),
            chance.choice(_PLACES),
        )
        text = " ".join(parts)
        if text not in seen:
            seen.add(text)
            yield text
