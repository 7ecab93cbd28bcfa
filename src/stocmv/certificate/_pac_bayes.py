"""Certificates of votes whose weights were learned on the judging examples: the KL is the price of that."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import BOUNDS, Bennett, Bound, CatoniPerFold, Upper, check_alternatives, check_delta, seeger_mixture
from ..posteriors import POSTERIORS, BlocDirichlet, Dirichlet, Posterior
from ..risks import RISKS, Risk, margin_rows
from ..special import kl_inverse
from ..verify import (
    Check,
    Fold,
    Refused,
    Verification,
    fold_of,
    parse_certificate,
    read_votes,
    verify_pac_bayes,
)
from ..votes import PartitionedVotes, Votes, fewest_judges
from ._baseline import most_frequent, no_better
from ._certificate import Certificate
from ._claims import Claim, paid_claims, share_of
from ._class_losses import ClassLosses, class_counts, class_losses, known_labels, mean_vote_errors
from ._classes import low_recall, measured_recalls, of_class, rates_of_two
from ._fixed_vote import FixedVote, choose_fixed_vote, margins_for, sampled
from ._percent import percent_down
from ._precise import precise_checks
from ._tables import Row, Table
from ._words import SAME_DISTRIBUTION, counted, rule

_ROUNDING = 1e-14  # more than rounding can change the weighted mean over the folds
_SPEAKERS = (
    "Voters that answered all judging examples alike form a bloc. The voter that speaks for a bloc in predict was "
    "drawn once, in proportion to the prior; the bound on predict is on the average over that draw."
)
_NAMED_BOUNDS = {bound.name: bound for bound in (*BOUNDS.values(), CatoniPerFold((1.0,)), Bennett())}


@dataclass(frozen=True, kw_only=True)
class PacBayesCertificate(Certificate):
    """The certificate of a vote whose weights were learned on the examples that judge it, as in the paper.

    Its figures are functions of the votes and of the distribution of the weights.

    Attributes
    ----------
    moments : sequence of float
        The means that ``stochastic_bound`` is computed from.
    kl : float
        KL of the posterior from the prior, summed over the folds, in nats.
    risk, risk_settings, bound_settings : str, dict, dict
        The empirical risk and the bound on its expectation.
    posterior, posteriors, priors : str, tuple, tuple
        Kind of distribution, and its parameters for each fold.
    deterministic_vote : dict
        What ``bound`` is computed from: margin, scale and the resulting figures.
    alternatives : int
        Number of equal parts into which the choice of the prior divides delta; the prior that was chosen has one.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> certificate = learn(votes, random_state=0).certificate
    >>> certificate.risk, certificate.posterior
    ('exact', 'dirichlet')
    >>> certificate.stochastic_bound > certificate.empirical_risk
    True
    """

    format: ClassVar[str] = "stocmv PAC-Bayes certificate 1"

    alternatives: int
    risk: str
    risk_settings: dict[str, Any]
    bound_settings: dict[str, Any]
    posterior: str
    posteriors: tuple[dict[str, list[float]], ...]
    priors: tuple[dict[str, list[float]], ...]

    @property
    def empirical_risk(self) -> float:
        return self.moments[0]

    @property
    def stochastic_risk(self) -> float:
        return self.moments[0]

    @property
    def measured_name(self) -> str:
        return "empirical risk"

    def class_risk(self, entry: dict[str, Any]) -> float:
        return entry["stochastic_risk"]

    def paid_priors(self) -> list[Posterior]:
        kind = POSTERIORS.get(Dirichlet.name if self.posterior == BlocDirichlet.name else self.posterior)
        if kind is None:  # a distribution from outside
            return []
        return [kind(**{name: np.array(values) for name, values in prior.items()}) for prior in self.priors]

    def precise_checks(self, evidence: str | os.PathLike, share: float, seed: int) -> tuple[Check, ...]:
        content, _ = parse_certificate(self.to_json().encode())
        return tuple(precise_checks(content, read_votes(evidence), share, seed))

    @property
    def moments(self) -> Sequence[float]:
        return self.figures["error"]["moments"]

    @property
    def kl(self) -> float:
        return self.figures["error"]["kl"]

    @property
    def deterministic_vote(self) -> dict[str, float]:
        return self.figures["deterministic_vote"]

    @property
    def has_speakers(self) -> bool:
        """Whether one voter speaks for each bloc in `predict`."""
        return any(p.get("speakers") for p in self.posteriors)

    @property
    def is_soft(self) -> bool:
        """Whether the voters answer with probabilities."""
        return self.risk in RISKS and RISKS[self.risk].soft

    @property
    def is_out_of_bag(self) -> bool:
        """Whether each voter has examples of its own that judge it."""
        return "fewest" in self.figures["error"]

    @property
    def theorem(self) -> str:
        bound = _NAMED_BOUNDS.get(self.bound_settings["name"])
        named = f"the bound {self.bound_settings['name']!r}" if bound is None else bound.theorem
        folds = len(self.fold_sizes)
        return f"{named}{f', cross-bounded over {folds} folds' if folds > 1 else ''}, for the risk {self.risk!r}"

    @property
    def certified(self) -> str:
        """What ``stochastic_bound`` bounds."""
        if self.has_one_voter:
            return (
                "the error of the only voter" if len(self.fold_sizes) == 1 else "the error of the voter of a drawn fold"
            )
        return RISKS[self.risk].certified if self.risk in RISKS else f"the risk {self.risk!r}"

    @property
    def rule(self) -> str:
        kind = POSTERIORS.get(self.posterior, Posterior)
        answer = (
            "its voter answers"
            if self.has_one_voter
            else "one voter of each bloc votes, with the bloc's mean weight, and of classes that tie the first wins"
            if self.has_speakers
            else "of the voters' probabilities, weighted by mean weights, the class with the largest sum wins"
            if self.is_soft
            else kind.deterministic_rule
        )
        return rule(answer, len(self.fold_sizes), self.abstains)

    @property
    def made_and_judged(self) -> str:
        if not self.protocol:
            return ""
        taught = "the weights of each fold's voters were" if len(self.fold_sizes) > 1 else "the weights were"
        judging = f"All {self.protocol['judging']:,} examples judged the vote"
        return f"{judging}, and {taught} learned on them: the KL is the price of that."

    def tables(self) -> list[Table]:
        rows = [Row("predict", self.bound, "figures.error.bound")]
        if self.has_stochastic_vote:
            drawn = cast(float, self.stochastic_bound), "figures.error.stochastic_bound"
            rows.append(Row("stochastic vote", *drawn, self.moments[0], "figures.error.moments.0"))
        tables = [Table(self.measure, "at most", (*rows, *self.baseline_rows()), measured="empirical risk")]
        if not self.per_class:
            return tables
        lines = []
        for c, entry in enumerate(self.per_class):
            title, place = of_class(entry, grouped=False), f"figures.classes.{c}"
            lines.append(Row(title, entry["bound"], f"{place}.bound"))
            if self.has_stochastic_vote:
                measured = (entry["stochastic_risk"], f"{place}.stochastic_risk") if entry["n"] else ()
                bound = entry["stochastic_bound"]
                lines.append(Row(f"{title}, stochastic vote", bound, f"{place}.stochastic_bound", *measured))
        return [*tables, Table("error on class", "at most", tuple(lines), measured="empirical risk")]

    def _remarks(self) -> list[str]:
        low = [entry for entry in self.per_class if entry["bound"] > 0.5 and entry["n"]]
        found = low_recall(self.recalls, "examples that judge it, which also taught it", averaged=False)
        if low:
            worst = max(low, key=lambda entry: entry["bound"])
            key = ", on average over that key" * (len(self.fold_sizes) > 1)
            others = counted(len(low) - 1, "other class", "other classes")
            more = f"; less than half is certified of {others}, too" if len(low) > 1 else ""
            of = f"{percent_down(1 - worst['bound'])} of class {worst['label']!r}"
            found = f"It finds at least {of}{key}, {self.again}{more}."
        than = no_better(self.bound, self.baseline, self.again) if self.baseline else ""
        return [remark for remark in (found, than) if remark]

    def _notes(self) -> list[str]:
        if self.is_out_of_bag:
            fewest = self.figures["error"]["fewest"]
            more = fewest["compared"] - fewest["pair"]
            return [
                f"Out of bag: at least {fewest['voter']:,} examples judge each voter, and at least "
                f"{fewest['pair']:,} each two voters together."
                + f" Whether these agree is also seen on {counted(more, 'unlabelled example')}."
                * (more > 0)
            ]
        return [rates_of_two(self.per_class, self.context.get("positive"))] if len(self.per_class) == 2 else []

    def _averaged_over(self) -> list[str]:
        return super()._averaged_over() + ["the draw of the voters that speak for blocs"] * self.has_speakers

    def _proof(self) -> str:
        return f"{super()._proof()} KL from the prior: {self.kl:.2f} nats."

    def _assumptions(self) -> list[str]:
        several = len(self.fold_sizes) > 1
        unseen = (
            "The voters and the prior of each fold were chosen without looking at the examples of that fold, and the "
            "folds were drawn without looking at the examples."
            if several
            else "The voters and the prior were chosen without looking at these examples."
        )
        if self.is_out_of_bag:
            unseen = (
                "Each voter was made without looking at the examples that judge it; which these are, and the prior, "
                "were chosen without looking at any of these examples."
            )
            fewest = self.figures["error"]["fewest"]
            if fewest["compared"] > fewest["pair"]:
                unseen += (
                    " The unlabelled examples come from the same distribution, no voter was trained on them, and there "
                    "are no other classes than the two."
                )
        bound = _NAMED_BOUNDS.get(self.bound_settings["name"])
        chosen = "" if bound is None else bound.assumption(len(self.fold_sizes))
        fixed = "The risk, the bound and delta were fixed before looking at these examples."
        sentences = [SAME_DISTRIBUTION, unseen, " ".join(filter(None, (fixed, chosen)))]
        if any(claim.pays_for == "draws" for claim in self.claims):
            draws = self.risk_settings.get("certificate_draws", "some")
            sentences.append(
                f"The risk is estimated from {draws} drawn votes, which a share of delta pays for; the posterior was "
                "chosen without looking at these draws."
            )
        return sentences + [_SPEAKERS] * self.has_speakers

    def verify(self, evidence: Votes | Sequence[Votes], *, precise: float = 0.0, random_state: int = 0) -> Verification:
        """Recompute every figure of the certificate from the votes, with independent code, and compare.

        This runs `stocmv.verify`: one file that uses only numpy and scipy, and no code that learned or certified.

        Parameters
        ----------
        evidence : Votes or list of Votes
            The votes, one entry per fold: ``clf.evidence_``, or what `learn` was given.
        precise : float
            Share of the rows, drawn at random, to check at thirty digits too (needs python-flint).
        random_state : int
            Seed for that draw.
        """
        given = [evidence] if isinstance(evidence, Votes) else list(evidence)
        if not all(isinstance(votes, Votes) for votes in given):
            raise TypeError("evidence must be the votes that the weights were learned on.")

        def check(content: dict[str, Any], intact: Check) -> Verification:
            try:
                folds = [checked_fold(votes) for votes in given]
            except Refused as error:
                return Verification((Check("votes", content["evidence"], str(error), False),))
            return verify_precisely(content, intact, folds, precise, random_state)

        return self._checked_by(check)


def verify_precisely(
    content: dict[str, Any], intact: Check, folds: Sequence[Fold], precise: float, seed: int
) -> Verification:
    """Check the content of a certificate, and a share of the rows at thirty digits."""
    found = verify_pac_bayes(content, intact, folds)
    if not found or precise <= 0:  # no thirty digits for figures that already fail
        return found
    checks = (*found.checks, *precise_checks(content, folds, precise, seed))
    return Verification(checks, found.statement, found.unchecked)


def checked_fold(votes: Votes) -> Fold:
    """The votes of a fold as the verifier reads them; refused if they contradict themselves."""
    here = votes.collect()
    if isinstance(here, PartitionedVotes):
        return fold_of([part.whole()._arrays() for part in here.parts], divided=True)
    return fold_of([here.whole()._arrays()])


def certify(
    votes: Sequence[Votes],
    posteriors: Sequence[Posterior],
    priors: Sequence[Posterior],
    risk: Risk,
    bound: Bound,
    delta: float,
    assumptions: Sequence[str] = (),
    *,
    per_class: bool = False,
    alternatives: int = 1,
    warnings: Sequence[str] = (),
    unproven: Sequence[str] = (),
    protocol: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
) -> PacBayesCertificate:
    """Certify given posteriors, one per fold.

    The bounds hold for all posteriors at once, so it does not matter where the posterior comes from. (If its risk is
    estimated from draws, it must not depend on them.) The votes must be on examples that neither the voters nor the
    prior of their fold have seen.

    Parameters
    ----------
    votes, posteriors, priors : sequences, one entry per fold
        The votes on the examples of the fold, and the fold's distributions of the weights.
    risk, bound : Risk, Bound
        The empirical risk, and the bound on its expectation.
    delta : float
        Probability that a statement fails, at most.
    assumptions : sequence of str
        Further assumptions, in words.
    per_class : bool
        Also bound the error on each class (Dirichlet posteriors, votes made from labels).
    alternatives : int
        Number of equal parts into which delta is divided, one of them for this prior: at least the number of priors
        from which it is chosen, if all get the same.
    warnings, unproven : sequence of str
        Findings in the examples, and further parts without a proof.
    protocol, context : dict, optional
        Which examples made the vote, and where the certificate comes from.

    Examples
    --------
    >>> from stocmv import VoteMatrix, certify
    >>> from stocmv.bounds import Seeger
    >>> from stocmv.posteriors import Dirichlet
    >>> from stocmv.risks import RISKS
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> posterior, prior = Dirichlet([50.0, 1.0, 1.0]), Dirichlet([1.0, 1.0, 1.0])
    >>> certificate = certify([votes], [posterior], [prior], RISKS["exact"], Seeger(), delta=0.05)
    >>> round(certificate.stochastic_bound, 3), round(certificate.kl, 2)
    (0.054, 5.21)
    """
    _check_kinds(posteriors, priors, risk)
    check_per_class(per_class, posteriors[0])
    for fold in votes:
        risk.check_votes(fold)
    check_out_of_bag(votes, posteriors[0])
    _check_blocs(votes, posteriors, priors)
    check_delta(delta)
    check_alternatives(alternatives)
    bound = risk.bound_for(bound)
    one_voter = all(v.n_voters == 1 for v in votes)
    draws, covers_drawn = risk.paid_draws(posteriors[0]), one_voter or risk.covers_drawn(posteriors[0].law)
    labels = known_labels(votes, needed=per_class)
    certified_votes = ("predict", "stochastic vote") if covers_drawn and not one_voter else ("predict",)
    claims = paid_claims(
        delta,
        votes=certified_votes,
        folds=len(votes),
        parts=alternatives,
        means=risk.n_bounds,
        margins=len(margins_for(posteriors)) if posteriors[0].law == "dirichlet" and not one_voter else 0,
        draw_share=risk.draw_share if draws else 0.0,
        classes=len(labels),
        per_class=per_class,
    )
    sizes = tuple(v.n_examples for v in votes)
    fewest, *further_sizes = fewest_judges(votes)
    started: Any = (
        [v.start(v.digest) for v in votes],
        [v.start(v.total, class_counts) for v in votes],
        sampled(votes if posteriors[0].law == "dirichlet" else []),
        [v.start(risk.certified_means, p, v) for p, v in zip(posteriors, votes, strict=True)],
    )
    digests, counts, samples, means = ([wait() for wait in group] for group in started)
    by_fold = np.stack(means)
    drawn = _drawn_losses(votes, posteriors) if per_class else []
    moments = np.minimum(bound.risk_weights(sizes) @ by_fold * (1 + _ROUNDING * np.array(risk.outward)), 1.0)
    if draws:
        moments = kl_inverse(moments, np.log(1 / share_of(claims, certified_votes[-1], "draws")) / draws)
    kl = sum(p.certified_kl(q) for p, q in zip(posteriors, priors, strict=True))
    share = share_of(claims, certified_votes[-1])
    composed = risk.compose(np.minimum(moments, 1.0), kl, Upper(bound, fewest, share, *further_sizes), posteriors[0])
    value = min(composed.value, 1.0)
    if value < 0:  # only where two voters are judged, or compared, by other examples than each of them
        raise ValueError(
            "The bound on the error would be negative: voters disagree more often, on the examples that compare them, "
            "than they could with so few errors. Do all examples, unlabelled ones too, come from one distribution?"
        )
    parts: dict[str, Any] = {"risk": risk, "posterior": posteriors[0], "bound": bound}
    own, fixed, classes = _further(votes, samples, posteriors, priors, bound, claims, value, drawn)
    error = {"bound": own, "stochastic_bound": value, "moments": [float(m) for m in moments], "kl": float(kl)}
    if votes[0].out_of_bag:
        pair, compared = (each[0] for each in further_sizes)
        error["fewest"] = {"voter": fewest[0], "pair": pair, "compared": compared}
    further: dict[str, Any] = {"classes": classes} if per_class else {"recalls": _recalls(labels, votes, posteriors)}
    if len(labels):
        share = share_of(claims, "baseline")
        further["baseline"] = most_frequent(labels, sum(counts), sum(sizes), share, grouped=False)
    return PacBayesCertificate(
        figures={"error": error, "deterministic_vote": fixed, **further},
        n=sum(sizes),
        delta=delta,
        claims=claims,
        alternatives=alternatives,
        risk=risk.name,
        risk_settings=risk.settings(),
        bound_settings=bound.settings(),
        fold_sizes=sizes,
        fold_shares=tuple(n / sum(sizes) for n in sizes),
        grouped=False,
        has_one_voter=one_voter,
        covers_drawn=covers_drawn,
        abstains=any(v.abstains for v in votes),
        posterior=posteriors[0].name,
        posteriors=tuple(_lists(p) for p in posteriors),
        priors=tuple(_lists(p) for p in priors),
        evidence=tuple(digests),
        unproven=(*(f"the {kind} {part.name!r}" for kind, part in parts.items() if not part.proven), *unproven),
        further_assumptions=tuple(assumptions),
        warnings=tuple(warnings),
        protocol=protocol or {},
        context=context or {},
    )


def _check_kinds(posteriors: Sequence[Posterior], priors: Sequence[Posterior], risk: Risk) -> None:
    """Refuse distributions that the risk is not defined for, and a mix of kinds."""
    kinds = {*(p.name for p in posteriors), *(q.name for q in priors if q.name != posteriors[0].prior_name)}
    if len(kinds) != 1:
        raise ValueError(f"posteriors and priors must all be of one kind, got {', '.join(sorted(kinds))}.")
    risk.check_posterior(posteriors[0])


def _check_blocs(votes: Sequence[Votes], posteriors: Sequence[Posterior], priors: Sequence[Posterior]) -> None:
    """Refuse blocs whose voters do not all answer alike, and shares within blocs that are not those of the prior."""
    for v, p, q in zip(votes, posteriors, priors, strict=True):
        if not isinstance(p, BlocDirichlet):
            continue
        if v.abstains:
            raise ValueError("posteriors has blocs and some voter abstains: merged voters need votes without gaps.")
        if len(np.unique(np.column_stack([p.blocs, v.blocs()]), axis=0)) > len(p.alpha):
            raise ValueError("posteriors has a bloc whose voters do not answer all of these examples alike.")
        if not np.array_equal(p.within, cast(Dirichlet, q).alpha):
            raise ValueError("posteriors has blocs that share their weight in another way than priors does.")


def check_per_class(per_class: bool, posterior: Posterior | type[Posterior]) -> None:
    """Refuse ``per_class`` for a posterior that has no such bounds."""
    if per_class and posterior.law != "dirichlet":
        raise ValueError(
            f"per_class=True needs a Dirichlet posterior, got {posterior.name!r}: only the exact error of the "
            "stochastic vote is known for each class. Use risk='exact', or per_class=False."
        )


def check_out_of_bag(votes: Sequence[Votes], posterior: Posterior | type[Posterior]) -> None:
    """Refuse out-of-bag votes in folds, or with another posterior than one over single voters."""
    if not any(v.out_of_bag for v in votes):
        return
    if len(votes) > 1:
        raise ValueError(f"votes has {len(votes)} folds, but out-of-bag votes are one sample: pass them alone.")
    if posterior.law != "voter":
        raise ValueError(f"out-of-bag votes need posterior='categorical', got {posterior.name!r}.")


def _drawn_losses(votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> list[ClassLosses]:
    """Errors of the stochastic vote by class."""
    return class_losses([partial(margin_rows, cast(Dirichlet, p)) for p in posteriors], votes)


def _recalls(labels: NDArray, votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> list[dict[str, Any]]:
    """What predict finds of each class; not for votes that are drawn once, which are too many to count again."""
    unknown = votes[0].soft and len(labels) > 2  # the margins do not say which class has the most weight
    unknown |= votes[0].out_of_bag  # no example has the votes of all voters
    if not len(labels) or posteriors[0].law == "drawn" or unknown:
        return []
    found = class_losses([partial(mean_vote_errors, p.mean) for p in posteriors], votes)
    wrong, counts = np.sum([(each.sums, each.counts) for each in found], axis=0)
    return measured_recalls(labels, wrong, counts)


def _further(
    votes: Sequence[Votes],
    samples: Sequence[Votes],
    posteriors: Sequence[Posterior],
    priors: Sequence[Posterior],
    bound: Bound,
    claims: Sequence[Claim],
    value: float,
    drawn: Sequence[ClassLosses],
) -> tuple[float, dict[str, float], list[dict[str, Any]]]:
    """The bound on the deterministic vote, what it is computed from, and the bounds on each class."""
    one_voter = all(v.n_voters == 1 for v in votes)
    if posteriors[0].law != "dirichlet":
        if any(claim.pays_for == "votes drawn once" for claim in claims):
            # if the class that most of the drawn votes answer is wrong, at least half of them err
            price = np.log(1 / share_of(claims, "predict", "votes drawn once")) / len(posteriors[0].fixed_votes())
            value = min(2 * float(kl_inverse(value, price)), 1.0)
        return value, {}, []
    dirichlets, betas = cast(Sequence[Dirichlet], posteriors), cast(Sequence[Dirichlet], priors)
    share = share_of(claims, "predict")
    fixed = choose_fixed_vote(votes, samples, dirichlets, betas, bound, share)
    sizes = tuple(v.n_examples for v in votes)
    risk = min(float(bound.risk_weights(sizes) @ [losses.mean for losses in fixed.losses]) * (1 + 1e-13), 1.0)
    paid = bound.upper(risk, float(fixed.kls.sum()), sizes, share).value / fixed.coverage
    figures = {
        "margin": fixed.margin,
        "scale": fixed.scale,
        "leak": fixed.leak.share,
        "heavy": fixed.leak.heavy,
        "coverage": fixed.coverage,
        "empirical_risk": float(risk),
        "kl": float(fixed.kls.sum()),
        "margins": fixed.margins,
    }
    classes = _per_class(votes, dirichlets, betas, drawn, fixed, claims) if drawn else []
    return value if one_voter else float(min(paid, 1.0)), figures, classes


def _per_class(
    votes: Sequence[Votes],
    posteriors: Sequence[Dirichlet],
    priors: Sequence[Dirichlet],
    drawn: Sequence[ClassLosses],
    fixed: FixedVote,
    claims: Sequence[Claim],
) -> list[dict[str, Any]]:
    """Bounds on the error given the true class: given the labels, the examples of a class are i.i.d. draws from it."""
    labels = known_labels(votes, needed=True)
    kls = np.array([p.certified_kl(q) for p, q in zip(posteriors, priors, strict=True)])
    shares = np.array([v.n_examples for v in votes], float)
    shares /= shares.sum()
    fixed_share = share_of(claims, "classes")
    share = fixed_share if all(v.n_voters == 1 for v in votes) else share_of(claims, "classes, stochastic vote")
    counts, risks, fixed_risks = (
        np.stack(each)
        for each in (
            [losses.counts for losses in drawn],
            [losses.class_means for losses in drawn],
            [losses.class_means for losses in fixed.losses],
        )
    )
    certificates = []
    for c, label in enumerate(labels.tolist()):
        sizes = counts[:, c].astype(int)
        risk, fixed_risk = (min(float(shares @ by_fold[:, c]) * (1 + 1e-13), 1.0) for by_fold in (risks, fixed_risks))
        value = seeger_mixture(risk, kls, sizes, shares, share)
        mean = seeger_mixture(fixed_risk, fixed.kls, sizes, shares, fixed_share) / fixed.coverage
        certificates.append(
            {
                "label": label,
                "n": int(sizes.sum()),
                "empirical_risk": fixed_risk,
                "stochastic_risk": risk,
                "bound": float(min(mean, 1.0)),
                "stochastic_bound": float(min(value, 1.0)),
            }
        )
    return certificates


def _lists(posterior: Posterior) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in posterior.parameters().items()}
