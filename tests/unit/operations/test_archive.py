"""Archives as files: where they may be written, and by whom."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from clause.errors import BadInputError
from clause.operations.archive import export_scope


@pytest.mark.parametrize("name", ["", ".", "/", "there"])
def test_a_folder_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    unread: Any = None
    with pytest.raises(BadInputError, match="is a folder"):
        asyncio.run(export_scope(unread, Path(name), "kg:films"))
    assert [one.name for one in tmp_path.iterdir()] == ["there"]
