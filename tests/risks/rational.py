"""The empirical risks row by row: in fractions where they are rational, otherwise in arbitrary precision."""

import math
from fractions import Fraction
from functools import cache

import numpy as np

from special import precise


def mean(values):
    """Exact mean of the values of the examples."""
    return sum(map(Fraction, values)) / len(values)


def wrong_shares(posterior, errors):
    """For each example the share of the concentration that the voters that err hold, and the total."""
    alpha = [Fraction(a) for a in posterior.concentrations.tolist()]
    total = sum(alpha)
    return [sum(a for a, err in zip(alpha, row, strict=True) if err) / total for row in errors.tolist()], total


@cache
def at_least_half(share, n_draws=100):
    """Probability that at least half of the drawn voters err."""
    p, q = share.as_integer_ratio()
    counts = range(-(-n_draws // 2), n_draws + 1)
    return Fraction(sum(math.comb(n_draws, k) * p**k * (q - p) ** (n_draws - k) for k in counts), q**n_draws)


@cache
def half(w, s):
    return precise.half_beta(w, s)[0] if 0 < w < s else float(w > 0)


@cache
def loses(concentrations):
    """Probability that the first class does not win, when the weights of the classes are drawn."""
    if concentrations[0] == 0 or len(concentrations) == 1:
        return float(concentrations[0] == 0)
    return 1 - precise.argmax_probability(concentrations, 0)


def moments(risk, posterior, votes, y):
    """What a risk should find for the labels ``votes`` and the truth ``y``."""
    errors = votes != y[:, None]
    if risk == "exact" and votes.max() > 1:
        return [mean([loses(row) for row in _class_rows(posterior.concentrations, votes, y)])]
    shares, total = wrong_shares(posterior, errors)
    if risk in ("exact", "half"):
        return [mean([half(float(share * total), float(total)) for share in shares])]
    first, second = mean(shares), mean([share**2 for share in shares])
    if risk == "first_order":
        return [first]
    if risk == "second_order" and posterior.name == "dirichlet":
        return [mean([share * (share * total + 1) / (total + 1) for share in shares])]
    if risk == "second_order":
        return [second]
    if risk == "binomial":
        return [mean([at_least_half(share) for share in shares])]
    if risk == "ccpbb":
        return [
            second,
            first,
            *_pair_variances([Fraction(a) / total for a in posterior.concentrations.tolist()], errors),
        ]
    if risk == "cctnd":
        return [second, first]
    return [second if risk == "ccpbskl" else first, 2 * (first - second)]


def _pair_variances(probabilities, errors):
    """Unbiased, of "both err" and half the number of errors of two drawn voters, with the covariance of the two."""
    n, joint = len(errors), errors.T.astype(int) @ errors.astype(int)
    found = [Fraction(0)] * 3
    for j, k in np.ndindex(*joint.shape):
        two, one = (Fraction(int(c), n) for c in (joint[j, k], joint[j, j] + joint[k, k] - 2 * joint[j, k]))
        number, square = one + 2 * two, one + 4 * two
        pair = two - two**2, 2 * two - two * number, (square - number**2) / 2
        weight = probabilities[j] * probabilities[k] * Fraction(n, n - 1)
        found = [a + weight * b for a, b in zip(found, pair, strict=True)]
    return found


def _class_rows(alpha, votes, y):
    """Concentrations of the classes that occur in a row, the true one first."""
    for row, truth in zip(votes, y, strict=True):
        rivals = [float(alpha[row == k].sum()) for k in np.unique(row) if k != truth]
        yield float(alpha[row == truth].sum()), *rivals
