"""`MajorityVoteClassifier`."""

import math
import platform
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._progress import tell
from ..bounds import Bound, check_delta
from ..certificate import check_per_class
from ..certificate._percent import percent
from ..learning import Learned, Step, learn
from ..learning._learn import named, posterior_kind
from ..posteriors import Posterior
from ..risks import RISKS, Risk
from ..solvers import Solver
from ..voters import VoterSource, as_source
from ._answers import assigned_folds, drawn_answers, mean_vote, win_probabilities
from ._choices import choose_bound, choose_priors, choose_solver, is_auto, risk_name
from ._crossfit import CrossFitted
from ._drawn import DrawnVote
from ._engine import engine, is_dask
from ._repeats import Fingerprints, RepeatedRowsWarning, doubt_of_copies


class MajorityVoteClassifier(CrossFitted, ClassifierMixin, BaseEstimator):
    """A majority vote over many classifiers, fitted by minimising a proven bound on its error.

    The examples are cut into folds at random. The voters of a fold are trained on the other folds and judged on it, the
    weights of the vote are drawn from a distribution that is learned, and nothing is held out: every example helps to
    train and to judge. After ``fit``, ``certificate_`` says how often the vote errs on new examples at most.

    Parameters
    ----------
    voters : "forest", "stumps", estimator, list or VoterSource
        "forest" is a random forest of 100 trees for each fold. A scikit-learn ensemble is trained for each fold and its
        members vote, also as the last step of a pipeline, whose other steps are then fitted for each fold; a list of
        classifiers likewise. Whatever was fitted before is cloned and trained anew, but for what is wrapped in
        ``sklearn.frozen.FrozenEstimator``: that is judged on all examples, which must be new to it.
    risk : str or Risk
        "exact" (the error of the drawn vote), "half", "mc", "first_order", "second_order", "binomial", "c_bound".
    posterior : {"auto", "dirichlet", "categorical", "logit_normal"}
        Distribution of the weights.
    prior : "auto", float or array-like
        Parameter of the prior. "auto" suits the voters: one value for alike voters such as trees, otherwise the best of
        a small grid, which is paid for.
    bound : "auto", str or Bound
        "auto" takes Catoni's bound with a constant for each fold from the other folds if the voters are of a kind that
        can tell how much they err (out of bag); Clopper and Pearson's for one voter without folds; otherwise Catoni's
        with a grid or Seeger's, whichever costs less for this number of examples.
    delta : float
        Probability with which the certificate may fail.
    n_folds : "auto" or int
        "auto" is 3 for voters that learn, and 1 (no folds) for voters that do not.
    solver : str or Solver
        How the bound is minimised.
    per_class : bool
        Also certify the error on the examples of each class (false positive and false negative rates).
    n_jobs : int or None
        Threads or processes for training and asking the voters.
    random_state : int, RandomState or None
        Seed of folds, voters and starts.
    verbose : int
        1 prints what is going on, 2 also the iterations.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_features_in_, feature_names_in_ : int, ndarray
        As in scikit-learn.
    voters_ : list of VoterSet
        The voters of each fold.
    posterior_ : list of Posterior
        The learned distribution of their weights, for each fold.
    certificate_ : Certificate
        What is promised.
    history_ : History
        The iterations.
    fold_sizes_ : tuple of int
        Examples in each fold.
    votes_ : list of VoteMatrix
        What the voters said on the examples that judge them: what `Certificate.verify` needs.
    timings_ : dict
        Seconds spent on training voters, asking them, and learning.
    plain_errors_ : tuple of int or None
        Errors, on the first fold, of the model that its voters belong to (a forest, say) when it predicts by itself,
        and the size of that fold: what a hold-out of that fold gives.

    Warns
    -----
    RepeatedRowsWarning
        If rows repeat more often than independent draws explain.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = MajorityVoteClassifier(RandomForestClassifier(50), random_state=0).fit(X, y)
    >>> clf.certificate_.bound < 0.12
    True
    >>> bool(clf.certificate_.verify(clf.votes_))
    True
    """

    def __init__(
        self,
        voters: Any = "forest",
        *,
        risk: str | Risk = "exact",
        posterior: str = "auto",
        prior: Any = "auto",
        bound: str | Bound = "auto",
        delta: float = 0.05,
        n_folds: int | str = "auto",
        solver: str | Solver = "auto",
        per_class: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.voters = voters
        self.risk = risk
        self.posterior = posterior
        self.prior = prior
        self.bound = bound
        self.delta = delta
        self.n_folds = n_folds
        self.solver = solver
        self.per_class = per_class
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, **unsupported: Any) -> "MajorityVoteClassifier":
        """Train the voters, learn the vote and certify it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Examples; data frames too.
        y : array-like of shape (n,)
            Labels.
        """
        if unsupported:
            raise TypeError(
                f"fit does not take {', '.join(unsupported)}: the certificate is proven for examples that are "
                "independent draws from one distribution, all of equal weight."
            )
        check_delta(self.delta)
        check_per_class(self.per_class, posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk")))
        source = as_source(self.voters)
        if is_dask(X):
            rng, fingerprints = engine().fit_on_cluster(self, X, y)
            doubt = doubt_of_copies(fingerprints)
        else:
            X, codes, folds, rng = self._prepare(X, y, source)
            fingerprints = Fingerprints.of(X, codes)
            doubt = doubt_of_copies(fingerprints, X)
            self._train_voters(X, codes, folds, source, rng)
        if doubt is not None:
            warnings.warn(doubt, RepeatedRowsWarning, stacklevel=2)
        self._learn(source, rng, fingerprints, doubt)
        self.key_ = rng.bytes(16)
        return self

    def _tunes_bound(self, source: VoterSource) -> bool:
        """Whether the bound has constants that the voters' own estimate of their error may choose.

        That is a matter of the kinds of voters, bound and risk, not of the examples.
        """
        wanted = is_auto(self.bound) and risk_name(self.risk) in ("exact", "mc")
        return wanted and source.learns and source.estimates_error

    def _learn(
        self, source: VoterSource, rng: np.random.RandomState, fingerprints: Fingerprints, doubt: str | None
    ) -> None:
        """Learn the weights' distribution; with several priors, keep the best, each having its share of delta."""
        began = time.perf_counter()
        kind = posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk"))
        one_voter = all(v.n_voters == 1 for v in self.votes_)
        priors = choose_priors(self.prior, kind, source)
        if one_voter:
            priors = priors[:1]  # there is nothing to choose
        expected = self.expected_errors_ if self._tunes_bound(source) else None
        solver = choose_solver(self.solver, self.risk, source)
        seed = rng.randint(2**31 - 1)
        candidates = [
            learn(
                self.votes_,
                risk=self.risk,
                posterior=self.posterior,
                prior=prior,
                bound=choose_bound(
                    self.bound, self.fold_sizes_, expected, self.delta / len(priors), one_voter=one_voter
                ),
                delta=self.delta,
                solver=solver,
                random_state=seed,
                assumptions=(*source.assumptions, *self._assumptions(source, fingerprints)),
                per_class=self.per_class,
                alternatives=len(priors),
                context=self._context(source),
                callback=self._show_step,
            )
            for prior in priors
        ]
        best: Learned = min(candidates, key=lambda learned: learned.certificate.bound)
        self.posterior_: list[Posterior] = list(best.posterior)  # type: ignore[arg-type]
        self.prior_: list[Posterior] = list(best.prior)  # type: ignore[arg-type]
        self.certificate_ = replace(
            best.certificate,
            unproven=(*best.certificate.unproven, *(() if source.proven else ("the voters",))),
            warnings=() if doubt is None else (doubt,),
        )
        self.history_ = best.history
        self.timings_["learning"] = time.perf_counter() - began
        tell("learning", 1, 1, f"bound {self.certificate_.bound:.4f}")
        self._say(f"learned in {self.timings_['learning']:.1f} s: bound {self.certificate_.bound:.4f}")

    def _assumptions(self, source: VoterSource, fingerprints: Fingerprints) -> Iterator[str]:
        """What the certificate rests on besides, for these voters and these examples."""
        if not source.learns and source.labels() is None:
            yield "The set of classes was known before, and not taken from these examples."
        if source.learns and all(v.n_voters == 1 for v in self.votes_):
            yield "That each fold has one voter was known before: the number of voters does not depend on the examples."
        if len(self.votes_) > 1:
            yield (
                "Where the folds disagree, predict gives an example to one of them by a hash of its features with a "
                "key that fit drew; its bound is on the average over that key. Over the keys the error of predict has "
                f"a standard deviation of at most about {percent(math.sqrt(fingerprints.may_coincide) / 2)}."
            )

    def _context(self, source: VoterSource) -> dict[str, Any]:
        from .. import __version__

        return {
            "voters": source.describe(),
            "n_features": getattr(self, "n_features_in_", None),
            "classes": [str(label) for label in self.classes_],
            "random_state": self.random_state if isinstance(self.random_state, int) else repr(self.random_state),
            "versions": {
                "stocmv": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
                "scikit-learn": sklearn.__version__,
            },
        }

    def _show_step(self, step: Step) -> None:
        tell("learning", 0, None, f"bound {step.bound:.4f}")
        if self.verbose > 1:
            self._say(f"{step.stage}: bound {step.bound:.5f}, risk {step.risk:.5f}, KL {step.kl:.2f}")

    def _split(self, X: Any, codes: list[NDArray]) -> tuple[NDArray, NDArray, NDArray]:
        """The folds' mean votes, (n_folds, n); the examples on which they differ, and the fold of each of these."""
        answers = np.stack([mean_vote(p, c, len(self.classes_)) for p, c in zip(self.posterior_, codes, strict=True)])
        split = np.flatnonzero((answers != answers[0]).any(0))
        if not len(split):
            return answers, split, split
        return answers, split, assigned_folds(_safe_indexing(X, split), self._shares, self.key_)

    def predict(self, X: Any) -> NDArray:
        """The fixed vote that ``certificate_.deterministic_bound`` speaks of.

        Each fold's voters vote with their mean weights. Where the folds disagree, the example belongs to one of them by
        a keyed hash of its features, so that the same example always gets the same answer; the key was drawn in
        ``fit``, and the bound is on average over it.
        """
        if is_dask(X):
            return engine().answer_on_cluster(self, "predict", X)
        X = self._checked(X)
        answers, split, folds = self._split(X, self._codes(X))
        chosen = answers[0].copy()
        chosen[split] = answers[folds, split]
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> NDArray:
        """Probability that the random vote answers each class; exact for a Dirichlet.

        The random vote draws a fold, then weights. Where the folds' mean votes disagree, it is given the fold that the
        example belongs to, as in `predict`, which therefore answers the most probable class.
        """
        if is_dask(X):
            return engine().answer_on_cluster(self, "predict_proba", X)
        X = self._checked(X)
        codes = self._codes(X)
        answers, split, folds = self._split(X, codes)
        n_classes = len(self.classes_)
        each = np.stack([win_probabilities(p, c, n_classes) for p, c in zip(self.posterior_, codes, strict=True)])
        probabilities = np.tensordot(self._shares, each, axes=1)
        probabilities[split] = each[folds, split]
        chosen = answers[0].copy()
        chosen[split] = answers[folds, split]
        # of classes that are equally probable but for rounding, the one that predict answers comes first
        rows = np.flatnonzero(probabilities.argmax(1) != chosen)
        most = probabilities[rows].argmax(1)
        probabilities[rows, most], probabilities[rows, chosen[rows]] = (
            probabilities[rows, chosen[rows]],
            probabilities[rows, most],
        )
        return probabilities

    def predict_stochastic(self, X: Any, random_state: Any = None) -> NDArray:
        """The certified random vote: for every example a fold and weights are drawn afresh.

        Refused where the certificate is on the vote with fixed weights only, which is what `predict` does.
        """
        self._check_drawn("predict_stochastic")
        if is_dask(X):
            seed = check_random_state(random_state).randint(2**31 - 1)
            return engine().answer_on_cluster(self, "predict_stochastic", X, seed=seed)
        codes = self._codes(self._checked(X))
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        answers = np.stack(
            [drawn_answers(p, c, len(self.classes_), rng) for p, c in zip(self.posterior_, codes, strict=True)]
        )
        n = answers.shape[1]
        return self.classes_[answers[rng.choice(len(answers), n, p=self._shares), np.arange(n)]]

    def draw(self, random_state: Any = None) -> DrawnVote:
        """One majority vote, its fold and weights drawn once, as a classifier of its own.

        Refused where the certificate is on the vote with fixed weights only.
        """
        self._check_drawn("draw")
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        fold = int(rng.choice(len(self.voters_), p=self._shares))
        weights = self.posterior_[fold].sample(1, rng)[0]
        drawn = DrawnVote(self.voters_[fold], weights, self.classes_, checks_input=as_source(self.voters).checks_input)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(drawn, name, getattr(self, name))
        return drawn

    def _check_drawn(self, method: str) -> None:
        """Refuse to draw votes that the certificate says nothing about."""
        check_is_fitted(self)
        if not self.certificate_.covers_drawn:
            raise ValueError(
                f"{method} draws single voters from a categorical posterior, and risk={self.certificate_.risk!r} "
                "certifies the weighted vote of all of them only: use predict, or risk='exact'."
            )
