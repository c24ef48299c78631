"""The FastAPI application: what surrounds a request, and one router for each resource."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI

from clause import __version__
from clause.api import docs_page, explorer_page, problems
from clause.api.dependencies import Authenticate, key_alone, key_or_owner
from clause.api.middleware import BodyLimit, LoopbackGuard, RateLimit, RequestContext
from clause.api.routes import (
    beliefs,
    clusters,
    entities,
    experiences,
    health,
    insights,
    intelligence,
    jobs,
    lineage,
    memories,
    patterns,
    reasoning,
    runs,
    sessions,
    sources,
    tensions,
    topics,
    value_clusters,
    values,
)
from clause.api.strict_json import StrictJSONResponse
from clause.container import Container
from clause.operations.listening import is_loopback
from clause.settings import Settings
from clause.telemetry import Metrics

Opener = Callable[[Settings, Metrics], AbstractAsyncContextManager[Container]]

DESCRIPTION = """Memory and reasoning for agents, on a Neo4j graph. Three agents build a small subgraph, walk it and
pick the evidence, under edge, step and token budgets that are never exceeded.

Every error is an RFC 9457 problem document. Send `X-Request-ID` to find a request again in the logs. The flags
`enable_thoughtseeds`, `enable_curiosity` and `enable_causal` are on by default: the first two write what was met after
the answer is ready, the third lets causes decide where the graph has causal relationships (else its score is null)."""


def build_app(
    settings: Settings,
    *,
    opener: Opener = Container.serving,
    authenticate: Authenticate | None = None,
    metrics: Metrics | None = None,
) -> FastAPI:
    """The application; nothing is opened before it starts, and what it opened is closed when it stops.

    Args:
        settings: the service's settings.
        opener: opens the container for as long as the application runs.
        authenticate: says who is asking; unless given, an API key does, which the loopback can do without.
        metrics: what /metrics shows; new ones unless given.
    """
    metrics = metrics or Metrics()
    local = is_loopback(settings.host)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with opener(settings, metrics) as container:
            app.state.container = container
            yield

    app = FastAPI(
        title="clause",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        default_response_class=StrictJSONResponse,
        responses=problems.RESPONSES,
    )
    app.state.authenticate = authenticate or (key_or_owner if local else key_alone)
    app.state.metrics = metrics
    for resource in (
        reasoning,
        intelligence,
        beliefs,
        tensions,
        lineage,
        entities,
        sources,
        sessions,
        patterns,
        memories,
        clusters,
        experiences,
        value_clusters,
        values,
        insights,
        topics,
        runs,
        jobs,
        health,
    ):
        app.include_router(resource.router)
    docs_page.install(app)
    explorer_page.install(app)
    problems.install(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(RateLimit, per_s=settings.rate_limit)
    if local:
        app.add_middleware(LoopbackGuard)
    app.add_middleware(RequestContext, metrics=metrics)
    return app
