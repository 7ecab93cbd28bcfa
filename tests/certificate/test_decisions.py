"""Precision of each class, and mean cost."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import confusion_matrix, precision_score
from sklearn.tree import DecisionTreeClassifier

from certificate.forging import changed, content_of, folds_of, is_issued, reasons, recomputed, sealed
from certificate.made import certificate, costs_of, judging
from stocmv import Certificate, MajorityVoteClassifier, learn
from stocmv.bounds import FoldTest, bentkus, clopper_pearson
from stocmv.certificate import Costs, amount, certify_tested, check_cost, percent_down
from stocmv.certificate._decisions import _mixed
from stocmv.posteriors import Dirichlet
from stocmv.votes import PartitionedVotes
from validity.trials import most_violations

COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.5, 1.0], [3.0, 2.0, 0.0]])
GROUPS = np.arange(600) // 3


def examples(n_classes=3, seed=0):
    settings = {"n_informative": 4, "n_clusters_per_class": 1, "flip_y": 0.15, "n_classes": n_classes}
    return make_classification(600, 8, random_state=seed, **settings)


def fitted(n_classes=3, groups=None, cost=COSTS, **settings):
    clf = MajorityVoteClassifier(RandomForestClassifier(7, max_depth=4), per_class=True, random_state=0, cost=cost)
    return clf.set_params(**settings).fit(*examples(n_classes), groups=groups)


@pytest.fixture(scope="module")
def frozen():
    X, y = examples()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(*examples(seed=0))
    clf = MajorityVoteClassifier(FrozenEstimator(tree), per_class=True, cost=COSTS).fit(X, y)
    return clf, y, tree.predict(X)


class TestOnePart:
    def test_precision_is_clopper_and_pearsons_bound_given_the_answers(self, frozen):
        clf, y, answers = frozen
        measured = precision_score(y, answers, average=None)
        for c, entry in enumerate(clf.certificate_.precisions):
            n, wrong = int(np.sum(answers == c)), int(np.sum((answers == c) & (y != c)))
            assert (entry["label"], entry["n"]) == (c, n)
            assert entry["measured"] == pytest.approx(measured[c], rel=1e-12)
            assert entry["bound"] == pytest.approx(1 - clopper_pearson(wrong, n, 0.05 / 3), rel=1e-12)

    def test_cost_is_bentkus_bound_of_the_scaled_costs(self, frozen):
        clf, y, answers = frozen
        mean = (confusion_matrix(y, answers) * COSTS).sum() / len(y)
        assert clf.certificate_.cost["measured"] == pytest.approx(mean, rel=1e-9)
        assert clf.certificate_.cost_bound == pytest.approx(4 * bentkus(mean / 4, len(y), 0.05), rel=1e-9)

    @pytest.mark.parametrize("settings", [{}, {"n_folds": 3}])
    def test_a_cost_of_one_for_every_error_is_the_error(self, settings):
        clf = fitted(cost=7 * (1 - np.eye(3)) - 2, **settings)
        assert clf.certificate_.cost_bound == pytest.approx(7 * clf.certificate_.bound - 2, rel=1e-9)
        assert clf.certificate_.cost["measured"] == pytest.approx(7 * clf.certificate_.empirical_risk - 2, rel=1e-9)

    @pytest.mark.parametrize("settings", [{}, {"n_folds": 3}])
    @pytest.mark.parametrize("least", [1e9, -1e9])
    def test_costs_far_from_zero_hold(self, least, settings):
        """The figures lose digits beside the least cost, and verify allows for it."""
        clf = fitted(cost=COSTS + least, **settings)
        assert clf.certificate_.verify(clf.votes_), clf.certificate_.verify(clf.votes_).differences
        lowered = {**clf.certificate_.cost, "bound": clf.certificate_.cost_bound - 1e-3}
        assert not replace(clf.certificate_, cost=lowered).verify(clf.votes_)

    def test_answers_that_are_never_given_have_no_precision(self):
        X, y = examples()
        clf = MajorityVoteClassifier(FrozenEstimator(Constant().fit(X, y)), per_class=True).fit(X, y)
        assert [entry["n"] for entry in clf.certificate_.precisions] == [0, 600, 0]
        assert clf.certificate_.precision[[0, 2]].tolist() == [0, 0]
        ((_, _, lines),) = clf.certificate_.decisions()
        assert [bool(measured) for *_, measured in lines] == [False, True, False]
        assert clf.certificate_.verify(clf.votes_)


class Constant(DecisionTreeClassifier):
    def predict(self, X):
        return np.ones(len(X), int)


class Always(Constant):
    def predict(self, X):
        return np.full(len(X), "a")


class TestFolds:
    def test_a_lower_bound_near_what_was_measured(self):
        certificate = fitted(n_folds=3).certificate_
        for entry in certificate.precisions:
            assert entry["measured"] - 0.2 < entry["bound"] < entry["measured"]
        assert certificate.cost["measured"] < certificate.cost_bound < certificate.cost["measured"] + 0.5

    def test_holds_for_all_weights_that_the_folds_may_have(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            n = int(rng.integers(2, 5))
            test = FoldTest.choose(rng.random(n) / 3, [40] * n, 0.02)
            risks, shares = rng.random(n) / 2, rng.dirichlet(np.ones(n) * 9)
            low = rng.random(n) * 0.2
            intervals = np.stack([low, low + 0.1], axis=1)
            ours = _mixed(test, risks, np.full(n, 40), shares, intervals)
            alpha = rng.uniform(*intervals.T, (4000, n))
            ends = intervals[np.arange(n), rng.integers(0, 2, (4000, n))]
            weights = shares * np.concatenate([alpha, ends])
            weights /= weights.sum(1, keepdims=True)
            values = weights @ (np.array(test.slope) * risks + test.offset) + n * (weights * test.scale).max(1)
            assert min(values.max(), 1.0) <= ours <= min(values.max(), 1.0) + 1e-6

    def test_a_fold_without_answers_may_be_wrong_with_all_it_would_give(self):
        test = FoldTest.choose([0.1, 0.1], [50, 1], 0.02)
        intervals = np.array([[0.4, 0.6], [0.0, 0.1]])
        ours = _mixed(test, np.array([0.1, 1.0]), np.array([50, 0]), np.array([0.5, 0.5]), intervals)
        base, scale = test.slope[0] * 0.1 + test.offset[0], test.scale[0]
        assert ours == pytest.approx((0.4 * (base + 2 * scale) + 0.1) / 0.5, rel=1e-9)


class TestGroups:
    def test_a_group_counts_once(self):
        clf = fitted(groups=GROUPS)
        (votes,), (posterior,) = clf.votes_, clf.posterior_
        answers, _ = votes.possible_answers(posterior.mean)
        for c, entry in enumerate(clf.certificate_.precisions):
            rows = answers == c
            per_group = [np.mean(votes.targets[rows & (votes.groups == g)] == c) for g in np.unique(votes.groups[rows])]
            assert entry["n"] == len(per_group)
            assert entry["measured"] == pytest.approx(np.mean(per_group), rel=1e-9)
            assert entry["bound"] == pytest.approx(
                1 - bentkus(1 - np.mean(per_group), len(per_group), 0.05 / 3), rel=1e-6
            )

    def test_with_folds_precision_is_left_out_with_the_reason(self):
        certificate = fitted(groups=GROUPS, n_folds=3).certificate_
        assert certificate.precisions == ()
        assert certificate.cost_bound > certificate.cost["measured"]
        assert "Precision is not certified for groups with folds" in str(certificate)


def test_parts_of_the_votes_give_the_same():
    for grouped in (False, True):
        votes = judging("three_classes", grouped)[0]
        cost = Costs(votes.classes.tolist(), costs_of(3))
        posterior = Dirichlet(np.linspace(1, 2, votes.n_voters))
        parts = PartitionedVotes([votes.take(np.arange(votes.n_rows) % 3 == k) for k in range(3)])
        ours, theirs = (certify_tested([v], [posterior], 0.05, per_class=True, cost=cost) for v in (votes, parts))
        assert ours.precisions == theirs.precisions
        assert ours.cost["bound"] == pytest.approx(theirs.cost["bound"], rel=1e-12)
        assert ours.per_class[0]["bound"] == pytest.approx(theirs.per_class[0]["bound"], rel=1e-12)


class TestAttributes:
    def test_two_classes_have_false_positive_and_negative_rates(self):
        certificate = fitted(2, cost=[[0, 1], [5, 0]]).certificate_
        negative, positive = certificate.per_class
        assert certificate.false_positive_rate == negative["bound"]
        assert certificate.false_negative_rate == positive["bound"]
        assert certificate.recall == pytest.approx([1 - negative["bound"], 1 - positive["bound"]])
        assert "the error on class 0 is the false positive rate" in str(certificate)

    def test_what_was_not_asked_for_is_not_there(self):
        certificate = fitted(cost=None, per_class=False).certificate_
        assert (certificate.cost, certificate.precisions, certificate.cost_bound) == ({}, (), None)
        assert certificate.recall.shape == certificate.precision.shape == (0,)
        assert certificate.false_positive_rate is None
        assert fitted().certificate_.false_negative_rate is None

    def test_shares_of_delta(self):
        claims = {(c.name, c.pays_for): c for c in fitted(n_folds=2).certificate_.claims}
        assert claims["cost", "bound"].delta == 0.05
        assert claims["precision", "bound"].delta == pytest.approx(0.05 * 0.9 / 3)
        ends = claims["precision", "shares of the folds"]
        assert (ends.delta, ends.among) == (pytest.approx(0.005 / 12), {"classes": 3, "folds": 2, "sides": 2})

    def test_come_back_from_the_file(self, tmp_path):
        ours = fitted().certificate_
        ours.to_json(tmp_path / "certificate.json")
        again = Certificate.from_json(tmp_path / "certificate.json")
        assert (again.precisions, again.cost) == (ours.precisions, ours.cost)

    def test_in_print(self):
        text = str(certificate := fitted().certificate_)
        first = certificate.precisions[0]
        assert "right among the answers of predict" in text
        assert f"class 0 ({first['n']} answers)" in text
        assert percent_down(first["bound"]) in text
        assert amount(certificate.cost_bound) in text
        assert "right among the answers" in certificate._repr_html_()


@pytest.mark.parametrize(("value", "shown"), [(0.98765, "98.76 %"), (0.5, "50.00 %"), (-1e-17, "0.00 %")])
def test_lower_bounds_are_rounded_down(value, shown):
    assert percent_down(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.23401, "1.235"), (12345.6, "12350"), (0.0, "0"), (-1.23456, "-1.234"), (0.000123401, "0.0001235")],
)
def test_costs_are_rounded_up(value, shown):
    assert amount(value) == shown


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

    def test_of_a_class_that_was_not_drawn_still_count(self):
        """A rare error that costs fifty: without the whole matrix, samples that miss it promise too little."""
        costs = {"a": {"b": 1, "c": 1}, "b": {"a": 1, "c": 1}, "c": {"a": 50, "b": 50}}
        shares, n, too_low = {"a": 0.94, "b": 0.05, "c": 0.01}, 90, 0
        truth = shares["b"] + 50 * shares["c"]
        for seed in range(43):
            y = np.random.default_rng(seed).choice(list(shares), n, p=list(shares.values()))
            X = np.arange(n, dtype=float)[:, None]
            clf = MajorityVoteClassifier(FrozenEstimator(Always().fit(X, y)), cost=costs, delta=0.1).fit(X, y)
            measured = np.mean(y == "b") + 50 * np.mean(y == "c")
            assert clf.certificate_.cost["measured"] == pytest.approx(measured, rel=1e-9)
            assert clf.certificate_.cost_bound == pytest.approx(50 * bentkus(measured / 50, n, 0.1), rel=1e-9)
            too_low += clf.certificate_.cost_bound < truth
        assert too_low <= most_violations(43, 0.1)
        assert clf.certificate_.verify(clf.votes_)
        assert "for all classes that can occur" in str(clf.certificate_)

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

    def test_are_checked_before_anything_is_trained(self):
        with pytest.raises(ValueError, match="a row and a column for each of the 3 classes"):
            fitted(cost=[[0, 1], [1, 0]], voters=RandomForestClassifier(10**9))

    def test_need_a_vote_that_is_only_tested(self):
        with pytest.raises(ValueError, match="cost needs a vote that is only tested, not bound='seeger'"):
            fitted(bound="seeger")
        assert fitted(bound="seeger", cost=None).certificate_.precisions == ()

    def test_need_labels(self):
        votes = judging("noisy")[0].errors_only()
        with pytest.raises(ValueError, match="needs votes made from labels"):
            votes.possible_answers(np.ones(votes.n_voters) / votes.n_voters)
        assert learn(votes, prior=1.0).certificate.cost == {}


FORGED = {
    "a higher precision": (("precisions", 0, "bound"), lambda x: x + 0.01, "precision of 0, bound on the errors"),
    "a higher measured one": (
        ("precisions", 0, "measured"),
        lambda x: min(x + 0.01, 1.0),
        "precision of 0, errors measured",
    ),
    "more answers": (("precisions", 1, "n"), lambda x: x + 1, "precision of 1, answers"),
    "one class left out": (("precisions",), lambda x: x[1:], "classes that have a precision"),
    "none at all": (("precisions",), lambda x: [], "classes that have a precision"),
    "a lower cost": (("cost", "bound"), lambda x: x * 0.99, "cost, bound"),
    "cheaper errors": (("cost", "matrix", 0, 1), lambda x: x * 0.9, "cost"),
    "a cheap wrong answer": (("cost", "matrix", 0, 1), lambda x: 0.0, "a wrong answer costs less than the right one"),
    "a class without costs": (("cost", "classes"), lambda x: [x[0], 77], "classes that have costs"),
    "another cheapest answer": (("cost", "baseline", "label"), lambda x: 1 - x, "cheapest answer"),
    "a dearer answer to all": (("cost", "baseline", "bound"), lambda x: x * 1.1, "cost of one answer, bound"),
    "no matrix": (("cost", "matrix"), lambda x: x[:1], "no matrix"),
    "costs never mentioned": (("cost",), lambda x: {}, "claims"),
}
MADE = {"hold-out": {"name": "noisy"}, "folds": {"name": "three_folds"}, "groups": {"name": "noisy", "grouped": True}}


@pytest.mark.parametrize("forgery", FORGED)
@pytest.mark.parametrize("made", MADE)
def test_no_forgery_holds(made, forgery):
    place, change, reason = FORGED[forgery]
    content = content_of(certificate(bound="test", per_class=True, priced=True, **MADE[made]))
    forged = changed(content, place, change)
    assert reason in reasons(sealed(forged), folds_of(judging(**MADE[made])))


def test_constants_that_are_not_proven_do_not_hold():
    content, votes = (
        content_of(certificate("three_folds", bound="test", per_class=True, priced=True)),
        judging("three_folds"),
    )
    for place, what in ((("precisions", 0), "precision of 0, scale of fold"), (("cost",), "cost, scale of fold")):
        cheaper = changed(content, (*place, "bound_settings", "offset"), lambda x: [0.0] * len(x))
        assert what in reasons(sealed(recomputed(cheaper, folds_of(votes))), folds_of(votes))
    uneven = changed(content, ("cost", "bound_settings", "scale"), lambda x: [9.0, *x[1:]])
    assert "cost, shares of the folds" in reasons(sealed(recomputed(uneven, folds_of(votes))), folds_of(votes))


def test_other_costs_computed_anew_are_another_certificate():
    content, votes = content_of(certificate("noisy", bound="test", per_class=True, priced=True)), judging("noisy")
    forged = recomputed(changed(content, ("cost", "matrix", 0, 1), lambda x: x * 2), folds_of(votes))
    assert forged["cost"]["bound"] != content["cost"]["bound"]
    assert is_issued(forged, votes)
    assert not reasons(sealed(forged), folds_of(votes))
