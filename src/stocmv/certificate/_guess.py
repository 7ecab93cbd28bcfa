"""What to expect of a vote before other examples judge it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Guess(NamedTuple):
    """Errors to expect of a vote, estimated on the learning part: number of errors and of examples, by class."""

    wrong: NDArray
    seen: NDArray

    @classmethod
    def of(cls, wrong: NDArray, truth: NDArray, n_classes: int) -> "Guess":
        """Counted on examples: whether the answer is wrong, and the code of the true class."""
        return cls(np.bincount(truth, wrong, n_classes), np.bincount(truth, minlength=n_classes).astype(float))

    @property
    def overall(self) -> float:
        return float((self.wrong.sum() + 1) / (self.seen.sum() + 2))

    @property
    def by_class(self) -> NDArray:
        """Error of each class, shrunk towards the overall error: the fewer examples, the more."""
        return (self.wrong + 4 * self.overall) / (self.seen + 4)

    @property
    def by_answer(self) -> NDArray:
        """Share of wrong answers for each answered class, if errors are spread evenly over the other classes."""
        others = (self.wrong.sum() - self.wrong) / max(len(self.wrong) - 1, 1)
        return (others + 4 * self.overall) / (others + self.seen - self.wrong + 4)

    def cost(self, costs: NDArray) -> float:
        """Mean cost, if errors are spread evenly over the other classes."""
        right = costs.diagonal()
        wrong = (costs.sum(1) - right) / max(len(costs) - 1, 1)
        total = self.wrong @ wrong + (self.seen - self.wrong) @ right
        return float((total + wrong.mean() + right.mean()) / (self.seen.sum() + 2))

    def among(self, known: NDArray, n_classes: int) -> "Guess":
        """The same for ``n_classes`` classes, of which only the ``known`` ones occurred."""
        wrong, seen = np.zeros((2, n_classes))
        wrong[known], seen[known] = self
        return Guess(wrong, seen)
