"""Costs of errors: what is taken, what is refused, and that classes which did not occur count, too."""

import numpy as np
import pytest

from certificate.made import judgments
from stocmv.certificate import certify_judgments, check_cost


class TestCosts:
    def test_a_dict_is_the_same_as_a_matrix(self):
        given = {"b": {"a": 1.5}, "a": {"b": 3, "a": 1}}
        assert check_cost(given, ["a", "b"]).matrix.tolist() == [[1, 3], [1.5, 0]]
        assert check_cost({"0": {"1": 2}, "1": {"0": 1}}, [0, 1]).matrix.tolist() == [[0, 2], [1, 0]]  # as in JSON

    def test_may_name_classes_that_do_not_occur(self):
        given = {str(k): {str(j): 10 * k + j for j in (-1, 3, 12) if j != k} for k in (12, -1, 3)}
        given["-1"] = {"3": 5, "12": 6}
        named = check_cost(given, [3, 12])
        assert named.classes == [-1, 3, 12]
        assert named.matrix.tolist() == [[0, 5, 6], [29, 0, 42], [119, 123, 0]]
        assert named.places([3, 12]) == [1, 2]
        assert check_cost({"b": {"a": 1}, "a": {"b": 1}}, ["b"]).classes == ["a", "b"]
        with pytest.raises(ValueError, match="'maybe' cannot be a class where the classes are"):
            check_cost({"0": {"maybe": 1}, "maybe": {"0": 1}}, [0])
        with pytest.raises(ValueError, match="named twice"):
            check_cost({1: {"2": 1}, "1": {"2": 1}, 2: {"1": 1}}, [1, 2])

    @pytest.mark.parametrize(
        ("cost", "reason"),
        [
            ([[0, 1]], r"a row and a column for each of the 2 classes, got the shape \(1, 2\)"),
            ([[0, 1], [1]], "a matrix of numbers"),
            ("much", "a matrix of numbers"),
            ([[0, np.nan], [1, 0]], "finite"),
            ([[0, 1e200], [1, 0]], "at most 1e100"),
            ([[2, 1], [1, 0]], "a wrong answer for class 'a' that costs less than the right one"),
            ([[1, 1], [1, 1]], "the same value everywhere"),
            ({"a": {"b": 1}}, "no row for the true class 'b'"),
            ({"a": {}, "b": {"a": 1}}, "no cost of answering 'b' where 'a' is true"),
            ({"a": {"b": 1}, "b": {"c": 1}}, "no row for the true class 'c'"),
            (
                [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
                r"\(3, 3\): to give costs for classes that do not occur here, name them",
            ),
            ({"a": 3, "b": {"a": 1}}, "a row must be a dict"),
        ],
    )
    def test_what_is_no_cost_matrix_is_refused(self, cost, reason):
        with pytest.raises(ValueError, match=reason):
            check_cost(cost, ["a", "b"])


def test_a_costly_class_that_did_not_occur_counts():
    """The bound is scaled by all costs: it allows for what none of the examples showed."""
    table = judgments(n_classes=2)
    mild = {"-1": {"1": 1}, "1": {"-1": 1}}
    rare = {**{k: {**row, "7": 50} for k, row in mild.items()}, "7": {"-1": 50, "1": 50}}
    ours, theirs = (certify_judgments(table, 0.05, costs=check_cost(each, [-1, 1])) for each in (rare, mild))
    assert ours.cost["measured"] == pytest.approx(theirs.cost["measured"])
    assert ours.cost_bound > 2 * theirs.cost_bound
    assert "for all classes that can occur" in str(ours)
    assert ours.verify(table), ours.verify(table)
