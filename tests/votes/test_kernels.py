"""The packed kernels against dense numpy."""

import math
from functools import cache

import numba
import numpy as np
import pytest
from scipy.special import betainc

import dense
from stocmv import VoteMatrix
from stocmv.risks._curves import half_curve
from stocmv.special import argmax_probability
from stocmv.votes import Curve, PartitionedVotes
from stocmv.votes._classes import _is_decided as is_decided, _negligible as negligible
from stocmv.votes._grain import rounder
from stocmv.votes._threads import split_rows
from zoo import SEVERAL_CLASSES, SINGLE, answers, errors, problem, raw

# rows up to a block of 2,048 and beyond it; voters that fill their bytes and groups of five bytes, and that do not
SHAPES = [
    (1, 1),
    (2, 7),
    (3, 8),
    (5, 9),
    (2047, 16),
    (2048, 17),
    (2049, 24),
    (4099, 200),
    (30011, 33),
    (300, 40),
    (300, 41),
]


@cache
def random_errors(n, n_voters):
    return np.random.default_rng([n, n_voters]).random((n, n_voters)) < 0.3


def random_weights(n_voters):
    return np.random.default_rng(n_voters).gamma(1.0, size=n_voters)


def curve_of(total, reach=1.0):
    """A curve with bends on ``reach`` of [0, total]; beyond it the curve is constant."""
    nodes = total * (0.5 + reach * np.linspace(-0.5, 0.5, 33))
    return Curve.from_nodes(nodes, np.sin(nodes), np.cos(nodes), np.exp(-nodes))


@pytest.mark.parametrize(("n", "n_voters"), SHAPES)
class TestBits:
    def test_wrong_weights(self, n, n_voters):
        theirs, weights = random_errors(n, n_voters), random_weights(n_voters)
        ours = VoteMatrix.from_errors(theirs).wrong_weights(weights)
        np.testing.assert_allclose(ours, theirs @ weights, rtol=1e-13)

    def test_column_sums(self, n, n_voters):
        theirs = random_errors(n, n_voters)
        values = np.random.default_rng(n).standard_normal(n)
        ours = VoteMatrix.from_errors(theirs).column_sums(values)
        np.testing.assert_allclose(ours, values @ theirs, rtol=0, atol=1e-13 * np.abs(values).sum())

    @pytest.mark.parametrize("reach", [1.0, 0.3], ids=["whole", "constant_beyond"])
    def test_curve_sum(self, n, n_voters, reach):
        matrix, weights = random_errors(n, n_voters), random_weights(n_voters)
        curve = curve_of(weights.sum(), reach)
        ours = VoteMatrix.from_errors(matrix).curve_sum(weights, curve)
        value, slope, d_total = (rounder(largest, n) / 1.5 * 2.0**-52 for largest in curve.largest)
        theirs = dense.curve_sum(matrix, weights, curve)
        for got, expected, grain in zip(ours, theirs, (value, slope, d_total), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-11, atol=np.sqrt(n) * grain)  # n roundings by half of it


@pytest.mark.parametrize("name", SINGLE)
class TestZoo:
    def test_wrong_weights_of_every_example(self, name):
        weights = random_weights(problem(name).n_voters)
        theirs = errors(name) @ weights
        votes = problem(name)
        ours = np.repeat(votes.wrong_weights(weights), votes.counts.astype(int) if votes.counts.size else 1)
        np.testing.assert_allclose(np.sort(ours), np.sort(theirs), rtol=1e-14)
        assert votes.row_mean(votes.wrong_weights(weights)) == pytest.approx(theirs.mean(), rel=1e-14)

    def test_curve_sum_also_where_nobody_or_everybody_errs(self, name):
        weights = random_weights(problem(name).n_voters)
        curve = half_curve(float(weights.sum()))
        ours, theirs = problem(name).curve_sum(weights, curve), dense.curve_sum(errors(name), weights, curve)
        for got, expected in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-14 * problem(name).n_examples)

    def test_merging_rows_changes_no_result(self, name):
        votes = VoteMatrix.from_labels(*raw(name), problem(name).classes)
        merged, weights = votes.merged(), random_weights(votes.n_voters)
        assert merged.n_examples == votes.n_examples
        results = [
            [
                *matrix.curve_sum(weights, curve_of(weights.sum())),
                matrix.row_mean(matrix.wrong_weights(weights)),
                matrix.voter_errors(),
                *(matrix.argmax_error_sum(weights) if matrix.labels is not None else ()),
            ]
            for matrix in (merged, votes)
        ]
        for ours, theirs in zip(*results, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", SEVERAL_CLASSES)
class TestLabels:
    def test_class_weights(self, name):
        votes, weights = problem(name), random_weights(problem(name).n_voters)
        theirs = dense.class_weights(votes.labels, votes.n_classes, weights)
        np.testing.assert_allclose(votes.class_weights(weights), theirs, rtol=1e-14)

    def test_class_column_sums(self, name):
        votes = problem(name)
        values = np.random.default_rng(0).standard_normal((votes.n_rows, votes.n_classes))
        theirs = np.take_along_axis(values, votes.labels.astype(int), axis=1).sum(0)
        np.testing.assert_allclose(votes.class_column_sums(values), theirs, rtol=0, atol=1e-13)

    @pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1000.0])
    def test_argmax_error_of_each_row(self, name, scale):
        votes, weights = problem(name), scale * random_weights(problem(name).n_voters)
        rows = [votes.take([row]) for row in range(votes.n_rows)]
        ours = [row.argmax_error_sum(weights)[0] / row.n_examples for row in rows]
        theirs = 1 - argmax_probability(dense.class_weights(votes.labels, votes.n_classes, weights), votes.targets)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)

    @pytest.mark.parametrize("scale", [0.1, 1.0, 30.0, 1000.0])
    def test_argmax_error_moves_as_its_gradient_says(self, name, scale):
        votes, weights = problem(name), scale * random_weights(problem(name).n_voters)

        def error(log_weights):
            concentrations = dense.class_weights(votes.labels, votes.n_classes, np.exp(log_weights))
            return votes.row_mean(1 - argmax_probability(concentrations, votes.targets))

        ours = weights * votes.argmax_error_sum(weights)[1] / votes.n_examples
        theirs = dense.gradient(error, np.log(weights))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


def test_rows_are_decided_only_where_the_other_outcome_is_as_good_as_impossible():
    less, more = np.random.default_rng(0).lognormal([2, 4], 2, (20_000, 2)).T
    decided = np.array([is_decided(a, b) for a, b in zip(less, more, strict=True)])
    assert 0.1 < decided.mean() < 0.9
    assert betainc(more, less, 0.5)[decided].max() < 1e-19


def test_rivals_are_left_out_only_if_they_are_as_good_as_certain_to_lose():
    for most in np.geomspace(1.0, 1e8, 200):
        less = negligible(most)
        assert less == 0.0 or betainc(most, less, 0.5) < 1e-19
    assert negligible(64.0) == 0.0 < negligible(66.0)


@cache
def large():
    votes, y = answers(60_000, np.linspace(0.3, 0.7, 100), 4, seed=0)
    return VoteMatrix.from_labels(votes.astype(np.uint8), y.astype(np.uint8), classes=range(4))


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one thread only")
@pytest.mark.parametrize(
    "kernel",
    [
        lambda votes, weights: votes.wrong_weights(weights),
        lambda votes, weights: votes.column_sums(np.sin(np.arange(votes.n_rows))),
        lambda votes, weights: votes.curve_sum(weights, curve_of(weights.sum())),
        lambda votes, weights: votes.class_weights(weights),
        lambda votes, weights: votes.class_column_sums(np.sin(np.arange(4.0 * votes.n_rows)).reshape(-1, 4)),
        lambda votes, weights: votes.argmax_error_sum(weights),
    ],
    ids=["wrong_weights", "column_sums", "curve_sum", "class_weights", "class_column_sums", "argmax_error_sum"],
)
def test_the_number_of_threads_changes_no_bit(kernel):
    assert len(split_rows(large().n_rows, len(large().bits))) > 1
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            results.append(kernel(large(), random_weights(100)))
    finally:
        numba.set_num_threads(before)
    one, two = (result if isinstance(result, tuple) else (result,) for result in results)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 4096, 100_000])
@pytest.mark.parametrize("row_bytes", [1, 13, 1024])
def test_pieces_cover_every_row_once(n_rows, row_bytes):
    pieces = split_rows(n_rows, row_bytes)
    assert [row for start, stop in pieces for row in range(start, stop)] == list(range(n_rows))


@pytest.mark.parametrize("n_parts", [2, 7, 1000])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3], ids=["flat", "prior", "steep"])
@pytest.mark.parametrize(
    "kernel",
    [
        lambda part, weights, n: part.curve_sum(weights, half_curve(weights.sum()), n),
        lambda part, weights, n: part.argmax_error_sum(weights, n),
    ],
    ids=["curve_sum", "argmax_error_sum"],
)
def test_however_the_rows_are_divided_and_ordered_no_bit_changes(kernel, scale, n_parts):
    votes = large().take(np.arange(9_999))
    weights = scale * random_weights(votes.n_voters)
    rng = np.random.default_rng(n_parts)
    cuts = np.sort(rng.choice(np.arange(1, votes.n_rows), n_parts - 1, replace=False))
    parts = PartitionedVotes([votes.take(rows) for rows in np.split(rng.permutation(votes.n_rows), cuts)])
    ours = parts.total(lambda part: kernel(part, weights, votes.n_examples))
    for mine, theirs in zip(ours, kernel(votes, weights, None), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_numbers_of_the_grain_add_up_without_error():
    rng = np.random.default_rng(0)
    for largest, n in [(1.0, 1), (3.0, 2), (1e-9, 1000), (1e9, 2**20)]:
        added = rounder(largest, n)
        rounded = (rng.uniform(-largest, largest, n) + added) - added
        assert np.abs(rounded).max() <= 2 * largest
        assert math.fsum(rounded) == rounded.sum() == rounded[::-1].cumsum()[-1]
        ones = np.full(n, (largest + added) - added)
        assert ones.cumsum()[-1] == n * ones[0] == math.fsum(ones)
