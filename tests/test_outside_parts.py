"""A stranger's parts, defined outside of the package, go through everything that ours go through."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from sklearn.datasets import make_moons

from stocmv import Certificate, MajorityVoteClassifier, VoteMatrix, learn
from stocmv.bounds import BOUNDS, Bound, CatoniPerFold, Seeger, UpperBound
from stocmv.posteriors import POSTERIORS, Dirichlet
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


PARTS = {
    "bound": {"bound": Hoeffding()},
    "risk": {"risk": ThirdOrder(), "bound": "seeger"},
    "posterior": {"posterior": Tied, "bound": "seeger"},
    "tested posterior": {"posterior": Tied},
    "solver": {"solver": RandomSearch(), "bound": "seeger"},
    "voters": {},
    "all": {"bound": Hoeffding(), "posterior": Tied, "solver": RandomSearch()},
}
KNOWN = ("solver", "voters")  # a certificate of these has nothing that the verifier does not know


def fitted(part):
    return MajorityVoteClassifier(Slopes(), n_folds=2, random_state=0, **PARTS[part]).fit(X, y)


@pytest.mark.parametrize("part", [part for part in PARTS if part not in ("voters", "tested posterior")])
def test_learn_takes_it(part):
    votes = VoteMatrix.from_labels(SlopeVoters(X.mean(0), 8).codes(X), y)
    learned = learn(votes, random_state=0, **PARTS[part])
    assert 0 < learned.certificate.stochastic_bound <= 1
    assert len(learned.history) >= 1


@pytest.mark.parametrize("part", PARTS)
def test_the_classifier_its_certificate_and_the_page_take_it(part, tmp_path):
    clf = fitted(part)
    certificate = clf.certificate_
    assert clf.score(X, y) > 0.6
    certificate.to_json(tmp_path / "certificate.json")
    assert Certificate.from_json(tmp_path / "certificate.json").statement() == certificate.statement()
    page = render(clf, data=DataSummary("moons", len(y), 2, {"0": 150, "1": 150}, {"numeric": 2}, 0, 0))
    assert certificate.theorem.split(",")[0].replace("'", "&#39;") in page
    assert f"{np.ceil(1e4 * certificate.bound) / 100:.2f} %" in page


@pytest.mark.parametrize("part", PARTS)
def test_the_verifier_checks_what_it_knows_and_says_what_it_does_not(part):
    clf = fitted(part)
    verification = clf.certificate_.verify(clf.evidence_)
    assert bool(verification) == (part in KNOWN)
    if part not in KNOWN:
        assert "not known here" in str(verification)


def test_a_statement_names_the_strangers_theorem():
    assert fitted("bound").certificate_.theorem.startswith("a stranger's theorem, cross-bounded over 2 folds")


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
