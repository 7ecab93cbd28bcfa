"""The exact error of the stochastic vote, for any number of classes."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior, WeightedPosterior
from ..special import argmax_probability, negative_sum
from ..votes import ScoreMatrix, VoteMatrix, Votes, scaled, split_rows, thread_map
from ._curves import Half, as_weighted, half_rows, rounded_mean, wrong_weight_rows
from ._risk import Moments

_QUADRATURE_ERROR = 1e-10  # of argmax_probability; the largest ever observed is 6e-12
_LARGE = 1e6  # concentration of a class from which scipy's incomplete gamma function loses digits ...
_EDGE = 1e-12  # added to the margin of a soft vote, since many voters may have just that margin but for rounding
_LARGE_ERROR = 1e-6  # ... and argmax_probability with it; the largest error ever observed is 5e-7


class Exact(Half):
    """Error of the stochastic vote, in closed form (two classes) or by quadrature."""

    name: ClassVar[str] = "exact"
    proven: ClassVar[bool] = True
    certified: ClassVar[str] = "the error of the stochastic vote"
    allows_abstention: ClassVar[bool] = True

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        several = (votes.n_classes or 2) > 2
        if not several and not votes.abstains:
            return super().moments(posterior, votes)
        weighted = as_weighted(posterior)
        errors = (votes.argmax_error_sum if several else votes.half_error_sum)(weighted.concentrations)
        value, d_weights = scaled(errors, 1 / votes.n_examples)
        return np.array([value]), weighted.pull(d_weights, 0.0)[None]

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        return np.array([rounded_mean(votes, margin_rows(as_weighted(posterior), votes))])


def margin_rows(posterior: WeightedPosterior, votes: VoteMatrix | ScoreMatrix, margin: float = 0.0) -> NDArray:
    """For each row, the probability that the stochastic vote errs or is right by less than the margin, rounded up.

    With two classes: the wrong share of the weight that answers is at least one half minus the margin. With more: some
    other class has at least ``(1 - 2 margin) / (1 + 2 margin)`` of the true class's weight, which is the same for two
    classes. A row that no voter answers is an error. Of voters that answer with probabilities: the true class has at
    most one half plus the margin.
    """
    if isinstance(votes, ScoreMatrix):
        return _score_rows(posterior, votes, margin)
    if votes.labels is None or votes.targets is None:
        if votes.abstains:
            wrong, right = (of(posterior.concentrations) for of in (votes.wrong_weights, votes.right_weights))
            return np.minimum(half_rows(wrong, right, margin), 1.0)
        return wrong_weight_rows(votes, posterior, lambda w: half_rows(w, posterior.total - w, margin))
    concentrations, targets = votes.class_weights(posterior.concentrations), votes.targets

    def errors(start: int, stop: int) -> NDArray:
        ratio = (1 - 2 * margin) / (1 + 2 * margin)
        right = argmax_probability(concentrations[start:stop], targets[start:stop], ratio)
        shapes = concentrations[start:stop]
        large, several = shapes.max(1) > _LARGE, (shapes > 0).sum(1) > 1
        contested = several & (right > 0) & (large | (right < 1))  # a large contest may only look decided
        return np.minimum(1 - right + np.where(large, _LARGE_ERROR, _QUADRATURE_ERROR) * contested, 1.0)

    return np.concatenate(thread_map(errors, split_rows(votes.n_rows, 1024)))


def _score_rows(posterior: WeightedPosterior, votes: ScoreMatrix, margin: float) -> NDArray:
    least = 2 * margin + _EDGE * (margin > 0)
    return np.concatenate(
        thread_map(
            lambda start, stop: _not_above(votes.margins[start:stop], least, posterior.concentrations),
            split_rows(votes.n_rows, 1024),
        )
    )


def _not_above(margins: NDArray, least: float, concentrations: NDArray) -> NDArray:
    """Probability that the weighted margin is at most ``least``: that of margins reduced by that is not positive."""
    value, error = negative_sum(np.clip((margins - least) / (1 + least), -1.0, 1.0), concentrations)
    return np.minimum(value + error, 1.0)


def error_rows(posterior: WeightedPosterior, votes: VoteMatrix) -> NDArray:
    """For each row, the probability that the stochastic vote errs, rounded up."""
    if posterior.law == "voter":
        return np.minimum(votes.wrong_weights(posterior.concentrations) * (1 + 1e-13), 1.0)
    return margin_rows(posterior, votes)
