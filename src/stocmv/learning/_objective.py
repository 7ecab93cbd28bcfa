"""The bound as a function of the posteriors' points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import Bound, Upper
from ..posteriors import Posterior, WeightedPosterior
from ..progress import logger, report
from ..risks import Moments, Risk
from ..solvers import LBFGS, Alternating, boosted_weights, logistic_weights, random_start
from ..votes import VoteMatrix, Votes, fewest_judges, random_rows
from ._history import History, Step

_FEWEST = 8  # rows of a fold in a sample
_ALTERNATIONS = 100  # steps of alternating minimisation to a start; the bound is nearly at its end much sooner


@dataclass(eq=False)
class Objective:
    """The function that solvers minimise: a point holds all folds' parameters, its value is the bound on their mixture.

    ``sizes`` are those of the whole folds even if ``votes`` is a sample of them, so that the KL keeps its weight.
    """

    votes: Sequence[Votes]
    priors: Sequence[Posterior]
    risk: Risk
    bound: Bound
    delta: float  # for each bound that the risk uses
    sizes: tuple[int, ...]
    history: History
    kl_weight: float = 1.0
    further_sizes: tuple[tuple[int, ...], ...] = ()  # for pairs of voters, and for how often they disagree
    label: str = ""
    recorded: bool = True
    _last: tuple[NDArray, Step] | None = field(default=None, repr=False)
    _d_kl: float = field(default=1.0, repr=False)  # of the last evaluation

    @property
    def start(self) -> NDArray:
        """The prior."""
        return np.concatenate([prior.point for prior in self.priors])

    @property
    def n_rows(self) -> int:
        return sum(v.n_rows for v in self.votes)

    @property
    def box(self) -> tuple[float, float]:
        return self.priors[0].point_bounds

    @property
    def draws_again(self) -> bool:
        return self.risk.draws_again

    @property
    def parts(self) -> list[slice]:
        """The coordinates of each fold's posterior."""
        ends = np.cumsum([0, *(len(prior.point) for prior in self.priors)]).tolist()
        return [slice(*pair) for pair in pairwise(ends)]

    def posteriors(self, point: NDArray) -> list[Posterior]:
        """The folds' posteriors at a point."""
        return [type(prior).from_point(point[part]) for prior, part in zip(self.priors, self.parts, strict=True)]

    def __call__(self, point: NDArray, rng: np.random.Generator | None = None) -> tuple[float, NDArray]:
        posteriors = self.posteriors(point)
        shares = self.bound.risk_weights(self.sizes)
        moments, gradients = zip(*self._moments(posteriors, rng), strict=True)
        kls, kl_gradients = zip(*(p.kl(q) for p, q in zip(posteriors, self.priors, strict=True)), strict=True)
        mean = np.clip(shares @ np.stack(moments), 0.0, 1.0)
        kl = float(sum(kls))
        upper = Upper(self.bound, self.sizes, self.delta, *self.further_sizes)
        composed = self.risk.compose(mean, self.kl_weight * kl, upper, posteriors[0])
        self._d_kl = composed.d_kl
        gradient = np.concatenate(
            [
                share * (composed.d_moments @ by_risk) + composed.d_kl * self.kl_weight * by_kl
                for share, by_risk, by_kl in zip(shares, gradients, kl_gradients, strict=True)
            ]
        )
        self._last = point, Step("", composed.value, float(mean[0]), kl, float(np.linalg.norm(gradient)))
        return composed.value, gradient

    def best_for_slopes(self, point: NDArray) -> NDArray:
        """The best point for fixed slopes by the risk and the KL: the prior times exponentials of the slopes."""
        if self.priors[0].law != "voter":
            raise ValueError(f"solver='alternating' needs a categorical posterior, got {self.priors[0].name!r}.")
        _, gradient = self(point)
        weights = np.concatenate([cast(WeightedPosterior, p).concentrations for p in self.posteriors(point)])
        return point - gradient / np.maximum(weights, np.finfo(float).tiny) / (self._d_kl * self.kl_weight)

    def _moments(self, posteriors: Sequence[Posterior], rng: np.random.Generator | None) -> list[Moments]:
        """The risk's moments for each fold; folds on a cluster are asked, and draw, at the same time."""
        n = len(posteriors)
        rngs = rng.spawn(n) if rng is not None and self.draws_again and n > 1 else [rng] * n
        started = [v.start(self.risk.means, p, v, own) for v, p, own in zip(self.votes, posteriors, rngs, strict=True)]
        return [wait() for wait in started]

    def record(self, stage: str, point: NDArray) -> None:
        if not self.recorded:
            return
        if self._last is None or not np.array_equal(self._last[0], point):
            self(point)
        step = self._last[1]._replace(stage=f"{self.label} {stage}".strip())  # type: ignore[index]
        self.history.steps.append(step)
        report("learning", len(self.history))
        logger.debug("%s: objective %.5f, risk %.5f, KL %.2f", *step[:4])

    def unfinished(self, max_iter: int) -> None:
        if self.recorded:
            self.history.limits.append(max_iter)

    def named(self, label: str) -> "Objective":
        """The same problem, with its iterations recorded under a name."""
        return replace(self, label=label, _last=None)

    def on(self, votes: Sequence[Votes]) -> "Objective":
        """The same problem, with its risk estimated on other votes."""
        return replace(self, votes=votes, _last=None)

    def batches(self, size: int, rng: np.random.Generator) -> Iterator["Objective"]:
        """One pass over the rows in random batches, drawn from the folds in proportion."""
        count = max(1, round(self.n_rows / size))
        for batch in zip(*(v.batches(count, rng) for v in self.votes), strict=False):
            yield self.on(batch)

    def sample(self, work: float, rng: np.random.Generator) -> "Objective":
        """The problem on a random sample, in memory, that takes about ``work`` ns a pass; on all rows if they fit."""
        share = work / sum(v.work for v in self.votes)
        if share >= 1:
            return self.on([v.at_hand() for v in self.votes])
        counts = [min(v.n_rows, max(_FEWEST, int(share * v.n_rows))) for v in self.votes]
        return self.on([v.take(random_rows(v.n_rows, n, rng)) for v, n in zip(self.votes, counts, strict=True)])

    def alone(self) -> "Objective":
        """The problem as if these votes were all there are; its iterations are not recorded."""
        sizes, *further_sizes = fewest_judges(self.votes)
        return self.unrecorded(sizes=sizes, further_sizes=tuple(further_sizes))

    def quick_start(self) -> NDArray:
        """The best of the prior and several steps from it towards logistic-regression weights."""
        if not self._can_be_nudged():
            return self.start
        return self._best([self.start, *self._towards([logistic_weights(v) for v in self.votes])])

    def sparse_start(self) -> NDArray:
        """The best of the prior and several steps from it towards the weights of a few boosted voters."""
        if not (self._can_be_nudged() and all(isinstance(v, VoteMatrix) for v in self.votes)):
            return self.start
        boosted = zip(*(boosted_weights(cast(VoteMatrix, v)) for v in self.votes), strict=False)
        return self._best([self.start, *(point for weights in boosted for point in self._towards(weights))])

    def _best(self, points: Sequence[NDArray]) -> NDArray:
        return min(points, key=lambda point: self(point)[0])

    def _towards(self, weights: Sequence[NDArray]) -> list[NDArray]:
        """The prior moved towards these weights of each fold, in steps of different lengths."""
        moved = [
            [cast(Posterior, prior.nudged(scale * w)).point for prior, w in zip(self.priors, weights, strict=True)]
            for scale in (1.0, 4.0, 16.0, 64.0, 256.0)
        ]
        return [np.concatenate(points) for points in moved]

    def own_starts(self, rng: np.random.Generator) -> dict[str, NDArray]:
        """Starts that depend on the votes: weights of two simple methods, and where other problems lead.

        These have a tenth of the KL, or a denser prior, since a sparse one is close to a saddle. For a categorical
        posterior, alternating minimisation often leads to a better minimum.
        """
        light = self.unrecorded(kl_weight=0.1 * self.kl_weight)
        descent = LBFGS(30, tolerance=1e-5, stops_early=True)
        far = descent.minimise(light, random_start(self.start, rng, 0.1), rng)
        if self.priors[0].law == "voter":
            steps = Alternating(_ALTERNATIONS, tolerance=1e-7)
            return {"far": far, "alternating": steps.minimise(self.unrecorded(), self.start, rng)}
        if not self._can_be_nudged():
            return {"far": far}
        starts = {"logistic": self.quick_start(), "boosted": self.sparse_start(), "far": far}
        denser = [prior.denser() for prior in self.priors]
        if None not in denser:
            dense = self.unrecorded(priors=denser)
            starts["dense"] = descent.minimise(dense, dense.quick_start(), rng)
        return starts

    def _can_be_nudged(self) -> bool:
        return self.priors[0].nudged(np.zeros(self.priors[0].n_voters)) is not None

    def unrecorded(self, **changes: Any) -> "Objective":
        """A changed problem, whose values are not bounds for this one and so not recorded."""
        return replace(self, **changes, recorded=False, _last=None)
