"""Certificates of any model from its answers: against scipy, on input of all kinds, in files."""

import re

import numpy as np
import pytest
from scipy.stats import beta, binom

from certificate.forging import changed, content_of, evidence_for, holds, reasons, recomputed, sealed
from stocmv import certify_predictions
from stocmv.bounds import bentkus
from stocmv.certificate import Certificate, Judgments, check_cost
from stocmv.decisions import NotCertified, certify_selective, certify_threshold, roc_band
from stocmv.verify import verify_files

DELTA = 0.05


def upper(errors, n, delta=DELTA):
    """Clopper and Pearson's bound."""
    return 1.0 if errors == n else beta.ppf(1 - delta, errors + 1, n - errors)


def answers(n=300, seed=0):
    """Truth, answers, and the second class's probability."""
    rng = np.random.default_rng(seed)
    truth = np.where(rng.random(n) < 0.3, "yes", "no")
    p = np.clip(np.where(truth == "yes", 0.7, 0.2) + rng.normal(0, 0.2, n), 0.01, 0.99)
    return truth, np.where(p > 0.5, "yes", "no"), p


class TestFigures:
    def test_are_those_of_scipy(self):
        truth, said, _ = answers()
        ours = certify_predictions(truth, said, cost=[[0, 1], [1, 0]])
        wrong = truth != said
        assert ours.bound == pytest.approx(upper(wrong.sum(), 300), rel=1e-9)
        assert ours.cost_bound == pytest.approx(ours.bound, rel=1e-9)
        for c, label in enumerate(["no", "yes"]):
            own, given = truth == label, said == label
            assert ours.per_class[c]["bound"] == pytest.approx(upper(wrong[own].sum(), own.sum(), DELTA / 2), rel=1e-9)
            precision = 1 - upper(wrong[given].sum(), given.sum(), DELTA / 2)
            assert ours.precision[c] == pytest.approx(precision, rel=1e-9)
            jaccard = 1 - upper(wrong[own | given].sum(), (own | given).sum(), DELTA / 2)
            assert ours.f1[c] == pytest.approx(2 * jaccard / (1 + jaccard), rel=1e-9)
        assert ours.verify(), ours.verify().differences
        assert "the model errs on at most" in ours.statement()
        assert "predict" not in ours.statement()

    @pytest.mark.parametrize("n", [1, 10])
    def test_of_few_examples_or_one_class(self, n):
        ours = certify_predictions(["a"] * n, ["a"] * n, subgroups=["x"] * n)
        assert ours.bound == pytest.approx(upper(0, n), rel=1e-9)
        assert ours.verify(), ours.verify().differences
        assert certify_predictions(["a"], ["b"]).bound == 1.0

    def test_of_groups_are_bentkuss(self):
        truth, said, _ = answers()
        groups, wrong = np.arange(300) % 100, truth != said
        ours = certify_predictions(truth, said, groups=groups)
        mean = np.mean([wrong[groups == g].mean() for g in range(100)])
        assert ours.n == 100
        assert ours.bound == pytest.approx(bentkus(mean, 100, DELTA), rel=1e-6)
        assert ours.verify(), ours.verify().differences

    def test_scores_of_two_classes_calibrate(self):
        truth, said, p = answers(2000)
        ours = certify_predictions(truth, said, scores=p, calibration=True)
        both = certify_predictions(truth, said, scores=np.column_stack([1 - p, p]), calibration=True)
        assert ours == both
        assert ours.calibration
        assert ours.verify(), ours.verify().differences

    def test_in_files(self, tmp_path):
        truth, said, p = answers()
        context = {"model": "v1", "sizes": (1, 2)}
        ours = certify_predictions(truth, said, scores=p, subgroups={"odd": np.arange(300) % 2}, context=context)
        ours.to_json(tmp_path / "certificate.json")
        ours.evidence_.save(tmp_path / "evidence.npz")
        again = Certificate.from_json(tmp_path / "certificate.json")
        assert again == ours
        assert again.evidence_ is None
        assert str(again) == str(ours)
        assert verify_files(tmp_path / "certificate.json", tmp_path / "evidence.npz")


COSTS = [[0, 1], [5, 0]]


@pytest.fixture(scope="module")
def certified():
    truth, said, p = answers(2000)
    return certify_predictions(truth, said, scores=p, cost=COSTS)


class TestDecisions:
    """Answering only when sure, and thresholds, from the scores of any model."""

    def test_are_those_of_a_fitted_vote(self, certified):
        table = certified.evidence_
        sure = certified.selective(0.05)
        theirs = certify_selective(table, certified, max_error=0.05)
        assert (sure.figures, sure.thresholds, sure.claims) == (theirs.figures, theirs.thresholds, theirs.claims)
        found, costs = certified.threshold(min_recall=0.6), check_cost(COSTS, ["no", "yes"])
        theirs = certify_threshold(table, certified, min_recall=0.6, costs=costs)
        assert (found.figures, found.threshold, found.claims) == (theirs.figures, theirs.threshold, theirs.claims)
        assert certified.roc().auc_bound == roc_band(table, certified, "yes").auc_bound

    @pytest.mark.parametrize(
        "ask",
        [
            lambda c: c.selective(0.05),
            lambda c: c.selective({"no": 0.2, "yes": 0.3}),
            lambda c: c.selective(min_coverage=0.5),
            lambda c: c.threshold("yes", at=0.5),
            lambda c: c.threshold("no", min_precision=0.6),
            lambda c: c.threshold(max_cost=2.0),
            lambda c: c.threshold(at=c.roc().at(0.4)),
        ],
    )
    def test_are_verified_and_say_what_is_assumed(self, certified, ask):
        made = ask(certified)
        assert made.verify(certified.evidence_), made.verify(certified.evidence_).differences
        assert any("The model was fixed before" in each for each in made.assumptions)

    def test_from_files(self, certified, tmp_path):
        certified.to_json(tmp_path / "certificate.json")
        certified.evidence_.save(tmp_path / "evidence.npz")
        read = Certificate.from_json(tmp_path / "certificate.json")
        with pytest.raises(ValueError, match="pass evidence="):
            read.selective(0.05)
        table = Judgments.load(tmp_path / "evidence.npz")
        assert read.selective(0.05, evidence=table) == certified.selective(0.05)
        assert read.threshold(at=0.5, evidence=table) == certified.threshold(at=0.5)

    def test_what_is_refused(self, certified):
        truth, said, _ = answers()
        plain = certify_predictions(truth, said)
        with pytest.raises(ValueError, match="give MajorityVoteClassifier or certify_predictions cost="):
            certify_predictions(truth, said, scores=answers()[2]).threshold("yes", max_cost=2.0)
        for ask in (lambda c: c.selective(0.1), lambda c: c.threshold(at=0.5), lambda c: c.roc()):
            with pytest.raises(ValueError, match="scores"):
                ask(plain)
        with pytest.raises(NotCertified, match=r"max_error=0\.0001"):
            certified.selective(0.0001)
        with pytest.raises(ValueError, match="digests differ"):
            certified.selective(0.1, evidence=plain.evidence_)


class TestInput:
    def test_of_any_kind_gives_the_same_figures(self):
        pandas = pytest.importorskip("pandas")
        truth, said, _ = answers(60)
        ours = certify_predictions(truth, said)
        frames = [
            (truth.tolist(), said.tolist()),
            (pandas.Series(truth), pandas.Series(said, index=range(60, 0, -1))),
            (pandas.Series(truth, dtype="category"), said.astype(object)),
            (pandas.Series(truth, dtype="string"), said),
        ]
        assert all(certify_predictions(*each) == ours for each in frames)
        ints = certify_predictions((truth == "yes").astype(int), (said == "yes").astype(float))
        nullable = pandas.Series(truth == "yes").astype("Int64")
        assert certify_predictions(nullable, (said == "yes").astype(np.uint64)) == ints
        assert certify_predictions(truth == "yes", said == "yes").bound == ints.bound == ours.bound

    def test_columns_of_frames_are_found_by_their_names(self):
        pandas = pytest.importorskip("pandas")
        truth, said, p = answers(200)
        ours = certify_predictions(truth, said, scores=p, cost=COSTS)
        both = np.column_stack([1 - p, p])
        frames = [
            pandas.DataFrame({"yes": p, "no": 1 - p}),
            pandas.DataFrame({"no": 1 - p, "yes": p}),
            pandas.DataFrame(both),
        ]
        labels = ["yes", "no"]
        costs = [pandas.DataFrame([[0, 5], [1, 0]], labels, labels), pandas.DataFrame(COSTS)]
        assert all(certify_predictions(truth, said, scores=s, cost=c) == ours for s in frames for c in costs)
        for names in (["yes", "other"], ["yes", "yes"]):
            with pytest.raises(ValueError, match="scores must have a column for each of the classes"):
                certify_predictions(truth, said, scores=pandas.DataFrame(both, columns=names))
        with pytest.raises(ValueError, match="no row for the true class 'other'"):
            certify_predictions(truth, said, cost=pandas.DataFrame([[0, 5], [1, 0]], labels, ["yes", "other"]))

    def test_delta_of_any_kind_of_float(self):
        truth, said, _ = answers(60)
        assert certify_predictions(truth, said, delta=np.float32(0.25)) == certify_predictions(truth, said, delta=0.25)

    def test_classes_that_do_not_occur(self):
        ours = certify_predictions(["a", "b"], ["a", "b"], classes=["a", "b", "c"])
        assert [entry["n"] for entry in ours.per_class] == [1, 1, 0]
        assert ours.verify()

    @pytest.mark.parametrize(
        ("truth", "said", "more", "message"),
        [
            (["a"], [1], {}, "y_true holds texts such as 'a' and y_pred numbers such as 1: give both the same labels."),
            ([1, 2], [1], {}, "one label for each example, got 2 and 1."),
            ([], [], {}, "y_true and y_pred are empty"),
            ([1, None], [1, 1], {}, "y_true has missing values"),
            ([1, 1], [1, np.nan], {}, "y_pred has missing values"),
            ([[1], [2]], [1, 2], {}, "y_true must have 1 dimension"),
            (["a", "b"], ["a", "b"], {"classes": ["a", "c"]}, "y_true has the label 'b', which is not in classes."),
            ([0, 1], [0, 1], {"scores": [0.5]}, "scores must have a row for each of the 2 examples"),
            ([0, 1], [0, 1], {"scores": [0.5, 1.5]}, "scores must lie between 0 and 1"),
            ([0, 1], [0, 1], {"scores": ["x", "y"]}, "scores must be an array of numbers"),
            ([0, 1], [0, 1], {"scores": [0.2, 72.4]}, "those of an example must sum to 1: that of row 2 is 72.4."),
            ([0, 1], [0, 1], {"scores": [[0.2, 0.8], [1, np.nan]]}, "those of row 2 are 1, nan."),
            ([0, 1], [0, 1], {"calibration": True}, "pass scores"),
            ([0, 1], [0, 1], {"groups": [1]}, "groups must name the group of each of the 2 examples"),
            ([0, 1], [0, 1], {"subgroups": ["x"]}, "a value for each of the 2 examples, got the shape (1,)."),
            ([0, 1], [0, 1], {"subgroups": "x"}, "subgroups must be a data frame, a dict or an array"),
            ([0, 1], [0, 1], {"subgroups": {}}, "subgroups has no columns."),
            ([0, 1], [0, 1], {"subgroups": {1: "ab", "1": "ab"}}, "two columns of the same name."),
            ([0, 1], [0, 1], {"subgroups": [1, "1"]}, "different values of 'subgroup' that are both written '1'"),
            ([0, 1], [0, 1], {"subgroups": ["a", "a\0"]}, "that are both written 'a'"),
            ([0, 1], [0, 1], {"subgroups": [None, "(missing)"]}, "that are both written '(missing)'"),
            ([0, 1], [0, 1], {"context": {"when": object}}, "context must hold texts, numbers, lists and dicts"),
            ([0, 1], [0, 1], {"context": {"x": float("nan")}}, "context must hold texts, numbers, lists and dicts"),
            ([0, 1], [0, 1], {"context": {1: 2}}, "context must be a dict with texts as keys"),
            ([0, 1], [0, 1], {"context": {"x": [[[[[[[[1]]]]]]]]}}, "it is nested too deeply."),
        ],
        ids=str,
    )
    def test_that_means_nothing_is_refused(self, truth, said, more, message):
        with pytest.raises(ValueError, match=re.escape(message)):
            certify_predictions(truth, said, **more)

    def test_context_is_free(self):
        ours = certify_predictions([0, 1], [0, 1], context={"without_probabilities": 5})
        assert ours.verify()
        assert str(ours)


# ------------------------------------------------------------------------------------------------------- subgroups


def columns(n=300):
    rng = np.random.default_rng(1)
    return {"region": rng.choice(["east", "north", "west"], n), "old": rng.random(n) < 0.4}


class TestSubgroups:
    def test_are_those_of_scipy_and_overlap(self):
        truth, said, _ = answers()
        ours, wrong = certify_predictions(truth, said, subgroups=columns()), truth != said
        entries = ours.subgroups["entries"]
        names = [(entry["attribute"], entry["value"]) for entry in entries]
        assert names == [("region", x) for x in ("east", "north", "west")] + [("old", "False"), ("old", "True")]
        for entry in entries:
            own = columns()[entry["attribute"]].astype(str) == entry["value"]
            n, errors = own.sum(), wrong[own].sum()
            assert entry["n"] == n
            assert entry["bound"] == pytest.approx(upper(errors, n), rel=1e-9)
            assert entry["upper"] == pytest.approx(upper(errors, n, DELTA / 10), rel=1e-9)
            assert entry["lower"] == pytest.approx(1 - upper(n - errors, n, DELTA / 10), rel=1e-9)
        for gap in ours.subgroups["gaps"]:
            own = [entry for entry in entries if entry["attribute"] == gap["attribute"]]
            lows, highs = ([entry[end] for entry in own] for end in ("lower", "upper"))
            assert gap["upper"] == pytest.approx(max(highs) - min(lows), rel=1e-9)
            assert gap["lower"] == pytest.approx(max(max(lows) - min(highs), 0), abs=1e-12)
        assert ours.verify(), ours.verify().differences

    def test_of_groups_are_bentkuss(self):
        """A group may have rows in several subgroups; in each of them it counts once."""
        truth, said, _ = answers()
        groups, wrong = np.arange(300) % 60, truth != said
        ours = certify_predictions(truth, said, subgroups=columns(), groups=groups)
        for entry in ours.subgroups["entries"]:
            own = columns()[entry["attribute"]].astype(str) == entry["value"]
            means = [wrong[own & (groups == g)].mean() for g in np.unique(groups[own])]
            assert entry["n"] == len(means)
            assert entry["upper"] == pytest.approx(bentkus(np.mean(means), len(means), DELTA / 10), rel=1e-6)
            low = 1 - bentkus(1 - np.mean(means), len(means), DELTA / 10)
            assert entry["lower"] == pytest.approx(low, rel=1e-6, abs=1e-9)
        assert ours.verify(), ours.verify().differences

    def test_in_frames_dicts_arrays_and_series(self):
        pandas = pytest.importorskip("pandas")
        truth, said, _ = answers(6)
        seen = [
            (pandas.Series(["x", pandas.NA, "y"] * 2, dtype="string", name="r"), ["r = (missing)", "r = x", "r = y"]),
            (pandas.Series(pandas.Categorical(["x", "y"] * 3, ["x", "y", "z"])), ["subgroup = x", "subgroup = y"]),
            (pandas.DataFrame({"r": pandas.array([1, None] * 3, "Int64")}), ["r = (missing)", "r = 1"]),
            (np.array([["x", "u"], ["y", "u"]] * 3), ["column 0 = x", "column 0 = y", "column 1 = u"]),
            (np.ma.masked_array([1, 2] * 3, [False, True] * 3), ["subgroup = (missing)", "subgroup = 1"]),
            (["nan", float("nan")] * 3, ["subgroup = (missing)", "subgroup = nan"]),
            ({"": ["\x1b[2K\n<b>", "\ud800"] * 3}, [" = \x1b[2K\n<b>", " = \ud800"]),
            ([10**30, True] * 3, [f"subgroup = {10**30}", "subgroup = True"]),
        ]
        for given, names in seen:
            ours = certify_predictions(truth, said, subgroups=given)
            assert [f"{x['attribute']} = {x['value']}" for x in ours.subgroups["entries"]] == names
            assert ours.verify(), ours.verify().differences
        with pytest.raises(ValueError, match="two columns of the same name"):
            certify_predictions(truth, said, subgroups=pandas.DataFrame(np.zeros((6, 2)), columns=["r", "r"]))

    def test_three_hundred(self):
        truth, said, _ = answers(900)
        ours = certify_predictions(truth, said, subgroups=np.arange(900) % 300)
        assert len(ours.subgroups["entries"]) == 300
        assert ours.evidence_.subgroup.dtype == np.uint16
        assert ours.verify(), ours.verify().differences

    def test_a_difference_that_is_proven_is_said(self):
        n = 400
        wrong = np.arange(n) % 2 * (np.arange(n) < 360) > 0
        ours = certify_predictions(np.zeros(n, int), wrong.astype(int), subgroups={"odd": np.arange(n) % 2})
        (gap,) = ours.subgroups["gaps"]
        assert (gap["most"], gap["least"]) == ("1", "0")
        assert "It errs more often where odd is '1' than where it is '0'" in ours.statement()
        grouped = certify_predictions(
            np.zeros(n, int), wrong.astype(int), subgroups={"odd": np.arange(n) % 2}, groups=np.arange(n) // 2
        )
        assert "percentage points, averaged group by group, again" in grouped.statement()


class TestForgedSubgroups:
    def honest(self):
        truth, said, _ = answers()
        ours = certify_predictions(truth, said, subgroups=columns())
        return content_of(ours), evidence_for(ours.evidence_)

    def rejected(self, content, evidence):
        return not holds(sealed(content), evidence) and not holds(sealed(recomputed(content, evidence)), evidence)

    @pytest.mark.parametrize(
        "change",
        [
            lambda entries: entries[:-1],
            lambda entries: [entries[1], entries[0], *entries[2:]],
            lambda entries: [{**entries[0], "value": "east "}, *entries[1:]],
            lambda entries: [*entries, entries[0]],
        ],
    )
    def test_left_out_swapped_renamed_or_repeated(self, change):
        content, evidence = self.honest()
        assert self.rejected(changed(content, ("figures", "subgroups", "entries"), change), evidence)

    def test_the_figure_left_out(self):
        content, evidence = self.honest()
        del content["figures"]["subgroups"]
        content["claims"] = content["claims"][:-2]
        assert "subgroups without their figure" in reasons(sealed(content), evidence)

    def test_left_out_of_the_evidence_as_well(self):
        """Another table has another digest, and numbers that are not those of its names."""
        content, evidence = self.honest()
        content["figures"]["subgroups"]["entries"].pop()
        fewer = {**evidence, "subgroups": evidence["subgroups"][:-1]}
        assert self.rejected(content, fewer)
        assert self.rejected(content, {**evidence, "subgroup": evidence["subgroup"][:, :1]})
        assert self.rejected(content, {**evidence, "subgroup": evidence["subgroup"][:, :0]})

    def test_gaps(self):
        content, evidence = self.honest()
        place = ("figures", "subgroups", "gaps", 0)
        assert "gaps.0.lower" in reasons(sealed(changed(content, (*place, "lower"), lambda x: x + 0.01)), evidence)
        for name in ("most", "least"):
            other = "north" if content["figures"]["subgroups"]["gaps"][0][name] != "north" else "west"
            assert self.rejected(changed(content, (*place, name), lambda x, other=other: other), evidence)
        assert self.rejected(changed(content, place[:-1], lambda gaps: gaps[1:]), evidence)


# ------------------------------------------------------------------------------------------------------ simulations

TRUTHS = [(0.005, 0.3), (0.02, 0.02), (0.1, 0.3), (0.3, 0.3)]


def drawn(rates, rng, n=60):
    """Two attributes that overlap, with small subgroups; the error depends on the first."""
    first, second = (rng.random(n) < 0.25).astype(int), rng.random(n) < 0.5
    wrong = rng.random(n) < np.array(rates)[first]
    return wrong.astype(int), {"a": first, "b": second}


def failures(rates, draws, delta, seed=0):
    """How often each line, any interval, and a gap is false; and intervals that do not share delta."""
    truth = {("a", "0"): rates[0], ("a", "1"): rates[1]}
    mixed = 0.75 * rates[0] + 0.25 * rates[1]
    rng, false = np.random.default_rng(seed), np.zeros((draws, 8), bool)
    for k in range(draws):
        wrong, given = drawn(rates, rng)
        figure = certify_predictions(np.zeros(60, int), wrong, subgroups=given, delta=delta, per_class=False).subgroups
        entries = figure["entries"]
        true = [truth.get((x["attribute"], x["value"]), mixed) for x in entries]
        lines = [x["bound"] < p for x, p in zip(entries, true, strict=True)]
        both = [x["bound"] < p or one_sided(x, delta) > p for x, p in zip(entries, true, strict=True)]
        false[k, : len(lines)] = lines
        false[k, 5] = any(not x["lower"] <= p <= x["upper"] for x, p in zip(entries, true, strict=True))
        gap = next((x for x in figure["gaps"] if x["attribute"] == "a"), None)
        false[k, 6] = gap is not None and not gap["lower"] <= abs(rates[0] - rates[1]) <= gap["upper"]
        false[k, 7] = any(both)
    return false.sum(0)


def one_sided(entry, delta):
    n = entry["n"]
    return 1 - upper(n - round(entry["empirical_risk"] * n), n, delta)


@pytest.mark.slow
@pytest.mark.parametrize("rates", TRUTHS, ids=str)
def test_subgroups_hold_as_often_as_they_promise(rates):
    """Lines each, intervals at once, and gaps; if delta were not shared, intervals would fail too often."""
    delta, draws = 0.2, 600
    most = binom.ppf(0.999, draws, delta)
    counts = failures(rates, draws, delta)
    assert np.all(counts[:7] <= most), counts
    assert counts[7] > most or rates != (0.3, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("rates", [(0.01, 0.3), (0.1, 0.1), (0.3, 0.05)], ids=str)
def test_another_prevalence_chosen_after_looking(rates):
    """The worst shares are those of the class whose bound is lowest below its error; all bounds hold at once."""
    delta, draws, rng, false = 0.2, 600, np.random.default_rng(0), 0
    for _ in range(draws):
        truth = (rng.random(120) < 0.3).astype(int)
        said = np.where(rng.random(120) < np.array(rates)[truth], 1 - truth, truth)
        ours = certify_predictions(truth, said, classes=[0, 1], delta=delta)
        shares = [{0: 1 - s, 1: s} for s in np.linspace(0, 1, 21).tolist()]
        false += any(ours.at_prevalence(s) < s[0] * rates[0] + s[1] * rates[1] for s in shares)
    assert false <= binom.ppf(0.999, draws, delta)


def test_one_answer_is_not_some():
    said = certify_predictions(
        ["a"] * 3, ["a", "a", "b"], scores=np.array([[0.9, 0.1]] * 2 + [[0.2, 0.8]]), calibration=True
    )
    assert all(words in str(said) for words in ("a (2 answers)", "b (1 answer)", "80 to 90 % (1 answer)"))
    assert "b (1 group with such answers)" in str(certify_predictions(["a"] * 3, ["a", "a", "b"], groups=[1, 1, 2]))


class TestPrevalence:
    def test_is_the_mean_of_the_bounds_of_the_classes(self):
        truth, said, _ = answers()
        ours = certify_predictions(truth, said)
        no, yes = (entry["bound"] for entry in ours.per_class)
        assert ours.at_prevalence({"yes": 0.1, "no": 0.9}) == pytest.approx(0.9 * no + 0.1 * yes, rel=1e-12)
        assert ours.at_prevalence({"yes": 1.0}) >= yes

    def test_of_groups_is_refused(self):
        """One kind of group has almost only the class on which it errs: 49.5 % are wrong, not a quarter."""
        truth = np.concatenate([[1] * 99 + [0], [0] * 99 + [1]] * 50)
        said = np.concatenate([[0] * 100, [0] * 99 + [1]] * 50)
        ours = certify_predictions(truth, said, groups=np.arange(100).repeat(100))
        assert sum(entry["empirical_risk"] for entry in ours.per_class) / 2 < 0.26 < 0.49 < ours.empirical_risk
        with pytest.raises(ValueError, match="needs independent examples"):
            ours.at_prevalence({0: 0.5, 1: 0.5})

    @pytest.mark.parametrize("shares", [{}, {"yes": 0.5}, {"yes": 1.5, "no": -0.5}, {"x": 1.0}, {"no": np.nan}])
    def test_shares_that_are_none(self, shares):
        truth, said, _ = answers()
        with pytest.raises(ValueError, match="shares"):
            certify_predictions(truth, said).at_prevalence(shares)
