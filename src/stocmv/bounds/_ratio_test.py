"""The ratio test: a bound on the error among the answers, or on any ratio of two means, over folds."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import logsumexp

from ._one_sample import clopper_pearson

_FIRST_SHARE = 0.7  # share of answered units for which the first bet is best
_STEP = 4.0  # factor from one such share to the next


@dataclass(frozen=True)
class RatioTest:
    r"""A bound on :math:`\mathbb E[e] / \mathbb E[a]` for units with :math:`0 \le e_i \le a_i \le 1`.

    A unit is an example, or a group of them with the means over its rows. For the error among the answers, :math:`a_i`
    is the share of a unit that is answered and :math:`e_i` the share that is answered wrongly. With :math:`F` folds,
    whose answers are functions of the other folds, the ratio :math:`r` is excluded as soon as

    .. math:: \sum_j \pi_j \exp\Big(\frac1F \sum_i \ln\big(1 - s_j \frac{e_i - r a_i}{1 - r}\big)\Big)
        \ge \frac1\delta, \qquad s_j = \min\Big(1, \sqrt{2 / x} - (\sqrt2 - 1) / x\Big),
        \quad x = \frac{r}{(1 - r)\, c_j},

    with weights :math:`\pi_j` and constants :math:`c_j` that depend on the sizes and on :math:`\delta` alone. For the
    examples of one fold, given by their numbers, Clopper and Pearson's bound given the answers is exact, and is used.

    The ratio is that of the mixture that draws each fold in proportion to its size. With folds it depends on the
    examples, so only a ratio fixed in advance can be tested (`rejects`).

    Parameters
    ----------
    sizes : sequence of int
        Number of units in each fold.
    delta : float
        Probability that the bound fails, at most.

    Examples
    --------
    >>> from stocmv.bounds import RatioTest
    >>> test = RatioTest((1000, 1000, 1000), delta=0.05)
    >>> test.rejects_counts(12, 2400, 0.016)  # 12 errors among 2,400 answers
    True
    >>> round(RatioTest((3000,), delta=0.05).upper_counts(12, 2400), 4)
    0.0081
    """

    sizes: tuple[int, ...]
    delta: float
    theorem: ClassVar[str] = "the ratio test"

    @cached_property
    def _bets(self) -> tuple[NDArray, NDArray]:
        """The logarithms of the weights, and the constants ``c``.

        Each bet is the best one for some share of answered units, whatever the number of errors.
        """
        n, n_folds, level = sum(self.sizes), len(self.sizes), math.log(1 / self.delta)
        deepest = math.log(max(_FIRST_SHARE * n / (n_folds * level), 1.0), _STEP)
        place = np.arange(int(deepest) + 1)
        log_weights = -np.log(place + 1) - math.log(math.fsum(1 / (place + 1)))
        return log_weights, n_folds * (level - log_weights) / (_FIRST_SHARE * n * _STEP**-place)

    def evidence(self, errors: ArrayLike, answered: ArrayLike, ratio: float, counts: ArrayLike = 1.0) -> float:
        """Logarithm of the evidence against a ratio of at least this size; it increases with the ratio.

        Parameters
        ----------
        errors, answered : array-like
            :math:`e_i` and :math:`a_i` of the units of all folds.
        ratio : float
            Strictly between 0 and 1.
        counts : array-like
            Number of units of each kind.
        """
        return float(self._evidence(*_units(errors, answered, counts), np.array([ratio]))[0])

    def _evidence(self, e: NDArray, a: NDArray, c: NDArray, ratios: NDArray) -> NDArray:
        log_weights, constants = self._bets
        odds = (ratios / (1 - ratios))[:, None, None]
        stakes = _stakes(odds / constants[:, None])
        with np.errstate(divide="ignore"):  # a bet that there are no errors may have lost everything
            logs = np.log(1 - e * stakes + (a - e) * (stakes * odds)) @ c
        slack = 1e-9 + 1e-12 * float(np.sum(c))  # far more than the rounding of the factors and of their sum
        return logsumexp(log_weights + logs / len(self.sizes), axis=1) - slack

    def rejects(self, errors: ArrayLike, answered: ArrayLike, ratio: float, counts: ArrayLike = 1.0) -> bool:
        """Whether the ratio is certified to be below this one, which was fixed before looking at the units."""
        return self.evidence(errors, answered, ratio, counts) >= math.log(1 / self.delta)

    def rejects_counts(self, n_errors: int, n_answers: int, ratio: float) -> bool:
        """The same where every unit is one example: from the numbers of errors and of answers."""
        if len(self.sizes) == 1:
            return self.upper_counts(n_errors, n_answers) <= ratio
        return self.rejects([1.0, 0.0], [1.0, 1.0], ratio, [n_errors, n_answers - n_errors])

    def upper(self, errors: ArrayLike, answered: ArrayLike, counts: ArrayLike = 1.0) -> float:
        """The bound on the ratio, from the units of one fold."""
        self._check_one_fold()
        return min(self._inverted(*_units(errors, answered, counts)), 1.0)

    def upper_counts(self, n_errors: int, n_answers: int) -> float:
        """The bound where every unit is one example: from the numbers of errors and of answers."""
        self._check_one_fold()
        return clopper_pearson(n_errors, n_answers, self.delta) if n_answers else 1.0

    def _check_one_fold(self) -> None:
        if len(self.sizes) > 1:
            raise ValueError("The ratio of several folds depends on the examples: test one that is fixed in advance.")

    def _inverted(self, e: NDArray, a: NDArray, c: NDArray) -> float:
        """The smallest excluded ratio, rounded up; all larger ones are excluded too."""
        level = math.log(1 / self.delta)

        def short(ratio: float) -> float:
            return max(float(self._evidence(e, a, c, np.array([ratio]))[0]), -1e6) - level

        low, high = 1e-12, 1 - 1e-9
        if short(high) < 0:
            return 1.0
        value = low if short(low) >= 0 else float(brentq(short, low, high, xtol=1e-15, rtol=1e-12))
        while short(value) < 0:
            value *= 1 + 1e-10
        return value * (1 + 1e-12)


def _units(errors: ArrayLike, answered: ArrayLike, counts: ArrayLike) -> tuple[NDArray, NDArray, NDArray]:
    """The units with some answer; the others neither gain nor lose."""
    e, a, c = np.broadcast_arrays(*(np.asarray(x, float).ravel() for x in (errors, answered, counts)))
    if np.any((e < 0) | (e > a) | (a > 1)):
        raise ValueError("errors and answered must be shares of units with 0 <= errors <= answered <= 1.")
    some = (a > 0) & (c > 0)
    return e[some], a[some], c[some]


def _stakes(x: NDArray) -> NDArray:
    """The share of its evidence that a bet loses on an error, close to the best one.

    It decreases with ``x``, while ``x`` times the stake increases; so what is left after an error and what a right
    answer gains both increase with the ratio.
    """
    x = np.maximum(x, 1.0)
    return np.sqrt(2 / x) - (math.sqrt(2) - 1) / x
