"""Log lines on stderr, metrics in a registry of our own, traces, the current request's id, and the progress of long
work.

Log lines are JSON when stderr is no terminal. Values under names that smell of secrets, `SecretStr` and passwords
inside URIs are masked before a line leaves.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from pydantic import SecretStr

from clause.errors import SetupError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

request_id: ContextVar[str | None] = ContextVar("clause_request_id", default=None)
"""The id of the request being answered in this task; None outside one."""

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that makes the figures of several processes one, as prometheus-client reads it."""

MASK = "***"
_SECRET_NAME = re.compile(r"passw|secret|authori[sz]ation|api_?key|credential|cookie|bearer", re.IGNORECASE)
_SECRET_IN_URI = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*://)[^/\s:@]*:[^/\s@]*@", re.IGNORECASE)
_LATENCY_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24)
_MILLISECONDS = (1, 2, 5, 10, 20, 40, 80, 160, 320, 640, 1280)


def masked(value: Any, name: str = "") -> Any:
    """`value` with secrets masked, however deep in mappings and lists they are.

    >>> masked({"user": "neo4j", "password": "x", "uri": "bolt://neo4j:x@localhost:7687"})
    {'user': 'neo4j', 'password': '***', 'uri': 'bolt://***@localhost:7687'}
    """
    if isinstance(value, SecretStr) or _SECRET_NAME.search(name):
        return MASK
    if isinstance(value, str):
        return _SECRET_IN_URI.sub(rf"\g<scheme>{MASK}@", value)
    if isinstance(value, Mapping):
        return {key: masked(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item, name) for item in value]
    return value


def _mask(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    return {key: masked(value, key) for key, value in event.items()}


def _add_request_id(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    current = request_id.get()
    if current is not None:
        event.setdefault("request_id", current)
    return event


def configure_logging(level: str = "info", *, stream: TextIO | None = None, as_json: bool | None = None) -> None:
    """Send our log lines and those of the libraries (uvicorn, neo4j) to `stream` (stderr).

    Args:
        level: the least severe line shown: debug, info, warning or error.
        stream: where to; stderr unless given.
        as_json: one JSON object for a line; by default when the stream is no terminal.
    """
    stream = stream or sys.stderr
    as_json = (not stream.isatty()) if as_json is None else as_json
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
        structlog.processors.format_exc_info,
        _mask,
    ]
    renderer: Any = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for noisy in ("httpx", "httpcore", "neo4j", "sentence_transformers", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def logger(name: str) -> structlog.stdlib.BoundLogger:
    """A structured logger: `logger(__name__).info("answered", run_id=...)`."""
    bound: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(name)
    return bound


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""HTTP methods that have a series of their own."""


class Metrics:
    """The numbers behind /metrics, in a registry of their own (two apps in one process do not meet)."""

    content_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "clause_requests_total", "Answered requests.", ("method", "route", "status"), registry=self.registry
        )
        self.latency_s = Histogram(
            "clause_request_seconds", "Time to answer.", ("route",), buckets=_LATENCY_S, registry=self.registry
        )
        self.stage_ms = Histogram(
            "clause_stage_milliseconds",
            "Milliseconds of each agent, of embedding and of the database within one answer.",
            ("stage",),
            buckets=_MILLISECONDS,
            registry=self.registry,
        )
        self.spent = Counter(
            "clause_budget_spent_total", "Edges, steps and tokens spent.", ("resource",), registry=self.registry
        )
        self.intelligence = Counter(
            "clause_intelligence_total",
            "ThoughtSeeds and CuriosityTriggers written, causal fallbacks, write conflicts and those settled.",
            ("what",),
            registry=self.registry,
        )
        self.conflict_rate = Gauge(
            "clause_write_conflict_rate",
            "Share of agents' writes in the last 60 s that met another's.",
            registry=self.registry,
            multiprocess_mode="mostrecent",
        )
        self.memories = Counter(
            "clause_memories_total",
            "Memories written, recalled and deleted; clusters of them joined and consolidated.",
            ("operation",),
            registry=self.registry,
        )
        self.retries = Counter("clause_database_retries_total", "Database calls tried again.", registry=self.registry)

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request; `route` is the path's template, never the path itself.

        A method that nobody serves counts as `other`: who may send a request must not make a series.
        """
        self.requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        self.latency_s.labels(route).observe(seconds)

    def observe_stages(self, performance: Mapping[str, float]) -> None:
        """Observe each `<stage>_ms` of an answer's `performance`."""
        for name, milliseconds in performance.items():
            if name.endswith("_ms"):
                self.stage_ms.labels(name.removesuffix("_ms")).observe(milliseconds)

    def count_spend(self, spend: Mapping[str, Any]) -> None:
        """Add an agent's `budget_used` (edges, steps, tokens); anything that is no number is left out."""
        for resource, amount in spend.items():
            if isinstance(amount, int | float) and amount >= 0:
                self.spent.labels(resource).inc(amount)

    def count_intelligence(self, **counts: int) -> None:
        """Add to what the intelligence room did: `count_intelligence(thoughtseeds=12)`."""
        for what, amount in counts.items():
            self.intelligence.labels(what).inc(amount)

    def count_memories(self, operation: str, count: int = 1) -> None:
        """Count memories written, recalled or deleted, and clusters joined or consolidated."""
        self.memories.labels(operation).inc(count)

    def render(self) -> bytes:
        """The registry in Prometheus' text format; of several processes behind one socket the sums of all."""
        if METRICS_FOLDER not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


_tracer: Tracer | None = None


def trace_with(tracer: Tracer | None) -> None:
    """Let `tracer` make the spans of this process from now on; None: no spans."""
    global _tracer  # noqa: PLW0603 -- one tracer for a process, as the library has it
    _tracer = tracer


def configure_tracing(url: str) -> None:
    """Send spans to a collector that speaks OTLP over HTTP.

    Raises:
        SetupError: the extra `otel` is not installed.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 -- the extra alone brings them
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        remedy = "pip install 'clause-memory[otel]', or leave CLAUSE_TRACES_URL unset"
        raise SetupError("traces need OpenTelemetry", remedy=remedy, field="traces_url") from error
    provider = TracerProvider(resource=Resource.create({"service.name": "clause"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
    trace_with(provider.get_tracer("clause"))


def span(name: str, **attributes: str | int | float) -> AbstractContextManager[Any]:
    """A span of the current trace for as long as the block runs; nothing where no traces are kept.

    Attributes name routes, statements and agents, never what was asked or found. Of an error the class is told: its
    message and the lines around it may quote either.
    """
    return nullcontext() if _tracer is None else _traced(_tracer, name, attributes)


@contextmanager
def _traced(tracer: Tracer, name: str, attributes: Mapping[str, str | int | float]) -> Iterator[Any]:
    from opentelemetry.trace import StatusCode  # noqa: PLC0415 -- who gave a tracer has it

    quiet: dict[str, Any] = {"record_exception": False, "set_status_on_exception": False}
    with tracer.start_as_current_span(name, attributes=attributes, **quiet) as opened:
        try:
            yield opened
        except BaseException as error:
            opened.set_status(StatusCode.ERROR)
            opened.set_attribute("error.type", type(error).__name__)
            raise


class Progress(Protocol):
    """Called with a sentence, the units done and the units in all (both 0 when there is nothing to count)."""

    def __call__(self, message: str, done: int, total: int) -> None:
        """Tell that `done` of `total` units of `message` are done."""
        ...


def silent(message: str, done: int, total: int) -> None:
    """The progress that tells nobody."""


class CountProgress(Protocol):
    """Called with the units done and the units in all."""

    def __call__(self, done: int, total: int, /) -> None:
        """Tell that `done` of `total` units are done."""
        ...


def silent_count(done: int, total: int, /) -> None:
    """The count that tells nobody."""
