"""The FastAPI application and its server: middleware, one router for each resource, a listening socket of our own, and
several processes behind it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from fastapi import FastAPI, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.types import Scope

from clause import __version__
from clause.api import problems
from clause.api.dependencies import Authenticate, key_alone, key_or_owner
from clause.api.middleware import Allowance, BodyLimit, LoopbackGuard, RateLimit, RequestContext, rate_of
from clause.api.routes import (
    beliefs,
    entities,
    experiences,
    insights,
    intelligence,
    jobs,
    lineage,
    memories,
    policies,
    reasoning,
    sessions,
    values,
)
from clause.api.strict_json import StrictJSONResponse
from clause.app import Container
from clause.errors import SetupError
from clause.operations.keys import is_loopback
from clause.operations.listening import listen, serve
from clause.operations.listening import server_of as serving
from clause.operations.processes import leave, one_of_a_crew
from clause.settings import Settings
from clause.telemetry import METRICS_FOLDER, Metrics, configure_logging, configure_tracing, logger

ASSETS = "/docs/assets"
_DOCS_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def install_docs(app: FastAPI) -> None:
    """Serve the page at /docs and its files below it."""
    app.mount(ASSETS, StaticFiles(directory=_assets()), name="docs-assets")

    @app.get("/docs", include_in_schema=False)
    async def page() -> Response:
        answer = get_swagger_ui_html(
            openapi_url=app.openapi_url or "/openapi.json",
            title=app.title,
            swagger_js_url=f"{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{ASSETS}/favicon.png",
            swagger_ui_parameters={"validatorUrl": None},
        )
        answer.headers["Content-Security-Policy"] = _DOCS_POLICY
        return answer


def _assets() -> Path:
    package = find_spec("fastapi_offline")
    if package is None or package.origin is None:
        raise SetupError("the files of the docs page are missing", remedy="install the package fastapi-offline")
    return Path(package.origin).parent / "static"


FILES = "/explorer"
_FOLDER = Path(__file__).parent / "explorer"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
_GUARDED = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


class ExplorerFiles(StaticFiles):
    """The explorer's files, none of which another page may frame."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file with the headers of the page."""
        answer = await super().get_response(path, scope)
        answer.headers.update(_GUARDED)
        return answer


def install_explorer(app: FastAPI) -> None:
    """Serve the page at / and its files below /explorer."""
    app.mount(FILES, ExplorerFiles(directory=_FOLDER), name="explorer-files")

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(_FOLDER / "index.html", media_type="text/html; charset=utf-8", headers=_GUARDED)


Opener = Callable[[Settings, Metrics], AbstractAsyncContextManager[Container]]

DESCRIPTION = """Memory and reasoning for agents, on a Neo4j graph. Three agents build a small subgraph, walk it and
pick the evidence, under edge, step and token budgets that are never exceeded.

Every error is an RFC 9457 problem document. Send `X-Request-ID` to find a request again in the logs. The flags
`enable_thoughtseeds`, `enable_curiosity` and `enable_causal` are on by default: the first two write what was met after
the answer is ready, the third lets causes decide where the graph has causal relationships (else its score is null)."""

TAGS = {
    "reasoning": "Questions, answered by three agents under hard budgets; each agent can be asked alone.",
    "runs": "Answers that were recorded: step by step, asked again as of another time, judged.",
    "scopes": "Which scopes there are, and questions to begin with.",
    "beliefs": "Statements that are held to be true, with their confidence, sources and history.",
    "tensions": "Beliefs that contradict each other, and how that was settled.",
    "lineage": "What rests on what: retractions, merges, and forgetting for good, each with a preview or an undo.",
    "entities": "People, things and places: found by name, joined, merged.",
    "sources": "Where statements come from, and whom to trust on a topic.",
    "memories": "Texts kept word for word, in clusters; recalled by meaning and by words; they fade.",
    "experiences": "What was tried, what was expected and how it came out.",
    "values": "Values that were drawn from clusters of experiences.",
    "insights": "What was understood on a topic, how much the topic matters now, and what conflicts.",
    "sessions": "Conversations with their turns, summaries and what was learned in them.",
    "patterns": "Regularities that were seen, and how often.",
    "intelligence": "Basins, causes, curiosity, and writes of several agents at once.",
    "policies": "Which policy decides in which scope.",
    "jobs": "Long work: queued, watched, cancelled.",
    "health": "Whether the service can answer, and its figures.",
}
"""The subject of each group of operations, in the order of /docs."""

_TRUMAN = "The Truman Show"
EXAMPLES: dict[str, dict[str, Any]] = {
    "reasoning_coordinate": {"query": "who wrote the films directed by Peter Weir", "budgets": {}},
    "reasoning_subgraph": {"query": "who wrote the films directed by Peter Weir"},
    "reasoning_navigate": {"query": f"when was {_TRUMAN} released", "start_node": _TRUMAN},
    "reasoning_score_edges": {
        "query": f"who directed {_TRUMAN}",
        "edges": [
            {"source": _TRUMAN, "relation": "directed_by", "target": "Peter Weir"},
            {"source": _TRUMAN, "relation": "release_year", "target": "1998"},
        ],
    },
}
"""Bodies that /docs offers to send, by operation: questions that the sample graph of `clause demo` answers."""


_ROUTERS = (
    reasoning.router,
    intelligence.router,
    beliefs.router,
    beliefs.tensions_router,
    lineage.router,
    entities.router,
    entities.sources_router,
    entities.types_router,
    sessions.router,
    sessions.patterns_router,
    memories.router,
    memories.clusters_router,
    experiences.router,
    values.value_clusters_router,
    values.router,
    insights.router,
    insights.topics_router,
    reasoning.runs_router,
    policies.router,
    policies.scopes_router,
    jobs.router,
    jobs.health_router,
)


def build_app(
    settings: Settings,
    *,
    opener: Opener = Container.serving,
    authenticate: Authenticate | None = None,
    metrics: Metrics | None = None,
    allowance: Allowance | None = None,
) -> FastAPI:
    """The application; nothing is opened before it starts, and what it opened is closed when it stops.

    Args:
        settings: the service's settings.
        opener: opens the container for as long as the application runs.
        authenticate: says who is asking; unless given, an API key does, which the loopback can do without.
        metrics: what /metrics shows; new ones unless given.
        allowance: what clients have left of their rate, where several processes share it.
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
        generate_unique_id_function=_operation_id,
        openapi_tags=[{"name": name, "description": words} for name, words in TAGS.items()],
    )
    app.state.authenticate = authenticate or (key_or_owner if local else key_alone)
    app.state.metrics = metrics
    for router in _ROUTERS:
        app.include_router(router)
    install_docs(app)
    install_explorer(app)
    problems.install(app)
    _describe(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(RateLimit, per_s=rate_of(settings, local=local), shared=allowance)
    if local:
        app.add_middleware(LoopbackGuard)
    app.add_middleware(RequestContext, metrics=metrics)
    return app


__all__ = ["listen", "run", "server_of"]


def run(settings: Settings, listener: socket.socket, *, opener: Opener = Container.serving) -> None:
    """Serve on `listener` until interrupted or terminated, with as many processes as the settings say.

    The container is opened before the server starts, so that what is wrong with it is one of our own errors and no
    traceback; connections made meanwhile wait.
    """
    if settings.workers > 1:
        Crew(_work, (settings, listener, Allowance()), settings.workers).run()
    else:
        asyncio.run(_serve(settings, listener, opener, None))


def _work(opened: Callable[[], None], settings: Settings, listener: socket.socket, allowance: Allowance) -> None:
    @asynccontextmanager
    async def opener(settings: Settings, metrics: Metrics) -> AsyncIterator[Container]:
        async with Container.serving(settings, metrics) as container:
            opened()
            yield container

    configure_logging(settings.log_level)
    asyncio.run(_serve(settings, listener, opener, allowance))


async def _serve(settings: Settings, listener: socket.socket, opener: Opener, allowance: Allowance | None) -> None:
    if settings.traces_url is not None:
        configure_tracing(settings.traces_url)
    metrics = Metrics()
    async with opener(settings, metrics) as container:
        await serve(server_of(container, settings, metrics, allowance), listener)


def server_of(
    container: Container, settings: Settings, metrics: Metrics, allowance: Allowance | None = None
) -> uvicorn.Server:
    """A server of the application on a container that is open already and stays so."""

    @asynccontextmanager
    async def opened(_settings: Settings, _metrics: Metrics) -> AsyncIterator[Container]:
        yield container

    return serving(build_app(settings, opener=opened, metrics=metrics, allowance=allowance), settings)


def _operation_id(route: APIRoute) -> str:
    """The stable name of an operation, for generated clients: its tag and its function, such as `beliefs_create`."""
    return f"{route.tags[0] if route.tags else 'clause'}_{route.name}".replace(" ", "_").replace("-", "_")


def _describe(app: FastAPI) -> None:
    """Say in OpenAPI that an API key opens the service (on the loopback none is needed), and what each operation does
    in words: its first sentence."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        fresh = app.openapi_schema is None
        document = plain()
        if fresh:
            key = {"type": "http", "scheme": "bearer", "description": "an API key: `clause keys create`"}
            document.setdefault("components", {})["securitySchemes"] = {"key": key}
            document["security"] = [{}, {"key": []}]
            for operations in document["paths"].values():
                for operation in operations.values():
                    told = " ".join(operation.get("description", "").split())
                    operation["summary"] = re.split(r"[.;:](?:\s|$)", told)[0] or operation["summary"]
                    if shown := EXAMPLES.get(operation["operationId"]):
                        operation["requestBody"]["content"]["application/json"]["example"] = shown
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's own way to change the document


_SPAWNING = multiprocessing.get_context("spawn")
_LEAST_LIFE_S = 5.0  # a process that ended sooner is not started again at once
_PATIENCE_S = 15.0


class Crew:
    """Processes behind one socket: each runs `work(opened, *given)`, and calls `opened` once it can answer.

    The first one opens alone, so that what is wrong with the settings or the database is said once and ends all, and
    what is made once (the server at home, the schema) is there for the others. One that ends is replaced. All end with
    this process, however that ends.
    """

    def __init__(self, work: Callable[..., None], given: tuple[Any, ...], count: int) -> None:
        self._work = work
        self._given = given
        self._count = count
        self._started: dict[SpawnProcess, float] = {}

    def run(self) -> None:
        """Keep the processes running until interrupted or terminated.

        Raises:
            ClauseError: what kept the first one from opening.
        """
        signal.signal(signal.SIGTERM, leave)
        with TemporaryDirectory(prefix="clause-metrics-") as folder:
            os.environ[METRICS_FOLDER] = folder
            try:
                self._open()
                while True:
                    self._replace()
            finally:
                os.environ.pop(METRICS_FOLDER)
                self._end()

    def _open(self) -> None:
        told, telling = _SPAWNING.Pipe(duplex=False)
        first = self._start(telling)
        wait([told, first.sentinel])
        if not told.poll():
            first.join()  # its sentinel may be ready before its exit code is
            raise SystemExit(first.exitcode or 1)
        if (error := told.recv()) is not None:
            raise error
        for _ in range(1, self._count):
            self._start(None)  # nobody listens any more: one that told would end with a broken pipe

    def _replace(self) -> None:
        wait([process.sentinel for process in self._started])
        for process in [process for process in self._started if not process.is_alive()]:
            lived_s = time.monotonic() - self._started.pop(process)
            logger(__name__).warning("a worker ended", pid=process.pid, exit_code=process.exitcode)
            time.sleep(max(0.0, _LEAST_LIFE_S - lived_s))
            self._start(None)

    def _start(self, telling: Connection | None) -> SpawnProcess:
        process = _SPAWNING.Process(target=one_of_a_crew, args=(telling, self._work, self._given))
        process.start()
        self._started[process] = time.monotonic()
        return process

    def _end(self) -> None:
        for process in self._started:
            process.terminate()
        until = time.monotonic() + _PATIENCE_S
        for process in self._started:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
