import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from clause import telemetry
from clause.errors import SetupError
from clause.telemetry import Metrics, configure_logging, configure_tracing, logger, masked, span, trace_with


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    configure_logging("info", stream=stream)
    yield stream
    root.handlers = handlers
    root.setLevel(level)


def test_lines_are_json_where_the_stream_is_no_terminal(lines: io.StringIO) -> None:
    token = telemetry.request_id.set("r1")
    logger("room").info("answered", ms=3)
    telemetry.request_id.reset(token)
    line = json.loads(lines.getvalue())
    assert (line["event"], line["ms"], line["request_id"], line["level"]) == ("answered", 3, "r1", "info")


def test_lines_of_libraries_go_the_same_way(lines: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").warning("port %s", 1)
    assert json.loads(lines.getvalue())["event"] == "port 1"


def test_no_secret_is_written(lines: io.StringIO) -> None:
    logger("room").info(
        "connect bolt://neo4j:hush@localhost", password="hush", nested={"api_key": "hush"}, value=SecretStr("hush")
    )
    assert "hush" not in lines.getvalue()


def test_tokens_spent_are_no_secret() -> None:
    assert masked({"tokens_used": 3, "list": ["a"]}) == {"tokens_used": 3, "list": ["a"]}


def test_words_are_for_people_where_asked(lines: io.StringIO) -> None:
    configure_logging("info", stream=lines, as_json=False)
    logger("room").info("answered")
    assert not lines.getvalue().startswith("{")


def test_metrics_hold_requests_stages_and_spend() -> None:
    metrics = Metrics()
    metrics.observe_request("POST", "/api/clause/coordinate", 200, 0.04)
    metrics.observe_stages({"architect_ms": 3.0, "ratio": 2.0})
    metrics.count_spend({"edges": 35, "note": "x"})
    text = metrics.render().decode()
    assert 'clause_requests_total{method="POST",route="/api/clause/coordinate",status="200"} 1.0' in text
    assert 'clause_stage_milliseconds_count{stage="architect"} 1.0' in text
    assert 'stage="ratio"' not in text
    assert 'clause_budget_spent_total{resource="edges"} 35.0' in text


def test_the_dashboard_asks_for_figures_that_there_are() -> None:
    metrics = Metrics()
    metrics.observe_request("GET", "/x", 200, 0.01)
    metrics.observe_stages({"embed_ms": 1.0})
    metrics.count_spend({"edges": 1})
    metrics.count_intelligence(thoughtseeds=1)
    metrics.count_memories("read")
    there = set(re.findall(r"^clause_\w+", metrics.render().decode(), re.MULTILINE))
    dashboard = json.loads(Path("deploy/grafana-dashboard.json").read_text())
    asked = set(re.findall(r"clause_\w+", json.dumps(dashboard["panels"])))
    assert len(asked) >= 8
    assert asked <= there


class Recorder:
    """A tracer that keeps the names of its spans, the outer ones first, and what they were told."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.open = 0

    @contextmanager
    def start_as_current_span(self, name: str, attributes: Any, **_: bool) -> Iterator[None]:
        self.names.append(f"{'  ' * self.open}{name} {sorted(attributes)}")
        self.open += 1
        yield
        self.open -= 1


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    found = Recorder()
    trace_with(found)  # type: ignore[arg-type]
    yield found
    trace_with(None)


def test_spans_nest_where_they_are_kept(recorder: Recorder) -> None:
    with span("outer", number=1), span("inner"):
        pass
    assert recorder.names == ["outer ['number']", "  inner []"]


def test_of_an_error_a_trace_tells_the_class_alone() -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra `otel`")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace_with(provider.get_tracer("clause"))
    try:
        with pytest.raises(KeyError), span("outer"), span("inner"):
            raise KeyError("who directed Kes")
        with span("well"):
            pass
    finally:
        trace_with(None)
    ended = [(one.name, one.status.status_code.name, dict(one.attributes or {})) for one in kept.get_finished_spans()]
    wrong = {"error.type": "KeyError"}
    assert ended == [("inner", "ERROR", wrong), ("outer", "ERROR", wrong), ("well", "UNSET", {})]
    assert "Kes" not in "".join(one.to_json() for one in kept.get_finished_spans())


def test_without_a_tracer_a_span_is_nothing() -> None:
    with span("outer") as opened:
        assert opened is None


def test_traces_without_their_extra_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(SetupError, match="otel"):
        configure_tracing("http://127.0.0.1:4318/v1/traces")


def test_figures_of_several_processes_are_summed(tmp_path: Path) -> None:
    count = (
        "from clause.telemetry import Metrics; m = Metrics(); m.count_memories('read', 2); print(m.render().decode())"
    )
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", count], env=environ, capture_output=True, text=True, check=True)
    assert 'clause_memories_total{operation="read"} 4.0' in done.stdout


def test_methods_that_nobody_serves_are_one_series() -> None:
    metrics = Metrics()
    for method in ("GET", "ZZ1", "ZZ2", "get"):
        metrics.observe_request(method, "unmatched", 405, 0.01)
    exposed = metrics.render().decode()
    assert 'method="other",route="unmatched",status="405"} 3.0' in exposed
    assert "ZZ1" not in exposed
