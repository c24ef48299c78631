import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from clause.graph import migrations
from clause.graph.migrations import MigrationReport
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
    async def migrate(given: object) -> MigrationReport:
        assert given is graph
        return MigrationReport(applied=applied, before=1)

    monkeypatch.setattr(migrations, "migrate", migrate)
    assert clause("migrate").out == said
    assert json.loads(clause("migrate", "--json").out) == {"applied": list(applied), "before": 1}
