"""An independent check: votes unpacked with numpy, rows judged with scipy, the bound solved by bisection.

Nothing of the packed kernels, the interpolated curves, the posteriors, the risks or the bounds is used here.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from ..bounds import BOUNDS, CatoniPerFold, ClopperPearson
from ..posteriors import POSTERIORS
from ..risks import RISKS
from ..votes import VoteMatrix, Votes
from ._certificate import Certificate
from ._fixed_vote import MARGINS
from ._partition import LISTED, LISTED_CLASSES
from ._precise import can_be_precise, precise_checks
from ._words import certified, deterministic_rule, theorem, unproven

_BOUNDS: dict[str, Any] = {**BOUNDS, CatoniPerFold.name: CatoniPerFold, ClopperPearson.name: ClopperPearson}
_BLOCK = 1 << 13
_ABOVE = 1e-6  # how far above the value found here a figure may have been rounded


class Check(NamedTuple):
    """One figure of a certificate, as it stands there and as it was found."""

    what: str
    claimed: object
    found: object
    holds: bool

    def __str__(self) -> str:
        return f"{'ok ' if self.holds else 'NO '} {self.what}: {self.claimed} (found {self.found})"


@dataclass(frozen=True)
class Verification:
    """All checks; true when every one holds."""

    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        return all(check.holds for check in self.checks)

    @property
    def differences(self) -> list[Check]:
        """The checks that failed."""
        return [check for check in self.checks if not check.holds]

    def __str__(self) -> str:
        verdict = "The certificate holds." if self else "The certificate does NOT hold."
        return "\n".join([*map(str, self.checks), verdict])


def verify(certificate: Certificate, votes: Sequence[Votes], precise: float = 0.0, seed: int = 0) -> Verification:
    """Check every figure of a certificate against the votes, and a share of the rows at thirty digits."""
    checks: list[Check] = []
    whole = [v.whole() for v in votes]
    try:
        for check in itertools.chain(
            _digest_checks(certificate, votes),
            _checks(certificate, whole),
            precise_checks(certificate, whole, precise, seed) if precise > 0 and can_be_precise(certificate) else (),
        ):
            checks.append(check)
            if not check.holds and check.what in _FIRST:
                break
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        checks.append(Check("form", "a certificate", f"{type(error).__name__}: {error}", False))
    return Verification(tuple(checks))


_FIRST = ("votes", "examples", "parts", "delta")  # without these the figures mean nothing


def _digest_checks(c: Certificate, votes: Sequence[Votes]) -> Iterator[Check]:
    found = tuple(v.digest() for v in votes)
    yield Check("votes", c.votes, found, tuple(c.votes) == found)


def _checks(c: Certificate, votes: Sequence[VoteMatrix]) -> Iterator[Check]:
    sizes = tuple(_size(v) for v in votes)
    same = (c.n, tuple(c.fold_sizes)) == (sum(sizes), sizes)
    yield Check("examples", (c.n, c.fold_sizes), (sum(sizes), sizes), same)
    parts = (len(c.posteriors), len(c.priors), len(c.moments))
    expected = (len(votes), len(votes), 2 if c.risk == "c_bound" else 1)
    yield Check("parts", parts, expected, parts == expected)
    shared = c.alternatives >= 1
    yield Check("delta", (c.delta, c.alternatives), "between 0 and 1", shared and 0 < c.delta < 1)
    yield from _word_checks(c)

    drawn = functools.cache(
        lambda: [row_losses(v, np.array(p["alpha"])) for p, v in zip(c.posteriors, votes, strict=True)]
    )
    if c.posterior == "dirichlet" and c.risk in ("exact", "mc"):
        per_fold = np.array([[_weighted(v, rows)] for v, rows in zip(votes, drawn(), strict=True)])
    else:
        per_fold = np.array([_moments(c, parameters, v) for parameters, v in zip(c.posteriors, votes, strict=True)])
    moments = _risk_weights(c, sizes) @ per_fold
    delta = c.delta / c.alternatives
    remaining = delta
    if _is_estimated(c):
        share = c.risk_settings["draw_share"]
        epsilon = math.log(2 * len(votes) / (delta * share / 2)) / c.risk_settings["certificate_draws"]
        moments, remaining = np.array([_kl_inverse(m, epsilon) for m in moments]), delta * (1 - share)
    kl = math.fsum(_KL[c.posterior](a, b) for a, b in zip(c.posteriors, c.priors, strict=True))
    bound = min(_bound(c, moments, kl, sizes, remaining), 1.0)
    yield _above("empirical risk", c.moments[0], moments[0])
    yield _above("divergence", c.kl, kl)
    if len(c.moments) > 1:  # the disagreement of the C-bound is bounded from below, and so rounded down
        yield _below("disagreement", c.moments[1], moments[1])
    yield _above("bound", c.bound, bound)
    if c.posterior == "dirichlet":
        yield from _fixed_vote_checks(c, votes, sizes, drawn)
    else:
        fixed = bound
        if c.posterior == "logit_normal" and not c.has_one_voter:
            epsilon = math.log(1 / (delta * c.risk_settings["draw_share"] / 2)) / 2000
            fixed = min(2 * _kl_inverse(bound, epsilon), 1.0)
        yield _above("deterministic bound", c.deterministic_bound, fixed)


def _word_checks(c: Certificate) -> Iterator[Check]:
    """What the certificate says in words must be what its parts are."""
    name, n_folds, alone = c.bound_settings["name"], len(c.posteriors), c.has_one_voter
    risk, bound = RISKS[c.risk], _BOUNDS[name]
    for what, claimed, said in (
        ("theorem", c.theorem, theorem(bound.theorem, c.risk, n_folds)),
        ("what is certified", c.certified, certified(risk.certified, alone)),
        ("covers drawn votes", c.covers_drawn, alone or risk.covers_drawn(c.posterior)),
        ("fixed vote", c.deterministic_rule, deterministic_rule(c.posterior, n_folds, alone)),
    ):
        yield Check(what, claimed, said, claimed == said)
    doubtful = unproven(risk=risk, posterior=POSTERIORS[c.posterior], bound=bound)
    yield Check("not proven", c.unproven, doubtful, set(doubtful) <= set(c.unproven))


def _above(what: str, claimed: float, found: float) -> Check:
    """A figure that must not be below what was found, nor above it by more than outward rounding explains."""
    size = max(1.0, abs(found))
    return Check(what, claimed, float(found), bool(found - 1e-11 * size <= claimed <= found + _ABOVE * size))


def _below(what: str, claimed: float, found: float) -> Check:
    """A figure that must not be above what was found, nor below it by more than outward rounding explains."""
    return Check(what, claimed, float(found), _above(what, -claimed, -found).holds)


def _fixed_vote_checks(
    c: Certificate, votes: Sequence[VoteMatrix], sizes: tuple[int, ...], drawn: Callable[[], list[NDArray]]
) -> Iterator[Check]:
    """The bounds on the vote with mean weights, and those on each class."""
    f = c.fixed_vote
    paid = c.delta / c.alternatives
    shares = np.array(sizes) / sum(sizes)
    scaled = [{"alpha": (f["scale"] * np.array(p["alpha"])).tolist()} for p in c.posteriors]
    coverage = min(
        _coverage(np.array(p["alpha"]), _n_classes(v), f["margin"]) for p, v in zip(scaled, votes, strict=True)
    )
    kls = np.array([_dirichlet_kl(a, b) for a, b in zip(scaled, c.priors, strict=True)])
    rows = [_margin_losses(v, np.array(p["alpha"]), f["margin"]) for p, v in zip(scaled, votes, strict=True)]
    risk = float(_risk_weights(c, sizes) @ [_weighted(v, r) for v, r in zip(votes, rows, strict=True)])
    fixed = _upper(c.bound_settings, risk, kls.sum(), sizes, paid / f["margins"]) / coverage
    grid = (0.0,) if c.has_one_voter else MARGINS
    on_the_grid = f["margin"] in grid and f["margins"] == len(grid) and f["scale"] > 0
    yield Check("margin", (f["margin"], f["margins"]), grid, on_the_grid)
    yield _below("margin coverage", f["coverage"], coverage)
    yield _above("margin risk", f["empirical_risk"], risk)
    yield _above("divergence at the margin's scale", f["kl"], float(kls.sum()))
    yield _above("deterministic bound", c.deterministic_bound, min(fixed, 1.0))
    if not c.per_class:
        return
    drawn_kls = np.array([_dirichlet_kl(a, b) for a, b in zip(c.posteriors, c.priors, strict=True)])
    labels = sorted({label for v in votes if v.classes is not None for label in v.classes.tolist()})
    named = [entry["label"] for entry in c.per_class]
    class_upper = _class_count if c.bound_settings["name"] == "clopper_pearson" else _class_upper
    yield Check("classes", named, labels, named == labels)
    for entry in c.per_class:
        members = [np.asarray(v.classes)[np.asarray(v.targets)] == entry["label"] for v in votes]
        counts = np.array(
            [int((v.counts[m] if v.counts.size else m[m]).sum()) for v, m in zip(votes, members, strict=True)]
        )
        delta = paid / len(labels)
        name = f"class {entry['label']!r}"
        yield Check(f"{name} examples", entry["n"], int(counts.sum()), entry["n"] == counts.sum())
        yield Check(f"{name} delta", entry["delta"], delta, entry["delta"] == delta)
        means = [[_weighted(v, r, m) for v, r, m in zip(votes, rs, members, strict=True)] for rs in (drawn(), rows)]
        risk, margin_risk = float(shares @ means[0]), float(shares @ means[1])
        yield _above(f"{name} empirical risk", entry["empirical_risk"], risk)
        bound = class_upper(risk, drawn_kls, counts, shares, delta)
        yield _above(f"{name} bound", entry["bound"], bound)
        fixed = class_upper(margin_risk, kls, counts, shares, delta / f["margins"]) / coverage
        yield _above(f"{name} deterministic bound", entry["deterministic_bound"], min(fixed, 1.0))


def _risk_weights(c: Certificate, sizes: tuple[int, ...]) -> NDArray:
    """Weights of the folds' empirical risks: by size, and by the constant where each fold has its own."""
    constants = c.bound_settings["c"] if c.bound_settings["name"] == "catoni_per_fold" else [1.0] * len(sizes)
    weights = np.array(sizes) * np.array(constants)
    return weights / math.fsum(weights)


def _n_classes(votes: VoteMatrix) -> int:
    return 2 if votes.classes is None else max(2, len(votes.classes))


def _coverage(weights: NDArray, n_classes: int, margin: float) -> float:
    """Least probability of an error, or of less than the margin, over the contests that the mean vote may lose."""
    s = math.fsum(weights)
    if n_classes == 2:
        wrong = _lightest_majority(weights, s)
        contests = [(s - wrong, wrong)]
    elif len(weights) > LISTED_CLASSES:
        contests = [(s / n_classes, s / n_classes)]
    else:
        contests = list(_lost_contests(weights.tolist(), n_classes))
    right, wrongs = np.array([(r, w) for r, w in contests if r > 0]).reshape(-1, 2).T
    return float(stats.beta.cdf(0.5 + margin, right, wrongs).min(initial=1.0))


def _lightest_majority(weights: NDArray, s: float) -> float:
    """Sums of all sets of the heaviest voters; the others may add anything up to their whole weight."""
    ordered = sorted(weights, reverse=True)
    sums, rest = np.zeros(1), math.fsum(ordered[LISTED:])
    for weight in ordered[:LISTED]:
        sums = np.append(sums, sums + weight)
    return float(np.maximum(sums, s / 2)[sums + rest >= s / 2 * (1 - 1e-12)].min())


def _lost_contests(weights: list[float], n_classes: int) -> Iterator[tuple[float, float]]:
    s, slack = math.fsum(weights), 1e-12 * math.fsum(weights)
    for answers in itertools.product((0, 1, 2), repeat=len(weights)):
        right, wrong = (math.fsum(w for w, a in zip(weights, answers, strict=True) if a == k) for k in (0, 1))
        if wrong >= right - slack and wrong * (n_classes - 2) >= s - right - wrong - slack:
            yield right, wrong


def _class_upper(risk: float, kls: NDArray, sizes: NDArray, shares: NDArray, delta: float) -> float:
    if np.any(sizes == 0):
        return 1.0
    prices = [kl + _log_xi(int(n)) + math.log(1 / delta) for kl, n in zip(kls, sizes, strict=True)]
    return _kl_inverse(risk, float(np.sum(shares / sizes * prices)))


def _class_count(risk: float, kls: NDArray, sizes: NDArray, shares: NDArray, delta: float) -> float:
    return _clopper_pearson(round(risk * sizes[0]), int(sizes[0]), delta) if sizes[0] else 1.0


def _margin_losses(votes: VoteMatrix, weights: NDArray, margin: float) -> NDArray:
    """Probability, row by row, that the drawn vote errs or is right by less than the margin."""
    if votes.labels is not None:
        ratio = (1 - 2 * margin) / (1 + 2 * margin)
        return np.concatenate([_argmax_errors(votes, rows, weights, ratio) for _, _, rows in _blocks(votes)])
    s = math.fsum(weights)
    wrong = np.concatenate([np.minimum(errors @ weights, s) for errors, _, _ in _blocks(votes)])
    return stats.beta.sf(0.5 - margin, np.maximum(wrong, 1e-300), np.maximum(s - wrong, 1e-300))


def row_losses(votes: VoteMatrix, weights: NDArray) -> NDArray:
    """Probability, row by row, that the drawn vote errs."""
    return _margin_losses(votes, weights, 0.0)


def _weighted(votes: VoteMatrix, rows: NDArray, members: NDArray | slice = slice(None)) -> float:
    """Mean of the rows' values over their examples; 1 when there are none."""
    counts = (votes.counts if votes.counts.size else np.ones(len(rows)))[members]
    return math.fsum(rows[members] * counts) / counts.sum() if counts.size else 1.0


def _size(votes: VoteMatrix) -> int:
    return int(votes.counts.sum()) if votes.counts.size else votes.bits.shape[1]


def _is_estimated(c: Certificate) -> bool:
    return c.risk == "mc" and c.posterior != "dirichlet"


def _blocks(votes: VoteMatrix) -> Iterator[tuple[NDArray, NDArray, slice]]:
    """Errors and counts of the rows, a block at a time."""
    for start in range(0, votes.bits.shape[1], _BLOCK):
        rows = slice(start, start + _BLOCK)
        packed = np.ascontiguousarray(votes.bits[:, rows].T)
        errors = np.unpackbits(packed, axis=1, bitorder="little")[:, : votes.n_voters]
        yield errors, votes.counts[rows] if votes.counts.size else np.ones(len(errors)), rows


def _mean(votes: VoteMatrix, row_value: Callable[[NDArray, slice], NDArray]) -> float:
    return math.fsum(float(n @ row_value(e, rows)) for e, n, rows in _blocks(votes)) / _size(votes)


def _moments(c: Certificate, parameters: dict, votes: VoteMatrix) -> list[float]:
    """Empirical means of the certificate's risk under one fold's posterior."""
    if _is_estimated(c):
        return [_drawn_error(c, parameters, votes)]
    weights = np.array(next(iter(parameters.values())))
    s = math.fsum(weights)

    def mean(of: Callable[[NDArray], NDArray]) -> float:
        return _mean(votes, lambda errors, _: of(np.minimum(errors @ weights, s)))

    first, second = lambda w: w / s, lambda w: (w / s) ** 2
    if c.risk == "half":
        return [mean(lambda w: stats.beta.sf(0.5, np.maximum(w, 1e-300), np.maximum(s - w, 1e-300)))]
    if c.risk == "first_order":
        return [mean(first)]
    if c.risk == "second_order" and c.posterior == "dirichlet":
        return [mean(lambda w: (w / s) * ((w + 1) / (s + 1)))]
    if c.risk == "second_order":
        return [mean(second)]
    if c.risk == "binomial":
        draws = c.risk_settings["n_draws"]
        return [mean(lambda w: stats.binom.sf(math.ceil(draws / 2) - 1, draws, np.minimum(w, 1.0)))]
    if c.risk == "c_bound":
        return [mean(first), 2 * (mean(first) - mean(second))]
    raise ValueError(f"The certificate names the risk {c.risk!r}, which is not known here.")


def _argmax_errors(votes: VoteMatrix, rows: slice, weights: NDArray, ratio: float) -> NDArray:
    """Errors of the arg-max vote by the trapezoid rule in ``log t``, with nodes fitted to each row."""
    labels, targets = votes.labels[rows], votes.targets[rows]  # type: ignore[index]
    classes = np.arange(len(votes.classes))  # type: ignore[arg-type]
    a = np.stack([(labels == k) @ weights for k in classes], axis=1)
    own = a[np.arange(len(a)), targets]
    rivals = np.where(classes == targets[:, None], 0.0, a)
    out = np.where(own > 0, 0.0, 1.0)
    for i in np.flatnonzero((own > 0) & (rivals.sum(1) > 0)):
        out[i] = _loses(own[i], rivals[i][rivals[i] > 0], ratio)
    return out


def _loses(own: float, rivals: NDArray, ratio: float) -> float:
    """Probability that some rival reaches this ratio of a gamma variable of shape ``own``."""
    total = own + rivals.sum()
    width = min(1.0, 1 / math.sqrt(max(own, 1.0)))
    top = math.log(own + 9 * math.sqrt(own) + 45)
    bottom = math.log(own) - math.sqrt(92 / own) - 46 / own if own > 1 else -32.0
    u = np.arange(top, bottom, -width / 10)[::-1]
    t = np.exp(u)
    log_density = own * u - t - math.lgamma(own)
    values = np.exp(log_density) * np.prod(special.gammainc(rivals[:, None], ratio * t), axis=0)
    step = width / 10
    below = values[0] / math.expm1(total * step) if own <= 1 else 0.0
    return min(max(1 - float(values.sum() + below) * step, 0.0), 1.0)


def _drawn_error(c: Certificate, parameters: dict, votes: VoteMatrix) -> float:
    """Mean error of the certificate's drawn votes, drawn again from their seed."""
    rng = np.random.default_rng((2021, 0xCE271F))
    noise = rng.standard_normal((c.risk_settings["certificate_draws"], votes.n_voters))
    theta = special.softmax(np.array(parameters["location"]) + np.array(parameters["scale"]) * noise, axis=1)

    def error(errors: NDArray, rows: slice) -> NDArray:
        if votes.labels is None:
            return (errors @ theta.T >= 0.5 * (1 - 1e-12)).mean(1)
        scores = np.stack([(votes.labels[rows] == k) @ theta.T for k in range(len(votes.classes))])  # type: ignore[arg-type]
        targets = votes.targets[rows]  # type: ignore[index]
        own = scores[targets, np.arange(len(targets))]
        scores[targets, np.arange(len(targets))] = -1
        return (scores.max(0) >= own * (1 - 1e-12)).mean(1)

    return _mean(votes, error)


def _dirichlet_kl(posterior: dict, prior: dict) -> float:
    a, b = np.array(posterior["alpha"]), np.array(prior["alpha"])
    log_ratio = math.lgamma(math.fsum(a)) - math.lgamma(math.fsum(b))
    terms = [math.lgamma(y) - math.lgamma(x) for x, y in zip(a, b, strict=True)]
    expected = (a - b) * (special.psi(a) - special.psi(math.fsum(a)))
    return math.fsum([log_ratio, *terms, *expected])


def _categorical_kl(posterior: dict, prior: dict) -> float:
    return math.fsum(special.rel_entr(posterior["theta"], prior["theta"]))


def _logit_normal_kl(posterior: dict, prior: dict) -> float:
    m, s, m0, s0 = (np.array(d[k]) for d in (posterior, prior) for k in ("location", "scale"))
    return math.fsum(np.log(s0 / s) + (s**2 + (m - m0) ** 2) / (2 * s0**2) - 0.5)


_KL = {"dirichlet": _dirichlet_kl, "categorical": _categorical_kl, "logit_normal": _logit_normal_kl}


def _bound(c: Certificate, moments: NDArray, kl: float, sizes: tuple[int, ...], delta: float) -> float:
    def upper(risk: float, divergence: float, share: float = 1.0) -> float:
        return _upper(c.bound_settings, risk, divergence, sizes, share * delta)

    if c.risk == "c_bound":
        r, agree = upper(moments[0], kl, 0.5), upper(1 - moments[1], 2 * kl, 0.5)
        return 1 - (1 - 2 * r) ** 2 / (2 * agree - 1) if r < 0.5 else 1.0
    if c.risk == "first_order":
        return 2 * upper(moments[0], kl)
    if c.risk == "second_order":
        return 4 * upper(moments[0], kl * (2 if c.posterior == "categorical" else 1))
    if c.risk == "binomial":
        return 2 * upper(moments[0], c.risk_settings["n_draws"] * kl)
    return upper(moments[0], kl)


def _upper(settings: dict, risk: float, kl: float, sizes: tuple[int, ...], delta: float) -> float:
    n, folds, name = sum(sizes), len(sizes), settings["name"]
    roots = math.fsum(math.log(2 * math.sqrt(m)) for m in sizes)
    if name == "catoni":
        grid = np.array(settings["c"])
        exponent = grid * risk + (kl + folds * math.log(len(grid) / delta)) / n
        return float(np.min(np.expm1(-exponent) / np.expm1(-grid)))
    if name == "catoni_per_fold":
        constants = np.array(settings["c"])
        p, a = np.array(sizes) / n, 1 - np.exp(-constants)
        budget = (p @ constants) * risk + (kl + folds * math.log(1 / delta)) / n
        low, high = 0.0, float(1 / a.min())  # spent(low) is infinite, spent(high) is zero
        for _ in range(200):
            level = (low + high) / 2
            spent = -p @ np.log(np.minimum(a * level, 1.0))
            low, high = (level, high) if spent > budget else (low, level)
        return float(p @ np.maximum(1 / a - low, 0.0))
    if name == "clopper_pearson":
        return _clopper_pearson(round(risk * n), n, delta) if folds == 1 and kl < 1e-9 else 1.0
    if name == "mcallester":
        return risk + math.sqrt((kl + roots + folds * math.log(1 / delta)) / (2 * n))
    if name == "printed_theorem2_not_proven":
        return _kl_inverse(risk, (kl + roots + math.log(1 / delta)) / n)
    if name == "seeger":
        constant = roots if settings["constant"] == "2sqrt" else math.fsum(map(_log_xi, sizes))
        return _kl_inverse(risk, (kl + constant + folds * math.log(1 / delta)) / n)
    raise ValueError(f"The certificate names the bound {name!r}, which is not known here.")


def _clopper_pearson(errors: int, n: int, delta: float) -> float:
    """The error at which so few errors still have probability delta."""
    low, high = errors / n, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if stats.binom.cdf(errors, n, middle) >= delta else (low, middle)
    return high


def _log_xi(n: int) -> float:
    """The sum that defines xi(n), as expectations of binomial weights, term by term."""
    k = np.arange(n + 1)
    terms = special.xlogy(k, k / n) + special.xlogy(n - k, (n - k) / n)
    log_binomial = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return float(special.logsumexp(log_binomial + terms))


def _kl_inverse(q: float, epsilon: float) -> float:
    low, high = q, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if special.rel_entr(q, middle) + special.rel_entr(1 - q, 1 - middle) > epsilon:
            high = middle
        else:
            low = middle
    return high
