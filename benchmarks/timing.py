"""Compare the times of calls on a shared machine."""

import time
from collections.abc import Callable
from statistics import median

_PAUSE = 0.15  # seconds


def seconds_each(
    *calls: Callable[[], object], budget: float = 4.0, rounds: int = 5, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Median seconds of each call.

    The calls take turns, so that a slow moment of the machine meets all of them. Each turn begins with a pause, because
    OpenBLAS keeps a core busy for about 0.11 s after a product, and with a call that does not count, because the one
    before may have emptied the caches. There are at least ``rounds`` and as many as ``budget`` seconds hold.
    On a busy machine, ``time.process_time`` is a better clock for calls that use one thread.
    """
    taken: list[list[float]] = [[] for _ in calls]
    began = time.perf_counter()
    while len(taken[0]) < rounds or time.perf_counter() - began < budget:
        for call, times in zip(calls, taken, strict=True):
            time.sleep(_PAUSE)
            call()
            start = clock()
            call()
            times.append(clock() - start)
    return [median(times) for times in taken]
