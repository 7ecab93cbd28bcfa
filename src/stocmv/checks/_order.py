"""Test whether examples look randomly ordered: whether errors or classes depend on the position."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.001
_EXACT = 10_000  # examples up to which every arrangement is counted
_BLOCKS, _IN_A_BLOCK = 20, 10
_CURE = "certify on the latest part, and watch new cases (certificate.monitor(), or stocmv monitor)."
_IN_TIME = (
    "over time, at a level of {:g} %: later cases are unlike earlier ones, and the figures are on old and "
    f"new cases together; {_CURE}"
)
_ALONG_ROWS = (
    "along the rows, at a level of {:g} %: if the rows are in order of time, later cases are unlike earlier ones, and "
    f"the figures are on old and new cases together; {_CURE} If they are in the order of some column, or files put "
    "together, and new cases come from the same mixture, the figures hold."
)


class OrderWarning(UserWarning):
    """Errors or class frequencies change along the rows: new cases may differ from the examples.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from stocmv import MajorityVoteClassifier, OrderWarning
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 1))
    >>> y = np.where(np.arange(600) < 400, X[:, 0] > 0, rng.random(600) < 0.5)  # later labels are coin flips
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     clf = MajorityVoteClassifier("stumps", random_state=0).fit(X, y)
    >>> [warning.category is OrderWarning for warning in caught]
    [True]
    """


@dataclass(frozen=True)
class OrderTest:
    """Result of testing whether the judging examples look randomly ordered.

    Each p-value is the probability, over random orders of the examples, of positions at least this uneven: two-sample
    Kolmogorov-Smirnov tests compare the positions of the errors, and those of each class, with all others. If rows
    belong to groups, one random row of each group is tested.

    Attributes
    ----------
    errors, classes : float
        p-values for the errors of the vote and for the class frequencies. The latter is the smallest over the classes,
        times their number. If the rows are sorted by class, the former is for the errors within each class, combined
        in the same way.
    p_value : float
        Both combined: twice the smaller; if the rows are sorted by class, that for the errors.
    level : float
        `fit` warns if ``p_value`` is at most this, which is also the rate of false alarms.
    by : str
        What the order is, "row" or "time".
    sorted_by_class : bool
        Whether the rows of each class are contiguous. That is common, and says nothing about time.
    n : int
        Number of examples tested (one per group).
    label : object
        The class whose frequency changes most significantly.
    sizes, error_rates, label_shares : tuple of int, tuple of float, tuple of float
        Along the order in up to twenty blocks: examples, share of errors, share of the class ``label``.

    Examples
    --------
    >>> from stocmv import MajorityVoteClassifier
    >>> from sklearn.datasets import make_moons
    >>> clf = MajorityVoteClassifier("stumps", random_state=0).fit(*make_moons(600, noise=0.2, random_state=0))
    >>> clf.order_test_.p_value > clf.order_test_.level  # nothing to warn of
    True
    """

    errors: float
    classes: float
    by: str
    sorted_by_class: bool
    n: int
    label: Any
    sizes: tuple[int, ...]
    error_rates: tuple[float, ...]
    label_shares: tuple[float, ...]
    level: float = LEVEL

    @classmethod
    def of(
        cls,
        wrong: NDArray,
        codes: NDArray,
        labels: NDArray,
        times: NDArray | None = None,
        groups: NDArray | None = None,
    ) -> "OrderTest":
        """Test examples in the order of their times or as they come, given where the vote errs and the class codes."""
        order = np.arange(len(codes)) if times is None else np.argsort(times, kind="stable")
        if groups is not None:
            order = order[_one_of_each(groups[order])]
        wrong, codes = wrong[order], codes[order]
        found = [(_unevenness(codes == c), c) for c in np.unique(codes)]
        least, shifting = min(found)
        is_sorted = 1 < len(found) == 1 + int(np.count_nonzero(np.diff(codes)))
        within = [wrong[codes == c] for _, c in found] if is_sorted else [wrong]
        blocks = np.array_split(np.arange(len(codes)), max(1, min(_BLOCKS, len(codes) // _IN_A_BLOCK)))
        return cls(
            errors=min(min(map(_unevenness, within)) * len(within), 1.0),
            classes=min(least * len(found), 1.0) if len(found) > 2 else least,
            by="row" if times is None else "time",
            sorted_by_class=is_sorted,
            n=len(codes),
            label=labels.tolist()[shifting],
            sizes=tuple(len(block) for block in blocks),
            error_rates=tuple(float(np.mean(wrong[block])) for block in blocks),
            label_shares=tuple(float(np.mean(codes[block] == shifting)) for block in blocks),
        )

    @property
    def p_value(self) -> float:
        return self.errors if self.sorted_by_class else min(1.0, 2 * min(self.errors, self.classes))

    @property
    def doubt(self) -> str | None:
        """The warning if the order does not look random; None if it does."""
        if self.p_value > self.level:
            return None
        tested = [("errors of the vote", self.errors), ("class frequencies", self.classes)]
        if self.sorted_by_class:
            del tested[1:]
        what = " and ".join(f"{name} ({_rounded(p)})" for name, p in tested if len(tested) * p <= self.level)
        return f"The {what} change {_IN_TIME if self.by == 'time' else _ALONG_ROWS}".format(100 * self.level)

    @property
    def note(self) -> str | None:
        """A remark that is no reason to worry, or None."""
        if not self.sorted_by_class or self.classes > self.level:
            return None
        return (
            "The rows are sorted by class, so their order cannot tell whether later cases are like earlier ones. The "
            "examples that judge are drawn at random, which is all that the certificate needs of the order."
        )


def _rounded(p_value: float) -> str:
    return f"p = {p_value:.1g}" if p_value > 1e-15 else "p < 1e-15"


def _one_of_each(groups: NDArray) -> NDArray:
    """One row per group, in order: drawn at random, as where a fixed one lies depends on the group's size."""
    drawn = np.random.default_rng(0).permutation(len(groups))
    return np.sort(drawn[np.unique(groups[drawn], return_index=True)[1]])


def _unevenness(chosen: NDArray) -> float:
    """p-value of the positions of some examples among all, if every arrangement is equally likely."""
    n, places = len(chosen), np.flatnonzero(chosen)
    if len(places) in (0, n):
        return 1.0
    if n <= _EXACT:
        return _counted(places, np.flatnonzero(~chosen))
    from scipy.stats import kstwo  # only now, as the command line starts without scipy

    size = len(places) * (n - len(places)) / n
    return float(min(1.0, kstwo.sf(_largest_gap(places, n), max(round(size), 1))))


def _counted(places: NDArray, others: NDArray) -> float:
    from scipy.stats import ks_2samp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # it falls back on the limit if numbers overflow
        return float(ks_2samp(places, others).pvalue)


def _largest_gap(places: NDArray, n: int) -> float:
    """Largest gap between the distribution functions of these positions and of all others."""
    count = np.arange(1, len(places) + 1)
    gaps = (
        shown / len(places) - (place - shown) / (n - len(places))
        for shown, place in ((count, places + 1), (count - 1, places))
    )
    return float(max(np.abs(gap).max() for gap in gaps))
