"""Costs of errors: from the user's argument to a matrix."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_cost(cost: Any, classes: Sequence[Any]) -> NDArray:
    """The cost of each answer (column), given the true class (row), as an array.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes), or dict of dicts
        Rows and columns in the order of the classes, or ``{truth: {answer: cost}}``, where right answers that are left
        out cost nothing.
    classes : sequence
        The sorted labels.

    Examples
    --------
    >>> from stocmv.certificate import check_cost
    >>> check_cost({"ill": {"well": 10}, "well": {"ill": 1}}, ["ill", "well"]).tolist()
    [[0.0, 10.0], [1.0, 0.0]]
    """
    try:
        costs = np.array(_rows(cost, list(classes)) if isinstance(cost, Mapping) else cost, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost must be a matrix of numbers, or a dict {{truth: {{answer: cost}}}}: {error}") from error
    n = len(classes)
    if costs.shape != (n, n):
        raise ValueError(f"cost must have a row and a column for each of the {n} classes, got the shape {costs.shape}.")
    if not np.all(np.isfinite(costs)) or np.abs(costs).max() > 1e100:
        raise ValueError("cost must be finite numbers of at most 1e100.")
    if np.any(costs < costs.diagonal()[:, None]):
        k = int(np.argmax((costs < costs.diagonal()[:, None]).any(1)))
        raise ValueError(f"cost has a wrong answer for class {classes[k]!r} that costs less than the right one.")
    if np.ptp(costs) <= max(1e-9 * np.abs(costs).max(), 1e-100):
        raise ValueError("cost has the same value everywhere, or nearly so: there is nothing to bound.")
    return costs


def _rows(cost: Mapping, classes: list[Any]) -> list[list[float]]:
    """A dict of dicts as a matrix; labels may be given as text, as they are in JSON."""
    rows = _by_label(cost, classes, "true class")
    missing = [label for label in classes if label not in rows]
    if missing:
        raise ValueError(f"there is no row for the true class {missing[0]!r}.")
    matrix = []
    for truth in classes:
        row = {truth: 0.0, **_by_label(rows[truth], classes, "answer")}
        missing = [label for label in classes if label not in row]
        if missing:
            raise ValueError(f"there is no cost of answering {missing[0]!r} where {truth!r} is true.")
        matrix.append([row[label] for label in classes])
    return matrix


def _by_label(given: Any, classes: list[Any], what: str) -> dict[Any, Any]:
    if not isinstance(given, Mapping):
        raise ValueError(f"a row must be a dict {{answer: cost}}, got {given!r}.")
    by_text = {str(label): label for label in classes}
    unknown = [key for key in given if str(key) not in by_text]
    if unknown:
        raise ValueError(f"the {what} {unknown[0]!r} is not one of the classes {classes!r}.")
    return {by_text[str(key)]: value for key, value in given.items()}
