"""What a user is told is what is proven: each test here once found a path on which it was not."""

from html import unescape

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_moons
from sklearn.ensemble import (
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import quick
from stocmv.bounds import BOUNDS, CatoniPerFold, clopper_pearson
from stocmv.certificate import Guess
from stocmv.learning import drawn_answers, mean_vote
from stocmv.posteriors import Dirichlet, LogitNormal
from stocmv.protocols import HARD, FoldVote, PacBayes
from stocmv.protocols._protocol import PacBayesPerFold
from stocmv.risks import Binomial, Exact
from stocmv.voters import Stumps
from unproven import Guess as Unproven

RNG = np.random.default_rng(0)
X, y = make_moons(400, noise=0.3, random_state=0)
NOISE = RNG.integers(2, size=400)
TREE = DecisionTreeClassifier(max_depth=3, max_features=1, random_state=0)


def text_of(clf):
    return " ".join(clf.certificate_.assumptions)


class TestKey:
    """Which fold answers where the folds disagree."""

    def test_makes_little_difference_for_continuous_features(self):
        """One tree per fold: few patterns of answers, which the key used to hash, but as many features as examples."""
        clf = quick(TREE, n_folds=3).fit(X, y)
        new, target = make_moons(20_000, noise=0.3, random_state=1)
        errors = []
        for key in range(30):
            clf.key_ = key.to_bytes(16, "little")
            errors.append(np.mean(clf.predict(new) != target))
        assert np.ptp([np.mean(v.codes(new)[:, 0] != target) for v in clf.voters_]) > 0.01  # the folds do differ
        assert np.std(errors) < 0.004

    @pytest.mark.parametrize("as_frame", [False, True])
    def test_is_said_to_be_involved_and_what_it_may_do(self, as_frame):
        clf = quick(n_folds=3).fit(_frame(X) if as_frame else X, y)
        assert "on the average over that key" in text_of(clf)
        assert "at most about 0.60 %" in text_of(clf)  # 4.74 / 400 / 2: no two of 400 have the same features

    def test_may_do_much_where_features_take_few_values(self):
        """Nine different rows: two of them are the same one time in nine, and half the root of that is 16.7 %."""
        few = RNG.integers(3, size=(3000, 2)).astype(float)
        target = (few.sum(1) + RNG.normal(size=3000) > 2).astype(int)
        assert "at most about 16." in text_of(quick(n_folds=3).fit(few, target))

    def test_is_not_mentioned_without_folds(self):
        assert "key" not in text_of(quick(FrozenEstimator(clone(TREE).fit(X[:100], y[:100]))).fit(X[100:], y[100:]))
        assert "key" not in text_of(quick().fit(X, y))

    def test_gives_an_example_the_same_answer_in_every_form(self):
        pytest.importorskip("pandas")
        clf = quick([clone(TREE), GaussianNB()], n_folds=3).fit(X, y)
        np.testing.assert_array_equal(clf.predict(X.tolist()), clf.predict(X))
        named = quick([clone(TREE), GaussianNB()], n_folds=3).fit(_frame(X), y)
        named.key_ = clf.key_
        np.testing.assert_array_equal(named.predict(_frame(X)), clf.predict(X))


def _frame(X):
    return pytest.importorskip("pandas").DataFrame(X, columns=list("ab"))


class TestDrawnVoters:
    """A categorical posterior draws single voters; the classical bounds are on the vote of all of them."""

    @pytest.mark.parametrize("risk", ["second_order", "binomial", "c_bound"])
    @pytest.mark.parametrize("method", ["predict_stochastic", "draw"])
    def test_are_refused_where_they_are_not_certified(self, risk, method):
        clf = quick(risk=risk, bound="seeger").fit(X, y)
        assert not clf.certificate_.covers_drawn
        with pytest.raises(
            ValueError, match=f"{method} is not certified: .* with a PAC-Bayes bound, with risk='exact'"
        ):
            clf.draw() if method == "draw" else clf.predict_stochastic(X)

    @pytest.mark.parametrize("n_folds", [None, 2])
    @pytest.mark.parametrize("method", ["predict_stochastic", "draw"])
    def test_are_refused_unless_the_stochastic_vote_is_asked_for(self, n_folds, method):
        clf = quick(n_folds=n_folds, voting="hard").fit(X, y)
        with pytest.raises(ValueError, match=f"{method} is not certified: fit with stochastic=True"):
            clf.draw() if method == "draw" else clf.predict_stochastic(X)

    @pytest.mark.parametrize(
        ("risk", "posterior", "bound"),
        [
            ("first_order", "auto", "seeger"),
            ("second_order", "dirichlet", "seeger"),
            ("second_order", "auto", "auto"),
            ("c_bound", "auto", "fold_test"),
        ],
    )
    def test_are_drawn_where_they_are(self, risk, posterior, bound):
        clf = quick(risk=risk, posterior=posterior, bound=bound, stochastic=True).fit(X, y)
        assert clf.certificate_.covers_drawn
        assert clf.predict_stochastic(X, 0).shape == y.shape
        assert clf.draw(0).predict(X).shape == y.shape


NESTED = {
    "voting": lambda t: VotingClassifier([("a", FrozenEstimator(t)), ("b", FrozenEstimator(t))]),
    "bagging": lambda t: BaggingClassifier(FrozenEstimator(t)),
    "mixed": lambda t: [FrozenEstimator(t), GaussianNB()],
    "calibrated": lambda t: CalibratedClassifierCV(FrozenEstimator(t)),
    "calibrated in a list": lambda t: [GaussianNB(), CalibratedClassifierCV(FrozenEstimator(t))],
    "pipeline": lambda t: make_pipeline(StandardScaler(), FrozenEstimator(t)),
    "frozen scaler": lambda t: make_pipeline(FrozenEstimator(StandardScaler().fit(X)), RandomForestClassifier(3)),
    "deep": lambda t: VotingClassifier([("a", make_pipeline(StandardScaler(), NESTED["calibrated"](t)))]),
}


class TestFrozen:
    @pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["no", "yes"])], ids=["numbers", "strings"])
    @pytest.mark.parametrize("how", NESTED)
    def test_parts_at_any_depth_are_said_to_have_seen_nothing(self, how, labels):
        tree = DecisionTreeClassifier().fit(X, labels[NOISE])  # overfits the noise it is judged on
        clf = quick(NESTED[how](tree)).fit(X, labels[NOISE])
        assert "none of these examples helped to train or choose" in text_of(clf)
        assert clf.certificate_.verify(clf.evidence_)
        assert set(clf.predict(X)) <= set(labels)

    @pytest.mark.parametrize("how", ["voting", "bagging"])
    def test_voters_do_not_learn_where_all_are_frozen(self, how):
        voters = NESTED[how](clone(TREE).fit(X[:200], y[:200]))
        assert quick(voters, inner_folds=0).fit(X[200:], y[200:]).certificate_.fold_sizes == (200,)
        assert quick(voters, bound="seeger").fit(X[200:], y[200:]).certificate_.fold_sizes == (200,)

    def test_only_what_is_wrapped(self):
        """Fitted in one cell, handed over in the next: they are trained anew, as everywhere in scikit-learn."""
        fitted = [DecisionTreeClassifier().fit(X, NOISE), RandomForestClassifier(5).fit(X, NOISE)]
        clf = quick(fitted).fit(X, NOISE)
        assert clf.certificate_.fold_sizes == (133,)
        assert clf.certificate_.empirical_risk > 0.35
        assert "none of these examples" not in text_of(clf)

    def test_a_frozen_list_is_cloned_as_it_is(self):
        voters = [FrozenEstimator(classifier.fit(X[:200], y[:200])) for classifier in (clone(TREE), GaussianNB())]
        ours, theirs = (quick(voters).fit(X[200:], y[200:]) for _ in range(2))
        copy = clone(ours).fit(X[200:], y[200:])
        assert copy.certificate_ == ours.certificate_ == theirs.certificate_


class TestNested:
    """Preprocessing that learns is fitted fold by fold, and the trees still vote."""

    def test_a_pipeline_that_ends_in_a_forest(self):
        clf = quick(make_pipeline(StandardScaler(), RandomForestClassifier(7)), n_folds=3, voting="hard").fit(X, y)
        means = [voters.transformer[0].mean_ for voters in clf.voters_]
        assert [voters.n_voters for voters in clf.voters_] == [7, 7, 7]
        assert len({tuple(mean) for mean in means}) == 3
        assert all(not np.allclose(mean, X.mean(0), rtol=1e-12) for mean in means)
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize("as_columns", [False, True])
    def test_strings_in_frames(self, as_columns):
        frame = _frame(X).assign(word=np.where(y == 1, "up", "down"))
        encoder = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["word"] if as_columns else [2]), remainder="passthrough"
        )
        forest = make_pipeline(encoder, RandomForestClassifier(5))
        tree = make_pipeline(encoder, DecisionTreeClassifier())
        kinds = [forest, VotingClassifier([("a", tree), ("b", clone(tree))]), [tree, clone(forest)]]
        kinds += [] if as_columns else [BaggingClassifier(tree, 3)]  # bagging hands its members arrays
        for voters in kinds:
            clf = quick(voters).fit(frame, y)
            assert clf.score(frame, y) > 0.95
            assert clf.certificate_.verify(clf.evidence_)

    def test_texts(self):
        texts = [f"a {'good' if label else 'bad'} day {k % 7}" for k, label in enumerate(y)]
        clf = quick(make_pipeline(CountVectorizer(), RandomForestClassifier(5))).fit(texts, y)
        assert clf.score(texts, y) > 0.95
        np.testing.assert_array_equal(clf.predict(texts[:5]), clf.predict(texts)[:5])


def test_stumps_know_the_classes_of_the_other_folds_only():
    target = np.array(["in", "out"])[y].astype(object)
    target[17] = "once"
    clf = quick(Stumps(3), n_folds=3).fit(X, target.astype(str))
    once = list(clf.classes_).index("once")
    ignorant = [once not in voters.codes(X) for voters in clf.voters_]
    judging = [bool(np.any(fold.truth == once)) for fold in clf.evidence_.folds()]
    assert ignorant == judging
    assert sum(judging) == 1


def test_rules_say_that_the_classes_were_known():
    assert "set of classes was known before" in text_of(quick(Stumps(3, ranges=[[-2, -2], [3, 3]])).fit(X, y))
    assert "set of classes" not in text_of(quick("stumps").fit(X, y))


@pytest.mark.parametrize("risk", ["first_order", "second_order", "binomial", "c_bound"])
def test_bounds_on_each_class_are_refused_where_there_are_none(risk):
    with pytest.raises(ValueError, match="per_class=True needs a Dirichlet posterior, got 'categorical'"):
        quick(risk=risk, per_class=True, bound="seeger").fit(X, y)
    assert len(quick(risk=risk, per_class=True).fit(X, y).certificate_.per_class) == 2


class HalfProven(Exact):
    name = "half_proven"
    proven = False


class TestProven:
    def test_a_part_that_is_not_makes_no_certificate(self):
        clf = quick(risk=HalfProven(), bound="seeger").fit(X, y)
        assert not clf.certificate_.proven
        for text in (str(clf.certificate_), clf.certificate_.statement(), unescape(clf.certificate_._repr_html_())):
            assert "Not a certificate" in text
            assert "the risk 'half_proven'" in text
            assert "With probability" not in text

    def test_a_risk_that_only_teaches_the_weights_may_be_anything(self):
        for n_folds in (None, 3):
            certificate = quick("stumps", risk=HalfProven(), n_folds=n_folds).fit(X, y).certificate_
            assert certificate.proven
            assert "half_proven" in certificate.context["weights"]

    def test_voters_that_depend_on_their_judges_make_none(self):
        certificate = quick(Stumps(3, ranges="training")).fit(X, y).certificate_
        assert certificate.unproven == ("the voters",)
        assert certificate.statement().startswith("Not a certificate")

    def test_every_part_is_named(self):
        certificate = quick(
            Stumps(3, ranges="training"), risk=HalfProven(), bound=Unproven(), n_folds=2, prior=1.0
        ).fit(X, y).certificate_  # fmt: skip
        assert len(certificate.unproven) == 3


def rows_of(certificate):
    """Names of the lines in the first table."""
    return [row.name for row in certificate.tables()[0].rows]


class TestOneVoter:
    """One voter has one vote and one figure."""

    def test_that_is_frozen_has_clopper_and_pearsons(self):
        tree = clone(TREE).fit(X[:100], y[:100])
        clf = quick(FrozenEstimator(tree), per_class=True).fit(X[100:], y[100:])
        wrong = tree.predict(X[100:]) != y[100:]
        assert clf.certificate_.bound == clopper_pearson(int(wrong.sum()), 300, 0.05)
        assert clf.certificate_.stochastic_bound is None
        assert clf.certificate_.covers_drawn
        for k, entry in enumerate(clf.certificate_.per_class):
            mine = wrong[y[100:] == k]
            assert entry["bound"] == clopper_pearson(int(mine.sum()), len(mine), 0.025)
            assert "stochastic_bound" not in entry
        assert rows_of(clf.certificate_) == ["predict", "always answering 1"]
        assert clf.certificate_.verify(clf.evidence_)
        np.testing.assert_array_equal(clf.predict(X), tree.predict(X))
        np.testing.assert_array_equal(clf.predict_stochastic(X, 0), tree.predict(X))

    @pytest.mark.parametrize("voters", [TREE, HistGradientBoostingClassifier(max_iter=5)], ids=["tree", "boosting"])
    def test_of_each_fold_pays_for_nothing_but_confidence(self, voters):
        certificate = quick(voters, bound="seeger").fit(X, y).certificate_
        theirs = BOUNDS["seeger"].upper(certificate.empirical_risk, 0.0, certificate.fold_sizes, 0.05).value
        assert certificate.bound == certificate.stochastic_bound == theirs
        assert [name for name in rows_of(certificate) if "always" not in name] == ["predict"]

    def test_may_have_a_bound_by_name(self):
        tree = FrozenEstimator(clone(TREE).fit(X[:100], y[:100]))
        seeger = quick(tree, bound="seeger").fit(X[100:], y[100:]).certificate_
        assert quick(tree).fit(X[100:], y[100:]).certificate_.bound < seeger.bound == seeger.stochastic_bound


class TestLogitNormal:
    def test_predict_is_what_is_certified(self):
        """The class that most of the fixed votes answer; these are 2,000, as the certificate's bound pays for."""
        posterior = LogitNormal(RNG.normal(size=5), np.full(5, 0.8))
        codes = RNG.integers(3, size=(40, 5)).astype(np.uint8)
        votes = posterior.fixed_votes()
        answers = np.array([[np.bincount(row, weights, 3).argmax() for weights in votes] for row in codes])
        theirs = [np.bincount(row, minlength=3).argmax() for row in answers]
        np.testing.assert_array_equal(mean_vote(posterior, codes, 3), theirs)
        assert len(votes) == 2000

    def test_its_bound_is_more_than_twice_that_of_the_drawn_vote(self):
        clf = quick(risk="mc", posterior="logit_normal", bound="seeger").fit(X, y)
        assert clf.certificate_.bound > min(2 * clf.certificate_.stochastic_bound, 0.999)

    @pytest.mark.parametrize("bound", ["auto", "fold_test", "clopper_pearson"])
    def test_needs_a_bound_that_pays_for_learning(self, bound):
        with pytest.raises(ValueError, match="need a Dirichlet or categorical posterior, got 'logit_normal'"):
            quick(risk="mc", posterior="logit_normal", bound=bound).fit(X, y)


@pytest.mark.parametrize("concentration", [1e-6, 1e-3, 0.003, 1.0, 1e3])
def test_equal_voters_win_equally_often_however_small_their_concentrations(concentration):
    codes = np.tile(np.array([[0, 1, 2]], np.uint8), (20_000, 1))
    answers = drawn_answers(Dirichlet(np.full(3, concentration)), codes, 3, np.random.default_rng(0))
    assert np.abs(np.bincount(answers, minlength=3) / 20_000 - 1 / 3).max() < 0.015


def test_the_kind_of_a_bound_does_not_depend_on_what_voters_can_tell():
    told, silent = FoldVote(None, HARD, None, Guess(np.array([9.0]), np.array([98.0])), None, 98), FoldVote(*[None] * 6)
    for votes in ([told, silent, told], [silent] * 3):
        bound = PacBayesPerFold(3).bound_for(votes, (100, 100, 100), 0.05)
        assert isinstance(bound, CatoniPerFold)
        assert len(bound.c) == 3
    given = CatoniPerFold((1.0, 2.0, 3.0))
    assert PacBayes(3, given).bound_for([told] * 3, (100, 100, 100), 0.05) is given


def test_a_binomial_bound_of_many_good_voters_is_on_their_vote():
    """The case of the issue: 25 voters that err on 15 % each, hardly ever together."""
    labels = RNG.integers(2, size=2000)
    answers = np.where(RNG.random((2000, 25)) < 0.15, 1 - labels[:, None], labels[:, None])
    posts = Stumps(1, ranges=[np.full(25, 0.0), np.full(25, 1.0)])  # a threshold at one half: the column itself
    clf = quick(posts, risk=Binomial(), bound="seeger").fit(answers.astype(float), labels)
    assert np.mean(clf.predict(answers.astype(float)) != labels) <= clf.certificate_.bound
    with pytest.raises(ValueError, match="predict_stochastic is not certified"):
        clf.predict_stochastic(answers.astype(float))


def test_settings_that_name_a_class_mean_that_class():
    """Voters learn labels, not codes: a weight for the label 1 is not one for the second class."""
    labels = y + 1
    heavy = LogisticRegression(class_weight={1: 50, 2: 1})
    ours = quick([heavy, clone(heavy)], voting="hard").fit(X, labels)
    assert np.mean(ours.predict(X) == 1) == pytest.approx(np.mean(heavy.fit(X, labels).predict(X) == 1), abs=0.05)
    forest = RandomForestClassifier(10, class_weight={"no": 50, "yes": 1}, max_depth=2)
    assert np.mean(quick(forest).fit(X, np.array(["no", "yes"])[y]).predict(X) == "no") > 0.7


def test_a_drawn_vote_knows_its_columns():
    drawn = quick(stochastic=True).fit(_frame(X), y).draw(0)
    with pytest.raises(ValueError, match="feature names"):
        drawn.predict(_frame(X)[["b", "a"]])


def test_frozen_voters_stay_as_they_were_certified():
    tree = clone(TREE).fit(X[:200], y[:200])
    clf = quick([FrozenEstimator(tree), FrozenEstimator(GaussianNB().fit(X[:200], y[:200]))]).fit(X[200:], y[200:])
    mixed = quick([FrozenEstimator(tree), GaussianNB()]).fit(X[200:], y[200:])
    before = clf.predict(X), mixed.predict(X)
    tree.fit(X[:200], 1 - y[:200])
    np.testing.assert_array_equal(clf.predict(X), before[0])
    np.testing.assert_array_equal(mixed.predict(X), before[1])


def test_voters_of_several_folds_are_not_called_one():
    paid = quick(TREE, bound="seeger").fit(X, y).certificate_
    assert paid.certified == "the error of the voter of a drawn fold"
    certificate = quick(TREE, n_folds=3).fit(X, y).certificate_
    assert "each example is given to one fold, then its voter answers" in str(certificate)
