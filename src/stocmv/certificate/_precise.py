"""Some rows, and the divergence, judged again at thirty digits (with flint's real balls)."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln

from ..votes import VoteMatrix
from ._certificate import Certificate

if TYPE_CHECKING:
    from ._verify import Check

DIGITS = 30
_DROP = 80.0  # e^-80 = 2e-35: what the quadrature leaves out
_AGREE = 1e-10  # how far the double precision of all rows may be from the thirty digits of some


def precise_checks(c: Certificate, votes: Sequence[VoteMatrix], share: float, seed: int) -> "Iterator[Check]":
    """The losses of a random share of the rows, and the divergence of Dirichlet posteriors."""
    from ._verify import Check, row_losses

    flint = _flint()
    rng = np.random.default_rng(seed)
    count, worst = 0, 0.0
    with flint.ctx.workdps(DIGITS + 5):
        for parameters, v in zip(c.posteriors, votes, strict=True):
            rows = np.sort(rng.permutation(v.n_rows)[: math.ceil(share * v.n_rows)])
            chosen = v.take(rows).errors_only() if c.risk == "half" else v.take(rows)
            weights = np.array(parameters["alpha"])
            double = row_losses(chosen, weights)
            exact = _losses(chosen, weights, flint)
            worst = max(worst, *(float(abs(e - d).upper()) for e, d in zip(exact, double, strict=True)))
            count += len(rows)
        name = f"{count:,} rows at {DIGITS} digits (seed {seed}), largest difference"
        yield Check(name, f"at most {_AGREE:g}", f"{worst:.1e}", worst <= _AGREE)
        kl = float(sum(_kl(a["alpha"], b["alpha"], flint) for a, b in zip(c.posteriors, c.priors, strict=True)))
        yield Check(
            f"divergence at {DIGITS} digits", c.kl, kl, -1e-11 * max(1.0, kl) <= c.kl - kl <= 1e-6 * max(1.0, kl)
        )


def can_be_precise(c: Certificate) -> bool:
    """Whether the rows' losses are the probability that a vote with Dirichlet weights errs."""
    return c.posterior == "dirichlet" and c.risk in ("exact", "mc", "half")


def _flint() -> Any:
    try:
        import flint
    except ImportError as error:
        raise ImportError("Thirty digits need python-flint: pip install 'stocmv[cli]'.") from error
    return flint


def _losses(votes: VoteMatrix, weights: NDArray, flint: Any) -> list[Any]:
    arb = flint.arb
    exact = [arb(float(w)) for w in weights]
    if votes.labels is None:
        errors = np.unpackbits(votes.bits.T.copy(), axis=1, bitorder="little")[:, : votes.n_voters].astype(bool)
        total = sum(exact, arb(0))
        wrongs = (sum((exact[j] for j in np.flatnonzero(row)), arb(0)) for row in errors)
        sides = [(w, total - w, row.all()) for w, row in zip(wrongs, errors, strict=True)]
        return [arb(int(surely)) if surely or w == 0 else _beaten(w, right, arb) for w, right, surely in sides]
    losses = []
    for labels, target in zip(votes.labels, votes.targets, strict=True):  # type: ignore[arg-type]
        sums = [arb(0)] * len(votes.classes)  # type: ignore[arg-type]
        for j, label in enumerate(labels):
            sums[label] += exact[j]
        own, rivals = sums[target], [r for k, r in enumerate(sums) if k != target and r > 0]
        losses.append(arb(1) if own == 0 else 1 - _wins(own, rivals, arb) if rivals else arb(0))
    return losses


def _beaten(wrong: Any, right: Any, arb: Any) -> Any:
    """``P(Beta(wrong, right) > 1/2)``, from the side that flint can compute."""
    value = arb(0.5).beta_lower(right, wrong, regularized=1)
    return value if value.is_finite() else 1 - arb(0.5).beta_lower(wrong, right, regularized=1)


def _wins(own: Any, rivals: list[Any], arb: Any) -> Any:
    """Probability that the gamma variable ``own`` is above all rivals: the trapezoidal rule in ``log t``, refined.

    The integrand is analytic and falls off on both sides, so that each halving of the step doubles the digits.
    """
    if len(rivals) == 1:
        return _beaten(own, rivals[0], arb)
    lower, upper = _reach(float(own), [float(r) for r in rivals])
    front = -own.lgamma()

    def integrand(u: Any) -> Any:
        t = u.exp()
        value = (own * u - t + front).exp()
        for rival in rivals:
            value *= _below(rival, t, arb)
        return value

    n = 64
    total = sum((integrand(arb(lower) + (upper - lower) * arb(i) / n) for i in range(n + 1)), arb(0))
    value = total * (upper - lower) / n
    while True:
        total += sum((integrand(arb(lower) + (upper - lower) * arb(2 * i + 1) / (2 * n)) for i in range(n)), arb(0))
        n *= 2
        previous, value = value, total * (upper - lower) / n
        if abs(float(value - previous)) < 1e-16 or n > 1 << 14:  # the error of the finer one is its square
            return value


def _below(shape: Any, t: Any, arb: Any) -> Any:
    """``P(shape, t)``, with nothing computed where a Chernoff bound puts it within 1e-34 of 0 or 1."""
    ratio = float(t) / float(shape)
    if float(shape) * (ratio - 1 - math.log(ratio)) > _DROP:
        return arb(int(ratio > 1))
    term, total, n, last = arb(1), arb(1), 0, arb(10) ** -(DIGITS + 5)  # t^n / (shape + 1)_n: nothing cancels
    while term > last * total:
        for _ in range(8):
            n += 1
            term *= t / (shape + n)
            total += term
    return (shape * t.log() - t - (shape + 1).lgamma()).exp() * total


def _reach(own: float, rivals: list[float]) -> tuple[float, float]:
    """Where the integrand is not negligible, in ``log t``."""

    def log_integrand(u: float) -> float:
        below = [float(gammainc(r, math.exp(u))) for r in rivals]
        tails = [
            math.log(b) if b > 1e-290 else r * u - float(gammaln(r + 1)) for b, r in zip(below, rivals, strict=True)
        ]
        return own * u - math.exp(u) - float(gammaln(own)) + sum(min(t, 0.0) for t in tails)

    grid = np.linspace(-40, 40, 161) / math.sqrt(1 + own) + math.log(own)
    peak = max(grid, key=log_integrand)
    top = log_integrand(peak)
    ends = []
    for sign in (-1.0, 1.0):
        step = 1 / math.sqrt(1 + own)
        u = peak
        while top - log_integrand(u) < _DROP and abs(u) < 650:
            u += sign * step
            step *= 1.1
        ends.append(u)
    return ends[0], ends[1]


def _kl(posterior: list[float], prior: list[float], flint: Any) -> Any:
    arb = flint.arb
    a, b = [arb(x) for x in posterior], [arb(x) for x in prior]
    total = sum(a, arb(0))
    value = total.lgamma() - sum(b, arb(0)).lgamma()
    for x, y in zip(a, b, strict=True):
        value += y.lgamma() - x.lgamma() + (x - y) * (x.digamma() - total.digamma())
    return value
