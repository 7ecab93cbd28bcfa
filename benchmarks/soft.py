"""Soft votes, two classes: the exact risk with its gradient, beside scipy's quad for each row and beside hard votes."""

import time

import numpy as np
from scipy.integrate import quad

from stocmv import VoteMatrix
from stocmv.risks import Exact
from stocmv.special import negative_sum, negative_sum_pass

from .made_votes import a_posterior
from .targets import Target
from .timing import seconds_each

SIZES = ((10_000, 7), (10_000, 100))
_LOOPED = 50  # rows that quad is timed on


def run() -> list[Target]:
    print(f"{'nanoseconds per row and voter':>42}{'times faster than quad':>33}{'quad off by':>14}")
    print(f"{'n':>8}{'M':>5}{'training':>13}{'certifying':>13}{'quad':>12}{'hard votes':>13}", end="")
    print(f"{'training':>12}{'certifying':>12}")
    faster = []
    for n, n_voters in SIZES:
        margins, alpha = made_margins(n, n_voters), a_posterior(n_voters).alpha
        hard = VoteMatrix.from_errors(margins < 0)
        posterior = a_posterior(n_voters)
        some = margins[:_LOOPED]
        times = seconds_each(
            lambda margins=margins, alpha=alpha: negative_sum_pass(margins, alpha),
            lambda margins=margins, alpha=alpha: negative_sum(margins, alpha),
            lambda some=some, alpha=alpha: by_quad(some, alpha),
            lambda hard=hard, posterior=posterior: Exact().moments(posterior, hard),
            rounds=3,
            clock=time.process_time,
        )
        rows = np.array([n, n, _LOOPED, n])
        training, certifying, looped, bits = 1e9 * np.array(times) / rows / n_voters
        off = np.abs(by_quad(some, alpha) - negative_sum(some, alpha)[0]).max()
        faster.append(looped / training)
        print(f"{n:>8,}{n_voters:>5}{training:>13.1f}{certifying:>13.1f}{looped:>12,.0f}{bits:>13.2f}", end="")
        print(f"{looped / training:>12.0f}{looped / certifying:>12.0f}{off:>14.1e}")
    print("Quad computes the values only: a gradient would take as many integrals again as there are voters.")
    return [Target("soft votes, M = 100: times faster than quad without a gradient", faster[1], ">=", 20)]


def made_margins(n: int, n_voters: int, seed: int = 0) -> np.ndarray:
    """Margins of voters whose probabilities share the difficulty of the example."""
    rng = np.random.default_rng(seed)
    return np.tanh(rng.normal(0.4, 0.8, (n, n_voters)) + rng.normal(0.0, 0.6, (n, 1)))


def by_quad(margins: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Gil-Pelaez's formula for each row, as one would write it down."""

    def value(m: np.ndarray) -> float:
        scale = 3 / np.sqrt(alpha @ m**2)

        def integrand(u: float) -> float:
            t = m * (scale * u / (1 - u))
            return np.sin(alpha @ np.arctan(t)) * np.exp(-0.5 * (alpha @ np.log1p(t * t))) / (u * (1 - u))

        return 0.5 - quad(integrand, 0, 1, epsabs=1e-10, limit=200)[0] / np.pi

    return np.array([value(m) for m in margins])
