"""What a GPU is given, and what becomes of its sums: a host version of its arithmetic against the kernel in memory."""

import sys

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from stocmv.votes._curve import Curve
from stocmv.votes._gpu import _places
from stocmv.votes._integer_sums import FEW_VOTERS, VOTERS, IntegerSum
from votes.host_gpu import on_host
from zoo import SINGLE, problem

CURVES = ["exact", "first_order", "second_order", "binomial"]


def random_votes(n, n_voters, seed=0):
    rng = np.random.default_rng(seed)
    return VoteMatrix.from_errors(rng.random((n, n_voters)) < rng.uniform(0.2, 0.6, n_voters))


def curve_of(name, alpha):
    return RISKS[name].curve(Dirichlet(alpha))


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("n_voters", [1, 7, 64, 300])
@pytest.mark.parametrize("scale", [0.05, 1.0, 40.0])
def test_the_sums_are_those_of_the_kernel_in_memory(name, n_voters, scale):
    votes = random_votes(2000, n_voters)
    alpha = scale * np.random.default_rng(1).gamma(1.0, size=n_voters) + 1e-3
    ours, theirs = on_host(votes, alpha, curve_of(name, alpha)), votes.curve_sum(alpha, curve_of(name, alpha))
    assert ours[0] == pytest.approx(theirs[0], rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-6, atol=2e-6 * np.abs(theirs[1]).max() + 1e-12)
    assert ours[2] == pytest.approx(theirs[2], rel=1e-5, abs=2e-6 * np.abs(theirs[1]).max() + 1e-6)


@pytest.mark.parametrize("name", [name for name in SINGLE if name != "merged"])
def test_the_zoo(name):
    votes = problem(name)
    alpha = np.linspace(0.5, 3, votes.n_voters)
    ours, theirs = on_host(votes, alpha, curve_of("exact", alpha)), votes.curve_sum(alpha, curve_of("exact", alpha))
    assert ours[0] == pytest.approx(theirs[0], rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5, atol=1e-6)


def test_weights_fill_the_digits_and_do_not_exceed_them():
    for n_voters in (1, 2, 255, 1024):
        alpha = np.random.default_rng(n_voters).gamma(0.3, size=n_voters) + 1e-9
        terms = IntegerSum.of(alpha, curve_of("exact", alpha), 100)
        total = int(terms.weights.astype(np.uint64).sum())
        assert 2**32 - 3 * n_voters - 2 < total < 2**32
        np.testing.assert_allclose(terms.weights / total, alpha / alpha.sum(), atol=2.0**-31)


def test_sums_of_the_integers_fit_64_bits():
    alpha = np.full(10, 30.0)
    for n in (1, 10**8, 4 * 10**9):
        terms = IntegerSum.of(alpha, curve_of("exact", alpha), n)
        value, slope, d_total = terms.rows(np.linspace(0, 2**32 - 1, 1001).astype(np.uint64))
        assert int(value.max()) * n < 2**63
        assert int(d_total.max()) * n < 2**63
        assert int(slope.max()) < 2**32


@pytest.mark.parametrize("first", [0, VOTERS])
def test_planes_are_the_binary_digits_as_lanes_hold_them(first):
    alpha = np.random.default_rng(3).gamma(1.0, size=300)
    terms = IntegerSum.of(alpha, curve_of("exact", alpha), 10)
    planes = terms.planes(first)
    voters = np.arange(first, min(first + VOTERS, 300))
    found = np.zeros(len(voters), np.uint64)
    for lane in range(32):
        g, t = divmod(lane, 4)
        for m in range(4):
            for half in range(2):
                word = int(planes[m, lane, half])
                for bit in range(32):
                    voter = 32 * (t + 4 * half) + bit
                    if voter < len(voters):
                        found[voter] |= np.uint64((word >> bit & 1) << (8 * m + g))
    np.testing.assert_array_equal(found, terms.weights[voters])


def test_unary_planes_are_the_digits_as_lanes_hold_them():
    alpha = np.random.default_rng(3).gamma(1.0, size=50)
    terms = IntegerSum.of(alpha, curve_of("exact", alpha), 10)
    planes = terms.unary_planes()
    found = np.zeros(FEW_VOTERS, np.uint64)
    for lane in range(32):
        g, t = divmod(lane, 4)
        for m in range(2):
            for half in range(2):
                bits = np.array([int(planes[m, lane, half]) >> bit & 1 for bit in range(32)], np.uint64)
                found[32 * (t % 2) : 32 * (t % 2) + 32] += bits << np.uint64(2 * (8 * m + g))
    np.testing.assert_array_equal(found[:50], terms.weights)
    assert not found[50:].any()


@pytest.mark.parametrize("total", [1e-200, 1e-3, 1.0, 1e6, 1e17])
def test_narrow_curves_are_met_within_the_grain_of_the_weights(total):
    """A curve may be narrower than the last digit of a weight, or wider than all weights together."""
    nodes = total * np.linspace(0.5 - 1e-12, 0.5 + 1e-12, 9)
    for lower, upper in ((nodes[0], nodes[-1]), (0.0, 50 * total)):
        w = np.linspace(lower, upper, 9)
        curve = Curve.from_nodes(w, np.linspace(0, 1, 9), np.full(9, 1 / (upper - lower)), np.zeros(9))
        terms = IntegerSum.of(np.full(4, total / 4), curve, 10)
        wrong = np.array([0, 1, 3, 4], np.uint64) * np.uint64(terms.weights[0])
        value = terms.rows(wrong)[0] / terms.value.factor
        theirs = np.interp(np.array([0, 1, 3, 4]) / 4 * total, w, np.linspace(0, 1, 9))
        np.testing.assert_allclose(value, theirs, atol=1e-6)


@pytest.mark.parametrize("words", [2, 8])
def test_words_are_permuted_so_that_those_read_together_lie_in_different_banks(words):
    places = _places(words)
    assert sorted(places.ravel()) == list(range(32 * words))
    if words == 8:  # eight times 16 bytes are read at a time: see the two loads of _curve_pass.cu
        banks = places[:, ::4] // 4 % 8
        for c in range(2):
            for e in range(0, 32, 8):
                assert len(set(banks[e : e + 8, c])) == 8
            for e in range(0, 8, 2):
                assert len({banks[e + i + 8 * t, c] for i in range(2) for t in range(4)}) == 8


def test_without_cupy_one_sentence_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match=r"Votes on a GPU need CuPy: pip install 'stocmv\[gpu\]'\."):
        random_votes(10, 3).to("cuda")


def test_other_devices_are_refused():
    with pytest.raises(ValueError, match="device must be 'cpu' or 'cuda', got 'tpu'"):
        random_votes(10, 3).to("tpu")


def test_votes_in_memory_stay_as_they_are():
    votes = random_votes(10, 3)
    assert votes.to("cpu") is votes
