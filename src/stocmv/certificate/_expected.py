"""What the learning part says about the errors of a vote, before others judge it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Expected(NamedTuple):
    """What the learning part says about the errors to expect: how many of how many, by class."""

    wrong: NDArray
    seen: NDArray

    @property
    def overall(self) -> float:
        return float((self.wrong.sum() + 1) / (self.seen.sum() + 2))

    @property
    def by_class(self) -> NDArray:
        """Drawn towards the overall error, the more the fewer examples a class has."""
        return (self.wrong + 4 * self.overall) / (self.seen + 4)

    @property
    def by_answer(self) -> NDArray:
        """Share of wrong ones among the answers of each class, if errors are spread evenly over the other classes."""
        others = (self.wrong.sum() - self.wrong) / max(len(self.wrong) - 1, 1)
        return (others + 4 * self.overall) / (others + self.seen - self.wrong + 4)

    def cost(self, costs: NDArray) -> float:
        """Mean cost, if errors are spread evenly over the other classes."""
        right = costs.diagonal()
        wrong = (costs.sum(1) - right) / max(len(costs) - 1, 1)
        total = self.wrong @ wrong + (self.seen - self.wrong) @ right
        return float((total + wrong.mean() + right.mean()) / (self.seen.sum() + 2))

    def among(self, known: NDArray, n_classes: int) -> "Expected":
        """The same where there are more classes, of which these are the ones met."""
        wrong, seen = np.zeros((2, n_classes))
        wrong[known], seen[known] = self
        return Expected(wrong, seen)
