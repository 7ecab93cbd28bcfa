"""Figures of tested certificates, against counting by hand and other implementations."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, binom
from sklearn.metrics import confusion_matrix, precision_score, recall_score

from certificate.made import TABLES, certified, costs_of, guesses, judged, judgments, protocol_of, table_of
from stocmv import verify
from stocmv.bounds import FoldTest, bentkus, clopper_pearson
from stocmv.certificate import Costs, Judgments, certify_judgments
from stocmv.certificate._precision import _mixed

every_table = pytest.mark.parametrize("name", TABLES)


def units(table, values, rows=None):
    """Fold by fold, the values of the examples or the means of the groups, among some rows; counted one by one."""
    rows = np.ones(len(table), bool) if rows is None else rows
    found = []
    for k in range(table.n_folds):
        inside = rows & (table.fold == k)
        if table.grouped:
            found.append([np.mean(values[inside & (table.group == g)]) for g in np.unique(table.group[inside])])
        else:
            found.append([float(value) for value in values[inside]])
    return found


def mean(shares, found):
    """The mean of the folds; 1 for one without anything."""
    return float(np.dot(shares, [np.mean(each) if len(each) else 1.0 for each in found]))


class TestMeasured:
    @every_table
    def test_errors_of_everyone_and_of_each_class(self, name):
        table, ours = table_of(name), judged(name)
        wrong = (table.answer != table.truth) | (table.silent if table.silent is not None else False)
        assert ours.n == sum(len(each) for each in units(table, wrong))
        assert ours.empirical_risk == pytest.approx(mean(ours.fold_shares, units(table, wrong)), rel=1e-12)
        for c, entry in enumerate(ours.per_class):
            found = units(table, wrong, table.truth == c)
            assert entry["n"] == sum(map(len, found))
            assert entry["empirical_risk"] == pytest.approx(mean(ours.fold_shares, found), rel=1e-12)

    @every_table
    def test_losses_of_the_stochastic_vote(self, name):
        table, ours = table_of(name), judged(name)
        assert ours.has_stochastic_vote == (table.loss is not None) == ("stochastic_risk" in ours.figures["error"])
        if table.loss is not None:
            found = units(table, table.loss)
            assert ours.figures["error"]["stochastic_risk"] == pytest.approx(mean(ours.fold_shares, found), rel=1e-12)
            for c, entry in enumerate(ours.per_class):
                found = units(table, table.loss, table.truth == c)
                assert entry["stochastic_risk"] == pytest.approx(mean(ours.fold_shares, found), rel=1e-12)

    @every_table
    def test_precisions(self, name):
        table, ours = table_of(name), judged(name)
        assert bool(ours.precisions) == (not (table.grouped and table.n_folds > 1))
        for c, entry in enumerate(ours.precisions):
            found = units(table, table.truth == c, table.answer == c)
            sizes = [len(each) for each in units(table, table.truth)]
            weights = [q * len(each) / n for q, each, n in zip(ours.fold_shares, found, sizes, strict=True)]
            assert entry["n"] == sum(map(len, found))
            assert entry["measured"] == pytest.approx(np.average(list(map(np.mean, found)), weights=weights), rel=1e-9)

    @every_table
    def test_costs(self, name):
        table, ours = table_of(name), judged(name)
        matrix = costs_of(table).matrix
        found = units(table, matrix[table.truth, table.answer])
        assert ours.cost["measured"] == pytest.approx(mean(ours.fold_shares, found), rel=1e-9)
        every = [np.mean(np.concatenate(units(table, matrix[table.truth, c]))) for c in range(len(matrix))]
        assert ours.cost["baseline"]["label"] == table.classes[np.argmin(every)].item()
        assert ours.cost["baseline"]["measured"] == pytest.approx(min(every), rel=1e-9)

    @every_table
    def test_the_most_frequent_class(self, name):
        table, ours = table_of(name), judged(name)
        errors = [np.mean(np.concatenate(units(table, table.truth != c))) for c in range(len(table.classes))]
        assert ours.baseline["label"] == table.classes[np.argmin(errors)].item()
        assert ours.baseline["empirical_risk"] == pytest.approx(min(errors), rel=1e-12)

    def test_as_scikit_learn_counts(self):
        table, ours = table_of("hold-out"), judged("hold-out")
        recall = recall_score(table.truth, table.answer, average=None)
        assert [1 - entry["empirical_risk"] for entry in ours.per_class] == pytest.approx(recall, rel=1e-9)
        precision = precision_score(table.truth, table.answer, average=None)
        assert [entry["measured"] for entry in ours.precisions] == pytest.approx(precision, rel=1e-9)
        cost = (confusion_matrix(table.truth, table.answer) * costs_of(table).matrix).sum() / len(table)
        assert ours.cost["measured"] == pytest.approx(cost, rel=1e-9)
        assert [entry["measured"] for entry in judged("hold-out, bare").recalls] == pytest.approx(recall, rel=1e-9)


class TestBounds:
    def test_of_examples_are_clopper_and_pearsons(self):
        table, ours = table_of("hold-out"), judged("hold-out")
        n, wrong = len(table), int(table.wrong.sum())
        assert ours.bound == pytest.approx(beta.isf(0.05, wrong + 1, n - wrong), rel=1e-9)
        for c, entry in enumerate(ours.per_class):
            n, wrong = entry["n"], int(table.wrong[table.truth == c].sum())
            assert entry["bound"] == pytest.approx(beta.isf(0.05 / 3, wrong + 1, n - wrong), rel=1e-9)
        for c, entry in enumerate(ours.precisions):
            n, wrong = entry["n"], int((table.truth != c)[table.answer == c].sum())
            assert entry["bound"] == pytest.approx(1 - clopper_pearson(wrong, n, 0.05 / 3), rel=1e-9)

    @pytest.mark.parametrize("name", ["hold-out, groups", "hold-out, groups, stochastic", "hold-out, stochastic"])
    def test_of_groups_losses_and_costs_are_bentkuss(self, name):
        table, ours = table_of(name), judged(name)
        if table.grouped:
            assert ours.bound == pytest.approx(bentkus(ours.empirical_risk, ours.n, 0.05), rel=1e-6)
        if table.loss is not None:
            risk = ours.figures["error"]["stochastic_risk"]
            assert ours.stochastic_bound == pytest.approx(bentkus(risk, ours.n, 0.05), rel=1e-6)
        matrix = costs_of(table).matrix
        low, span = matrix.min(), np.ptp(matrix)
        scaled = bentkus((ours.cost["measured"] - low) / span, ours.n, 0.05)
        is_counted = len(np.unique(matrix)) == 2 and not table.grouped
        assert is_counted or ours.cost_bound == pytest.approx(low + span * scaled, rel=1e-6)

    def test_of_two_costs_are_counted(self):
        table = table_of("hold-out")
        ours = certify_judgments(table, 0.05, costs=costs_of(table, uneven=False))
        assert ours.cost_bound == pytest.approx(1 + 2.5 * ours.bound, rel=1e-12)

    @pytest.mark.parametrize("name", ["hold-out", "folds"])
    def test_a_cost_of_one_for_every_error_is_the_error(self, name):
        table = table_of(name)
        costs = Costs(table.classes.tolist(), 7 * (1 - np.eye(3)) - 2)
        ours = certify_judgments(table, 0.05, guesses=guesses(table), costs=costs)
        assert ours.cost["measured"] == pytest.approx(7 * ours.empirical_risk - 2, rel=1e-9)
        assert ours.cost_bound == pytest.approx(7 * ours.bound - 2, abs=0.1 if name == "folds" else 1e-9)

    @pytest.mark.parametrize("name", ["folds", "folds, groups"])
    def test_of_folds_are_those_of_the_fold_test(self, name):
        table, ours = table_of(name), judged(name)
        slope, offset, scale = (np.array(ours.fold_test[key]) for key in ("slope", "offset", "scale"))
        risks = np.array([np.mean(each) for each in units(table, table.wrong)])
        shares = (1 / scale) / (1 / scale).sum()
        assert ours.fold_shares == pytest.approx(shares, rel=1e-12)
        assert ours.bound == pytest.approx(shares @ (slope * risks + offset) + len(scale) / (1 / scale).sum(), rel=1e-9)

    def test_of_the_baseline_pays_for_its_choice(self):
        """The largest error p at which so few errors still have the probability ``delta (1 - p)``."""
        ours = judged("hold-out")
        n, p = ours.n, ours.baseline["bound"]
        errors = round(ours.baseline["empirical_risk"] * n)
        assert binom.cdf(errors, n, p) == pytest.approx(0.05 * (1 - p), rel=1e-6)

    @pytest.mark.parametrize("name", ["hold-out", "folds", "hold-out, groups"])
    def test_of_what_is_not_there_are_empty_promises(self, name):
        """A class that has no examples, and an answer that nobody gives."""
        table = replace(table_of(name), classes=np.arange(4), scores=None)
        ours = certified(table, per_class=True)
        last, answer = ours.per_class[-1], ours.precisions[-1]
        assert (last["n"], last["bound"], last["empirical_risk"]) == (0, 1.0, pytest.approx(1.0))
        assert (answer["n"], answer["bound"], answer["measured"]) == (0, 0.0, 0.0)
        assert ours.verify(table), ours.verify(table)

    def test_a_class_that_every_fold_gets_wrong(self):
        """The shares of the folds sum to one but for rounding, and no risk may exceed one."""
        seen = 0
        for n_folds in range(2, 12):
            fold = np.repeat(np.arange(n_folds, dtype=np.uint8), 20)
            truth = np.tile(np.arange(2, dtype=np.uint8), 10 * n_folds)
            table = Judgments(np.arange(2), truth, np.zeros(20 * n_folds, np.uint8), fold)
            ours = certified(table, per_class=True)
            seen += float(np.array(ours.fold_shares) @ np.ones(n_folds)) > 1
            assert 1 - 1e-15 <= ours.per_class[1]["empirical_risk"] <= 1
            assert ours.verify(table), ours.verify(table)
        assert seen


class TestPrecisionOfFolds:
    def test_holds_for_all_weights_that_the_folds_may_have(self):
        rng = np.random.default_rng(0)
        for _ in range(10):
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

    def test_that_answer_a_class_in_some_folds_only(self):
        table = judgments(n_folds=3, wrong=0.1)
        answer = np.where((table.answer == 2) & (table.fold != 1), 0, table.answer).astype(np.uint8)
        table = replace(table, answer=answer, scores=None)
        ours = certified(table, per_class=True)
        assert 0 < ours.precisions[2]["n"] == np.sum(answer == 2)
        assert ours.verify(table), ours.verify(table)


class TestProtocols:
    @every_table
    def test_are_told_with_the_judges(self, name):
        table = table_of(name)
        assert protocol_of(table)["judging"] == judged(name).n
        told = judged(name).made_and_judged
        assert f"{judged(name).n:,}" in told


# ------------------------------------------------------------------------------------------ the verifier's own formulas


def excess(p, slope, offset, n):
    """``E (p - a B/n - t)_+`` as it is written."""
    counts = np.arange(n + 1)
    room = np.maximum(p[:, None] - slope * counts / n - offset, 0)
    return (binom.pmf(counts, n, p[:, None]) * room).sum(1)


class TestVerifiersFormulas:
    @pytest.mark.parametrize("n", [1, 2, 16, 1000])
    @pytest.mark.parametrize("p", [1e-9, 0.001, 0.3, 0.999, 1.0])
    def test_probabilities_of_counts(self, n, p):
        counts = np.arange(-1, n + 2)
        np.testing.assert_allclose(verify.binomial(counts, n, p), binom.pmf(counts, n, p), rtol=1e-11, atol=1e-300)

    @pytest.mark.parametrize("n", [1, 2, 40, 500])
    @pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (1.3, 0.01), (4.5, 0.0), (1.0, 0.2)])
    def test_expected_shortfall(self, n, slope, offset):
        p = np.linspace(0, 1, 301)
        found = verify.shortfall(p - offset, slope, n, p)
        np.testing.assert_allclose(found, excess(p, slope, offset, n), rtol=1e-9, atol=1e-14)

    @pytest.mark.parametrize("n", [1, 2, 7, 40])
    @pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (1.2, 0.001), (4.5, 0.0), (1.0, 0.1)])
    def test_the_supremum_is_neither_missed_nor_exceeded(self, n, slope, offset):
        p = np.sin(np.linspace(0, np.pi / 2, 20_001)) ** 2  # finer near 0
        largest = excess(p, slope, offset, n).max()
        for factor in (1 + 1e-5, 1.001, 1.5, 40.0):
            assert verify.largest_excess(slope, offset, n, largest * factor) <= largest * (1 + 1e-5)
        for factor in (1 - 1e-7, 0.99, 0.5, 0.01):
            assert verify.largest_excess(slope, offset, n, largest * factor) > largest * factor

    def test_a_supremum_of_nothing(self):
        assert verify.largest_excess(1.5, 1.0, 10, 1e-9) == 0
        assert verify.largest_excess(1.5, 7.0, 10, 1e-9) == 0

    @pytest.mark.parametrize("n", [1, 30, 1000, 10**5, 10**7])
    @pytest.mark.parametrize("error", [0.0, 0.002, 0.05, 0.4])
    def test_the_constants_that_the_package_chooses_are_proven(self, n, error):
        test = FoldTest.choose([error], [n], 0.05)
        (slope,), (offset,), (scale,) = test.slope, test.offset, test.scale
        needed = verify.largest_excess(slope, offset, n, 0.05 * scale) / 0.05
        assert 0.97 * scale < needed <= scale
        assert verify.largest_excess(slope, offset, n, 0.96 * 0.05 * scale) > 0.96 * 0.05 * scale

    def test_a_proof_for_ten_million_examples_needs_few_cells(self, monkeypatch):
        cells, counted = [], verify.shortfall

        def counting(room, slope, n, p):
            cells.append(len(p))
            return counted(room, slope, n, p)

        monkeypatch.setattr(verify, "shortfall", counting)
        test = FoldTest.choose([0.1], [10**7], 0.05)
        proven = verify.largest_excess.__wrapped__(test.slope[0], test.offset[0], 10**7, 0.05 * test.scale[0])
        assert proven < 0.05 * test.scale[0]
        assert 0 < sum(cells) < 10**6

    @pytest.mark.parametrize("n", [1, 50, 10**6])
    @pytest.mark.parametrize("risk", [0.0, 0.001, 0.31, 1.0])
    @pytest.mark.parametrize("delta", [0.3, 0.05, 0.001])
    def test_bentkus_is_that_of_the_package(self, n, risk, delta):
        (least, most), theirs = verify.one_sample(risk * n, n, delta, False), bentkus(risk, n, delta)
        assert least * (1 - 1e-11) <= theirs <= most + 1e-9

    @pytest.mark.parametrize("errors", [0, 1, 7, 19])
    def test_bentkus_is_no_less_than_clopper_and_pearson(self, errors):
        exact = beta.isf(0.05, errors + 1, 20 - errors)
        assert verify.one_sample(errors, 20, 0.05, True) == pytest.approx((exact, exact), rel=1e-12)
        assert verify.one_sample(errors, 20, 0.05, False)[0] >= exact * (1 - 1e-12)

    def test_nothing_is_certified_from_no_examples(self):
        assert verify.one_sample(0, 0, 0.05, True) == verify.one_sample(0, 0, 0.05, False) == (1.0, 1.0)

    @pytest.mark.parametrize("errors", [0, 5, 40])
    def test_an_answer_chosen_on_its_judges(self, errors):
        least, most = verify.chosen_answer(errors, 60, 0.05, True)
        assert least == most
        assert binom.cdf(errors, 60, least) == pytest.approx(0.05 * (1 - least), rel=1e-9)

    def test_the_largest_mean_over_intervals_of_weights(self):
        rng = np.random.default_rng(0)
        for _ in range(20):
            values, low = rng.random(4), rng.random(4) * 0.3
            high = low + rng.random(4)
            corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), -1).reshape(-1, 4)
            means = (corners @ values) / corners.sum(1)
            assert verify._largest_mean(values, low, high) == pytest.approx(means.max(), rel=1e-12)
