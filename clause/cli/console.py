"""Where words go: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from clause.errors import ClauseError

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]


def stdout() -> Console:
    """The console of results (made at each call, so that a redirected stream is seen)."""
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def stderr() -> Console:
    """The console of progress, notes and errors."""
    return Console(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON object of a command, on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, default=str) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """A line of progress on stderr, as it is (no markup)."""
    stderr().print(text, markup=False)


def print_error(error: ClauseError, *, as_json: bool = False) -> None:
    """One clear line on stderr: what happened and what to do; with `as_json` the error object on stdout too."""
    line = " ".join(str(error).split())
    stderr().print(f"error: {line}", markup=False)
    if as_json:
        members = {"code": error.code, "message": error.message, "remedy": error.remedy}
        places = {"field": error.field, "bound": error.bound}
        print_json({"error": {name: value for name, value in {**members, **places}.items() if value is not None}})
