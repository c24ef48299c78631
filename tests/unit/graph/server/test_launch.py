from __future__ import annotations

from pathlib import Path

import pytest

from clause.errors import ServerError
from clause.graph.server import launch
from clause.graph.server.layout import Layout

JARS = [Path("/jars/a.jar"), Path("/jars/b.jar")]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "a home")
    layout.prepare()
    return layout


def pretend_java(folder: Path, script: str) -> Path:
    program = folder / "java"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_the_command_names_heap_class_path_and_home(layout: Layout) -> None:
    command = launch.server_command(Path("/java"), JARS, layout, 768, ["-XX:TieredStopAtLevel=1"])
    assert command[0] == "/java"
    assert "-Xmx768m" in command
    assert command[command.index("-cp") + 1] == "/jars/a.jar:/jars/b.jar"
    main = command.index(launch.MAIN)
    assert command.index("-XX:TieredStopAtLevel=1") < main
    assert command[main + 1] == f"--home-dir={layout.home}"


def test_the_first_password_is_never_on_a_command_line(layout: Layout, tmp_path: Path) -> None:
    java = pretend_java(tmp_path, f'echo "$@" > "{tmp_path}/seen"; cp "${{1#@}}" "{tmp_path}/arguments"')
    launch.set_initial_password(java, JARS, layout, "s3cret")
    assert "s3cret" not in (tmp_path / "seen").read_text()
    assert '"s3cret"' in (tmp_path / "arguments").read_text()
    assert not list((layout.home / "run").iterdir())


def test_a_password_that_begins_with_a_dash_is_no_option(layout: Layout, tmp_path: Path) -> None:
    java = pretend_java(tmp_path, f'cp "${{1#@}}" "{tmp_path}/arguments"')
    launch.set_initial_password(java, JARS, layout, "-s3cret")
    assert (tmp_path / "arguments").read_text().endswith('"set-initial-password"\n"--"\n"-s3cret"\n')


def test_a_refusal_is_told_without_the_password(layout: Layout, tmp_path: Path) -> None:
    java = pretend_java(tmp_path, "echo starting >&2; echo 'cannot use s3cret here' >&2; exit 1")
    with pytest.raises(ServerError, match="did not start: cannot use") as caught:
        launch.set_initial_password(java, JARS, layout, "s3cret")
    assert "s3cret" not in str(caught.value)
    assert not list((layout.home / "run").iterdir())


def test_a_refusal_without_words_tells_its_exit_code(layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="exit code 7"):
        launch.set_initial_password(pretend_java(tmp_path, "exit 7"), JARS, layout, "x")


def test_an_admin_tool_that_hangs_is_given_up(layout: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "_ADMIN_S", 0.1)
    with pytest.raises(ServerError, match="silent"):
        launch.set_initial_password(pretend_java(tmp_path, "exec sleep 600"), JARS, layout, "x")


def test_quotes_and_backslashes_survive_in_an_argument_file() -> None:
    assert launch.argument_file(['a"b\\c']) == '"a\\"b\\\\c"\n'
