"""The doctor at the bedside of a real server."""

from __future__ import annotations

from pathlib import Path

import pytest

from clause.graph.catalogue import Catalogue
from clause.graph.runner import Graph
from clause.graph.wire import Address
from clause.operations.doctor import Finding, examine
from tests.servers import environ_of, statement

pytestmark = pytest.mark.integration


async def checks_of(environ: dict[str, str]) -> dict[str, Finding]:
    return {check.name: check for check in (await examine(environ)).checks}


async def test_a_migrated_database_is_well(migrated_address: Address, tmp_path: Path) -> None:
    found = await checks_of(environ_of(migrated_address, tmp_path))
    assert "password right" in found["database"].found
    assert found["database"].ok
    assert found["migrations"].ok
    assert found["limits"].ok, found["limits"]
    assert found["embedder"].ok


async def test_a_wrong_password_is_one_clear_line(migrated_address: Address, tmp_path: Path) -> None:
    found = await checks_of(environ_of(migrated_address, tmp_path, CLAUSE_NEO4J_PASSWORD="not the password"))
    assert not found["database"].ok
    assert "\n" not in found["database"].found
    assert "not the password" not in found["database"].found
    assert found["database"].remedy
    assert "migrations" not in found


async def test_a_missing_index_is_told_with_its_cure(migrated_address: Address, tmp_path: Path) -> None:
    async with Graph(migrated_address, Catalogue.load()) as graph:
        name = next(row["name"] for row in await graph.run("graph/indexes") if row["type"] == "FULLTEXT")
        await graph.execute(statement(f"DROP INDEX {name} IF EXISTS", mode="schema"), {})
        try:
            found = await checks_of(environ_of(migrated_address, tmp_path))
        finally:
            from clause.graph.migrations import reindex

            await reindex(graph, name)
    assert not found["migrations"].ok
    assert found["migrations"].remedy == f"run `clause db reindex {name}`"
    assert (await checks_of(environ_of(migrated_address, tmp_path)))["migrations"].ok
