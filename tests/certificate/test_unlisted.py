"""Classes that are not listed: where delta is shared among those that happen to occur, and what that assumes."""

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest

from stocmv import certify_predictions

OTHERS = "There are no other classes than those listed."


def f1_failure(right, n, delta, classes):
    """Probability that an F1 is false if both classes are equally frequent, by going through all tables."""
    cells = {(0, 0): right / 2, (1, 1): right / 2, (0, 1): (1 - right) / 2, (1, 0): (1 - right) / 2}
    failure = 0.0
    for drawn in combinations_with_replacement(cells, n):
        orders = factorial(n) // prod(factorial(drawn.count(cell)) for cell in cells)
        ours = certify_predictions(*zip(*drawn, strict=True), classes=classes, delta=delta)
        failure += orders * prod(cells[cell] for cell in drawn) * bool(np.any(ours.f1 > right))
    return failure


@pytest.mark.parametrize(("right", "n"), [(0.08, 1), (0.36, 2)])
def test_f1_needs_the_list(right, n):
    """One of two classes occurs, and gets all of delta: together they fail more often, unless both are listed."""
    assert f1_failure(right, n, 0.05, None) > 0.05 >= f1_failure(right, n, 0.05, [0, 1])
    assert OTHERS in certify_predictions([0], [0]).assumptions


def test_classes_of_groups_need_the_list():
    """Seven of ten groups have one row, of any class, which is right; the others have all twelve, and all wrong."""
    alone, number, delta = 0.7, 12, 0.2
    error = (1 - alone) / (alone / number + 1 - alone)
    ours, listed = (certify_predictions([3], [3], groups=[0], delta=delta, classes=c) for c in (None, range(number)))
    assert ours.per_class[0]["bound"] < error <= listed.per_class[3]["bound"]  # so that it fails in seven of ten
    assert OTHERS in ours.assumptions


def test_it_is_not_assumed_where_it_is_not_needed():
    assert not any("no other" in each for each in certify_predictions([0], [0], per_class=False).assumptions)
    grouped = certify_predictions([0, 1], [0, 1], groups=[0, 1], subgroups=["a", "b"])
    assert "There are no other classes or subgroups than those listed." in grouped.assumptions
