"""A process of its own for clustering: HDBSCAN and UMAP hold Python's lock, and would stop the event loop."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait
from threading import Lock, Thread
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
                self._executor = ProcessPoolExecutor(1, mp_context=context, initializer=_settle)
            return self._executor.submit(work)


def _settle() -> None:
    """In the child: let the process that serves go first, and end with it even where that one is killed."""
    if hasattr(os, "nice"):
        os.nice(5)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
