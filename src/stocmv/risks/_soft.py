"""The error of the stochastic soft vote, whose voters answer with probabilities."""

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Law, Posterior
from ..votes import ScoreMatrix, Votes, scaled
from ._curves import as_weighted, rounded_mean
from ._exact import margin_rows
from ._risk import Moments, Risk


class Soft(Risk):
    """Probability that the right class gets at most half of the weight, by inversion of a sum of gamma variables.

    With two classes this is the error of the stochastic soft vote; with more it is an upper bound. See the theory page,
    "Soft votes".
    """

    name: ClassVar[str] = "soft"
    proven: ClassVar[bool] = True
    soft: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("dirichlet",)
    certified: ClassVar[str] = "the probability that the right class gets at most half of the weight"

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        weighted = as_weighted(posterior)
        errors = cast(ScoreMatrix, votes).soft_error_sum(weighted.concentrations)
        value, d_weights = scaled(errors, 1 / votes.n_examples)
        return np.array([value]), weighted.pull(d_weights, 0.0)[None]

    def certified_moments(self, posterior: Posterior, votes: Any) -> NDArray:
        return np.array([rounded_mean(votes, margin_rows(as_weighted(posterior), votes))])
