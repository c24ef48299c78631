"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "clause").rglob("*.py"))
LAB = [path for path in MODULES if path.is_relative_to(ROOT / "clause" / "lab")]
LAB_BY_NAME = {ROOT / "clause" / "cli" / "main.py", ROOT / "clause" / "cli" / "curiosity.py"}
QUESTION_WORD = re.compile(r"(What|Where|Whether|How|Why|Which|Whose?|When)\b")
NAMES_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "core"}
CYPHER = re.compile(r"\b(MATCH|MERGE|UNWIND|CREATE)\s*\(")
HEAVY = ("torch", "sentence_transformers", "neo4j", "fastapi", "mcp", "typer", "rdflib", "sklearn")


def imported_by(statement: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after `statement`."""
    code = f"{statement}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(run.stdout.split())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_a_noun_under_400_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
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


def test_a_newcomer_can_keep_the_tree_in_mind() -> None:
    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES]
    assert len(MODULES) - len(LAB) <= 300
    assert len(LAB) <= 45
    assert statistics.median(lengths) <= 180


def test_the_statements_are_in_few_files() -> None:
    folder = ROOT / "cypher"
    apart = (folder / "migrations", folder / "browse")
    files = [path for path in folder.rglob("*.cypher") if not any(path.is_relative_to(other) for other in apart)]
    assert 0 < len(files) <= 120


def test_a_class_name_occurs_once() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in MODULES]
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert {name: count for name, count in names.items() if count > 1} == {}


def test_a_module_says_what_it_is_and_asks_nothing() -> None:
    texts = {path: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in MODULES}
    assert [path for path, text in texts.items() if not text or QUESTION_WORD.match(text)] == []


def test_nothing_imports_the_lab_and_only_two_commands_name_it() -> None:
    for path in set(MODULES) - set(LAB):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imported = [name for node in nodes for name in imported_names(node)]
        assert not [name for name in imported if name == "clause.lab" or name.startswith("clause.lab.")], path
        named = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        assert path in LAB_BY_NAME or not [name for name in named if re.fullmatch(r"clause\.lab(\.\w+)*", name)], path


def imported_names(node: ast.AST) -> list[str]:
    """The modules that an import may load, also one inside a function; `from a import b` may load `a.b`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        return [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert imported_by("import clause, clause.settings, clause.errors") == set()


def test_the_help_text_needs_the_command_line_library_alone() -> None:
    assert imported_by("import clause.cli.main") <= {"typer"}


def test_reasoning_runs_without_torch_and_without_the_driver() -> None:
    modules = ("episode.episode", "agents.heuristic", "neighbourhood.snapshot")
    assert imported_by("\n".join(f"import clause.reasoning.{module}" for module in modules)) == set()


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
