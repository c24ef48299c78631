"""The seed's named cases, and what else a store of memories must hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from clause.errors import (
    BadInputError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    OutOfBoundsError,
    PreconditionError,
    UnavailableError,
)
from clause.graph.migrations import reindex
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.ground import Ground
from clause.memory.models import (
    ClusterLimitError,
    ClusterNotFoundError,
    MCSConfig,
    MemoryReadInput,
    MemoryWriteInput,
    PersonalDataError,
)
from clause.memory.room import Memory
from tests.fakes.embedder import HashEmbedder
from tests.integration.graphs import waiting, writing
from tests.integration.memory.conftest import OWNER
from tests.integration.memory.reading_back import clusters, faults, memories
from tests.servers import erase_scope, statement

pytestmark = pytest.mark.integration

_UNREAD = statement(
    "MATCH (c:MemoryCluster {scope: $scope}) REMOVE c.sum", mode="write", parameters="$scope STRING", columns="none"
)

_MOSTLY_CLOSED = statement(
    "MATCH (c:MemoryCluster {scope: $scope}) WITH c ORDER BY c.cluster_id SKIP $open SET c.consolidated = true",
    mode="write", parameters="$scope STRING, $open INTEGER", columns="none",
)  # fmt: skip


def note(content: str, scope: str, **more: object) -> MemoryWriteInput:
    return MemoryWriteInput.model_validate({"content": content, "scope": scope, **more})


async def test_write_creates_new_cluster(memory: Memory, graph: Graph, scope: str) -> None:
    first = await memory.store.write(note("tea in the garden", scope), caller=OWNER)
    other = await memory.store.write(note("a flat tyre on the motorway", scope), caller=OWNER)

    assert (first.is_new_cluster, first.consolidated, first.similarity_to_prototype) == (True, False, 1.0)
    assert other.is_new_cluster
    assert first.cluster_id != other.cluster_id
    assert [row["size"] for row in await clusters(graph, scope)] == [1, 1]
    assert await faults(graph, scope) == []


async def test_a_cluster_whose_sum_cannot_be_read_for_the_moment_is_not_joined(
    memory: Memory, graph: Graph, scope: str
) -> None:
    content = "green tea in the garden at noon"
    first = await memory.store.write(note(content, scope), caller=OWNER)
    await graph.execute(_UNREAD, {"scope": scope})
    alone = await memory.store.write(note(content, scope), caller=OWNER)
    batch = await memory.store.write_batch([note(f"{content} {number}", scope) for number in range(20)], caller=OWNER)

    assert alone.is_new_cluster
    assert first.cluster_id not in {one.cluster_id for one in (alone, *batch)}


async def test_write_joins_existing_cluster(memory: Memory, graph: Graph, scope: str) -> None:
    first = await memory.store.write(note("green tea in the garden at noon today", scope), caller=OWNER)
    near = await memory.store.write(note("green tea in the garden at noon", scope), caller=OWNER)

    assert (near.cluster_id, near.is_new_cluster) == (first.cluster_id, False)
    assert 0.85 < near.similarity_to_prototype < 1.0
    assert [row["size"] for row in await clusters(graph, scope)] == [2]
    assert await faults(graph, scope) == []


async def test_read_returns_top_k(memory: Memory, scope: str) -> None:
    texts = ["tea in the garden", "coffee in the kitchen", "the garden is full of roses", "a flat tyre"]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    for mode in ("dense", "sparse", "hybrid"):
        request = MemoryReadInput(query_text="tea garden", k=2, scopes=[scope], search_mode=mode)
        found = await memory.store.read(request, caller=OWNER)
        assert [one.content for one in found] == ["tea in the garden", "the garden is full of roses"], mode
        scores = [one.decay_adjusted_score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < one.similarity <= 1 for one in found)


async def test_temporal_decay_applied(ground: Ground, graph: Graph, scope: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    clock = [start]
    config = MCSConfig(y_encoder_model="hash", decay_factor=0.5, decay_unit_seconds=3600)
    moved = Ground(graph, ground.embedder, ground.jobs, ground.pool, ground.settings, ground.metrics, lambda: clock[0])
    memory = Memory.open(moved, config)
    old = await memory.store.write(note("tea with lemon and honey", scope), caller=OWNER)
    clock[0] = start + timedelta(hours=3)
    new = await memory.store.write(note("tea with lemon", scope, force_new_cluster=True), caller=OWNER)
    asked = MemoryReadInput(query_text="tea lemon honey", scopes=[scope], search_mode="dense")

    first, second = await memory.store.read(asked, caller=OWNER)
    await memory.store.touches.settled()
    again = await memory.store.read(asked, caller=OWNER)

    assert [first.memory_id, second.memory_id] == [new.memory_id, old.memory_id]
    assert second.similarity > first.similarity
    assert second.decay_adjusted_score == pytest.approx(second.similarity / 8, rel=1e-5)
    assert again[0].memory_id == old.memory_id  # recalled just now: nothing has decayed any more
    assert again[0].decay_adjusted_score == pytest.approx(again[0].similarity, rel=1e-5)
    await memory.settled()


async def test_reading_counts_later_and_in_batches(
    memory: Memory, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store.touches, "_pause_s", 600.0)  # on a busy machine three reads take their time
    written = await memory.store.write(note("tea in the garden", scope), caller=OWNER)
    request = MemoryReadInput(query_text="tea", scopes=[scope])
    for _ in range(3):
        await memory.store.read(request, caller=OWNER)
    before = [row["access_count"] for row in await memories(graph, scope)]
    await memory.settled()
    after = [row["access_count"] for row in await memories(graph, scope)]
    cluster = await memory.store.cluster(written.cluster_id, caller=OWNER)

    assert (before, after, cluster.access_count) == ([0], [3], 3)
    assert cluster.version == 1


async def test_index_rebuild(memory: Memory, graph: Graph, scope: str) -> None:
    texts = [f"number {n} {word}" for n, word in enumerate(["tea", "rain", "song", "road", "salt"] * 4)]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    request = MemoryReadInput(query_text="number 3 road", k=10, scopes=[scope])
    before = [one.memory_id for one in await memory.store.read(request, caller=OWNER)]
    for name in ("memory_cluster_prototype", "memory_embedding", "memory_text"):
        await reindex(graph, name)
    after = [one.memory_id for one in await memory.store.read(request, caller=OWNER)]
    assert before == after
    assert len(after) == 10


async def test_concurrent_writes(memory: Memory, graph: Graph, scope: str) -> None:
    """32 writers into overlapping clusters: no member is lost, prototypes and sizes are exact."""
    openings = [
        "tea in the garden at noon with honey",
        "a flat tyre on the motorway at night",
        "roses and salt and rain",
    ]
    await memory.store.write_batch([note(text, scope) for text in openings], caller=OWNER)

    async def writer(number: int) -> list[str]:
        found = []
        for turn in range(3):
            text = f"{openings[(number + turn) % 3]} {'again' if (number + turn) % 2 else 'today'}"
            found.append((await memory.store.write(note(text, scope), caller=OWNER)).memory_id)
        return found

    acknowledged = [one for found in await asyncio.gather(*map(writer, range(32))) for one in found]

    stored = await memories(graph, scope)
    assert {row["id"] for row in stored} >= set(acknowledged)
    assert len(stored) == len(acknowledged) + 3 == 99
    assert sorted(row["sequence"] for row in stored) == list(range(1, 100))
    assert sum(row["size"] for row in await clusters(graph, scope)) == 99
    assert await faults(graph, scope) == []


async def test_the_same_key_written_by_many_at_once_is_one_memory(memory: Memory, graph: Graph, scope: str) -> None:
    request = note("tea in the garden", scope, idempotency_key="k1")
    found = await asyncio.gather(*(memory.store.write(request, caller=OWNER) for _ in range(12)))
    again = await memory.store.write(request, caller=OWNER)

    assert len({one.memory_id for one in [*found, again]}) == 1
    assert sum(not one.replayed for one in found) == 1
    assert again.replayed
    assert (again.is_new_cluster, again.cluster_id) == (True, found[0].cluster_id)
    assert len(await memories(graph, scope)) == 1
    assert await faults(graph, scope) == []


async def test_a_key_with_another_content_is_a_conflict(memory: Memory, scope: str) -> None:
    await memory.store.write(note("tea", scope, idempotency_key="k1"), caller=OWNER)
    with pytest.raises(ConflictError, match="another memory"):
        await memory.store.write(note("coffee", scope, idempotency_key="k1"), caller=OWNER)


@pytest.mark.parametrize("apart", [1, 260])
async def test_a_key_with_two_contents_in_one_batch_is_a_conflict_and_nothing_is_written(
    memory: Memory, graph: Graph, scope: str, apart: int
) -> None:
    """Also where they are written in transactions of their own."""
    requests = [note(f"item {number}", scope) for number in range(apart + 1)]
    requests[0], requests[apart] = (note(text, scope, idempotency_key="k1") for text in ("tea", "coffee"))
    with pytest.raises(ConflictError, match="another memory"):
        await memory.store.write_batch(requests, caller=OWNER)
    assert await memories(graph, scope) == []


async def test_the_same_key_in_two_transactions_of_a_batch_is_one_memory_and_only_the_later_is_replayed(
    memory: Memory, graph: Graph, scope: str
) -> None:
    requests = [note("tea", scope, idempotency_key="k1"), *(note(f"item {number}", scope) for number in range(260))]
    found = await memory.store.write_batch([*requests, requests[0]], caller=OWNER)
    assert found[-1] == found[0].model_copy(update={"replayed": True})
    assert [one.replayed for one in found] == [False] * 261 + [True]
    assert len(await memories(graph, scope)) == 261


async def test_keys_of_two_scopes_do_not_meet(memory: Memory, scope: str, graph: Graph) -> None:
    other = f"{scope}-b"
    try:
        first = await memory.store.write(note("tea", scope, idempotency_key="k1"), caller=OWNER)
        second = await memory.store.write(note("coffee", other, idempotency_key="k1"), caller=OWNER)
        assert first.memory_id != second.memory_id
    finally:
        await erase_scope(graph, other)


async def test_a_batch_is_one_call_to_the_embedder_and_tells_its_progress(
    memory: Memory, ground: Ground, graph: Graph, scope: str
) -> None:
    told: list[tuple[int, int]] = []
    requests = [note(f"plain words {n % 7} for item {n}", scope) for n in range(300)]
    requests += [note("the same", scope, idempotency_key="same")] * 2
    before = ground.embedder.calls  # type: ignore[attr-defined]
    found = await memory.store.write_batch(requests, caller=OWNER, progress=lambda *at: told.append(at))

    assert ground.embedder.calls == before + 1  # type: ignore[attr-defined]
    assert told == [(250, 302), (302, 302)]
    assert len({one.memory_id for one in found}) == 301
    assert found[301] == found[300].model_copy(update={"replayed": True})
    stored = await memories(graph, scope)
    assert [row["id"] for row in stored] == [one.memory_id for one in found[:301]]
    assert await faults(graph, scope) == []


async def test_a_batch_ends_as_if_each_was_written_alone(memory: Memory, graph: Graph, scope: str) -> None:
    texts = [f"{opening} {more}" for more in ("at noon", "at night") for opening in ("green tea in the garden", "rain")]
    other = f"{scope}-b"
    try:
        batch = await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
        alone = [await memory.store.write(note(text, other), caller=OWNER) for text in texts]
        assert [one.is_new_cluster for one in batch] == [one.is_new_cluster for one in alone]
        assert [one.similarity_to_prototype for one in batch] == pytest.approx(
            [one.similarity_to_prototype for one in alone], abs=1e-5
        )
    finally:
        await erase_scope(graph, other)


async def test_a_forced_memory_opens_a_cluster(memory: Memory, graph: Graph, scope: str) -> None:
    first = await memory.store.write(note("tea in the garden", scope), caller=OWNER)
    forced = await memory.store.write(note("tea in the garden", scope, force_new_cluster=True), caller=OWNER)
    assert forced.is_new_cluster
    assert forced.cluster_id != first.cluster_id


async def test_memories_mention_entities_and_their_degrees_are_kept(memory: Memory, graph: Graph, scope: str) -> None:
    written = await memory.store.write(note("Ann: we met Grace Hopper in Lisbon", scope), caller=OWNER)
    found = await memory.store.get(written.memory_id, caller=OWNER)
    (row,) = await memories(graph, scope)
    assert {"Grace Hopper", "Lisbon"} <= set(found.entities)
    assert row["degree"] == row["linked"] == len(found.entities) + 1
    assert len(written.entities) == len(found.entities)
    assert found.speaker == "Ann"


async def test_personal_data_needs_consent(memory: Memory, graph: Graph, scope: str) -> None:
    metadata = {"mail": "ann@example.org"}
    with pytest.raises(PersonalDataError):
        await memory.store.write(note("tea", scope, metadata=metadata), caller=OWNER)
    assert await memories(graph, scope) == []
    written = await memory.store.write(note("tea", scope, metadata=metadata, pii_consent=True), caller=OWNER)
    assert (await memory.store.get(written.memory_id, caller=OWNER)).metadata == metadata


async def test_metadata_comes_back_as_it_was_written(memory: Memory, scope: str) -> None:
    metadata = {"n": 1, "x": 0.5, "ok": True, "text": "emoji 🎈 \u202eright to left"}
    await memory.store.write(note("tea in the garden", scope, metadata=metadata), caller=OWNER)
    (found,) = await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope]), caller=OWNER)
    assert found.metadata == metadata
    assert found.is_representative
    assert np.isclose(np.linalg.norm(found.embedding), 1.0, atol=1e-5)


@pytest.mark.parametrize(
    "content",
    [
        "x" * 10_000,
        "\x00tea\x00",
        "n:Memory {} RETURN n //",
        "🎈 \u202eabc",
        "((( AND ]]] \\",
        "MATCH (n) DELETE n",
    ],
)
async def test_any_text_is_kept_and_found_by_itself(memory: Memory, scope: str, content: str) -> None:
    written = await memory.store.write(note(content, scope), caller=OWNER)
    found = await memory.store.read(MemoryReadInput(query_text=content, scopes=[scope]), caller=OWNER)
    assert [one.memory_id for one in found] == [written.memory_id]
    assert found[0].content == content.replace("\x00", "")


async def test_blank_text_is_refused(memory: Memory, scope: str) -> None:
    with pytest.raises(BadInputError):
        await memory.store.write(note("  \n ", scope), caller=OWNER)


async def test_a_vector_of_another_length_or_without_direction_is_refused(memory: Memory, scope: str) -> None:
    for numbers in ([1.0, 2.0], [0.0] * 384, [float("inf"), *[1.0] * 383]):
        with pytest.raises(OutOfBoundsError):
            await memory.store.write(note("tea", scope, embedding=numbers), caller=OWNER)
        with pytest.raises(OutOfBoundsError):
            await memory.store.read(MemoryReadInput(embedding=numbers, scopes=[scope]), caller=OWNER)


async def test_a_given_vector_is_normalised_and_searched_with(memory: Memory, scope: str) -> None:
    vector = [3.0, 4.0, *[0.0] * 382]
    await memory.store.write(note("tea", scope, embedding=vector), caller=OWNER)
    (found,) = await memory.store.read(MemoryReadInput(embedding=vector, scopes=[scope]), caller=OWNER)
    assert found.similarity == pytest.approx(1.0, abs=1e-6)
    assert found.embedding[:2] == pytest.approx([0.6, 0.8])


async def test_a_read_needs_a_query_and_a_sparse_one_needs_words(memory: Memory, scope: str) -> None:
    with pytest.raises(BadInputError, match="nothing to search for"):
        await memory.store.read(MemoryReadInput(scopes=[scope]), caller=OWNER)
    sparse = MemoryReadInput(embedding=[1.0] * 384, search_mode="sparse", scopes=[scope])
    with pytest.raises(BadInputError, match="needs words"):
        await memory.store.read(sparse, caller=OWNER)


async def test_least_similarity_and_fusion_can_be_asked_for(memory: Memory, scope: str) -> None:
    texts = ["tea in the garden", "coffee in the kitchen", "the garden is full of roses"]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    near = MemoryReadInput(query_text="tea in the garden", scopes=[scope], min_similarity=0.95)
    assert [one.content for one in await memory.store.read(near, caller=OWNER)] == ["tea in the garden"]
    ranks = MemoryReadInput(query_text="tea", scopes=[scope], fusion_method="rrf", sparse_weight=0.3, k=1)
    (best,) = await memory.store.read(ranks, caller=OWNER)
    assert best.fused_score == pytest.approx(0.7 / 61 + 0.3 / 61)
    assert best.bm25_score is not None
    words = MemoryReadInput(query_text="tea", scopes=[scope], search_mode="sparse", include_embeddings=False)
    (sparse,) = await memory.store.read(words, caller=OWNER)
    assert (sparse.fused_score, sparse.embedding) == (None, [])
    assert sparse.similarity > 0


@pytest.mark.parametrize("filters", [{"metadata": {"session": 1}}, {"tags": ["ci"]}])
async def test_no_memory_that_passes_filters_is_lost_behind_those_that_only_look_like_it(
    memory: Memory, scope: str, filters: dict[str, object]
) -> None:
    """More than a search looks at say the same of another session, or of something else than tags."""
    alike = [{"session": 10 + number % 10, "channel": "ci", "of": ["ci", "cd"]} for number in range(45)]
    meant = [{"session": 1, "tags": ["cd", "ci"]}, {"a": 1, "session": 1, "tags": ["ci"]}]
    written = [note("green tea", scope, metadata=of) for of in alike]
    written += [note("green tea far away from rain and snow", scope, metadata=of) for of in meant]
    kept = await memory.store.write_batch(written, caller=OWNER)
    for mode in ("dense", "sparse", "hybrid"):
        request = {"query_text": "green tea", "scopes": [scope], "search_mode": mode, "filters": filters}
        found = await memory.store.read(MemoryReadInput.model_validate(request), caller=OWNER)
        assert {one.memory_id for one in found} == {one.memory_id for one in kept[45:]}, mode


async def test_searching_every_member_finds_what_searching_prototypes_first_finds(memory: Memory, scope: str) -> None:
    texts = [f"{topic} number {n}" for topic in ("green tea in the garden", "heavy rain on the road") for n in range(4)]
    await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    asked = {"query_text": "green tea garden", "scopes": [scope], "search_mode": "dense", "k": 4}
    first = await memory.store.read(MemoryReadInput.model_validate(asked), caller=OWNER)
    every = await memory.store.read(MemoryReadInput.model_validate({**asked, "search_members": True}), caller=OWNER)
    assert {one.memory_id for one in first} == {one.memory_id for one in every}


async def test_dense_search_alone_where_hybrid_is_turned_off(ground: Ground, scope: str) -> None:
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash", enable_hybrid_search=False))
    await memory.store.write(note("tea", scope), caller=OWNER)
    with pytest.raises(BadInputError, match="turned off"):
        await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope], search_mode="hybrid"), caller=OWNER)
    (unsaid,) = await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope]), caller=OWNER)
    assert unsaid.bm25_score is None
    dense = MemoryReadInput(query_text="tea", scopes=[scope], search_mode="dense")
    assert len(await memory.store.read(dense, caller=OWNER)) == 1
    await memory.settled()


async def test_what_was_said_next_is_recalled_with_its_question(memory: Memory, scope: str) -> None:
    talk = ["Ann: What is the name of the dog?", "Bob: Rex, of course.", "Ann: Nice weather today."]
    when = "1:56 pm on 8 May, 2023"
    await memory.store.write_batch([note(text, scope, timestamp=when) for text in talk], caller=OWNER)
    asked = {"query_text": "name of the dog", "scopes": [scope], "k": 2, "sparse_weight": 1.0, "fusion_method": "rsf"}
    found = await memory.store.read(MemoryReadInput.model_validate(asked), caller=OWNER)
    assert [one.content for one in found] == talk[:2]
    assert [one.timestamp for one in found] == [when] * 2


async def test_a_crowd_of_foreign_memories_hides_none_of_ours(memory: Memory, graph: Graph, scope: str) -> None:
    other = f"{scope}-crowd"
    try:
        await memory.store.write_batch([note(f"green tea {n}", other) for n in range(150)], caller=OWNER)
        ours = await memory.store.write(note("some green tea", scope), caller=OWNER)
        for mode in ("dense", "sparse", "hybrid"):
            request = MemoryReadInput(query_text="green tea", scopes=[scope], k=5, search_mode=mode)
            found = await memory.store.read(request, caller=OWNER)
            assert [one.memory_id for one in found] == [ours.memory_id], mode
    finally:
        await erase_scope(graph, other)


async def test_a_tenant_sees_and_changes_nothing_of_another(memory: Memory, graph: Graph) -> None:
    ann = Caller(readable=("user:test-ann",), writable=("user:test-ann",))
    bob = Caller(readable=("user:test-bob",), writable=("user:test-bob",))
    try:
        mine = await memory.store.write(MemoryWriteInput(content="green tea", user_id="test-ann"), caller=ann)
        assert mine.scope == "user:test-ann"
        assert await memory.store.read(MemoryReadInput(query_text="green tea"), caller=bob) == []
        assert await memory.store.read(MemoryReadInput(query_text="green tea", user_id="test-bob"), caller=bob) == []
        with pytest.raises(ForbiddenError):
            await memory.store.read(MemoryReadInput(query_text="tea", user_id="test-ann"), caller=bob)
        with pytest.raises(ForbiddenError):
            await memory.store.write(MemoryWriteInput(content="tea", user_id="test-ann"), caller=bob)
        for attempt in (
            memory.store.get(mine.memory_id, caller=bob),
            memory.store.delete(mine.memory_id, caller=bob),
            memory.store.cluster(mine.cluster_id, caller=bob),
            memory.store.members(mine.cluster_id, caller=bob),
        ):
            with pytest.raises(NotFoundError):
                await attempt
        assert (await memory.store.stats(caller=bob)).memories == 0
        assert await memory.store.list(caller=bob) == await memory.store.clusters(caller=bob) == []
        session = MemoryWriteInput(content="black tea", user_id="test-ann", session_id="7")
        assert (await memory.store.write(session, caller=ann)).scope == "user:test-ann/session:7"
        both = await memory.store.read(
            MemoryReadInput(query_text="tea", user_id="test-ann", session_id="7"), caller=ann
        )
        assert {one.content for one in both} == {"green tea", "black tea"}
    finally:
        for scope in ("user:test-ann", "user:test-ann/session:7", "user:test-bob"):
            await erase_scope(graph, scope)


async def test_scope_and_user_together_are_refused(memory: Memory, scope: str) -> None:
    with pytest.raises(BadInputError, match="both"):
        await memory.store.write(note("tea", scope, user_id="ann"), caller=OWNER)
    with pytest.raises(BadInputError, match="both"):
        await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope], user_id="ann"), caller=OWNER)


async def test_a_deleted_memory_is_gone_and_its_cluster_is_the_mean_of_the_others(
    memory: Memory, graph: Graph, scope: str
) -> None:
    texts = ["green tea in the garden at noon today", "green tea in the garden at noon", "a flat tyre"]
    first, second, alone = await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    assert first.cluster_id == second.cluster_id

    gone = await memory.store.delete(first.memory_id, caller=OWNER)
    emptied = await memory.store.delete(alone.memory_id, caller=OWNER)

    assert (gone.cluster_id, gone.cluster_removed, emptied.cluster_removed) == (first.cluster_id, False, True)
    with pytest.raises(NotFoundError):
        await memory.store.get(first.memory_id, caller=OWNER)
    with pytest.raises(NotFoundError):
        await memory.store.delete(first.memory_id, caller=OWNER)
    with pytest.raises(ClusterNotFoundError):
        await memory.store.cluster(alone.cluster_id, caller=OWNER)
    found = await memory.store.read(MemoryReadInput(query_text="tea tyre", scopes=[scope]), caller=OWNER)
    assert [one.memory_id for one in found] == [second.memory_id]
    assert await faults(graph, scope) == []


async def test_what_may_not_run_twice_is_not_tried_again_after_an_unknown_commit(
    memory: Memory, graph: Graph, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = await memory.store.write(note("tea", scope), caller=OWNER)
    await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope]), caller=OWNER)
    original, told = graph.write, dict[str, bool]()

    async def noted(work: Any, **more: Any) -> Any:
        told.update({name: more.get("idempotent", True) for name, _ in work})
        return await original(work, **more)

    monkeypatch.setattr(graph, "write", noted)
    await memory.settled()
    await memory.store.delete(written.memory_id, caller=OWNER)
    assert (told["memory/touch"], told["memory/delete"]) == (False, False)


async def test_words_alone_find_as_many_as_asked_for_that_are_near_enough(memory: Memory, scope: str) -> None:
    far = [f"tea tea tea {word}" for word in map("w{}".format, range(45))]
    near = [f"green tea with lemon and honey for Ann, {word}" for word in ("today", "again", "slowly")]
    await memory.store.write_batch([note(text, scope) for text in (*far, *near)], caller=OWNER)
    vector = MemoryReadInput(query_text=near[0], k=1, scopes=[scope])
    (first,) = await memory.store.read(vector, caller=OWNER)
    asked = MemoryReadInput(
        query_text="tea", embedding=first.embedding, search_mode="sparse", k=3, min_similarity=0.6, scopes=[scope]
    )
    assert {one.content for one in await memory.store.read(asked, caller=OWNER)} == set(near)
    widest = asked.model_copy(update={"min_similarity": 0.0, "k": 100})
    assert len(await memory.store.read(widest, caller=OWNER)) == len(far) + len(near)


async def test_a_delete_of_another_version_is_refused(memory: Memory, scope: str) -> None:
    written = await memory.store.write(note("tea", scope), caller=OWNER)
    with pytest.raises(PreconditionError, match="the version is now 1"):
        await memory.store.delete(written.memory_id, caller=OWNER, versions=[7])
    await memory.store.delete(written.memory_id, caller=OWNER, versions=[1])


async def test_what_is_forgotten_loses_its_traces_before_it_goes(ground: Ground, scope: str) -> None:
    erased: list[tuple[str, bool]] = []

    async def erase_traces(memory_id: str, caller: Caller) -> None:
        erased.append((memory_id, (await memory.store.get(memory_id, caller=caller)).version == 1))

    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash"), erase_traces=erase_traces)
    written = await memory.store.write(note("tea", scope), caller=OWNER)
    with pytest.raises(PreconditionError, match="the version is now 1"):
        await memory.store.forget(written.memory_id, caller=OWNER, versions=[7])
    assert erased == []
    gone = await memory.store.forget(written.memory_id, caller=OWNER, versions=[1])
    assert (gone.memory_id, gone.cluster_removed, erased) == (written.memory_id, True, [(written.memory_id, True)])
    with pytest.raises(NotFoundError):
        await memory.store.forget(written.memory_id, caller=OWNER)


async def test_a_full_scope_refuses_a_new_cluster_and_still_lets_memories_join(ground: Ground, scope: str) -> None:
    config = MCSConfig(y_encoder_model="hash", max_clusters=100)
    memory = Memory.open(ground, config)
    await memory.store.write_batch([note(f"word{n}", scope) for n in range(100)], caller=OWNER)
    with pytest.raises(ClusterLimitError, match="CLAUSE_MEMORY_MAX_CLUSTERS") as refused:
        await memory.store.write(note("something else", scope), caller=OWNER)
    assert refused.value.bound == "at most 100 clusters"
    assert not (await memory.store.write(note("word7", scope), caller=OWNER)).is_new_cluster
    assert (await memory.store.stats(caller=OWNER, scopes=[scope])).clusters == 100


async def test_a_full_scope_merges_the_closest_open_pair_where_that_is_set(
    ground: Ground, graph: Graph, scope: str
) -> None:
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash", max_clusters=100, when_full="merge"))
    near = ["tea in the garden at noon", "tea in the garden at night"]
    await memory.store.write_batch([note(text, scope, force_new_cluster=True) for text in near], caller=OWNER)
    await memory.store.write_batch([note(f"word{n}", scope) for n in range(98)], caller=OWNER)
    opened = await memory.store.write(note("something else", scope), caller=OWNER)
    stored = await clusters(graph, scope)
    assert opened.is_new_cluster
    assert len(stored) == 100
    assert [sorted(member[1] for member in row["members"]) for row in stored if row["size"] == 2] == [sorted(near)]
    assert await faults(graph, scope) == []


@pytest.mark.parametrize("before", [0, 100])
async def test_a_batch_that_opens_more_clusters_than_a_scope_may_hold_is_written_whole(
    ground: Ground, graph: Graph, scope: str, before: int
) -> None:
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash", max_clusters=100, when_full="merge"))
    if before:
        await memory.store.write_batch([note(f"word{n}", scope) for n in range(before)], caller=OWNER)
    texts = [f"other{n}" for n in range(130)]
    written = await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    kept = {row["id"]: row["content"] for row in await memories(graph, scope)}
    assert [kept[one.memory_id] for one in written] == texts
    assert len(kept) == before + len(texts)
    assert len(await clusters(graph, scope)) == 100  # no more are merged than there has to be room for
    assert await faults(graph, scope) == []


async def test_nothing_is_merged_where_merging_makes_no_room(ground: Ground, graph: Graph, scope: str) -> None:
    memory = Memory.open(ground, MCSConfig(y_encoder_model="hash", max_clusters=100, when_full="merge"))
    await memory.store.write_batch([note(f"word{n}", scope) for n in range(100)], caller=OWNER)
    await graph.execute_all([(_MOSTLY_CLOSED, {"scope": scope, "open": 3})])
    with pytest.raises(ClusterLimitError):
        await memory.store.write_batch([note(f"other{n}", scope) for n in range(3)], caller=OWNER)
    assert len(await clusters(graph, scope)) == 100
    await memory.store.write_batch([note(f"other{n}", scope) for n in range(2)], caller=OWNER)
    assert len(await clusters(graph, scope)) == 100


async def test_figures_say_how_well_memories_are_clustered(memory: Memory, scope: str) -> None:
    assert (await memory.store.stats(caller=OWNER, scopes=[scope])).model_dump(exclude={"sizes"}) == {
        "memories": 0, "clusters": 0, "compression": 0.0, "consolidated": 0, "queued": 0, "largest": 0,
        "cohesion": None, "silhouette": None, "sampled": 0, "stale_share": 0.0,
    }  # fmt: skip
    texts = [
        f"{topic} {n}" for topic in ("green tea in the old garden", "heavy rain on the road home") for n in range(7)
    ]
    await memory.store.write_batch([note(text, scope) for text in [*texts, "salt"]], caller=OWNER)
    figures = await memory.store.stats(caller=OWNER, scopes=[scope])
    assert (figures.memories, figures.clusters, figures.compression, figures.largest) == (15, 3, 5.0, 7)
    assert (figures.queued, figures.consolidated, figures.stale_share) == (2, 0, 0.0)
    assert figures.sizes == {"1": 1, "2": 0, "3-5": 0, "6-10": 2, "11-50": 0, "51+": 0}
    assert (figures.cohesion or 0) > 0.9
    assert (figures.silhouette or 0) > 0.8


async def test_pages_of_memories_and_clusters_follow_each_other(memory: Memory, scope: str) -> None:
    written = await memory.store.write_batch([note(f"word{n}", scope) for n in range(5)], caller=OWNER)
    newest = await memory.store.list(caller=OWNER, scopes=[scope], limit=3)
    older = await memory.store.list(caller=OWNER, scopes=[scope], limit=3, before=newest[-1].memory_id)
    assert [one.memory_id for one in (*newest, *older)] == sorted((one.memory_id for one in written), reverse=True)
    first = await memory.store.clusters(caller=OWNER, scopes=[scope], limit=3)
    rest = await memory.store.clusters(caller=OWNER, scopes=[scope], limit=3, before=first[-1].cluster_id)
    assert [one.cluster_id for one in (*first, *rest)] == sorted((one.cluster_id for one in written), reverse=True)


async def test_too_many_memories_at_once_are_refused(memory: Memory, scope: str) -> None:
    with pytest.raises(BadInputError, match="too many"):
        await memory.store.write_batch([note("tea", scope)] * 10_001, caller=OWNER)


async def test_metrics_count_what_was_written_recalled_and_deleted(memory: Memory, ground: Ground, scope: str) -> None:
    written = await memory.store.write_batch([note(text, scope) for text in ("tea", "rain")], caller=OWNER)
    await memory.store.read(MemoryReadInput(query_text="tea", scopes=[scope], search_mode="sparse"), caller=OWNER)
    await memory.store.delete(written[0].memory_id, caller=OWNER)
    shown = ground.metrics.render().decode()
    for line in ('"written"} 2.0', '"recalled"} 1.0', '"deleted"} 1.0'):
        assert f"clause_memories_total{{operation={line}" in shown


async def test_a_large_batch_joins_stored_clusters_as_single_writes_do(
    memory: Memory, graph: Graph, scope: str
) -> None:
    first = await memory.store.write(note("green tea in the garden at noon today", scope), caller=OWNER)
    texts = [f"plain words for item{n}" for n in range(60)] + ["green tea in the garden at noon"]
    found = await memory.store.write_batch([note(text, scope) for text in texts], caller=OWNER)
    assert (found[-1].cluster_id, found[-1].is_new_cluster) == (first.cluster_id, False)
    assert await faults(graph, scope) == []


async def test_what_is_deleted_while_others_write_leaves_every_cluster_whole(
    memory: Memory, graph: Graph, scope: str
) -> None:
    texts = ["green tea in the garden at noon", "a flat tyre on the motorway", "roses and salt and rain"]
    written = [await memory.store.write(note(texts[number % 3], scope), caller=OWNER) for number in range(12)]

    async def insisted(attempt: Callable[[], Awaitable[Any]]) -> Any:
        while True:
            with suppress(UnavailableError):  # others held the same nodes too long: try again
                return await attempt()

    async def replaced(number: int) -> str:
        await insisted(lambda: memory.store.delete(written[number].memory_id, caller=OWNER))
        return (await insisted(lambda: memory.store.write(note(texts[number % 3], scope), caller=OWNER))).memory_id

    kept = await asyncio.gather(*map(replaced, range(12)))

    assert {row["id"] for row in await memories(graph, scope)} == set(kept)
    assert sum(row["size"] for row in await clusters(graph, scope)) == 12
    assert await faults(graph, scope) == []


async def test_what_joins_a_cluster_while_it_is_embedded_anew_is_in_its_sum(
    memory: Memory, graph: Graph, scope: str
) -> None:
    first = await memory.store.write(note("tea in the garden", scope), caller=OWNER)
    (vector,) = await HashEmbedder().embed(["tea in the garden"])
    joins = (
        "MATCH (place:Counter {id: $scope + '/memory'}) SET place.value = place.value + 1 "
        "WITH place MATCH (:Memory {id: $id})-[:MEMBER_OF]->(c:MemoryCluster) "
        "CREATE (:Memory {id: $id + '2', scope: $scope, embedding: $vector, embedding_model: 'hash', content: 'tea', "
        "sequence: place.value, cluster_id: c.cluster_id})-[:MEMBER_OF {scope: $scope}]->(c) "
        "SET c.size = c.size + 1, c.degree = c.degree + 1, c.version = c.version + 1, "
        "c.sum = [i IN range(0, size(c.sum) - 1) | c.sum[i] + $vector[i]]"
    )
    anew = {"ids": [first.memory_id], "vectors": [[vector]], "scopes": [scope], "model": "hash"}
    async with writing(graph, joins, scope=scope, id=first.memory_id, vector=vector.tolist()):
        embedding = await waiting(graph, graph.run("ingest/embed[Memory]", **anew))
    await embedding
    (cluster,) = await clusters(graph, scope)
    assert cluster["sum"] == pytest.approx(2 * vector)
