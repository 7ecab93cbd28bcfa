"""Forged certificates of untouched evidence: none holds that says more than the package issues."""

import copy
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special

from certificate.forging import (
    at,
    changed,
    changes_of,
    content_of,
    evidence_for,
    holds,
    places,
    reasons,
    recomputed,
    sealed,
)
from certificate.fuzzing import arrays_of
from certificate.judge import excess
from certificate.made import EVERY, ONE_OF_EACH, certified, in_blocs, judgments, made, paid, table_of
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS, Catoni, FoldTest, clopper_pearson
from stocmv.certificate import Judgments
from stocmv.decisions._threshold_tests import FEW, THRESHOLDS
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS

every_kind = pytest.mark.parametrize("which", EVERY)
one_of_each = pytest.mark.parametrize("which", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def honest(which):
    certificate, evidence = made(which)
    return content_of(certificate), evidence_for(evidence)


def rejected(content, evidence, reason):
    assert reason in reasons(sealed(content), evidence)


# ---------------------------------------------------------------------------------------------------- every field

FREE = {  # shown as not checked
    ("context",): "anything",
    ("warnings",): "anything",
    ("further_assumptions",): "anything",
    ("protocol", "name"): "who made the vote",
    ("protocol", "learning"): "from how much",
}


def is_free(place):
    return any(place[: len(free)] == free for free in FREE) and len(place) > (place[0] != "protocol")


def every_change(content):
    for place in places(content):
        if place and not is_free(place):
            for name, change in changes_of(at(content, place)).items():
                yield place, name, change


def forge(content, place, change):
    """The changed certificate; None if there is no such change of this value."""
    try:
        forged = changed(content, place, change)
        sealed(forged)
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError):
        return None
    return None if json.dumps(forged) == json.dumps(content) else forged


def overstated(which, count, seed):
    """Forgeries that hold and say more than the package issues: as they are, and with all figures computed anew."""
    content, evidence = honest(which)
    arrays, possible, tried, found = arrays_of(made(which)[1]), list(every_change(content)), 0, []
    for index in np.random.default_rng(seed).permutation(len(possible)):
        place, name, change = possible[index]
        forged = forge(copy.deepcopy(content), place, change)
        if forged is None:
            continue
        for version in (forged, recomputed(forged, evidence)):
            tried += 1
            if holds(sealed(version), evidence) and (says := excess(version, arrays)):
                found.append((place, name, says))
        if tried >= count:
            break
    assert tried >= count
    return found


@every_kind
def test_some_changes_of_any_field(which):
    assert overstated(which, 12, seed=0) == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [80, pytest.param(400, marks=pytest.mark.long)])
@every_kind
def test_many_changes_of_any_field(which, count):
    assert overstated(which, count, seed=1) == []


@one_of_each
def test_every_figure_made_a_little_better_is_found(which):
    """By little more than what rounding may do."""
    content, evidence = honest(which)
    lower = ("precision", "f1", "recalls", "coverage")
    for place in places(content["figures"]):
        value = at(content["figures"], place)
        if type(value) is float and 0 < value < 1 and not {"fold_test", "matrix", "scale", "margin"} & set(place):
            step = 2e-6 if place[0] == "deterministic_vote" else 1e-8
            step *= 1 if place[0] in lower or place[-1] in ("coverage", "lower") else -1
            forged = changed(content, ("figures", *place), lambda x, step=step: x + step)
            if {"cost", "baseline"} & set(place):  # scaled by the costs; and a baseline is checked both ways
                forged = changed(content, ("figures", *place), lambda x: x * (1 - 1e-7))
            assert not holds(sealed(forged), evidence), place


@pytest.mark.parametrize("step", [1, pytest.param(-1, marks=pytest.mark.slow)])
@one_of_each
def test_every_number_moved_by_a_percent_is_found(which, step):
    content, evidence = honest(which)
    chosen = {"fold_test", "matrix", "scale", "posteriors", "priors", "c", "leak", "heavy", "target", "thresholds"}
    for place in places(content):
        value = at(content, place)
        if type(value) in (int, float) and not is_free(place) and not chosen & set(place):  # other choices may hold
            new = value + step if type(value) is int else value * (1 + step / 100) + step / 100 * (value == 0)
            assert not holds(sealed(changed(content, place, lambda x, new=new: new)), evidence), (place, step)


@one_of_each
def test_a_field_more_or_less_anywhere(which):
    content, evidence = honest(which)
    for place in places(content):
        if isinstance(at(content, place), dict) and place != ("context",):
            more = changed(content, place, lambda x: {**x, "note": 0.01}) if place else {**content, "note": 0.01}
            assert not holds(sealed(more), evidence), place
            for key in at(content, place):
                if place[-1:] != ("among",):
                    less = changed(content, place, lambda x, key=key: {k: v for k, v in x.items() if k != key})
                    assert not holds(sealed(less), evidence), (place, key)


@one_of_each
@pytest.mark.parametrize("spelling", ["{}0", "{}e0", "+{}", "0{}", " {}"])
def test_a_number_that_is_spelled_differently(which, spelling):
    content, evidence = honest(which)
    number, text = repr(content["figures"]["error"]["bound"]), sealed(content).decode()
    forged = text.replace(f'"bound": {number}', f'"bound": {spelling.format(number)}', 1)
    assert forged != text
    assert not holds(forged.encode(), evidence)


@one_of_each
@pytest.mark.parametrize("extra", [b"\n", b" ", b"\xef\xbb\xbf", b"\x00", b"{}"])
def test_bytes_around_it(which, extra):
    content, evidence = honest(which)
    assert holds(sealed(content), evidence)
    assert not holds(extra + sealed(content), evidence)
    assert not holds(sealed(content) + extra, evidence)


@one_of_each
@pytest.mark.parametrize("field", ["delta", "figures", "evidence"])
def test_a_field_that_is_there_twice(which, field):
    content, evidence = honest(which)
    text = sealed(content).decode()
    forged = text.replace(f'"{field}":', f'"{field}": 0.01,\n "{field}":', 1)
    assert json.loads(forged) == json.loads(text)  # most readers do not notice
    assert "occurs twice" in reasons(forged.encode(), evidence)


@pytest.mark.parametrize("context", [[], "none", None, 1, {"a": [[[[[[[[1]]]]]]]]}], ids=str)
def test_a_context_of_another_form(context):
    content, evidence = honest("tested: hold-out, bare")
    assert not holds(sealed({**content, "context": context}), evidence)


def test_free_text_cannot_paint_nor_begin_a_line():
    content, evidence = honest("tested: hold-out, bare")
    content["warnings"] = ["\u202e.sdloh etacifitrec ehT\x1b[8m\rok"]
    content["further_assumptions"] = ["x " * 33 + "The certificate holds: whatever it says. " * 9]
    parsed, intact = verify.parse_certificate(sealed(content))
    text = str(verify.verify_tested(parsed, intact, evidence))
    assert text.isascii()
    assert all(line.isprintable() for line in text.splitlines())
    assert sum(line.startswith("The certificate") for line in text.splitlines()) == 1


# --------------------------------------------------------------------------------------------------------- tested


def lowest_f1(both, n, delta):
    jaccard = 1 - clopper_pearson(n - both, n, delta)
    return 2 * jaccard / (1 + jaccard)


class TestTested:
    def test_errors_undercounted_by_one(self):
        content, table = honest("tested: hold-out, bare")
        n, error = content["n"], content["figures"]["error"]
        errors = round(error["empirical_risk"] * n)
        assert clopper_pearson(errors, n, 0.05) == error["bound"]
        error["empirical_risk"] = (errors - 1) / n
        rejected(content, table, "figures.error.empirical_risk")
        error["bound"] = clopper_pearson(errors - 1, n, 0.05)
        rejected(content, table, "figures.error.bound")

    def test_clopper_and_pearsons_bound_of_groups(self):
        content, table = honest("tested: hold-out, groups")
        error = content["figures"]["error"]
        errors = round(error["empirical_risk"] * content["n"])
        cheaper = clopper_pearson(errors, content["n"], 0.05)
        assert cheaper < error["bound"] - 1e-3
        rejected({**content, "figures": {**content["figures"], "error": {**error, "bound": cheaper}}}, table, "bound")

    def test_clopper_and_pearsons_bound_of_losses(self):
        content, table = honest("tested: hold-out, stochastic")
        error = content["figures"]["error"]
        error["stochastic_bound"] = clopper_pearson(round(error["stochastic_risk"] * content["n"]), content["n"], 0.05)
        rejected(content, table, "figures.error.stochastic_bound")

    def test_a_scale_that_is_too_small(self):
        content, table = honest("tested: folds, bare")
        content["fold_test"]["scale"] = [0.9 * c for c in content["fold_test"]["scale"]]
        forged = recomputed(content, table)
        assert forged["figures"]["error"]["bound"] < content["figures"]["error"]["bound"]
        assert named(forged, table) == {"fold_test.scale.0", "fold_test.scale.1"}

    @pytest.mark.parametrize("better", [{"sizes": 10}, {"delta": 0.06}], ids=str)
    def test_the_constants_of_larger_folds_or_a_larger_delta(self, better):
        content, table = honest("tested: folds, bare")
        sizes = [better.get("sizes", 1) * n for n in content["fold_sizes"]]
        test = FoldTest.choose([0.1] * 2, sizes, better.get("delta", 0.05))
        forged = recomputed({**content, "fold_test": test.settings()}, table)
        assert named(forged, table) == {"fold_test.scale.0", "fold_test.scale.1"}

    @pytest.mark.parametrize(
        ("constant", "value"), [("slope", 0.99), ("slope", 1e19), ("offset", -0.01), ("scale", 0.0), ("scale", -1.0)]
    )
    def test_constants_out_of_range(self, constant, value):
        content, table = honest("tested: folds")
        rejected(changed(content, ("fold_test", constant, 1), lambda x: value), table, "fold_test is not of the right")
        place = ("figures", "classes", 0, "fold_test", constant, 1)
        rejected(changed(content, place, lambda x: value), table, "figures.classes is not of the right kind")

    @pytest.mark.parametrize("shares", [[1 / 3] * 3, [1.0, 0.0, 0.0], [0.3, 0.3, 0.3]])
    def test_shares_of_the_folds_that_do_not_match(self, shares):
        content, table = honest("tested: folds")
        rejected({**content, "fold_shares": shares}, table, "fold_shares")

    @pytest.mark.parametrize("name", ["classes", "cost"])
    def test_scales_that_mix_the_folds_in_another_way(self, name):
        """Good constants, if the shares were free: but then another vote than predict would be certified."""
        content, table = honest("tested: folds")
        members = table["truth"] == 0 if name == "classes" else np.ones(90, bool)
        sizes = [int(np.sum(members & (table["fold"] == k))) for k in range(3)]
        claims = {claim["name"]: claim["delta"] for claim in content["claims"]}
        own = FoldTest.choose([0.01, 0.2, 0.4], sizes, claims[name]).settings()
        place = ("figures", "classes", 0) if name == "classes" else ("figures", "cost")
        forged = recomputed(changed(content, (*place, "fold_test"), lambda x: own), table)
        assert named(forged, table) == {f"{'.'.join(map(str, place))}.fold_test.scale, shares"}

    @pytest.mark.parametrize("name", ["classes", "precision", "cost"])
    def test_constants_that_are_missing_or_not_needed(self, name):
        folds, one = honest("tested: folds"), honest("tested: hold-out")
        place = ("figures", name) if name == "cost" else ("figures", name, 0)
        own = at(folds[0], (*place, "fold_test"))
        assert own
        rejected(changed(folds[0], (*place, "fold_test"), lambda x: {}), folds[1], "fold_test is missing")
        rejected(changed(one[0], (*place, "fold_test"), lambda x: own), one[1], "fold_test is not needed")

    def test_constants_that_are_not_proven(self):
        content, table = honest("tested: folds")
        for place in (("figures", "classes", 0), ("figures", "precision", 0), ("figures", "cost")):
            cheaper = changed(content, (*place, "fold_test", "offset"), lambda x: [0.0] * len(x))
            assert f"{'.'.join(map(str, place))}.fold_test.scale.0" in named(recomputed(cheaper, table), table)

    def test_one_part_that_calls_itself_folds(self):
        content, table = honest("tested: hold-out")
        content["fold_test"] = {"slope": [1.5], "offset": [0.0], "scale": [1.0]}
        rejected(recomputed(content, table), table, "the fold test is for several folds")

    @pytest.mark.parametrize("which", ["tested: hold-out", "tested: folds"])
    @pytest.mark.parametrize("name", ["error", "baseline", "classes", "precision"])
    def test_a_figure_left_out(self, which, name):
        content, table = honest(which)
        del content["figures"][name]
        assert not holds(sealed(recomputed(content, table)), table)

    def test_a_figure_that_nobody_knows(self):
        content, table = honest("tested: hold-out")
        content["figures"]["luck"] = {"bound": 0.0}
        rejected(content, table, "the figure luck is not known here")

    def test_recalls_beside_bounds_or_precision_without(self):
        content, table = honest("tested: hold-out")
        recalls = honest("tested: hold-out, bare")[0]["figures"]["recalls"]
        rejected(changed(content, ("figures",), lambda x: {**x, "recalls": recalls}), table, "either bounds or recalls")
        bare, table = honest("tested: hold-out, bare")
        precision = content["figures"]["precision"]
        rejected(changed(bare, ("figures",), lambda x: {**x, "precision": precision}), table, "precision is not where")

    def test_a_precision_of_groups_with_folds(self):
        content, table = honest("tested: folds, groups")
        labels = table["classes"].tolist()
        none = [{"label": x, "n": 0, "measured": 0.0, "bound": 0.0, "fold_test": {}} for x in labels]
        content["figures"]["precision"] = none
        rejected(recomputed(content, table), table, "precision is not where it should be")

    @pytest.mark.parametrize("which", ["tested: hold-out, groups", "tested: folds", "tested: hold-out, bare"])
    def test_an_f1_where_there_is_none(self, which):
        content, table = honest(which)
        none = [{"label": label, "n": 0, "measured": 0.0, "bound": 0.0} for label in table["classes"].tolist()]
        content["figures"]["f1"] = none
        rejected(recomputed(content, table), table, "f1 is not where it should be")

    def test_an_f1_left_out(self):
        content, table = honest("tested: hold-out")
        del content["figures"]["f1"]
        rejected(recomputed(content, table), table, "f1 is not where it should be")

    def test_an_f1_with_more_right_answers_or_all_of_delta(self):
        content, table = honest("tested: hold-out")
        first = content["figures"]["f1"][0]
        n, both = first["n"], round(first["measured"] * first["n"] / (2 - first["measured"]))
        assert lowest_f1(both, n, 0.05 / 3) == pytest.approx(first["bound"], rel=1e-12)
        for better in (lowest_f1(both + 1, n, 0.05 / 3), lowest_f1(both, n - 1, 0.05 / 3), lowest_f1(both, n, 0.05)):
            assert better > first["bound"] + 1e-3
            rejected(
                changed(content, ("figures", "f1", 0, "bound"), lambda x, b=better: b), table, "figures.f1.0.bound"
            )

    def test_costs_never_mentioned(self):
        content, table = honest("tested: hold-out")
        del content["figures"]["cost"]
        rejected(content, table, "number of claims")

    def test_another_baseline(self):
        content, table = honest("tested: hold-out")
        labels, one = table["classes"].tolist(), content["figures"]["baseline"]
        other = next(label for label in labels if label != one["label"])
        rejected(changed(content, ("figures", "baseline", "label"), lambda x: other), table, "figures.baseline.label")
        rejected(changed(content, ("figures", "baseline", "bound"), lambda x: 0.99), table, "figures.baseline.bound")

    def test_labels_of_another_type(self):
        table = judgments(n_classes=2, labels="yes or no")
        content = content_of(certified(table, per_class=True))
        for name, wrong in (("classes", 0), ("precision", "false"), ("classes", "False")):
            forged = changed(content, ("figures", name, 0, "label"), lambda x, wrong=wrong: wrong)
            assert not holds(sealed(forged), table.columns())
        numbers = replace(table, classes=np.arange(2))
        content = content_of(certified(numbers, per_class=True))
        assert not holds(
            sealed(changed(content, ("figures", "classes", 1, "label"), lambda x: True)), numbers.columns()
        )
        assert not holds(sealed(changed(content, ("figures", "baseline", "label"), bool)), numbers.columns())

    @pytest.mark.parametrize("which", ["tested: hold-out, groups", "tested: folds, groups"])
    def test_groups_passed_off_as_examples(self, which):
        content, table = honest(which)
        sizes = np.bincount(table["fold"]).tolist()
        forged = {**content, "grouped": False, "n": sum(sizes), "fold_sizes": sizes}
        plain = {name: column for name, column in table.items() if name != "group"}
        for evidence in (table, plain):
            assert not holds(sealed(forged), evidence)
            assert recomputed(forged, table)["grouped"] or not holds(sealed(recomputed(forged, table)), evidence)

    def test_a_group_that_judges_in_two_folds(self):
        table = table_of("folds, groups")
        group = table.group.copy()
        group[-1] = group[0]
        moved = replace(table, group=group)
        with pytest.raises(ValueError, match="a group has rows in several folds"):
            certified(moved)
        content = content_of(certified(table)) | {"evidence": moved.digest()}
        rejected(content, moved.columns(), "a group has rows in several folds")

    def test_losses_without_a_stochastic_vote_or_the_other_way_round(self):
        content, table = honest("tested: hold-out, stochastic")
        silent = copy.deepcopy(content)
        for name in ("stochastic_risk", "stochastic_bound"):
            del silent["figures"]["error"][name]
        assert not holds(sealed(recomputed(silent, table)), table)
        content, table = honest("tested: hold-out, bare")
        content["figures"]["error"] |= {"stochastic_risk": 0.0, "stochastic_bound": 0.1}
        assert not holds(sealed(recomputed(content, table)), table)

    @pytest.mark.parametrize("name", ["covers_drawn", "has_one_voter", "abstains"])
    def test_flags(self, name):
        content, table = honest("tested: hold-out, stochastic")
        rejected({**content, name: not content[name]}, table, name)
        alone, table = honest("tested: hold-out, one voter")
        rejected({**alone, "covers_drawn": False}, table, "covers_drawn")
        rejected({**alone, "has_one_voter": False}, table, "covers_drawn")

    def test_a_protocol_with_other_judges(self):
        content, table = honest("tested: folds")
        rejected(changed(content, ("protocol", "judging"), lambda x: 10**6), table, "protocol.judging")
        assert holds(sealed({**content, "protocol": {}}), table)

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"matrix": lambda x: x[:1]}, "no square matrix"),
            ({"matrix": lambda x: [[0.0, 0.0], *x[1:]]}, "no square matrix"),
            ({"matrix": lambda x: [[1.0] * 3] * 3}, "all costs are the same"),
            ({"matrix": lambda x: [[5.0, 1.0, 1.0], *x[1:]]}, "a wrong answer costs less than the right one"),
            ({"matrix": lambda x: [[2**53 + 1, 2**53 + 3, 2**53 + 3], *x[1:]]}, "a cost would be rounded"),
            ({"classes": lambda x: x[::-1]}, "not sorted"),
            ({"classes": lambda x: [*x[:-1], 77]}, "there are no costs for [3]"),
            ({"classes": lambda x: [*x[:-1], "77"]}, "not of one kind"),
        ],
    )
    def test_costs_that_are_none(self, change, reason):
        content, table = honest("tested: hold-out")
        for name, way in change.items():
            content = changed(content, ("figures", "cost", name), way)
        rejected(recomputed(content, table), table, reason)

    def test_cheaper_errors(self):
        content, table = honest("tested: hold-out")
        forged = changed(content, ("figures", "cost", "matrix", 0, 1), lambda x: x * 0.9)
        rejected(forged, table, "figures.cost.measured")
        other = recomputed(forged, table)  # other costs computed anew are another certificate, and an honest one
        assert other["figures"]["cost"]["bound"] < content["figures"]["cost"]["bound"]
        assert holds(sealed(other), table)
        assert not excess(other, table)


def named(content, evidence):
    parsed, intact = verify.parse_certificate(sealed(content))
    check = verify.verify_pac_bayes if content["format"] == verify.PAC_BAYES else verify.verify_tested
    return {check.what for check in check(parsed, intact, evidence).differences}


# ------------------------------------------------------------------------------------------------------ selective


class TestSelective:
    def test_a_threshold_that_no_test_reaches(self):
        content, table = honest("selective: hold-out, by error")
        place = THRESHOLDS.index(content["thresholds"][0])
        for lenient in THRESHOLDS[place + 1 :]:
            forged = recomputed({**content, "thresholds": [lenient]}, table)
            assert forged["figures"]["coverage"]["bound"] >= content["figures"]["coverage"]["bound"]
            rejected(forged, table, "thresholds.0, by tests")

    @pytest.mark.parametrize("which", ["selective: hold-out, by error", "selective: hold-out, by coverage"])
    @pytest.mark.parametrize("threshold", [0.123, 0.905, 1.5, -1.0, 0.9 + 1e-12])
    def test_a_threshold_that_is_not_tested(self, which, threshold):
        content, table = honest(which)
        rejected({**content, "thresholds": [threshold]}, table, "not one of those that are tested")

    def test_a_vote_that_never_answers(self):
        content, table = honest("selective: folds, by error")
        rejected({**content, "thresholds": [2.0] * 3}, table, "no fold ever answers")

    def test_a_lower_target(self):
        content, table = honest("selective: hold-out, by error")
        forged = recomputed({**content, "target": {"max_error": 0.01}}, table)
        assert forged["figures"]["error"]["bound"] == 0.01
        rejected(forged, table, "thresholds.0, by tests")
        for bound in (0.29, 0.31):  # the bound is the target, no more and no less
            rejected(
                changed(content, ("figures", "error", "bound"), lambda x, b=bound: b), table, "figures.error.bound"
            )

    def test_a_target_of_another_kind(self):
        content, table = honest("selective: hold-out, by error")
        for target in (
            {},
            {"max_error": 0.0},
            {"max_error": 1},
            {"max_error": 0.3, "min_coverage": 0.1},
            {"luck": 0.5},
        ):
            rejected({**content, "target": target}, table, "target is not of the right kind")

    def test_a_choice_among_few_passed_off_as_fixed(self):
        """Of a few thresholds the best one was chosen, which their shares of delta pay for."""
        content, table = honest("selective: hold-out, by coverage")
        assert content["thresholds"][0] in FEW
        content["claims"][0] |= {"among": {}, "delta": 0.9 * content["delta"]}
        rejected(content, table, "claims.0")

    def test_less_coverage_than_was_asked_for(self):
        content, table = honest("selective: hold-out, by coverage")
        enough = content["figures"]["coverage"]["bound"] + 0.01
        rejected({**content, "target": {"min_coverage": enough}}, table, "target.min_coverage, reached")

    @pytest.mark.parametrize("by", [-1.0, 1.0])
    def test_another_number_of_answers(self, by):
        content, table = honest("selective: folds, by error")
        rejected(changed(content, ("figures", "answers", 0, "n"), lambda n: n + by), table, "figures.answers.0.n")

    @pytest.mark.parametrize("shares", [[0.5, 0.5, 0.5], [1.0, 0.0, 0.0], [0.2, 0.2, 0.2], [1.2, -0.1, -0.1]])
    def test_shares_that_are_none(self, shares):
        content, table = honest("selective: folds, by error")
        rejected({**content, "fold_shares": shares}, table, "fold_shares")

    def test_a_stochastic_vote(self):
        content, table = honest("selective: hold-out, by error")
        rejected({**content, "covers_drawn": True}, table, "covers_drawn")

    def test_judgments_without_scores(self):
        content, table = honest("selective: hold-out, by error")
        bare = {name: column for name, column in table.items() if name != "scores"}
        content["evidence"] = verify.judgments_digest(bare)
        rejected(content, bare, "the judgments have no scores")

    def test_scores_at_the_edge(self):
        """A score may be a billionth below its threshold, as predict allows, and no more."""
        for off, answers in ((0.0, 60), (0.9e-9, 60), (1.1e-9, 0)):
            scores = np.tile([0.9 - off, 0.1 + off], (60, 1))
            zero = np.zeros(60, np.uint8)
            table = Judgments(np.arange(2), zero, zero, zero, scores=scores)
            score = verify.SelectiveFold(verify.Judgments(table.columns()), 0, 0.9, scores[:, 0])
            assert score.answered(0.9)[1].sum() == answers


# ------------------------------------------------------------------------------------------------------ PAC-Bayes


def bounds_for(content):
    """The bounds by the formulas, whatever the parameters are."""
    sizes, delta = content["fold_sizes"], content["delta"] / content["alternatives"]
    error, fixed = content["figures"]["error"], content["figures"]["deterministic_vote"]
    settings = content["bound_settings"]
    with np.errstate(all="ignore"):
        bound = verify.upper_bound(settings, sizes, error["moments"][0], error["kl"], delta)
        own = verify.upper_bound(settings, sizes, fixed["empirical_risk"], fixed["kl"], delta / fixed["margins"])
    error |= {"bound": min(max(own / fixed["coverage"], 0.0), 1.0), "stochastic_bound": min(max(bound, 0.0), 1.0)}
    return content


class TestPacBayes:
    @pytest.mark.parametrize("which", ["PAC-Bayes: two folds", "PAC-Bayes: three folds"])
    def test_a_negative_constant(self, which):
        content, votes = honest(which)
        content["bound_settings"]["c"] = [-50.0] * len(content["bound_settings"]["c"])
        forged = bounds_for(content)
        assert forged["figures"]["error"]["stochastic_bound"] < 0.01
        rejected(forged, votes, "bound_settings is not of the right kind")

    def test_a_constant_that_multiplies_a_risk_below_rounding(self):
        """The risk is 2e-18 and computed as 0: Catoni's bound is 1, with a smaller constant it would be 0.01."""
        y = np.arange(200) % 3
        votes = VoteMatrix.from_labels(np.stack([y, (y + 1) % 3, (y + 2) % 3], axis=1), y)
        posterior = Dirichlet([60.0, 1.0, 1.0])
        content = content_of(certify([votes], [posterior], [posterior], RISKS["exact"], Catoni(20.0), 0.05))
        assert content["figures"]["error"]["stochastic_bound"] < 0.02
        content["bound_settings"]["c"] = [1e19]
        rejected(content, evidence_for([votes]), "bound_settings is not of the right kind")

    def test_a_nested_grid_that_counts_as_one(self):
        content, votes = honest("PAC-Bayes: two folds")
        content["bound_settings"]["c"] = [np.geomspace(0.01, 30, 200).tolist()]
        rejected(bounds_for(content), votes, "bound_settings is not of the right kind")

    def test_the_length_of_a_grid(self):
        content, votes = honest("PAC-Bayes: two folds")
        best = content["bound_settings"]["c"]
        for grid in (best[:-1], best[1:], [*best, 1.0]):
            assert not holds(sealed(changed(content, ("bound_settings", "c"), lambda x, grid=grid: grid)), votes)
        rejected(changed(content, ("bound_settings", "c"), lambda x: []), votes, "not as many constants")
        content, votes = honest("PAC-Bayes: three folds")
        rejected(changed(content, ("bound_settings", "c"), lambda x: x[:2]), votes, "not as many constants")

    @pytest.mark.parametrize(("bound", "constant"), [("seeger", "2sqrt"), ("seeger_2sqrt", "xi"), ("seeger", "none")])
    def test_another_constant(self, bound, constant):
        content = content_of(paid("noisy", bound=bound))
        content["bound_settings"]["constant"] = constant
        assert not holds(sealed(content), evidence_for(made("PAC-Bayes: two classes")[1]))

    def test_negative_concentrations(self):
        content, votes = honest("PAC-Bayes: two classes")
        for distribution in (*content["posteriors"], *content["priors"]):
            distribution["alpha"] = [-x for x in distribution["alpha"]]
        rejected(recomputed(content, votes), votes, "posterior is not of the right kind")

    def test_a_prior_with_a_negative_concentration(self):
        content, votes = honest("PAC-Bayes: two classes")
        content["priors"][0]["alpha"][0] = -300.5
        content["figures"]["error"]["kl"] = 0.0
        rejected(bounds_for(content), votes, "prior is not of the right kind")

    @pytest.mark.parametrize("which", ["first order", "binomial", "C-bound"])
    def test_probabilities_that_do_not_sum_to_one(self, which):
        content, votes = honest(f"PAC-Bayes: {which}")
        for posterior in content["posteriors"]:
            posterior["theta"] = (0.2 * np.array(posterior["theta"])).tolist()
        rejected(recomputed(content, votes), votes, "the probabilities of a posterior do not sum to one")

    def test_prior_probabilities_that_sum_to_much(self):
        content, votes = honest("PAC-Bayes: first order")
        content["priors"][0]["theta"] = [1.0] * len(content["priors"][0]["theta"])
        assert math.fsum(special.rel_entr(content["posteriors"][0]["theta"], content["priors"][0]["theta"])) < -1
        rejected(recomputed(content, votes), votes, "the probabilities of a prior do not sum to one")
        content["priors"][0]["theta"] = [0.0, 1.0, *[0.0] * (len(content["priors"][0]["theta"]) - 2)]
        rejected(recomputed(content, votes), votes, "a probability of a prior is not positive")

    def test_fewer_margins(self):
        content, votes = honest("PAC-Bayes: two classes")
        content["figures"]["deterministic_vote"]["margins"] = 1
        rejected(recomputed(content, votes), votes, "the margin is not one of those that are paid for")

    @pytest.mark.parametrize("share", [0.0, -1.0, 1.0, 5])
    def test_a_share_of_delta_for_no_draws(self, share):
        content, votes = honest("PAC-Bayes: logit-normal")
        content["risk_settings"]["draw_share"] = share
        rejected(recomputed(content, votes), votes, "risk_settings is not of the right kind")

    def test_a_vote_that_was_learned_passed_off_as_tested(self):
        content, votes = honest("PAC-Bayes: two classes")
        content["format"] = verify.TESTED
        assert "fields missing or unknown" in reasons(sealed(content), votes)

    @pytest.mark.parametrize("risk", ["half", "first_order", "c_bound", "luck"])
    def test_another_risk(self, risk):
        content, votes = honest("PAC-Bayes: three classes")
        assert not holds(sealed({**content, "risk": risk}), votes)

    @pytest.mark.parametrize(
        ("which", "covers"), [("two classes", False), ("first order", False), ("binomial", True), ("C-bound", True)]
    )
    def test_votes_that_are_covered(self, which, covers):
        content, votes = honest(f"PAC-Bayes: {which}")
        rejected({**content, "covers_drawn": covers}, votes, "covers_drawn")

    def test_one_voter_that_is_none(self):
        content, votes = honest("PAC-Bayes: two classes")
        rejected({**content, "has_one_voter": True}, votes, "has_one_voter")

    def test_rows_in_groups(self):
        content, votes = honest("PAC-Bayes: three classes")
        rejected({**content, "grouped": True}, votes, "grouped")
        arrays = dict(made("PAC-Bayes: three classes")[1][0]._arrays())
        arrays["groups"] = np.arange(60, dtype=np.uint64)
        with pytest.raises(verify.Refused, match="cannot also teach the weights"):
            verify.fold_of([arrays])

    @pytest.mark.parametrize("risk", ["exact", "half", "mc"])
    def test_margins_passed_off_as_answers(self, risk):
        content, votes = honest("PAC-Bayes: soft, two classes")
        rejected({**content, "risk": risk}, votes, "is not one of these votes")

    def test_answers_passed_off_as_margins(self):
        content, votes = honest("PAC-Bayes: two classes")
        rejected({**content, "risk": "soft"}, votes, "is not one of these votes")

    def test_soft_voters_in_blocs(self):
        content, votes = honest("PAC-Bayes: soft, two classes")
        posterior = {**content["posteriors"][0], "blocs": [0, 1, 2, 3, 4], "speakers": [], "within": [1.0] * 5}
        forged = {**content, "posterior": verify.BLOCS, "posteriors": [posterior]}
        rejected(forged, votes, "blocs are for voters that answer with a class")

    def test_a_wider_coverage_of_a_soft_vote(self):
        content, votes = honest("PAC-Bayes: soft, two classes")
        content["figures"]["deterministic_vote"]["coverage"] = 1.0
        rejected(content, votes, "figures.deterministic_vote.coverage")

    def test_no_baseline(self):
        content, votes = honest("PAC-Bayes: three classes")
        del content["figures"]["baseline"]
        rejected(recomputed(content, votes), votes, "there is a baseline exactly if the classes are known")

    def test_no_recalls(self):
        content, votes = honest("PAC-Bayes: three classes")
        rejected(changed(content, ("figures", "recalls"), lambda x: []), votes, "recalls has not one entry for each")

    def test_the_price_of_the_margins(self):
        """A consistent forgery: one margin is claimed to have been tried, and the bound is computed for that."""
        content, votes = honest("PAC-Bayes: three classes")
        f = content["figures"]["deterministic_vote"]
        delta = content["delta"] / content["alternatives"]
        cheaper = BOUNDS["mcallester"].upper(f["empirical_risk"], f["kl"], [content["n"]], delta).value / f["coverage"]
        assert cheaper < content["figures"]["error"]["bound"]
        content["figures"]["error"]["bound"] = cheaper
        rejected(content, votes, "figures.error.bound")

    def test_a_wider_coverage(self):
        content, votes = honest("PAC-Bayes: two classes")
        for coverage in (1.0, content["figures"]["deterministic_vote"]["coverage"] * 1.001):
            forged = changed(content, ("figures", "deterministic_vote", "coverage"), lambda x, c=coverage: c)
            rejected(forged, votes, "figures.deterministic_vote.coverage")

    @pytest.mark.parametrize("leak", [0.0, 0.5, 0.7])
    def test_a_leak_that_the_theorem_does_not_allow(self, leak):
        certificate, votes = in_blocs(speak=True)
        content = changed(content_of(certificate), ("figures", "deterministic_vote", "leak"), lambda x: leak)
        rejected(recomputed(content, evidence_for(votes)), evidence_for(votes), "the leak is not one that")

    def test_blocs_that_disagree_or_share_in_another_way(self):
        certificate, votes = in_blocs(speak=True)
        content, evidence = content_of(certificate), evidence_for(votes)
        for name, value, reason in (
            ("blocs", [0, 1, 2, 3, 0, 1, 1, 2], "do not answer all examples alike"),
            ("blocs", [0, 1, 2, 9, 0, 1, 0, 2], "not numbered"),
            ("speakers", [4, 5, 7, 7], "not a voter of each bloc"),
            ("speakers", [4, 5, 7, 10**6], "not a voter of each bloc"),
            ("within", [1.0] * 8, "as the prior does"),
        ):
            forged = changed(content, ("posteriors", 0, name), lambda x, value=value: value)
            rejected(recomputed(forged, evidence), evidence, reason)

    def test_speakers_that_leave_without_paying(self):
        """All voters of a bloc vote: then the KL is that of a Dirichlet over all of them."""
        certificate, votes = in_blocs(speak=True)
        content, evidence = content_of(certificate), evidence_for(votes)
        content["posteriors"][0]["speakers"] = []
        content["figures"]["deterministic_vote"] |= {"leak": 0.0, "heavy": 0.0}
        assert "figures.deterministic_vote.kl" in named(content, evidence)
