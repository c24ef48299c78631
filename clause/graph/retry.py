"""The one retry policy of the graph: a first try, then three more after 100, 200 and 400 milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from clause.errors import ClauseError

Row = TypeVar("Row")
Sleep = Callable[[float], Awaitable[None]]

WAITS_S = (0.1, 0.2, 0.4)
"""Waits between tries, in seconds."""


class AttemptError(Exception):
    """What went wrong with one try: the error to raise in the end, and whether trying again may help.

    `retry` is true for a server that is away or a transaction that lost a race; `unknown` when the connection broke
    while committing, so that the work may have been done.
    """

    def __init__(self, error: ClauseError, *, retry: bool = False, unknown: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry = retry
        self.unknown = unknown


async def insist(
    attempt: Callable[[], Awaitable[Row]],
    *,
    idempotent: bool = True,
    waits_s: tuple[float, ...] = WAITS_S,
    sleep: Sleep = asyncio.sleep,
) -> Row:
    """The result of `attempt`, tried again after each wait while its faults say that this may help.

    A fault with an unknown outcome is only tried again when the work is idempotent. The last fault's error is raised
    from the driver's own.
    """
    for wait_s in (*waits_s, None):
        try:
            return await attempt()
        except AttemptError as fault:
            if wait_s is None or not fault.retry or (fault.unknown and not idempotent):
                raise fault.error from fault.__cause__
        await sleep(wait_s)
    raise AssertionError("unreachable: the last try returns or raises")  # pragma: no cover
