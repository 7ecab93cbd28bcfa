"""Recheck some rows, and the KL, at thirty digits (with flint's real balls)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln

from ..verify import BLOCS, Check, Fold, merged, prior_kl, row_losses

DIGITS = 30
_DROP = 80.0  # e^-80 = 2e-35: what the quadrature leaves out
_DEEP = 90.0  # below e^-90, a gamma distribution function equals a power to more digits than are needed
_AGREE = 1e-10  # largest difference allowed between double precision and thirty digits


def precise_checks(content: dict[str, Any], folds: Sequence[Fold], share: float, seed: int) -> Iterator[Check]:
    """Check the losses of a random share of the rows, and the KL, of a PAC-Bayes certificate with Dirichlet weights."""
    if content["posterior"] == BLOCS:
        content, folds = merged(content, folds)
    if content["posterior"] != "dirichlet" or content["risk"] not in ("exact", "mc", "half"):
        return
    flint = _flint()
    rng = np.random.default_rng(seed)
    count, worst = 0, 0.0
    with flint.ctx.workdps(DIGITS + 5):
        for parameters, fold in zip(content["posteriors"], folds, strict=True):
            rows = np.sort(rng.permutation(fold.n_rows)[: math.ceil(share * fold.n_rows)])
            chosen = _rows_of(fold, rows, errors_only=content["risk"] == "half")
            weights = np.array(parameters["alpha"])
            double, exact = row_losses(chosen, weights), _losses(chosen, weights, flint)
            worst = max(worst, *(float(abs(e - d).upper()) for e, d in zip(exact, double, strict=True)))
            count += len(rows)
        name = f"{count:,} rows at {DIGITS} digits (seed {seed}), largest difference"
        yield Check(name, f"at most {_AGREE:g}", f"{worst:.1e}", worst <= _AGREE)
        pairs = list(zip(content["posteriors"], content["priors"], strict=True))
        kl = float(sum(_kl(a["alpha"], b["alpha"], flint) for a, b in pairs))
        slack = sum(prior_kl("dirichlet", a, b)[1] for a, b in pairs)
        stated = content["figures"]["error"]["kl"]
        yield Check(f"KL at {DIGITS} digits", stated, kl, -1e-11 * max(1.0, kl) <= stated - kl <= slack)


def _rows_of(fold: Fold, rows: NDArray, errors_only: bool) -> Fold:
    known = fold.labels is not None and fold.targets is not None and not errors_only
    return replace(
        fold,
        bits=np.ascontiguousarray(fold.bits[:, rows]),
        rights=None if fold.rights is None else np.ascontiguousarray(fold.rights[:, rows]),
        counts=fold.counts[rows],
        classes=fold.classes if known else None,
        targets=fold.targets[rows] if known else None,  # type: ignore[index]
        labels=fold.labels[rows] if known else None,  # type: ignore[index]
    )


def _flint() -> Any:
    try:
        import flint
    except ImportError as error:
        raise ImportError("Thirty digits need python-flint: pip install 'stocmv[cli]'.") from error
    return flint


def _losses(votes: Fold, weights: NDArray, flint: Any) -> list[Any]:
    arb = flint.arb
    exact = [arb(float(w)) for w in weights]
    if votes.labels is None:
        errors = _unpacked(votes.bits, votes.n_voters)
        rights = ~errors if votes.rights is None else _unpacked(votes.rights, votes.n_voters)
        wrong, right = (
            [sum((exact[j] for j in np.flatnonzero(r)), arb(0)) for r in flags] for flags in (errors, rights)
        )
        return [_beaten(w, r, arb) if w > 0 and r > 0 else arb(int(r == 0)) for w, r in zip(wrong, right, strict=True)]
    losses = []
    for labels, target in zip(votes.labels, votes.targets, strict=True):  # type: ignore[arg-type]
        sums = [arb(0)] * len(votes.classes)  # type: ignore[arg-type]
        for j, label in enumerate(labels):
            if label < len(sums):
                sums[label] += exact[j]
        own, rivals = sums[target], [r for k, r in enumerate(sums) if k != target and r > 0]
        losses.append(arb(1) if own == 0 else 1 - _wins(own, rivals, arb) if rivals else arb(0))
    return losses


def _unpacked(plane: NDArray, n_voters: int) -> NDArray:
    return np.unpackbits(plane.T.copy(), axis=1, count=n_voters, bitorder="little").astype(bool)


def _beaten(wrong: Any, right: Any, arb: Any) -> Any:
    """``P(Beta(wrong, right) > 1/2)``, from the side that flint can compute."""
    value = arb(0.5).beta_lower(right, wrong, regularized=1)
    return value if value.is_finite() else 1 - arb(0.5).beta_lower(wrong, right, regularized=1)


def _wins(own: Any, rivals: list[Any], arb: Any) -> Any:
    """Probability that the gamma variable ``own`` exceeds all rivals, by the refined trapezoidal rule in ``log t``.

    The integrand is analytic and decays on both sides, so each halving of the step doubles the digits. If it extends
    below the first node, it is a power of ``t`` there, which sums to a geometric series.
    """
    if len(rivals) == 1:
        return _beaten(own, rivals[0], arb)
    lower, upper = _reach(float(own), [float(r) for r in rivals])
    front, shapes = -own.lgamma(), sum(rivals, own)

    def integrand(u: Any) -> Any:
        t = u.exp()
        value = (own * u - t + front).exp()
        for rival in rivals:
            value *= _below(rival, t, arb)
        return value

    n = 64
    total = sum((integrand(arb(lower) + (upper - lower) * arb(i) / n) for i in range(n + 1)), arb(0))
    first, reach = integrand(arb(lower)), upper - lower

    def rule(n: int) -> Any:
        return (total + first / (shapes * reach / n).expm1()) * reach / n

    value = rule(n)
    while True:
        total += sum((integrand(arb(lower) + (upper - lower) * arb(2 * i + 1) / (2 * n)) for i in range(n)), arb(0))
        n *= 2
        previous, value = value, rule(n)
        if abs(float(value - previous)) < 1e-16 or n > 1 << 14:  # the error of the finer one is its square
            return value


def _below(shape: Any, t: Any, arb: Any) -> Any:
    """``P(shape, t)``, without computing it if a Chernoff bound puts it within 1e-34 of 0 or 1."""
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
        while top - log_integrand(u) < _DROP and -_DEEP < u < 650:
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
