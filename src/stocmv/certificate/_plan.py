"""How many judging examples it takes."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, ndtri

from ..bounds import check_delta
from ._comparison import SHARE_OF_FREQUENCY
from ._percent import confidence, points
from ._words import counted

MOST = 10**8  # examples


@dataclass(frozen=True)
class Plan:
    """How many judging examples it takes to certify a bound.

    Attributes
    ----------
    n : int
        The number of examples; with ``prevalence``, of all examples and not only of those in the class.
    allowed : int or None
        The bound is met if the model makes at most so many errors on ``n`` examples; None with ``prevalence``, where
        it depends on how many of the examples are in the class.
    error, bound, delta, chance, prevalence, classes
        What was asked for.

    Examples
    --------
    >>> from stocmv import plan
    >>> needed = plan(error=0.05, bound=0.07)
    >>> needed.n, needed.allowed
    (961, 54)
    """

    n: int
    allowed: int | None
    error: float
    bound: float
    delta: float
    chance: float
    prevalence: float | None
    classes: int = 1

    def chance_at(self, n: int) -> float:
        """The smallest chance to certify the bound with so many examples or more."""
        target = _Target(self.error, self.bound, self.delta / self.classes, self.chance)
        return target.chance_at(n) if self.prevalence is None else target.joint(n, self.prevalence)

    def statement(self) -> str:
        """The plan in a sentence."""
        whole = self.prevalence is None
        part = f"class (one of {self.classes:,})" if self.classes > 1 else "subgroup"
        where = "" if whole else f" of the {part} that makes up {_share(self.prevalence)} of the examples"
        met = "" if self.allowed is None else f" The bound is met with at most {counted(self.allowed, 'error')}."
        return (
            f"If the model errs on {_share(self.error)}{where}, {counted(self.n, 'judging example')} certify at most "
            f"{_share(self.bound)} with a chance of at least {_share(self.chance)}; the certificate holds with "
            f"probability at least {confidence(self.delta)}.{met}"
        )

    def __str__(self) -> str:
        return self.statement()

    def to_dict(self) -> dict[str, Any]:
        """The plan and its sentence, for JSON."""
        return {**asdict(self), "statement": self.statement()}


@dataclass(frozen=True)
class ComparisonPlan:
    """How many judging examples it takes to show which of two models errs less.

    Attributes
    ----------
    n : int
        The number of examples.
    difference, discordant, delta, chance
        What was asked for.

    Examples
    --------
    >>> from stocmv import plan_comparison
    >>> plan_comparison(difference=0.02, discordant=0.05).n
    1108
    """

    n: int
    difference: float
    discordant: float
    delta: float
    chance: float

    def chance_at(self, n: int) -> float:
        """The smallest chance to show which model errs less with so many examples or more."""
        return _comparison_target(self).joint(n, self.discordant)

    def statement(self) -> str:
        """The plan in a sentence."""
        return (
            f"If one model errs on {points(self.difference)} percentage points fewer examples than the other, and "
            f"exactly one of them errs on {_share(self.discordant)}, {counted(self.n, 'judging example')} show which "
            f"one errs less with a chance of at least {_share(self.chance)}, with probability at least "
            f"{confidence(self.delta)} that what is shown is true."
        )

    def __str__(self) -> str:
        return self.statement()

    def to_dict(self) -> dict[str, Any]:
        """The plan and its sentence, for JSON."""
        return {**asdict(self), "statement": self.statement()}


def plan(
    *,
    error: float,
    bound: float,
    delta: float = 0.05,
    chance: float = 0.8,
    prevalence: float | None = None,
    classes: int = 1,
) -> Plan:
    """Plan how many judging examples it takes so that a bound is likely to be certified.

    The chance that Clopper and Pearson's bound is at most ``bound`` is computed exactly. It does not always grow with
    the number of examples: it falls with each of them, until one more error is allowed. The plan is the smallest number
    from which on it never falls below ``chance`` again.

    Parameters
    ----------
    error : float
        The true error that you expect.
    bound : float
        What you want to certify; larger than ``error``.
    delta : float
        Probability that a certificate fails, at most.
    chance : float
        The probability to reach the bound, at least.
    prevalence : float, optional
        The share of the examples that belong to the class or subgroup whose error is to be certified. How many do is
        random, and part of the chance; each number of them counts with the least chance from it on.
    classes : int
        With ``prevalence`` of a class: the number of classes, whose bounds hold all at once and share delta.

    Returns
    -------
    Plan

    Examples
    --------
    >>> from stocmv import plan
    >>> plan(error=0.05, bound=0.07).n
    961
    >>> plan(error=0.05, bound=0.07, prevalence=0.1).n  # a subgroup
    9679
    >>> plan(error=0.05, bound=0.07, prevalence=0.1, classes=2).n  # one of two classes
    12115
    """
    _check_share("error", error, zero=True)
    _check_share("bound", bound)
    delta = check_delta(delta)
    _check_share("chance", chance)
    if bound <= error:
        raise ValueError(f"bound must be larger than error: got bound={bound:g} and error={error:g}.")
    if prevalence is not None:
        _check_share("prevalence", prevalence, one=True)
    _check_classes(classes)
    if classes > 1 and prevalence is None:
        raise ValueError("classes is for the bound on one class: give the share of its examples as prevalence.")
    target = _Target(error, bound, delta / classes, chance)
    allowed = None
    if prevalence is None:
        allowed = target.first_allowed()
        n = int(target.sizes(np.array([allowed]))[0])
    else:
        n = target.total(prevalence)
    return Plan(n, allowed, error, bound, delta, chance, prevalence, int(classes))


def plan_comparison(
    *, difference: float, discordant: float, delta: float = 0.05, chance: float = 0.8
) -> ComparisonPlan:
    """Plan how many judging examples it takes so that `compare_predictions` is likely to tell which model errs less.

    This is the same computation as in `plan`: among the examples on which exactly one model errs, the share of the
    better one's errors has to be certified below one half.

    Parameters
    ----------
    difference : float
        The true difference of the two errors that you expect.
    discordant : float
        The share of examples on which exactly one of the models errs; at least ``difference``.
    delta, chance : float
        As for `plan`.

    Returns
    -------
    ComparisonPlan

    Examples
    --------
    >>> from stocmv import plan_comparison
    >>> plan_comparison(difference=0.02, discordant=0.1).n
    2164
    """
    _check_share("difference", difference)
    _check_share("discordant", discordant, one=True)
    delta = check_delta(delta)
    _check_share("chance", chance)
    if difference > discordant:
        raise ValueError(
            f"difference cannot be larger than discordant, the share of examples on which exactly one model errs: got "
            f"{difference:g} and {discordant:g}."
        )
    wanted = ComparisonPlan(0, difference, discordant, delta, chance)
    return replace(wanted, n=_comparison_target(wanted).total(discordant))


def _comparison_target(wanted: ComparisonPlan) -> "_Target":
    """The better model's share of the errors on which they differ, to be certified below one half."""
    side = (1 - SHARE_OF_FREQUENCY) * wanted.delta / 2
    return _Target((1 - wanted.difference / wanted.discordant) / 2, 0.5, side, wanted.chance)


class _Target:
    """A bound to be certified on a fixed number of examples, and the chance of it, by the number of allowed errors.

    With k allowed errors, sizes(k) is the first number of examples for which k errors certify the bound. The chance
    falls from there to sizes(k + 1) - 1; `least` is the smallest one from sizes(k) on.
    """

    def __init__(self, error: float, bound: float, delta: float, chance: float) -> None:
        self.error, self.delta, self.chance = error, delta, chance
        self.bound = bound * (1 - 3e-12)  # clopper_pearson is rounded up
        # sizes are whole numbers, so that the chance grows with a wiggle: about as much as 2 error bound / (bound -
        # error) more allowed errors add to it
        self.margin = 64 + math.ceil(8 * error * bound / (bound - error))

    def sizes(self, allowed: NDArray) -> NDArray:
        """The smallest number of examples with which so many errors certify the bound."""
        z, spread = -float(ndtri(self.delta)), math.sqrt(self.bound * (1 - self.bound))
        root = (z * spread + np.sqrt((z * spread) ** 2 + 4 * self.bound * (allowed + 0.5))) / (2 * self.bound)
        near, away = (root**2).astype(np.int64), math.ceil((4 + z * z) / self.bound)
        low, high = np.maximum(near - away, allowed), np.maximum(near, allowed) + away
        low = np.where(self._certify(allowed, low), allowed, low)
        while not np.all(enough := self._certify(allowed, high)):
            high = np.where(enough, high, 2 * high)
        while np.any(high - low > 1):
            middle = (low + high) // 2
            enough = self._certify(allowed, middle)
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    def _certify(self, errors: NDArray, n: NDArray) -> NDArray:
        """Whether so many errors on n examples certify the bound."""
        return (n > errors) & (betaincc(errors + 1.0, np.maximum(n - errors, 1), self.bound) <= self.delta)

    def least(self, allowed: NDArray) -> tuple[NDArray, NDArray]:
        """The size for which so many errors are first allowed, and the least chance from it on; no gaps allowed."""
        further = np.append(allowed, allowed[-1] + 1 + np.arange(self.margin + 1))
        sizes = self.sizes(further)
        last = sizes[1:] - 1  # where the chance is smallest
        chances = betaincc(further[:-1] + 1.0, last - further[:-1], self.error)
        least = np.minimum.accumulate(chances[::-1])[::-1]
        return sizes[: len(allowed)], least[: len(allowed)]

    def first_allowed(self) -> int:
        """The number of allowed errors from which on the chance is enough."""
        z, z_chance = -float(ndtri(self.delta)), max(float(ndtri(self.chance)), 0.0)
        spreads = (math.sqrt(p * (1 - p)) for p in (self.bound, self.error))
        root = sum(a * b for a, b in zip((z, z_chance), spreads, strict=True)) / (self.bound - self.error)
        if root**2 > 2 * MOST:  # by the normal approximation; exact figures would take minutes
            raise _too_many()
        guess = int(root**2 * self.error)
        return _smallest(lambda k: self.least(np.array([k]))[1][0] >= self.chance, guess, MOST * self.bound)

    def total(self, prevalence: float) -> int:
        """The number of examples of which this share counts, by chance."""
        alone = int(self.sizes(np.array([self.first_allowed()]))[0])
        return _smallest(lambda n: self.joint(n, prevalence) >= self.chance, int(alone / prevalence), MOST)

    def chance_at(self, n: int) -> float:
        """The smallest chance that n examples or more certify the bound."""
        allowed = self._allowed(n)
        return 0.0 if allowed < 0 else float(self.least(np.array([allowed]))[1][0])

    def joint(self, n: int, prevalence: float) -> float:
        """The expected least chance, when the number that counts is binomial.

        The sum leaves out numbers that are farther than 8.5 standard deviations and 40 from the mean, as if their
        chance were 0: they have a probability below 1e-12.
        """
        away = 8.5 * math.sqrt(n * prevalence * (1 - prevalence)) + 40
        few, many = max(n * prevalence - away, 0), min(n * prevalence + away, n)
        first, last = (self._allowed(int(m)) for m in (few, many))
        if last < 0:
            return 0.0
        sizes, least = self.least(np.arange(max(first, 0), last + 1))
        reached = np.where(sizes <= n, betainc(sizes, np.maximum(n - sizes + 1.0, 1.0), prevalence), 0.0)
        return float(np.sum(np.diff(least, prepend=0.0) * reached))

    def _allowed(self, n: int) -> int:
        """How many errors certify the bound on n examples; -1 if none does."""
        return _smallest(lambda k: self.sizes(np.array([k]))[0] > n, int(n * self.bound), math.inf) - 1


def _smallest(holds: Callable[[int], Any], guess: int, most: float) -> int:
    """The smallest number from 0 on for which it holds, given that it holds for all larger ones."""
    step, found = 1, bool(holds(guess))
    low, high = (-1, guess) if found else (guess, guess + 1)
    while found and high - step >= 0 and holds(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step) if found else low
    while not found and not holds(high):
        if high > most:
            raise _too_many()
        low, step = high, 2 * step
        high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    if high > most:
        raise _too_many()
    return high


def _too_many() -> ValueError:
    return ValueError(f"This takes more than {MOST:,} examples: choose figures that are farther apart.")


def _share(value: float | None) -> str:
    return f"{100 * value:.6g} %" if value is not None else ""


def _check_classes(value: Any) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"classes must be the number of classes, got {value!r}.")


def _check_share(name: str, value: Any, *, zero: bool = False, one: bool = False) -> None:
    """Refuse what is no share; the ends 0 and 1 are allowed only if asked for."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not (0 < value < 1 or (zero and value == 0) or (one and value == 1)):
        low, high = "0" if zero else "above 0", "at most 1" if one else "below 1"
        raise ValueError(f"{name} must be a share, {'at least ' * zero}{low} and {high}, got {value!r}.")
