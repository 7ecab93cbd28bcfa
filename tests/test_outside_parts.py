"""A stranger's parts, defined outside of the package, go through everything that ours go through."""

from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV

from stocmv import Certificate, MajorityVoteClassifier, VoteMatrix, learn
from stocmv.bounds import BOUNDS, Bound, CatoniPerFold, Seeger, UpperBound, clopper_pearson
from stocmv.checks import hash_rows
from stocmv.posteriors import POSTERIORS, Dirichlet
from stocmv.protocols import ROW_KEY, Cut, Folds, HoldOut, PacBayes
from stocmv.report import DataSummary, render
from stocmv.risks import RISKS, FirstOrder
from stocmv.solvers import Solver
from stocmv.voters import VoterSet, VoterSource
from stocmv.votes import Curve

X, y = make_moons(300, noise=0.3, random_state=0)


@dataclass(frozen=True)
class Hoeffding(Bound):
    """McAllester's bound with a constant of its own."""

    extra: float = 0.01
    name: ClassVar[str] = "hoeffding"
    theorem: ClassVar[str] = "a stranger's theorem"
    proven: ClassVar[bool] = True

    def price(self, sizes, delta):
        return len(sizes) * float(np.log(2 * np.sqrt(sum(sizes)) / delta))

    def upper(self, risk, kl, sizes, delta):
        n = sum(sizes)
        root = np.sqrt((kl + self.price(sizes, delta)) / (2 * n))
        return UpperBound(risk + root + self.extra, 1.0, 1 / (4 * n * root))

    def settings(self):
        return {"name": self.name, "extra": self.extra}


class ThirdOrder(FirstOrder):
    """Mean cube of the wrong weight of a drawn triple of voters; eight times it bounds the error of the vote."""

    name: ClassVar[str] = "third_order"
    proven: ClassVar[bool] = True
    factor: ClassVar[float] = 8.0
    laws: ClassVar = ("voter",)
    certified: ClassVar[str] = "the error of the weighted vote (at most eight times the mean cube)"

    def covers_drawn(self, law):
        return False

    def kl_count(self, posterior):
        return 3.0

    def curve(self, posterior):
        w = np.linspace(0, 1, 65)
        return Curve.from_nodes(w, w**3, 3 * w**2, -3 * w**3)

    def rows(self, w, posterior):
        return w**3


class Tied(Dirichlet):
    """A Dirichlet whose concentrations all grow and shrink together."""

    name: ClassVar[str] = "tied"
    proven: ClassVar[bool] = True
    deterministic_rule: ClassVar[str] = "the voters vote with equal weights"

    @classmethod
    def from_point(cls, point):
        return cls(np.exp(point[0]) * np.ones(len(point)))

    def nudged(self, weights):
        return None

    def kl(self, prior):
        value, gradient = super().kl(prior)
        first = np.zeros(len(gradient))
        first[0] = gradient.sum()
        return value, first

    def pull(self, d_weights, d_total):
        first = np.zeros(len(d_weights))
        first[0] = super().pull(d_weights, d_total).sum()
        return first


@dataclass(frozen=True)
class RandomSearch(Solver):
    n_tries: int = 20

    def minimise(self, problem, start, rng):
        tried = [start, *(start + rng.normal(size=len(start)) for _ in range(self.n_tries))]
        best = min(tried, key=lambda point: problem(point)[0])
        problem.record("random search", best)
        return best


class Slopes(VoterSource):
    """Lines through the mean of the training examples, at several angles."""

    def __init__(self, n_angles=8):
        self.n_angles = n_angles

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return SlopeVoters(X.mean(0), self.n_angles)


class SlopeVoters(VoterSet):
    def __init__(self, middle, n_angles):
        self.middle, self.n_voters = middle, n_angles

    def codes(self, X):
        angles = np.linspace(-2, 0.5, self.n_voters)
        return ((X - self.middle) @ np.array([np.cos(angles), np.sin(angles)]) > 0).astype(np.uint8)


@dataclass(frozen=True)
class LastRows(Cut):
    """The last rows judge; nothing is drawn."""

    def parts(self, n, groups, rng):
        return (np.arange(n) < n - round(self.shares[0] * n)).astype(int)


@dataclass(frozen=True)
class LastRowsJudge(HoldOut):
    """The rows are in the order in which they were recorded, and the latest ones judge."""

    share: float = 0.25
    assumptions: ClassVar = ("The rows are in random order: nothing changed while they were recorded.",)
    name: ClassVar[str] = "last rows"

    @property
    def cut(self):
        return LastRows((self.share, 1 - self.share), 1)


class BlocksOfRows(Folds):
    """Folds that somebody calls otherwise."""

    name: ClassVar[str] = "blocks"


class PaidBlocks(PacBayes):
    """The same, with weights that are learned on them."""

    name: ClassVar[str] = "blocks"


PARTS = {
    "bound": {"bound": Hoeffding(), "n_folds": 2},
    "risk": {"risk": ThirdOrder(), "bound": "seeger", "n_folds": 2},
    "posterior": {"posterior": Tied, "bound": "seeger", "n_folds": 2},
    "tested posterior": {"posterior": Tied, "n_folds": 2},
    "solver": {"solver": RandomSearch(), "bound": "seeger", "prior": 1.0, "n_folds": 2},
    "voters": {"n_folds": 2},
    "protocol": {"holdout": LastRowsJudge()},
    "all that learn": {"bound": Hoeffding(), "posterior": Tied, "solver": RandomSearch(), "n_folds": 2},
    "all that are tested": {"posterior": Tied, "solver": RandomSearch(), "holdout": LastRowsJudge()},
}
UNKNOWN = ("bound", "risk", "posterior", "all that learn")  # the verifier does not know a part of these certificates


@cache
def fitted(part):
    return MajorityVoteClassifier(Slopes(), random_state=0, **PARTS[part]).fit(X, y)


@pytest.mark.parametrize("part", ["bound", "risk", "posterior", "solver", "all that learn"])
def test_learn_takes_it(part):
    votes = VoteMatrix.from_labels(SlopeVoters(X.mean(0), 8).codes(X), y)
    settings = {name: value for name, value in PARTS[part].items() if name != "n_folds"}
    learned = learn(votes, random_state=0, **{"prior": 1.0, **settings})
    assert 0 < learned.certificate.stochastic_bound <= 1
    assert len(learned.history) >= 1


@pytest.mark.parametrize("part", PARTS)
def test_the_classifier_takes_it(part):
    clf = fitted(part)
    assert clf.score(X, y) > 0.6
    assert clf.predict_proba(X).shape == (len(y), 2)
    assert 0 < clf.certificate_.bound <= 1
    assert "With probability at least 95 %" in clf.certificate_.statement()


@pytest.mark.parametrize("part", PARTS)
def test_its_certificate_survives_its_file(part, tmp_path):
    certificate = fitted(part).certificate_
    certificate.to_json(tmp_path / "certificate.json")
    again = Certificate.from_json(tmp_path / "certificate.json")
    assert again == certificate
    assert str(again) == str(certificate)


@pytest.mark.parametrize("part", PARTS)
def test_the_page_shows_it(part):
    clf = fitted(part)
    page = unescape(render(clf, data=DataSummary("moons", len(y), 2, {"0": 150, "1": 150}, {"numeric": 2}, 0, 0)))
    assert clf.certificate_.theorem.split(",")[0] in page
    assert f"{np.ceil(1e4 * clf.certificate_.bound) / 100:.2f} %" in page


@pytest.mark.parametrize("part", PARTS)
def test_the_verifier_checks_what_it_knows_and_says_what_it_does_not(part):
    clf = fitted(part)
    verification = clf.certificate_.verify(clf.evidence_)
    assert bool(verification) == (part not in UNKNOWN), str(verification)
    if part in UNKNOWN:
        assert "not known here" in str(verification)


@pytest.mark.parametrize("part", [part for part in PARTS if "bound" not in PARTS[part]])
def test_a_vote_that_is_only_tested_may_answer_when_it_is_sure(part):
    """It does not matter where voters, weights and judges come from: the table is all there is."""
    sure = fitted(part).selective(min_coverage=0.3)
    assert sure.certificate_.verify(fitted(part).evidence_)
    assert sure.answers(X).mean() > 0.3
    assert set(fitted(part).certificate_.further_assumptions) <= set(sure.certificate_.assumptions)


def test_the_certificate_names_the_strangers_bound():
    assert fitted("bound").certificate_.theorem.startswith("the bound 'hoeffding', cross-bounded over 2 folds")
    assert fitted("bound").certificate_.bound_settings == {"name": "hoeffding", "extra": 0.01}


class TestProtocol:
    def test_says_who_judges(self):
        clf = fitted("protocol")
        np.testing.assert_array_equal(clf.evidence_.truth, y[225:])
        np.testing.assert_array_equal(clf.evidence_.row, hash_rows(X[225:], ROW_KEY))
        np.testing.assert_array_equal(clf.evidence_.answer, clf.predict(X[225:]))
        np.testing.assert_array_equal(clf.voters_[0].middle, X[:225].mean(0))
        assert clf.certificate_.bound == clopper_pearson(int(clf.evidence_.wrong.sum()), 75, 0.05)

    def test_is_named_and_states_its_assumption(self):
        certificate = fitted("protocol").certificate_
        assert certificate.protocol == {"name": "last rows", "learning": 225, "judging": 75}
        assert "225 examples made the vote; 75 others only judged it." in str(certificate)
        assert certificate.n_used == 300
        assert LastRowsJudge.assumptions[0] in certificate.assumptions
        assert f"- {LastRowsJudge.assumptions[0]}" in str(certificate)

    def test_takes_everything_else_that_a_fit_may_be_asked_for(self):
        settings = {"per_class": True, "stochastic": True, "cost": [[0, 1], [5, 0]]}
        clf = MajorityVoteClassifier(Slopes(), holdout=LastRowsJudge(0.5), random_state=0, **settings).fit(X, y)
        assert {"error", "baseline", "classes", "precision", "cost"} <= clf.certificate_.figures.keys()
        assert clf.certificate_.n == 150
        assert clf.certificate_.verify(clf.evidence_)

    @pytest.mark.parametrize("bound", ["tested", "paid"])
    def test_folds_may_have_a_name_of_their_own(self, bound):
        folds = {"tested": BlocksOfRows(2), "paid": PaidBlocks(2, "seeger")}[bound]
        certificate = MajorityVoteClassifier(Slopes(), holdout=folds, random_state=0).fit(X, y).certificate_
        assert certificate.protocol == {"name": "blocks", "learning": 300, "judging": 300}
        assert certificate.made_and_judged.startswith("All 300 examples ")
        assert "each fold" in certificate.made_and_judged
        assert certificate.n_used == 300

    def test_may_not_let_a_group_judge_the_vote_that_it_trained(self):
        clf = MajorityVoteClassifier(Slopes(), holdout=LastRowsJudge(), random_state=0)
        apart, across = np.arange(300) // 25, np.arange(300) % 50
        assert clf.fit(X, y, groups=apart).certificate_.n == 3
        with pytest.raises(ValueError, match=r"LastRows\.parts splits 50 of 50 groups, .*: give all examples of"):
            clf.fit(X, y, groups=across)

    @pytest.mark.parametrize(
        ("part", "message"),
        [
            ([0, 1], r"Given\.parts must return an integer for each of the 300 examples, got .* of shape \(2,\)"),
            ([0.5] * 300, r"got an array of float64 of shape \(300,\)"),
            ([1] * 300, r"Given\.parts puts no example into part 0, which has to judge"),
        ],
    )
    def test_says_what_is_wrong_with_its_parts(self, part, message):
        class Given(Cut):
            def parts(self, n, groups, rng):
                return part

        class Fixed(LastRowsJudge):
            cut = Given((0.5, 0.5), 1)

        with pytest.raises(ValueError, match=message):
            MajorityVoteClassifier(Slopes(), holdout=Fixed(), random_state=0).fit(X, y)

    def test_is_a_parameter_like_any_other(self):
        clf = MajorityVoteClassifier(Slopes(), holdout=LastRowsJudge(0.5), random_state=0)
        assert clone(clf).holdout == LastRowsJudge(0.5)
        assert "LastRowsJudge(share=0.5" in repr(clf)
        search = GridSearchCV(clf, {"holdout": ["auto", LastRowsJudge(0.2), Folds(2)]}, cv=2).fit(X, y)
        assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))


class Measured(Bound):
    """No bound at all: the empirical risk."""

    name: ClassVar[str] = "measured"
    theorem: ClassVar[str] = "nobody's theorem"

    def price(self, sizes, delta):
        return 0.0

    def upper(self, risk, kl, sizes, delta):
        return UpperBound(risk, 1.0, 0.0)

    def settings(self):
        return {"name": self.name}


class OwnSeeger(Seeger):
    """What is proven of Seeger's bound need not be true of a class that changes it."""


class OwnRisk(FirstOrder):
    factor: ClassVar[float] = 1.0


class OwnPosterior(Dirichlet):
    name: ClassVar[str] = "own"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"bound": Measured()}, "the bound 'measured'"),
        ({"bound": OwnSeeger()}, "the bound 'seeger'"),
        ({"risk": OwnRisk(), "bound": "seeger", "posterior": "categorical"}, "the risk 'first_order'"),
        ({"posterior": OwnPosterior, "bound": "seeger"}, "the posterior 'own'"),
        ({"posterior": OwnPosterior}, "the posterior 'own'"),
    ],
    ids=["bound", "inherited bound", "risk", "posterior", "tested posterior"],
)
def test_what_does_not_say_that_it_is_proven_makes_no_certificate(settings, named):
    certificate = MajorityVoteClassifier(Slopes(), n_folds=2, random_state=0, **settings).fit(X, y).certificate_
    assert certificate.unproven == (named,)
    assert certificate.statement().startswith("Not a certificate")


def test_every_part_of_the_package_is_proven_and_says_so_itself():
    parts = [*BOUNDS.values(), CatoniPerFold((1.0,)), *RISKS.values()]
    assert all(vars(type(part))["proven"] is True for part in parts)
    assert all(vars(kind)["proven"] is True for kind in POSTERIORS.values())
