"""Work beside the event loop: a bounded thread pool for CPU work, made on first use, BLAS's own threads, and the end of
child processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Lock, Thread
from typing import ParamSpec, TypeVar, cast

from threadpoolctl import threadpool_limits

P = ParamSpec("P")
T = TypeVar("T")


class CpuPool:
    """At most `threads` pieces of CPU work at a time; further ones wait their turn.

    >>> pool = CpuPool(threads=1)
    >>> asyncio.run(pool.run(sum, [1, 2]))
    3
    >>> pool.close()
    """

    def __init__(self, threads: int = 2, name: str = "clause-cpu") -> None:
        """Remember the bound; threads start with the first piece of work."""
        self.threads = threads
        self._name = name
        self._lock = Lock()
        self._executor: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `work(*args, **kwargs)`, computed in the pool; its exceptions pass through."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._started(), lambda: work(*args, **kwargs))

    def start(self, work: Callable[[], None]) -> None:
        """Have `work()` done in the pool. Nobody hears of its exceptions: it must have none."""
        self._started().submit(work)

    def close(self) -> None:
        """Wait for the work under way and end the threads; the pool starts again when used again."""
        with self._lock:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)

    def _started(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.threads, thread_name_prefix=self._name)
            return self._executor


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep numpy's products in the thread that asks for them, while the block lasts.

    A second thread of BLAS waits in a loop for the next product: it took half of the processor's time of an answer.

    >>> import numpy, threadpoolctl
    >>> with one_blas_thread():
    ...     {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"} <= {1}
    True
    """
    return cast("AbstractContextManager[object]", threadpool_limits(1, user_api="blas"))


def end_with_parent(end: Callable[[], object] = lambda: os._exit(1)) -> None:
    """See to it that this process ends (by `end`) with the one that made it, even where that one is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_after, args=(parent.join, end), daemon=True).start()


def _end_after(ended: Callable[[], object], end: Callable[[], object]) -> None:
    ended()
    end()
