"""The exact error of the drawn vote, for any number of classes."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior
from ..special import argmax_probability
from ..votes import VoteMatrix
from ..votes._threads import split_rows, thread_map
from ._curves import Half, as_weighted

_QUADRATURE_ERROR = 1e-10  # of argmax_probability; the largest that was ever seen is 3e-13


class Exact(Half):
    """Probability that the arg-max vote with drawn weights errs, in closed form (two classes) or by quadrature."""

    name: ClassVar[str] = "exact"
    certified: ClassVar[str] = "the error of a vote with drawn weights"

    def moments(
        self, posterior: Posterior, votes: VoteMatrix, rng: np.random.Generator | None = None
    ) -> tuple[NDArray, NDArray]:
        if votes.labels is None:
            return super().moments(posterior, votes)
        weighted = as_weighted(posterior)
        value, d_weights = votes.argmax_error(weighted.alpha)
        return np.array([value]), weighted.pull(d_weights, 0.0)[None]

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        if votes.labels is None or votes.targets is None:
            return super().certified_moments(posterior, votes)
        concentrations = votes.class_weights(as_weighted(posterior).alpha)
        targets = votes.targets

        def errors(start: int, stop: int) -> NDArray:
            right = argmax_probability(concentrations[start:stop], targets[start:stop])
            contested = (right > 0) & (right < 1)
            return np.minimum(1 - right + _QUADRATURE_ERROR * contested, 1.0)

        rows = np.concatenate(thread_map(errors, split_rows(votes.n_rows, 1024)))
        return np.array([min(votes.row_mean(rows) * (1 + 1e-13), 1.0)])
