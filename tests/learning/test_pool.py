import time

import numpy as np
import pytest

from stocmv.learning import _pool
from stocmv.learning._pool import SHRINKAGES, Pool, learn_pool


def answered(n=400, n_classes=3, skills=(0.0, 1.0, 2.0, 3.0), seed=0):
    """Probabilities of voters with different skills, and the truth."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    scores = rng.normal(size=(n, len(skills), n_classes)) + rng.normal(size=(n, 1, n_classes))
    scores[np.arange(n), :, codes] += np.array(skills)
    chances = np.exp(scores)
    return chances / chances.sum(2, keepdims=True), codes


def log_loss(chances, codes):
    return -np.log(chances[np.arange(len(codes)), codes]).mean()


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_the_weights_follow_the_skills(n_classes):
    probabilities, codes = answered(n_classes=n_classes)
    pool = learn_pool(probabilities, codes)
    assert pool.weights.shape == (4,)
    assert pool.weights.min() >= 0
    assert pool.weights.sum() == pytest.approx(1)
    assert pool.weights.argmax() == 3
    assert pool.weights[0] < 0.1


def test_it_errs_less_than_equal_weights_on_new_examples():
    pool = learn_pool(*answered())
    probabilities, codes = answered(n=5000, seed=1)
    learned, equal = pool.shares(probabilities), probabilities.mean(1)
    assert np.mean(learned.argmax(1) != codes) < np.mean(equal.argmax(1) != codes)


def test_the_probabilities_are_calibrated_and_have_the_order_of_the_shares():
    pool = learn_pool(*answered())
    probabilities, codes = answered(n=5000, seed=1)
    shares, chances = pool.shares(probabilities), pool.probabilities(probabilities)
    assert chances.sum(1) == pytest.approx(np.ones(5000))
    assert chances.min() >= 0
    np.testing.assert_array_equal(shares.argsort(1), chances.argsort(1))
    assert log_loss(chances, codes) < log_loss(shares, codes)
    assert chances.max(1).mean() == pytest.approx(np.mean(chances.argmax(1) == codes), abs=0.03)


def test_the_shares_are_the_weighted_mean_of_the_probabilities():
    probabilities, _ = answered(n=5)
    pool = Pool(np.array([0.1, 0.2, 0.3, 0.4]), 1.0, 1.0, 1.0)
    np.testing.assert_allclose(pool.shares(probabilities), np.einsum("ijk,j->ik", probabilities, pool.weights))


@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_no_other_strengths_have_a_smaller_loss(shrinkage):
    probabilities, codes = answered()
    values = _pool._by_voter(probabilities)
    found = _pool._strengths(values, codes, shrinkage)

    def objective(v):
        apart = np.sum((v - v.mean()) ** 2)
        return _pool._losses(values, codes, v).sum() + shrinkage / 2 * apart + _pool._SMALL / 2 * v @ v

    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(50):
            assert objective(np.maximum(found + size * rng.normal(size=4), 0)) >= objective(found) - 1e-6


def test_the_derivatives_are_those_of_the_loss():
    probabilities, codes = answered(n=50)
    values, at, small = _pool._by_voter(probabilities), np.array([0.5, 1.0, 2.0, 0.0]), 1e-5
    slope, curvature = _pool._derivatives(values, codes, at)
    for j in range(4):
        ahead, behind = at + small * np.eye(4)[j], at - small * np.eye(4)[j]
        losses = [_pool._losses(values, codes, v).sum() for v in (ahead, behind)]
        slopes = [_pool._derivatives(values, codes, v)[0] for v in (ahead, behind)]
        assert slope[j] == pytest.approx((losses[0] - losses[1]) / (2 * small), abs=1e-4)
        np.testing.assert_allclose(curvature[j], (slopes[0] - slopes[1]) / (2 * small), atol=1e-4)


def test_more_shrinkage_makes_the_weights_more_alike():
    probabilities, codes = answered()
    values = _pool._by_voter(probabilities)
    spreads = [_pool._shares_of(_pool._strengths(values, codes, s)).std() for s in (1e4, *SHRINKAGES)]
    assert spreads == sorted(spreads)
    assert spreads[0] < 0.02


def test_voters_of_the_same_skill_are_held_alike():
    pool = learn_pool(*answered(n=60, skills=(2.0, 2.0, 2.0)))
    assert pool.shrinkage == SHRINKAGES[0]
    np.testing.assert_allclose(pool.weights, 1 / 3, atol=0.15)


def test_copies_of_a_voter_share_its_weight():
    probabilities, codes = answered()
    pool = learn_pool(probabilities[:, [3, 3, 3]], codes)
    np.testing.assert_allclose(pool.weights, 1 / 3, atol=1e-6)


def test_the_same_seed_gives_the_same_weights():
    probabilities, codes = answered()
    first, second = (learn_pool(probabilities, codes, seed=3) for _ in range(2))
    np.testing.assert_array_equal(first.weights, second.weights)
    assert first[1:] == second[1:]


def test_the_order_of_the_voters_does_not_matter():
    probabilities, codes = answered()
    order = [2, 0, 3, 1]
    one, other = learn_pool(probabilities, codes), learn_pool(probabilities[:, order], codes)
    np.testing.assert_allclose(one.weights[order], other.weights, atol=1e-4)


def test_groups_stay_together():
    groups = np.random.default_rng(0).integers(0, 20, 300)
    seen = np.zeros(300, int)
    for rows, others in _pool._folds(groups, 0):
        assert not set(groups[rows]) & set(groups[others])
        seen[rows] += 1
    np.testing.assert_array_equal(seen, 1)


def test_copies_in_one_group_do_not_make_the_choice_surer():
    probabilities, codes = answered(n=60, skills=(1.5, 2.0, 2.5))
    copied = np.repeat(np.arange(60), 20)
    many = probabilities[copied], codes[copied]
    assert learn_pool(*many).shrinkage < learn_pool(*many, groups=copied).shrinkage
    assert learn_pool(probabilities, codes)[3] == learn_pool(probabilities, codes, groups=np.arange(60))[3]


def test_only_some_of_many_examples_choose(monkeypatch):
    monkeypatch.setattr(_pool, "_CHOOSING", 100)
    rows = np.concatenate([rows for rows, _ in _pool._folds(np.arange(1000), 0)])
    assert len(rows) == len(set(rows)) == 100
    assert learn_pool(*answered()).weights.argmax() == 3


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_a_few_examples_are_enough(n):
    probabilities, codes = answered(n=n)
    pool = learn_pool(probabilities, codes)
    assert np.isfinite(pool.probabilities(probabilities)).all()
    assert pool.weights.sum() == pytest.approx(1)


def test_one_group_or_one_voter():
    probabilities, codes = answered()
    assert learn_pool(probabilities, codes, groups=np.zeros(400)).shrinkage == SHRINKAGES[0]
    assert learn_pool(probabilities[:, :1], codes).weights == pytest.approx([1.0])


def test_voters_without_errors_and_sure_of_it():
    codes = np.arange(200) % 2
    pool = learn_pool(np.repeat(np.eye(2)[codes][:, None], 2, 1), codes)
    np.testing.assert_allclose(pool.weights, 0.5)
    assert log_loss(pool.probabilities(np.eye(2)[codes][:, None].repeat(2, 1)), codes) < 1e-3


def test_voters_that_are_always_wrong_have_equal_weights():
    codes = np.arange(200) % 2
    probabilities = np.repeat(np.eye(2)[1 - codes][:, None], 3, 1)
    pool = learn_pool(probabilities, codes)
    np.testing.assert_allclose(pool.weights, 1 / 3)
    assert np.isfinite(pool.probabilities(probabilities)).all()


def test_a_class_that_no_voter_knows():
    probabilities, codes = answered()
    probabilities = np.concatenate([probabilities, np.zeros((400, 4, 1))], axis=2)
    codes[:5] = 3
    chances = learn_pool(probabilities, codes).probabilities(probabilities)
    assert np.isfinite(log_loss(chances, codes))
    assert (chances > 0).all()


@pytest.mark.slow
def test_it_is_quick():
    probabilities, codes = answered(n=6000, n_classes=10, skills=range(8))
    began = time.process_time()
    learn_pool(probabilities, codes)
    assert time.process_time() - began < 1
