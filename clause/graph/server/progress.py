"""How long work tells its caller how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with a sentence, the units done and the units in all (both 0 when there is nothing to count)."""

    def __call__(self, message: str, done: int, total: int) -> None:
        """Tell that `done` of `total` units of `message` are done."""
        ...


def silent(message: str, done: int, total: int) -> None:
    """The progress that tells nobody."""
