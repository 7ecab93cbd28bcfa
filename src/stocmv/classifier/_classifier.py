"""`MajorityVoteClassifier`."""

import copy
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..bounds import Bound
from ..certificate import Certificate, Judgments, certify_drawn, check_cost
from ..checks import OrderTest, OrderWarning, RepeatedRowsWarning
from ..cluster import answer_on_cluster, by_partition, is_dask
from ..decisions import (
    ClassWeightVote,
    RocBand,
    RocPoint,
    SelectiveVote,
    ThresholdVote,
    best_other,
    certify_class_weights,
    certify_selective,
    certify_threshold,
    roc_band,
)
from ..learning import (
    History,
    check_silence,
    warn_unfinished,
)
from ..posteriors import Posterior
from ..progress import verbosely
from ..protocols import FittedVote, Protocol, VotingRule, weights_digest
from ..risks import Risk
from ..solvers import Solver
from ..voters import VoterSet
from ..votes import Votes
from ._all_or_nothing import all_or_nothing
from ._answering_folds import FoldReply, answering_folds, disagreeing
from ._drawn import DrawnVote
from ._input import Beside, InputForm, checked_examples, training_examples
from ._plan import check_parameters, choose_voting, plan_fit


class MajorityVoteClassifier(ClassifierMixin, BaseEstimator):
    """Majority vote over many classifiers, with a proven bound on the error of `predict`.

    Some of the examples train the voters and set their weights; the others only judge the result, so the bound pays
    nothing for learning. After ``fit``, ``certificate_.bound`` is an upper bound on the error of `predict` on new
    examples.

    The certificate is about `predict` of this object. What wraps it and answers differently is not covered:
    ``FixedThresholdClassifier``, ``TunedThresholdClassifierCV``, ``CalibratedClassifierCV``, a pipeline with other
    steps before it.

    Parameters
    ----------
    voters : "forest", "models", "stumps", "answers", "scores", estimator, list or VoterSource
        "forest" is a random forest of 100 trees. "models" are seven different classifiers whose weights are learned;
        they also read data frames with words and gaps. "answers" means that ``X`` is a table of the voters' answers,
        one column per voter; "scores", a table of their probabilities, a block of columns per voter. In a list of
        classifiers each is a voter, with a weight that is learned; a soft vote adds a stack of them, a logistic
        regression on their probabilities, as one more voter. A model is trained here, also if it was fitted
        before, unless it is wrapped in ``sklearn.frozen.FrozenEstimator``: a frozen classifier must not have seen any
        of the examples.
    voting : {"auto", "soft", "hard"}
        "soft" adds up the voters' probabilities, "hard" counts their answers. "auto" is soft where the judging examples
        only test, every voter has ``predict_proba`` and the stochastic vote is not asked for, otherwise hard. In a soft
        vote a forest, a pipeline or any other model is one voter: `predict` and `predict_proba` are its own. In a hard
        vote the members of a forest, of bagging or of a ``VotingClassifier`` (with its weights) are voters.
    risk : str or Risk
        The risk that learning the weights minimises: "exact" (the error of the stochastic vote), "half", "mc",
        "first_order", "second_order", "binomial", "c_bound", "cctnd", "ccpbb", "ccpbskl" or "disagreement". The weights
        of a soft vote are learned for the log loss if the judging examples only test; with a PAC-Bayes bound, "exact"
        is the risk "soft" of `learn`.
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
    holdout : "auto", float or Protocol
        Share of the examples (or groups) that only judge. "auto" is a third below 20,000 examples, a fifth up to
        200,000 and a tenth above. If nothing is learned from the examples, none are held out: all of them judge. A
        `stocmv.protocols.Protocol` of your own says itself who judges.
    n_folds : int or None
        Use folds instead of a hold-out: each fold judges the vote made from the other folds, so every example trains
        and judges. `predict` then splits the examples among the folds' votes.
    inner_folds : int
        Number of cross-validation folds, within the training examples, on which voters of different kinds are compared
        to set their weights; 0 gives all voters the same weight. Interchangeable voters always have equal weights.
    solver : str or Solver
        Minimises the objective when the weights are learned.
    stochastic : bool
        Also certify the stochastic vote, which `predict_stochastic` and `draw` need. With a PAC-Bayes bound it always
        is.
    per_class : bool
        Also certify the error on each class, which is one minus its recall (with two classes, the false positive and
        false negative rates), and, if the judging examples only test, its precision, and with a hold-out without
        groups its F1.
    calibration : bool
        Also certify how often the answers are right, by their score, in ten bins: a hold-out without groups only.
    panel : bool
        Also certify each voter alone and their vote with equal weights, all at once, and measure how alike the voters
        are: for hard votes of 2 to 100 voters, with a hold-out, or with folds if the voters are not trained here.
    sides : {1, 2}
        Also certify the error from both sides if 2: a hold-out only.
    cost : array-like of shape (n_classes, n_classes), dict or None
        Cost of each answer, to certify the mean cost as well: rows are true classes and columns answers, in the order
        of ``classes_``; or a dict ``{truth: {answer: cost}}``, which may name classes that do not occur in ``y``.
        Learning ignores it.
    n_jobs : int or None
        Number of threads or processes that train the voters and collect their votes.
    device : {None, "cuda"}
        "cuda" learns the weights on an NVIDIA GPU (extra ``gpu``), which pays from some millions of examples on. It
        trains no voters, and does nothing where the weights are equal. The certificate is computed on the CPU.
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
    evidence_ : Judgments or list of VoteMatrix
        What the certificate is checked against: a table with a row for each judging example; with a PAC-Bayes bound,
        the votes on the judging examples. Not saved in model files.
    timings_ : dict
        Seconds spent making the vote ("voters"), collecting the votes ("votes") and certifying ("certificate").
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
    >>> bool(clf.certificate_.verify(clf.evidence_))
    True
    """

    classes_: NDArray
    n_features_in_: int
    feature_names_in_: NDArray
    voters_: list[VoterSet]
    posterior_: list[Posterior]
    certificate_: Certificate
    rules_: list[VotingRule]
    history_: History
    order_test_: OrderTest | None
    key_: bytes | None
    input_form_: InputForm

    def __init__(
        self,
        voters: Any = "forest",
        *,
        voting: str = "auto",
        risk: str | Risk = "exact",
        posterior: str = "auto",
        prior: Any = "auto",
        bound: str | Bound = "auto",
        delta: float = 0.05,
        holdout: float | str | Protocol = "auto",
        n_folds: int | None = None,
        inner_folds: int = 3,
        solver: str | Solver = "auto",
        stochastic: bool = False,
        per_class: bool = False,
        calibration: bool = False,
        panel: bool = False,
        sides: int = 1,
        cost: Any = None,
        n_jobs: int | None = None,
        device: str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.voters = voters
        self.voting = voting
        self.risk = risk
        self.posterior = posterior
        self.prior = prior
        self.bound = bound
        self.delta = delta
        self.holdout = holdout
        self.n_folds = n_folds
        self.inner_folds = inner_folds
        self.solver = solver
        self.stochastic = stochastic
        self.per_class = per_class
        self.calibration = calibration
        self.panel = panel
        self.sides = sides
        self.cost = cost
        self.n_jobs = n_jobs
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    @verbosely
    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        groups: Any = None,
        time: Any = None,
        *,
        subgroups: Any = None,
        sample_weight: Any = None,
    ) -> "MajorityVoteClassifier":
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
        subgroups : data frame, dict or array-like of shape (n,) or (n, n_attributes), optional
            Attributes of the examples, such as the region, that need not be features: the error is also bounded in each
            subgroup that has judging examples, and so are the differences between those of one attribute. They must
            have been fixed before looking at how the vote does on them. Not with folds, PAC-Bayes bounds or on a
            cluster.
        sample_weight : array-like of shape (n,), optional
            Weights of the examples when they train voters, also in the cross-validation that sets the weights of the
            voters. Voters whose ``fit`` does not take them are refused; a pipeline hands them to its last step. The
            judging examples count alike whatever their weights are: the certificate is proven for independent draws of
            equal weight from the distribution that it speaks of. So the weights must not depend on the judging
            examples; to balance classes, use ``class_weight="balanced"`` of the voters. Not on a cluster.
        """
        beside = Beside(groups, time, subgroups, sample_weight)
        check_parameters(self)
        source, rule = choose_voting(self)
        examples = training_examples(self, X, y, beside, source)
        rng = check_random_state(self.random_state)
        plan = plan_fit(self, examples, rule, beside)
        fitted = plan.fit(examples, rng)
        self._warn(examples.doubt, fitted, searched=plan.protocol.weighs)
        self.classes_ = examples.classes
        self.input_form_ = InputForm.of(examples.source)
        self.rules_ = fitted.rules
        self.voters_, self.posterior_, self.history_ = fitted.voters, fitted.posteriors, fitted.history
        self.certificate_, self.evidence_, self.order_test_ = fitted.certificate, fitted.evidence, fitted.order_test
        self.timings_ = fitted.timings
        self.n_iter_ = len(self.history_)
        self.key_ = rng.bytes(16) if len(self.voters_) > 1 else None
        return self

    def _warn(self, doubt: str | None, fitted: FittedVote, *, searched: bool) -> None:
        """Warn of what is doubtful about the examples, and of an unfinished search."""
        order = None if fitted.order_test is None else fitted.order_test.doubt
        for text, kind in ((doubt, RepeatedRowsWarning), (order, OrderWarning)):
            if text is not None:
                warnings.warn(text, kind, stacklevel=5)
        if searched:  # otherwise `learn` has warned
            warn_unfinished(fitted.history, self.solver, stacklevel=5)

    @property
    def evidence_(self) -> Judgments | list[Votes]:
        check_is_fitted(self)
        if "evidence_" not in vars(self):
            raise AttributeError(
                "evidence_ is not saved with a model: load it from its file, clf.evidence_ = "
                "stocmv.persistence.load_evidence('evidence.npz')."
            )
        return vars(self)["evidence_"]

    @evidence_.setter
    def evidence_(self, evidence: Judgments | list[Votes]) -> None:
        self.__dict__["evidence_"] = evidence

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            source, _ = choose_voting(self)
        except (TypeError, ValueError):
            return tags
        tags.input_tags.sparse = source.sparse
        tags.input_tags.allow_nan = source.allow_nan
        return tags

    @property
    def _answers_alone(self) -> bool:
        """Whether there is one vote, and nothing but its answers is needed."""
        return len(self.voters_) == 1 and self.certificate_.covers_silence

    @property
    def _shares(self) -> NDArray:
        return np.array(self.certificate_.fold_shares)

    def _each_fold(self, method: str, X: Any, *settings: Any) -> list[Any]:
        """What a method of its voting rule returns for the vote of each fold on checked examples."""
        folds = zip(self.rules_, self.voters_, self.posterior_, strict=True)
        return [getattr(rule, method)(v, p, X, len(self.classes_), *settings) for rule, v, p in folds]

    def _asked(self, X: Any) -> list[FoldReply]:
        """What the vote of each fold says about checked examples; refused where the certificate does not cover it."""
        folds = zip(self.rules_, self.voters_, self.posterior_, strict=True)
        return [FoldReply(*map(np.concatenate, zip(*self._parts(*fold, X), strict=True))) for fold in folds]

    def _parts(
        self, rule: VotingRule, voters: VoterSet, posterior: Posterior, X: Any
    ) -> Iterator[tuple[NDArray, NDArray]]:
        """Answers and scores of each block of the examples, without the votes that they come from."""
        for block in rule.blocks(X):
            reply = rule.ask(voters, posterior, block, len(self.classes_))
            check_silence(reply.votes, len(self.classes_), self.certificate_)
            yield reply.answers, reply.scores

    def _answering_folds(self, X: Any, disagree: NDArray) -> NDArray:
        return answering_folds(X, disagree, self._shares, self.key_)

    @by_partition
    def predict(self, X: Any) -> NDArray:
        """Answers of the deterministic vote, whose error ``certificate_.bound`` bounds: voters have their mean weights.

        If folds disagree on an example, a keyed hash of its features picks the fold that answers, so the same example
        always gets the same answer. `fit` drew the key, and the bound is on the error averaged over keys.
        """
        X = checked_examples(self, X)
        if self._answers_alone:
            return self._each_fold("labels", X, self.classes_)[0]
        answers = np.stack([reply.answers for reply in self._asked(X)])
        folds = self._answering_folds(X, disagreeing(answers))
        return self.classes_[answers[folds, np.arange(len(folds))]]

    @by_partition
    def predict_proba(self, X: Any) -> NDArray:
        """The score of each class; in general, the class with the largest is what `predict` answers.

        In a soft vote this is the weighted mean of the voters' probabilities: of a single model, its own. In a hard
        vote it is the weight of the voters that answer the class. With folds: the mean over folds if they agree,
        otherwise that of the fold that answers.
        """
        X = checked_examples(self, X)
        if self._answers_alone and self.rules_[0].keeps_scores:
            return self._each_fold("scores", X)[0]
        return self._answers_and_scores(X)[1]

    def _predict_both(self, X: Any) -> tuple[NDArray, NDArray]:
        """What `predict` and `predict_proba` return, asking the voters once."""
        codes, scores = self._answers_and_scores(checked_examples(self, X))
        return self.classes_[codes], scores

    def _answers_and_scores(self, X: Any) -> tuple[NDArray, NDArray]:
        """Codes of the answers to checked examples, and the scores of the classes."""
        replies = self._asked(X)
        if self._answers_alone and self.rules_[0].keeps_scores:
            return replies[0].answers, replies[0].scores
        answers, each = np.stack([r.answers for r in replies]), np.stack([r.scores for r in replies])
        split = disagreeing(answers)
        folds = self._answering_folds(X, split)
        scores = sum(share * own for share, own in zip(self._shares, each, strict=True))
        scores[split] = each[folds[split], np.flatnonzero(split)]
        # among tied classes, make the one that predict answers the largest
        chosen = answers[folds, np.arange(len(folds))]
        rows = np.flatnonzero(scores.argmax(1) != chosen)
        most = scores[rows].argmax(1)
        scores[rows, most], scores[rows, chosen[rows]] = scores[rows, chosen[rows]], scores[rows, most]
        return chosen, scores / scores.sum(1, keepdims=True)

    @by_partition
    def predict_stochastic_proba(self, X: Any) -> NDArray:
        """Probability that the stochastic vote gives each class; exact for a Dirichlet.

        The stochastic vote draws a fold (if there are several) and then weights.
        """
        each = self._each_fold("win_probabilities", checked_examples(self, X))
        return sum(share * own for share, own in zip(self._shares, each, strict=True))

    def predict_stochastic(self, X: Any, random_state: Any = None) -> NDArray:
        """Answers of the stochastic vote, which draws new weights (and with folds, first a fold) for every example.

        Refused if the certificate is only about the deterministic vote, which is what `predict` does.
        """
        self._check_drawn("predict_stochastic")
        return self._drawn_answers(X, random_state=random_state)

    @by_partition
    def _drawn_answers(self, X: Any, random_state: Any) -> NDArray:
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        answers = np.stack(self._each_fold("stochastic_answers", checked_examples(self, X), rng))
        n = answers.shape[1]
        return self.classes_[answers[rng.choice(len(answers), n, p=self._shares), np.arange(n)]]

    def draw(self, random_state: Any = None, delta: float | None = None) -> DrawnVote:
        """One majority vote, its fold and weights drawn once, as a fitted classifier with `predict` and `score`.

        With a PAC-Bayes bound, a Dirichlet posterior and hard votes, its ``certificate_`` has a bound on the error of
        this very vote, which holds with probability at least ``1 - delta`` over examples and draw. Otherwise, or
        without ``evidence_``, ``certificate_`` is None and only the average over draws is certified.

        Refused if the certificate is only about the deterministic vote.

        Parameters
        ----------
        random_state : int, RandomState or None
            Seed of the draw, chosen before looking at what it gives.
        delta : float, optional
            Probability that the bound on the drawn vote fails, at most; by default the certificate's. If several votes
            are drawn and one is kept, pass ``delta`` divided by their number.
        """
        self._check_drawn("draw")
        # a stream of its own: the draw must not depend on fit, which may have had the same seed
        rng = np.random.default_rng([*b"draw", check_random_state(random_state).randint(2**31 - 1)])
        fold = int(rng.choice(len(self.voters_), p=self._shares))
        posterior = self.posterior_[fold]
        weights, logs = posterior.drawn_vote(rng)
        drawn = DrawnVote(
            self.voters_[fold],
            weights,
            self.classes_.copy(),
            self.rules_[fold],
            self.input_form_.checks_input,
            certify_drawn(self.certificate_, getattr(self, "evidence_", None), posterior, fold, weights, logs, delta),
        )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(drawn, name, getattr(self, name))
        return drawn

    def _check_drawn(self, method: str) -> None:
        """Refuse to draw votes that the certificate does not cover."""
        check_is_fitted(self)
        if not self.certificate_.covers_drawn:
            raise ValueError(
                f"{method} is not certified: fit with stochastic=True or, with a PAC-Bayes bound, with risk='exact' "
                "(other risks with a categorical posterior certify only predict)."
            )

    def selective(
        self,
        max_error: float | Mapping[Any, float] | None = None,
        *,
        min_coverage: float | None = None,
        delta: float | None = None,
        unanswered: Any = None,
    ) -> SelectiveVote:
        """Return the same vote, answering only when it is sure, with a certificate of its own.

        It answers if the score of the answered class reaches a threshold. The thresholds, one per fold, are
        chosen on the stored judgments, and the error among the answers and the coverage are certified on them too;
        nothing is retrained.

        Parameters
        ----------
        max_error : float or dict
            Error among the answers to certify, with as many answers as possible; or one for the answers of each class,
            ``{"yes": 0.5, "no": 0.02}``, each with thresholds of its own.
        min_coverage : float
            Alternatively, the coverage to certify, with as few errors as possible.
        delta : float, optional
            Probability that the bound on the error or the one on coverage fails, at most; by default that of the vote.
        unanswered : object
            What `SelectiveVote.predict` returns for an example that it does not answer.

        Raises
        ------
        NotCertified
            If the target cannot be certified; the message says what can.
        """
        check_is_fitted(self)
        certificate = certify_selective(
            self.evidence_,
            self.certificate_,
            max_error=max_error,
            min_coverage=min_coverage,
            delta=delta,
        )
        return SelectiveVote(self, certificate, unanswered)

    def threshold(
        self,
        positive: Any = None,
        *,
        at: float | RocPoint | None = None,
        min_recall: float | None = None,
        min_precision: float | None = None,
        max_false_positive_rate: float | None = None,
        max_cost: float | None = None,
        delta: float | None = None,
    ) -> ThresholdVote:
        """Return the same vote with a threshold on the score of one class, found and certified.

        It answers ``positive`` where the score of that class reaches the threshold, otherwise the best of the others.
        Give exactly one of the targets. Nothing is retrained. Needs a hold-out, without groups.

        Parameters
        ----------
        positive : object
            The class that is meant. With two classes, the second of ``classes_`` if it is not given.
        at : float or RocPoint
            A threshold that was fixed before looking at the judging examples; or a point ``clf.roc().at(...)``, picked
            after looking.
        min_recall : float
            Recall to certify, with as high a threshold as possible.
        min_precision, max_false_positive_rate : float
            Precision or false-positive rate to certify, with as low a threshold as possible.
        max_cost : float
            Mean cost to certify, by the classifier's ``cost``.
        delta : float, optional
            Probability that any of the bounds on recall, precision, false-positive rate and cost fails, at most; by
            default that of the vote.

        Raises
        ------
        NotCertified
            If the target cannot be certified; the message says what can.
        """
        check_is_fitted(self)
        certificate = certify_threshold(
            self.evidence_,
            self.certificate_,
            positive,
            at=at,
            min_recall=min_recall,
            min_precision=min_precision,
            max_false_positive_rate=max_false_positive_rate,
            max_cost=max_cost,
            delta=delta,
            costs=None if self.cost is None else check_cost(self.cost, self.classes_.tolist()),
        )
        return ThresholdVote(self, certificate)

    def class_weights(self, class_weights: Mapping[Any, float], delta: float | None = None) -> ClassWeightVote:
        """Return the same vote with weights for the classes, and a certificate of its own.

        It multiplies the score of each class by the weight of that class, and answers the largest, so that a class that
        matters more is answered more often. Nothing is retrained. Needs a hold-out.

        Parameters
        ----------
        class_weights : dict
            Weights by label, fixed before looking at the judging examples; classes that are not named have the
            weight 1.
        delta : float, optional
            Probability that a statement of the certificate fails, at most; by default that of the vote. If you try
            several weights and keep the best, pass ``delta`` divided by their number.
        """
        check_is_fitted(self)
        costs = None if self.cost is None else check_cost(self.cost, self.classes_.tolist())
        found = certify_class_weights(self.evidence_, self.certificate_, class_weights, delta=delta, costs=costs)
        return ClassWeightVote(self, *found)

    def roc(self, positive: Any = None, delta: float | None = None) -> RocBand:
        """Recall and false-positive rate of one class at every threshold, with bounds for all of them at once.

        Parameters
        ----------
        positive : object
            The class that is meant. With two classes, the second of ``classes_`` if it is not given.
        delta : float, optional
            Probability that any bound of the curve fails, at most; by default that of the vote.
        """
        check_is_fitted(self)
        return roc_band(self.evidence_, self.certificate_, positive, delta)

    def _kept(self) -> Self:
        """The same vote without its evidence; it stays what it is when this one is fitted or edited.

        Voters are shared, as `fit` makes new ones and changes none.
        """
        check_is_fitted(self)
        if self.certificate_.context.get("weights_sha256") != weights_digest(self.posterior_):
            raise ValueError("posterior_ is not the one that certificate_ is about: take both from the same fit.")
        kept = copy.copy(self)
        kept.__dict__.pop("evidence_", None)
        kept.voters_, kept.posterior_ = list(self.voters_), copy.deepcopy(self.posterior_)
        kept.classes_ = self.classes_.copy()
        return kept

    def _sure_answers(self, X: Any, least: ArrayLike) -> tuple[NDArray, NDArray]:
        """Codes of the answers, and whether the answered class reaches the threshold: the fold's, or its own.

        If the folds disagree about either, one of them answers, as in `predict`.
        """
        X = checked_examples(self, X)
        replies = self._asked(X)
        answers = np.stack([reply.answers for reply in replies])
        scores = np.stack([np.take_along_axis(reply.scores, reply.answers[:, None], 1)[:, 0] for reply in replies])
        bars = np.broadcast_to(np.reshape(least, (len(replies), -1)), (len(replies), len(self.classes_)))
        sure = scores >= np.take_along_axis(bars, answers, 1)
        folds = self._answering_folds(X, disagreeing(answers) | disagreeing(sure))
        rows = np.arange(len(folds))
        return answers[folds, rows], sure[folds, rows]

    def _answers_at(self, X: Any, code: int, least: float) -> NDArray:
        """Codes of the answers: one class where its score is at least this, otherwise the best of the others."""
        scores = self._one_vote_scores(X)
        return np.where(scores[:, code] >= least, code, best_other(scores, code))

    def _one_vote_scores(self, X: Any) -> NDArray:
        """The scores of a vote without folds, in double precision, in which those of the judges were compared."""
        return self._asked(checked_examples(self, X))[0].scores.astype(float, copy=False)

    def _asked_on_cluster(
        self, vote: SelectiveVote | ThresholdVote | ClassWeightVote, method: str, X: Any, dtype: type
    ) -> Any:
        """Answers of a vote to examples on a cluster; None if the examples are not on one."""
        return answer_on_cluster(vote, method, X, dtype=dtype) if is_dask(X) else None
