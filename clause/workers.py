"""Work beside the event loop: bounded threads for CPU work, tasks of a Ray cluster, BLAS's threads, end of children."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock, Thread
from typing import Any, Generic, ParamSpec, Self, TypeVar, cast

from threadpoolctl import threadpool_limits

from clause.errors import SetupError

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


@dataclass(frozen=True, slots=True)
class Shared(Generic[T]):
    """Something large that many tasks use: sent to each machine once, and unpacked once by each process there."""

    reference: Any

    def value(self) -> T:
        """What is shared; in a task."""
        return cast("T", _unpacked(self.reference))


@lru_cache(maxsize=1)
def _unpacked(reference: Any) -> Any:
    import ray  # noqa: PLC0415 - the extra `ray`

    return ray.get(reference)


class RayPool(CpuPool):
    """The tasks of a Ray cluster, on any of its machines; a task whose process was killed is done again.

    Args:
        address: `auto` for the cluster that runs here, HOST:PORT or ray://HOST:PORT; it needs this version of clause.

    Raises:
        SetupError: the extra `ray` is not installed, or no cluster answers there.
    """

    def __init__(self, address: str) -> None:
        super().__init__(threads=1, name="clause-ray")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # says nothing to anybody
        try:
            import ray  # noqa: PLC0415 - the extra `ray`
        except ImportError as error:
            raise SetupError("Ray is not installed", remedy="pip install 'clause-memory[ray]'", field="ray") from error
        try:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, ValueError, RuntimeError) as error:
            said = str(error).splitlines()[0] if str(error) else "no answer"
            raise SetupError(
                f"no Ray cluster answers at {address}: {said}", remedy="`ray start --head` starts one here", field="ray"
            ) from error
        self._ray: Any = ray
        self._remote: Any = ray.remote(max_retries=3)(_done)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `work(*args, **kwargs)`, computed by a task; its exceptions pass through."""
        return cast("T", await asyncio.wrap_future(self._task(work, *args, **kwargs).future()))

    def map(self, work: Callable[..., T], shares: Sequence[tuple[Any, ...]]) -> list[T]:
        """The results of `work(*share)` of all shares, in their order."""
        return cast("list[T]", self._ray.get([self._task(work, *share) for share in shares]))

    def actors(self, kind: Callable[..., Any], count: int, *args: Any) -> list[Any]:
        """So many objects `kind(*args)`, at most one for each processor, in processes with this one's CLAUSE_ settings.

        `await one.method.remote(...)` calls a method; after a kill the object is made, and the method called, anew.
        """
        processors = sum(node["Resources"].get("CPU", 0) for node in self._ray.nodes() if node["Alive"])
        told = {"env_vars": {name: value for name, value in os.environ.items() if name.startswith("CLAUSE_")}}
        made = self._ray.remote(max_restarts=-1, max_task_retries=-1, num_cpus=1, runtime_env=told)(kind)
        return [made.remote(*args) for _ in range(max(1, min(count, int(processors))))]

    def share(self, value: T) -> Shared[T]:
        """A value for many tasks."""
        return Shared(self._ray.put(value))

    @classmethod
    @contextmanager
    def at(cls, address: str | None) -> Iterator[Self | None]:
        """The cluster at an address, while the block lasts; None where none is named. Raises: as the constructor.

        What Ray says meanwhile, of processes that were killed, goes to stderr: stdout is for results.
        """
        if address is None:
            yield None
            return
        with redirect_stdout(sys.stderr), closing(cls(address)) as pool:
            yield pool

    def close(self) -> None:
        """Leave the cluster; it runs on."""
        super().close()
        self._ray.shutdown()

    def _task(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return self._remote.remote(work, args, kwargs)


def _done(work: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
    return work(*args, **kwargs)


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
