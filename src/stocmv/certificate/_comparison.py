"""Two models on the same examples: which of them errs less, and by how much."""

import decimal
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc

from ..bounds import check_delta, clopper_pearson, one_sample
from ..votes import check_labels
from ._groups import group_ids
from ._percent import confidence, percent, points
from ._predictions import answers_to
from ._words import counted

MODELS = ("the first model", "the second model")
SHARE_OF_FREQUENCY = 0.1  # of delta, for how often the models differ; the rest is for which of them errs then
_AWAY = 1 + 1e-15


@dataclass(frozen=True)
class Comparison:
    """How the errors of two models on the same examples differ.

    Attributes
    ----------
    n : int
        Number of examples, or of groups.
    delta : float
        Probability that the interval does not contain the true difference, at most.
    grouped : bool
        Whether groups were counted, each with its mean difference.
    only_first, only_second : int
        On how many examples only the first model errs, and only the second.
    first_error, second_error : float
        The measured errors.
    difference : float
        The measured error of the first model minus that of the second.
    lower, upper : float
        With probability at least 1 - delta the true difference lies between them; rounded outward.
    p_value : float or None
        Of McNemar's exact two-sided test that both models err equally often; None for groups.
    names : tuple of str
        What to call the models.

    Examples
    --------
    >>> from stocmv import compare_predictions
    >>> comparison = compare_predictions([0, 1] * 100, [0, 1] * 90 + [0] * 20, [0, 1] * 100)
    >>> comparison.only_first, comparison.only_second
    (10, 0)
    >>> comparison.lower > 0  # the second model errs less
    True
    >>> round(comparison.p_value, 3)
    0.002
    """

    n: int
    delta: float
    grouped: bool
    only_first: int
    only_second: int
    first_error: float
    second_error: float
    difference: float
    lower: float
    upper: float
    p_value: float | None
    names: tuple[str, str] = MODELS

    @property
    def better(self) -> str | None:
        """The model that errs less, "first" or "second"; None if the interval contains 0."""
        return "second" if self.lower > 0 else "first" if self.upper < 0 else None

    def statement(self) -> str:
        """What has been shown, in a sentence."""
        sure = f"ith probability at least {confidence(self.delta)} over the draw of the {counted(self.n, self._unit)}, "
        averaged = ", averaged group by group" * self.grouped
        if self.better is None:
            return (
                f"It cannot be said which model errs less: w{sure}the error of {self.names[0]} minus that of "
                f"{self.names[1]} is between {points(self.lower, decimal.ROUND_FLOOR)} and "
                f"{points(self.upper, decimal.ROUND_CEILING)} percentage points{averaged} (measured "
                f"{points(self.difference)})."
            )
        (other, better), least = (
            (self.names, self.lower) if self.better == "second" else (self.names[::-1], -self.upper)
        )
        return (
            f"W{sure}{better} errs on at least {points(least, decimal.ROUND_FLOOR)} percentage points "
            f"fewer examples than {other}{averaged} (measured {points(abs(self.difference))})."
        )

    @property
    def _unit(self) -> str:
        return "group" if self.grouped else "example"

    def __str__(self) -> str:
        rows = zip(self.names, (self.first_error, self.second_error), (self.only_first, self.only_second), strict=True)
        wide = max(len(name) for name in ("model", *self.names)) + 2
        lines = [f"{name:{wide}}{percent(error):>14}{alone:>16,}" for name, error, alone in rows]
        lines = [self.statement(), "", f"{'model':{wide}}{'measured error':>14}{'errs alone':>16}", *lines]
        if self.p_value is not None:
            least = 0.9 * self.delta
            but = (
                f"; the interval excludes 0 only if it is at most {least:g}"
                if least < self.p_value <= self.delta
                else ""
            )
            lines.append(f"McNemar's exact test of equal errors: p = {self.p_value:.2g}{but}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """All figures, the better model and the statement, for JSON."""
        return {**asdict(self), "better": self.better, "statement": self.statement()}


def compare_predictions(
    y_true: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    delta: float = 0.05,
    names: Sequence[str] = MODELS,
) -> Comparison:
    """Compare the errors of two models on the same examples, with an interval for their difference.

    Both models must have been fixed before: not trained on these examples, nor tuned on them, nor chosen by how they
    did on them. To compare H pairs of models and keep the best, pass ``delta / H``.

    Parameters
    ----------
    y_true, first, second : array-like of shape (n,)
        The true labels, and what each model answered.
    groups : array-like of shape (n,), optional
        The group of each example, such as the patient: then groups are counted, and the models' difference on a group
        is its mean over the group's rows.
    delta : float
        Probability that the interval does not contain the true difference, at most.
    names : sequence of two str
        What to call the models in sentences.

    Returns
    -------
    Comparison

    Notes
    -----
    Without groups the interval follows from Clopper and Pearson's for two shares: that of the examples on which
    exactly one model errs (a tenth of delta), and among these, that of the first model's errors (nine tenths). So it
    excludes 0 exactly if McNemar's exact p-value is at most 0.9 delta. The rule is fixed, as choosing between
    intervals after looking would cost delta. It was chosen by measurement: with 1,000 examples and models that err
    alone on 6 % and 4 %, its lower end is 2.3 percentage points below the measured difference on average, where
    separate Clopper-Pearson intervals for the two counts take 3.2, and Bentkus's bound 7.4. Groups use Bentkus's bound
    from both sides. The theory page has the proofs.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import compare_predictions
    >>> truth = np.zeros(2000, int)
    >>> first, second = truth.copy(), truth.copy()
    >>> first[:120] = 1
    >>> second[60:120] = 1
    >>> print(compare_predictions(truth, first, second).statement())  # doctest: +NORMALIZE_WHITESPACE
    With probability at least 95 % over the draw of the 2,000 examples, the second model errs on at least 1.78
    percentage points fewer examples than the first model (measured 3.00).
    """
    delta = check_delta(delta)
    if isinstance(names, str) or [type(name) for name in names] != [str, str] or names[0] == names[1]:
        raise ValueError(f"names must be two different texts, got {names!r}.")
    truth = check_labels(y_true, "y_true", 1)
    wrong = np.column_stack([answers_to(truth, first, "first") != truth, answers_to(truth, second, "second") != truth])
    only_first, only_second = (int(np.sum(wrong[:, k] & ~wrong[:, 1 - k])) for k in (0, 1))
    counts: dict[str, Any] = {
        "only_first": only_first,
        "only_second": only_second,
        "delta": delta,
        "grouped": groups is not None,
        "names": tuple(names),
    }
    if groups is not None:
        return Comparison(**counts, **_of_groups(wrong, group_ids(groups, len(truth)), delta), p_value=None)
    lower, upper = _interval(only_first, only_second, len(truth), delta)
    return Comparison(
        **counts,
        n=len(truth),
        first_error=float(np.mean(wrong[:, 0])),
        second_error=float(np.mean(wrong[:, 1])),
        difference=(only_first - only_second) / len(truth),
        lower=lower,
        upper=upper,
        p_value=_mcnemar(only_first, only_second),
    )


def _interval(only_first: int, only_second: int, n: int, delta: float) -> tuple[float, float]:
    """Both ends for q (2 pi - 1): exactly one model errs with probability q, and then the first with pi."""
    differing, part = only_first + only_second, SHARE_OF_FREQUENCY * delta / 2
    often = clopper_pearson(differing, n, part)
    seldom = max((1 - clopper_pearson(n - differing, n, part)) / _AWAY, 0.0)
    if not differing:
        return -often, often
    rest = (1 - SHARE_OF_FREQUENCY) * delta / 2

    def farthest(count: int) -> float:
        lead = 2 * clopper_pearson(count, differing, rest) - 1
        return min(lead * often * _AWAY, 1.0) if lead > 0 else lead * seldom / _AWAY

    return -farthest(only_second), farthest(only_first)


def _mcnemar(only_first: int, only_second: int) -> float:
    """The probability, were both models equal, of counts that differ as much or more; rounded up."""
    more, fewer = max(only_first, only_second), min(only_first, only_second)
    return 1.0 if more == fewer else min(2 * float(betainc(more, fewer + 1, 0.5)) * (1 + 1e-12), 1.0)


def _of_groups(wrong: NDArray, group: NDArray, delta: float) -> dict[str, Any]:
    """The measured figures and both ends, from the mean difference of each group."""
    place = np.unique(group, return_inverse=True)[1]
    rows = np.bincount(place)
    errors = [np.bincount(place, column) for column in wrong.T]
    n, first, second = len(rows), *(float(np.mean(own / rows)) for own in errors)
    gap = errors[0] - errors[1]

    def farthest(gaps: NDArray) -> float:
        return 2 * one_sample(float(np.sum((rows + gaps) / (2 * rows))), n, delta / 2, counted=False) - 1

    ends = {"lower": -min(farthest(-gap) + 1e-15, 1.0), "upper": min(farthest(gap) + 1e-15, 1.0)}
    return {
        "n": n,
        "first_error": first,
        "second_error": second,
        "difference": float(np.mean(gap / rows)),
        **ends,
    }
