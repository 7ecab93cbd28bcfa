"""What a threshold is to achieve, the order in which thresholds are tested for it, and how delta is split."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from ..bounds import MOST_STEPS, DistributionBand
from ..certificate import Claim, Costs, share
from ._scored_class import ALARMS, COST, PRECISION, RECALL, Losses, ScoredClass
from ._threshold_tests import NotCertified


def _grid(steps: int) -> tuple[float, ...]:
    """Thresholds from 0.0001 to 0.9999, with so many for each unit of the logit."""
    edge = round(9.2 * steps)
    return tuple(round(1 / (1 + math.exp(-k / steps)), 7) for k in range(-edge, edge + 1))


STEPS = 5
GRID = _grid(STEPS)  # 93 thresholds
FINE = _grid(50)  # 921; rates that fall along the thresholds are not lost by many steps
PREVALENCE = "prevalence"
TARGET_SHARE = 0.5  # of delta, for the target; the other figures share the rest


class Way(NamedTuple):
    """How a figure is certified at the chosen threshold.

    Attributes
    ----------
    upper : callable
        The upper bound on the mean loss, from the losses at that threshold and the figure's share of delta.
    among : dict
        How many tests get such a share.
    pays : str
        The figure that the share is for, if not this one.
    """

    upper: Callable[[Losses, float], float]
    among: dict[str, int]
    pays: str = ""


def _band(losses: Losses, level: float) -> float:
    return float(DistributionBand(losses.n, level).upper(round(losses.total))) if losses.n else 1.0


def _band_or_grid(losses: Losses, level: float) -> float:
    return _band(losses, level) if losses.n <= MOST_STEPS else losses.upper(level / len(GRID))


def local_level(way: Way, losses: Losses, level: float) -> dict[str, float]:
    """The local level of the band, where a figure has one: what its probability of failing can be computed from."""
    banded = way is BAND or (way is BAND_OR_GRID and losses.n <= MOST_STEPS)
    return {"local_level": DistributionBand(losses.n, level).level} if banded and losses.n else {}


ALONE = Way(Losses.upper, {})  # one test: the threshold is fixed given the examples that the figure counts
ON_GRID = Way(Losses.upper, {"thresholds": len(GRID)})  # for all thresholds of the grid at once
ON_FINE = Way(Losses.upper, {"thresholds": len(FINE)})
BAND = Way(_band, {})  # for all thresholds
BAND_OR_GRID = Way(_band_or_grid, {})  # for all of the grid: above 2,000 examples by a test for each
FROM_RATES = Way(Losses.upper, {}, PREVALENCE)  # precision, from the other rates and the prevalence


class Target(ABC):
    """What is to be achieved; here, a threshold that is given.

    To add one: a subclass, an entry in `TARGETS`, and its check in `stocmv.verify` under the same name.
    """

    name: ClassVar[str]
    figure: ClassVar[str] = ""  # what the target is about; empty if the threshold is given
    ways: ClassVar[dict[str, Way]]  # of the other figures
    shares: ClassVar[dict[str, float]] = {}  # their parts of delta, if not equal

    def claims(self, delta: float, *, priced: bool) -> tuple[Claim, ...]:
        """How delta is split: half for the target, and the rest equally among the other figures."""
        ways = {figure: way for figure, way in self.ways.items() if priced or figure != COST}
        found, part = [], 1.0
        if self.figure:
            found.append(Claim(in_words(self.figure), TARGET_SHARE * delta))
            part -= TARGET_SHARE
        for figure, way in ways.items():
            own = self.shares.get(figure, part / len(ways)) * delta
            found.append(Claim(in_words(way.pays or figure), share(own, **way.among), "bound", way.among))
        return tuple(found)

    def level(self, figure: str, claims: Sequence[Claim]) -> float:
        """The share of delta of the tests of a figure."""
        paid = figure if figure == self.figure else self.ways[figure].pays or figure
        return next(claim.delta for claim in claims if claim.name == in_words(paid))


class At(Target):
    """A threshold that was given before looking: one test for each figure."""

    name: ClassVar[str] = "at"
    ways: ClassVar[dict[str, Way]] = {RECALL: ALONE, PRECISION: ALONE, ALARMS: ALONE, COST: ALONE}


class Picked(Target):
    """A threshold that was picked from the curve after looking: everything holds for all thresholds."""

    name: ClassVar[str] = "picked"
    ways: ClassVar[dict[str, Way]] = {RECALL: BAND, ALARMS: BAND, PRECISION: FROM_RATES}
    shares: ClassVar[dict[str, float]] = {RECALL: 0.45, ALARMS: 0.45, PRECISION: 0.1}


class Test(NamedTuple):
    """A test at a threshold of the grid, and its part of the level."""

    place: int
    part: float


class Search(Target):
    """A figure that is to be met: thresholds are tested in fixed orders until a test fails."""

    grid: ClassVar[tuple[float, ...]] = GRID

    @abstractmethod
    def paths(self, scored: ScoredClass) -> Iterator[list[Test]]:
        """The orders; they depend on costs and classes, but not on the judging examples."""

    @abstractmethod
    def best(self, reached: Sequence[int], scored: ScoredClass) -> int:
        """Of the places that were reached, the one to take."""

    def allowed(self, value: float, costs: Costs | None) -> float:
        """The largest mean loss that meets the target."""
        return value

    def attainable(self, loss: float, costs: Costs | None) -> float:
        """The nearest target, with a few digits, that this bound on the mean loss meets."""
        return _rounded_up(loss)

    def meet(self, scored: ScoredClass, value: float, level: float) -> float:
        """A threshold at which the target is certified."""
        allowed = self.allowed(value, scored.costs)
        reached = [place for path in self.paths(scored) for place in self._passed(scored, path, allowed, level)]
        if not reached:
            raise NotCertified(self._refusal(scored, value, level))
        return self.grid[self.best(reached, scored)]

    def _passed(self, scored: ScoredClass, path: Sequence[Test], allowed: float, level: float) -> Iterator[int]:
        for test in path:
            if self._upper(scored, test, level) > allowed:
                return
            yield test.place

    def _upper(self, scored: ScoredClass, test: Test, level: float) -> float:
        return scored.losses(self.figure, self.grid[test.place]).upper(level * test.part)

    def _refusal(self, scored: ScoredClass, value: float, level: float) -> str:
        """What can be certified instead, by the best of the first tests; or why nothing can."""
        least = min(self._upper(scored, path[0], level) for path in self.paths(scored))
        cannot = f"{self.name}={value:g} cannot be certified with these {scored.n:,} judges"
        if _rounded_up(least) >= 1:
            return (
                f"{cannot}, nor any other: {len(scored.positives):,} of them are of class {scored.label!r}, and the "
                "scores do not tell them from the others, or there are too few to tell."
            )
        return (
            f"{cannot}, {len(scored.positives):,} of which are of class {scored.label!r}; {self.name}="
            f"{self.attainable(least, scored.costs):g} can. That figure comes from these examples, which is not paid "
            "for: let others judge it."
        )


class MinRecall(Search):
    """From the lowest threshold upwards; the highest one that is reached.

    It depends on the scores of the class alone, so that the others are tested at one threshold.
    """

    name: ClassVar[str] = "min_recall"
    grid: ClassVar[tuple[float, ...]] = FINE
    figure: ClassVar[str] = RECALL
    ways: ClassVar[dict[str, Way]] = {ALARMS: ALONE, PRECISION: FROM_RATES, COST: ON_FINE}

    def paths(self, scored: ScoredClass) -> Iterator[list[Test]]:
        yield [Test(place, 1.0) for place in range(len(FINE))]

    def best(self, reached: Sequence[int], scored: ScoredClass) -> int:
        return max(reached)

    def allowed(self, value: float, costs: Costs | None) -> float:
        return 1 - value

    def attainable(self, loss: float, costs: Costs | None) -> float:
        return 1 - _rounded_up(loss)


class MaxFalsePositiveRate(Search):
    """From the highest threshold downwards; the lowest one that is reached.

    It depends on the scores of the other classes alone, so that the class is tested at one threshold.
    """

    name: ClassVar[str] = "max_false_positive_rate"
    grid: ClassVar[tuple[float, ...]] = FINE
    figure: ClassVar[str] = ALARMS
    ways: ClassVar[dict[str, Way]] = {RECALL: ALONE, PRECISION: FROM_RATES, COST: ON_FINE}

    def paths(self, scored: ScoredClass) -> Iterator[list[Test]]:
        yield [Test(place, 1.0) for place in reversed(range(len(FINE)))]

    def best(self, reached: Sequence[int], scored: ScoredClass) -> int:
        return min(reached)


class MinPrecision(Search):
    """Downwards from several starts, as a high threshold may leave too few answers; the lowest one that is reached."""

    name: ClassVar[str] = "min_precision"
    figure: ClassVar[str] = PRECISION
    ways: ClassVar[dict[str, Way]] = {RECALL: BAND_OR_GRID, ALARMS: BAND_OR_GRID, COST: ON_GRID}
    starts: ClassVar[tuple[int, ...]] = (66, 56, 46, 36, 26)  # places of 0.98, 0.88, 0.5, 0.12 and 0.018

    def paths(self, scored: ScoredClass) -> Iterator[list[Test]]:
        for start in self.starts:
            yield [Test(place, 1 / len(self.starts)) for place in range(start, -1, -1)]

    def best(self, reached: Sequence[int], scored: ScoredClass) -> int:
        return min(reached)

    def allowed(self, value: float, costs: Costs | None) -> float:
        return 1 - value

    def attainable(self, loss: float, costs: Costs | None) -> float:
        return 1 - _rounded_up(loss)


class MaxCost(Search):
    """Outwards from the threshold that the costs suggest, and from two others; the cheapest one that is reached.

    A start that passes leaves half of its level to the tests above it, and half to those below.
    """

    name: ClassVar[str] = "max_cost"
    figure: ClassVar[str] = COST
    ways: ClassVar[dict[str, Way]] = {RECALL: BAND_OR_GRID, ALARMS: BAND_OR_GRID, PRECISION: ON_GRID}
    starts: ClassVar[dict[int, float]] = {0: 0.5, -2 * STEPS: 0.25, 2 * STEPS: 0.25}  # how far from the first

    def paths(self, scored: ScoredClass) -> Iterator[list[Test]]:
        first = suggested_place(scored)
        for away, part in self.starts.items():
            start = min(max(first + away, 0), len(GRID) - 1)
            for beyond in (range(start + 1, len(GRID)), range(start - 1, -1, -1)):
                yield [Test(start, part), *(Test(place, part / 2) for place in beyond)]

    def best(self, reached: Sequence[int], scored: ScoredClass) -> int:
        return min(reached, key=lambda place: scored.losses(COST, GRID[place]).total)

    def allowed(self, value: float, costs: Costs | None) -> float:
        assert costs is not None  # else the target is refused
        return (value - costs.least) / costs.span

    def attainable(self, loss: float, costs: Costs | None) -> float:
        assert costs is not None
        return costs.least + costs.span * _rounded_up(loss)


def _rounded_up(loss: float) -> float:
    return math.ceil(1e4 * loss) / 1e4


def suggested_place(scored: ScoredClass) -> int:
    """The place of the threshold that would be best if scores were probabilities and all other classes alike."""
    assert scored.costs is not None
    label, (classes, matrix) = scored.label, scored.costs
    positive = classes.index(label)
    rest = np.arange(len(classes)) != positive
    alarm = float((matrix[rest, positive] - matrix.diagonal()[rest]).mean())
    miss = float(matrix[positive, rest].mean() - matrix[positive, positive])
    return int(np.abs(np.array(GRID) - (alarm / (alarm + miss) if alarm + miss > 0 else 0.5)).argmin())


def in_words(figure: str) -> str:
    return {ALARMS: "false-positive rate", COST: "mean cost"}.get(figure, figure)


SEARCHES: dict[str, Search] = {
    search.name: search for search in (MinRecall(), MinPrecision(), MaxFalsePositiveRate(), MaxCost())
}
AT, PICKED = At(), Picked()
TARGETS: dict[str, Target] = {target.name: target for target in (AT, PICKED, *SEARCHES.values())}
