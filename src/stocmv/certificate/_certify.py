"""From a posterior to its certificate: nothing interpolated, everything rounded outward."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bound, check_alternatives, check_delta, seeger_mixture
from ..posteriors import BlocDirichlet, Dirichlet, Posterior
from ..risks import Risk, margin_rows
from ..special import kl_inverse
from ..votes import Digest, Mean, Total, Votes, ask_each
from ._baseline import baseline, class_counts
from ._certificate import Certificate
from ._claims import Claim, paid_claims, share_of
from ._class_losses import ClassLosses, class_losses, known_labels, mean_vote_errors, measured_recalls
from ._fixed_vote import FixedVote, choose_fixed_vote, margins_for, sampled
from ._words import SPEAKERS, certified, deterministic_rule, theorem, unproven

_FIXED_BEFORE = "The risk, the bound and delta were fixed before looking at these examples."
_ROUNDING = 1e-14  # more than rounding can change the weighted mean over the folds


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
    context: dict[str, Any] | None = None,
) -> Certificate:
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
    context : dict, optional
        Where the certificate comes from, to be recorded in it.
    """
    _check_kinds(posteriors, priors, risk)
    check_per_class(per_class, posteriors[0])
    for fold in votes:
        risk.check_votes(fold)
    if any(v.grouped for v in votes):
        raise ValueError("votes has rows that belong to groups: a PAC-Bayes bound needs independent rows.")
    _check_blocs(votes, posteriors, priors)
    check_delta(delta)
    check_alternatives(alternatives)
    one_voter = all(v.n_voters == 1 for v in votes)
    draws, covers_drawn = risk.paid_draws(posteriors[0]), one_voter or risk.covers_drawn(posteriors[0].law)
    labels = known_labels(votes, needed=per_class)
    certified_votes = ("predict", "stochastic vote") if covers_drawn and not one_voter else ("predict",)
    claims = paid_claims(
        delta,
        votes=certified_votes,
        folds=len(votes),
        parts=alternatives,
        means=len(risk.outward),
        margins=len(margins_for(posteriors)) if posteriors[0].law == "dirichlet" and not one_voter else 0,
        draw_share=risk.draw_share if draws else 0.0,
        classes=len(labels),
        per_class=per_class,
    )
    sizes = tuple(v.n_examples for v in votes)
    digests, counts, samples, means = ask_each(
        [(v, Digest()) for v in votes],
        [(v, Total(class_counts)) for v in votes],
        sampled(votes if posteriors[0].law == "dirichlet" else []),
        [(v, Mean(partial(risk.certified_moments, p))) for p, v in zip(posteriors, votes, strict=True)],
    )
    by_fold = np.stack(means)
    drawn = _drawn_losses(votes, posteriors) if per_class else []
    moments = np.minimum(bound.risk_weights(sizes) @ by_fold * (1 + _ROUNDING * np.array(risk.outward)), 1.0)
    if draws:
        moments = kl_inverse(moments, np.log(1 / share_of(claims, certified_votes[-1], "draws")) / draws)
    kl = sum(p.certified_kl(q) for p, q in zip(posteriors, priors, strict=True))
    share = share_of(claims, certified_votes[-1])
    composed = risk.compose(np.minimum(moments, 1.0), kl, lambda r, d: bound.upper(r, d, sizes, share), posteriors[0])
    value = min(composed.value, 1.0)
    return Certificate(
        stochastic_bound=value,
        moments=tuple(float(m) for m in moments),
        kl=float(kl),
        n=sum(sizes),
        delta=delta,
        claims=claims,
        alternatives=alternatives,
        recalls=() if per_class else _recalls(labels, votes, posteriors),
        precisions=(),
        cost={},
        context=context or {},
        risk=risk.name,
        risk_settings=risk.settings(),
        bound_settings=bound.settings(),
        theorem=theorem(bound.theorem, risk.name, len(votes)),
        unproven=unproven(risk=risk, posterior=posteriors[0], bound=bound),
        certified=certified(risk.certified, one_voter, len(votes)),
        covers_drawn=covers_drawn,
        warnings=(),
        assumptions=(*_assumptions(len(votes), draws, bound, posteriors[0]), *assumptions),
        fold_sizes=sizes,
        fold_shares=tuple(n / sum(sizes) for n in sizes),
        grouped=False,
        baseline=baseline(labels, sum(counts), sum(sizes), claims, grouped=False) if len(labels) else {},
        posterior=posteriors[0].name,
        posteriors=tuple(_lists(p) for p in posteriors),
        priors=tuple(_lists(p) for p in priors),
        vote_digests=tuple(digests),
        **_further(votes, samples, posteriors, priors, bound, claims, value, drawn),
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


def _drawn_losses(votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> list[ClassLosses]:
    """Errors of the stochastic vote by class."""
    return class_losses([partial(margin_rows, cast(Dirichlet, p)) for p in posteriors], votes)


def _recalls(labels: NDArray, votes: Sequence[Votes], posteriors: Sequence[Posterior]) -> tuple[dict[str, Any], ...]:
    """What predict finds of each class; not for votes that are drawn once, which are too many to count again."""
    if not len(labels) or posteriors[0].law == "drawn":
        return ()
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
) -> dict[str, Any]:
    """Bounds on the deterministic vote and on each class."""
    one_voter = all(v.n_voters == 1 for v in votes)
    abstains = any(v.abstains for v in votes)
    rule = deterministic_rule(posteriors[0].deterministic_rule, len(votes), one_voter, abstains)
    if posteriors[0].law != "dirichlet":
        if any(claim.pays_for == "votes drawn once" for claim in claims):
            # if the class that most of the drawn votes answer is wrong, at least half of them err
            price = np.log(1 / share_of(claims, "predict", "votes drawn once")) / len(posteriors[0].fixed_votes())
            value = min(2 * float(kl_inverse(value, price)), 1.0)
        return {"bound": value, "deterministic_rule": rule, "deterministic_vote": {}, "per_class": ()}
    dirichlets, betas = cast(Sequence[Dirichlet], posteriors), cast(Sequence[Dirichlet], priors)
    share = share_of(claims, "predict")
    fixed = choose_fixed_vote(votes, samples, dirichlets, betas, bound, share)
    sizes = tuple(v.n_examples for v in votes)
    risk = min(float(bound.risk_weights(sizes) @ [losses.mean for losses in fixed.losses]) * (1 + 1e-13), 1.0)
    paid = bound.upper(risk, float(fixed.kls.sum()), sizes, share).value / fixed.coverage
    return {
        "bound": value if one_voter else float(min(paid, 1.0)),
        "deterministic_rule": rule,
        "deterministic_vote": {
            "margin": fixed.margin,
            "scale": fixed.scale,
            "leak": fixed.leak.share,
            "heavy": fixed.leak.heavy,
            "coverage": fixed.coverage,
            "empirical_risk": float(risk),
            "kl": float(fixed.kls.sum()),
            "margins": fixed.margins,
        },
        "per_class": tuple(_per_class(votes, dirichlets, betas, drawn, fixed, claims)) if drawn else (),
    }


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
                "delta": share,
                "empirical_risk": fixed_risk,
                "stochastic_risk": risk,
                "bound": float(min(mean, 1.0)),
                "stochastic_bound": float(min(value, 1.0)),
                "bound_settings": {},
            }
        )
    return certificates


def _lists(posterior: Posterior) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in posterior.parameters().items()}


def _assumptions(n_folds: int, draws: int, bound: Bound, posterior: Posterior) -> list[str]:
    unseen = (
        "The voters and the prior of each fold were chosen without looking at the examples of that fold, and the folds "
        "were drawn without looking at the examples."
        if n_folds > 1
        else "The voters and the prior were chosen without looking at these examples."
    )
    stated = [
        "The examples are independent draws from one distribution, and new examples come from the same one.",
        unseen,
        " ".join(filter(None, (_FIXED_BEFORE, bound.assumption(n_folds)))),
    ]
    if draws:
        stated.append(
            f"The risk is estimated from {draws} drawn votes, which a share of delta pays for; the posterior was "
            "chosen without looking at these draws."
        )
    if isinstance(posterior, BlocDirichlet) and posterior.speakers.size:
        stated.append(SPEAKERS)
    return stated
