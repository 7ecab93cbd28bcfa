"""Two classes: one exact risk with its gradient, beside a loop over the rows with the package betaincder.

`make bench` installs betaincder (`benchmarks/install_betaincder.py`); without it the loop is over scipy's betainc and
its differences.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import betainc as scipy_betainc

from stocmv import VoteMatrix
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact

from .made_votes import a_posterior, error_blocks
from .targets import Target
from .timing import seconds_each

try:
    from betaincder import betainc, betaincderp, betaincderq
except ImportError:
    betainc = None

SIZES, M = (5_000, 50_000), 200
_STEP = 1e-4


def run() -> list[Target]:
    loop, of = (with_betaincder, "betaincder") if betainc else (with_scipy, "scipy's differences")
    if not betainc:
        print(
            "betaincder IS NOT INSTALLED (python benchmarks/install_betaincder.py says why): the rows are looped over"
        )
        print("with scipy's betainc and central differences instead, so the figures are not those of the target.")
    errors = np.concatenate(list(error_blocks(max(SIZES), M)))
    posterior = a_posterior(M)
    print(
        f"{'n':>9}{'M':>6}{'stocmv, ms':>13}{f'loop over {of}, ms':>36}{'times faster':>15}{'largest difference':>21}"
    )
    faster = []
    for n in SIZES:
        packed, dense = VoteMatrix.from_errors(errors[:n]), errors[:n].astype(float)
        ours, theirs = seconds_each(
            lambda packed=packed: Exact().moments(posterior, packed),
            lambda dense=dense: risk_and_gradient(dense, posterior, loop),
        )
        faster.append(theirs / ours)
        print(f"{n:>9,}{M:>6}{1e3 * ours:>13.2f}{1e3 * theirs:>36.1f}{faster[-1]:>15.1f}", end="")
        print(f"{difference(packed, dense, posterior, loop):>21.1e}")
    what = f"two classes, n = 5,000: times faster than a loop over {of}"
    return [Target(what, faster[0], ">=", 1000)]


def risk_and_gradient(errors: np.ndarray, posterior: Dirichlet, loop: Callable) -> tuple[float, np.ndarray]:
    """The mean of I_1/2(s - w, w) and its gradient by the logarithms of the concentrations."""
    wrong = errors @ posterior.alpha
    value, d_right, d_wrong = loop((posterior.total - wrong).tolist(), wrong.tolist())
    gradient = (d_wrong - d_right) @ errors + d_right.sum()
    return value.mean(), posterior.alpha * gradient / len(errors)


def with_betaincder(right: list[float], wrong: list[float]) -> np.ndarray:
    rows = [
        (betainc(0.5, p, q), betaincderp(0.5, p, q), betaincderq(0.5, p, q)) if p > 0 and q > 0 else (q > 0, 0, 0)
        for p, q in zip(right, wrong, strict=True)
    ]
    return np.array(rows, float).T


def with_scipy(right: list[float], wrong: list[float]) -> np.ndarray:
    f, h = scipy_betainc, _STEP
    rows = [
        (
            f(p, q, 0.5),
            (f(p + h, q, 0.5) - f(p - h, q, 0.5)) / (2 * h),
            (f(p, q + h, 0.5) - f(p, q - h, 0.5)) / (2 * h),
        )
        if p > h and q > h
        else (q > h, 0, 0)
        for p, q in zip(right, wrong, strict=True)
    ]
    return np.array(rows, float).T


def difference(packed: VoteMatrix, dense: np.ndarray, posterior: Dirichlet, loop: Callable) -> float:
    """Largest difference of the two risks and gradients, to check that both did the same work."""
    value, gradient = Exact().moments(posterior, packed)
    their_value, their_gradient = risk_and_gradient(dense, posterior, loop)
    return float(max(abs(value[0] - their_value), np.abs(gradient[0] - their_gradient).max()))
