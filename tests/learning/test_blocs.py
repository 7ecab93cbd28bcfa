import numpy as np
import pytest

from certificate.forging import content_of, evidence_for, reasons, sealed
from stocmv import Certificate, VoteMatrix, certify, learn
from stocmv.bounds import Seeger
from stocmv.learning import drawn_answers, win_probabilities
from stocmv.learning._prior_grid import PRIOR_TOTALS
from stocmv.posteriors import BlocDirichlet, Categorical, Dirichlet, LogitNormal
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS
from zoo import risk_of, silent_problem

QUICK = LBFGS(max_iter=40)


def answered(n_classes=2, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    right = rng.random((n, 6)) < np.linspace(0.55, 0.9, 6)
    return np.where(right, y[:, None], rng.integers(0, n_classes, (n, 6))), y


def matrix(answers, y, n_classes=2):
    return VoteMatrix.from_labels(answers, y, classes=np.arange(n_classes))


def copied(answers, times=10):
    """Every voter several times, the copies in a random order, and the voter that each is of."""
    voters = np.arange(answers.shape[1])
    voters = np.concatenate([voters, np.random.default_rng(1).permutation(np.repeat(voters, times - 1))])
    return answers[:, voters], voters


def redundant(n_classes=2, **settings):
    """What is learned from copies that share a sparse prior."""
    answers, y = answered(n_classes)
    votes = matrix(copied(answers)[0], y, n_classes)
    return votes, learn(votes, **{"prior": 0.01, "solver": QUICK, "random_state": 0} | settings)


@pytest.mark.parametrize(
    ("n_classes", "settings"),
    [
        (2, {}),
        (2, {"risk": "half"}),
        (2, {"risk": "first_order", "posterior": "dirichlet"}),
        (2, {"risk": "second_order"}),
        (2, {"risk": "binomial"}),
        (2, {"risk": "c_bound"}),
        (2, {"bound": "catoni"}),
        (3, {}),
    ],
    ids=str,
)
def test_ten_copies_of_every_voter_change_nothing(n_classes, settings):
    answers, y = answered(n_classes)
    many, voters = copied(answers)
    common = {"solver": QUICK, "random_state": 0, **settings}
    once = learn(matrix(answers, y, n_classes), prior=0.625, **common)
    again = learn(matrix(many, y, n_classes), prior=0.0625, **common)
    assert again.certificate.stochastic_bound == pytest.approx(once.certificate.stochastic_bound, rel=1e-9)
    assert again.certificate.kl == pytest.approx(once.certificate.kl, rel=1e-9)
    weights = np.bincount(voters, again.posterior.mean)
    np.testing.assert_allclose(weights, once.posterior.mean, rtol=1e-9)
    assert again.certificate.verify([matrix(many, y, n_classes)])


def test_ten_copies_do_not_change_what_auto_chooses():
    answers, y = answered(n=150)
    many, _ = copied(answers)
    once, again = (learn(matrix(a, y), solver=QUICK, random_state=0).certificate for a in (answers, many))
    assert again.stochastic_bound == pytest.approx(once.stochastic_bound, rel=1e-9)
    assert again.alternatives == once.alternatives in PRIOR_TOTALS.values()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Auto stopped at max_iter:sklearn.exceptions.ConvergenceWarning")  # a flat valley
def test_the_best_prior_is_at_least_as_good_as_those_it_is_chosen_from():
    answers, y = answered(n=150)
    votes = matrix(copied(answers)[0], y)
    best = learn(votes, random_state=0).certificate.stochastic_bound
    assert sum(1 / parts for parts in PRIOR_TOTALS.values()) == 1
    each = [learn(votes, prior=t / 60, alternatives=parts, random_state=0) for t, parts in PRIOR_TOTALS.items()]
    assert best <= min(one.certificate.stochastic_bound for one in each) * (1 + 1e-3)


def test_copies_cost_something_unless_they_are_merged():
    votes, merged = redundant()
    apart = learn(votes, prior=0.01, merge=False, solver=QUICK, random_state=0)
    assert type(apart.posterior) is Dirichlet
    assert merged.certificate.stochastic_bound < 0.7 * apart.certificate.stochastic_bound


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("prior", [0.001, 0.3])
@pytest.mark.parametrize("n_folds", [1, 2])
def test_the_certificate_is_verified_and_survives_its_file(n_classes, prior, n_folds, tmp_path):
    parts = [answered(n_classes, seed=seed) for seed in range(n_folds)]
    votes = [matrix(copied(answers)[0], y, n_classes) for answers, y in parts]
    certificate = learn(votes, prior=prior, solver=QUICK, random_state=0, per_class=True).certificate
    assert certificate.posterior == "bloc_dirichlet"
    assert certificate.verify(votes), certificate.verify(votes)
    certificate.to_json(tmp_path / "certificate.json")
    assert Certificate.from_json(tmp_path / "certificate.json") == certificate
    spoken = bool(certificate.posteriors[0]["speakers"])
    assert spoken == (certificate.deterministic_vote["leak"] > 0)
    assert spoken == any("speaks for a bloc" in sentence for sentence in certificate.assumptions)


def test_thirty_digits_of_blocs():
    votes, learned = redundant()
    assert learned.certificate.verify([votes], precise=0.05)


def test_predict_lets_the_speakers_vote():
    votes, learned = redundant(prior=0.001)
    posterior = learned.posterior
    assert posterior.speakers.size
    answers = np.ones((2, votes.n_voters), int)
    answers[0, posterior.speakers] = 0
    answers[1, posterior.speakers[posterior.alpha.argmax()]] = 0
    heaviest = posterior.alpha.max() > posterior.alpha.sum() / 2
    assert learned.predict(answers).tolist() == [0, 0 if heaviest else 1]


def test_what_cannot_be_merged_is_left_alone():
    _, learned = redundant(risk=risk_of("mc"), posterior="logit_normal", prior=1.0)
    assert isinstance(learned.posterior, LogitNormal)
    silent = silent_problem(2, 200)
    codes = np.tile(silent.answers().astype(int), 2)
    doubled = VoteMatrix.from_codes(np.where(codes == 2, -1, codes), silent.targets, silent.classes)
    assert type(learn(doubled, prior=1.0, solver=QUICK, random_state=0).posterior) is Dirichlet


def test_a_categorical_needs_no_blocs():
    _, learned = redundant(risk="second_order", prior=1.0)
    assert isinstance(learned.posterior, Categorical)
    assert learned.posterior.n_voters == 60


def test_the_stochastic_vote_on_examples_that_split_a_bloc():
    """Probabilities of classes are then estimated, and have to be those of drawn votes."""
    _, learned = redundant(prior=0.05)
    codes = np.random.default_rng(3).integers(0, 2, (3, 60))
    assert learned.posterior.splits(codes).all()
    rng = np.random.default_rng(4)
    drawn = drawn_answers(learned.posterior, np.repeat(codes, 2000, axis=0), 2, rng).reshape(3, -1).mean(1)
    np.testing.assert_allclose(win_probabilities(learned.posterior, codes, 2)[:, 1], drawn, atol=0.06)


class TestRefusals:
    def parts(self):
        answers, y = answered(n=100)
        votes = matrix(copied(answers, 3)[0], y)
        blocs, prior = votes.blocs(), Dirichlet(np.full(18, 0.1))
        speakers = np.unique(blocs, return_index=True)[1]
        return votes, BlocDirichlet(np.arange(1.0, 7), blocs, speakers, prior.alpha), prior

    def certified(self, votes, posterior, prior):
        return certify([votes], [posterior], [prior], RISKS["exact"], Seeger(), 0.05)

    def test_voters_that_disagree(self):
        votes, posterior, prior = self.parts()
        blocs = posterior.blocs.copy()
        moved = np.flatnonzero(blocs == 1)[-1]
        blocs[moved] = 0
        speakers = np.unique(blocs, return_index=True)[1]
        with pytest.raises(ValueError, match="do not answer all of these examples alike"):
            self.certified(votes, BlocDirichlet(posterior.alpha, blocs, speakers, prior.alpha), prior)

    def test_shares_that_are_not_those_of_the_prior(self):
        votes, posterior, _ = self.parts()
        with pytest.raises(ValueError, match="in another way than priors does"):
            self.certified(votes, posterior, Dirichlet(np.full(18, 0.2)))

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda c: c["posteriors"][0]["blocs"].__setitem__(-1, 0), "do not answer all examples alike"),
            (lambda c: c["posteriors"][0]["within"].__setitem__(0, 9.0), "as the prior does"),
            (lambda c: c["posteriors"][0]["speakers"].__setitem__(0, 17), "speakers"),
            (lambda c: c["posteriors"][0].update(speakers=[]), "leak"),
            (lambda c: c["figures"]["deterministic_vote"].update(leak=0.6), "leak"),
            (lambda c: c["figures"]["deterministic_vote"].update(leak=0.0), "leak"),
            (lambda c: c["figures"]["deterministic_vote"].update(heavy=1e9), "coverage"),
        ],
    )
    def test_a_certificate_that_is_changed(self, change, reason):
        votes, posterior, prior = self.parts()
        certificate = self.certified(votes, posterior, prior)
        assert certificate.verify([votes])
        content = content_of(certificate)
        change(content)
        assert reason in reasons(sealed(content), evidence_for([votes]))
