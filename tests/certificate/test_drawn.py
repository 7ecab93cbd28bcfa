"""The certificate of one drawn vote: its density ratio, its judges, and forged."""

from copy import copy
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy.stats import dirichlet
from sklearn.datasets import load_iris

from stocmv import Certificate, MajorityVoteClassifier
from stocmv.certificate import DrawnCertificate, certify_drawn
from stocmv.persistence import load, save, save_evidence
from stocmv.posteriors import BlocDirichlet, Categorical, Dirichlet
from stocmv.solvers import LBFGS
from stocmv.verify import verify_files

QUICK = LBFGS(max_iter=10, stops_early=True)


def answers(n=80, n_voters=9, n_classes=3, silent=False, seed=0):
    """A table of voters of different quality, two of which answer alike."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    right = rng.random((n, n_voters)) < np.linspace(0.4, 0.9, n_voters)
    X = np.where(right, y[:, None], rng.integers(0, n_classes, (n, n_voters))).astype(float)
    X[:, 1] = X[:, 0]
    if silent:
        X[rng.random(X.shape) < 0.3] = np.nan
    return X, y


def fitted(X, y, **settings):
    return MajorityVoteClassifier("answers", **{"bound": "seeger", "solver": QUICK, "random_state": 0, **settings}).fit(
        X, y
    )


@pytest.fixture(scope="module")
def clf():
    return fitted(*answers())


def precise_log_ratio(alpha, beta, log_weights):
    with mpmath.workdps(60):
        a, b, logs = ([mpmath.mpf(float(x)) for x in each] for each in (alpha, beta, log_weights))
        normalised = [mpmath.loggamma(sum(x)) - sum(map(mpmath.loggamma, x)) for x in (a, b)]
        return normalised[0] - normalised[1] + sum((x - y) * log for x, y, log in zip(a, b, logs, strict=True))


@pytest.mark.parametrize("low", [1e-6, 1e-3, 0.5, 50.0])
@pytest.mark.parametrize("high", [1e-3, 1.0, 1e3, 1e6])
def test_the_log_ratio_is_rounded_up_and_by_little(low, high):
    rng = np.random.default_rng(1)
    for n_voters in (2, 7, 100):
        alpha, beta = (Dirichlet(rng.choice([low, high], n_voters) * rng.random(n_voters)) for _ in range(2))
        _, logs = alpha.drawn_vote(rng)
        ours = alpha.certified_log_ratio(beta, logs)
        above = float(mpmath.mpf(ours) - precise_log_ratio(alpha.alpha, beta.alpha, logs))
        size = np.abs(alpha.alpha - beta.alpha) @ (1 + np.abs(logs) + 1 / alpha.alpha) + alpha.total + beta.total
        assert 0 <= above < 1e-12 * size + 1e-12
        assert alpha.certified_log_ratio(alpha, logs) == 0.0


def test_underflowing_weights_keep_their_logarithms():
    weights, logs = Dirichlet(np.full(50, 1e-5)).drawn_vote(np.random.default_rng(0))
    assert (weights == 0).any()
    assert np.isfinite(logs).all()
    assert weights.sum() == pytest.approx(1, abs=1e-14)


def test_the_ratio_of_blocs_is_that_of_all_weights():
    """The density of the weights of all voters, as sums of blocs and shares within them, against the prior's."""
    blocs, within = np.array([0, 1, 1, 2, 2, 2]), np.array([1.5, 0.7, 2.0, 1.0, 3.0, 0.9])
    posterior = BlocDirichlet([4.0, 2.5, 6.0], blocs, [], within)
    weights, logs = posterior.drawn_vote(np.random.default_rng(0))
    sums = np.bincount(blocs, weights)
    np.testing.assert_allclose(np.exp(logs), sums, rtol=1e-12)
    density = dirichlet.logpdf(sums, posterior.alpha)
    for bloc in (1, 2):
        own = blocs == bloc
        density += dirichlet.logpdf(weights[own] / sums[bloc], within[own]) - (own.sum() - 1) * logs[bloc]
    ours = posterior.certified_log_ratio(Dirichlet(within), logs)
    assert ours == pytest.approx(density - dirichlet.logpdf(weights, within), rel=1e-10)


def test_the_mean_log_ratio_is_the_kl_and_the_mean_inverse_ratio_is_one():
    posterior, prior = Dirichlet([3.0, 1.0, 2.0]), Dirichlet([1.5, 1.5, 1.0])
    rng = np.random.default_rng(0)
    ratios = [posterior.certified_log_ratio(prior, posterior.drawn_vote(rng)[1]) for _ in range(4000)]
    assert np.mean(ratios) == pytest.approx(posterior.kl(prior)[0], abs=0.06)
    assert np.mean(np.exp(-np.array(ratios))) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(
    ("data", "settings"),
    [
        ({}, {}),
        ({"n_classes": 2}, {"prior": 0.1}),
        ({"silent": True}, {"delta": 0.2}),
        ({"n_classes": 2, "silent": True}, {"bound": "catoni"}),
        ({"n_voters": 2}, {"prior": 2.0}),  # all voters answer alike
    ],
)
def test_judges_the_vote_that_was_drawn_and_verifies(data, settings):
    X, y = answers(**data)
    clf = fitted(X, y, **settings)
    for seed in range(3):
        drawn = clf.draw(seed)
        certificate = drawn.certificate_
        silent = np.isnan(X).all(1)
        wrong = (drawn.predict(X) != y) | silent
        assert certificate.empirical_risk == pytest.approx(wrong.mean(), rel=1e-12)
        assert certificate.bound > certificate.empirical_risk
        assert certificate.claims[0].total == pytest.approx(clf.certificate_.delta)
        assert certificate.verify(clf.evidence_), certificate.verify(clf.evidence_)


def test_a_tie_is_an_error():
    clf = fitted(np.array([[0, 1], [1, 0], [1, 1]] * 10), np.array([0, 1, 1] * 10), prior=1.0)
    halves = np.array([0.5, 0.5])
    certificate = certify_drawn(clf.certificate_, clf.evidence_, clf.posterior_[0], 0, halves, np.log(halves))
    assert certificate.empirical_risk == pytest.approx(2 / 3)
    assert certificate.verify(clf.evidence_)


def test_a_drawn_fold():
    clf = MajorityVoteClassifier("stumps", bound="seeger", n_folds=2, prior=0.1, solver="quick", random_state=0)
    clf.fit(*load_iris(return_X_y=True))
    found = {certificate.fold: certificate for certificate in (clf.draw(seed).certificate_ for seed in range(8))}
    assert sorted(found) == [0, 1]
    for certificate in found.values():
        assert certificate.verify(clf.evidence_)
        assert "its fold and weights" in certificate.statement()
        assert not replace(certificate, fold=1 - certificate.fold).verify(clf.evidence_)


def forgeries(certificate):
    def figures(**changed):
        return replace(certificate, figures={"error": {**certificate.figures["error"], **changed}})

    one = certificate.claims[0]
    logs = np.array(certificate.log_weights)
    yield figures(bound=certificate.bound - 1e-6)
    yield figures(bound=certificate.bound + 1e-6)
    yield figures(empirical_risk=certificate.empirical_risk - 0.01, bound=certificate.bound - 0.01)
    yield figures(log_ratio=certificate.log_ratio - 1e-3)
    yield replace(certificate, log_weights=tuple((logs - 1).tolist()))
    yield replace(certificate, log_weights=tuple(logs[::-1].tolist()))
    yield replace(certificate, log_weights=tuple(logs[:-1].tolist()))
    yield replace(certificate, delta=2 * certificate.delta)
    yield replace(certificate, claims=(replace(one, delta=2 * one.delta),))
    yield replace(certificate, alternatives=certificate.alternatives + 1)
    yield replace(certificate, priors=certificate.posteriors)
    yield replace(certificate, posterior="categorical")
    yield replace(certificate, fold=1)
    yield replace(certificate, n=certificate.n + 1)
    yield replace(certificate, covers_drawn=False)
    yield replace(certificate, unproven=("the voters",))


def test_forgeries_do_not_hold(clf):
    certificate = clf.draw(0).certificate_
    for k, forged in enumerate(forgeries(certificate)):
        assert not forged.verify(clf.evidence_), k
    other = fitted(*answers(seed=1))
    assert not certificate.verify(other.evidence_)


def test_files(clf, tmp_path):
    drawn = clf.draw(0)
    drawn.certificate_.to_json(tmp_path / "drawn.json")
    save_evidence(tmp_path / "evidence.npz", clf.evidence_)
    again = Certificate.from_json(tmp_path / "drawn.json")
    assert isinstance(again, DrawnCertificate)
    assert again == drawn.certificate_
    checked = verify_files(tmp_path / "drawn.json", tmp_path / "evidence.npz")
    assert checked
    assert "over the draw of its weights, the drawn vote errs on at most" in checked.statement
    save(drawn, tmp_path / "drawn.skops")
    assert load(tmp_path / "drawn.skops").certificate_ == drawn.certificate_


def test_where_only_the_average_over_draws_is_certified(clf, tmp_path):
    X, y = answers()
    assert fitted(X, y, bound="auto", stochastic=True).draw(0).certificate_ is None
    assert fitted(X, y, risk="first_order", posterior=Categorical).draw(0).certificate_ is None
    save(clf, tmp_path / "model.skops")
    assert load(tmp_path / "model.skops").draw(0).certificate_ is None  # it has no evidence


def test_delta_is_the_callers_and_the_parts_must_belong_together(clf):
    assert clf.draw(0, delta=0.05 / 20).certificate_.bound > clf.draw(0).certificate_.bound
    with pytest.raises(ValueError, match="delta"):
        clf.draw(0, delta=2)
    other = fitted(*answers(seed=1))
    mixed = copy(clf)
    mixed.posterior_ = other.posterior_
    with pytest.raises(ValueError, match="posterior_ is not the one"):
        mixed.draw(0)
    mixed = copy(clf)
    mixed.evidence_ = other.evidence_
    with pytest.raises(ValueError, match="evidence_ is not what"):
        mixed.draw(0)
