"""From a posterior to its certificate: nothing interpolated, everything rounded outward."""

from collections.abc import Sequence

import numpy as np

from ..bounds import Bound
from ..posteriors import Categorical, Dirichlet, Posterior
from ..risks import Risk
from ..special import kl_inverse
from ..votes import VoteMatrix
from ._certificate import Certificate


def certify(
    votes: Sequence[VoteMatrix],
    posteriors: Sequence[Posterior],
    priors: Sequence[Posterior],
    risk: Risk,
    bound: Bound,
    delta: float,
    assumptions: Sequence[str] = (),
) -> Certificate:
    """Certify given posteriors, one per fold.

    The bounds hold for every posterior at once, so where the posterior comes from does not matter; the votes must be on
    examples that neither the voters nor the prior of their fold have seen.
    """
    sizes = tuple(v.n_examples for v in votes)
    shares = np.array(sizes) / sum(sizes)
    moments = shares @ np.stack([risk.certified_moments(p, v) for p, v in zip(posteriors, votes, strict=True)])
    remaining = delta
    draws = risk.paid_draws(posteriors[0])
    if draws:
        remaining = delta * (1 - risk.draw_share)
        moments = kl_inverse(moments, np.log(len(votes) / (delta * risk.draw_share)) / draws)
    kl = sum(p.certified_kl(q) for p, q in zip(posteriors, priors, strict=True))
    composed = risk.compose(
        np.minimum(moments, 1.0), kl, lambda r, d, share: bound.upper(r, d, sizes, share * remaining), posteriors[0]
    )
    value = min(composed.value, 1.0)
    return Certificate(
        bound=value,
        deterministic_bound=value if isinstance(posteriors[0], Categorical) else min(2 * value, 1.0),
        deterministic_rule=_rule(posteriors[0], len(votes)),
        moments=tuple(float(m) for m in moments),
        kl=float(kl),
        n=sum(sizes),
        delta=delta,
        risk=risk.name,
        risk_settings=risk.settings(),
        bound_settings=bound.settings(),
        theorem=_theorem(risk, bound, len(votes)),
        proven=bound.proven,
        certified=risk.certified,
        assumptions=(*_assumptions(len(votes), draws), *assumptions),
        fold_sizes=sizes,
        posterior=posteriors[0].name,
        posteriors=tuple(_lists(p) for p in posteriors),
        priors=tuple(_lists(p) for p in priors),
        votes=tuple(v.digest() for v in votes),
    )


def _lists(posterior: Posterior) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in posterior.parameters().items()}


def _rule(posterior: Posterior, n_folds: int) -> str:
    fold = "a fold is drawn in proportion to its size, then " if n_folds > 1 else ""
    if isinstance(posterior, Categorical):
        return f"{fold}the voters vote with their probabilities as weights"
    if isinstance(posterior, Dirichlet):
        return f"{fold}the voters vote with their mean weights (at most twice the bound)"
    return f"{fold}the class that most drawn votes answer (at most twice the bound)"


def _theorem(risk: Risk, bound: Bound, n_folds: int) -> str:
    crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
    return f"{bound.theorem}{crossed}, for the risk {risk.name!r}"


def _assumptions(n_folds: int, draws: int) -> list[str]:
    unseen = (
        "The voters and the prior of each fold were chosen without looking at the examples of that fold, and the folds "
        "were drawn without looking at the examples."
        if n_folds > 1
        else "The voters and the prior were chosen without looking at these examples."
    )
    stated = [
        "The examples are independent draws from one distribution, and new examples come from the same one.",
        unseen,
        "The risk, the bound and delta were fixed before looking at these examples.",
    ]
    if draws:
        stated.append(f"The risk is estimated from {draws} drawn votes, which a share of delta pays for.")
    return stated
