"""One call: from votes to the posterior with the smallest bound, and its certificate."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ..bounds import BOUNDS, Bound, check_alternatives, check_delta
from ..certificate import PacBayesCertificate, certify, check_out_of_bag, check_per_class, known_labels, share
from ..posteriors import POSTERIORS, BlocDirichlet, Posterior
from ..progress import stage
from ..risks import RISKS, Risk
from ..solvers import SOLVERS, Solver
from ..votes import VoteMatrix, Votes, check_answers, check_device, check_probabilities, encode_answers, fewest_judges
from ._blocs import find_blocs, merged_priors, one_of_each
from ._history import History
from ._objective import Objective
from ._predict import check_silence, drawn_answers, mean_vote, mean_weights
from ._prior_grid import PRIOR_TOTALS, choose_prior

T = TypeVar("T")


@dataclass(frozen=True)
class Learned:
    """The result of `learn`.

    Attributes
    ----------
    posterior : Posterior or list of Posterior
        The learned distribution over the weights; a list, one per fold, when the votes were a list.
    prior : Posterior or list of Posterior
        The prior that the KL is measured from.
    certificate : PacBayesCertificate
        The bound on the error, with everything needed to check it.
    history : History
        The iterations.
    classes : ndarray or None
        Sorted class labels; None if only errors were given.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, random_state=0)
    >>> int(learned.posterior.mean.argmax())  # the voter with the largest weight
    0
    >>> round(learned.certificate.stochastic_bound, 3)
    0.04
    """

    posterior: Posterior | list[Posterior]
    prior: Posterior | list[Posterior]
    certificate: PacBayesCertificate
    history: History
    classes: NDArray | None = None

    def predict(self, votes: Any, abstain: Any = None) -> NDArray:
        """Answers of the deterministic vote to new examples; ``certificate.bound`` bounds its error.

        Parameters
        ----------
        votes : array-like of shape (n, n_voters), or VoteMatrix
            Label that each voter gives each example; NaN and None mean no answer. If it was learned from a ScoreMatrix,
            an array of probabilities of shape (n, n_voters, n_classes), with the classes in order.
        abstain : label, optional
            A further value that means "no answer".

        Examples
        --------
        >>> from stocmv import VoteMatrix, learn
        >>> answers = [["a", "b", None], ["b", "b", "a"]] * 50
        >>> learned = learn(VoteMatrix.from_labels(answers, ["a", "b"] * 50), random_state=0)
        >>> learned.predict([["a", None, "b"], ["b", "b", "b"]]).tolist()
        ['a', 'b']
        """
        if self.certificate.is_soft:
            return self._known_classes()[self.predict_proba(votes).argmax(1)]
        classes, codes = self._asked(votes, abstain)
        check_silence(codes, len(classes), self.certificate)
        return classes[mean_vote(self._one_posterior(), codes, len(classes))]

    def predict_proba(self, votes: Any, abstain: Any = None) -> NDArray:
        """Expected weight of the voters for each class, as a share of those that answer, (n, n_classes).

        The class with the largest is what `predict` answers; same parameters as `predict`.
        """
        if self.certificate.is_soft:
            return np.einsum("imk,m->ik", self._probabilities(votes), self._one_posterior().mean)
        classes, codes = self._asked(votes, abstain)
        check_silence(codes, len(classes), self.certificate)
        return mean_weights(self._one_posterior(), codes, len(classes))

    def predict_stochastic(self, votes: Any, random_state: Any = None, abstain: Any = None) -> NDArray:
        """Answers of the stochastic vote, which draws new weights for every example.

        ``certificate.stochastic_bound`` bounds its error; ``votes`` and ``abstain`` are as in `predict`.
        """
        rng = _generator(random_state)
        if self.certificate.is_soft:
            scores = self._probabilities(votes)
            drawn = self._one_posterior().sample(len(scores), rng)
            return self._known_classes()[np.einsum("imk,im->ik", scores, drawn).argmax(1)]
        classes, codes = self._asked(votes, abstain)
        check_silence(codes, len(classes), self.certificate)
        return classes[drawn_answers(self._one_posterior(), codes, len(classes), rng)]

    def _probabilities(self, votes: Any) -> NDArray:
        scores = check_probabilities(votes, len(self._known_classes()))
        if scores.shape[1] != self._one_posterior().n_voters:
            raise ValueError(f"votes has {scores.shape[1]} voters, not {self._one_posterior().n_voters}.")
        return scores

    def _known_classes(self) -> NDArray:
        if self.classes is None:
            raise ValueError("predict needs to know the classes: learn from votes made from labels.")
        return self.classes

    def _one_posterior(self) -> Posterior:
        if not isinstance(self.posterior, Posterior):
            raise ValueError(
                f"This was learned on {len(self.posterior)} folds, each with its own voters, and a new example has to "
                "be assigned to one of them: use MajorityVoteClassifier."
            )
        return self.posterior

    def _asked(self, votes: Any, abstain: Any) -> tuple[NDArray, NDArray]:
        """The classes, and the votes as class codes."""
        classes = self._known_classes()
        if isinstance(votes, VoteMatrix):
            if not np.array_equal(votes.classes, classes):  # type: ignore[arg-type]
                raise ValueError("votes does not have the same classes as the votes that were learned from.")
            codes = votes.answers()
        else:
            codes = encode_answers(*check_answers(votes, abstain, classes), classes)
        if codes.shape[1] != self._one_posterior().n_voters:
            raise ValueError(f"votes has {codes.shape[1]} columns for {self._one_posterior().n_voters} voters.")
        return classes, codes


def learn(
    votes: Votes | Sequence[Votes],
    *,
    risk: str | Risk = "exact",
    posterior: str | type[Posterior] = "auto",
    prior: ArrayLike | Posterior | Sequence[Any] = "auto",
    merge: bool = True,
    bound: str | Bound = "seeger",
    delta: float = 0.05,
    solver: str | Solver = "auto",
    random_state: int | np.random.Generator | np.random.RandomState | None = None,
    device: str | None = None,
    assumptions: Sequence[str] = (),
    per_class: bool = False,
    alternatives: int = 1,
    context: dict[str, Any] | None = None,
) -> Learned:
    """Learn the distribution of the weights that minimises a proven bound on the vote's error.

    Parameters
    ----------
    votes : Votes or list of Votes
        The votes, usually a VoteMatrix. A list has one entry per fold, all with the same classes: the voters of a fold
        were trained without its examples, and the certificate is about the mixture of the folds' votes
        (cross-bounding). A ScoreMatrix has the margins of voters that answer with probabilities.
    risk : str or Risk
        "exact", "half", "mc", "first_order", "second_order", "binomial", "c_bound", "cctnd", "ccpbb", "ccpbskl",
        "disagreement" or "soft": the empirical risk. "exact" is the error of the arg-max vote for any number of
        classes. "soft" is for a ScoreMatrix: the error of the soft vote with two classes, otherwise an upper bound on
        it. For OutOfBagVotes use one of voters and pairs of voters, such as "second_order".
    posterior : {"auto", "dirichlet", "categorical", "logit_normal"} or subclass of Posterior
        Kind of distribution over the weights; "auto" is the risk's own.
    prior : "auto", float, array-like of shape (n_voters,), or list of these
        Parameter of the prior, chosen without these examples; with folds a list may give each fold its own. "auto" is
        the best of a grid of Dirichlets, sparse to dense (the bound pays for the choice), or 1. For a
        Dirichlet the concentrations (1e-6 to 1e6), for a categorical the weights (their shares at least 1e-26), for a
        logit-normal the standard deviation (1e-13 to 1e13).
    merge : bool
        Merge voters that answer all examples alike into blocs, so that redundant voters cost nothing. Voters of a
        logit-normal are not merged, nor any if some voter abstains: for them there is no proof.
    bound : {"seeger", "seeger_2sqrt", "catoni", "mcallester", "lambda"} or Bound
        The bound to minimise. The risk "ccpbb" has its own, `Bennett`, whatever is given here.
    delta : float
        Probability that the bound fails, at most; at least 1e-200.
    solver : {"auto", "quick", "lbfgs", "adam", "minibatch_adam", "alternating"} or Solver
        Minimises the bound.
    random_state : int, Generator, RandomState or None
        Seed for starts, batches and draws.
    device : {None, "cuda"}
        Where the weights are learned: where the votes are, or on a GPU, to which they are copied for that. The
        certificate is computed from the votes given here, on the CPU.
    assumptions : sequence of str
        Further assumptions that the certificate rests on, in words.
    per_class : bool
        Also certify the error on each class.
    alternatives : int
        Number of settings from which you will keep the best certificate; each gets an equal share of delta.
    context : dict, optional
        Where the votes come from, to be recorded in the certificate.

    Returns
    -------
    Learned

    Warns
    -----
    ConvergenceWarning
        If the solver stopped before it converged.

    Examples
    --------
    Ten voters of different strength on 2,000 examples:

    >>> import numpy as np
    >>> from stocmv import VoteMatrix, learn
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000)
    >>> votes = np.where(rng.random((2000, 10)) < np.linspace(0.55, 0.9, 10), y[:, None], 1 - y[:, None])
    >>> learned = learn(VoteMatrix.from_labels(votes, y), random_state=0)
    >>> bool(learned.certificate.stochastic_bound < 0.11)
    True
    >>> int(learned.posterior.mean.argmax())
    9
    """
    folds = check_folds(votes)
    the_risk = named(risk, RISKS, Risk, "risk")
    the_bound = named(bound, BOUNDS, Bound, "bound")
    check_per_class(per_class, posterior_kind(posterior, the_risk))
    found = minimise(
        folds,
        risk=the_risk,
        posterior=posterior,
        prior=prior,
        bound=the_bound,
        delta=delta,
        solver=solver,
        random_state=random_state,
        alternatives=alternatives,
        merge=merge,
        device=device,
    )
    warn_unfinished(found.history, solver, stacklevel=3)
    candidates = [found.posteriors]
    if the_risk.draws_again and found.posteriors is not found.priors:
        candidates.append(found.priors)  # a noisy or surrogate risk may have led to something worse
    if all(isinstance(p, BlocDirichlet) for p in found.posteriors):
        candidates.append([cast(BlocDirichlet, p).without_speakers() for p in found.posteriors])
    with stage("certifying"):
        certified = [
            certify(
                folds,
                posteriors,
                found.priors,
                the_risk,
                the_bound,
                delta,
                assumptions,
                per_class=per_class,
                alternatives=found.alternatives,
                context=context,
            )
            for posteriors in candidates
        ]
    posteriors, certificate = min(zip(candidates, certified, strict=True), key=lambda pair: _bounds(pair[1]))
    if isinstance(votes, Votes):
        return Learned(posteriors[0], found.priors[0], certificate, found.history, votes.classes)
    return Learned(posteriors, found.priors, certificate, found.history, folds[0].classes)


def _bounds(certificate: PacBayesCertificate) -> tuple[float, float]:
    return certificate.figures["error"]["stochastic_bound"], certificate.bound


class Minimum(NamedTuple):
    """The best posteriors that a solver found, not yet certified; the priors if it found none better."""

    posteriors: list[Posterior]
    priors: list[Posterior]
    alternatives: int  # parts of delta, of which the priors have one
    bound: float
    history: History


def minimise(
    folds: Sequence[Votes],
    *,
    risk: str | Risk = "exact",
    posterior: str | type[Posterior] = "auto",
    prior: Any = 1.0,
    bound: str | Bound = "seeger",
    delta: float = 0.05,
    solver: str | Solver = "auto",
    random_state: Any = None,
    alternatives: int = 1,
    merge: bool = False,
    kl_weight: float = 1.0,
    device: str | None = None,
) -> Minimum:
    """The part of `learn` before certification, with the same parameters.

    With a ``kl_weight`` below one the value is not a bound: use it for weights that other examples judge.
    """
    delta, alternatives = check_delta(delta), check_alternatives(alternatives)
    the_risk = named(risk, RISKS, Risk, "risk")
    the_bound = the_risk.bound_for(named(bound, BOUNDS, Bound, "bound"))
    the_solver = named(solver, SOLVERS, Solver, "solver")
    kind = posterior_kind(posterior, the_risk)
    choices = _prior_choices(prior, kind, list(folds))
    check_device(device)
    for fold in folds:
        the_risk.check_votes(fold)
    check_out_of_bag(folds, kind)
    blocs = find_blocs(folds, choices[0].priors) if merge else None
    of_blocs = [c.priors if blocs is None else merged_priors(c.priors, blocs) for c in choices]
    if blocs is not None:
        folds = one_of_each(folds, blocs)
    if device is not None:
        folds = [v.to(device) for v in folds]
    sizes, *further_sizes = fewest_judges(folds)
    history = History()
    shares = [share(delta, parts=c.parts * alternatives, means=the_risk.n_bounds) for c in choices]
    objectives = [
        Objective(folds, priors, the_risk, the_bound, each, sizes, history, kl_weight, tuple(further_sizes))
        for priors, each in zip(of_blocs, shares, strict=True)
    ]
    rng = _generator(random_state)
    best, point = 0, objectives[0].start
    if any(v.n_voters > 1 for v in folds):
        best, point = choose_prior(objectives, rng)
        point = the_solver.minimise(objectives[best], point, rng)
    objective, (priors, parts) = objectives[best], choices[best]
    value, at_prior = (objective(p)[0] for p in (point, objective.start))
    # `learn` certifies the prior too if the values are noisy; rounding would make the KL of a prior's point nonzero
    moved = value < at_prior or (the_risk.draws_again and not np.array_equal(point, objective.start))
    if not moved:
        return Minimum(priors, priors, parts * alternatives, at_prior, history)
    posteriors = objective.posteriors(point)
    if blocs is not None:
        posteriors = [p.spread(b, prior, rng) for p, b, prior in zip(posteriors, blocs, priors, strict=True)]
    return Minimum(posteriors, priors, parts * alternatives, value, history)


def warn_unfinished(history: History, solver: str | Solver, stacklevel: int) -> None:
    """Warn if a descent ended before it converged, and say what to set."""
    if not history.limits:
        return
    name, limit = type(named(solver, SOLVERS, Solver, "solver")).__name__, max(history.limits)
    warnings.warn(
        f"{name} stopped at max_iter={limit} before it converged. The certificate still holds, but better weights may "
        f"exist: pass solver=stocmv.solvers.{name}(max_iter={2 * limit}).",
        ConvergenceWarning,
        stacklevel,
    )


def check_folds(votes: Votes | Sequence[Votes]) -> list[Votes]:
    """The votes as a list of folds."""
    given: Any = votes
    folds = [votes] if isinstance(votes, Votes) else list(given) if isinstance(given, Sequence) else []
    if not folds or not all(isinstance(v, Votes) for v in folds):
        raise TypeError("votes must be a VoteMatrix or a list of them, one for each fold.")
    known_labels(folds, needed=False)
    return folds


def named(value: str | T, known: dict[str, T], kind: type[T], argument: str) -> T:
    """The object with this name; an object of the right kind is returned as it is."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, known))}, got {value!r}.")
    return known[value]


def posterior_kind(posterior: str | type[Posterior], risk: Risk) -> type[Posterior]:
    """The class with this name, or the class itself; it must suit the risk."""
    kind: Any = posterior
    if isinstance(posterior, str):
        kind = POSTERIORS.get(risk.default_posterior if posterior == "auto" else posterior)
    if not (isinstance(kind, type) and issubclass(kind, Posterior)):
        raise ValueError(f"posterior must be 'auto' or one of {', '.join(map(repr, POSTERIORS))}, got {posterior!r}.")
    risk.check_posterior(kind)
    return kind


class _Choice(NamedTuple):
    """Priors of all folds, and the number of parts of delta of which they have one."""

    priors: list[Posterior]
    parts: int = 1


def _prior_choices(prior: Any, kind: type[Posterior], folds: list[Votes]) -> list[_Choice]:
    """The priors of all folds to choose from: for a Dirichlet with "auto" a grid, if there is anything to learn."""
    if not (isinstance(prior, str) and prior == "auto"):
        return [_Choice(_priors(prior, kind, folds))]
    if kind.law != "dirichlet" or all(v.n_voters == 1 for v in folds):
        return [_Choice(_priors(1.0, kind, folds))]
    return [
        _Choice([kind.prior(total / v.n_voters, v.n_voters) for v in folds], parts)
        for total, parts in PRIOR_TOTALS.items()
    ]


def _priors(prior: Any, kind: type[Posterior], folds: list[Votes]) -> list[Posterior]:
    priors = [
        value if isinstance(value, Posterior) else kind.prior(value, v.n_voters)
        for value, v in zip(_prior_of_each_fold(prior, folds), folds, strict=True)
    ]
    for value, v in zip(priors, folds, strict=True):
        if not isinstance(value, kind) or value.n_voters != v.n_voters:
            raise ValueError(f"prior must be a {kind.__name__} over the {v.n_voters} voters, got {value!r}.")
        value.check_prior()
    return priors


def _prior_of_each_fold(prior: Any, folds: list[Votes]) -> list[Any]:
    """The prior of each fold: a list may have an entry for each fold, or a number for each voter."""
    if not isinstance(prior, list | tuple):
        return [prior] * len(folds)
    if not all(np.isscalar(value) for value in prior):
        if len(prior) != len(folds):
            raise ValueError(f"prior has {len(prior)} entries for {len(folds)} folds: give one for each fold.")
        return list(prior)
    of_folds = len(folds) > 1 and len(prior) == len(folds)
    of_voters = all(v.n_voters == len(prior) for v in folds)
    if of_folds and of_voters:
        raise ValueError(
            f"prior={prior!r} could hold a number for each of the {len(folds)} folds or for each of the {len(prior)} "
            "voters: pass a list of arrays, one for each fold, or one numpy array for the voters of every fold."
        )
    return list(prior) if of_folds else [prior] * len(folds)


def _generator(random_state: Any) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
