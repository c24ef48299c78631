"""Every `clause` command that a page prints is one that the command line takes, argument by argument."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from clause.cli.demo import _next
from clause.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "plugin" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(clause [^`\n]+ (?:--|\")[^`\n]*)`")  # a command with its options; a name alone is a name
SIGN = re.compile(r"[\[\]|<>]|\.\.\.")
"""Signs of a pattern of commands rather than one to type."""


def commands() -> Iterator[Any]:
    """Each command that a page prints, to be typed as it stands; `NAME=VALUE` before it is the shell's."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = [block.replace("\\\n", " ") for block in FENCED.findall(text)]
        lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
        typed = [re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line) for line in lines]
        for line in dict.fromkeys([*typed, *INLINE.findall(FENCED.sub("", text))]):
            if line.startswith("clause ") and not SIGN.search(line.replace("HOP=FILE", "").split("  #")[0]):
                yield pytest.param(line, id=f"{page.relative_to(ROOT)}: {line[:60]}")


def parse(line: str) -> None:
    """Resolve the command and read its arguments; nothing is run."""
    words = shlex.split(line, comments=True)[1:]
    command: Any = typer.main.get_command(app)
    context = command.make_context("clause", list(words))
    while hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("line", [*commands()])
def test_a_printed_command_can_be_typed_as_it_stands(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for word in shlex.split(line, comments=True):
        if re.fullmatch(r"[\w-]+(?:\.\w+)+", word):  # a file that the page speaks of
            (tmp_path / word).touch()
    parse(line)


@pytest.mark.parametrize("line", [command for command, _ in _next() if command.startswith("clause ")])
def test_the_demo_prints_commands_that_can_be_typed(line: str) -> None:
    parse(line)


@pytest.mark.parametrize(
    "line", ["clause polcy list", "clause policy promote NAME", "clause ask", "clause ask x --frobnicate"]
)
def test_a_command_that_there_is_none_is_noticed(line: str) -> None:
    with pytest.raises(Exception, match=r"."):
        parse(line)
