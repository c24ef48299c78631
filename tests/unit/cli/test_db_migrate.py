import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from clause.errors import MigrationError
from clause.graph import migrations
from clause.graph.migrations import MigrationReport
from clause.text.embedder import SentenceTransformerEmbedder
from tests.unit.cli.conftest import Done


@pytest.mark.parametrize(
    ("applied", "said"), [(("V0001", "V0010"), "2 applied: V0001, V0010\n"), ((), "nothing to apply\n")]
)
def test_what_was_applied_is_said(
    clause: Callable[..., Done],
    graph: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    applied: tuple[str, ...],
    said: str,
) -> None:
    async def migrate(given: object, *, measure: Callable[[], int]) -> MigrationReport:
        assert given is graph
        assert measure() == 384
        return MigrationReport(applied=applied, before=1)

    monkeypatch.setattr(migrations, "migrate", migrate)
    assert clause("migrate").out == said
    assert json.loads(clause("migrate", "--json").out) == {"applied": list(applied), "before": 1}


@pytest.mark.parametrize(
    "command",
    [
        "migrate",
        "demo",
        "demo --reset --yes",
        "db reindex",
        "export {} --scope kg:a",
        "import {}",
        "forget --scope kg:a --preview",
        "link --scope kg:a",
        "load triples {} --scope kg:a",
    ],
)
@pytest.mark.usefixtures("graph")
def test_indexes_are_made_for_the_vectors_of_the_model_that_is_set(
    clause: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    async def asked(*_: object, measure: Callable[[], int]) -> MigrationReport:
        raise MigrationError(f"asked for {measure()} numbers")

    monkeypatch.setattr(migrations, "migrate", asked)
    monkeypatch.setattr(migrations, "reindex", asked)
    monkeypatch.setattr(SentenceTransformerEmbedder, "dimension", 768)
    monkeypatch.setenv("CLAUSE_EMBEDDER", "large")
    assert "asked for 768 numbers" in clause(*command.format(tmp_path / "file").split()).err


def test_a_folder_is_no_archive_to_write_and_starts_no_server(clause: Callable[..., Done], tmp_path: Path) -> None:
    result = clause("export", str(tmp_path), "--scope", "kg:a")
    assert (result.code, f"{tmp_path} is a folder" in result.err) == (1, True)
