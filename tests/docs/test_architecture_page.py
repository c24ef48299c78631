"""The ways of a question and of a belief in docs/architecture.md: every file is there, and holds what is named."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACE = re.compile(r"`(clause/[\w/]+\.py)`((?:[\s,]+`\w+`)+)")
WAYS = ("The way of a question", "The way of a belief")


def steps(title: str) -> list[str]:
    """The numbered steps under a heading."""
    section = PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]


def functions(path: Path) -> set[str]:
    """The names of the functions and methods that a file defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("title", WAYS)
def test_every_step_names_functions_that_are_there(title: str) -> None:
    assert len(steps(title)) == 10
    for step in steps(title):
        places = PLACE.findall(step)
        assert places, step
        assert len(places) == step.count(".py`"), "each file is followed by what to read in it"
        for file, names in places:
            assert (ROOT / file).is_file(), file
            assert set(re.findall(r"`(\w+)`", names)) <= functions(ROOT / file), (file, names)


@pytest.mark.parametrize("title", WAYS)
def test_a_way_is_read_in_one_sitting(title: str) -> None:
    files = {file for step in steps(title) for file, _ in PLACE.findall(step)}
    assert 5 <= len(files) <= 15
