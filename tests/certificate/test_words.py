"""What a certificate says beside its bound: it agrees with the figures that it prints, and verify says the same."""

import numpy as np
import pytest
from scipy.special import betaincinv

from certificate.made import certified, judged
from stocmv import Monitor, VoteMatrix, certify, certify_predictions
from stocmv.bounds import BOUNDS
from stocmv.certificate import Costs, Judgments, amount, certify_judgments, percent_down
from stocmv.certificate._mean_cost import cheapest_answer
from stocmv.certificate._percent import percent_excluded
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact
from validity.trials import draws_to_catch, most_violations

AGAIN = "again with probability at least 95 %"


def table_of(truth, answers, groups=None, folds=None):
    """The judgments of these answers."""
    classes = np.unique(np.concatenate([truth, answers]))
    codes = [np.searchsorted(classes, each).astype(np.uint8) for each in (truth, answers)]
    fold = np.zeros(len(truth), np.uint8) if folds is None else np.asarray(folds, np.uint8)
    return Judgments(classes, *codes, fold, group=None if groups is None else np.asarray(groups, np.uint64))


def upper(errors, n, delta=0.05):
    """Clopper and Pearson's bound."""
    return betaincinv(errors + 1, n - errors, 1 - delta)


def loan_answers(found, false_alarms, n=1000, defaults=70):
    """Answers that find so many of the defaults, and give so many false alarms."""
    truth = np.where(np.arange(n) < defaults, "default", "paid")
    answers = np.where(np.arange(n) < found, "default", "paid")
    answers[n - false_alarms :] = "default"
    return truth, answers


def loans(*figures):
    return table_of(*loan_answers(*figures))


def made(table, **settings):
    certificate = certified(table, **settings)
    assert certificate.verify(table), certificate.verify(table).differences
    return certificate


def priced(table, matrix, labels=("default", "paid")):
    certificate = certify_judgments(table, 0.05, costs=Costs(list(labels), np.array(matrix, float)))
    assert certificate.verify(table), certificate.verify(table).differences
    return certificate


class TestOneAnswerToAll:
    def test_that_errs_as_often_where_its_bound_is_higher(self):
        """The bound on the most frequent class pays for the choice of that class."""
        ours = made(loans(10, 10))
        assert ours.bound < ours.baseline["bound"]
        said = "Measured, predict is no better than always answering 'paid': it errs on 7.00 %, that answer on 7.00 %."
        assert said in ours.remarks()
        assert said in ours.statement()
        assert not ours.beats_baseline
        theirs = ours.verify(loans(10, 10)).statement
        assert "On the judges, the error is no better than that of always answering 'paid'." in theirs

    def test_that_has_a_lower_bound_has_its_own_probability(self):
        ours = made(loans(0, 40))
        bound = f"{100 * ours.baseline['bound'] + 0.005:.2f} %"
        said = f"The bound on predict is no better than that of always answering 'paid', at most {bound}, {AGAIN}."
        assert said in ours.remarks()
        theirs = ours.verify(loans(0, 40)).statement
        assert f"This bound on the error is no better than that of always answering 'paid', at most {bound}." in theirs
        assert theirs.endswith("Every further bound holds again with that probability.")

    @pytest.mark.parametrize("alarms", range(0, 30, 3))
    def test_is_said_to_be_no_worse_only_with_figures_that_show_it(self, alarms):
        ours = made(loans(12, alarms))
        by_bound, by_count = (
            ours.bound >= ours.baseline["bound"],
            ours.empirical_risk >= ours.baseline["empirical_risk"],
        )
        said = " ".join(ours.remarks())
        assert ("The bound on predict is no better" in said) == by_bound
        assert ("Measured, predict is no better" in said) == (by_count and not by_bound)
        assert ("no better" in ours.verify(loans(12, alarms)).statement) == (by_bound or by_count)

    def test_is_the_cheapest_one_where_there_are_costs(self):
        """A default that is missed costs 20: calling everything a default is cheapest, although it errs most."""
        ours = priced(loans(60, 90), [[0.0, 20.0], [1.0, 0.0]])
        assert ours.empirical_risk > ours.baseline["empirical_risk"]
        one = ours.cost["baseline"]
        assert one["label"] == "default"
        assert one["measured"] == pytest.approx(0.93, abs=1e-12)
        assert one["bound"] == pytest.approx(upper(930, 1000, 0.025), rel=1e-9)
        assert ours.cost["measured"] == pytest.approx(0.29, abs=1e-12)
        assert ours.beats_baseline
        assert "no better" not in ours.statement() + ours.verify(loans(60, 90)).statement
        assert "always answering default" in str(ours)

    def test_is_compared_by_its_costs(self):
        ours = priced(loans(10, 12), [[0.0, 20.0], [1.0, 0.0]])
        theirs = f"no better than that of always answering 'default', {amount(upper(930, 1000, 0.025))}, each {AGAIN}."
        (said,) = (remark for remark in ours.remarks() if "no better" in remark)
        assert said.startswith(f"The bound on the mean cost of predict, {amount(ours.cost_bound)}, is ")
        assert said.endswith(theirs)
        verified = ours.verify(loans(10, 12)).statement
        assert (
            f"Its mean cost is at most {amount(ours.cost_bound)}. This bound on the mean cost is no better" in verified
        )
        ours = priced(loans(10, 10), 3 * (1 - np.eye(2)))
        measured = "Measured, the mean cost of predict, 0.21, is no better than that of always answering 'paid', 0.21."
        assert measured in ours.remarks()

    def test_may_cost_the_same_whatever_is_true(self):
        """An answer outside of the classes that occur, such as asking a colleague."""
        matrix = [[0.0, 0.5, 9.0], [0.5, 0.5, 0.5], [1.0, 0.5, 0.0]]
        ours = priced(loans(10, 12), matrix, ["default", "maybe", "paid"])
        assert ours.cost["baseline"] == {"label": "maybe", "measured": 0.5, "bound": 0.5}


class TestAClassThatIsMostlyMissed:
    """A small error over a model that finds one default in fourteen misleads."""

    def test_follows_the_bound_with_its_certified_recall(self):
        ours = made(loans(5, 0), per_class=True)
        recall = percent_down(1 - upper(65, 70, 0.025))
        said = f"It finds at least {recall} of class 'default' (7.14 % measured), {AGAIN}."
        assert said in ours.remarks()
        assert said in ours.statement()
        theirs = ours.verify(loans(5, 0)).statement
        assert f"It is shown to find at least {recall} of class 'default'." in theirs

    def test_follows_the_bound_with_what_was_measured(self):
        ours = made(loans(5, 0))
        assert list(ours.recalls) == [
            {"label": "default", "n": 70, "measured": pytest.approx(5 / 70, abs=1e-12)},
            {"label": "paid", "n": 930, "measured": pytest.approx(1, abs=1e-12)},
        ]
        said = "On the examples that judge it, it finds 7.14 % of class 'default'."
        assert said in ours.remarks()
        assert said in ours.statement()
        assert "On the judges it finds 7.14 % of class 'default'." in ours.verify(loans(5, 0)).statement

    def test_is_not_mentioned_where_every_class_is_found(self):
        for table, per_class in ((loans(60, 5), False), (loans(60, 5), True), (loans(35, 0), False)):
            ours = made(table, per_class=per_class)
            assert not any("finds" in remark for remark in ours.remarks())
            assert "find" not in ours.verify(table).statement

    def test_is_counted_with_the_others(self):
        truth = np.arange(300) % 4
        table = table_of(truth, np.where(truth == 3, 3, 0))
        assert (
            "On the examples that judge it, it finds 0.00 % of class 1, and less than half of 1 other class, too."
            in made(table).remarks()
        )
        ours = made(table, per_class=True)
        measured = (
            f"It finds at least 0.00 % of class 1 (0.00 % measured), {AGAIN}; less than half is certified of 1 other"
        )
        assert any(remark.startswith(measured) for remark in ours.remarks())
        assert "at least 0.00 % of class 1, and less than half of 1 more." in ours.verify(table).statement

    def test_is_averaged_group_by_group(self):
        """One default in a hundred groups is found, and a hundred in the last group: each group counts the same."""
        truth = np.array(["default", "paid"] * 100 + ["default"] * 100)
        answers = np.array(["paid"] * 200 + ["default"] * 100)
        table = table_of(truth, answers, np.append(np.arange(200) // 2, np.full(100, 100)))
        said = "of class 'default', averaged group by group"
        assert f"On the groups that judge it, it finds 0.99 % {said}." in made(table).remarks()
        assert any(f" {said} (0.99 % measured), {AGAIN}." in each for each in made(table, per_class=True).remarks())

    def test_has_folds_averaged_over_the_key(self):
        pairs = [loan_answers(5, 0, 500, 40), loan_answers(3, 0, 500, 40)]
        truth, answers = (np.concatenate(each) for each in zip(*pairs, strict=True))
        ours = made(table_of(truth, answers, folds=np.repeat([0, 1], 500)), per_class=True)
        assert any(f", on average over that key, {AGAIN}." in remark for remark in ours.remarks())

    @pytest.mark.parametrize("per_class", [False, True])
    def test_is_said_of_votes_that_were_taught_by_their_judges(self, per_class):
        truth, answers = loan_answers(5, 0)
        votes, one = VoteMatrix.from_labels(answers[:, None], truth), Dirichlet(np.ones(1))
        ours = certify([votes], [one], [one], Exact(), BOUNDS["seeger"], 0.05, per_class=per_class)
        assert ours.verify([votes])
        measured = "On the examples that judge it, which also taught it, it finds 7.14 % of class 'default'."
        said = ours.remarks()[0]
        assert (said.startswith("It finds at least ") and "measured" not in said) if per_class else said == measured


class TestTables:
    def test_of_groups_say_so(self):
        ours = judged("hold-out, groups")
        headings = [table.heading for table in ours.tables()]
        assert "right among the answers of predict, group by group" in headings
        assert "mean cost, group by group" in headings
        notes = " ".join(ours.notes())
        assert "the share in a group's answers of the class, averaged over the groups that have some." in notes
        assert "Mean cost: the mean over the rows of a group, averaged over the groups." in notes
        assert "a large group counts no more than a small one" in notes
        assert "key" not in notes

    def test_of_folds_are_a_ratio_of_averages(self):
        ours = judged("folds")
        said = (
            "the share of right answers divided by the share of all answers of the class, both averaged over the key."
        )
        assert said in " ".join(ours.notes())
        assert "group" not in " ".join(table.heading for table in ours.tables())

    def test_of_groups_with_folds_say_why_there_is_no_precision(self):
        assert "Precision is not certified for groups with folds" in str(judged("folds, groups"))

    def test_of_two_classes_have_false_positive_and_negative_rates(self):
        ours = judged("hold-out, stochastic")
        negative, positive = ours.per_class
        assert (ours.false_positive_rate, ours.false_negative_rate) == (negative["bound"], positive["bound"])
        assert ours.recall == pytest.approx([1 - negative["bound"], 1 - positive["bound"]])
        assert f"the error on class {negative['label']!r} is the false-positive rate" in str(ours)
        assert judged("hold-out").false_positive_rate is judged("hold-out").false_negative_rate is None

    def test_have_what_was_asked_for(self):
        bare = judged("hold-out, bare")
        assert (bare.cost, bare.precisions, bare.per_class, bare.cost_bound) == ({}, (), (), None)
        assert bare.recall.shape == bare.precision.shape == bare.f1.shape == (0,)
        ours, first = judged("hold-out"), judged("hold-out").precisions[0]
        text = str(ours)
        assert f"{first['label']} ({first['n']} answers)" in text
        assert percent_down(first["bound"]) in text
        assert amount(ours.cost_bound) in text
        assert "right among the answers" in ours._repr_html_()

    def test_show_no_measured_figure_of_what_is_not_there(self):
        table = loans(0, 0)  # nobody is called a default
        (precision,) = (t for t in made(table, per_class=True).tables() if t.heading.startswith("right among"))
        assert [bool(measured) for _, _, measured in precision.lines] == [False, True]


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


@pytest.mark.parametrize(("value", "shown"), [(0.98765, "98.76 %"), (0.5, "50.00 %"), (-1e-17, "0.00 %")])
def test_lower_bounds_are_rounded_down(value, shown):
    assert percent_down(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.23401, "1.235"), (12345.6, "12350"), (0.0, "0"), (-1.23456, "-1.234"), (0.000123401, "0.0001235")],
)
def test_costs_are_rounded_up(value, shown):
    assert amount(value) == shown


def test_the_bound_on_the_cheapest_answer_fails_no_more_often_than_delta():
    """Three answers that cost about the same on average, so that the luckiest one is chosen."""
    shares = np.array([0.2, 0.3, 0.5])
    costs = Costs([0, 1, 2], np.array([[0.0, 3.5, 1.5], [2.0, 0.0, 4.0], [1.8, 2.0, 0.6]]))
    truths, too_low = shares @ costs.matrix, 0
    assert np.ptp(truths) < 0.5
    for seed in range(draws_to_catch(0.4, 0.2)):
        frequency = np.random.default_rng(seed).multinomial(40, shares).astype(float)
        found = cheapest_answer(costs, np.arange(3), frequency, 0.2 / 3, grouped=False)
        assert found["measured"] == pytest.approx((frequency @ costs.matrix).min() / 40)
        too_low += found["bound"] < truths[found["label"]]
    assert too_low <= most_violations(draws_to_catch(0.4, 0.2), 0.2)


NASTY = ["a\n\n# Proven for 99 %\n", "b|c", "*x* <b> `q` [l](javascript:1) _y_ $z$ \\", "\x1b[2Jclear"]
ENDS = ("open", "close")


@pytest.fixture(scope="module")
def nasty():
    return certify_predictions(NASTY * 30, [*NASTY[:3], NASTY[1]] * 30, subgroups={NASTY[0]: NASTY * 30})


class TestNamesFromFiles:
    """Names of classes and columns are shown as they are: they format nothing, add no lines, and obey no terminal."""

    def test_in_markdown(self, nasty):
        markdown_it = pytest.importorskip("markdown_it", reason="comes with rich, which the extra cli needs")
        page = markdown_it.MarkdownIt("commonmark").enable("table").parse(nasty.to_markdown())
        assert {token.type for token in page} <= {
            *(f"{name}_{end}" for name in ("paragraph", "table", "thead", "tbody", "tr", "th", "td") for end in ENDS),
            *(f"{name}_{end}" for name in ("bullet_list", "list_item") for end in ENDS),
            "inline",
        }
        inside = [part for token in page if token.type == "inline" for part in token.children]
        assert {part.type for part in inside} <= {"text", "text_special", "strong_open", "strong_close"}
        text = "".join(part.content for part in inside)
        assert all(name in text for name in (NASTY[1], NASTY[2], r"a\n\n# Proven for 99 %\n"))

    def test_in_text(self, nasty):
        lines = str(nasty).splitlines()
        assert not any(line.startswith("#") for line in lines)
        assert "\x1b" not in str(nasty)
        assert any(line.startswith(r"a\n\n# Proven for 99 %\n (30 examples)") for line in lines)


def test_the_verifier_says_that_a_class_is_found_group_by_group():
    truth, said = np.tile([0, 0, 1, 1], 60), np.tile([0, 0, 0, 0], 60)
    ours = certify_predictions(truth, said, groups=np.arange(240) // 4)
    assert "of class 1, averaged group by group" in ours.statement()
    assert "of class 1, averaged group by group" in ours.verify().statement
