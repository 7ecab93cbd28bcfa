"""What a certificate says beside its bound: it agrees with the figures that it prints, and verify says the same."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaincinv

from certificate.forging import content_of, folds_of, reasons, sealed
from stocmv import Certificate, Monitor, VoteMatrix, certify
from stocmv.bounds import BOUNDS
from stocmv.certificate import Claim, Costs, Expected, amount, certify_tested
from stocmv.certificate._baseline import cheapest_answer
from stocmv.certificate._percent import percent_excluded
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact
from validity.trials import draws_to_catch, most_violations

ONE = Dirichlet(np.ones(1))
AGAIN = "again with probability at least 95 %"


def judged(truth, answers, groups=None):
    """The votes of one voter."""
    votes = VoteMatrix.from_labels(np.array(answers)[:, None], np.array(truth))
    return votes if groups is None else replace(votes, groups=np.asarray(groups, np.uint64))


def upper(errors, n, delta=0.05):
    """Clopper and Pearson's bound."""
    return betaincinv(errors + 1, n - errors, 1 - delta)


def loans(found, false_alarms, n=1000, defaults=70):
    """Answers that find so many of the defaults, and give so many false alarms."""
    truth = np.where(np.arange(n) < defaults, "default", "paid")
    answers = np.where(np.arange(n) < found, "default", "paid")
    answers[n - false_alarms :] = "default"
    return judged(truth, answers)


def certified(votes, **settings):
    made = certify_tested([votes], [ONE], 0.05, **settings)
    assert made.verify([votes]), made.verify([votes]).differences
    return made


def without(made, votes, sentence):
    """What verify says to the certificate without this sentence."""
    content = content_of(made)
    assert sentence in content["statement"]
    content["statement"] = content["statement"].replace(f" {sentence}", "")
    return reasons(sealed(content), folds_of([votes]))


class TestOneAnswerToAll:
    def test_that_errs_as_often_where_its_bound_is_higher(self):
        """The bound on the most frequent class pays for the choice of that class."""
        made = certified(loans(found=10, false_alarms=10))
        assert made.bound < made.baseline["bound"]
        said = "Measured, predict is no better than always answering 'paid': it errs on 7.00 %, that answer on 7.00 %."
        assert made.no_better() == said
        assert said in made.statement()
        assert not made.beats_baseline
        assert "statement" in without(made, loans(10, 10), said)

    def test_that_has_a_lower_bound_has_its_own_probability(self):
        made = certified(loans(found=0, false_alarms=40))
        assert made.no_better() == (
            f"The bound on predict is no better than that of always answering 'paid', at most "
            f"{100 * made.baseline['bound'] + 0.005:.2f} %, {AGAIN}."
        )

    @pytest.mark.parametrize("alarms", range(0, 30, 3))
    def test_is_said_to_be_no_worse_only_with_figures_that_show_it(self, alarms):
        made = certified(loans(found=12, false_alarms=alarms))
        said = made.no_better()
        if said.startswith("The bound"):
            assert made.bound >= made.baseline["bound"]
        elif said:
            assert made.empirical_risk >= made.baseline["empirical_risk"]
            assert made.bound < made.baseline["bound"]
        else:
            assert made.bound < made.baseline["bound"]
            assert made.empirical_risk < made.baseline["empirical_risk"]

    def test_is_the_cheapest_one_where_there_are_costs(self):
        """A default that is missed costs 20: calling everything a default is cheapest, although it errs most."""
        votes = loans(found=60, false_alarms=90)
        made = certified(votes, cost=Costs(["default", "paid"], np.array([[0.0, 20.0], [1.0, 0.0]])))
        assert made.empirical_risk > made.baseline["empirical_risk"]
        one = made.cost["baseline"]
        assert one["label"] == "default"
        assert one["measured"] == pytest.approx(0.93, abs=1e-12)
        assert one["bound"] == pytest.approx(upper(930, 1000, 0.025), rel=1e-9)
        assert made.cost["measured"] == pytest.approx(0.29, abs=1e-12)
        assert made.no_better() == ""
        assert "always answering default" in str(made)
        content = content_of(made)
        content["cost"]["baseline"]["bound"] *= 1.01
        assert "cost of one answer, bound" in reasons(sealed(content), folds_of([votes]))

    def test_is_compared_by_its_costs(self):
        made = certified(loans(10, 12), cost=Costs(["default", "paid"], np.array([[0.0, 20.0], [1.0, 0.0]])))
        theirs = f"no better than that of always answering 'default', {amount(upper(930, 1000, 0.025))}, each {AGAIN}."
        assert made.no_better().startswith(f"The bound on the mean cost of predict, {amount(made.cost_bound)}, is ")
        assert made.no_better().endswith(theirs)
        made = certified(loans(10, 10), cost=Costs(["default", "paid"], 3 * (1 - np.eye(2))))
        measured = "Measured, the mean cost of predict, 0.21, is no better than that of always answering 'paid', 0.21."
        assert made.no_better() == measured

    def test_may_cost_the_same_whatever_is_true(self):
        """An answer outside of the classes that occur, such as asking a colleague."""
        matrix = np.array([[0.0, 0.5, 9.0], [0.5, 0.5, 0.5], [1.0, 0.5, 0.0]])
        made = certified(loans(10, 12), cost=Costs(["default", "maybe", "paid"], matrix))
        assert made.cost["baseline"] == {"label": "maybe", "measured": 0.5, "bound": 0.5}

    @pytest.mark.parametrize("grouped", [False, True])
    def test_has_the_mean_cost_of_every_judge(self, grouped):
        rng = np.random.default_rng(0)
        truth, said = rng.integers(0, 3, (2, 200))
        groups = np.arange(200) // 4 if grouped else None
        matrix = np.array([[0.0, 2.0, 5.0], [3.0, 1.0, 4.0], [6.0, 7.0, 0.0]])
        votes = [judged(truth[k::2], said[k::2], groups[k::2] + 100 * k if grouped else None) for k in range(2)]
        expected = [Expected(np.full(3, 3.0), np.full(3, 20.0))] * 2
        made = certify_tested(votes, [ONE] * 2, 0.05, expected, cost=Costs([0, 1, 2], matrix))
        means = [matrix[truth, answer].mean() for answer in range(3)]
        assert made.cost["baseline"]["label"] == np.argmin(means)
        assert made.cost["baseline"]["measured"] == pytest.approx(min(means), rel=1e-9)
        assert made.cost["baseline"]["measured"] < made.cost["baseline"]["bound"] < min(means) + 1.5
        assert made.verify(votes)


class TestAClassThatIsMostlyMissed:
    """A small error over a model that finds one default in fourteen misleads."""

    def test_follows_the_bound_with_its_certified_recall(self):
        votes = loans(found=5, false_alarms=0)
        made = certified(votes, per_class=True)
        recall = 1 - upper(65, 70, 0.025)
        said = f"It finds at least {100 * recall - 0.005:.2f} % of class 'default' (7.14 % measured), {AGAIN}."
        assert made.low_recall() == said
        assert f"of new examples. {said}" in made.statement()
        assert "statement" in without(made, votes, said)

    def test_follows_the_bound_with_what_was_measured(self):
        votes = loans(found=5, false_alarms=0)
        made = certified(votes)
        assert made.recalls == (
            {"label": "default", "n": 70, "measured": pytest.approx(5 / 70, abs=1e-12)},
            {"label": "paid", "n": 930, "measured": pytest.approx(1, abs=1e-12)},
        )
        said = "On the examples that judge it, it finds 7.14 % of class 'default'."
        assert made.low_recall() == said
        assert "statement" in without(made, votes, said)
        for change in ({"measured": 0.6}, {"n": 0}, {"label": "paid"}):
            content = content_of(made)
            content["recalls"][0] |= change
            assert "recall" in reasons(sealed(content), folds_of([votes]))
        content["recalls"] = []
        assert "classes that have a recall" in reasons(sealed(content), folds_of([votes]))

    def test_is_not_mentioned_where_every_class_is_found(self):
        for per_class in (False, True):
            assert certified(loans(found=60, false_alarms=5), per_class=per_class).low_recall() == ""
        assert certified(loans(found=35, false_alarms=0)).low_recall() == ""

    def test_is_counted_with_the_others(self):
        truth = np.arange(300) % 4
        answers = np.where(truth == 3, 3, 0)
        made = certified(judged(truth, answers))
        assert made.low_recall() == (
            "On the examples that judge it, it finds 0.00 % of class 1, and less than half of 1 other class, too."
        )
        made = certified(judged(truth, answers), per_class=True)
        assert made.low_recall() == (
            f"It finds at least 0.00 % of class 1 (0.00 % measured), {AGAIN}; less than half is certified of 1 other "
            "class, too."
        )

    def test_is_averaged_group_by_group(self):
        """One default in a hundred groups is found, and a hundred in the last group: each group counts the same."""
        truth = np.array(["default", "paid"] * 100 + ["default"] * 100)
        answers = np.array(["paid"] * 200 + ["default"] * 100)
        votes = judged(truth, answers, np.append(np.arange(200) // 2, np.full(100, 100)))
        said = "of class 'default', averaged group by group"
        assert certified(votes).low_recall() == f"On the groups that judge it, it finds 0.99 % {said}."
        assert f" {said} (0.99 % measured), {AGAIN}." in certified(votes, per_class=True).low_recall()

    def test_has_folds_averaged_over_the_key(self):
        votes = [loans(5, 0, 500, 40), loans(3, 0, 500, 40)]
        made = certify_tested(votes, [ONE] * 2, 0.05, [Expected(np.full(2, 9.0), np.full(2, 99.0))] * 2, per_class=True)
        assert made.verify(votes)
        assert f", on average over that key, {AGAIN}." in made.low_recall()

    @pytest.mark.parametrize("per_class", [False, True])
    def test_is_said_of_votes_that_were_taught_by_their_judges(self, per_class):
        votes, posterior = loans(5, 0), [ONE]
        made = certify([votes], posterior, posterior, Exact(), BOUNDS["seeger"], 0.05, per_class=per_class)
        assert made.verify([votes])
        measured = "On the examples that judge it, which also taught it, it finds 7.14 % of class 'default'."
        said = made.low_recall()
        assert (said.startswith("It finds at least ") and "measured" not in said) if per_class else said == measured


class TestAverages:
    def test_of_groups_say_so(self):
        votes = judged(np.arange(60) % 2, np.arange(60) % 3 % 2, np.arange(60) // 4)
        made = certified(votes, per_class=True, cost=Costs([0, 1], np.array([[0.0, 3.0], [1.0, 0.0]])))
        headings = [heading for heading, _, _ in made.decisions()]
        assert headings == ["right among the answers of predict, group by group", "mean cost, group by group"]
        notes = " ".join(made.notes())
        assert "the share in a group's answers of the class, averaged over the groups that have some." in notes
        assert "Mean cost: the mean over the rows of a group, averaged over the groups." in notes
        assert "a large group counts no more than a small one" in notes
        assert "key" not in notes

    def test_of_folds_are_a_ratio_of_averages(self):
        votes = [loans(35, 9, 500, 40), loans(33, 9, 500, 40)]
        made = certify_tested(votes, [ONE] * 2, 0.05, [Expected(np.full(2, 9.0), np.full(2, 99.0))] * 2, per_class=True)
        said = (
            "the share of right answers divided by the share of all answers of the class, both averaged over the key."
        )
        assert said in " ".join(made.notes())
        assert "group" not in " ".join(heading for heading, _, _ in made.decisions())


class TestMonitor:
    @pytest.mark.parametrize(
        ("bound", "said"),
        [
            (0.0671299, "6.712 %"),
            (0.05, "5.00 %"),
            (0.29, "29.00 %"),
            (0.000123456, "0.01234 %"),
            (0.333333, "33.33 %"),
        ],
    )
    def test_says_a_figure_that_it_tests(self, bound, said):
        quiet = Monitor(bound).update_losses(np.zeros(1))
        assert f"against an error of at most {said} is" in quiet.statement()
        loud = Monitor(bound).update_losses(np.ones(50))
        assert f"Alarm: the error is no longer at most {said}, or never was." in loud.statement()

    def test_never_says_more_than_it_tests(self):
        for bound in (np.random.default_rng(0).random(300) ** 4).tolist():
            assert 0 <= bound - float(percent_excluded(bound).removesuffix(" %")) / 100 < max(1e-4, 2e-3 * bound)


def test_the_words_survive_a_file(tmp_path):
    made = certified(loans(5, 0))
    made.to_json(tmp_path / "certificate.json")
    assert Certificate.from_json(tmp_path / "certificate.json") == made


def test_the_bound_on_the_cheapest_answer_fails_no_more_often_than_delta():
    """Three answers that cost about the same on average, so that the luckiest one is chosen."""
    shares, costs = (
        np.array([0.2, 0.3, 0.5]),
        Costs([0, 1, 2], np.array([[0.0, 3.5, 1.5], [2.0, 0.0, 4.0], [1.8, 2.0, 0.6]])),
    )
    truths, claims = shares @ costs.matrix, (Claim("cost of one answer", 0.2 / 3),)
    assert np.ptp(truths) < 0.5
    too_low = 0
    for seed in range(draws_to_catch(0.4, 0.2)):
        frequency = np.random.default_rng(seed).multinomial(40, shares).astype(float)
        found = cheapest_answer(costs, np.arange(3), frequency, claims, grouped=False)
        assert found["measured"] == pytest.approx((frequency @ costs.matrix).min() / 40)
        too_low += found["bound"] < truths[found["label"]]
    assert too_low <= most_violations(draws_to_catch(0.4, 0.2), 0.2)
