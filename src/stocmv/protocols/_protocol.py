"""Protocols: which examples make a vote and which judge it, what is learned where, and how the result is certified."""

import hashlib
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

from ..bounds import Bound, CatoniPerFold
from ..certificate import ONE_VOTE, Certificate, Costs, Judgments, certify_judgments, check_per_class, percent, share
from ..checks import OrderTest
from ..learning import History, learn
from ..posteriors import Posterior
from ..progress import logger, report, stage
from ..voters import STACK, VoterSet
from ..votes import Votes
from ._choices import best_constant, choose_priors, choose_solver, is_auto, risk_name
from ._cut import Cut
from ._examples import Examples
from ._recipe import FoldVote, Recipe
from ._rule import VotingRule

_UNKNOWN_ERROR = 0.2  # expected if nothing is known
_ALONE = "A voter's answer to an example does not depend on the examples that it is asked together with."
_WEIGHTED = (
    "The sample_weight of an example does not depend on the examples that judge: weights that balance the classes over "
    "all examples would break this, class_weight='balanced' of a voter does not."
)
_CLASSES_KNOWN = "The set of classes was known before, and not taken from these examples."


@dataclass(frozen=True)
class Plan:
    """Everything that `fit` decides before the first voter is trained.

    Attributes
    ----------
    protocol : Protocol
        How the examples are used.
    recipe : Recipe
        How a vote is made from examples.
    per_class, costs, stochastic, calibration, panel, subgroups, sides
        What else to certify: the classes, the mean cost, the stochastic vote, how often answers with a score are right,
        each voter alone, the subgroups, the error from both sides.
    context : dict
        Where the certificate comes from.
    """

    protocol: "Protocol"
    recipe: Recipe
    per_class: bool = False
    costs: Costs | None = None
    stochastic: bool = False
    context: dict[str, Any] = field(default_factory=dict)
    calibration: bool = False
    panel: bool = False
    subgroups: bool = False
    sides: int = 1

    def fit(self, examples: Examples, rng: np.random.RandomState) -> "FittedVote":
        """Make the votes, judge them and certify the result."""
        return self.protocol.fit(self, examples, rng)


class FittedVote(NamedTuple):
    """What `fit` leaves behind."""

    voters: list[VoterSet]
    rules: list[VotingRule]
    posteriors: list[Posterior]
    history: History
    certificate: Certificate
    evidence: Judgments | list[Votes]
    order_test: OrderTest | None
    timings: dict[str, float]


class CertifiedVote(NamedTuple):
    """The weights of each fold, how they were learned, and the certificate with its evidence."""

    posteriors: list[Posterior]
    history: History
    certificate: Certificate
    evidence: Judgments | list[Votes]
    order_test: OrderTest | None


class Protocol(ABC):
    """One way to use the examples. Subclass it, or one of the protocols below, to write your own.

    Attributes
    ----------
    name : str
        As the certificate records it: "holdout", "folds" or "all".
    weighs : bool
        Whether the examples that make the voters also set their weights; if not, the judging examples do.
    estimates : bool
        Whether the error of a vote has to be guessed before other examples judge it.
    assumptions : tuple of str
        What the certificate must say about this use of the examples.

    Examples
    --------
    >>> from stocmv.protocols import Folds, HoldOut, Protocol
    >>> isinstance(HoldOut(0.25), Protocol), HoldOut(0.25).cut.shares
    (True, (0.25, 0.75))
    >>> Folds(3).cut.n_parts, HoldOut(0.25).cut.n_parts
    (3, 1)
    """

    name: ClassVar[str]
    weighs: ClassVar[bool] = True
    estimates: ClassVar[bool] = False
    assumptions: tuple[str, ...] = ()

    @property
    @abstractmethod
    def cut(self) -> Cut:
        """The parts of the examples, and how many of them judge."""

    @abstractmethod
    def check(self, plan: Plan, *, grouped: bool) -> None:
        """Refuse what this protocol cannot certify, before anything is trained."""

    @abstractmethod
    def ask(self, plan: Plan, examples: Examples, vote: FoldVote, k: int) -> Any:
        """What part ``k`` shows about the vote made without it."""

    @abstractmethod
    def certify(
        self, plan: Plan, examples: Examples, votes: list[FoldVote], shown: list[Any], rng: np.random.RandomState
    ) -> CertifiedVote:
        """The certificate, from what all parts showed."""

    def fit(self, plan: Plan, examples: Examples, rng: np.random.RandomState) -> FittedVote:
        """For each judging part, make a vote from the other examples and ask it about the part; then certify."""
        timings = dict.fromkeys(("voters", "votes", "certificate"), 0.0)
        votes: list[FoldVote] = []
        shown: list[Any] = []
        examples.cut(self.cut, rng)
        for k in range(self.cut.n_parts):
            began = time.perf_counter()
            votes.append(self._make(plan, examples, k, rng, votes))
            made = time.perf_counter()
            report("collecting votes", k, self.cut.n_parts)
            shown.append(self.ask(plan, examples, votes[-1], k))
            report("collecting votes", k + 1, self.cut.n_parts)
            timings["voters"] += made - began
            timings["votes"] += time.perf_counter() - made
        began = time.perf_counter()
        certified = self.certify(plan, examples, votes, shown, rng)
        timings["certificate"] = time.perf_counter() - began
        logger.info("certified in %.1f s: bound %.4f", timings["certificate"], certified.certificate.bound)
        voters, rules = [vote.voters for vote in votes], [vote.rule for vote in votes]
        return FittedVote(voters, rules, *certified, timings)

    def _make(
        self, plan: Plan, examples: Examples, k: int, rng: np.random.RandomState, before: Sequence[FoldVote]
    ) -> FoldVote:
        n_parts, began = self.cut.n_parts, time.perf_counter()
        report("training voters", k, n_parts)
        vote = examples.make(plan.recipe, k, rng.randint(2**31 - 1))
        if any(vote.voters is others.voters for others in before):
            raise ValueError("The source returned the same voters for two folds: make new ones in each fit.")
        report("training voters", k + 1, n_parts)
        where = f"fold {k + 1} of {n_parts}" if n_parts > 1 else "trained"
        count = vote.voters.n_voters
        logger.info("%s: %d voter%s in %.1f s", where, count, "s" * (count > 1), time.perf_counter() - began)
        return vote

    def facts(self, votes: Sequence[FoldVote], n: int) -> dict[str, Any]:
        """How the certificate records the protocol: its name, how many made the vote and how many judged it."""
        return {"name": self.name, "learning": n, "judging": n}

    def all_assumptions(self, plan: Plan, examples: Examples) -> Iterator[str]:
        """What the certificate assumes about these voters and this use of the examples."""
        yield from plan.recipe.source.assumptions
        yield from self.assumptions
        if examples.weighted:
            yield _WEIGHTED
        yield _ALONE
        if self.cut.n_parts > 1:
            deviation = math.sqrt(examples.fingerprints.may_coincide) / 2
            yield (
                "Where the folds disagree, predict gives an example to one of them by a hash of its features with a "
                "key that fit drew; its bound is on the average over that key. Over the keys the error of predict has "
                f"a standard deviation of at most about {percent(deviation)}."
            )


def _doubts(examples: Examples, order: OrderTest | None) -> tuple[str, ...]:
    found = (examples.doubt, None if order is None else order.doubt)
    return tuple(doubt for doubt in found if doubt is not None)


def _unproven(plan: Plan) -> tuple[str, ...]:
    return () if plan.recipe.source.proven else ("the voters",)


def _classes_were_known(plan: Plan) -> bool:
    """Whether the classes must not depend on the examples because the voters do not say which they know."""
    source = plan.recipe.source
    return not source.learns and source.labels() is None


class Tested(Protocol):
    """Voters and weights come from other examples, and the judges only test: the certificate is about a table."""

    __test__: ClassVar[bool] = False  # or pytest takes it for a test

    def check(self, plan: Plan, *, grouped: bool) -> None:
        kind = plan.recipe.kind
        if kind.law == "drawn":
            raise ValueError(
                f"bound='auto' and bound='fold_test' need a Dirichlet or categorical posterior, got {kind.name!r}, "
                "whose vote has no fixed weights. Use risk='exact', or name a bound such as 'seeger'."
            )
        if plan.calibration and (grouped or self.estimates):
            raise ValueError("calibration=True needs a hold-out without groups: leave out n_folds and groups.")
        if plan.panel:
            _check_panel(plan, self.cut.n_parts)
        if plan.subgroups and self.cut.n_parts > 1:
            raise ValueError(ONE_VOTE)
        if plan.sides == 2 and self.cut.n_parts > 1:
            raise ValueError("sides=2 needs a hold-out, whose judges are about one vote: leave out n_folds.")

    def ask(self, plan: Plan, examples: Examples, vote: FoldVote, k: int) -> Judgments:
        return examples.judgments(vote, k, stochastic=plan.stochastic, panel=plan.panel)

    def certify(
        self, plan: Plan, examples: Examples, votes: list[FoldVote], shown: list[Any], rng: np.random.RandomState
    ) -> CertifiedVote:
        order = examples.order_test([part.wrong for part in shown])
        judgments = Judgments.joined(shown, as_folds=True)
        one_voter = all(vote.voters.n_voters == 1 for vote in votes)
        if one_voter:
            judgments = replace(judgments, loss=None)  # there is no other vote than `predict`
        posteriors = [cast(Posterior, vote.posterior) for vote in votes]
        known = plan.per_class or _classes_were_known(plan)  # given an answer, its class is random
        with stage("certifying"):
            certificate = certify_judgments(
                judgments,
                plan.recipe.delta,
                guesses=[vote.guess for vote in votes if vote.guess is not None],
                per_class=plan.per_class,
                calibration=plan.calibration,
                sides=plan.sides,
                costs=plan.costs,
                one_voter=one_voter,
                voting=plan.recipe.rule.name,
                unproven=(*_unproven_posterior(posteriors[0]), *_unproven(plan)),
                assumptions=(*self.all_assumptions(plan, examples), *([_CLASSES_KNOWN] if known else [])),
                warnings=_doubts(examples, order),
                protocol=self.facts(votes, judgments.errors.n),
                context={
                    **plan.context,
                    "weights": _how_weighted(plan, votes),
                    "weights_sha256": weights_digest(posteriors),
                },
            )
        history = History.joined([vote.history for vote in votes])
        return CertifiedVote(posteriors, history, certificate, judgments, order)


def _check_panel(plan: Plan, n_parts: int) -> None:
    """Refuse voters that cannot be certified one by one."""
    source = plan.recipe.source
    if plan.recipe.rule.name != "hard":
        raise ValueError("panel=True is about what each voter answers: use voting='hard'.")
    if source.learns and n_parts > 1:
        raise ValueError(
            "panel=True and n_folds: every fold trains its own voters. Leave out n_folds, or use voters that are not "
            "trained here, such as a table of answers."
        )
    if getattr(source, "default", None) is not None:
        raise ValueError("panel=True and a default: no voter gives that answer. Leave out default.")


def weights_digest(posteriors: Sequence[Posterior]) -> str:
    """SHA-256 of the distributions of the weights, to notice that they were edited."""
    lists = [{name: values.tolist() for name, values in p.parameters().items()} for p in posteriors]
    return hashlib.sha256(json.dumps(lists).encode()).hexdigest()


def _unproven_posterior(posterior: Posterior) -> tuple[str, ...]:
    return () if posterior.proven else (f"the posterior {posterior.name!r}",)


def _how_weighted(plan: Plan, votes: Sequence[FoldVote]) -> str:
    if not any(vote.learned for vote in votes):
        given = "equal" if plan.recipe.source.given_weights() is None else "given with the voters"
        return given if is_auto(plan.recipe.prior) else "given by the prior"
    if plan.recipe.rule.name == "soft":
        stack = f", with a {STACK} as one more voter" if any(vote.stacked for vote in votes) else ""
        return f"learned for the log loss on examples that do not judge{stack}"
    return f"learned for the risk {risk_name(plan.recipe.risk)!r} on examples that do not judge"


@dataclass(frozen=True)
class HoldOut(Tested):
    """A share of the examples only judges the vote that the others make.

    ``learns`` says whether anything is learned from the others.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.protocols import HoldOut
    >>> X, y = make_moons(400, random_state=0)
    >>> clf = MajorityVoteClassifier("stumps", holdout=HoldOut(0.25), random_state=0).fit(X, y)
    >>> clf.certificate_.n
    100
    """

    share: float
    learns: bool = True
    name: ClassVar[str] = "holdout"

    @property
    def cut(self) -> Cut:
        return Cut.holdout(self.share)

    def facts(self, votes: Sequence[FoldVote], n: int) -> dict[str, Any]:
        return {"name": self.name, "learning": votes[0].n if self.learns else 0, "judging": n}


@dataclass(frozen=True)
class AllJudge(Tested):
    """Nothing is learned from the examples, so that all of them judge.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.protocols import AllJudge
    >>> model = FrozenEstimator(GaussianNB().fit(*make_moons(400, random_state=0)))
    >>> clf = MajorityVoteClassifier(model, holdout=AllJudge()).fit(*make_moons(400, random_state=1))  # new examples
    >>> clf.certificate_.n
    400
    """

    name: ClassVar[str] = "all"

    @property
    def cut(self) -> Cut:
        return Cut((1.0,), 1)

    def facts(self, votes: Sequence[FoldVote], n: int) -> dict[str, Any]:
        return {"name": self.name, "learning": 0, "judging": n}


@dataclass(frozen=True)
class Folds(Tested):
    """Each fold judges the vote that the other folds make, so that every example trains and judges.

    ``learns`` says whether anything is learned from the others.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.protocols import Folds
    >>> clf = MajorityVoteClassifier("stumps", holdout=Folds(4), random_state=0).fit(*make_moons(400, random_state=0))
    >>> clf.certificate_.n, clf.certificate_.fold_sizes
    (400, (100, 100, 100, 100))
    """

    count: int
    learns: bool = True
    name: ClassVar[str] = "folds"
    estimates: ClassVar[bool] = True

    @property
    def cut(self) -> Cut:
        return Cut.folds(self.count)

    def facts(self, votes: Sequence[FoldVote], n: int) -> dict[str, Any]:
        return {"name": self.name, "learning": n if self.learns else 0, "judging": n}


@dataclass(frozen=True)
class PacBayes(Protocol):
    """The judging folds also set the weights, as in the paper: the bound pays the KL for that.

    With one fold, the voters do not learn.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.protocols import PacBayes
    >>> protocol = PacBayes(2, "seeger")  # as n_folds=2, bound="seeger"
    >>> clf = MajorityVoteClassifier("stumps", holdout=protocol, random_state=0).fit(*make_moons(400, random_state=0))
    >>> clf.certificate_.n, clf.certificate_.stochastic_bound < 0.3
    (400, True)
    """

    count: int
    bound: str | Bound
    weighs: ClassVar[bool] = False

    @property
    def name(self) -> str:  # type: ignore[override]
        return "folds" if self.count > 1 else "all"

    @property
    def cut(self) -> Cut:
        return Cut.folds(self.count)

    def check(self, plan: Plan, *, grouped: bool) -> None:
        for asked, what in (
            (plan.costs is not None, "cost needs"),
            (plan.calibration, "calibration needs"),
            (plan.panel, "panel needs"),
            (plan.subgroups, "subgroups need"),
            (plan.sides == 2, "sides=2 needs"),
            (grouped, "groups need"),
        ):
            if asked:
                raise ValueError(f"{what} a vote that is only tested, not bound={self.bound!r}: use bound='auto'.")
        check_per_class(plan.per_class, plan.recipe.kind)

    def ask(self, plan: Plan, examples: Examples, vote: FoldVote, k: int) -> Votes:
        if vote.rule.answers_itself(vote.voters):
            raise ValueError(
                f"bound={self.bound!r} and a single model, which has no weights to learn: use bound='auto'."
            )
        return examples.votes(vote, k)

    def bound_for(self, votes: Sequence[FoldVote], sizes: Sequence[int], delta: float) -> str | Bound:
        """The bound, before looking at the folds that it is for."""
        return self.bound

    def certify(
        self, plan: Plan, examples: Examples, votes: list[FoldVote], shown: list[Any], rng: np.random.RandomState
    ) -> CertifiedVote:
        """Learn the weights on the judging examples; of several priors keep the best, with delta shared among all."""
        recipe, sizes = plan.recipe, [v.n_examples for v in shown]
        priors = choose_priors(recipe.prior, recipe.kind, recipe.source)
        if all(v.n_voters == 1 for v in shown):
            priors = priors[:1]  # nothing to choose
        bound = self.bound_for(votes, sizes, share(recipe.delta, priors=len(priors)))
        seed = rng.randint(2**31 - 1)
        candidates = [
            learn(
                shown,
                risk=recipe.rule.paid_risk(recipe.risk),
                posterior=recipe.posterior,
                prior=prior,
                bound=bound,
                delta=recipe.delta,
                solver=choose_solver(recipe.solver, recipe.risk, recipe.source),
                random_state=seed,
                device=recipe.device,
                assumptions=tuple(self._assumptions(plan, examples, shown)),
                per_class=plan.per_class,
                alternatives=len(priors),
                context={**plan.context, "weights": "learned on the examples that judge, and paid for"},
            )
            for prior in priors
        ]
        best = min(candidates, key=lambda learned: cast(float, learned.certificate.stochastic_bound))
        posteriors = cast(list[Posterior], best.posterior)
        order = examples.order_test([v.whole().vote_errors(p.mean) for v, p in zip(shown, posteriors, strict=True)])
        certificate = replace(
            best.certificate,
            warnings=_doubts(examples, order),
            unproven=(*best.certificate.unproven, *_unproven(plan)),
            protocol=self.facts(votes, sum(sizes)),
            context={**best.certificate.context, "weights_sha256": weights_digest(posteriors)},
        )
        return CertifiedVote(posteriors, best.history, certificate, shown, order)

    def _assumptions(self, plan: Plan, examples: Examples, shown: Sequence[Votes]) -> Iterator[str]:
        yield from self.all_assumptions(plan, examples)
        if _classes_were_known(plan):
            yield _CLASSES_KNOWN
        if plan.recipe.source.learns and all(v.n_voters == 1 for v in shown):
            yield "That each fold has one voter was known before: the number of voters does not depend on the examples."


@dataclass(frozen=True)
class PacBayesPerFold(PacBayes):
    """The same with Catoni's bound, whose constants come from the error that the other folds expect."""

    bound: str | Bound = "catoni_per_fold"
    estimates: ClassVar[bool] = True

    def bound_for(self, votes: Sequence[FoldVote], sizes: Sequence[int], delta: float) -> Bound:
        errors = [_UNKNOWN_ERROR if vote.guess is None else vote.guess.overall for vote in votes]
        return CatoniPerFold(tuple(best_constant(error, sizes, delta) for error in errors))
