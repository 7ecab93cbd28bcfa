"""What the fitted vote answers: the deterministic one, the random one, its probabilities, and single draws."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from sklearn.base import is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from classifier.problems import RandomNetworks, class_scores, data, fitted, fold_answers, plain, quick
from stocmv import MajorityVoteClassifier
from stocmv.risks import MonteCarlo
from stocmv.solvers import LBFGS
from zoo import HARD_RISKS

LOGIT_NORMAL = {"risk": MonteCarlo(certificate_draws=50), "posterior": "logit_normal", "bound": "seeger"}
SETTINGS = {risk: {"risk": risk, "bound": "seeger"} for risk in HARD_RISKS} | {
    "logit_normal": LOGIT_NORMAL,
    "holdout": {},
    "fold_test": {"n_folds": 3},
    "two_folds": {"n_folds": 2},
    "voters_drawn": {"n_folds": 2, "risk": "first_order"},
    "stumps": {"voters": "stumps", "n_folds": 2},
}
SIGMAS = 5


def every_vote(names=SETTINGS):
    """The settings of a fitted vote, for two classes and for three."""
    return pytest.mark.parametrize(
        "clf", [lambda s=SETTINGS[name], k=k: fitted(k, **s) for name in names for k in (2, 3)],
        ids=[f"{name}-{k}" for name in names for k in (2, 3)],
    )  # fmt: skip


def new_examples(clf, n=300):
    return data(len(clf.classes_), n=n, noise=0.3, start=200)[0]


def frequencies(answers, classes):
    """Share of each class in every row."""
    return (answers[:, :, None] == classes).mean(1)


@every_vote()
class TestProbabilities:
    def test_sum_to_one(self, clf):
        probabilities = clf().predict_proba(new_examples(clf()))
        assert np.all((probabilities >= 0) & (probabilities <= 1 + 1e-15))
        np.testing.assert_allclose(probabilities.sum(1), 1, rtol=0, atol=1e-12)

    def test_predict_answers_the_most_probable_class(self, clf):
        X = new_examples(clf())
        np.testing.assert_array_equal(clf().predict(X), clf().classes_[clf().predict_proba(X).argmax(1)])

    @pytest.mark.slow
    def test_one_example_is_answered_as_among_others(self, clf):
        X = new_examples(clf(), 4)
        np.testing.assert_array_equal([clf().predict(row[None])[0] for row in X], clf().predict(X))
        each = np.vstack([clf().predict_proba(row[None]) for row in X])
        np.testing.assert_allclose(each, clf().predict_proba(X), rtol=0, atol=1e-12)

    def test_those_of_the_stochastic_vote_are_its_frequencies(self, clf):
        clf = clf()
        if not clf.certificate_.covers_drawn:
            with pytest.raises(ValueError, match="predict_stochastic is not certified"):
                clf.predict_stochastic(new_examples(clf))
            return
        X, n_draws = new_examples(clf), 2000
        n_known = 2000 if clf.posterior_[0].name == "logit_normal" else np.inf  # whose are estimated from draws
        probabilities = clf.predict_stochastic_proba(X)
        np.testing.assert_allclose(probabilities.sum(1), 1, rtol=0, atol=1e-12)
        mixed = np.flatnonzero(probabilities.max(1) < 0.99)[:25]
        assert len(mixed) > 5
        answers = clf.predict_stochastic(np.repeat(X[mixed], n_draws, axis=0), 0).reshape(len(mixed), n_draws)
        theirs, ours = frequencies(answers, clf.classes_), probabilities[mixed]
        deviation = np.sqrt(theirs * (1 - theirs) * (1 / n_draws + 1 / n_known)) + 2 / n_draws
        assert np.all(np.abs(ours - theirs) < SIGMAS * deviation)


@every_vote([name for name in SETTINGS if name != "logit_normal"])
def test_scores_are_the_expected_weights_of_the_classes(clf):
    """The mean of the folds where these agree, else those of one fold that answers as `predict` does."""
    clf = clf()
    X, k = new_examples(clf), len(clf.classes_)
    ours, answers, shares = clf.predict_proba(X), fold_answers(clf, X), np.array(clf.certificate_.fold_shares)
    folds = zip(clf.voters_, clf.posterior_, strict=True)
    each = np.stack([class_scores(voters.codes(X), posterior.mean, k) for voters, posterior in folds])
    agree = np.ptp(answers, axis=0) == 0
    np.testing.assert_allclose(ours[agree], np.tensordot(shares, each, axes=1)[agree], rtol=0, atol=1e-9)
    for i in np.flatnonzero(~agree):
        candidates = each[answers[:, i] == ours[i].argmax(), i]
        assert np.abs(candidates - ours[i]).max(1).min() < 1e-9
    assert agree.all() == (len(answers) == 1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_a_forest_are_the_shares_of_its_trees(n_classes):
    clf = quick(RandomForestClassifier(7), voting="hard").fit(*data(n_classes, noise=0.3))
    X = new_examples(clf)
    trees = clf.voters_[0].codes(X)
    np.testing.assert_allclose(clf.predict_proba(X), frequencies(trees, np.arange(n_classes)), rtol=0, atol=1e-12)


def win_probability(concentrations):
    """Probability that each of independent gammas is the largest: a sum over a fine grid of logarithms."""
    u = np.linspace(-60, np.log(concentrations.max() + 12 * np.sqrt(concentrations.max()) + 60), 8001)
    named = np.flatnonzero(concentrations > 0)
    below = special.gammainc(concentrations[named, None], np.exp(u))
    density = np.exp(stats.loggamma.logpdf(u, concentrations[named, None]))
    out = np.zeros(len(concentrations))
    for position, k in enumerate(named):
        out[k] = integrate.trapezoid(density[position] * np.delete(below, position, axis=0).prod(0), u)
    return out


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("prior", [1.0, 20.0])
def test_probabilities_of_a_dirichlet_are_exact(n_classes, prior):
    """Those of the mixture, which draws a fold first."""
    clf = fitted(n_classes, prior=prior, n_folds=3)
    X = new_examples(clf, 40)
    folds = zip(clf.voters_, clf.posterior_, strict=True)
    concentrations = [class_scores(voters.codes(X), posterior.alpha, n_classes) for voters, posterior in folds]
    each = np.array([[win_probability(c) for c in rows] for rows in concentrations])
    theirs = np.tensordot(clf.certificate_.fold_shares, each, axes=1)
    np.testing.assert_allclose(clf.predict_stochastic_proba(X), theirs, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("n_classes", "n_voters"), [(2, 2), (2, 4), (3, 2), (3, 4), (3, 6)])
@pytest.mark.parametrize("prior", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("n_folds", [None, 2])
def test_ties_are_broken_alike(n_classes, n_voters, prior, n_folds):
    """Equal weights and an even number of voters; of classes that tie the first wins."""
    X, y = data(n_classes, noise=0.3)
    clf = quick(RandomForestClassifier(n_voters, max_depth=2), prior=prior, n_folds=n_folds, voting="hard").fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), clf.classes_[clf.predict_proba(X).argmax(1)])
    shares = [frequencies(voters.codes(X), np.arange(n_classes)) for voters in clf.voters_]
    assert np.mean((shares[0] == shares[0].max(1, keepdims=True)).sum(1) > 1) > 0.02  # there are ties
    if n_folds is None:
        np.testing.assert_array_equal(clf.predict(X), clf.classes_[shares[0].argmax(1)])


class TestFolds:
    """On examples where the folds disagree, the key decides which of them answers."""

    def clf_and_split(self, bound="fold_test"):
        """Folds of unequal sizes, 2 + 3 + 2 examples, that disagree on most new ones."""
        X, y = data(3, n=7, noise=0.3)
        clf = quick(RandomNetworks(), prior=1.0, bound=bound).fit(X, y)
        assert clf.certificate_.fold_sizes == (2, 3, 2)
        X = data(3, n=60, noise=0.3, start=200)[0]
        answers = fold_answers(clf, X)
        split = np.ptp(answers, axis=0) > 0
        assert split.sum() > 20
        return clf, X[split], answers[:, split]

    @pytest.mark.slow
    @pytest.mark.parametrize("bound", ["fold_test", "seeger"])
    def test_are_chosen_in_proportion_over_the_keys(self, bound):
        clf, X, answers = self.clf_and_split(bound)
        n_keys, shares = 1000, clf.certificate_.fold_shares
        scale = [3.5, 7 / 3, 3.5] if bound == "seeger" else clf.certificate_.fold_test["scale"]
        np.testing.assert_allclose(shares, 1 / np.array(scale) / np.sum(1 / np.array(scale)), rtol=1e-12)
        assert len(set(shares)) > 1
        expected = np.tensordot(shares, answers[:, :, None] == np.arange(3), axes=1)
        total = np.zeros(expected.shape)
        for key in range(n_keys):
            clf.key_ = key.to_bytes(16, "little")
            total += clf.predict(X)[:, None] == clf.classes_
        # the answers of a row over the keys are independent, one key's answers on different rows as well
        error = total / n_keys - expected
        variance = expected * (1 - expected) / n_keys
        assert np.all(np.abs(error) <= SIGMAS * np.sqrt(variance))
        assert np.all(error[variance == 0] == 0)
        assert 0.5 < np.mean(error[variance > 0] ** 2 / variance[variance > 0]) < 2

    def test_probabilities_are_those_of_one_fold(self):
        clf, X, answers = self.clf_and_split()
        chosen = clf.predict_proba(X).argmax(1)
        assert np.all((answers == chosen).any(0))

    def test_another_key_only_changes_what_the_folds_dispute(self):
        clf = fitted(3, n_folds=3)
        X = new_examples(clf)
        agree = np.ptp(fold_answers(clf, X), axis=0) == 0
        before, key = clf.predict(X), clf.key_
        clf.key_ = b"another"
        after, clf.key_ = clf.predict(X), key
        np.testing.assert_array_equal(after[agree], before[agree])
        assert np.any(after[~agree] != before[~agree])
        np.testing.assert_array_equal(clf.predict(X), before)

    @pytest.mark.parametrize("kind", ["forest", "frozen_forest", "list"])
    def test_without_them_there_is_no_key(self, kind):
        clf = plain(kind)
        assert clf.key_ is None
        assert clf.certificate_.fold_shares == (1.0,)
        assert "key" not in " ".join(clf.certificate_.assumptions)


@every_vote(["exact", "first_order", "logit_normal", "holdout", "voters_drawn"])
class TestRandomVote:
    def test_is_repeated_by_its_seed(self, clf):
        X = new_examples(clf())
        first, second, other = (clf().predict_stochastic(X, seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, second)
        assert np.any(first != other)
        state = clf().predict_stochastic(X, np.random.RandomState(1))
        np.testing.assert_array_equal(first, state)

    def test_is_drawn_afresh_for_every_example(self, clf):
        """Copies of one example that is in doubt get different answers."""
        X = new_examples(clf())
        doubtful = np.argmin(clf().predict_stochastic_proba(X).max(1))
        assert len(np.unique(clf().predict_stochastic(np.repeat(X[[doubtful]], 200, axis=0), 0))) > 1


@every_vote(["exact", "first_order", "logit_normal", "holdout", "two_folds"])
class TestDraw:
    def test_is_a_fitted_estimator(self, clf):
        check_is_fitted(clf().draw(0))

    def test_classifies(self, clf):
        drawn = clf().draw(0)
        assert is_classifier(drawn)
        X, y = data(len(clf().classes_), noise=0.3)
        np.testing.assert_array_equal(drawn.classes_, clf().classes_)
        assert set(drawn.predict(X)) <= set(clf().classes_)
        assert drawn.score(X, y) == np.mean(drawn.predict(X) == y)

    def test_weighs_the_voters_of_one_fold(self, clf):
        drawn = clf().draw(3)
        X = new_examples(clf())
        assert np.all(drawn.weights >= 0)
        assert drawn.weights.sum() == pytest.approx(1, abs=1e-12)
        (fold,) = (k for k, voters in enumerate(clf().voters_) if voters is drawn.voters)
        scores = class_scores(clf().voters_[fold].codes(X), drawn.weights, len(clf().classes_))
        np.testing.assert_array_equal(drawn.predict(X), clf().classes_[scores.argmax(1)])

    def test_is_repeated_by_its_seed(self, clf):
        first, second, *others = (clf().draw(seed) for seed in (1, *range(1, 12)))
        np.testing.assert_array_equal(first.weights, second.weights)
        assert first.voters is second.voters
        assert any(np.any(first.weights != other.weights) for other in others)

    def test_is_in_the_mean_the_posterior(self, clf):
        clf, n_draws = clf(), 600
        state = np.random.RandomState(0)
        draws = [clf.draw(state) for _ in range(n_draws)]
        shares = clf.certificate_.fold_shares
        for voters, posterior, share in zip(clf.voters_, clf.posterior_, shares, strict=True):
            weights = np.stack([d.weights for d in draws if d.voters is voters])
            assert abs(len(weights) / n_draws - share) <= SIGMAS * np.sqrt(share * (1 - share) / n_draws)
            # the mean of a logit-normal is itself a mean of draws
            spread = np.maximum(weights.std(0), 0.1)  # a voter that is hardly ever drawn shows no spread
            deviation = spread * np.sqrt(1 / len(weights) + 1 / 1000)
            assert np.all(np.abs(weights.mean(0) - posterior.mean) < SIGMAS * deviation)


def test_a_draw_of_tiny_concentrations_is_quiet():
    quick(prior=1e-4, solver=LBFGS(max_iter=0), stochastic=True).fit(*data()).draw(0)


@pytest.mark.parametrize("kind", ["forest", "bagging", "adaboost", "voting"])
@pytest.mark.parametrize("make", ["frame", "list"])
def test_a_drawn_vote_takes_what_its_classifier_takes(kind, make):
    X, y = data()
    given = pytest.importorskip("pandas").DataFrame(X, columns=list("abcd")) if make == "frame" else X.tolist()
    clf = quick(plain(kind).voters, stochastic=True).fit(given, y)
    clf.predict(given)
    np.testing.assert_array_equal(clf.draw(0).predict(given), plain(kind).draw(0).predict(X))


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_stochastic", "predict_stochastic_proba", "score"]
)
def test_nothing_is_answered_before_the_fit(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(MajorityVoteClassifier(), method)(*data()[: 2 if method == "score" else 1])
    with pytest.raises(NotFittedError, match="not fitted yet"):
        MajorityVoteClassifier().draw()
