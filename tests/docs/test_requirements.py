"""The tables that map requirements to tests: each names tests that are there, and no requirement is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
SHORT = {"IT/": "integration/insights/", "UT/": "unit/insights/"}
TABLES = sorted((ROOT / "docs").glob("*-requirements.md"))


def named_tests(text: str) -> Iterator[tuple[str, str]]:
    """The file (the end of its path; `::name` alone means the one before) and the test of each that a table names."""
    file = ""
    for quoted in re.findall(r"`([^`\s]*)`", text):
        path, _, name = quoted.partition("::")
        for short, long in SHORT.items():
            path = path.replace(short, long, 1) if path.startswith(short) else path
        file = path if path.endswith(".py") else file
        if name:
            yield file, name


def test_the_three_tables_are_there() -> None:
    assert [path.name.partition("-")[0] for path in TABLES] == ["insights", "memory", "values"]


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_test_that_a_table_names_is_in_its_file(table: Path) -> None:
    named = list(named_tests(table.read_text(encoding="utf-8")))
    assert len(named) > 20
    for file, name in named:
        found = [path for path in TESTS.rglob(Path(file).name) if str(path).endswith(f"/{file}")]
        assert found, f"{table.name} names {file}"
        written = "".join(path.read_text(encoding="utf-8") for path in found)
        assert re.search(rf"def {name}\(", written), f"{table.name} names {file}::{name}"


ALONE = ("type safety", "centroids weighted by tier", "`runtimeerror` when")
"""What only a unit can show: types, arithmetic over given weights, a store that is away."""


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_requirement_has_a_test_on_a_real_graph(table: Path) -> None:
    """Of each row that names tests, one is of integration, end to end or faults."""
    lacking = []
    for row in re.findall(r"^\| (?!---|requirement).*\|$", table.read_text(encoding="utf-8"), re.MULTILINE):
        named = {file for file, _ in named_tests(row)} | {*re.findall(r"`(integration/[\w/]+\.py)`", row)}
        found = [path for file in named for path in TESTS.rglob(Path(file).name) if str(path).endswith(f"/{file}")]
        real = any({"integration", "e2e", "faults"} & {*path.parts} for path in found)
        if found and not real and not any(words in row.lower() for words in ALONE):
            lacking.append(row)
    assert lacking == []


@pytest.mark.parametrize(("kind", "count"), [("FR", 18), ("BR", 5), ("SEC", 3), ("US", 5)])
def test_no_requirement_of_the_memory_store_is_left_out(kind: str, count: int) -> None:
    rows = re.findall(rf"^\| {kind}-MCS-(\d+) \|", (ROOT / "docs/memory-requirements.md").read_text(), re.MULTILINE)
    assert sorted(map(int, rows)) == list(range(1, count + 1))
