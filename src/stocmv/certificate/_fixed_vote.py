"""The PAC-Bayes bound on the deterministic vote: near-errors of the stochastic vote count as errors.

If the deterministic vote errs on an example, the stochastic vote errs there, or is right by less than a margin ``g``,
with probability at least ``nu``. This is ``I_{1/2 + g}(s / K, s / K)`` in general; more if there are few voters, whose
weights leave no close contest; less if voters may abstain, so that few of them decide. So the error of the
deterministic vote is at most the margin risk of the stochastic vote, divided by ``nu``. Multiplying all concentrations
by a number does not change the deterministic vote, and the bounds hold for all posteriors at once, so that number is
free. The margin is chosen from a grid, whose margins share delta.

Voters of a bloc may disagree on a new example, and then only one of them, the bloc's speaker, votes. For a price that
is added to the KL, the stochastic vote gives the speaker all of the bloc's weight but a share, the leak, which takes a
little of the margin (theory page, "Blocs of voters"). Blocs with little more weight than the prior gives them may cost
more than they are worth; all of their weight leaks. The leak is free as well. If all voters of a bloc vote, the KL is
that of a Dirichlet over all voters.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bound
from ..posteriors import BlocDirichlet, Dirichlet, Posterior
from ..risks import margin_rows
from ..votes import VoteMatrix, Votes, random_rows
from ._class_losses import ClassLosses, class_losses
from ._partition import Contests, ScoreContests, closest_contests


class Leak(NamedTuple):
    """Weight of blocs that their speakers may not hold."""

    share: float = 0.0  # of each heavy bloc
    heavy: float = 0.0  # a bloc is heavy from this times the prior's concentration on


MARGINS = (0.0, 0.01, 0.02, 0.04, 0.07, 0.12, 0.2)
_SCALES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
_LEAKS = [Leak(share, heavy) for share in (0.1, 0.02, 0.003, 3e-4, 3e-5) for heavy in (0.0, 3.0)]
_SAMPLE = 1024  # rows of each fold on which margin and scale are chosen


@dataclass(frozen=True)
class FixedVote:
    """The chosen margin, scale and leak, with the margin losses of each fold under the scaled posteriors."""

    margin: float
    scale: float
    leak: Leak
    coverage: float  # nu
    margins: int  # number of margins tried, which share delta
    losses: Sequence[ClassLosses]
    kls: NDArray


def sampled(votes: Sequence[Votes]) -> list[Callable[[], VoteMatrix]]:
    """Start to take the sample of each fold (or all of its rows) on which margin and scale are chosen."""
    rng = np.random.default_rng(0)
    few = [np.arange(v.n_rows) if v.n_rows <= _SAMPLE else random_rows(v.n_rows, _SAMPLE, rng) for v in votes]
    return [v.start(v.take, rows) for v, rows in zip(votes, few, strict=True)]


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
    """Choose margin, scale and leak on the samples, then evaluate the losses of all rows.

    Each margin gets this share of delta.
    """
    sizes = tuple(v.n_examples for v in votes)
    posteriors = [as_voted(p) for p in posteriors]
    margins = margins_for(posteriors)
    # a voter that answered all judges of its fold may still abstain on a new example, and predict allows it to if any
    # voter abstained anywhere
    abstains = any(v.abstains for v in votes)
    contests = [
        ScoreContests(float(p.alpha.sum()), p.n_voters)
        if v.soft
        else closest_contests(p.alpha, v.n_classes or 2, abstains)
        for p, v in zip(posteriors, votes, strict=True)
    ]

    leaks = _LEAKS if any(_has_speakers(p) for p in posteriors) else [Leak()]

    def estimate(margin: float, scale: float) -> tuple[float, Leak]:
        """The bound, and the leak for which it is smallest."""
        scaled = [p.scaled(scale) for p in posteriors]
        losses = _losses(samples, scaled, margin)
        risk = min(float(bound.risk_weights(sizes) @ [each.mean for each in losses]), 1.0)
        kl = sum(p.certified_kl(q) for p, q in zip(scaled, priors, strict=True))
        values = [
            bound.upper(risk, kl + _speaking_kls(posteriors, e).sum(), sizes, share).value
            / _coverage(contests, posteriors, scale, margin, e)
            for e in leaks
        ]
        best = int(np.argmin(values))
        return values[best], leaks[best]

    margin, scale = 0.0, 1.0
    if len(margins) > 1:
        for _ in range(2):
            margin = min(margins, key=lambda g: estimate(g, scale))
            scale = min(_SCALES, key=lambda c: estimate(margin, c))
    leak = estimate(margin, scale)[1] if len(leaks) > 1 else Leak()
    return _evaluate(votes, posteriors, priors, contests, margin, scale, leak, len(margins))


def _evaluate(
    votes: Sequence[Votes],
    posteriors: Sequence[Dirichlet],
    priors: Sequence[Dirichlet],
    contests: Sequence[Contests | ScoreContests],
    margin: float,
    scale: float,
    leak: Leak,
    margins: int,
) -> FixedVote:
    scaled = [p.scaled(scale) for p in posteriors]
    return FixedVote(
        margin,
        scale,
        leak,
        coverage=_coverage(contests, posteriors, scale, margin, leak),
        margins=margins,
        losses=_losses(votes, scaled, margin),
        kls=_kls(posteriors, scale, priors, leak),
    )


def _losses(votes: Sequence[Votes], posteriors: Sequence[Dirichlet], margin: float) -> list[ClassLosses]:
    return class_losses([partial(margin_rows, p, margin=margin) for p in posteriors], votes)


def _coverage(
    contests: Sequence[Contests | ScoreContests],
    posteriors: Sequence[Dirichlet],
    scale: float,
    margin: float,
    leak: Leak,
) -> float:
    strays = [p.stray(leak.heavy) if isinstance(p, BlocDirichlet) else 0.0 for p in posteriors]
    return min(c.coverage(scale, margin, leak.share, stray) for c, stray in zip(contests, strays, strict=True))


def _kls(posteriors: Sequence[Dirichlet], scale: float, priors: Sequence[Dirichlet], leak: Leak) -> NDArray:
    """KL of the scaled posteriors, and of what the speakers of heavy blocs hold: the same blocs at every scale."""
    scaled = [p.scaled(scale).certified_kl(q) for p, q in zip(posteriors, priors, strict=True)]
    return np.array(scaled) + _speaking_kls(posteriors, leak)


def _speaking_kls(posteriors: Sequence[Dirichlet], leak: Leak) -> NDArray:
    return np.array([p.speaking_kl(*leak) if isinstance(p, BlocDirichlet) else 0.0 for p in posteriors])


def as_voted(posterior: Dirichlet) -> Dirichlet:
    """The distribution whose mean weights predict has: over all voters, if no voter speaks for its bloc."""
    spread_out = isinstance(posterior, BlocDirichlet) and not _has_speakers(posterior)
    return cast(BlocDirichlet, posterior).unmerged() if spread_out else posterior


def _has_speakers(posterior: Posterior) -> bool:
    return isinstance(posterior, BlocDirichlet) and bool(posterior.speakers.size)
