"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "clause").rglob("*.py"))
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "core"}
CYPHER = re.compile(r"\b(MATCH|MERGE|UNWIND|CREATE)\s*\(")
HEAVY = ("torch", "sentence_transformers", "neo4j", "fastapi", "mcp", "typer", "rdflib", "sklearn")


def imported_by(statement: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_a_noun_under_300_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300
    assert path.stem not in NAMES_THAT_SAY_NOTHING


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_python_holds_no_cypher(path: Path) -> None:
    docstrings = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstrings.add(ast.get_docstring(node, clean=False))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert not [text for text in texts if CYPHER.search(text) and text not in docstrings]


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert imported_by("import clause, clause.settings, clause.errors") == set()


def test_the_help_text_needs_the_command_line_library_alone() -> None:
    assert imported_by("import clause.cli.main") <= {"typer"}


def test_reasoning_runs_without_torch_and_without_the_driver() -> None:
    assert (
        imported_by("import clause.reasoning.episode, clause.reasoning.heuristics, clause.reasoning.snapshot") == set()
    )


def test_no_tracked_file_names_a_download_host() -> None:
    hosts = re.compile(
        r"https?://[a-z0-9.-]*(py(pi|thon(hosted)?)|maven|npm|debian|crates|golang|pytorch)[a-z0-9.-]*\.(org|io|com)"
    )
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=False).stdout.split(
        "\n"
    )
    if not any(listed):
        pytest.skip("not a git checkout: the rule is about tracked files")
    for name in filter(None, listed):
        path = ROOT / name
        if path.suffix in {".gz", ".safetensors", ".png", ".npz"} or not path.is_file():
            continue
        assert not hosts.search(path.read_text(encoding="utf-8", errors="ignore")), name
