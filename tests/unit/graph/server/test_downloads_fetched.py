from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from clause.errors import ServerError
from clause.graph.server import downloads as maven
from clause.graph.server.downloads import Jar

CONTENT = {"oak": b"the jar of the oak", "elm": b"the jar of the elm, which is longer"}


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder behind a Maven repository on the loopback address, with two jars in it."""
    root = tmp_path / "remote"
    for jar in JARS:
        path = root / jar.path
        path.parent.mkdir(parents=True)
        path.write_bytes(CONTENT[jar.artifact])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr("jgo.constants.MAVEN_CENTRAL_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("JGO_CONFIG_FILE", str(tmp_path / "no-such-settings"))
    yield root
    server.shutdown()
    server.server_close()


JARS = [
    Jar("org.example", name, "1.0", "", len(content), hashlib.sha256(content).hexdigest())
    for name, content in CONTENT.items()
]


def test_what_is_missing_is_fetched_and_the_class_path_keeps_the_order(remote: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    cache = tmp_path / "cache"
    paths = maven.fetch(JARS, cache, lambda *news: told.append(news))
    assert [path.read_bytes() for path in paths] == list(CONTENT.values())
    total = sum(len(content) for content in CONTENT.values())
    assert told[0][1:] == (0, total)
    assert told[-1][1:] == (total, total)


def test_nothing_is_fetched_twice(remote: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = maven.fetch(JARS, cache)
    (remote / JARS[0].path).unlink()
    told: list[object] = []
    assert maven.fetch(JARS, cache, lambda *news: told.append(news)) == first
    assert told == []


def test_a_fetch_that_was_cut_off_is_made_whole(remote: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    oak, elm = maven.fetch(JARS, cache)
    oak.write_bytes(b"the jar of")
    (remote / JARS[1].path).unlink()
    assert maven.fetch(JARS, cache)[0].read_bytes() == CONTENT["oak"]
    assert elm.read_bytes() == CONTENT["elm"]


def test_a_jar_with_another_sum_is_refused_and_not_kept(remote: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (remote / JARS[0].path).write_bytes(b"the jar of the 0ak")
    with pytest.raises(ServerError, match=r"oak-1\.0\.jar is not the file that was locked"):
        maven.fetch(JARS, cache)
    assert not (cache / JARS[0].path).exists()


def test_a_jar_that_nobody_has_is_an_error_that_names_it(remote: Path, tmp_path: Path) -> None:
    (remote / JARS[1].path).unlink()
    with pytest.raises(ServerError, match=r"cannot fetch elm-1\.0\.jar") as caught:
        maven.fetch(JARS, tmp_path / "cache")
    assert "it goes on where it stopped" in str(caught.value.remedy)


def test_the_cache_is_the_one_that_the_user_set_for_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JGO_CONFIG_FILE", str(tmp_path / "no-such-settings"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "jars"))
    assert maven.repository() == tmp_path / "jars"


def test_an_error_without_words_is_told_by_its_name() -> None:
    assert maven._reason(TimeoutError()) == "TimeoutError"
