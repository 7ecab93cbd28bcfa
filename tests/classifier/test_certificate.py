"""The certificate of a fit: checked again, honest about what it assumes, from voters that did not see their judges."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import (
    KINDS_AND_CLASSES,
    VOTERS,
    Rules,
    data,
    fold_answers,
    numbered,
    quick,
    sample,
    spy,
)
from stocmv import Certificate, MajorityVoteClassifier, VoteMatrix, certify
from stocmv.bounds import BOUNDS, CatoniPerFold, Seeger
from stocmv.certificate import Guess, PacBayesCertificate, TestedCertificate
from stocmv.posteriors import Dirichlet
from stocmv.protocols import Cut, Recipe
from stocmv.protocols._choices import best_constant
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from stocmv.voters import Ensemble, as_source
from zoo import HARD_RISKS

X, y = data()


PROTOCOLS = {
    "default": {},
    "folds": {"n_folds": 3},
    "seeger": {"bound": "seeger", "prior": 1.0},
}
SOME = ("forest", "list", "classifier", "frozen_pair")  # learn or not, of equal weight or not, one voter or several
CHECKED = [
    *((kind, n_classes, "default") for kind, n_classes in KINDS_AND_CLASSES),
    *((kind, 2 + i % 2, protocol) for i, kind in enumerate(SOME) for protocol in ("folds", "seeger")),
]


@pytest.mark.parametrize(("kind", "n_classes", "protocol"), CHECKED)
def test_holds_when_checked_again(kind, n_classes, protocol, tmp_path):
    X, y = data(n_classes)
    settings = PROTOCOLS[protocol] | {"per_class": True, "stochastic": True, "solver": LBFGS(max_iter=2)}
    clf = quick(VOTERS[kind](n_classes), **settings).fit(X, y)
    certificate, evidence = clf.certificate_, clf.evidence_
    verification = certificate.verify(evidence)
    assert bool(verification) == certificate.proven, str(verification)
    all_judge = protocol != "default" or kind == "frozen_forest"
    assert certificate.n == (len(y) if all_judge else len(y) / 3)
    assert isinstance(certificate, PacBayesCertificate if protocol == "seeger" else TestedCertificate)
    assert 0 <= certificate.empirical_risk <= certificate.bound <= 1
    assert certificate.has_one_voter or certificate.empirical_risk <= certificate.stochastic_bound <= 1
    assert [c["label"] for c in certificate.per_class] == list(range(n_classes))
    certificate.to_json(tmp_path / "certificate.json")
    again = Certificate.from_json(tmp_path / "certificate.json")
    assert again == certificate
    assert bool(again.verify(evidence)) == certificate.proven


@pytest.mark.parametrize("risk", HARD_RISKS)
def test_holds_for_every_risk(risk):
    clf = quick(risk=risk, bound="seeger").fit(X, y)
    assert clf.certificate_.verify(clf.evidence_)
    assert clf.certificate_.risk == risk
    assert clf.certificate_.posterior == clf.posterior_[0].name == RISKS[risk].default_posterior


@pytest.mark.parametrize("risk", HARD_RISKS)
@pytest.mark.parametrize("n_folds", [None, 2])
def test_that_tests_is_on_the_error_whatever_the_weights_were_learned_for(risk, n_folds):
    clf = quick("stumps", risk=risk, n_folds=n_folds, stochastic=True).fit(X, y)
    assert clf.certificate_.verify(clf.evidence_)
    assert clf.certificate_.covers_drawn
    assert clf.posterior_[0].name == RISKS[risk].default_posterior
    assert repr(risk) in clf.certificate_.context["weights"]


@pytest.mark.parametrize("settings", [{}, {"n_folds": 3, "per_class": True, "stochastic": True}], ids=str)
def test_a_tested_one_has_no_votes_weights_or_posteriors(settings, tmp_path):
    """It is about a table; a thousand voters make it no longer than one."""
    sizes = []
    for n_voters in (2, 200):
        clf = quick("answers", prior=1.0, **settings).fit(np.tile(y[:, None], n_voters), y)
        clf.certificate_.to_json(tmp_path / "certificate.json")
        content = json.loads((tmp_path / "certificate.json").read_text())
        assert not names(content) & {"votes", "weights", "alpha", "posterior", "posteriors", "prior", "priors", "kl"}
        content["context"].clear()
        sizes.append(len(json.dumps(content)))
    assert abs(sizes[0] - sizes[1]) < 100  # the numbers may have more or fewer digits


def names(content):
    """All keys of a JSON object, but for those of its context, which says in words how the weights were made."""
    if isinstance(content, list):
        return set().union(*map(names, content))
    if not isinstance(content, dict):
        return set()
    return {*content, *(name for key, value in content.items() if key != "context" for name in names(value))}


@pytest.mark.parametrize("settings", PROTOCOLS.values(), ids=PROTOCOLS)
def test_does_not_hold_for_other_evidence(settings):
    clf, other = (quick(random_state=seed, **settings).fit(X, y) for seed in (0, 1))
    assert clf.certificate_.verify(clf.evidence_)
    assert not clf.certificate_.verify(other.evidence_)


def test_does_not_take_evidence_of_the_other_kind():
    tested, paid = quick().fit(X, y), quick(bound="seeger").fit(X, y)
    with pytest.raises(TypeError, match="evidence must be the judgments of this vote, got list"):
        tested.certificate_.verify(paid.evidence_)
    with pytest.raises(TypeError, match="evidence must be the votes that the weights were learned on"):
        paid.certificate_.verify([tested.evidence_])


def test_records_where_it_comes_from():
    forest = RandomForestClassifier(5, max_depth=3)
    clf = quick(forest, delta=0.1).fit(X, np.array(["no", "yes"])[y])
    context = clf.certificate_.context
    assert context["voters"] == repr(forest)
    assert (context["n_features"], context["classes"], context["random_state"]) == (4, ["no", "yes"], 0)
    assert {"stocmv", "python", "numpy", "scipy", "scikit-learn"} <= set(context["versions"])
    assert clf.certificate_.delta == 0.1
    assert clf.certificate_.proven


def test_the_learning_is_recorded():
    clf = quick(bound="seeger").fit(X, y)
    assert clf.history_.steps[-1].objective == pytest.approx(clf.certificate_.stochastic_bound, abs=1e-6)
    assert {"voters", "votes", "certificate"} == set(clf.timings_)
    assert all(seconds >= 0 for seconds in clf.timings_.values())
    assert [len(p["alpha"]) for p in clf.certificate_.priors] == [p.n_voters for p in clf.posterior_] == [5, 5, 5]


@pytest.mark.parametrize(("kind", "learned"), [("stumps", True), ("list", True), ("forest", False)])
def test_the_learning_of_weights_that_are_tested_is_recorded(kind, learned):
    clf = quick(VOTERS[kind](2), voting="hard").fit(*data(noise=0.2))
    assert (len(clf.history_) > 0) == learned
    assert clf.n_iter_ == len(clf.history_)
    assert {"voters", "votes", "certificate"} == set(clf.timings_)


@pytest.mark.parametrize("settings", [{}, {"n_folds": 2}, {"bound": "seeger", "prior": 1.0}], ids=str)
def test_a_solver_at_its_limit_warns(settings):
    clf = MajorityVoteClassifier("stumps", solver=LBFGS(max_iter=2), random_state=0, **settings)
    with pytest.warns(ConvergenceWarning, match=r"stopped at max_iter=2 .*LBFGS\(max_iter=4\)") as caught:
        clf.fit(X, y)
    assert len(caught) == 1
    assert clf.certificate_.verify(clf.evidence_)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{}, {"bound": "seeger"}, {"voters": "forest", "bound": "seeger"}, {"inner_folds": 0}], ids=str
)
def test_solvers_that_are_meant_to_stop_do_not_warn(settings):
    clf = MajorityVoteClassifier(**{"voters": "stumps", "random_state": 0} | settings).fit(X, y)
    assert (clf.n_iter_ == 0) == ("inner_folds" in settings)


class TestAssumptions:
    def text(self, voters):
        return " ".join(quick(voters).fit(X, y).certificate_.assumptions)

    @pytest.mark.parametrize("kind", VOTERS)
    def test_name_the_other_data_of_frozen_voters_alone(self, kind):
        text = self.text(VOTERS[kind](2))
        assert ("none of these examples" in text) == kind.startswith("frozen")
        assert ("range of the very examples that judge them" in text) == (kind == "stumps_training")

    @pytest.mark.parametrize("kind", ["forest", "stumps_known"])
    @pytest.mark.parametrize("n_folds", [None, 3])
    def test_are_part_of_the_statement(self, kind, n_folds):
        clf = quick(VOTERS[kind](2), n_folds=n_folds).fit(X, y)
        assert all(f"- {assumption}" in str(clf.certificate_) for assumption in clf.certificate_.assumptions)
        folds, judges = (f"without looking at the examples {of}" for of in ("of that fold", "that judge them"))
        assert (folds in str(clf.certificate_)) == (n_folds is not None)
        assert (judges in str(clf.certificate_)) == (n_folds is None)

    def test_of_own_voters_are_added(self):
        class Assuming(Rules):
            assumptions = ("The rules are older than the examples.",)

        assert "The rules are older than the examples." in self.text(Assuming())


class TestFolds:
    """Of the paper's bounds; those of the tests are in tests/protocols."""

    @pytest.mark.parametrize("n_folds", [2, 3, 10])
    def test_voters_never_see_the_examples_that_judge_them(self, n_folds):
        source = spy()
        quick(source, n_folds=n_folds, bound="seeger", prior=50.0, solver=LBFGS(max_iter=0)).fit(*numbered(50))
        assert len(source.made) == n_folds
        for voters in source.made:
            assert not voters.trained & voters.asked[0]
            assert voters.trained | voters.asked[0] == set(range(50))
        assert sorted(i for voters in source.made for i in voters.asked[0]) == list(range(50))

    @pytest.mark.parametrize("settings", [{"n_folds": 2}, {"holdout": 0.5}], ids=["folds", "holdout"])
    def test_are_drawn_at_random_without_a_look_at_the_labels(self, settings):
        shares = []
        X, y = numbered(50)
        for seed in range(15):
            clf = quick(spy(exchangeable=True), random_state=seed, **settings).fit(X, y)
            shares.append(sum(y[i] == "a" for i in clf.voters_[0].asked[0]))
        assert len(set(shares)) > 3  # stratified folds would always hold as many of a class

    def test_voters_that_do_not_learn_are_judged_by_all(self):
        source = spy(learns=False)
        clf = quick(source, bound="seeger", prior=1.0).fit(*numbered(50))
        assert clf.voters_[0].asked == [set(range(50))]
        assert clf.certificate_.fold_sizes == (50,)
        first = np.mean(np.arange(50) % 2 != np.arange(50) % 3 % 2)
        np.testing.assert_allclose(clf.evidence_[0].voter_errors(), [first, 0])

    @pytest.mark.parametrize("bound", ["auto", "seeger"])
    def test_voters_that_do_not_learn_may_have_folds(self, bound):
        clf = quick(VOTERS["frozen_forest"](2), n_folds=4, bound=bound).fit(X, y)
        assert clf.certificate_.fold_sizes == (30,) * 4
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize("settings", PROTOCOLS.values(), ids=PROTOCOLS)
    def test_a_voter_that_memorises_is_not_believed(self, settings):
        """Labels drawn by coin: the nearest neighbour is right on all that it has seen, and on half of the rest."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
        clf = quick([KNeighborsClassifier(1)], **settings).fit(X, y)
        assert 0.4 < clf.certificate_.empirical_risk < 0.6
        assert clf.certificate_.bound > 0.5
        assert clf.score(X, y) > 0.6  # each example is known to two of the three folds


class TestGuess:
    """What the learning part says, for the constants of the fold test."""

    def made(self, kind, X, y):
        voters = VOTERS[kind](3)
        if kind in ("forest", "bagging"):
            voters.set_params(n_estimators=25)  # a third of them has not seen an example
        recipe = Recipe(as_source(voters), np.arange(3), weighs=True, estimates=True, inner_folds=3)
        return recipe.make(X, y, None, seed=0)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", VOTERS)
    def test_are_near_those_on_other_examples(self, kind):
        X, y = sample(3, 0.2)
        made = self.made(kind, X[:300], y[:300])
        votes = VoteMatrix.from_codes(made.voters.codes(X[300:]), y[300:], np.arange(3))
        theirs = votes.vote_errors(made.posterior.mean)
        assert made.guess.overall == pytest.approx(theirs.mean(), abs=0.07)
        by_class = [theirs[y[300:] == k].mean() for k in range(3)]
        few = made.guess.seen.sum() <= 100  # a third judges learned weights: 33 examples of a class
        np.testing.assert_allclose(made.guess.by_class, by_class, rtol=0, atol=0.2 if few else 0.15)

    @pytest.mark.parametrize("kind", ["forest", "bagging"])
    def test_of_bags_count_every_example_that_some_tree_did_not_see(self, kind):
        X, y = data(3)
        made = self.made(kind, X, y)
        answers = made.voters.ensemble.estimators_samples_
        unseen = [i for i in range(len(y)) if any(i not in sample for sample in answers)]
        np.testing.assert_array_equal(made.guess.seen, np.bincount(y[unseen], minlength=3))

    def test_are_never_zero_and_a_class_leans_on_all(self):
        none = Guess(np.zeros(2), np.array([8.0, 0.0]))
        assert none.overall == 1 / 10
        np.testing.assert_allclose(none.by_class, [4 * 0.1 / 12, 0.1])


class TestBound:
    @pytest.mark.parametrize(
        ("settings", "name"),
        [
            ({}, "Clopper and Pearson's bound"),
            ({"stochastic": True}, "Clopper and Pearson's bound; Bentkus's bound for the stochastic vote"),
            ({"cost": [[0, 1], [5, 2]]}, "Clopper and Pearson's bound; Bentkus's bound for the mean cost"),
            ({"n_folds": 2}, "the fold test over 2 folds"),
            ({"bound": "fold_test"}, "the fold test over 3 folds"),
            ({"bound": "catoni_per_fold"}, CatoniPerFold.theorem),
            ({"bound": "catoni_per_fold", "risk": "mc"}, CatoniPerFold.theorem),
            ({"bound": "catoni"}, BOUNDS["catoni"].theorem),
            ({"bound": "mcallester"}, BOUNDS["mcallester"].theorem),
            ({"bound": Seeger()}, BOUNDS["seeger"].theorem),
        ],
    )
    @pytest.mark.parametrize("voters", [RandomForestClassifier(5), "stumps"], ids=["forest", "stumps"])
    def test_is_the_one_that_goes_with_the_protocol_or_that_was_named(self, voters, settings, name):
        clf = quick(voters, solver=LBFGS(max_iter=0), prior=1.0, **settings).fit(X, y)
        assert clf.certificate_.theorem.startswith(name)
        assert f"Proof: {name}" in str(clf.certificate_)

    def test_by_name_is_what_auto_gives(self):
        assert quick(bound="clopper_pearson").fit(X, y).certificate_ == quick().fit(X, y).certificate_
        folds = [quick(bound=bound, n_folds=3).fit(X, y).certificate_ for bound in ("auto", "fold_test")]
        assert folds[0] == folds[1] == quick(bound="fold_test").fit(X, y).certificate_

    def test_constants_per_fold_go_with_the_errors_out_of_the_bag(self):
        X, y = data(n=300, noise=0.2)
        clf = quick(RandomForestClassifier(25), bound="catoni_per_fold").fit(X, y)
        part = Cut.folds(3).parts(300, None, np.random.RandomState(0))
        errors = []
        for k, voters in enumerate(clf.voters_):
            answers = Ensemble(RandomForestClassifier()).out_of_bag(voters, X[part != k])
            known = answers >= 0
            errors.append((np.sum(answers[known] != y[part != k][known]) + 1) / (known.sum() + 2))
        assert len(set(errors)) > 1
        theirs = [best_constant(error, (100, 100, 100), 0.05) for error in errors]
        np.testing.assert_array_equal(clf.certificate_.bound_settings["c"], theirs)


class TestPrior:
    @pytest.mark.parametrize(
        ("kind", "parts"),
        [("forest", {1}), ("list", {2, 4, 8, 16}), ("frozen_forest", {1})],
    )
    def test_grid_is_recorded_where_it_is_paid_for(self, kind, parts):
        clf = quick(VOTERS[kind](2), bound="seeger", solver=LBFGS(max_iter=0))
        assert clf.fit(X, y).certificate_.alternatives in parts
        assert clf.set_params(prior=1.0).fit(X, y).certificate_.alternatives == 1

    def test_grid_is_paid_for(self):
        """What is paid is the same as with a smaller delta from the start."""
        voters = [GaussianNB(), LogisticRegression(), DecisionTreeClassifier()]
        clf = quick(voters, bound="seeger", solver=LBFGS(max_iter=1)).fit(X, y)
        priors = [Dirichlet(prior["alpha"]) for prior in clf.certificate_.priors]
        parts = clf.evidence_, clf.posterior_, priors, RISKS["exact"], BOUNDS["seeger"]
        stricter = 0.05 / clf.certificate_.alternatives
        alone, stricter = (certify(*parts, delta).stochastic_bound for delta in (0.05, stricter))
        assert alone < clf.certificate_.stochastic_bound == pytest.approx(stricter, abs=1e-12)

    def test_grid_is_for_a_dirichlet_alone(self):
        assert quick("stumps", risk="first_order", bound="seeger").fit(X, y).certificate_.alternatives == 1

    def test_may_be_given_for_each_voter(self):
        weights = [1.0, 2.0, 3.0, 4.0, 5.0]
        assert quick(prior=weights, bound="seeger").fit(X, y).certificate_.priors == ({"alpha": weights},) * 3
        tested = quick(prior=weights, voting="hard").fit(X, y)
        np.testing.assert_array_equal(tested.posterior_[0].alpha, weights)
        assert tested.certificate_.context["weights"] == "given by the prior"


@pytest.mark.parametrize("kind", ["forest", "list", "classifier", "networks"])
def test_errors_are_near_those_on_new_examples(kind):
    """Not a proof, but a mistake in the bookkeeping of folds or classes would be seen."""
    X, y = data(3, n=300)
    clf = quick(VOTERS[kind](3), solver=LBFGS(max_iter=3), n_folds=3, stochastic=True).fit(X, y)
    X_new, y_new = data(3, n=300, start=300)
    theirs = (clf.classes_[fold_answers(clf, X_new)] != y_new).mean()
    drawn = (clf.predict_stochastic(X_new, 0) != y_new).mean()
    certificate = clf.certificate_
    drawn_bound = certificate.bound if certificate.has_one_voter else certificate.stochastic_bound
    drawn_risk = certificate.empirical_risk if certificate.has_one_voter else certificate.stochastic_risk
    assert abs(drawn - drawn_risk) < 0.1
    assert abs(theirs - clf.certificate_.empirical_risk) < 0.1
    assert (clf.predict(X_new) != y_new).mean() == pytest.approx(theirs, abs=0.05)
    assert drawn < drawn_bound
    assert theirs < clf.certificate_.bound
