"""The notebooks, run from a fresh kernel by nbmake on the test server; they are kept without outputs."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import nbformat
import pytest

from clause.graph.runner import Graph
from clause.graph.wire import Address
from tests import servers

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SCOPES = ("kg:notebook", "user:notebook")
TIMEOUT_S = 240


@pytest.fixture
async def environment(
    migrated_address: Address, graph: Graph, no_model: None, tmp_path: Path
) -> AsyncIterator[dict[str, str]]:
    """The settings of a user whose server is the test server; what the notebook wrote is removed afterwards."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    yield {
        **kept,
        "CLAUSE_HOME": str(tmp_path),
        "CLAUSE_NEO4J_URI": migrated_address.uri,
        "CLAUSE_NEO4J_USER": migrated_address.user,
        "CLAUSE_NEO4J_PASSWORD": migrated_address.password.get_secret_value(),
        "CLAUSE_NEO4J_DATABASE": migrated_address.database,
        "PYTHONPATH": str(ROOT),
        "MPLBACKEND": "agg",
    }
    for scope in SCOPES:
        await servers.erase_scope(graph, scope)


def test_the_five_notebooks_are_there() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == [
        "01_first_question",
        "02_beliefs_and_tensions",
        "03_memory_and_values",
        "04_training_the_policy",
        "05_benchmarks",
    ]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_is_kept_without_outputs_and_holds_no_logic(notebook: Path) -> None:
    cells = nbformat.read(notebook, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert cells[0].source.startswith("# ")
    for cell in code:
        assert "\nclass " not in f"\n{cell.source}"
        assert cell.source.count("def ") <= 1


@pytest.mark.integration
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
async def test_a_notebook_runs_from_a_fresh_kernel(notebook: Path, environment: dict[str, str]) -> None:
    command = ["-m", "pytest", "--nbmake", f"--nbmake-timeout={TIMEOUT_S}", "-q", "-p", "no:cacheprovider"]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        "-o",
        "addopts=",
        str(notebook),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
