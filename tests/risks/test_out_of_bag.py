"""Risks and bounds of voters that each have examples of their own that judge them, pair by pair."""

import math

import numpy as np
import pytest
from scipy.special import rel_entr

import dense
from risks.test_cantelli import DELTA, MUS, kl_inf, kl_sup
from stocmv import certify, learn
from stocmv.bounds import BOUNDS, Bennett, Lambda
from stocmv.posteriors import Categorical, Dirichlet
from stocmv.risks import RISKS, CantelliBennett, CantelliSplit
from stocmv.votes import OutOfBagVotes
from zoo import prior_of, unjudged, unjudged_problem

NAMES = ("first_order", "second_order", "c_bound", "cctnd", "ccpbb", "ccpbskl", "disagreement")


class Pairs:
    """Means over pairs of voters, each over the examples that judge both, and the published right-hand sides."""

    def __init__(self, n_classes, n, rho, pi):
        votes, y = unjudged(n_classes, n)
        self.judged = ~np.isnan(votes)
        self.errors = np.where(self.judged, votes != y[:, None], 0.0)
        self.rho = rho
        together = self.judged.T.astype(int) @ self.judged
        self.n, self.n2 = np.diag(together).min(), together.min()
        divergence = float(rel_entr(rho, pi).sum())
        self.kl, self.twice = divergence, 2 * divergence
        self.single = (divergence + math.log(4 * math.sqrt(self.n) / DELTA)) / self.n
        self.pair = (2 * divergence + math.log(4 * math.sqrt(self.n2) / DELTA)) / self.n2

    def of_one(self):
        return sum(p * self.errors[self.judged[:, j], j].mean() for j, p in enumerate(self.rho))

    def of_two(self, statistic):
        """Mean of a statistic of the errors of two voters on their common judges."""
        found = 0.0
        for j, k in np.ndindex(len(self.rho), len(self.rho)):
            rows = self.judged[:, j] & self.judged[:, k]
            found += self.rho[j] * self.rho[k] * statistic(self.errors[rows, j], self.errors[rows, k])
        return float(found)

    def mean(self, loss):
        return self.of_two(lambda a, b: loss(a, b).mean())

    def moments(self):
        both, one, gibbs = self.mean(np.multiply), self.mean(lambda a, b: a != b), self.of_one()
        spread = [self.of_two(lambda a, b, i=i: np.cov(a * b, a + b)[i]) for i in ((0, 0), (0, 1), (1, 1))]
        return {
            "first_order": [gibbs],
            "second_order": [both],
            "c_bound": [gibbs, one],
            "disagreement": [gibbs, one],
            "cctnd": [both, gibbs],
            "ccpbskl": [both, one],
            "ccpbb": [both, self.mean(lambda a, b: (a + b) / 2), spread[0], spread[1], spread[2] / 2],
        }

    def bounds(self):
        both, gibbs = self.mean(np.multiply), self.of_one()
        one, two = math.log(2 * math.sqrt(self.n) / DELTA), math.log(2 * math.sqrt(self.n2) / DELTA)
        error, disagree = kl_sup(gibbs, self.single), kl_inf(self.mean(lambda a, b: a != b), self.pair)
        return {
            "first_order": 2 * kl_sup(gibbs, (self.kl + one) / self.n),
            "second_order": 4 * kl_sup(both, (self.twice + two) / self.n2),
            "c_bound": 1 - (1 - 2 * error) ** 2 / (1 - 2 * disagree),
            "disagreement": 4 * error - 2 * disagree,
            "cctnd": self.cctnd(both, gibbs),
        }

    def cctnd(self, both, gibbs):
        tandem, low, high = kl_sup(both, self.pair), kl_inf(gibbs, self.single), kl_sup(gibbs, self.single)
        return np.min((tandem - 2 * MUS * np.where(MUS >= 0, low, high) + MUS**2) / (0.5 - MUS) ** 2)

    def ccpbskl(self, mu):
        middle, least, most = mu**2, -mu * (1 - mu), (1 - mu) ** 2
        above = self.mean(lambda a, b: np.maximum((a - mu) * (b - mu) - middle, 0))
        below = self.mean(lambda a, b: np.maximum(middle - (a - mu) * (b - mu), 0))
        plus, minus = kl_sup(above / (most - middle), self.pair), kl_inf(below / (middle - least), self.pair)
        return (middle + (most - middle) * plus - (middle - least) * minus) / (0.5 - mu) ** 2

    def ccpbb(self, mu):
        loss = lambda a, b: (a - mu) * (b - mu)  # noqa: E731
        spread = self.of_two(lambda a, b: loss(a, b).var(ddof=1))
        above = Bennett("twice").of_means(np.array([spread]), np.array([1 - mu]), self.twice, [int(self.n2)], DELTA)
        return (self.mean(loss) + above.values[0]) / (0.5 - mu) ** 2

    def tuned(self, risk, divergence, n):
        paid = divergence + math.log(2 * math.sqrt(n) / DELTA)
        best = 2 / (math.sqrt(2 * n * risk / paid + 1) + 1)
        return risk / (1 - best / 2) + paid / (best * (1 - best / 2) * n)


def given(n_classes, n=300):
    rng = np.random.default_rng(n_classes)
    rho, pi = rng.dirichlet(np.full(9, 4.0)), rng.dirichlet(np.full(9, 9.0))
    return unjudged_problem(n_classes, n), Categorical(rho), Categorical(pi), Pairs(n_classes, n, rho, pi)


def certified(votes, rho, pi, risk, bound=BOUNDS["seeger_2sqrt"]):
    certificate = certify([votes], [rho], [pi], risk, bound, DELTA)
    assert certificate.verify(votes)
    return certificate.bound


@pytest.mark.parametrize("risk", NAMES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_means_are_those_of_pairs_rounded_outward(n_classes, risk):
    votes, rho, _, pairs = given(n_classes)
    theirs, signs = np.array(pairs.moments()[risk]), np.array(RISKS[risk].outward)
    np.testing.assert_allclose(RISKS[risk].means(rho, votes)[0], theirs, rtol=1e-12)
    ours = RISKS[risk].certified_means(rho, votes)
    assert np.all(signs * (ours - theirs) > 0)
    np.testing.assert_allclose(ours, theirs, rtol=1e-11)


@pytest.mark.parametrize("risk", NAMES)
def test_gradients_agree_with_differences(risk):
    votes, rho, _, _ = given(2)
    for i in range(len(RISKS[risk].outward)):
        directions = np.eye(9)
        ours = directions @ RISKS[risk].means(rho, votes)[1][i]
        value = lambda point, i=i: RISKS[risk].means(Categorical.from_point(point), votes)[0][i]  # noqa: E731
        np.testing.assert_allclose(ours, dense.slopes(value, rho.point, directions, 1e-3), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_bounds_are_the_published_ones(n_classes):
    """n is the smallest number of judges of a voter, and of two voters where pairs are bounded."""
    votes, rho, pi, pairs = given(n_classes, 4000)
    assert (votes.fewest(1), votes.fewest(2)) == (pairs.n, pairs.n2)
    assert pairs.n2 < 0.6 * pairs.n
    assert max(pairs.bounds().values()) < 0.9
    for risk, theirs in pairs.bounds().items():
        tolerance = 1e-7 if risk == "cctnd" else 1e-9  # theirs is from a grid of mu
        assert certified(votes, rho, pi, RISKS[risk]) == pytest.approx(min(theirs, 1.0), abs=tolerance)
    for mu in (0.05, 0.1, 0.3):
        ours = certified(votes, rho, pi, CantelliSplit(mu=mu))
        assert ours == pytest.approx(min(pairs.ccpbskl(mu), 1.0), abs=1e-9)
        ours = certified(votes, rho, pi, CantelliBennett(mu=mu, bound=Bennett("twice")))
        assert ours == pytest.approx(min(pairs.ccpbb(mu), 1.0), abs=1e-9)
    first, second = pairs.of_one(), pairs.mean(np.multiply)
    theirs = {"first_order": 2 * pairs.tuned(first, pairs.kl, pairs.n)}
    theirs["second_order"] = 4 * pairs.tuned(second, pairs.twice, pairs.n2)
    for risk, value in theirs.items():
        assert certified(votes, rho, pi, RISKS[risk], Lambda("2sqrt")) == pytest.approx(min(value, 1.0), abs=1e-9)


@pytest.mark.parametrize("whole", [False, True])
def test_unlabelled_examples_count_where_voters_disagree(whole):
    """Labelled ones too; and votes without gaps may have them."""
    votes, rho, pi, pairs = given(2, 4000)
    answers = np.random.default_rng(1).random((3000, 9)) < np.linspace(0.05, 0.3, 9)
    if whole:
        labels, y = unjudged(2, 4000)
        votes = OutOfBagVotes.from_labels(np.where(np.isnan(labels), 0, labels), y)
        pairs.judged[:] = True
        pairs.errors = (np.where(np.isnan(labels), 0, labels) != y[:, None]).astype(float)
        pairs.n = pairs.n2 = 4000
    ours = votes.with_unlabelled(answers.astype(int))
    differ = 0.0
    for j, k in np.ndindex(9, 9):
        rows = pairs.judged[:, j] & pairs.judged[:, k]
        labelled = pairs.errors[rows, j] != pairs.errors[rows, k]
        differ += rho.theta[j] * rho.theta[k] * np.concatenate([labelled, answers[:, j] != answers[:, k]]).mean()
    more, cost = int(pairs.n2) + 3000, math.log(4 / DELTA)
    single = (pairs.kl + cost + 0.5 * math.log(pairs.n)) / pairs.n
    least = kl_inf(differ, (pairs.twice + cost + 0.5 * math.log(more)) / more)
    error = kl_sup(pairs.of_one(), single)
    assert certified(ours, rho, pi, RISKS["disagreement"]) == pytest.approx(min(4 * error - 2 * least, 1.0), abs=1e-9)
    theirs = 1 - (1 - 2 * error) ** 2 / (1 - 2 * least)
    assert certified(ours, rho, pi, RISKS["c_bound"]) == pytest.approx(min(theirs, 1.0), abs=1e-9)
    both = kl_sup(pairs.mean(np.multiply), (pairs.twice + cost + 0.5 * math.log(pairs.n2)) / pairs.n2)
    theirs = (0.01 + 0.8 * both - 0.1 * least) / 0.16
    assert certified(ours, rho, pi, CantelliSplit(mu=0.1)) == pytest.approx(min(theirs, 1.0), abs=1e-9)
    for risk in ("first_order", "second_order", "ccpbb"):  # these need labels
        assert certified(ours, rho, pi, RISKS[risk]) == certified(votes, rho, pi, RISKS[risk])
    for mu in (-0.3, -0.01):
        assert certified(ours, rho, pi, CantelliSplit(mu)) == certified(votes, rho, pi, CantelliSplit(mu))


@pytest.mark.parametrize("risk", ["c_bound", "ccpbskl", "disagreement"])
def test_learning_with_unlabelled_examples(risk):
    votes = unjudged_problem(2).with_unlabelled(np.random.default_rng(2).integers(0, 2, (400, 9)))
    learned = learn(votes, risk=risk, random_state=0)
    assert learned.certificate.verify(votes)
    fewest = learned.certificate.figures["error"]["fewest"]
    assert fewest["compared"] == fewest["pair"] + 400
    assert "Whether these agree is also seen on 400 unlabelled examples." in str(learned.certificate)
    assert any("unlabelled" in assumption for assumption in learned.certificate.assumptions)


@pytest.mark.parametrize("risk", ["c_bound", "ccpbskl", "disagreement"])
def test_unlabelled_examples_that_contradict_the_labelled_ones_are_refused(risk):
    """Voters that hardly err, and yet disagree all the time: no distribution has both."""
    y = np.arange(2000) % 2
    votes = OutOfBagVotes.from_labels(np.stack([y, y], axis=1), y, unlabelled=[[0, 1]] * 2000)
    even = Categorical(np.ones(2))
    with pytest.raises(ValueError, match="would be negative: voters disagree"):
        certify([votes], [even], [even], RISKS[risk], BOUNDS["seeger"], DELTA)


def test_the_c_bound_is_never_above_the_disagreement_bound():
    for seed in range(20):
        rho = Categorical(np.random.default_rng(seed).dirichlet(np.full(9, 1.0)))
        votes, one = unjudged_problem(2, 4000), Categorical(np.ones(9))
        ours, theirs = (
            certify([votes], [rho], [one], RISKS[r], BOUNDS["seeger"], DELTA) for r in ("c_bound", "disagreement")
        )
        assert ours.bound <= theirs.bound + 1e-12


@pytest.mark.parametrize("risk", NAMES)
def test_learning_lowers_the_bound_and_predicts_with_all_voters(risk):
    votes = unjudged_problem(2)
    learned = learn(votes, risk=risk, random_state=0)
    uniform = prior_of("categorical", 9)
    at_prior = certify([votes], [uniform], [uniform], RISKS[risk], BOUNDS["seeger"], DELTA)
    assert learned.certificate.bound <= at_prior.bound
    assert learned.certificate.verify(votes)
    assert learned.certificate.figures["error"]["fewest"] == {
        "voter": votes.fewest(1),
        "pair": votes.fewest(2),
        "compared": votes.fewest(2),
    }
    assert learned.certificate.recalls == []
    answers = np.random.default_rng(0).integers(0, 2, (5, 9))
    theirs = (answers @ learned.posterior.theta > 0.5).astype(int)
    np.testing.assert_array_equal(learned.predict(answers), theirs)


def test_the_certificate_says_which_examples_judge():
    certificate = learn(unjudged_problem(2), risk="first_order", random_state=0).certificate
    fewest = certificate.figures["error"]["fewest"]
    assert f"at least {fewest['voter']} examples judge each voter, and at least {fewest['pair']}" in str(certificate)
    assert any(
        "Each voter was made without looking at the examples that judge it" in a for a in certificate.assumptions
    )


@pytest.mark.parametrize("solver", ["quick", "minibatch_adam", "alternating"])
def test_every_solver_takes_them(solver):
    votes = unjudged_problem(2)
    best = learn(votes, risk="first_order", random_state=0).certificate.bound
    assert learn(votes, risk="first_order", solver=solver, random_state=0).certificate.bound <= best * 1.05


class TestRefused:
    @pytest.mark.parametrize("risk", [name for name in RISKS if name not in (*NAMES, "soft")])
    def test_other_risks(self, risk):
        with pytest.raises(ValueError, match=f"risk '{risk}' is not defined for out-of-bag votes: use 'first_order'"):
            learn(unjudged_problem(2), risk=risk, random_state=0)

    def test_a_dirichlet(self):
        with pytest.raises(ValueError, match="out-of-bag votes need posterior='categorical', got 'dirichlet'"):
            learn(unjudged_problem(2), risk="first_order", posterior="dirichlet", random_state=0)
        one = Dirichlet(np.ones(9))
        with pytest.raises(ValueError, match="out-of-bag votes need posterior='categorical'"):
            certify([unjudged_problem(2)], [one], [one], RISKS["first_order"], BOUNDS["seeger"], DELTA)

    def test_folds(self):
        with pytest.raises(ValueError, match="votes has 2 folds, but out-of-bag votes are one sample: pass them alone"):
            learn([unjudged_problem(2)] * 2, risk="first_order", random_state=0)
