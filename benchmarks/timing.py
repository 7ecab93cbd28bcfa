"""Compare the times of calls on a shared machine."""

import time
from collections.abc import Callable
from statistics import median


def seconds_each(*calls: Callable[[], object], budget: float = 4.0, rounds: int = 5) -> list[float]:
    """Median seconds of each call.

    The calls take turns, so that a slow moment of the machine meets all of them; after one round that is not counted,
    there are at least ``rounds`` and as many as ``budget`` seconds hold.
    """
    for call in calls:
        call()
    taken: list[list[float]] = [[] for _ in calls]
    began = time.perf_counter()
    while len(taken[0]) < rounds or time.perf_counter() - began < budget:
        for call, times in zip(calls, taken, strict=True):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return [median(times) for times in taken]
