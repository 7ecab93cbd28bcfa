"""The PAC-Bayes bound on the deterministic vote: near-errors of the stochastic vote count as errors.

If the deterministic vote errs on an example, the stochastic vote errs there, or is right by less than a margin ``g``,
with probability at least ``nu``. This is ``I_{1/2 + g}(s / K, s / K)`` in general; more if there are few voters, whose
weights leave no close contest; less if voters may abstain, so that few of them decide. So the error of the
deterministic vote is at most the margin risk of the stochastic vote, divided by ``nu``. Multiplying all concentrations
by a number does not change the deterministic vote, and the bounds hold for all posteriors at once, so that number is
free. The margin is chosen from a grid, whose margins share delta.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bound
from ..posteriors import Dirichlet, Posterior
from ..risks import margin_rows
from ..votes import Query, Rows, Votes, random_rows
from ._class_losses import ClassLosses, class_losses
from ._partition import Contests, closest_contests

MARGINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2)
_SCALES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_SAMPLE = 1024  # rows of each fold on which margin and scale are chosen


@dataclass(frozen=True)
class FixedVote:
    """The chosen margin and scale, with the margin losses of each fold under the scaled posteriors."""

    margin: float
    scale: float
    coverage: float  # nu
    margins: int  # number of margins tried, which share delta
    losses: Sequence[ClassLosses]
    kls: NDArray


def sampled(votes: Sequence[Votes]) -> list[tuple[Votes, Query]]:
    """Queries for the sample of each fold (or all of its rows) on which margin and scale are chosen."""
    rng = np.random.default_rng(0)
    few = [np.arange(v.n_rows) if v.n_rows <= _SAMPLE else random_rows(v.n_rows, _SAMPLE, rng) for v in votes]
    return [(v, Rows(rows)) for v, rows in zip(votes, few, strict=True)]


def margins_for(posteriors: Sequence[Posterior]) -> tuple[float, ...]:
    """The margins to try; a single voter wins every contest and needs none."""
    return MARGINS if any(p.n_voters > 1 for p in posteriors) else (0.0,)


def choose_fixed_vote(
    votes: Sequence[Votes],
    samples: Sequence[Votes],
    posteriors: Sequence[Dirichlet],
    priors: Sequence[Dirichlet],
    bound: Bound,
    share: float,
) -> FixedVote:
    """Choose margin and scale on the samples, then evaluate the losses of all rows.

    Each margin gets this share of delta.
    """
    sizes = tuple(v.n_examples for v in votes)
    margins = margins_for(posteriors)
    # a voter that answered all judges of its fold may still abstain on a new example, and predict allows it to if any
    # voter abstained anywhere
    abstains = any(v.abstains for v in votes)
    contests = [closest_contests(p.alpha, v.n_classes or 2, abstains) for p, v in zip(posteriors, votes, strict=True)]

    def estimate(margin: float, scale: float) -> float:
        fixed = _evaluate(samples, posteriors, priors, contests, margin, scale)
        risk = bound.risk_weights(sizes) @ [losses.mean for losses in fixed.losses]
        return bound.upper(min(float(risk), 1.0), fixed.kls.sum(), sizes, share).value / fixed.coverage

    margin, scale = 0.0, 1.0
    if len(margins) > 1:
        for _ in range(2):
            margin = min(margins, key=lambda g: estimate(g, scale))
            scale = min(_SCALES, key=lambda c: estimate(margin, c))
    return _evaluate(votes, posteriors, priors, contests, margin, scale, len(margins))


def _evaluate(
    votes: Sequence[Votes],
    posteriors: Sequence[Dirichlet],
    priors: Sequence[Dirichlet],
    contests: Sequence[Contests],
    margin: float,
    scale: float,
    margins: int = len(MARGINS),
) -> FixedVote:
    scaled = [p.scaled(scale) for p in posteriors]
    return FixedVote(
        margin,
        scale,
        coverage=min(c.coverage(scale, margin) for c in contests),
        margins=margins,
        losses=class_losses([partial(margin_rows, p, margin=margin) for p in scaled], votes),
        kls=np.array([p.certified_kl(q) for p, q in zip(scaled, priors, strict=True)]),
    )
