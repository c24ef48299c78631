import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import clause

PUBLIC = [
    "Caller",
    "Clause",
    "ClauseClient",
    "ClauseError",
    "Settings",
    "SyncClause",
    "SyncClauseClient",
    "__version__",
]
HEAVY = ("torch", "sentence_transformers", "neo4j", "fastapi", "mcp", "typer", "rdflib", "sklearn", "numba")


def test_the_public_names_are_these_in_order() -> None:
    assert clause.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(clause))


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_the_one_of_its_module(name: str) -> None:
    found = getattr(clause, name)
    if name != "__version__":
        assert found is getattr(import_module(found.__module__), name)
        assert found.__doc__


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Claws"):
        _ = clause.Claws  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "statement",
    ["import clause", "from clause import Clause, SyncClause, ClauseClient", "from clause import *; Clause.open()"],
)
def test_importing_the_library_loads_nothing_heavy(statement: str) -> None:
    code = f"{statement}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    root = Path(clause.__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.split() == []


def test_import_clause_alone_loads_no_library_beyond_the_standard_one() -> None:
    code = "import clause, sys\nprint('pydantic' in sys.modules)"
    root = Path(clause.__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert run.stdout.strip() == "False"
