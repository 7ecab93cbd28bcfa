"""Weights of a soft vote: how much the probabilities of each voter count."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

SHRINKAGES = (10.0, 1.0, 0.1)  # tried, from the one that holds the weights most alike
_FOLDS = 3
_CHOOSING = 6_000  # examples that are enough to choose among them
_SMALL = 1e-3  # keeps the strengths finite where the vote makes no error
_FLOOR = 1e-6  # a smaller share of the vote counts as this in its logarithm
_STEPS = 100
_TOLERANCE = 1e-6  # of the whole loss, which is a sum over examples


class Pool(NamedTuple):
    """A weighted vote of voters that answer with probabilities.

    The share of class k in the vote is ``s_k = sum_j weights[j] * p[j, k]``, and the vote answers the class with the
    largest. Its probability of class k is proportional to ``exp(linear * s_k + logarithmic * log(s_k))``, which has
    the same order.

    Attributes
    ----------
    weights : ndarray of shape (n_voters,)
        Not negative; they sum to 1.
    linear, logarithmic : float
        Not negative, and not both zero.
    shrinkage : float
        How strongly the weights were drawn to each other.
    """

    weights: NDArray
    linear: float
    logarithmic: float
    shrinkage: float

    def shares(self, probabilities: NDArray) -> NDArray:
        """Share of each class in the vote, (n, n_classes), from probabilities (n, n_voters, n_classes)."""
        return _weighted(_by_voter(probabilities), self.weights)

    def probabilities(self, probabilities: NDArray) -> NDArray:
        """Calibrated probability of each class, (n, n_classes), from probabilities (n, n_voters, n_classes)."""
        return sharpened(self.shares(probabilities), self.linear, self.logarithmic)


def sharpened(shares: NDArray, linear: float, logarithmic: float) -> NDArray:
    """Probabilities of the classes, (n, n_classes), in the order of their shares in a vote."""
    log = np.log(np.maximum(shares, _FLOOR))
    return _softmax(linear * shares + logarithmic * log)[0]


def learn_pool(probabilities: NDArray, codes: NDArray, groups: NDArray | None = None, seed: int = 0) -> Pool:
    """Learn the weights of a soft vote.

    The weights are those of the vote that, made sharper, has the smallest log loss: class k has the probability
    ``exp(b s_k) / sum_l exp(b s_l)``, where s is the weighted mean of the probabilities. In the strengths
    ``v_j = b w_j >= 0`` this is convex. The log loss of s itself would be a worse guide: a mean of good probabilities
    is too cautious, and weights that make it bolder are not those with the fewest errors.

    A penalty on the differences between the strengths draws them to each other. It is chosen by cross-validation: the
    largest whose log loss is within one standard error of the smallest.

    Parameters
    ----------
    probabilities : ndarray of shape (n, n_voters, n_classes)
        Probabilities from voters that have not seen the example, for instance by cross-validation.
    codes : ndarray of int, shape (n,)
        True class of each example, from 0 to n_classes - 1.
    groups : ndarray of shape (n,), optional
        Examples of the same group stay together when the penalty is chosen.
    seed : int
        For the random folds.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.arange(300) % 2
    >>> good, guess = np.eye(2)[codes] * 0.6 + 0.2, np.random.default_rng(0).dirichlet([1, 1], 300)
    >>> pool = learn_pool(np.stack([good, guess], axis=1), codes)
    >>> bool(pool.weights[0] > 0.8)
    True
    """
    values = _by_voter(probabilities)
    shrinkage = _chosen(values, codes, groups, seed)
    weights = _shares_of(_strengths(values, codes, shrinkage))
    linear, logarithmic = _strengths(_with_logarithm(_weighted(values, weights)), codes, 0.0)
    return Pool(weights, float(linear), float(logarithmic), shrinkage)


def _by_voter(probabilities: NDArray) -> NDArray:
    """Voters first, (n_voters, n, n_classes): below, sums over voters are one product of matrices."""
    return np.ascontiguousarray(np.moveaxis(probabilities, 1, 0), dtype=float)


def _weighted(values: NDArray, weights: NDArray) -> NDArray:
    return (weights @ values.reshape(len(values), -1)).reshape(values.shape[1:])


def _shares_of(strengths: NDArray) -> NDArray:
    """The strengths as weights; equal ones if no voter is of any use."""
    total = strengths.sum()
    return strengths / total if total > 0 else np.full(len(strengths), 1 / len(strengths))


def _with_logarithm(shares: NDArray) -> NDArray:
    """Shares of the classes and their logarithms, as if these were two voters."""
    return np.stack([shares, np.log(np.maximum(shares, _FLOOR))])


def _softmax(scores: NDArray) -> tuple[NDArray, NDArray]:
    """Probabilities of the classes, and the logarithm of what they were divided by, less the largest score."""
    powers = np.exp(scores - scores.max(1, keepdims=True))
    total = powers.sum(1, keepdims=True)
    return powers / total, np.log(total[:, 0])


def _losses(values: NDArray, codes: NDArray, strengths: NDArray) -> NDArray:
    """Log loss of each example."""
    scores = _weighted(values, strengths)
    return _softmax(scores)[1] + scores.max(1) - scores[np.arange(len(codes)), codes]


def _strengths(values: NDArray, codes: NDArray, shrinkage: float, start: NDArray | None = None) -> NDArray:
    """The strengths, none negative, with the smallest penalised log loss, by Newton's method.

    Each step goes to the minimum of the quadratic approximation among strengths that are not negative, or towards it.
    """
    n_voters = len(values)
    penalty = shrinkage * (np.eye(n_voters) - 1 / n_voters) + _SMALL * np.eye(n_voters)
    strengths = np.ones(n_voters) if start is None else start

    def objective(at: NDArray) -> float:
        return float(_losses(values, codes, at).sum() + at @ penalty @ at / 2)

    value = objective(strengths)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(values, codes, strengths)
        slope, curvature = slope + penalty @ strengths, curvature + penalty
        step = _lowest(slope, curvature, strengths) - strengths
        gain = -float(slope @ step)
        if gain <= _TOLERANCE:
            break
        length = 1.0
        while (new := objective(strengths + length * step)) > value - 1e-4 * length * gain and length > 1e-6:
            length /= 2
        strengths, value = np.maximum(strengths + length * step, 0.0), new
    return strengths


def _derivatives(values: NDArray, codes: NDArray, strengths: NDArray) -> tuple[NDArray, NDArray]:
    """First and second derivatives of the summed log loss."""
    chances = _softmax(_weighted(values, strengths))[0]
    means = np.einsum("jik,ik->ji", values, chances)
    slope = (means - values[:, np.arange(len(codes)), codes]).sum(1)
    scaled = (values * np.sqrt(chances)).reshape(len(values), -1)
    return slope, scaled @ scaled.T - means @ means.T


def _lowest(slope: NDArray, curvature: NDArray, at: NDArray) -> NDArray:
    """The point with no negative coordinate where the quadratic with these derivatives ``at`` a point is smallest."""
    lower = np.linalg.cholesky(curvature)
    return nnls(lower.T, solve_triangular(lower, curvature @ at - slope, lower=True))[0]


def _chosen(values: NDArray, codes: NDArray, groups: NDArray | None, seed: int) -> float:
    """The largest shrinkage whose cross-validated log loss is within one standard error of the smallest.

    The standard error is that of a sum over groups.
    """
    unit = np.arange(len(codes)) if groups is None else np.unique(groups, return_inverse=True)[1]
    losses = np.zeros((len(SHRINKAGES), len(codes)))  # zero for examples that no fold has
    for rows, others in _folds(unit, seed):
        strengths = None
        for k, shrinkage in enumerate(SHRINKAGES):
            strengths = _strengths(values.take(others, axis=1), codes[others], shrinkage, strengths)
            losses[k, rows] = _losses(values.take(rows, axis=1), codes[rows], strengths)
    excess = losses - losses[np.argmin(losses.sum(1))]
    sums = np.array([np.bincount(unit, row) for row in excess])
    return SHRINKAGES[int(np.argmax(sums.sum(1) <= sums.std(1) * np.sqrt(sums.shape[1])))]


def _folds(unit: NDArray, seed: int) -> Iterator[tuple[NDArray, NDArray]]:
    """Rows of each fold and the other rows, in all about `_CHOOSING` and in whole units; no folds of a single unit."""
    n_units = int(unit.max()) + 1
    order = np.random.default_rng(seed).permutation(n_units)[unit]
    used = order < np.ceil(n_units * min(1.0, _CHOOSING / len(unit)))
    count = min(_FOLDS, n_units)
    for k in range(count if count > 1 else 0):
        here = order % count == k
        yield np.flatnonzero(here & used), np.flatnonzero(~here & used)
