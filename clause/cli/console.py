"""The terminal: results to stdout, progress and errors to stderr, and a progress bar for work that counts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from clause.errors import ClauseError

if TYPE_CHECKING:
    from clause.telemetry import Progress

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


@contextmanager
def loading_bar() -> Iterator[Progress]:
    """`with loading_bar() as progress:` gives a progress callback; each message has a bar of its own."""
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    rate = TextColumn("{task.fields[rate]}")
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), rate)
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, TimeRemainingColumn(), console=stderr()) as bars:

        def progress(message: str, done: int, total: int) -> None:
            if message not in tasks:
                tasks[message] = bars.add_task(message, total=total or None, rate="")
            task = bars.tasks[bars.task_ids.index(tasks[message])]
            rate = f"{task.speed:,.0f}/s" if task.speed else ""
            bars.update(tasks[message], completed=done, total=total or None, rate=rate)

        yield progress
