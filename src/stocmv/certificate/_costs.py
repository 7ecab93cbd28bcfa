"""Costs of errors: from the user's argument to a matrix."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Costs(NamedTuple):
    """The cost of each answer (column), given the true class (row).

    The classes are all that the costs name, whether they occur among the examples or not. The bound is scaled by the
    whole matrix: if it were cut to the classes of the sample, it would depend on the examples.
    """

    classes: list[Any]  # sorted
    matrix: NDArray

    @property
    def least(self) -> float:
        return float(self.matrix.min())

    @property
    def span(self) -> float:
        return float(np.ptp(self.matrix))

    @property
    def scaled(self) -> NDArray:
        """The costs scaled to [0, 1]."""
        return (self.matrix - self.least) / self.span

    @property
    def are_counted(self) -> bool:
        """Whether there are only two costs, so that their mean amounts to a number of errors."""
        return is_counted(self.matrix)

    def places(self, labels: Sequence[Any]) -> list[int]:
        """The positions of these classes among all."""
        return [self.classes.index(label) for label in labels]


def scaled_back(costs: NDArray, share: float) -> float:
    """The smallest number that is no less than the cost at this share of the way from the least to the largest."""
    least, most = Fraction(float(costs.min())), Fraction(float(costs.max()))
    exact = least + (most - least) * Fraction(share)
    nearest = float(exact)
    return nearest if nearest >= exact else math.nextafter(nearest, math.inf)


def is_counted(costs: NDArray) -> bool:
    """Whether all of them are the least or the largest one."""
    return bool(np.isin(costs, (costs.min(), costs.max())).all())


def check_cost(cost: Any, classes: Sequence[Any]) -> Costs:
    """The costs for at least these classes.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes), or dict of dicts
        Rows and columns in the order of the classes, or named after them in a data frame; or
        ``{truth: {answer: cost}}``, which may name more classes than occur, and where right answers that are left out
        cost nothing.
    classes : sequence
        The sorted labels of the classes that occur.

    Examples
    --------
    >>> from stocmv.certificate import check_cost
    >>> check_cost({"ill": {"well": 10}, "well": {"ill": 1}}, ["ill", "well"]).matrix.tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    cost = _by_name(cost)
    try:
        named, rows = _named(cost, list(classes)) if isinstance(cost, Mapping) else (list(classes), cost)
        costs = np.array(rows, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost must be a matrix of numbers, or a dict {{truth: {{answer: cost}}}}: {error}") from error
    n = len(named)
    if costs.shape != (n, n):
        raise ValueError(
            f"cost must have a row and a column for each of the {n} classes, got the shape {costs.shape}: to "
            "give costs for classes that do not occur here, name them in a dict {truth: {answer: cost}}."
        )
    if not np.all(np.isfinite(costs)) or np.abs(costs).max() > 1e100:
        raise ValueError("cost must be finite numbers of at most 1e100.")
    if np.any(costs < costs.diagonal()[:, None]):
        k = int(np.argmax((costs < costs.diagonal()[:, None]).any(1)))
        raise ValueError(f"cost has a wrong answer for class {named[k]!r} that costs less than the right one.")
    if np.ptp(costs) <= max(1e-9 * np.abs(costs).max(), 1e-100):
        raise ValueError("cost has the same value everywhere, or nearly so: there is nothing to bound.")
    return Costs(named, costs)


def _by_name(cost: Any) -> Any:
    """A data frame whose rows and columns have names as a dict of dicts; anything else as it is."""
    if not (hasattr(cost, "columns") and hasattr(cost, "index")):
        return cost
    unnamed = list(range(len(cost)))
    return cost if list(cost.index) == unnamed == list(cost.columns) else cost.to_dict("index")


def _named(cost: Mapping, classes: list[Any]) -> tuple[list[Any], list[list[float]]]:
    """All classes that a dict of dicts names, and its matrix."""
    by_text = {str(label): label for label in classes}
    rows = {truth: _by_label(row, by_text) for truth, row in _by_label(cost, by_text).items()}
    named = sorted({*rows, *(answer for row in rows.values() for answer in row)})
    for truth in (*classes, *named):
        if truth not in rows:
            raise ValueError(f"there is no row for the true class {truth!r}.")
    for truth, row in rows.items():
        missing = [answer for answer in named if answer not in row and answer != truth]
        if missing:
            raise ValueError(f"there is no cost of answering {missing[0]!r} where {truth!r} is true.")
    return named, [[rows[truth].get(answer, 0.0) for answer in named] for truth in named]


def _by_label(given: Any, by_text: dict[str, Any]) -> dict[Any, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"a row must be a dict {{answer: cost}}, got {given!r}.")
    found = {_label(str(key), by_text): value for key, value in given.items()}
    if len(found) < len(given):
        raise ValueError(f"a class is named twice in {list(given)!r}.")
    return found


def _label(text: str, by_text: dict[str, Any]) -> Any:
    """The class that a text names, as labels are texts in JSON; if it does not occur, it is of the same type."""
    if text in by_text:
        return by_text[text]
    classes = list(by_text.values())
    try:
        if not isinstance(classes[0], bool):
            return type(classes[0])(text)
    except ValueError:
        pass
    raise ValueError(f"{text!r} cannot be a class where the classes are {classes!r}.")
