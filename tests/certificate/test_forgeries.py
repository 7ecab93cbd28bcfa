"""Forged certificates of untouched votes: none holds."""

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
    folds_of,
    holds,
    is_issued,
    places,
    reasons,
    recomputed,
    restated,
    sealed,
)
from certificate.made import certificate
from certificate.test_verify import SOME, votes_of
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS, Catoni, FoldTest, clopper_pearson
from stocmv.certificate import Expected, certify_tested
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from zoo import folds


def honest(which):
    return content_of(certificate(**SOME[which])), folds_of(votes_of(which))


@pytest.fixture(params=["two folds", "three folds"], ids=["a grid", "a constant for each fold"])
def catoni(request):
    return honest(request.param)


def figures_for(content, votes):
    """The bounds by the formulas, whatever the parameters are."""
    sizes, delta = content["fold_sizes"], content["delta"] / content["alternatives"]
    with np.errstate(all="ignore"):
        bound = verify.upper_bound(content["bound_settings"], sizes, content["moments"][0], content["kl"], delta)
        f = content["deterministic_vote"]
        paid = delta / f["margins"]
        fixed = verify.upper_bound(content["bound_settings"], sizes, f["empirical_risk"], f["kl"], paid) / f["coverage"]
    return restated({**content, "bound": min(max(fixed, 0.0), 1.0), "stochastic_bound": min(max(bound, 0.0), 1.0)})


def rejected(content, votes, reason):
    assert reason in reasons(sealed(content), votes)
    assert not holds(sealed(content), votes)


class TestNamed:
    def test_a_certificate_that_was_only_sealed_anew_holds(self, catoni):
        content, votes = catoni
        assert holds(sealed(content), votes)

    def test_a_negative_constant(self, catoni):
        content, votes = catoni
        content["bound_settings"]["c"] = [-50.0] * len(content["bound_settings"]["c"])
        forged = figures_for(content, votes)
        assert forged["stochastic_bound"] < 0.01
        rejected(forged, votes, "constants of the bound are not a list of positive numbers")

    def test_a_constant_that_multiplies_a_risk_below_rounding(self):
        """The risk is 2e-18 and computed as 0: Catoni's bound is 1, with a smaller constant it would be 0.01."""
        y = np.arange(200) % 3
        votes = VoteMatrix.from_labels(np.stack([y, (y + 1) % 3, (y + 2) % 3], axis=1), y)
        posterior = Dirichlet([60.0, 1.0, 1.0])
        content = content_of(certify([votes], [posterior], [posterior], RISKS["exact"], Catoni(20.0), 0.05))
        assert content["stochastic_bound"] < 0.02
        content["bound_settings"]["c"] = [1e19]
        rejected(content, folds_of([votes]), "a constant of the bound is out of the range")

    def test_a_nested_grid_that_counts_as_one(self):
        content, votes = honest("two folds")
        content["bound_settings"]["c"] = [np.geomspace(0.01, 30, 200).tolist()]
        forged = figures_for(content, votes)
        assert forged["stochastic_bound"] < honest("two folds")[0]["stochastic_bound"]
        rejected(forged, votes, "constants of the bound are not a list of positive numbers")

    def test_negative_concentrations(self):
        content, votes = honest("two classes")
        for distribution in (*content["posteriors"], *content["priors"]):
            distribution["alpha"] = (-np.array(distribution["alpha"])).tolist()
        rejected(recomputed(content, votes), votes, "a concentration of a posterior is out of range")

    def test_a_prior_with_a_negative_concentration(self):
        content, votes = honest("two classes")
        content["priors"][0]["alpha"][0] = -300.5
        a, b = (np.array(content[name][0]["alpha"]) for name in ("posteriors", "priors"))
        moved = (a - b) @ (special.psi(a) - special.psi(a.sum()))
        kl = (
            special.gammaln(a.sum())
            - special.gammaln(b.sum())
            + (special.gammaln(b) - special.gammaln(a)).sum()
            + moved
        )
        assert kl < 0
        forged = figures_for({**content, "kl": 0.0}, votes)
        assert forged["stochastic_bound"] < content["stochastic_bound"]
        rejected(forged, votes, "a concentration of a prior is out of range")

    @pytest.mark.parametrize("which", ["first order", "binomial", "C-bound"])
    def test_probabilities_that_do_not_sum_to_one(self, which):
        content, votes = honest(which)
        for posterior in content["posteriors"]:
            posterior["theta"] = (0.2 * np.array(posterior["theta"])).tolist()
        forged = recomputed(content, votes)
        rejected(forged, votes, "the probabilities of a posterior do not sum to one")

    def test_prior_probabilities_of_1e300(self):
        content, votes = honest("first order")
        content["priors"][0]["theta"] = [1e299] * len(content["priors"][0]["theta"])
        assert math.fsum(special.rel_entr(content["posteriors"][0]["theta"], content["priors"][0]["theta"])) < -600
        rejected(recomputed(content, votes), votes, "the probabilities of a prior do not sum to one")

    @pytest.mark.parametrize("field", ["bound", "kl", "assumptions", "posteriors"])
    def test_a_field_that_is_there_twice(self, field):
        content, votes = honest("two classes")
        text = sealed(content).decode()
        first = f'"{field}": 0.01,\n "{field}":' if field in ("bound", "kl") else f'"{field}": [],\n "{field}":'
        forged = text.replace(f'"{field}":', first, 1)
        assert json.loads(forged) == json.loads(text)  # most readers do not notice
        assert "occurs twice" in reasons(forged.encode(), votes)
        deep = text.replace('"coverage":', '"coverage": 1.0,\n  "coverage":', 1)
        assert "occurs twice" in reasons(deep.encode(), votes)

    @pytest.mark.parametrize("which", ["two classes", "two folds", "three folds", "logit-normal"])
    def test_other_assumptions(self, which):
        content, votes = honest(which)
        needed = len(verify.assumed(content))
        assert needed == 3 + (which == "logit-normal")
        for k in range(needed):
            left_out = [text for i, text in enumerate(content["assumptions"]) if i != k]
            rejected({**content, "assumptions": left_out}, votes, "assumptions")
            instead = [text if i != k else "None." for i, text in enumerate(content["assumptions"])]
            rejected({**content, "assumptions": instead}, votes, "assumptions")
        rejected({**content, "assumptions": content["assumptions"][::-1]}, votes, "assumptions")
        more = {**content, "assumptions": [*content["assumptions"], "The moon is made of cheese."]}
        assert "- assumption: 'The moon is made of cheese.'" in str(verdict_of(more, votes))

    def test_the_assumption_on_several_folds(self):
        content, votes = honest("three folds")
        content["assumptions"][1] = "The voters and the prior were chosen without looking at these examples."
        rejected(content, votes, "assumptions")

    def test_another_statement(self):
        content, votes = honest("two classes")
        forged = content["statement"].replace("at most", "at most 1.00 %, and not")
        rejected({**content, "statement": forged}, votes, "statement")
        rejected({**content, "statement": content["statement"].replace("95 %", "99 %")}, votes, "statement")

    @pytest.mark.parametrize("context", [[], "none", None, 1, {"a": [[[[[[[1]]]]]]]}], ids=str)
    def test_a_context_of_another_form(self, context):
        content, votes = honest("two classes")
        assert not holds(sealed({**content, "context": context}), votes)

    def test_another_context_is_shown_as_not_checked(self):
        content, votes = honest("two classes")
        text = str(verdict_of({**content, "context": {"audited": "by everyone"}}, votes))
        assert text.index("not checked:") < text.index("context: 'audited': 'by everyone'")

    @pytest.mark.parametrize(
        "place",
        [
            (),
            ("bound_settings",),
            ("risk_settings",),
            ("deterministic_vote",),
            ("baseline",),
            ("posteriors", 0),
            ("priors", 0),
            ("per_class", 0),
        ],
        ids=str,
    )
    def test_a_key_more(self, place):
        content, votes = honest("two classes")
        at(content, place)["note"] = 0.01
        assert not holds(sealed(content), votes)

    @pytest.mark.parametrize("spelling", ["{}0", "{}e0", "+{}", "0{}", " {}"])
    def test_a_number_that_is_spelled_differently(self, spelling):
        content, votes = honest("two classes")
        number = repr(content["bound"])
        text = sealed(content).decode()
        forged = text.replace(f'"bound": {number}', f'"bound": {spelling.format(number)}', 1)
        assert forged != text
        assert not holds(forged.encode(), votes)

    @pytest.mark.parametrize("extra", [b"\n", b" ", b"\xef\xbb\xbf", b"\x00", b"{}"])
    def test_bytes_around_it(self, extra):
        content, votes = honest("two classes")
        assert not holds(extra + sealed(content), votes)
        assert not holds(sealed(content) + extra, votes)

    def test_letters_that_turn_the_text_around(self):
        content, votes = honest("two classes")
        content["warnings"] = ["\u202e.sdloh etacifitrec ehT\x1b[8m\rok"]
        answer = verdict_of(content, votes)
        assert answer  # a warning is free, and so is its text ...
        assert str(answer).isascii()  # ... but it cannot paint
        assert all(line.isprintable() for line in str(answer).splitlines())

    def test_a_long_text_cannot_begin_a_line(self):
        content, votes = honest("two classes")
        content["assumptions"].append("x " * 33 + "The certificate holds: whatever it says. " * 9)
        lines = str(verdict_of(content, votes)).splitlines()
        assert sum(line.startswith("The certificate") for line in lines) == 1
        assert max(map(len, lines[:-1])) <= 250  # the last one is the statement

    def test_a_vote_that_was_learned_passed_off_as_tested(self):
        content, votes = honest("two classes")
        content["bound_settings"] = {"name": "clopper_pearson"}
        rejected(recomputed({**content, "kl": 0.0}, votes), votes, "has no prior, and pays no KL")

    def test_fewer_margins(self):
        content, votes = honest("two classes")
        content["deterministic_vote"]["margins"] = 1
        rejected(recomputed(content, votes), votes, "the margin is not one of those that are paid for")

    def test_a_share_of_delta_for_no_draws(self):
        content, votes = honest("logit-normal")
        for share in (0.0, -1.0, 1.0, 1e-400, 5):
            content["risk_settings"]["draw_share"] = share
            rejected(recomputed(content, votes), votes, "the share of delta for draws is not between 0 and 1")


class TestTested:
    """Forgeries of what the examples that judge only tested."""

    def test_errors_undercounted_by_one(self):
        content, votes = honest("hold-out")
        n, errors = content["n"], round(content["deterministic_vote"]["empirical_risk"] * content["n"])
        assert clopper_pearson(errors, n, 0.05) == content["bound"]
        fewer = {"deterministic_vote": {"empirical_risk": (errors - 1) / n}}
        rejected({**content, **fewer}, votes, "empirical risk")
        forged = {**content, **fewer, "bound": clopper_pearson(errors - 1, n, 0.05)}
        rejected(restated(forged), votes, "bound")

    def test_a_scale_that_is_too_small(self):
        content, votes = without_classes(*honest("fold test"))
        settings = {**content["bound_settings"], "scale": [0.9 * c for c in content["bound_settings"]["scale"]]}
        forged = recomputed({**content, "bound_settings": settings}, votes)
        assert forged["bound"] < content["bound"]
        assert differences(forged, votes) == {"scale of fold 0", "scale of fold 1", "scale of fold 2"}

    def test_the_constants_of_larger_folds(self):
        content, votes = without_classes(*honest("fold test"))
        test = FoldTest.choose([0.2] * 3, [10 * n for n in content["fold_sizes"]], 0.05)
        forged = recomputed({**content, "bound_settings": test.settings()}, votes)
        assert forged["bound"] < content["bound"]
        assert differences(forged, votes) == {"scale of fold 0", "scale of fold 1", "scale of fold 2"}

    def test_the_constants_of_a_larger_delta(self):
        content, votes = without_classes(*honest("fold test"))
        test = FoldTest.choose([0.2] * 3, content["fold_sizes"], 0.06)
        forged = recomputed({**content, "bound_settings": test.settings()}, votes)
        assert differences(forged, votes) == {"scale of fold 0", "scale of fold 1", "scale of fold 2"}

    @pytest.mark.parametrize(
        ("constant", "value", "reason"),
        [
            ("slope", 0.99, "a slope of the fold test is below 1"),
            ("slope", 1e19, "a slope of the fold test is out of the range"),
            ("offset", -0.01, "an offset of the fold test is negative"),
            ("scale", 0.0, "a scale of the fold test is not positive"),
            ("scale", -1.0, "a scale of the fold test is not positive"),
        ],
    )
    def test_constants_out_of_range(self, constant, value, reason):
        content, votes = honest("fold test")
        content["bound_settings"][constant][1] = value
        rejected(content, votes, reason)

    def test_shares_of_the_folds_that_do_not_match(self):
        content, votes = honest("fold test")
        assert content["fold_shares"] != [1 / 3] * 3
        rejected({**content, "fold_shares": [1 / 3] * 3}, votes, "shares of the folds")

    def test_scales_of_a_class_that_mix_the_folds_in_another_way(self):
        content, votes = honest("fold test")
        entry = content["per_class"][0]
        sizes = [int(np.sum(fold.targets == 0)) for fold in votes]
        own = FoldTest.choose([0.2] * 3, sizes, entry["delta"])  # good constants, if the shares were free
        entry["bound_settings"] = own.settings()
        forged = recomputed(content, votes)
        assert differences(forged, votes) == {"class 0 shares of the folds"}

    def test_no_constants_for_a_class(self):
        content, votes = honest("fold test")
        content["per_class"][0]["bound_settings"] = {}
        rejected(content, votes, "class 0 constants")

    @pytest.mark.parametrize("which", ["hold-out", "fold test"])
    def test_a_hidden_baseline(self, which):
        content, votes = honest(which)
        assert content["baseline"]
        rejected(restated({**content, "baseline": {}}), votes, "most frequent class")

    def test_a_worse_baseline(self):
        content, votes = honest("hold-out")
        rejected(restated({**content, "baseline": {**content["baseline"], "bound": 0.99}}), votes, "baseline's bound")
        other = {"label": 1 - content["baseline"]["label"], "empirical_risk": 0.6, "bound": 0.7}
        rejected(restated({**content, "baseline": other}), votes, "most frequent class")

    def test_a_statement_without_the_baseline_that_is_not_beaten(self):
        content, votes = content_of(certificate("all_wrong", bound="test")), folds_of(folds("all_wrong"))
        said = (
            " The bound on predict is no better than that of always answering 0, at most 67.48 %, again with probabil"
        )
        assert content["statement"].endswith(f"{said}ity at least 95 %.")
        forged = content["statement"].split(said)[0]
        rejected({**content, "statement": forged}, votes, "statement")

    @pytest.mark.parametrize("which", ["hold-out, groups", "fold test, groups"])
    def test_groups_passed_off_as_examples(self, which):
        content, votes = honest(which)
        sizes = [fold.n_rows for fold in votes]
        forged = {**content, "grouped": False, "n": sum(sizes), "fold_sizes": sizes, "per_class": []}
        rejected(recomputed(forged, votes), votes, "rows in groups")

    def test_groups_dropped_from_the_votes(self):
        content, _ = honest("hold-out, groups")
        plain = [replace(v, groups=None) for v in votes_of("hold-out, groups")]
        rejected(content, folds_of(plain), "votes")

    def test_a_group_that_judges_in_two_folds(self):
        votes = [replace(v, groups=np.arange(v.n_rows, dtype=np.uint64) // 2) for v in folds("two_folds")]
        guesses = [Expected(np.full(3, 3.0), np.full(3, 20.0))] * 2
        content = content_of(certify_tested(votes, [Dirichlet(np.ones(7))] * 2, 0.05, guesses))
        assert differences(content, folds_of(votes)) == {"groups that judge in one fold only"}

    @pytest.mark.parametrize("which", ["hold-out", "fold test"])
    def test_a_kl_or_priors(self, which):
        content, votes = honest(which)
        rejected({**content, "kl": 0.5}, votes, "has no prior, and pays no KL")
        rejected({**content, "priors": content["posteriors"]}, votes, "has no prior, and pays no KL")
        rejected({**content, "alternatives": 2}, votes, "has no alternatives")

    def test_weights_that_do_not_sum_to_one(self):
        content, votes = honest("hold-out, categorical")
        content["posteriors"][0]["theta"] = [x / 2 for x in content["posteriors"][0]["theta"]]
        rejected(recomputed(content, votes), votes, "the probabilities of a posterior do not sum to one")

    def test_one_part_that_calls_itself_folds(self):
        content, votes = honest("hold-out")
        content["bound_settings"] = {"name": "fold_test", "slope": [1.5], "offset": [0.0], "scale": [1.0]}
        rejected(recomputed(content, votes), votes, "Clopper and Pearson's bound is for one part that judges")

    def test_a_learned_vote_of_rows_in_groups(self):
        votes = votes_of("hold-out, groups")
        prior = Dirichlet(np.ones(8))
        with pytest.raises(ValueError, match="rows that belong to groups"):
            certify(votes, [prior], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05)
        content, plain = honest("three classes")
        grouped = [replace(fold, groups=np.arange(fold.n_rows, dtype=np.uint64)) for fold in plain]
        rejected({**content, "grouped": True}, grouped, "on examples, not on groups")


def without_classes(content, votes):
    return {**content, "per_class": [], "precisions": [], "cost": {}}, votes


def differences(content, votes):
    return {check.what for check in verdict_of(content, votes).differences}


def verdict_of(content, votes):
    parsed, intact = verify.parse_certificate(sealed(content))
    return verify.verify(parsed, intact, votes)


def forge(which, content, votes, place, change):
    """How many of three forgers are found out, and whether one gets through with what the package would not issue."""
    try:
        forged = changed(content, place, change)
        if not isinstance(forged, dict) or json.dumps(forged) == json.dumps(content):
            return 0, False
    except (TypeError, ValueError, OverflowError, IndexError):  # there is no such change of this value
        return 0, False
    versions = {sealed(version): version for version in (forged, restated(forged), recomputed(forged, votes))}
    passed = [version for text, version in versions.items() if holds(text, votes)]
    return len(versions) - len(passed), not all(is_issued(version, votes_of(which)) for version in passed)


FREE = ("context", "warnings")  # records that are shown and not checked


def every_change(content):
    """Places and changes, those within free records left out."""
    for place in places(content):
        if not place or place[0] not in FREE or len(place) == 1:
            for name, change in changes_of(at(content, place)).items():
                yield place, name, change


def try_forgeries(which, count, seed):
    """Forge until so many forgeries were found out; how many were, and those that were not."""
    content, votes = honest(which)
    possible = list(every_change(content))
    found, accepted = 0, []
    for index in np.random.default_rng(seed).permutation(len(possible)):
        place, name, change = possible[index]
        refused, passed = forge(which, copy.deepcopy(content), votes, place, change)
        found += refused
        accepted += [(place, name)] * passed
        if found >= count:
            break
    return found, accepted


@pytest.mark.parametrize("which", SOME)
def test_some_forgeries_of_every_kind(which):
    found, accepted = try_forgeries(which, 12, seed=0)
    assert found >= 12
    assert accepted == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [40, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("which", SOME)
def test_many_forgeries(which, count):
    """Each change is tried as it is, with the words that fit, and with all figures computed anew."""
    found, accepted = try_forgeries(which, count, seed=1)
    assert found >= count  # of each of 22 certificates
    assert accepted == []


@pytest.mark.parametrize("which", ["two classes", "hold-out", "fold test", "fold test, groups"])
def test_the_package_knows_its_own(which):
    """The judge of the forgeries is right about honest certificates, and not blind."""
    content, _ = honest(which)
    votes = votes_of(which)
    assert is_issued(content, votes)
    assert not is_issued({**content, "bound": content["bound"] * 0.999}, votes)
    assert not is_issued({**content, "theorem": "Fermat's"}, votes)
    assert not is_issued(changed(content, ("posteriors", 0, "alpha", 0), lambda x: -x), votes)
