"""What one has without us: hold some examples out, and count errors on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import beta
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from ..risks._mc import argmax_error
from ..votes import Votes
from ._percent import percent

if TYPE_CHECKING:
    from ._certificate import Certificate


@dataclass(frozen=True)
class HoldoutComparison:
    """A certificate beside the hold-out bound of the same examples and the same delta.

    Attributes
    ----------
    bound, deterministic_bound : float
        The certificate's.
    holdout_bound : float
        Clopper and Pearson's upper bound on the error of the classifier that was trained on the rest.
    n_errors, n_holdout : int
        What was counted on the examples held out.
    """

    bound: float
    deterministic_bound: float
    holdout_bound: float
    n_errors: int
    n_holdout: int
    delta: float

    def __str__(self) -> str:
        verdict = "tighter than" if self.bound < self.holdout_bound else "not tighter than"
        return (
            f"The certificate ({percent(self.bound)}; fixed vote {percent(self.deterministic_bound)}) is "
            f"{verdict} a hold-out bound ({percent(self.holdout_bound)}, from {self.n_errors} errors on "
            f"{self.n_holdout} examples that then trained nothing), both at delta = {self.delta:g}."
        )


def clopper_pearson(n_errors: int, n: int, delta: float) -> float:
    """Upper bound on the error of a fixed classifier that made ``n_errors`` errors on ``n`` new examples.

    Examples
    --------
    >>> from stocmv.certificate import clopper_pearson
    >>> round(clopper_pearson(3, 100, 0.05), 4)
    0.0757
    """
    if not 0 <= n_errors <= n or n < 1:
        raise ValueError(f"n_errors must lie between 0 and n, got {n_errors} of {n}.")
    return 1.0 if n_errors == n else float(beta.ppf(1 - delta, n_errors + 1, n - n_errors)) * (1 + 1e-12)


def count_holdout_errors(estimator: Any, X: Any, y: Any, share: float, random_state: Any) -> tuple[int, int]:
    """Train on all but a share of the examples, and count errors on that share."""
    X_rest, X_held, y_rest, y_held = train_test_split(X, y, test_size=share, random_state=random_state)
    answers = clone(estimator).fit(X_rest, y_rest).predict(X_held)
    return int(np.count_nonzero(np.asarray(answers) != np.asarray(y_held))), len(y_held)


def compare_fold(certificate: "Certificate", votes: Sequence[Votes]) -> HoldoutComparison | None:
    """Compare with what the first fold alone gives, at no further cost.

    Its voters were trained on the other folds; their vote with equal weights is judged on it, as one would who holds
    that fold out. None without folds.
    """
    if len(votes) < 2:
        return None
    fold = votes[0]
    equal = np.full(fold.n_voters, 1 / fold.n_voters)
    errors = round(fold.mean(partial(argmax_error, equal)) * fold.n_examples)
    bound = clopper_pearson(errors, fold.n_examples, certificate.delta)
    return HoldoutComparison(
        certificate.bound, certificate.deterministic_bound, bound, errors, fold.n_examples, certificate.delta
    )
