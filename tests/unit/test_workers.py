"""The bounded pool for CPU work."""

from __future__ import annotations

import asyncio
import threading

import pytest

from clause.workers import CpuPool


async def test_work_runs_off_the_event_loops_thread():
    pool = CpuPool(1, name="apart")
    assert (await pool.run(threading.current_thread)).name.startswith("apart")
    pool.close()


async def test_never_more_work_at_a_time_than_threads():
    pool, lock, under_way, most = CpuPool(2), threading.Lock(), 0, 0
    both = threading.Barrier(2, timeout=20)

    def work():
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        both.wait()
        with lock:
            under_way -= 1

    await asyncio.gather(*(pool.run(work) for _ in range(6)))
    pool.close()
    assert most == 2


async def test_an_exception_of_the_work_reaches_the_caller():
    pool = CpuPool(1)
    with pytest.raises(ZeroDivisionError):
        await pool.run(lambda: 1 / 0)
    pool.close()


async def test_a_closed_pool_starts_again_and_closing_twice_is_nothing():
    pool = CpuPool(1)
    pool.close()
    assert await pool.run(max, 1, 2) == 2
    pool.close()
    pool.close()
    assert await pool.run(max, 3, 2) == 3
    pool.close()
