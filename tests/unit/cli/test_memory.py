"""`clause memory`, `clause consolidate`, `clause evaluate recall`, `clause bench memory`: from arguments to output."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from clause.cli import console as opening
from clause.cli import service
from clause.ground import Ground
from clause.lab import recall as recall_study
from clause.lab.bench import memory as bench_memory
from clause.memory.consolidation import ConsolidationReport
from clause.memory.models import MOST_CLUSTERS, MCSConfig
from clause.memory.room import Memory
from clause.memory.statistics import MemoryStatistics
from clause.settings import Settings
from clause.telemetry import Metrics
from clause.workers import CpuPool
from tests.fakes.embedder import HashEmbedder

FIGURES = MemoryStatistics(
    memories=7, clusters=2, compression=3.5, consolidated=1, queued=0, largest=6, sizes={"1": 1, "6-10": 1},
    cohesion=0.95, silhouette=None, sampled=7, stale_share=0.0,
)  # fmt: skip


class FakeConsolidation:
    """Remembers what was run."""

    def __init__(self) -> None:
        self.waiting = {"user:ann": 2, "user:bob": 1}
        self.ran: list[Any] = []

    async def work(self) -> dict[str, int]:
        return self.waiting

    async def run(self, scope: str, *, caller: Any, dry_run: bool) -> ConsolidationReport:
        self.ran.append((scope, dry_run))
        return ConsolidationReport(scope=scope, looked_at=3, joined=1, consolidated=2)

    async def resume(self, job: str, jobs: Any) -> ConsolidationReport:
        self.ran.append((job, jobs))
        return ConsolidationReport(job_id=job, scope="user:ann", looked_at=1, joined=0, consolidated=0)


class FakeStore:
    """One scope's figures and vectors."""

    config = MCSConfig()

    async def stats(self, *, caller: Any, scopes: Any) -> MemoryStatistics:
        self.asked = scopes
        return FIGURES

    async def vectors(self, *, caller: Any, scopes: Any, limit: int) -> np.ndarray:
        return np.eye(4, dtype=np.float32)[[0, 0, 1, 1, 2, 3]][:limit]


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    ground = Ground(None, HashEmbedder(), None, CpuPool(1), Settings(), Metrics())  # type: ignore[arg-type]
    room = SimpleNamespace(store=FakeStore(), consolidation=FakeConsolidation(), ground=ground)
    container = SimpleNamespace(
        rooms=SimpleNamespace(memory=room), jobs="the jobs", coordinator=SimpleNamespace(coordinate=None)
    )

    @asynccontextmanager
    async def opened(*, sample: bool = True, policies: object = None) -> Any:
        assert not sample
        yield container

    monkeypatch.setattr(opening, "opened", opened)
    return room


def test_every_scope_with_work_is_consolidated(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    done = clause("consolidate")
    assert room.consolidation.ran == [("user:ann", False), ("user:bob", False)]
    assert "user:ann: of 3 clusters that changed 2 were closed, 1 joined" in done.out


def test_a_dry_run_of_one_scope_as_json(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    done = clause("consolidate", "--scope", "user:eve", "--dry-run", "--json")
    assert room.consolidation.ran == [("user:eve", True)]
    found = json.loads(done.out)
    assert (found["dry_run"], found["scopes"][0]["consolidated"]) == (True, 2)
    assert "would be closed" in clause("consolidate", "--dry-run").out


def test_a_job_that_was_broken_off_is_taken_up(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    clause("consolidate", "job1")
    assert room.consolidation.ran == [("job1", "the jobs")]
    refused = clause("consolidate", "job1", "--dry-run")
    assert (refused.code, "a job knows its scope" in refused.err) == (1, True)


def test_nothing_to_consolidate_is_said(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    room.consolidation.waiting = {}
    done = clause("consolidate")
    assert (done.code, done.out) == (0, "")
    assert "nothing waits" in done.err


def test_figures_as_a_table_and_as_json(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    table = clause("memory", "stats", "--scope", "user:ann").out
    assert room.store.asked == ["user:ann"]
    assert "compression" in table
    assert "clusters of 6-10" in table
    assert json.loads(clause("memory", "stats", "--json").out)["compression"] == 3.5


def test_a_threshold_is_calibrated_on_memories(clause: Callable[..., Any], room: SimpleNamespace) -> None:
    found = json.loads(clause("memory", "calibrate", "--compression", "1.5", "--json").out)
    assert (found["texts"], found["wanted"], found["found"]["clusters"]) == (6, "compression 1.5", 4)
    shown = clause("memory", "calibrate", "--sample", "4").out
    assert "4 texts" in shown
    assert "set CLAUSE_MEMORY_THRESHOLD=" in shown


def test_a_threshold_is_calibrated_on_a_file_of_texts(
    clause: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clause.text.embedder.SentenceTransformerEmbedder.of", lambda _: HashEmbedder())
    path = tmp_path / "texts.txt"
    path.write_text("green tea\n\ngreen tea\nrain\n")
    found = json.loads(clause("memory", "calibrate", "--texts", str(path), "--cohesion", "0.99", "--json").out)
    assert (found["texts"], found["found"]["clusters"]) == (3, 2)


def test_recall_is_asked_with_the_services_fusion_or_the_given_one(
    clause: Callable[..., Any], room: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Memory, dict[str, Any]]] = []

    async def study(memory: Memory, corpus: Any, questions: Any, **more: Any) -> dict[str, Any]:
        asked.append((memory, more))
        return {"n": len(questions), "texts": len(corpus)}

    monkeypatch.setattr(recall_study, "recall_study", study)
    corpus, questions = tmp_path / "c.jsonl", tmp_path / "q.jsonl"
    corpus.write_text('{"id": "a", "text": "t", "scope": "s"}\n')
    questions.write_text('{"query": "q", "scope": "s", "relevant": ["a"]}\n')
    command = ["evaluate", "recall", "--corpus", str(corpus), "--questions", str(questions), "--json"]
    assert json.loads(clause(*command).out) == {"n": 1, "texts": 1}
    clause(*command, "--mode", "sparse", "-k", "3", "-k", "1", "--fusion", "rsf", "--sparse-weight", "0.9")
    (first, plain), (second, given) = asked
    assert (plain["mode"], plain["ks"], first.store.config.max_clusters) == ("hybrid", [5, 10], MOST_CLUSTERS)
    assert (given["mode"], given["ks"]) == ("sparse", [1, 3])
    assert (second.store.config.fusion_method, second.store.config.sparse_weight) == ("rsf", 0.9)


def test_files_of_recall_are_made_from_locomo(clause: Callable[..., Any], tmp_path: Path) -> None:
    source = tmp_path / "l.json"
    source.write_text(json.dumps([{"sample_id": "x", "conversation": {}, "qa": []}]))
    paths = ["--corpus", str(tmp_path / "c"), "--questions", str(tmp_path / "q")]
    found = json.loads(clause("evaluate", "make-recall", "--locomo", str(source), *paths, "--json").out)
    assert (found["conversations"], found["turns"]) == (1, 0)


def test_files_of_recall_are_made_of_one_data_set(clause: Callable[..., Any], tmp_path: Path) -> None:
    source = tmp_path / "m.jsonl"
    talk = {"date": "2023/03/27 (Mon) 05:51", "turns": [{"role": "user", "content": "Tea."}]}
    item = {"question_id": "q", "question": "What?", "abstention": False, "evidence_sessions": [talk]}
    source.write_text(json.dumps(item))
    paths = ["--corpus", str(tmp_path / "c"), "--questions", str(tmp_path / "q")]
    found = json.loads(clause("evaluate", "make-recall", "--longmemeval", str(source), *paths, "--json").out)
    assert (found["conversations"], found["turns"], found["questions"]) == (1, 1, 1)
    for given in ([], ["--locomo", str(source), "--longmemeval", str(source)]):
        done = clause("evaluate", "make-recall", *given, *paths)
        assert done.code == 1
        assert "which data set?" in done.err


def test_the_bench_of_memories_is_run_at_a_size(
    clause: Callable[..., Any], room: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def bench(memory: Any, *, size: int, calls: int, command: str, progress: Any) -> dict[str, Any]:
        progress(size, size)
        return {"size": size, "calls": calls, "same": memory is room}

    monkeypatch.setattr(bench_memory, "memory_bench", bench)
    done = clause("bench", "memory", "--size", "300", "--calls", "7", "--json")
    assert json.loads(done.out) == {"size": 300, "calls": 7, "same": True}


class Served:
    """A service that consolidates: each job is queued, runs, and ends as it is told to."""

    def __init__(self, ends: str) -> None:
        self.ends = ends
        self.asked: list[tuple[str, Any]] = []

    def answer(self, method: str, path: str, _environ: Any, body: bytes | None = None) -> Any:
        self.asked.append((path, json.loads(body) if body else None))
        if path == "/api/scopes":
            return {"items": ["user:ann", "user:bob"]}
        scope = json.loads(body)["scope"] if body else path.rsplit("-", 1)[1]
        looked_at = 4 if scope == "user:ann" else 0
        state = "queued" if method == "POST" else self.ends
        cursor = {"looked_at": looked_at, "consolidated": 3}
        return {"id": f"job-{scope}", "scope": scope, "state": state, "error": "the disk is full", "cursor": cursor}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Served:
    found = Served("succeeded")
    monkeypatch.setattr(service, "running", lambda *_: service.RunningService("127.0.0.1", 1))
    monkeypatch.setattr(service.RunningService, "_ask", lambda _, *given: found.answer(*given))
    return found


def test_a_running_service_consolidates_each_scope_and_what_had_no_work_is_not_told(
    clause: Callable[..., Any], room: SimpleNamespace, served: Served
) -> None:
    done = clause("consolidate")
    assert done.out == "user:ann: of 4 clusters that changed 3 were closed, 0 joined\n"
    assert room.consolidation.ran == []
    assert [body for path, body in served.asked if path.endswith("consolidate")] == [
        {"scope": "user:ann"},
        {"scope": "user:bob"},
    ]


def test_a_job_that_failed_in_the_service_is_an_error(
    clause: Callable[..., Any], room: SimpleNamespace, served: Served
) -> None:
    served.ends = "failed"
    done = clause("consolidate", "--scope", "user:ann")
    assert done.code == 3
    assert "the disk is full" in done.err
