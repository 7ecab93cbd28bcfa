"""Starts for the solvers: the bound is not convex, and the prior is often a saddle or near a poor minimum."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from ..votes import Curve, VoteMatrix, Votes, scaled

_NODES = 257
_NO_BETTER = 0.49  # error of a voter that boosting learns nothing from


def random_start(prior_point: NDArray, rng: np.random.Generator, spread: float = 1.0) -> NDArray:
    """The prior's point with every coordinate moved at random, which leaves a saddle in all directions at once."""
    return prior_point + spread * rng.standard_normal(len(prior_point))


def logistic_weights(votes: Votes, max_iter: int = 100, penalty: float = 1e-3) -> NDArray:
    """Non-negative logistic-regression weights of the voters' margins.

    The logistic loss of an example depends only on the weight of the voters that err, so it is another curve for the
    kernel, unless voters abstain or answer with probabilities. A small penalty on the total keeps the weights of
    separable votes finite.
    """

    def evaluate(weights: NDArray) -> tuple[float, NDArray]:
        if votes.abstains or votes.soft:
            loss, gradient = scaled(votes.total(partial(_logistic_sums, weights)), 1 / votes.n_examples)
            return loss + penalty * weights.sum(), gradient + penalty
        curve = _logistic_curve(float(weights.sum()))
        loss, d_weights, d_total = scaled(votes.curve_sum(weights, curve), 1 / votes.n_examples)
        return loss + penalty * weights.sum(), d_weights + d_total + penalty

    start = np.full(votes.n_voters, 2.0 / votes.n_voters)
    result = minimize(
        evaluate,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * votes.n_voters,
        options={"maxiter": max_iter, "ftol": 1e-7, "gtol": 1e-7},
    )
    return result.x


def boosted_weights(votes: VoteMatrix, rounds: Sequence[int] = (5, 20, 60)) -> list[NDArray]:
    """Weights of the voters after some rounds of boosting: few voters, as a sparse prior wants them.

    Every round adds weight to the voter that errs least on the examples as they are weighted then (AdaBoost).
    """
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    log_weights, weights, found = np.zeros(votes.n_rows), np.zeros(votes.n_voters), []
    for k in range(max(rounds)):
        share = counts * np.exp(log_weights - log_weights.max())
        errors = votes.column_sums(share / share.sum())
        best = int(np.argmin(errors))
        if errors[best] >= _NO_BETTER:
            break
        step = 0.5 * np.log((1 - errors[best]) / max(errors[best], 1e-9))
        weights[best] += step
        log_weights += step * (2.0 * votes.only(np.array([best])).errors()[:, 0] - 1)
        if k + 1 in rounds:
            found.append(weights.copy())
    return found or [weights] * bool(weights.any())


def _logistic_sums(weights: NDArray, votes: VoteMatrix) -> tuple[float, NDArray]:
    """The logistic loss of all examples, whose margin is the weight of the right minus that of the wrong voters."""
    margin = votes.right_weights(weights) - votes.wrong_weights(weights)
    counts = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    pull = counts * expit(-margin)
    return float(counts @ np.logaddexp(0, -margin)), votes.column_sums(pull) - votes.right_column_sums(pull)


def _logistic_curve(total: float) -> Curve:
    total = max(total, 1e-9)
    w = np.linspace(0, total, _NODES)
    margin = total - 2 * w
    wrong = np.exp(-np.logaddexp(0, margin))
    return Curve.from_nodes(w, np.logaddexp(0, -margin), 2 * wrong, -wrong)
