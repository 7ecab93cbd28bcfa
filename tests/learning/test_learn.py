import copy
import math

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from stocmv import VoteMatrix, learn
from stocmv.bounds import BOUNDS, Catoni, Seeger
from stocmv.certificate import certify
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal
from stocmv.progress import listening
from stocmv.risks import RISKS, MonteCarlo
from stocmv.solvers import LBFGS, SOLVERS, Adam, Auto, Solver
from stocmv.special import log_xi
from unproven import Guess
from zoo import FOLDED, HARD_RISKS, PAIRS, answers, problem, raw, right, risk_of


def quickly(votes, **settings):
    """A few iterations are enough where only their consequences are looked at."""
    return learn(votes, **{"prior": 1.0, "solver": LBFGS(max_iter=10), "random_state": 0} | settings)


class TestResult:
    @pytest.mark.parametrize("name", ["one_voter", "merged", *FOLDED])
    def test_is_one_posterior_or_one_for_each_fold(self, name):
        learned, votes = quickly(problem(name), risk="half"), problem(name)
        if name in FOLDED:
            assert [p.n_voters for p in learned.posterior] == [v.n_voters for v in votes]
            assert [p.n_voters for p in learned.prior] == [v.n_voters for v in votes]
        else:
            assert learned.posterior.n_voters == learned.prior.n_voters == votes.n_voters

    def test_one_fold_in_a_list_is_a_list_with_the_same_bound(self):
        alone, listed = quickly(problem("noisy")), quickly([problem("noisy")])
        assert isinstance(listed.posterior, list)
        np.testing.assert_array_equal(listed.posterior[0].alpha, alone.posterior.alpha)
        assert listed.certificate == alone.certificate

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    def test_posterior_is_of_the_kind_that_was_asked_for(self, risk, kind):
        learned = quickly(problem("one_voter"), risk=risk_of(risk), posterior=kind, solver=Adam(n_steps=2))
        assert learned.posterior.name == learned.prior.name == learned.certificate.posterior == kind
        assert learned.certificate.risk == risk

    @pytest.mark.parametrize("risk", HARD_RISKS)
    def test_the_default_posterior_is_the_one_that_the_risk_was_made_for(self, risk):
        learned = quickly(problem("one_voter"), risk=risk_of(risk), solver=Adam(n_steps=2))
        assert learned.posterior.name == RISKS[risk].default_posterior

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_names_and_objects_mean_the_same(self, bound):
        named = learn(problem("noisy"), prior=1.0, risk="first_order", bound=bound, solver="lbfgs")
        given = learn(
            problem("noisy"), prior=1.0, risk=RISKS["first_order"], bound=BOUNDS[bound], solver=SOLVERS["lbfgs"]
        )
        assert named.certificate == given.certificate

    def test_the_default_is_exact_with_seeger(self):
        certificate = learn(problem("one_voter"), prior=1.0).certificate
        assert (certificate.risk, certificate.bound_settings["name"], certificate.delta) == ("exact", "seeger", 0.05)

    def test_settings_of_objects_are_used(self):
        certificate = quickly(problem("noisy"), bound=Catoni(c=1.5), delta=0.2).certificate
        assert (certificate.bound_settings["c"], certificate.delta) == ([1.5], 0.2)

    def test_assumptions_are_added(self):
        plain, more = (quickly(problem("noisy"), assumptions=a).certificate for a in ((), ["The sun will rise."]))
        assert more.assumptions == (*plain.assumptions, "The sun will rise.")


class TestPrior:
    @pytest.mark.parametrize(
        ("prior", "alpha"),
        [
            (2, np.full(12, 2.0)),
            (np.linspace(1, 2, 12), np.linspace(1, 2, 12)),
            (np.linspace(1, 2, 12).tolist(), np.linspace(1, 2, 12)),
            (Dirichlet(np.linspace(1, 2, 12)), np.linspace(1, 2, 12)),
            ([np.linspace(1, 2, 12)], np.linspace(1, 2, 12)),
        ],
        ids=["number", "array", "list", "posterior", "list_of_one"],
    )
    def test_is_one_number_or_one_for_each_voter(self, prior, alpha):
        np.testing.assert_array_equal(quickly(problem("noisy"), prior=prior).prior.alpha, alpha)

    @pytest.mark.parametrize(
        "prior",
        [
            [np.full(7, 2.0), np.full(7, 3.0)],
            [Dirichlet(np.full(7, 2.0)), Dirichlet(np.full(7, 3.0))],
            [[2.0] * 7, Dirichlet(np.full(7, 3.0))],
            [2.0, 3.0],
        ],
        ids=["arrays", "posteriors", "both", "numbers"],
    )
    def test_may_differ_between_folds(self, prior):
        first, second = quickly(problem("two_folds"), prior=prior).prior
        np.testing.assert_array_equal([first.alpha, second.alpha], [[2.0] * 7, [3.0] * 7])

    @pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    @pytest.mark.parametrize("as_arrays", [False, True])
    def test_may_differ_between_folds_of_different_voters_in_any_order(self, order, as_arrays):
        """Folds of three, four and five voters: three numbers are one for each fold, whichever comes first."""
        votes = [VoteMatrix.from_labels(*answers(30, np.full(m, 0.7), seed=m)) for m in (3, 4, 5)]
        values = [2.0, 3.0, 4.0]
        given = [np.full(k + 3, values[k]) if as_arrays else values[k] for k in order]
        priors = quickly([votes[k] for k in order], prior=given).prior
        assert [p.alpha.tolist() for p in priors] == [[values[k]] * (k + 3) for k in order]

    def test_array_is_one_number_for_each_voter_of_every_fold(self):
        votes = [VoteMatrix.from_labels(*answers(30, np.full(2, 0.7), seed=k)) for k in (1, 2)]
        assert [p.alpha.tolist() for p in quickly(votes, prior=np.array([2.0, 3.0])).prior] == [[2.0, 3.0]] * 2

    @pytest.mark.parametrize(
        ("risk", "kind", "prior"),
        [
            ("exact", "dirichlet", 1e-6),
            ("exact", "dirichlet", 1e6),
            ("mc", "logit_normal", 1e-13),
            ("mc", "logit_normal", 1e13),
            ("first_order", "categorical", np.append(1e-25, np.ones(8))),
            ("first_order", "categorical", 1e308),
        ],
    )
    def test_at_the_end_of_its_range_is_not_better_than_what_is_learned(self, risk, kind, prior):
        votes, risk = problem("separable"), risk_of(risk)
        learned = quickly(votes, risk=risk, posterior=kind, prior=prior, solver=LBFGS())
        own = certify([votes], [learned.prior], [learned.prior], risk, BOUNDS["seeger"], 0.05)
        assert learned.certificate.stochastic_bound <= own.stochastic_bound * (1 + 1e-9)

    def test_of_a_categorical_is_its_weights_and_of_a_logit_normal_its_scale(self):
        weights = np.linspace(1, 2, 12)
        np.testing.assert_allclose(
            quickly(problem("noisy"), risk="first_order", prior=weights).prior.theta, weights / weights.sum()
        )
        normal = quickly(
            problem("noisy"), risk=risk_of("mc"), posterior="logit_normal", prior=0.5, solver=Adam(n_steps=1)
        ).prior
        np.testing.assert_array_equal([normal.location, normal.scale], [np.zeros(12), np.full(12, 0.5)])


class TestWorseThanThePrior:
    class Uphill(Solver):
        """What a descent on a sample may do to all examples."""

        def minimise(self, problem, start, rng):
            return start + np.arange(len(start))

    @pytest.mark.parametrize("name", ["identical", *FOLDED])
    def test_is_not_returned(self, name):
        votes = problem(name)
        learned = learn(votes, prior=1.0, solver=self.Uphill(), random_state=0)
        posteriors = learned.posterior if name in FOLDED else [learned.posterior]
        assert all((p.alpha == 1).all() for p in posteriors)
        assert learned.certificate.kl == 0

    def test_is_certified_beside_the_prior_if_its_risk_is_drawn(self):
        learned = learn(problem("identical"), prior=1.0, risk="mc", solver=self.Uphill(), random_state=0)
        assert learned.certificate.kl == 0


class TestHistory:
    def test_has_a_step_for_each_iteration_that_was_reported(self):
        reported = []
        with listening(lambda *news: reported.append(news)):
            history = quickly(problem("noisy")).history
        steps = history.steps
        assert len(steps) > 5
        learning = [("learning", done + 1, None) for done in range(len(steps))]
        assert reported == [*learning, ("certifying", 0, 1), ("certifying", 1, 1)]
        for field in ("stage", "objective", "risk", "kl", "gradient_norm"):
            assert list(getattr(history, field)) == [getattr(step, field) for step in steps]
        assert repr(history) == f"History({len(steps)} iterations)"

    def test_falls_and_ends_at_the_certificate(self):
        learned = quickly(problem("noisy"), solver="lbfgs")
        assert np.all(np.diff(learned.history.objective) <= 1e-12)
        last, certificate = learned.history.steps[-1], learned.certificate
        assert last.objective == pytest.approx(certificate.stochastic_bound, abs=1e-7)
        assert last.risk == pytest.approx(certificate.empirical_risk, abs=1e-7)
        assert last.kl == pytest.approx(certificate.kl, rel=1e-9)
        assert last.gradient_norm < 1e-3 * learned.history.gradient_norm[0]

    def test_says_nothing_below_what_was_certified(self):
        learned = learn(problem("separable"), prior=1.0, risk="second_order", posterior="dirichlet", random_state=0)
        assert learned.history.objective.min() >= learned.certificate.stochastic_bound - 1e-6


class TestSeed:
    @pytest.mark.parametrize(
        "seed", [7, np.random.RandomState, np.random.default_rng], ids=["int", "state", "generator"]
    )
    def test_repeats_a_run(self, seed):
        settings = {"risk": MonteCarlo(n_draws=2), "solver": Adam(n_steps=5)}
        first, second, other = (
            quickly(problem("noisy"), random_state=seed if isinstance(seed, int) else seed(s), **settings)
            for s in (7, 7, 8)
        )
        np.testing.assert_array_equal(first.posterior.alpha, second.posterior.alpha)
        if not isinstance(seed, int):
            assert np.any(first.posterior.alpha != other.posterior.alpha)

    def test_may_be_left_out(self):
        runs = [
            quickly(problem("noisy"), random_state=None, risk=MonteCarlo(n_draws=2), solver=Adam(n_steps=3))
            for _ in "12"
        ]
        assert np.any(runs[0].posterior.alpha != runs[1].posterior.alpha)

    @pytest.mark.parametrize("seed", [0, 1])
    def test_of_the_training_draws_no_vote_that_the_certificate_draws(self, seed, monkeypatch):
        seen, draws = [], LogitNormal.draws

        def spy(self, n_draws, rng):
            seen.append(set(copy.deepcopy(rng).standard_normal((n_draws, self.n_voters)).flat))
            return draws(self, n_draws, rng)

        monkeypatch.setattr(LogitNormal, "draws", spy)
        settings = {"risk": risk_of("mc"), "posterior": "logit_normal", "solver": Adam(n_steps=1)}
        quickly(problem("noisy"), random_state=seed, **settings)
        training = seen[0]
        certificate, fixed = (next(s for s in seen[1:] if len(s) == n * 12) for n in (100, 2000))
        assert len(training) == 10 * 12
        assert not training & certificate
        assert not training & fixed
        assert not certificate & fixed


class TestLimits:
    @pytest.mark.parametrize("n_classes", [1, 2, 3])
    @pytest.mark.parametrize("bound", [Seeger(), Guess(constant="2sqrt")], ids=lambda bound: bound.name)
    def test_no_error_at_all_is_certified_at_the_price_of_confidence(self, n_classes, bound):
        votes = VoteMatrix.from_labels(*right(60, 5, n_classes))
        learned = learn(votes, prior=1.0, bound=bound, solver="auto" if n_classes == 3 else "lbfgs", random_state=0)
        epsilon = bound.price([60], 0.05) / 60
        assert learned.certificate.empirical_risk == 0
        assert learned.certificate.stochastic_bound == pytest.approx(-math.expm1(-epsilon), rel=1e-9)
        np.testing.assert_allclose(learned.posterior.alpha, 1, rtol=1e-3)

    def test_no_error_at_all_in_closed_form(self):
        bound = quickly(problem("all_right")).certificate.stochastic_bound
        assert bound == pytest.approx(1 - (0.05 / math.exp(log_xi(40))) ** (1 / 40), rel=1e-9)

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    @pytest.mark.parametrize("bound", BOUNDS)
    def test_nothing_but_errors_is_certified_as_such(self, risk, kind, bound):
        settings = {"risk": risk_of(risk), "posterior": kind, "bound": bound, "solver": Adam(n_steps=3)}
        certificate = quickly(problem("all_wrong"), **settings).certificate
        assert certificate.stochastic_bound == certificate.bound == 1
        assert certificate.empirical_risk == pytest.approx(1, abs=1e-12)

    def test_one_voter_is_bounded_like_a_single_classifier(self):
        votes, y = raw("one_voter")
        certificate = quickly(problem("one_voter")).certificate
        theirs = BOUNDS["seeger"].upper(float(np.mean(votes[:, 0] != y)), 0.0, [50], 0.05).value
        assert certificate.stochastic_bound == pytest.approx(theirs, rel=1e-9)

    def test_identical_voters_are_bounded_like_one(self):
        assert quickly(problem("identical")).certificate.stochastic_bound == pytest.approx(
            BOUNDS["seeger"].upper(problem("identical").voter_errors()[0], 0.0, [50], 0.05).value, rel=1e-9
        )

    def test_two_classes_named_among_three_have_the_same_bound(self):
        three = VoteMatrix.from_labels(*raw("noisy"), classes=[0, 1, 2])
        ours, theirs = quickly(three).certificate, quickly(problem("noisy")).certificate
        assert ours.stochastic_bound == pytest.approx(theirs.stochastic_bound, abs=1e-6)

    def test_merged_rows_have_the_same_bound(self):
        whole = VoteMatrix.from_labels(*raw("merged"))
        ours, theirs = quickly(problem("merged")).certificate, quickly(whole).certificate
        assert ours.n == theirs.n == 150
        assert ours.stochastic_bound == pytest.approx(theirs.stochastic_bound, abs=1e-8)

    def test_errors_alone_are_bounded_like_two_classes(self):
        ours = quickly(VoteMatrix.from_errors(problem("noisy").errors())).certificate
        assert ours.stochastic_bound == quickly(problem("noisy")).certificate.stochastic_bound

    @pytest.mark.parametrize("risk", ["half", "first_order", "c_bound"])
    def test_an_enormous_prior_still_ends(self, risk):
        for prior in (1e-5, 1e5):
            assert 0 < quickly(problem("noisy"), risk=risk, prior=prior).certificate.stochastic_bound <= 1


class TestBadInput:
    @pytest.mark.parametrize("delta", [5e-324, 1e-300, 9e-201])
    def test_delta_too_small_to_be_shared(self, delta):
        with pytest.raises(ValueError, match=f"delta must be at least 1e-200, got {delta!r}"):
            learn(problem("noisy"), prior=1.0, delta=delta)

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_the_smallest_delta_is_shared_without_loss(self, bound):
        votes = VoteMatrix.from_labels(*answers(3_000, np.full(5, 0.9), 3, seed=3))
        certificate = quickly(votes, bound=bound, delta=1e-200, alternatives=10**9, per_class=True).certificate
        assert 0.15 < certificate.stochastic_bound < certificate.bound <= 1
        shares = {claim.name: claim.delta for claim in certificate.claims}
        assert shares["classes, stochastic vote"] == 1e-200 / 10**9 / 3

    @pytest.mark.parametrize("alternatives", [0, -1, 2.5, 2.0, True, "2", None, 10**400])
    def test_alternatives(self, alternatives):
        message = "alternatives must be the number of priors to choose from, an integer from 1 to 1,000,000,000, got"
        with pytest.raises(ValueError, match=message):
            learn(problem("noisy"), prior=1.0, alternatives=alternatives)

    @pytest.mark.parametrize(
        ("risk", "kind", "prior", "message"),
        [
            ("half", "dirichlet", 1e8, r"Dirichlet concentrations between 1e-06 and 1e\+06, got 1e\+08"),
            ("half", "dirichlet", [1.0] * 11 + [9e-7], r"Dirichlet concentrations between 1e-06 and 1e\+06, got 9e-07"),
            ("half", "dirichlet", Dirichlet(np.full(12, 1e7)), "Dirichlet concentrations between"),
            ("mc", "logit_normal", 1e14, r"logit-normal standard deviations between 1e-13 and 1e\+13, got 1e\+14"),
            (
                "mc",
                "logit_normal",
                LogitNormal(np.full(12, 31.0), 1.0),
                "logit-normal means between -30 and 30, got 31",
            ),
            ("first_order", "categorical", [1e-30] + [1.0] * 11, "categorical probabilities between 1e-26 and 1, got"),
            ("first_order", "categorical", Categorical([0.0] + [1.0] * 11), "categorical probabilities .* got 0"),
        ],
    )
    def test_prior_that_solvers_cannot_reach(self, risk, kind, prior, message):
        with pytest.raises(ValueError, match=f"prior must have {message}"):
            learn(problem("noisy"), risk=risk, posterior=kind, prior=prior)

    def test_prior_that_could_be_of_folds_or_of_voters(self):
        votes = [VoteMatrix.from_labels(*answers(30, np.full(2, 0.7), seed=k)) for k in (1, 2)]
        message = (
            r"prior=\[2.0, 3.0\] could hold a number for each of the 2 folds or for each of the 2 voters: pass a list"
        )
        with pytest.raises(ValueError, match=message):
            learn(votes, prior=[2.0, 3.0])

    @pytest.mark.parametrize("prior", [[np.ones(7)], [np.ones(7)] * 3, [1.0, np.ones(7), 1.0]], ids=len)
    def test_prior_of_another_number_of_folds(self, prior):
        with pytest.raises(ValueError, match=f"prior has {len(prior)} entries for 2 folds: give one for each fold"):
            learn(problem("two_folds"), prior=prior)

    @pytest.mark.parametrize("prior", ["flat", {"alpha": 1.0}, ["a"] * 12], ids=str)
    def test_prior_that_is_no_number(self, prior):
        with pytest.raises(ValueError, match="prior must be one number or one for each of the voters, got"):
            learn(problem("noisy"), prior=prior)

    @pytest.mark.parametrize("delta", [0, 1, -1, 2, math.nan])
    def test_delta(self, delta):
        with pytest.raises(ValueError, match="delta must lie strictly between 0 and 1, got"):
            learn(problem("noisy"), prior=1.0, delta=delta)

    @pytest.mark.parametrize("delta", [None, "0.05"])
    def test_delta_that_is_no_number(self, delta):
        with pytest.raises((TypeError, ValueError), match="delta must"):
            learn(problem("noisy"), prior=1.0, delta=delta)

    @pytest.mark.parametrize("risk", ["half", "first_order", "mc"])
    @pytest.mark.parametrize("prior", [math.nan, -1.0, 0.0, math.inf, None, [1.0] * 11 + [0.0], [math.nan] * 12])
    def test_prior_that_is_not_positive(self, prior, risk):
        with pytest.raises(ValueError, match="prior must be positive and finite, got"):
            learn(problem("noisy"), risk=risk, prior=prior)

    @pytest.mark.parametrize("prior", [[1.0] * 3, [], np.ones((12, 1)), np.ones((2, 12))])
    def test_prior_of_another_length(self, prior):
        with pytest.raises(ValueError, match="prior must be one number or one for each of the 12 voters, got shape"):
            learn(problem("noisy"), prior=prior)

    @pytest.mark.parametrize("prior", [Categorical(np.ones(12)), Dirichlet(np.ones(3)), [Dirichlet(np.ones(3))]])
    def test_prior_of_another_kind(self, prior):
        with pytest.raises(ValueError, match="prior must be a Dirichlet over the 12 voters, got"):
            learn(problem("noisy"), prior=prior)

    @pytest.mark.parametrize("argument", ["risk", "bound", "solver"])
    @pytest.mark.parametrize("value", ["nonsense", None, 3])
    def test_unknown_names(self, argument, value):
        with pytest.raises(ValueError, match=f"{argument} must be one of '.*', got {value!r}"):
            learn(problem("noisy"), **{argument: value})

    @pytest.mark.parametrize("posterior", ["nonsense", None, Dirichlet([1.0, 2.0]), int])
    def test_unknown_posterior(self, posterior):
        with pytest.raises(ValueError, match=r"posterior must be 'auto' or one of 'dirichlet', .* got"):
            learn(problem("noisy"), prior=1.0, posterior=posterior)

    @pytest.mark.parametrize(
        ("risk", "posterior"), [("exact", "categorical"), ("c_bound", "dirichlet"), ("half", "logit_normal")]
    )
    def test_posterior_that_the_risk_is_not_defined_for(self, risk, posterior):
        with pytest.raises(ValueError, match=f"risk '{risk}' is not defined for the posterior '{posterior}': use '"):
            learn(problem("noisy"), prior=1.0, risk=risk, posterior=posterior)

    @pytest.mark.parametrize(
        "votes",
        [
            [],
            (),
            np.ones((3, 3)),
            "votes",
            [problem("noisy"), 3],
            None,
            5,
        ],
        ids=str,
    )
    def test_votes_that_are_no_votes(self, votes):
        with pytest.raises(TypeError, match="votes must be a VoteMatrix or a list of them, one for each fold"):
            learn(votes, prior=1.0)

    def test_seed_that_is_none(self):
        with pytest.raises(TypeError):
            learn(problem("noisy"), prior=1.0, random_state="yesterday")


class TestConvergence:
    def test_a_solver_at_its_limit_warns_and_says_what_to_set(self):
        advice = r"pass solver=stocmv\.solvers\.LBFGS\(max_iter=4\)"
        with pytest.warns(ConvergenceWarning, match=rf"LBFGS stopped at max_iter=2 before .* {advice}") as caught:
            learn(problem("noisy"), prior=1.0, solver=LBFGS(max_iter=2))
        assert caught[0].filename == __file__
        with pytest.warns(ConvergenceWarning, match=r"Auto stopped at max_iter=1 .*Auto\(max_iter=2\)"):
            learn(problem("noisy"), prior=1.0, solver=Auto(explore_iterations=1, max_iter=1))

    @pytest.mark.parametrize("solver", ["auto", "quick", LBFGS(), Adam(n_steps=3), LBFGS(max_iter=2, stops_early=True)])
    def test_others_do_not(self, solver):
        learned = learn(problem("noisy"), prior=1.0, solver=solver)
        assert not learned.history.limits


@pytest.mark.parametrize("seed", [0, 1])
def test_auto_finds_what_alternating_minimisation_finds(seed):
    """Two voters of a hundred are good; from the prior alone, the descents end a hundredth above."""
    rng = np.random.default_rng(seed)
    errors = rng.random((1000, 100)) < np.where(np.arange(100) < 2, 0.02, rng.uniform(0.3, 0.5, 100))
    votes = VoteMatrix.from_errors(errors)
    ours, theirs = (
        learn(votes, risk="cctnd", solver=solver, random_state=0).certificate.bound
        for solver in ("auto", "alternating")
    )
    assert ours <= theirs * 1.001
