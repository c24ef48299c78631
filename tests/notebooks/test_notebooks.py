"""The notebooks, run from a fresh kernel by nbmake on the test server; what they are kept with is what they say then.

`CLAUSE_TEST_KEEP_OUTPUTS=1 pytest tests/notebooks` keeps what they say now.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import shutil
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
MEASURED = {"04_training_the_policy", "05_benchmarks"}
"""Those that train and time: what they say differs from machine to machine, so that only its kinds are compared."""
KEPT_BYTES = 400_000
LONGEST_PART = 60_000
IDS = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[a-z]+_[0-9a-f]{12,}\b|\b[0-9a-f]{32,}\b")
NUMBERS = re.compile(r"[-+]?(?:\d[\d.,]*(?:e[-+]?\d+)?|nan|None|True|False)\b")


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
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
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
def test_a_notebook_is_kept_small_with_its_outputs_and_holds_no_logic(notebook: Path) -> None:
    cells = nbformat.read(notebook, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert any("image/png" in output.get("data", {}) for cell in code for output in cell.outputs)
    assert notebook.stat().st_size < KEPT_BYTES
    text = notebook.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|tmp|Users)/", text)
    assert cells[0].source.startswith("# ")
    for cell in code:
        assert "\nclass " not in f"\n{cell.source}"
        assert cell.source.count("def ") <= 1


def said(cell: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What a cell says, as far as it is the same each time: kinds of outputs, and texts without numbers and ids.

    Texts that follow each other are one: where a stream is cut into outputs depends on when it is flushed.
    """
    outputs = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
    told: list[tuple[str, str]] = []
    for kind, parts in itertools.groupby(outputs, key=lambda data: "picture" if "image/png" in data else "text"):
        if kind == "picture":
            told.extend((kind, "") for _ in parts)
        else:
            plain = " ".join(str(part.get("text/plain", "")) for part in parts)
            told.append((kind, " ".join(NUMBERS.sub("#", IDS.sub("<id>", plain)).split())))
    return told


def test_a_stream_says_the_same_however_it_is_cut() -> None:
    def cell(*texts: str) -> nbformat.NotebookNode:
        outputs = [nbformat.v4.new_output("stream", text=text) for text in texts]
        return nbformat.v4.new_code_cell(outputs=outputs)

    assert said(cell("one 1\n", "two\n")) == said(cell("one 2\ntwo\n")) == [("text", "one # two")]
    assert said(cell("one\n")) != said(cell("one\n", "two\n"))


def kept(book: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A notebook that has run, as it is kept: without warnings, parts that are too long, and when it ran."""
    for cell in book.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
            for output in cell.outputs:
                data = output.get("data", {})
                for kind in [
                    kind for kind, part in data.items() if len(str(part)) > LONGEST_PART and kind != "image/png"
                ]:
                    del data[kind]
            cell.outputs = [one for one in cell.outputs if one.get("data", True)]
    return book


@pytest.mark.integration
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
async def test_a_notebook_runs_from_a_fresh_kernel_and_says_what_it_is_kept_with(
    notebook: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "notebooks"
    shutil.copytree(notebook.parent, folder)
    command = [
        "-m",
        "pytest",
        "--nbmake",
        "--overwrite",
        f"--nbmake-timeout={TIMEOUT_S}",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        "-o",
        "addopts=",
        str(folder / notebook.name),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0, printed.decode()
    now = kept(nbformat.read(folder / notebook.name, as_version=4))
    if os.environ.get("CLAUSE_TEST_KEEP_OUTPUTS"):
        nbformat.write(now, notebook)
    before = nbformat.read(notebook, as_version=4)
    for cell, other in zip(before.cells, now.cells, strict=True):
        if cell.cell_type == "code":
            told, tells = said(cell), said(other)
            if notebook.stem in MEASURED:
                told, tells = ([(kind, "") for kind, _ in both] for both in (told, tells))
            assert told == tells, f"run with CLAUSE_TEST_KEEP_OUTPUTS=1 and look: {cell.source}"
