"""`MajorityVoteClassifier`."""

import math
import platform
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from ..bounds import BOUNDS, Bound, check_delta
from ..certificate import Costs, certify_tested, check_cost, check_per_class, check_tested, percent, share
from ..checks import Fingerprints, OrderTest, OrderWarning, RepeatedRowsWarning
from ..engines import ClusterExamples, by_partition, is_dask
from ..learning import (
    History,
    Learned,
    check_silence,
    drawn_answers,
    learn,
    mean_vote,
    mean_weights,
    named,
    posterior_kind,
    warn_unfinished,
    win_probabilities,
)
from ..posteriors import Posterior
from ..progress import logger, stage, verbosely
from ..protocols import (
    TESTS,
    Cut,
    Examples,
    Made,
    Recipe,
    VotingEstimator,
    all_or_nothing,
    choose_bound,
    choose_cut,
    choose_priors,
    choose_solver,
    cross_fit,
    is_auto,
    is_tested,
    risk_name,
)
from ..risks import RISKS, Risk
from ..solvers import SOLVERS, Solver
from ..voters import VoterSource, as_source, unused_settings
from ..votes import check_device
from ._answers import assigned_folds
from ._drawn import DrawnVote
from ._selecting import Selecting


class MajorityVoteClassifier(VotingEstimator, Selecting, ClassifierMixin, BaseEstimator):
    """Majority vote over many classifiers, with a proven bound on the error of `predict`.

    Some of the examples train the voters and set their weights; the others only judge the result, so the bound pays
    nothing for learning. After ``fit``, ``certificate_.bound`` is an upper bound on the error of `predict` on new
    examples.

    The certificate is about `predict` of this object. What wraps it and answers differently is not covered:
    ``FixedThresholdClassifier``, ``TunedThresholdClassifierCV``, ``CalibratedClassifierCV``, a pipeline with other
    steps before it.

    Parameters
    ----------
    voters : "forest", "stumps", "answers", estimator, list or VoterSource
        "forest" is a random forest of 100 trees. "answers" means that ``X`` is a table of the voters' answers, one
        column per voter. A scikit-learn ensemble contributes its members as voters, also as the last step of a
        pipeline, whose other steps are fitted along with it; in a list of classifiers, each is a voter. Fitted
        classifiers are cloned and trained again, unless wrapped in ``sklearn.frozen.FrozenEstimator``: a frozen
        classifier must not have seen any of the examples. A ``VotingClassifier`` stands for the list of its members:
        its ``voting`` and ``weights`` are not used, which `fit` warns of.
    risk : str or Risk
        The risk that learning the weights minimises: "exact" (the error of the stochastic vote), "half", "mc",
        "first_order", "second_order", "binomial" or "c_bound".
    posterior : {"auto", "dirichlet", "categorical", "logit_normal"}
        Distribution of the weights.
    prior : "auto", float or array-like
        Parameter of the prior. "auto" depends on the voters: 50 for interchangeable ones such as trees, 1 for others;
        with a PAC-Bayes bound the others get the best of a grid, sparse to dense (the bound pays for the choice).
    bound : "auto", str or Bound
        "auto" tests the vote on examples that had no part in making it: with the Clopper-Pearson bound for a hold-out
        and the fold test ("fold_test") for folds. A PAC-Bayes bound ("seeger", "catoni", "catoni_per_fold", ...)
        learns the weights on the judging folds and pays for that through the KL, as the paper does.
    delta : float
        Probability that the certificate fails, at most.
    holdout : "auto" or float
        Share of the examples (or groups) that only judge. "auto" is a third below 20,000 examples, a fifth up to
        200,000 and a tenth above. If nothing is learned from the examples, none are held out: all of them judge.
    n_folds : int or None
        Use folds instead of a hold-out: each fold judges the vote made from the other folds, so every example trains
        and judges. `predict` then splits the examples among the folds' votes.
    inner_folds : int
        Number of cross-validation folds, within the training examples, on which voters of different kinds are compared
        to set their weights; 0 gives all voters the same weight. Interchangeable voters always have equal weights.
    solver : str or Solver
        Minimises the objective when the weights are learned.
    per_class : bool
        Also certify the error on each class, which is one minus its recall (with two classes, the false positive and
        false negative rates), and, if the judging examples only test, its precision.
    cost : array-like of shape (n_classes, n_classes), dict or None
        Cost of each answer, to certify the mean cost as well: rows are true classes and columns answers, in the order
        of ``classes_``; or a dict ``{truth: {answer: cost}}``, which may name classes that do not occur in ``y``.
        Learning ignores it.
    n_jobs : int or None
        Number of threads or processes that train the voters and collect their votes.
    device : {None, "cuda"}
        "cuda" learns the weights on an NVIDIA GPU (extra ``gpu``), which pays from some millions of examples on. It
        trains no voters, and has no use for voters with equal weights. The certificate is computed on the CPU.
    random_state : int, RandomState or None
        Seed for the split, the voters and the solver's starts.
    verbose : int
        1 prints progress, 2 also the iterations: the messages of the logger "stocmv" at level INFO or DEBUG.

    Attributes
    ----------
    classes_ : ndarray
        Class labels.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray
        Feature names, if those of ``X`` were all strings.
    voters_ : list of VoterSet
        The voters of each fold; one entry without folds.
    posterior_ : list of Posterior
        The distribution of the weights, for each fold.
    certificate_ : Certificate
        The bound on the error of `predict`, with everything needed to check it.
    history_ : History
        The iterations that learned the weights, for all folds.
    n_iter_ : int
        Number of these iterations; 0 with equal weights.
    votes_ : list of VoteMatrix
        The votes on the judging examples, which `Certificate.verify` needs. Not saved in model files.
    timings_ : dict
        Seconds spent making the vote ("voters"), collecting the votes ("votes") and certifying ("certificate").
    plain_errors_ : tuple of int or None
        Errors that the model which the voters belong to (a forest, say) makes by itself on the first judging part, and
        the size of that part: what a plain hold-out would report. None if there is no such model.
    order_test_ : OrderTest or None
        Test of whether the judging examples look randomly ordered, with its p-values; None on a cluster.
    key_ : bytes or None
        Key of the hash that assigns an example to a fold when the folds disagree; None without folds.

    Warns
    -----
    RepeatedRowsWarning
        If rows repeat more often than in independent draws.
    OrderWarning
        If errors or class frequencies change along the rows more than in 99.9 % of random orders.
    UserWarning
        If a ``VotingClassifier`` has soft votes or weights, which are not used.
    ConvergenceWarning
        If the solver stopped before it converged; the warning says what to set. The certificate still holds.

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
        holdout: float | str = "auto",
        n_folds: int | None = None,
        inner_folds: int = 3,
        solver: str | Solver = "auto",
        per_class: bool = False,
        cost: Any = None,
        n_jobs: int | None = None,
        device: str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.voters = voters
        self.risk = risk
        self.posterior = posterior
        self.prior = prior
        self.bound = bound
        self.delta = delta
        self.holdout = holdout
        self.n_folds = n_folds
        self.inner_folds = inner_folds
        self.solver = solver
        self.per_class = per_class
        self.cost = cost
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @verbosely
    @all_or_nothing
    def fit(self, X: Any, y: Any, groups: Any = None, time: Any = None, **unsupported: Any) -> "MajorityVoteClassifier":
        """Train the voters, learn their weights and certify the vote.

        If it fails or is interrupted, the classifier is unfitted, also if it was fitted before.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
            Examples; data frames too.
        y : array-like of shape (n,)
            Labels.
        groups : array-like of shape (n,), optional
            The group of each example (a patient, say), if examples of the same group depend on each other. A group
            stays in one part, its loss is the mean over its examples, and the certificate is about new groups.
        time : array-like of shape (n,), optional
            When each example was recorded, as numbers or dates. Used only by ``order_test_``, which otherwise goes by
            the order of the rows.
        """
        if unsupported:
            raise TypeError(
                f"fit does not take {', '.join(unsupported)}: the certificate is proven for independent draws from one "
                "distribution, all of equal weight."
            )
        self._check_parameters(groups)
        examples = self._examples(X, y, groups, time)
        self.classes_ = examples.classes
        rng = check_random_state(self.random_state)
        self._costs()  # bad costs are refused before anything is trained
        recipe = self._recipe(examples.source)
        cut = self._cut(recipe, examples.n_units, grouped=groups is not None)
        fitted = cross_fit(examples, cut, recipe, rng)
        self._keep(fitted, examples.source)
        if (unused := unused_settings(self.voters)) is not None:
            warnings.warn(unused, UserWarning, stacklevel=4)
        if examples.doubt is not None:
            warnings.warn(examples.doubt, RepeatedRowsWarning, stacklevel=4)
        self._certify(examples, fitted.made, rng)
        self._test_order(examples)
        if is_tested(self.bound):  # otherwise learn has warned
            warn_unfinished(self.history_, self.solver, stacklevel=4)
        self.n_iter_ = len(self.history_)
        self.key_ = rng.bytes(16) if len(self.voters_) > 1 else None
        return self

    def _examples(self, X: Any, y: Any, groups: Any, time: Any) -> Examples:
        """The checked examples, on this machine or on a cluster."""
        if not is_dask(X):
            return self._local_examples(X, y, groups, time)
        if time is not None:
            raise ValueError("time needs examples in memory: their order is not tested on a cluster.")
        if self.device is not None:
            raise ValueError(
                f"device={self.device!r} needs examples in memory: votes on a cluster stay on its workers."
            )
        examples = ClusterExamples(X, y, groups, as_source(self.voters))
        self.n_features_in_ = examples.n_features
        if examples.feature_names is not None:
            self.feature_names_in_ = examples.feature_names
        return examples

    def _check_parameters(self, groups: Any) -> None:
        check_delta(self.delta)
        check_device(self.device)
        named(self.solver, SOLVERS, Solver, "solver")
        kind = posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk"))
        if is_tested(self.bound):
            check_tested(kind)
            if self.bound == "clopper_pearson" and self.n_folds is not None:
                raise ValueError(
                    f"bound='clopper_pearson' and n_folds={self.n_folds!r}: that bound is for a hold-out, use "
                    "bound='fold_test' for folds."
                )
        else:
            check_per_class(self.per_class, kind)
            if self.cost is not None:
                raise ValueError(f"cost needs a vote that is only tested, not bound={self.bound!r}: use bound='auto'.")
            if groups is not None:
                raise ValueError(f"groups need a vote that is only tested, not bound={self.bound!r}: use bound='auto'.")
            names = (*TESTS, *BOUNDS, "catoni_per_fold")
            if self.bound not in names and not isinstance(self.bound, Bound):
                raise ValueError(f"bound must be one of {', '.join(map(repr, names))}, got {self.bound!r}.")
        inner: Any = self.inner_folds
        if not isinstance(inner, int | np.integer) or inner < 0 or inner == 1:
            raise ValueError(f"inner_folds must be 0 or an integer of at least 2, got {self.inner_folds!r}.")

    def _costs(self) -> Costs | None:
        return None if self.cost is None else check_cost(self.cost, self.classes_.tolist())

    def _recipe(self, source: VoterSource) -> Recipe:
        """How to make a vote from the examples that do not judge it."""
        tested = is_tested(self.bound)
        tuned = isinstance(self.bound, str) and self.bound in ("fold_test", "catoni_per_fold")
        return Recipe(
            source,
            self.classes_,
            weighs=tested,
            estimates=tuned or (tested and self.n_folds is not None),
            inner_folds=int(self.inner_folds),
            risk=self.risk,
            posterior=self.posterior,
            prior=self.prior,
            solver=self.solver,
            delta=self.delta,
            device=self.device,
        )

    def _cut(self, recipe: Recipe, n: int, *, grouped: bool) -> Cut:
        return choose_cut(
            self.holdout,
            self.n_folds,
            n,
            tested=recipe.weighs,
            folds_wanted=isinstance(self.bound, str) and self.bound == "fold_test",
            learns=recipe.learns,
            grouped=grouped,
        )

    def _certify(self, examples: Examples, made: Sequence[Made], rng: np.random.RandomState) -> None:
        """Certify the votes, after learning the weights if that is done on the judging examples."""
        began = time.perf_counter()
        source = examples.source
        assumptions = (*source.assumptions, *self._assumptions(source, examples.fingerprints))
        if is_tested(self.bound):
            self.posterior_: list[Posterior] = [m.posterior for m in made]  # type: ignore[misc]
            self.history_ = History.joined([m.history for m in made])
            with stage("certifying"):
                certificate = certify_tested(
                    self.votes_,
                    self.posterior_,
                    self.delta,
                    [m.expected for m in made if m.expected is not None],
                    assumptions,
                    per_class=self.per_class,
                    cost=self._costs(),
                    context=self._context(source),
                )
        else:
            learned = self._learned(source, made, rng, assumptions)
            self.posterior_ = list(learned.posterior)  # type: ignore[arg-type]
            self.history_ = learned.history
            certificate = learned.certificate
        self.certificate_ = replace(
            certificate,
            context={**certificate.context, "protocol": self._protocol(source, made, certificate.n)},
            unproven=(*certificate.unproven, *(() if source.proven else ("the voters",))),
            warnings=() if examples.doubt is None else (examples.doubt,),
        )
        self.timings_["certificate"] = time.perf_counter() - began
        logger.info("certified in %.1f s: bound %.4f", self.timings_["certificate"], self.certificate_.bound)

    def _test_order(self, examples: Examples) -> None:
        """Test whether errors and classes change along the rows."""
        self.order_test_: OrderTest | None = examples.order_test(self.votes_, self.posterior_)
        doubt = None if self.order_test_ is None else self.order_test_.doubt
        if doubt is not None:
            warnings.warn(doubt, OrderWarning, stacklevel=5)
            self.certificate_ = replace(self.certificate_, warnings=(*self.certificate_.warnings, doubt))

    def _learned(
        self, source: VoterSource, made: Sequence[Made], rng: np.random.RandomState, assumptions: Sequence[str]
    ) -> Learned:
        """Learn the weights on the judging examples; of several priors keep the best, with delta shared among all."""
        kind = posterior_kind(self.posterior, named(self.risk, RISKS, Risk, "risk"))
        priors = choose_priors(self.prior, kind, source)
        if all(v.n_voters == 1 for v in self.votes_):
            priors = priors[:1]  # nothing to choose
        expected = [None if m.expected is None else m.expected.overall for m in made]
        sizes = [v.n_examples for v in self.votes_]
        seed = rng.randint(2**31 - 1)
        candidates = [
            learn(
                self.votes_,
                risk=self.risk,
                posterior=self.posterior,
                prior=prior,
                bound=choose_bound(self.bound, sizes, expected, share(self.delta, priors=len(priors))),
                delta=self.delta,
                solver=choose_solver(self.solver, self.risk, source),
                random_state=seed,
                device=self.device,
                assumptions=assumptions,
                per_class=self.per_class,
                alternatives=len(priors),
                context=self._context(source),
            )
            for prior in priors
        ]
        return min(candidates, key=lambda learned: learned.certificate.stochastic_bound)

    def _assumptions(self, source: VoterSource, fingerprints: Fingerprints) -> Iterator[str]:
        """Assumptions of the certificate that are specific to these voters and examples."""
        yield "A voter's answer to an example does not depend on the examples that it is asked together with."
        # Given the classes of its rows, a group is no longer a random draw; and given an answer, its class is random.
        # So the number of classes must not depend on the examples.
        classes_matter = self.per_class and (self.votes_[0].grouped or is_tested(self.bound))
        if classes_matter or (not source.learns and source.labels() is None):
            yield "The set of classes was known before, and not taken from these examples."
        if not is_tested(self.bound) and source.learns and all(v.n_voters == 1 for v in self.votes_):
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
            "voters": " ".join(filter(None, (source.describe(), unused_settings(self.voters)))),
            "weights": self._how_weighted(source),
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

    def _protocol(self, source: VoterSource, made: Sequence[Made], n: int) -> dict[str, Any]:
        """Number of examples (or groups) that made the vote, and number that judged it."""
        if len(made) > 1:
            return {"name": "folds", "learning": n, "judging": n}
        if not is_tested(self.bound):
            return {"name": "all", "learning": n, "judging": n}
        learns, held = self._recipe(source).learns, not is_auto(self.holdout) and bool(self.holdout)
        return {
            "name": "holdout" if learns or held else "all",
            "learning": made[0].n if learns else 0,
            "judging": n,
        }

    def _how_weighted(self, source: VoterSource) -> str:
        if not is_tested(self.bound):
            return "learned on the examples that judge, and paid for"
        if self._recipe(source).equal or not len(self.history_):
            return "equal" if is_auto(self.prior) else "given by the prior"
        return f"learned for the risk {risk_name(self.risk)!r} on examples that do not judge"

    @property
    def _shares(self) -> NDArray:
        return np.array(self.certificate_.fold_shares)

    def _answered(self, X: Any) -> tuple[list[NDArray], NDArray, NDArray, NDArray]:
        """Votes of each fold, answers of `predict`, where the folds disagree, and the fold that answers there."""
        codes = self._codes(X)
        check_silence(codes, len(self.classes_), self.certificate_)
        answers = np.stack([mean_vote(p, c, len(self.classes_)) for p, c in zip(self.posterior_, codes, strict=True)])
        chosen, split = answers[0], np.flatnonzero((answers != answers[0]).any(0))
        if not len(split) or self.key_ is None:
            return codes, chosen, split, split
        folds = assigned_folds(_safe_indexing(X, split), self._shares, self.key_)
        chosen = chosen.copy()
        chosen[split] = answers[folds, split]
        return codes, chosen, split, folds

    @by_partition
    def predict(self, X: Any) -> NDArray:
        """Answers of the deterministic vote, whose error ``certificate_.bound`` bounds: voters have their mean weights.

        If folds disagree on an example, a keyed hash of its features picks the fold that answers, so the same example
        always gets the same answer. `fit` drew the key, and the bound is on the error averaged over keys.
        """
        answers = self._answered(self._checked(X))[1]
        return self.classes_[answers]

    @by_partition
    def predict_proba(self, X: Any) -> NDArray:
        """Expected weight of the voters for each class; the class with the largest is what `predict` answers.

        With folds: the mean over folds if they agree, otherwise that of the fold that answers.
        """
        codes, chosen, split, folds = self._answered(self._checked(X))
        each = np.stack([mean_weights(p, c, len(self.classes_)) for p, c in zip(self.posterior_, codes, strict=True)])
        weights = np.tensordot(self._shares, each, axes=1)
        weights[split] = each[folds, split]
        # among tied classes, make the one that predict answers the largest
        rows = np.flatnonzero(weights.argmax(1) != chosen)
        most = weights[rows].argmax(1)
        weights[rows, most], weights[rows, chosen[rows]] = weights[rows, chosen[rows]], weights[rows, most]
        return weights / weights.sum(1, keepdims=True)

    @by_partition
    def predict_stochastic_proba(self, X: Any) -> NDArray:
        """Probability that the stochastic vote gives each class; exact for a Dirichlet.

        The stochastic vote draws a fold (if there are several) and then weights.
        """
        codes = self._codes(self._checked(X))
        each = [win_probabilities(p, c, len(self.classes_)) for p, c in zip(self.posterior_, codes, strict=True)]
        return np.tensordot(self._shares, np.stack(each), axes=1)

    def predict_stochastic(self, X: Any, random_state: Any = None) -> NDArray:
        """Answers of the stochastic vote, which draws new weights (and with folds, first a fold) for every example.

        Refused if the certificate is only about the deterministic vote, which is what `predict` does.
        """
        self._check_drawn("predict_stochastic")
        return self._drawn_answers(X, random_state=random_state)

    @by_partition
    def _drawn_answers(self, X: Any, random_state: Any) -> NDArray:
        codes = self._codes(self._checked(X))
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        answers = np.stack(
            [drawn_answers(p, c, len(self.classes_), rng) for p, c in zip(self.posterior_, codes, strict=True)]
        )
        n = answers.shape[1]
        return self.classes_[answers[rng.choice(len(answers), n, p=self._shares), np.arange(n)]]

    def draw(self, random_state: Any = None) -> DrawnVote:
        """One majority vote, its fold and weights drawn once, as a fitted classifier with `predict` and `score`.

        Refused if the certificate is only about the deterministic vote.
        """
        self._check_drawn("draw")
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        fold = int(rng.choice(len(self.voters_), p=self._shares))
        weights = self.posterior_[fold].sample(1, rng)[0]
        drawn = DrawnVote(self.voters_[fold], weights, self.classes_.copy(), self.input_form_.checks_input)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(drawn, name, getattr(self, name))
        return drawn

    def _check_drawn(self, method: str) -> None:
        """Refuse to draw votes that the certificate does not cover."""
        check_is_fitted(self)
        if not self.certificate_.covers_drawn:
            raise ValueError(
                f"{method} draws single voters from a categorical posterior, and risk={self.certificate_.risk!r} "
                "certifies only the deterministic vote of all of them: use predict, or risk='exact'."
            )
