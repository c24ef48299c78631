"""A process of its own for clustering: HDBSCAN and UMAP hold Python's lock, and would stop the event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from threading import Lock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Worker:
    """One child process, started with the first piece of work and kept for the next; it ends with `close`.

    The child imports what the work needs by itself: it is spawned, not forked, since this process has threads.
    """

    def __init__(self) -> None:
        """Nothing is started yet."""
        self._lock = Lock()
        self._executor: ProcessPoolExecutor | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `work(*args, **kwargs)`, computed in the child; work and arguments are pickled.

        A child that was killed is replaced, and the work done once more.
        """
        for last in (False, True):
            try:
                return await asyncio.wrap_future(await asyncio.to_thread(self._submit, partial(work, *args, **kwargs)))
            except BrokenProcessPool:
                await asyncio.to_thread(self.close)
                if last:
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End the child; it starts again when used again."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _submit(self, work: Callable[[], T]) -> Future[T]:
        """Starts the child where there is none, which takes some milliseconds."""
        with self._lock:
            if self._executor is None:
                context = multiprocessing.get_context("spawn")
                self._executor = ProcessPoolExecutor(1, mp_context=context, initializer=_step_back)
            return self._executor.submit(work)


def _step_back() -> None:
    """Let the process that serves go first where both want the processor."""
    if hasattr(os, "nice"):
        os.nice(10)
