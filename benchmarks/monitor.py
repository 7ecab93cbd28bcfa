"""How soon a monitor notices that the error has risen, and how often it is wrong.

python -m benchmarks.monitor [RUNS]
"""

import sys
import time
from functools import partial

import numpy as np

from stocmv import Monitor

BOUNDS = (0.01, 0.05, 0.2)
DELTA, DRIFT, QUIET = 0.05, 5_000, 10_000
RISES = (1.5, 2.0, 3.0)
_ENOUGH = 1_200  # errors at the bound: by then even a rise by half has been noticed nearly always


def main(runs: int) -> None:
    began = time.perf_counter()
    print(f"delta = {DELTA:g}, {runs} runs each; cases until the alarm: median (nine of ten)\n")
    print(f"false alarms within {QUIET:,} cases at the boundary")
    for bound in BOUNDS:
        print(f"  bound {bound:4.0%}: {false_alarms(bound, runs):.2%}")
    for begins, before in ((0, 1.0), (DRIFT, 1.0), (DRIFT, 0.7)):
        print("\nfrom the start" if not begins else f"\nafter {begins:,} cases at {before:g} times the bound")
        for bound in BOUNDS:
            cells = [waiting(bound, rise, begins, before, runs) for rise in RISES]
            named = (f"{rise:g} times {cell}" for rise, cell in zip(RISES, cells, strict=True))
            print(f"  bound {bound:4.0%}: {'; '.join(named)}")
    print(f"\n({time.perf_counter() - began:.0f} s)")


def false_alarms(bound: float, runs: int) -> float:
    rng = np.random.default_rng(0)
    return float(np.mean([Monitor(bound, DELTA).update_losses(rng.random(QUIET) < bound).alarm for _ in range(runs)]))


def waiting(bound: float, rise: float, begins: int, before: float, runs: int) -> str:
    """Median and ninth decile of the cases until the alarm, counted from the rise; earlier alarms are left out."""
    n = begins + round(_ENOUGH / bound)
    rates = np.where(np.arange(n) < begins, before * bound, rise * bound)
    draw = partial(np.random.default_rng(1).random, n)
    came = [Monitor(bound, DELTA).update_losses(draw() < rates).alarm_at for _ in range(runs)]
    waited = np.array([np.inf if at is None else at - begins for at in came])
    middle, most = np.quantile(waited[waited > 0], [0.5, 0.9], method="higher")
    return f"{middle:,.0f} ({most:,.0f})"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
