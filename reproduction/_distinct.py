"""Votes that process voters that always agree only once."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stocmv.votes import Curve, VoteMatrix


@dataclass(frozen=True, eq=False)
class DistinctVotes(VoteMatrix):
    """The errors of voters, many of which err on the same examples: each pattern is stored and processed once.

    Ten thresholds on a feature with two values give the same stump ten times. The weights and their KL stay those of
    all voters; only the sums over voters are taken pattern by pattern. Exists only in memory: it cannot be saved.

    Attributes
    ----------
    pattern : ndarray of shape (n_voters,)
        The stored column of each voter.
    """

    pattern: NDArray = field(default_factory=lambda: np.empty(0, int), repr=False)

    @classmethod
    def of(cls, votes: VoteMatrix) -> "DistinctVotes":
        """The errors in these votes; identical rows are merged too."""
        columns = np.packbits(votes.errors().T, axis=1)
        keys = np.ascontiguousarray(columns).view(np.dtype((np.void, columns.shape[1]))).ravel()
        _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
        once = VoteMatrix.from_errors(votes.errors()[:, first])
        counted = VoteMatrix(once.n_voters, once.bits, counts=votes.counts).merged()
        return cls(votes.n_voters, counted.bits, counts=counted.counts, pattern=pattern)

    @property
    def once(self) -> VoteMatrix:
        """Each pattern as one voter."""
        return VoteMatrix(int(self.pattern.max()) + 1, self.bits, counts=self.counts)

    @property
    def work(self) -> float:
        return self.once.work

    def errors(self, start: int = 0, stop: int | None = None) -> NDArray:
        return self.once.errors(start, stop)[:, self.pattern]

    def curve_sum(self, weights: NDArray, curve: Curve, among: int | None = None) -> tuple[float, NDArray, float]:
        value, gradient, d_total = self.once.curve_sum(self._added(weights), curve, among)
        return value, gradient[self.pattern], d_total

    def wrong_weights(self, weights: NDArray) -> NDArray:
        return self.once.wrong_weights(self._added(weights))

    def column_sums(self, row_values: NDArray) -> NDArray:
        return self.once.column_sums(row_values)[self.pattern]

    def right_column_sums(self, row_values: NDArray) -> NDArray:
        return self.once.right_column_sums(row_values)[self.pattern]

    def _added(self, weights: NDArray) -> NDArray:
        return np.bincount(self.pattern, np.asarray(weights, float))
