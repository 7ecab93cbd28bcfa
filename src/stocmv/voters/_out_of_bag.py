"""The members of a fitted ensemble, judged by the examples that they were not trained on."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..votes import OutOfBagVotes, VoteMatrix, check_classes, check_labels, code_dtype, encode
from ._ensemble import EnsembleVoters
from ._frozen import frozen_parts


def out_of_bag_votes(ensemble: BaseEstimator, X: Any, y: ArrayLike, unlabelled: Any = None) -> OutOfBagVotes:
    """Votes of the members of a forest or of bagging on those of its training examples that they have not seen.

    Nothing is held out: with `learn` and a risk such as "second_order", all examples train and judge, and what is
    certified is the weighted vote of all members. The members and their settings must not have been chosen by looking
    at these examples.

    Parameters
    ----------
    ensemble : fitted scikit-learn ensemble
        A forest, extra trees or bagging with ``bootstrap=True`` (or ``max_samples`` below one).
    X, y : array-like
        The examples that it was fitted on, in the same order.
    unlabelled : array-like, optional
        Further examples without labels, for two classes: they show how often members disagree, which the risks
        "c_bound", "ccpbskl" and "disagreement" use.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import learn
    >>> from stocmv.voters import out_of_bag_votes
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> learned = learn(out_of_bag_votes(forest, X, y), risk="second_order", random_state=0)
    >>> learned.certificate.bound < 0.3
    True
    """
    check_is_fitted(ensemble)
    _check_kind(ensemble)
    _check_sampling(ensemble)
    classes, y = check_classes(ensemble.classes_), check_labels(y, "y", 1)
    codes = EnsembleVoters(ensemble).codes(X).astype(code_dtype(len(classes) + 1))
    if len(codes) != len(y):
        raise ValueError(f"X has {len(codes)} rows but y has {len(y)} labels: they must be the same examples.")
    if ensemble._n_samples != len(y):  # further rows, such as copies, would judge every member
        raise ValueError(
            f"X has {len(y)} rows, but the ensemble was fitted on {ensemble._n_samples}: pass all of its examples, and "
            "no others."
        )
    judged = np.ones(codes.shape, bool)
    for j, sample in enumerate(ensemble.estimators_samples_):
        judged[sample, j] = False
    errors = VoteMatrix.from_codes(
        np.where(judged, codes.astype(int), -1), encode(y, classes, "y"), np.asarray(classes)
    )
    votes = OutOfBagVotes.of_gaps(errors)
    if unlabelled is not None:
        votes = votes.with_unlabelled(classes[EnsembleVoters(ensemble).codes(unlabelled)])
    _ = votes.pairs  # refuses members that have no judges
    return votes


def _check_kind(ensemble: BaseEstimator) -> None:
    """Refuse what is no ensemble of classifiers that knows its samples."""
    if not hasattr(ensemble, "estimators_samples_") or not hasattr(ensemble, "_n_samples"):
        raise ValueError(
            f"ensemble is a {type(ensemble).__name__}, which does not say on which examples each of its members was "
            "trained: use a forest, extra trees or bagging."
        )
    if not type(ensemble).fit.__module__.startswith("sklearn.ensemble."):
        raise ValueError(
            f"ensemble is a {type(ensemble).__name__}, which has a fit of its own: it may draw other samples than "
            "scikit-learn computes again, so that members would be judged by what trained them. Use a forest, extra "
            "trees or bagging of scikit-learn."
        )
    if not isinstance(getattr(ensemble, "classes_", None), np.ndarray):
        raise ValueError(
            f"ensemble is a {type(ensemble).__name__} that does not answer with one class: use a classifier, fitted on "
            "one label for each example."
        )


def _check_sampling(ensemble: BaseEstimator) -> None:
    """Refuse samples that were not drawn at random without looking at the labels."""
    if not (getattr(ensemble, "bootstrap", False) or getattr(ensemble, "max_samples", None) not in (None, 1.0)):
        raise ValueError("ensemble was fitted with bootstrap=False: each member has seen all examples.")
    if getattr(ensemble, "class_weight", None) is not None or getattr(ensemble, "_sample_weight", None) is not None:
        raise ValueError(
            "ensemble was fitted with class_weight or sample_weight, by which scikit-learn may draw the samples: the "
            "examples that are left then do not follow the distribution of all examples. Fit it without them."
        )
    if any(True for _ in frozen_parts(getattr(ensemble, "estimator", None))):
        raise ValueError(
            "ensemble has members, or parts of them, that were fitted before (FrozenEstimator): they were not trained "
            "on its samples."
        )
    if getattr(ensemble, "warm_start", False):
        raise ValueError(
            "ensemble was fitted with warm_start=True: its members may come from several fits, but only the samples of "
            "the last one are known. Fit it once, without warm_start."
        )
