"""The built wheel holds everything that the code reads, and runs without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import asyncio, clause
from pathlib import Path
from clause.graph.catalogue import Catalogue, cypher_folder
from clause.mcp_bridge.toolbox import offered
from clause.policy.checkpoint import load
from clause.reasoning.seed_ranking import shipped_weights
from clause.sample.files import KB, VECTORS
inside = Path(clause.__file__).parent
assert cypher_folder().is_relative_to(inside), cypher_folder()
assert KB.is_relative_to(inside) and KB.is_file() and VECTORS.is_file()
assert len(offered('full')) == 50
assert len(Catalogue.load()) > 50 and shipped_weights() and load().about.name
print(inside)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_cypher_the_sample_the_policy_and_the_notices(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    statements = {path.relative_to(ROOT / "cypher").as_posix() for path in (ROOT / "cypher").rglob("*.cypher")}
    assert {f"clause/cypher/{name}" for name in statements} <= names
    assert {"clause/py.typed", "clause/sample/metaqa/kb.txt.gz", "clause/graph/server/neo4j.lock"} <= names
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert not [name for name in names if name.startswith("tests/")]


def test_an_unpacked_wheel_runs_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == str(tmp_path / "site" / "clause")
