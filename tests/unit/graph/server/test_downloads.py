from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from clause.graph.server import downloads
from clause.graph.server.downloads import Jar, missing, read_lock


def jar_of(content: bytes, name: str = "tree") -> Jar:
    return Jar("org.example", name, "1.0", "", len(content), hashlib.sha256(content).hexdigest())


def put(cache: Path, jar: Jar, content: bytes) -> None:
    path = cache / jar.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_the_lock_file_names_each_jar_once_with_its_sum_and_no_address() -> None:
    locked = read_lock()
    assert len(locked) == len({jar.path for jar in locked}) == 238
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in locked)
    assert "://" not in downloads.LOCK.read_text(encoding="utf-8")


def test_the_lock_file_holds_the_server_of_the_told_version_and_the_browser() -> None:
    versions = {jar.artifact: jar.version for jar in read_lock()}
    assert versions["neo4j-server"] == versions["neo4j"] == downloads.VERSION
    assert "neo4j-browser" in versions


def test_a_classifier_is_part_of_the_file_name() -> None:
    jar = Jar.parse("io.netty:netty-epoll:4.2:linux-x86_64 10 aa")
    assert jar.path == Path("io/netty/netty-epoll/4.2/netty-epoll-4.2-linux-x86_64.jar")


@pytest.mark.parametrize("found", [None, b"", b"a whole ja", b"a whole jar!", b"a whole jaR"])
def test_a_jar_that_is_absent_cut_off_longer_or_changed_is_missing(tmp_path: Path, found: bytes | None) -> None:
    whole, other = jar_of(b"a whole jar"), jar_of(b"another", "other")
    put(tmp_path, other, b"another")
    if found is not None:
        put(tmp_path, whole, found)
    assert missing([whole, other], tmp_path) == [whole]


def test_a_whole_jar_is_not_missing(tmp_path: Path) -> None:
    jar = jar_of(b"a whole jar")
    put(tmp_path, jar, b"a whole jar")
    assert missing([jar], tmp_path) == []
