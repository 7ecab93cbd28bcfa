"""What judging in stages costs: the exact worst case when each stage's error may depend on the stages before.

    python -m benchmarks.adaptive_stages

The n judging examples come in K stages of m = n / K. Before each stage an adversary who has seen all errors so far
picks the true error p_j of the vote that the stage judges; the stage then counts B_j ~ Bin(m, p_j) errors. What is
wanted is a bound on the mean true error of the form

    (p_1 + ... + p_K) / K  <=  a (B_1 + ... + B_K) / n + t   with probability at least 1 - delta, whatever he does.

His best chance follows by dynamic programming from the last stage to the first, since nothing matters of the past but
D = sum of (p_j - a B_j / m) / K: the value is V_K(D) = 1 if D > t and else 0, and V_j(D) = max over p of the mean of
V_{j+1}(D + (p - a B / m) / K). On a lattice of errors p that D never leaves this is computed exactly: that adversary
may pick fewer errors, so his chance is a lower bound. Between two points l < r of the lattice the value is at most that
of drawing B with l and moving D by r, because V increases: an upper bound. The least t with V_0(0) <= delta lies
between the two that follow. The slope a is one that makes a e + t small, for an error e that is expected. What is
printed is the slack a e + t - e as a multiple of the slack of Clopper and Pearson's bound for n examples of which a
share e are errors.

The last column compares at equal training. If the vote of each stage learns from all rows before it, K stages that
judge N rows train on N (K - 1) / (2 K) of them on average. A hold-out whose vote learns from as many rows as that has
N (K + 1) / (2 K) left to judge, and its slack is larger than that of N rows by the root of 2 K / (K + 1).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import minimize_scalar
from scipy.stats import binom

from stocmv.bounds import clopper_pearson

DELTA = 0.05
STAGES = (1, 2, 3, 5, 8)


class Case(NamedTuple):
    """A number of judging examples, and the expected share of errors."""

    n: int
    error: float

    @property
    def exact(self) -> float:
        """The slack of Clopper and Pearson's bound."""
        return clopper_pearson(round(self.n * self.error), self.n, DELTA) - self.error

    def slack(self, slope: float, n_stages: int, spacing: float, *, above: bool) -> float:
        """What the bound adds to the measured error; a bound on it from above or below.

        ``spacing`` is about the distance between the errors p that the adversary may pick.
        """
        m = self.n // n_stages
        fine = math.ceil(slope / m / spacing)  # steps that D moves by when one more error is counted
        step = slope / (self.n * fine)
        apart = step * n_stages  # distance between the points p
        picks = self._picks(apart, math.ceil(1 / apart) if above else math.floor(1 / apart))
        drawn = np.append(0, picks[:-1]) if above else picks
        chances = binom.pmf(np.arange(m + 1), m, np.minimum(drawn[:, None] * apart, 1.0))
        reach = int(8 * self.exact / step)  # value[i] belongs to D - t = (i - reach) step
        value, place = np.zeros(reach + 1), fine * m + np.arange(reach + 1)
        size = next_fast_len(fine * m + reach + 1, real=True)
        spread = np.zeros(fine * m + 1)
        for _ in range(n_stages):
            low = np.full(fine * m, value[0] if above else 0.0)
            padded = np.concatenate([low, value, np.ones(picks[-1])])
            value = np.zeros(reach + 1)
            for pick, chance in zip(picks, chances, strict=True):
                spread[::fine] = chance
                window = rfft(padded[pick : pick + fine * m + reach + 1], size)
                value = np.maximum(value, irfft(window * rfft(spread, size), size)[place])
            value = np.minimum(value, 1.0)
        offset = float(reach - np.flatnonzero(value <= DELTA)[-1]) * step
        return (slope - 1) * self.error + offset

    def _picks(self, apart: float, last: int) -> NDArray:
        """Numbers of the points that are used: all up to six times the error, fewer beyond."""
        dense = np.arange(min(int(6 * self.error / apart), last) + 1)
        return np.unique(np.concatenate([dense, np.linspace(dense[-1], last, 800).astype(int)]))

    def best_slope(self, n_stages: int) -> float:
        def found(slope: float) -> float:
            return self.slack(slope, n_stages, self.exact / 20, above=False)

        return float(minimize_scalar(found, bounds=(1.02, 1.4), method="bounded", options={"xatol": 5e-3}).x)


def main() -> None:
    for case in (Case(600, 0.1), Case(2400, 0.02)):
        print(f"{case.n} judging examples, {case.error:.0%} errors: Clopper and Pearson's slack is {case.exact:.5f}")
        print("stages   slack / Clopper and Pearson's   at equal training")
        for k in STAGES:
            slope = case.best_slope(k)
            ends = [case.slack(slope, k, case.exact / 100, above=above) / case.exact for above in (False, True)]
            fair = np.sqrt((k + 1) / (2 * k))
            print(
                f"{k:6}   {ends[0]:.3f} to {ends[1]:.3f}   {ends[0] * fair:20.3f} to {ends[1] * fair:.3f}", flush=True
            )


if __name__ == "__main__":
    main()
