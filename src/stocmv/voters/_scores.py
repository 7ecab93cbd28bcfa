"""Tables of probabilities that voters have already given."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._base import VoterSet, VoterSource

_ROUNDING = 1e-3  # a table may have been written with three digits


class Scores(VoterSource):
    """A table of probabilities of existing models: for each voter a block of columns, one for each class.

    The classes of a block are in sorted order. Nothing is trained; the weights of the voters are learned from examples
    that do not judge.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import MajorityVoteClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 300)
    >>> sure = np.clip(y + rng.normal(0, 0.4, (2, 300)), 0, 1).T  # two voters: how probable class 1 is
    >>> table = np.column_stack([1 - sure[:, 0], sure[:, 0], 1 - sure[:, 1], sure[:, 1]])
    >>> clf = MajorityVoteClassifier("scores", random_state=0).fit(table, y)
    >>> clf.predict([[0.9, 0.1, 0.8, 0.2]]).tolist()
    [0]
    """

    learns = False
    uses_labels = False
    assumptions = (
        "The voters scored these examples in the way in which they score new ones, without knowing the true labels.",
    )

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "ScoreVoters":
        width, n_classes = np.shape(X)[1], len(classes)
        if width % n_classes:
            raise ValueError(
                f"voters='scores' needs a block of {n_classes} columns for each voter, one for each class, and X has "
                f"{width} columns."
            )
        return ScoreVoters(width // n_classes, n_classes)

    def soft(self) -> "Scores":
        return self

    def describe(self) -> str:
        return "a table of probabilities"


class ScoreVoters(VoterSet):
    """The blocks of a table of probabilities."""

    def __init__(self, n_voters: int, n_classes: int) -> None:
        self.n_voters = n_voters
        self.n_classes = n_classes

    def probabilities(self, X: Any) -> NDArray:
        table = np.asarray(X, float).reshape(len(X), self.n_voters, self.n_classes)
        sums = table.sum(2, keepdims=True)
        if table.min(initial=0.0) < 0 or np.abs(sums - 1).max(initial=0.0) > _ROUNDING:
            row, voter = np.argwhere((table.min(2) < 0) | (np.abs(sums[..., 0] - 1) > _ROUNDING))[0]
            raise ValueError(
                f"X has no probabilities in row {row}, block {voter}: {table[row, voter].tolist()}. The scores of a "
                "voter are between 0 and 1, and sum to one."
            )
        return table / sums

    def codes(self, X: Any) -> NDArray:
        return self.probabilities(X).argmax(2)
