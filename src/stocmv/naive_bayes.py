"""`NaiveBayesVote`: voters weighted by the odds that each of them is right."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state

from .progress import verbosely
from .protocols import Recipe, VotingEstimator, all_or_nothing, choose_cut, cross_fit
from .votes import VoteMatrix, class_weights

__all__ = ["NaiveBayesVote"]


class NaiveBayesVote(VotingEstimator, ClassifierMixin, BaseEstimator):
    r"""A weighted vote over many classifiers that treats their errors as independent (Berend and Kontorovich 2015).

    A voter that was right on :math:`c` and wrong on :math:`w` of the examples that judge it has the weight
    :math:`\ln \frac{1 + c}{1 + w}`, and the class with the largest sum of weights wins. A voter that is wrong more
    often than right has a negative weight: it counts against the class that it answers.

    Voters that learn are cross-fitted: those of a fold are trained on the other folds and weighted by their answers on
    the fold, and the voters of all folds vote together. There is no certificate: nothing is proven about the error of
    this vote. For that, use `MajorityVoteClassifier`.

    Parameters
    ----------
    voters : "forest", "stumps", estimator, list or VoterSource
        As for `MajorityVoteClassifier`.
    n_folds : int or None
        None is 3 for voters that learn, and 1 (all examples judge) for voters that do not.
    n_jobs : int or None
        Number of threads or processes that train the voters and collect their votes.
    random_state : int, RandomState or None
        Seed for folds and voters.
    verbose : int
        1 prints progress: the messages of the logger "stocmv" at level INFO.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray
        As in scikit-learn.
    voters_ : list of VoterSet
        The voters of each fold.
    weights_ : list of ndarray
        Their weights, for each fold.
    votes_ : list of VoteMatrix
        The votes on the judging examples, for each fold.
    timings_ : dict
        Seconds spent training the voters and collecting their votes.

    References
    ----------
    D. Berend and A. Kontorovich, "A finite sample analysis of the naive Bayes classifier", Journal of Machine Learning
    Research 16, 2015.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv.naive_bayes import NaiveBayesVote
    >>> X, y = make_moons(600, noise=0.2, random_state=0)
    >>> vote = NaiveBayesVote("stumps", random_state=0).fit(X[:400], y[:400])
    >>> vote.score(X[400:], y[400:]) > 0.8
    True
    >>> [len(weights) for weights in vote.weights_]  # two features, ten thresholds, two sides
    [40, 40, 40]
    """

    def __init__(
        self,
        voters: Any = "forest",
        *,
        n_folds: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.voters = voters
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @verbosely
    @all_or_nothing
    def fit(self, X: Any, y: Any) -> "NaiveBayesVote":
        """Train the voters and weight them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Examples; data frames too.
        y : array-like of shape (n,)
            Labels.
        """
        examples = self._local_examples(X, y)
        source, n = examples.source, examples.n_units
        cut = choose_cut("auto", self.n_folds, n, tested=False, folds_wanted=False, learns=source.learns)
        recipe = Recipe(source, examples.classes, weighs=False, estimates=False)
        self.classes_ = examples.classes
        self._keep(cross_fit(examples, cut, recipe, check_random_state(self.random_state)), source)
        self.weights_ = [log_odds(votes.whole()) for votes in self.votes_]
        return self

    def _scores(self, X: Any) -> NDArray:
        """Total weight of the voters of all folds for each class: (n, n_classes)."""
        each = zip(self._codes(self._checked(X)), self.weights_, strict=True)
        return np.sum([class_weights(codes, len(self.classes_), weights) for codes, weights in each], axis=0)

    def predict(self, X: Any) -> NDArray:
        """Class with the largest sum of weights; of tied classes, the first."""
        winners = self._scores(X).argmax(1)
        return self.classes_[winners]

    def predict_proba(self, X: Any) -> NDArray:
        """Softmax of the summed weights, not a calibrated probability.

        With two equally frequent classes it would be the probability of each if the voters erred independently of each
        other and of the class. They hardly ever do, so it is far overconfident.
        """
        return softmax(self._scores(X), axis=1)


def log_odds(votes: VoteMatrix) -> NDArray:
    """Weight of each voter: the logarithm of one plus how often it is right over one plus how often it errs.

    Examples
    --------
    >>> from stocmv import VoteMatrix
    >>> from stocmv.naive_bayes import log_odds
    >>> log_odds(VoteMatrix.from_labels([[0, 1], [1, 0], [0, 1]], [0, 1, 0])).round(3).tolist()  # ln 4, ln 1/4
    [1.386, -1.386]
    """
    ones = votes.counts if votes.counts.size else np.ones(votes.n_rows)
    return np.log1p(votes.right_column_sums(ones)) - np.log1p(votes.column_sums(ones))
