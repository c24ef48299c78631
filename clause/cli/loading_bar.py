"""A progress bar on stderr with rate and time left, for work that counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clause.graph.server.progress import Progress


@contextmanager
def loading_bar() -> Iterator[Progress]:
    """`with loading_bar() as progress:` gives a progress callback; each message has a bar of its own."""
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from clause.cli.console import stderr

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
