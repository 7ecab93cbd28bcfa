"""The plain alternative: hold out some examples and count errors on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from ._percent import percent


@dataclass(frozen=True)
class HoldoutComparison:
    """A certificate's bound next to the hold-out bound from the same examples at the same delta.

    Attributes
    ----------
    bound : float
        The certificate's bound on the error of `predict`.
    holdout_bound : float
        Clopper-Pearson upper bound on the error of the classifier trained on the rest.
    n_errors, n_holdout : int
        Number of errors on the held-out examples, and number of these examples.
    delta : float
        Probability that each of the two bounds fails, at most.
    proven : bool
        Whether the certificate is proven.
    same_examples : bool
        Whether the held-out examples also judged the vote.
    """

    bound: float
    holdout_bound: float
    n_errors: int
    n_holdout: int
    delta: float
    proven: bool = True
    same_examples: bool = False

    def __str__(self) -> str:
        ours = "The bound on predict" if self.proven else "What was computed for predict and is not proven"
        errors = f"{self.n_errors:,} error{'' if self.n_errors == 1 else 's'}"
        on = f"the same {self.n_holdout:,} examples" if self.same_examples else f"{self.n_holdout:,} examples"
        return (
            f"{ours} ({percent(self.bound)}) is {self.verdict} what a hold-out gives for the plain model: "
            f"{percent(self.holdout_bound)}, from {errors} on {on}, which did not train it; both at delta = "
            f"{self.delta:g}."
        )

    @property
    def verdict(self) -> str:
        """How the two bounds compare, to the digits shown."""
        ours, theirs = percent(self.bound), percent(self.holdout_bound)
        if ours == theirs:
            return "the same as"
        return "below" if self.bound < self.holdout_bound else "above"


def count_holdout_errors(estimator: Any, X: Any, y: Any, share: float, random_state: Any) -> tuple[int, int]:
    """Train on all but a share of the examples, and count errors on that share."""
    X_rest, X_held, y_rest, y_held = train_test_split(X, y, test_size=share, random_state=random_state)
    answers = clone(estimator).fit(X_rest, y_rest).predict(X_held)
    return int(np.count_nonzero(np.asarray(answers) != np.asarray(y_held))), len(y_held)
