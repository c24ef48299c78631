import io
import json
import logging
from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from clause import telemetry
from clause.telemetry import Metrics, configure_logging, logger, masked


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
