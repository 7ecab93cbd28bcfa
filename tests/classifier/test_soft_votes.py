"""Soft votes: a model is one voter that answers as it does, and a list of models adds up their probabilities."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from stocmv import MajorityVoteClassifier
from stocmv.checks import hash_rows
from stocmv.classifier._plan import choose_voting
from stocmv.persistence import load, load_evidence, save, save_evidence
from stocmv.protocols import ROW_KEY, Cut, HoldOut
from stocmv.voters import STACK, Scores

LINE, BAYES = LogisticRegression(max_iter=500), GaussianNB()
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
MODELS = {
    "forest": RandomForestClassifier(20, random_state=1),
    "boosting": GradientBoostingClassifier(random_state=1, n_estimators=5),
    "boosting, histograms": HistGradientBoostingClassifier(random_state=1, max_iter=10),
    "line": LINE,
    "bagging": BaggingClassifier(LINE, 5, random_state=0),
    "soft vote": VotingClassifier([("a", BAYES), ("b", LINE)], voting="soft", weights=[1, 3]),
    "pipeline": make_pipeline(StandardScaler(), RandomForestClassifier(10, random_state=3)),
    "stack": StackingClassifier([("a", BAYES), ("b", LINE)], cv=2),
}
FEW = VotingClassifier([("a", BAYES), ("b", LINE), ("c", TREE)], weights=[1, 3, 1])


@cache
def examples():
    return make_classification(12_000, 20, n_informative=6, n_classes=3, random_state=0)


X, y = examples()
TRAINING, NEW, JUDGING = slice(0, 1000), slice(1000, 11_000), slice(11_000, None)


def classifier(voters, **settings):
    return MajorityVoteClassifier(voters, **{"random_state": 0} | settings)


@pytest.mark.parametrize("name", MODELS)
class TestOneModel:
    def test_that_is_frozen_answers_as_it_does_to_the_last_bit(self, name):
        model = clone(MODELS[name]).fit(X[TRAINING], y[TRAINING])
        clf = classifier(FrozenEstimator(model)).fit(X[JUDGING], y[JUDGING])
        assert (clf.voters_[0].n_voters, clf.rules_[0].name) == (1, "soft")
        assert clf.certificate_.protocol == {"name": "all", "learning": 0, "judging": 1000}
        np.testing.assert_array_equal(clf.predict(X[NEW]), model.predict(X[NEW]))
        np.testing.assert_array_equal(clf.predict_proba(X[NEW]), model.predict_proba(X[NEW]))
        errors = model.predict(X[JUDGING]) != y[JUDGING]
        assert clf.certificate_.empirical_risk == pytest.approx(errors.mean(), rel=1e-9)
        assert clf.certificate_.verify(clf.evidence_)

    def test_that_is_trained_here_is_the_one_trained_on_the_same_rows(self, name):
        clf = classifier(MODELS[name]).fit(X[TRAINING], y[TRAINING])
        others = Cut.holdout(1 / 3).parts(1000, None, np.random.RandomState(0)) != 0
        model = clone(MODELS[name]).fit(X[TRAINING][others], y[TRAINING][others])
        np.testing.assert_array_equal(clf.predict(X[NEW]), model.predict(X[NEW]))
        np.testing.assert_array_equal(clf.predict_proba(X[NEW]), model.predict_proba(X[NEW]))
        errors = model.predict(X[TRAINING][~others]) != y[TRAINING][~others]
        assert clf.certificate_.empirical_risk == pytest.approx(errors.mean(), rel=1e-9)
        assert clf.certificate_.verify(clf.evidence_)

    def test_says_that_its_voter_answers(self, name):
        clf = classifier(MODELS[name]).fit(X[TRAINING], y[TRAINING])
        assert clf.certificate_.voting == "soft"
        assert "predict: its voter answers." in str(clf.certificate_)


def test_scores_of_the_judgments_are_those_of_the_model():
    model = clone(MODELS["forest"]).fit(X[TRAINING], y[TRAINING])
    clf = classifier(FrozenEstimator(model)).fit(X[JUDGING], y[JUDGING])
    np.testing.assert_array_equal(clf.evidence_.scores, np.minimum(model.predict_proba(X[JUDGING]), 1))


def test_a_hard_vote_of_a_voting_classifier_keeps_its_members_and_their_weights():
    model = clone(FEW).fit(X[TRAINING], y[TRAINING])
    for clf in (
        classifier(FrozenEstimator(model)).fit(X[JUDGING], y[JUDGING]),
        classifier(FEW).fit(X[TRAINING], y[TRAINING]),
    ):
        assert clf.rules_[0].name == clf.certificate_.voting == "hard"
        np.testing.assert_allclose(clf.posterior_[0].mean, [0.2, 0.6, 0.2], rtol=1e-12)
        assert clf.certificate_.context["weights"] == "given with the voters"
    frozen = classifier(FrozenEstimator(model)).fit(X[JUDGING], y[JUDGING])
    np.testing.assert_array_equal(frozen.predict(X[NEW]), model.predict(X[NEW]))


class Tuned(RandomForestClassifier):
    """A forest that answers the last class where that has a fifth of its trees."""

    def predict(self, X):
        shares = self.predict_proba(X)
        return self.classes_[np.where(shares[:, -1] >= 0.2, shares.shape[1] - 1, shares.argmax(1))]


@pytest.mark.parametrize("model", [Tuned(20, random_state=0), make_pipeline(StandardScaler(), Tuned(20))])
def test_a_forest_with_a_predict_of_its_own_is_judged_by_it(model):
    clf = classifier(FrozenEstimator(model.fit(X[TRAINING], y[TRAINING]))).fit(X[JUDGING], y[JUDGING])
    np.testing.assert_array_equal(clf.predict(X[NEW]), model.predict(X[NEW]))
    errors = np.mean(model.predict(X[JUDGING]) != y[JUDGING])
    assert clf.certificate_.empirical_risk == pytest.approx(errors, rel=1e-9)


@pytest.mark.parametrize(
    "stack",
    [
        StackingClassifier([("a", BAYES)]),
        make_pipeline(StandardScaler(), StackingClassifier([("a", BAYES)])),
        GridSearchCV(StackingClassifier([("a", BAYES)]), {"cv": [2]}),
    ],
)
def test_a_stack_is_soft_before_it_says_that_it_has_probabilities(stack):
    assert not hasattr(stack, "predict_proba")
    for voters in (stack, [stack, LINE]):
        _, rule = choose_voting(classifier(voters))
        assert rule.name == "soft"
    assert choose_voting(classifier(StackingClassifier([("a", BAYES)], final_estimator=SVC())))[1].name == "hard"


class TestWhenItIsSoft:
    @pytest.mark.parametrize(
        ("settings", "name", "n_voters"),
        [
            ({}, "soft", 1),
            ({"voting": "soft"}, "soft", 1),
            ({"n_folds": 2}, "soft", 1),
            ({"voting": "hard"}, "hard", 20),
            ({"stochastic": True}, "hard", 20),
            ({"bound": "seeger"}, "hard", 20),
        ],
    )
    def test_a_forest(self, settings, name, n_voters):
        clf = classifier(MODELS["forest"], **settings).fit(X[:300], y[:300])
        assert {rule.name for rule in clf.rules_} == {name}
        assert {voters.n_voters for voters in clf.voters_} == {n_voters}
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize("voters", ["stumps", SVC(), [SVC(), LINE]], ids=["stumps", "SVC", "list"])
    def test_voters_without_probabilities_are_counted(self, voters):
        clf = classifier(voters).fit(X[:300], y[:300])
        assert clf.rules_[0].name == "hard"
        assert "without_probabilities" not in clf.certificate_.context

    def test_a_voter_without_probabilities_is_certain(self):
        clf = classifier([LINE, SVC()], voting="soft").fit(X[:300], y[:300])
        assert clf.certificate_.context["without_probabilities"] == ["SVC"]
        assert "SVC gives no probabilities: its answer counts as certain." in clf.certificate_.notes()
        certain = clf.voters_[0].probabilities(X[NEW])[:, 1]
        np.testing.assert_array_equal(certain, np.eye(3)[clf.voters_[0].codes(X[NEW])[:, 1]])

    @pytest.mark.parametrize(
        ("voters", "settings", "message"),
        [
            (LINE, {"voting": "loud"}, "voting must be 'auto', 'soft' or 'hard', got 'loud'"),
            (LINE, {"voting": None}, "voting must be 'auto', 'soft' or 'hard', got None"),
            (LINE, {"voting": "soft", "bound": "seeger"}, "bound='seeger' and a single model, which has no weights"),
            ([LINE, BAYES], {"voting": "soft", "bound": "seeger", "risk": "half"}, "use risk='soft'"),
            (LINE, {"voting": "hard", "risk": "soft"}, "risk='soft' is for voters that answer with probabilities"),
            (SVC(), {"voting": "soft"}, "voting='soft' needs voters with predict_proba, and none of these has it"),
            ("stumps", {"voting": "soft"}, "voting='soft' needs voters with predict_proba"),
            (
                [LINE, BAYES],
                {"voting": "soft", "stochastic": True, "posterior": "categorical", "risk": "first_order"},
                "with voting='soft' use a Dirichlet posterior",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, voters, settings, message):
        with pytest.raises(ValueError, match=message):
            classifier(voters, **settings).fit(X[:300], y[:300])

    def test_a_gpu_learns_only_from_answers(self):
        with pytest.raises(ValueError, match="voting='soft' and device='cuda': a GPU learns the weights of answers"):
            choose_voting(classifier(LINE, voting="soft", device="cuda"))
        assert choose_voting(classifier(LINE, device="cuda"))[1].name == "hard"


class TestLists:
    @pytest.mark.parametrize("n_folds", [None, 2])
    def test_the_class_with_the_largest_sum_wins(self, n_folds):
        clf = classifier([LINE, BAYES, MODELS["forest"]], n_folds=n_folds).fit(X[TRAINING], y[TRAINING])
        assert "the voters' probabilities are added up with fixed weights" in str(clf.certificate_)
        assert clf.certificate_.context["weights"].startswith("learned for the log loss")
        for rule, voters, posterior in zip(clf.rules_, clf.voters_, clf.posterior_, strict=True):
            sums = np.einsum("j,ijk->ik", posterior.mean, voters.probabilities(X[NEW]))
            np.testing.assert_array_equal(rule.answers(voters, posterior, X[NEW], 3), sums.argmax(1))
        np.testing.assert_array_equal(clf.predict_proba(X[NEW]).argmax(1), clf.predict(X[NEW]))
        np.testing.assert_allclose(clf.predict_proba(X[NEW]).sum(1), 1, rtol=1e-12)
        assert clf.certificate_.verify(clf.evidence_)

    def test_learned_weights_beat_equal_ones(self):
        """One good model among models of noise, which are sure of what they say."""
        poor = [make_pipeline(_columns(k), DecisionTreeClassifier(random_state=k)) for k in range(4)]
        wide = np.column_stack([np.random.default_rng(0).normal(size=(len(X), 4)), X])
        errors = []
        for inner_folds in (0, 3):
            clf = classifier([*poor, LINE], inner_folds=inner_folds).fit(wide[TRAINING], y[TRAINING])
            errors.append(np.mean(clf.predict(wide[NEW]) != y[NEW]))
        assert clf.posterior_[0].mean[-2:].sum() > 0.9  # the good one, and a stack that hears it
        assert errors[1] < errors[0] - 0.05

    def test_a_row_alone_gets_the_scores_that_it_gets_among_others(self):
        clf = classifier([BAYES, MODELS["forest"]]).fit(X[TRAINING], y[TRAINING])
        among = clf.predict_proba(X[NEW][:20])
        np.testing.assert_array_equal(np.vstack([clf.predict_proba(X[NEW][[k]]) for k in range(20)]), among)


def _columns(k):
    return ColumnTransformer([("one", "passthrough", [k])])


class TestStochasticVotes:
    """The stochastic soft vote, tested or with weights that the judges set."""

    @pytest.mark.parametrize("n_classes", [2, 3])
    @pytest.mark.parametrize("settings", [{"stochastic": True}, {"bound": "seeger"}], ids=["tested", "paid"])
    def test_is_certified(self, settings, n_classes, tmp_path):
        some = np.flatnonzero(y < n_classes)[:1500]
        clf = classifier([LINE, BAYES], voting="soft", **settings).fit(X[some], y[some])
        assert {rule.name for rule in clf.rules_} == {"soft"}
        assert clf.certificate_.verify(clf.evidence_)
        new = np.flatnonzero(y < n_classes)[1500:2500]
        drawn = np.mean(clf.predict_stochastic(X[new], random_state=0) != y[new])
        assert drawn < clf.certificate_.stochastic_bound < 0.5
        assert np.mean(clf.predict(X[new]) != y[new]) < clf.certificate_.bound
        assert np.mean(clf.draw(random_state=0).predict(X[new]) != y[new]) < 0.5
        save(clf, tmp_path / "model.skops")
        again = load(tmp_path / "model.skops")
        np.testing.assert_array_equal(again.predict(X[new]), clf.predict(X[new]))
        save_evidence(tmp_path / "evidence.npz", clf.evidence_)
        assert again.certificate_.verify(load_evidence(tmp_path / "evidence.npz"))

    def test_its_loss_is_that_of_drawn_weights(self):
        some = np.flatnonzero(y < 2)[:600]
        clf = classifier([LINE, BAYES], voting="soft", stochastic=True, holdout=HoldOut(0.5)).fit(X[some], y[some])
        posterior, table = clf.posterior_[0], clf.evidence_
        judges = np.flatnonzero(np.isin(hash_rows(X[some], ROW_KEY), table.row))
        weights = posterior.sample(4000, np.random.default_rng(0))
        sums = np.einsum("tj,ijk->tik", weights, clf.voters_[0].probabilities(X[some][judges]))
        wrong = (sums.argmax(2) != y[some][judges]).mean(0)
        order = np.argsort(hash_rows(X[some][judges], ROW_KEY))
        np.testing.assert_allclose(table.loss[np.argsort(table.row)], wrong[order], atol=4.5 * 0.5 / 4000**0.5)


class TestScores:
    def table(self):
        shares = [clone(m).fit(X[TRAINING], y[TRAINING]).predict_proba(X[JUDGING]) for m in (LINE, BAYES)]
        return np.hstack(shares)

    @pytest.mark.parametrize("voters", ["scores", Scores()], ids=["named", "source"])
    def test_a_table_of_probabilities(self, voters):
        table, truth = self.table(), y[JUDGING]
        clf = classifier(voters).fit(table, truth)
        assert (list(clf.voters_[0].names), clf.rules_[0].name) == (["voter 1", "voter 2", STACK], "soft")
        shares = clf.voters_[0].probabilities(table)
        np.testing.assert_allclose(shares[:, :2], table.reshape(-1, 2, 3), rtol=1e-12)  # made to sum to one
        mean = np.tensordot(shares, clf.posterior_[0].mean, (1, 0))
        np.testing.assert_array_equal(clf.predict(table), mean.argmax(1))
        assert clf.certificate_.verify(clf.evidence_)

    def test_digits_that_were_left_out_do_not_matter(self):
        clf = classifier("scores").fit(np.round(self.table(), 4), y[JUDGING])
        np.testing.assert_allclose(clf.predict_proba(self.table()).sum(1), 1, rtol=1e-12)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda t: t[:, :5], "needs a block of 3 columns for each voter, one for each class, and X has 5 columns"),
            (lambda t: t * 2, "X has no probabilities in row 0, block 0"),
            (lambda t: t - 1 / 3, "X has no probabilities in row"),
        ],
        ids=["columns", "sums", "negative"],
    )
    def test_what_is_not_one_is_refused(self, change, message):
        with pytest.raises(ValueError, match=message):
            classifier("scores").fit(change(self.table()), y[JUDGING])


def test_one_model_that_answers_only_when_sure():
    clf = classifier(MODELS["forest"]).fit(X[:3000], y[:3000])
    sure = clf.selective(max_error=0.15)
    answers, (least,) = sure.predict(X[NEW]), sure.certificate_.thresholds
    answered = clf.predict_proba(X[NEW]).max(1) >= least
    np.testing.assert_array_equal(np.array([a is not None for a in answers]), answered)
    np.testing.assert_array_equal(answers[answered].astype(int), clf.predict(X[NEW])[answered])
    assert np.mean(answers[answered] != y[NEW][answered]) < 0.15
    assert sure.certificate_.verify(clf.evidence_)


@pytest.mark.parametrize("voters", [MODELS["forest"], [LINE, BAYES]], ids=["forest", "list"])
def test_saved_and_loaded_it_predicts_the_same_bits(tmp_path, voters):
    clf = classifier(voters, holdout=HoldOut(0.4)).fit(X[TRAINING], y[TRAINING])
    save(clf, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.rules_ == clf.rules_
    np.testing.assert_array_equal(again.predict_proba(X[NEW]), clf.predict_proba(X[NEW]))
    np.testing.assert_array_equal(again.predict(X[NEW]), clf.predict(X[NEW]))
    assert again.certificate_ == clf.certificate_


def test_a_class_that_the_model_does_not_know_has_no_score():
    known = y < 2
    model = clone(LINE).fit(X[TRAINING][known[TRAINING]], y[TRAINING][known[TRAINING]])
    clf = classifier(FrozenEstimator(model)).fit(X[JUDGING], y[JUDGING])
    scores = clf.predict_proba(X[NEW])
    np.testing.assert_array_equal(scores[:, :2], model.predict_proba(X[NEW]))
    assert not scores[:, 2].any()


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}], ids=["hold-out", "folds"])
def test_answers_and_scores_at_once_and_in_blocks(settings, voting, monkeypatch):
    clf = MajorityVoteClassifier(RandomForestClassifier(5), voting=voting, random_state=0, **settings).fit(X, y)
    answers, scores = clf._predict_both(X)
    monkeypatch.setattr("stocmv.protocols._rule._BLOCK", 7)
    assert np.array_equal(answers, clf.predict(X))
    assert np.array_equal(scores, clf.predict_proba(X))
    assert np.array_equal(answers[:1], clf.predict(X[:1]))
