"""What `clause load` prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clause.cli import load, main
from clause.cli.console import loading_bar
from clause.cli.load import _question, _report
from clause.ingest.source import BadRecord, EmbedReport, LoadReport

REPORT = LoadReport(
    job_id="01J",
    scope="kg:films",
    source_id="src_1",
    format="pipe",
    records=1300,
    created=1000,
    known=149,
    bad_count=151,
    bad=(BadRecord(number=7, reason="the head is empty"),),
    seconds=0.5,
    records_per_s=2600,
    resumed_at=200,
    embedding=EmbedReport(job_id="01K", model="m", embedded=42, seconds=1),
)


def test_a_load_says_what_is_new_known_and_bad(capsys: pytest.CaptureFixture[str]) -> None:
    _report(REPORT, "triples", as_json=False)

    printed = capsys.readouterr().out
    assert "1,300 records in 0.5 s (2,600/s), going on after 200: 1,000 triples are new, 149 were there" in printed
    assert "line 7: the head is empty" in printed
    assert "150 more" in printed
    assert "42 vectors" in printed


def test_a_load_says_what_it_made_anew(capsys: pytest.CaptureFixture[str]) -> None:
    _report(REPORT.model_copy(update={"replaced": 3}), "passages", as_json=False)

    assert "151 are bad; 3 documents had other content and were made anew" in capsys.readouterr().out


def test_documents_are_loaded_from_several_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    async def loaded(_graph: object, _embedder: object, paths: list[Path], scope: str, **_told: object) -> LoadReport:
        given.extend([*paths, scope])
        return REPORT

    async def run(chosen: Any, _scope: str, **_told: object) -> LoadReport:
        return await chosen(None, None, None)

    monkeypatch.setattr("clause.ingest.passages.load_documents", loaded)
    monkeypatch.setattr(load, "_run", run)
    told = CliRunner().invoke(load.app, ["documents", "docs/a.md", "docs/b.md", "more", "--scope", "kg:mine"])

    assert told.exit_code == 0
    assert given == [Path("docs/a.md"), Path("docs/b.md"), Path("more"), "kg:mine"]


def test_as_json_a_load_prints_its_report_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    _report(REPORT, "triples", as_json=True)

    assert LoadReport.model_validate(json.loads(capsys.readouterr().out)) == REPORT


def test_the_progress_bar_draws_on_stderr_only(capsys: pytest.CaptureFixture[str]) -> None:
    with loading_bar() as progress:
        progress("loading films", 1, 2)
        progress("loading films", 2, 2)
        progress("fetching", 0, 0)

    streams = capsys.readouterr()
    assert streams.out == ""
    assert "loading films" in streams.err


def test_the_question_to_go_on_with_asks_for_a_class_last(tmp_path: Path) -> None:
    file = tmp_path / "block.txt"
    file.write_text("Linden House|is_a|building\nLinden House|caretaker|Goran\n", encoding="utf-8")
    assert _question(file, None) == "What is the caretaker of Linden House?"
    file.write_text("Linden House|is_a|building\n", encoding="utf-8")
    assert _question(file, None) == "Linden House is a what?"


def test_what_is_no_file_of_triples_ends_the_command_with_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run(chosen: Any, _scope: str, **_told: object) -> LoadReport:
        return await chosen(None, None, None)

    (tmp_path / "films.ttl").write_text("@prefix e: <http://e.org/> .\n", encoding="utf-8")
    monkeypatch.setattr(load, "_run", run)

    with pytest.raises(SystemExit) as ended:
        main.run(["load", "triples", str(tmp_path / "films.ttl"), "--scope", "kg:films"])

    assert ended.value.code == 1
    assert "rdfpipe" in capsys.readouterr().err
