"""The container on a real server: what it joins answers, and it closes what it opened."""

import asyncio
import gc

import pytest

from clause.app import Container
from clause.errors import ClauseError, EmbedderMismatchError
from clause.graph.catalogue import Catalogue
from clause.graph.database import replace_embedding_model
from clause.graph.migrations import reindex
from clause.graph.runner import Graph
from clause.graph.scopes import Caller
from clause.graph.wire import Address
from clause.ingest.triples import load_triples
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.text.embedder import DEFAULT_MODEL

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_model")]


def settings_of(address: Address, **more: object) -> Settings:
    place = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    return Settings(**place, neo4j_database=address.database, **more)


async def use_model(address: Address, model: str) -> None:
    async with Graph(address, Catalogue.load()) as graph:
        await replace_embedding_model(graph, model, 384)


async def test_what_is_joined_becomes_ready_and_answers(migrated_address: Address, scope: str, tmp_path) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    films = tmp_path / "films.txt"
    films.write_text("Kes|directed_by|Ken Loach\nRiff-Raff|directed_by|Ken Loach\n")
    async with Container.serving(settings_of(migrated_address), Metrics()) as container:
        await load_triples(container.graph, container.embedder, films, scope)
        await container.warming
        checks = await container.readiness()
        request = CoordinationRequest(query="who directed Kes", budgets=BudgetAllocation(), scopes=[scope])
        response = await container.coordinator.coordinate(request, Caller())
        job = await container.jobs.submit("forget_keys", {}, "public")
        states = [snapshot.state async for snapshot in container.jobs.watch(job.id)]
    assert {name for name, check in checks.items() if check.ready} == {"neo4j", "migrations", "model", "policy"}
    assert [answer.name for answer in response.result.answers] == ["Ken Loach"]
    assert states[-1] == "succeeded"
    with pytest.raises(ClauseError, match="not open"):
        await container.graph.agent()


async def test_what_a_service_has_loaded_is_kept_from_the_garbage_collector_until_it_ends(
    migrated_address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    await use_model(migrated_address, DEFAULT_MODEL)
    frozen, calls = asyncio.Event(), []
    monkeypatch.setattr(gc, "freeze", lambda: (calls.append("freeze"), frozen.set()))
    monkeypatch.setattr(gc, "unfreeze", lambda: calls.append("unfreeze"))
    async with Container.serving(settings_of(migrated_address), Metrics()):
        await frozen.wait()
        assert calls[-1] == "freeze"
    assert calls[-1] == "unfreeze"


async def test_a_graph_of_another_embedding_model_is_refused_with_the_way_out(migrated_address: Address) -> None:
    await use_model(migrated_address, "another-model")
    try:
        with pytest.raises(EmbedderMismatchError, match="clause reembed"):
            async with Container.open(settings_of(migrated_address)):
                pass
    finally:
        await use_model(migrated_address, DEFAULT_MODEL)


async def test_the_way_out_is_named_too_where_embedding_anew_was_broken_off(migrated_address: Address) -> None:
    await use_model(migrated_address, "another-model")
    async with Graph(migrated_address, Catalogue.load()) as graph:
        await reindex(graph, "entity_embedding", dimension=8)
        try:
            with pytest.raises(EmbedderMismatchError, match="clause reembed"):
                async with Container.open(settings_of(migrated_address)):
                    pass
        finally:
            await reindex(graph, "entity_embedding")
            await use_model(migrated_address, DEFAULT_MODEL)


async def test_a_server_that_is_away_is_unavailable(migrated_address: Address) -> None:
    settings = Settings(neo4j_uri="bolt://127.0.0.1:1")
    with pytest.raises(ClauseError) as refused:
        async with Container.open(settings):
            pass
    assert refused.value.status == 503
