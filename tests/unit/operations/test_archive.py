"""Archives as files: where they may be written, and by whom."""

from __future__ import annotations

import asyncio
import fcntl
import os
from pathlib import Path
from typing import Any

import pytest

from clause.errors import BadInputError, ConflictError
from clause.operations.archive import export_scope
from clause.operations.archive_lines import created


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


def test_of_two_exports_to_one_file_the_second_is_refused_and_the_first_is_whole(tmp_path: Path) -> None:
    partial, path = tmp_path / ".a.jsonl.partial", tmp_path / "a.jsonl"
    path.write_text("good")
    with created(partial, path) as first:
        first.write(b"half")
        first.flush()
        with pytest.raises(ConflictError, match="another export writes this file"), created(partial, path):
            pass
        first.write(b" and half")
    assert path.read_text() == "half and half"
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_what_a_killed_export_left_is_in_nobodys_way(tmp_path: Path) -> None:
    partial, path = tmp_path / ".a.jsonl.partial", tmp_path / "a.jsonl"
    partial.write_text("left behind")
    with created(partial, path) as file:
        file.write(b"whole")
    assert path.read_text() == "whole"


def test_an_export_that_fails_leaves_the_archive_of_before(tmp_path: Path) -> None:
    partial, path = tmp_path / ".a.jsonl.partial", tmp_path / "a.jsonl"
    path.write_text("good")
    with pytest.raises(ValueError, match="closed file"), created(partial, path) as file:
        file.close()
    assert path.read_text() == "good"
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_who_lost_the_race_for_a_file_leaves_the_winners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    partial, path = tmp_path / ".a.jsonl.partial", tmp_path / "a.jsonl"
    partial.write_text("left behind")
    lock = fcntl.flock

    def slow(descriptor: int, how: int) -> None:
        partial.unlink()
        partial.write_text("the winner's")
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    with pytest.raises(ConflictError), created(partial, path):
        pass
    assert partial.read_text() == "the winner's"
