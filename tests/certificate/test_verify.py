"""Every certificate is found again by the independent check, and every change to one is found out."""

from dataclasses import asdict, is_dataclass, replace

import pytest

from certificate.made import COMBINATIONS, certificate, judging, learned
from stocmv import certify
from stocmv.bounds import BOUNDS
from stocmv.risks import RISKS
from unproven import Guess
from zoo import PAIRS, folds

BOUND_NAMES = [*BOUNDS, "catoni_per_fold"]
SOME = {
    "two classes": {"name": "noisy", "per_class": True},
    "three classes": {"name": "three_classes", "bound": "mcallester"},
    "two folds": {"name": "two_folds", "bound": "catoni", "alternatives": 3},
    "three folds": {"name": "three_folds", "bound": "catoni_per_fold"},
    "each class": {"name": "merged", "per_class": True},
    "half": {"name": "ten_classes", "risk": "half", "bound": "seeger_2sqrt"},
    "first order": {"name": "separable", "risk": "first_order", "kind": "categorical"},
    "first order of a Dirichlet": {"name": "separable", "risk": "first_order"},
    "second order": {"name": "noisy", "risk": "second_order", "kind": "categorical"},
    "second order of a Dirichlet": {"name": "separable", "risk": "second_order"},
    "binomial": {"name": "many_classes", "risk": "binomial", "kind": "categorical"},
    "C-bound": {"name": "separable", "risk": "c_bound", "kind": "categorical"},
    "Monte Carlo": {"name": "noisy", "risk": "mc"},
    "logit-normal": {"name": "three_folds", "risk": "mc", "kind": "logit_normal"},
    "hold-out": {"name": "noisy", "bound": "test", "per_class": True, "priced": True},
    "hold-out, merged rows": {"name": "merged", "bound": "test", "priced": True},
    "hold-out, groups": {"name": "three_classes", "bound": "test", "per_class": True, "grouped": True, "priced": True},
    "hold-out, categorical": {"name": "noisy", "risk": "first_order", "kind": "categorical", "bound": "test"},
    "hold-out, one voter": {"name": "one_voter", "risk": "first_order", "kind": "categorical", "bound": "test"},
    "fold test": {"name": "three_folds", "bound": "test", "per_class": True, "priced": True},
    "fold test, three classes": {"name": "two_folds", "bound": "test", "per_class": True},
    "fold test, groups": {"name": "two_folds", "bound": "test", "grouped": True, "priced": True},
}


every_one = pytest.mark.parametrize("which", SOME)


def made(which):
    return certificate(**SOME[which]), votes_of(which)


def votes_of(which):
    return judging(SOME[which]["name"], SOME[which].get("grouped", False))


class TestHolds:
    @pytest.mark.parametrize(("name", "risk", "kind"), COMBINATIONS)
    def test_for_every_risk_of_every_problem(self, name, risk, kind):
        verification = certificate(name, risk, kind).verify(folds(name))
        assert verification, verification

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    @pytest.mark.parametrize("name", ["noisy", "two_folds", "three_folds"])
    def test_for_every_bound(self, name, risk, kind):
        for bound in BOUND_NAMES:
            verification = certificate(name, risk, kind, bound).verify(folds(name))
            assert verification, str(verification)

    @pytest.mark.parametrize("name", ["noisy", "three_classes", "merged", "all_right", "all_wrong", "three_folds"])
    def test_for_each_class(self, name):
        ours = certificate(name, per_class=True)
        assert len(ours.per_class) == folds(name)[0].n_classes
        assert ours.verify(folds(name)), ours.verify(folds(name))

    @every_one
    def test_and_says_so(self, which):
        ours, votes = made(which)
        verification = ours.verify(votes)
        assert verification.differences == []
        lines = str(verification).splitlines()
        assert lines[-1] == f"The certificate holds: {ours.statement()}"
        assert all(line.startswith("ok ") for line in lines[: len(verification.checks)])

    @every_one
    def test_and_says_what_was_not_checked(self, which):
        ours, votes = made(which)
        text = str(ours.verify(votes))
        stated, unknown = text.index("not checked:"), text.index("What no verifier can know:")
        assert stated < text.index("- assumption: 'The sun will rise.'") < unknown
        assert stated < text.index("- context: 'seed': 1") < unknown
        assert unknown < text.index("- whether the votes are real")
        assert "- assumption: 'The examples are independent" not in text

    def test_not_for_what_is_not_proven(self):
        ours, votes = made("two folds")
        verification = replace(ours, unproven=("the voters",)).verify(votes)
        assert not verification
        assert [check.what for check in verification.differences] == ["proven"]
        assert str(verification).endswith("Whatever it says has not been shown.")

    def test_not_for_a_bound_that_is_not_known(self):
        posteriors, priors = learned("two_folds", "exact", "dirichlet")
        ours = certify(folds("two_folds"), posteriors, priors, RISKS["exact"], Guess(), 0.05)
        verification = ours.verify(folds("two_folds"))
        assert not verification
        assert "the bound guess is not known here" in str(verification)

    def test_for_one_matrix_or_a_list_of_one(self):
        assert certificate("noisy").verify(folds("noisy")[0])


def leaves(value, path=()):
    """Paths to all numbers of a certificate."""
    if isinstance(value, dict | list | tuple):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, item in items for found in leaves(item, (*path, key))]
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []


def changed(value, path, change):
    if not path:
        return change(value)
    if isinstance(value, dict):
        return value | {path[0]: changed(value[path[0]], path[1:], change)}
    if is_dataclass(value):
        return replace(value, **{path[0]: changed(getattr(value, path[0]), path[1:], change)})
    return type(value)(changed(item, path[1:], change) if i == path[0] else item for i, item in enumerate(value))


def tampered(certificate, path, change):
    field, *rest = path
    return replace(certificate, **{field: changed(getattr(certificate, field), tuple(rest), change)})


def matters(certificate, path):
    """Whether the number has a part in what is certified. The second voter and the first class stand for all."""
    if path[0] in ("posteriors", "priors"):
        return path[-1] == 1 or (certificate.has_one_voter and certificate.posterior == "categorical")
    if path[0] == "per_class":
        return path[1] == 0
    if path[0] in ("precisions", "cost") and "bound_settings" in path:
        # a slope does not where no answer was wrong, nor a scale but the worst; that they are proven is checked
        return path[-2] == "offset"
    if path[:2] == ("cost", "matrix"):  # wrong answers that nobody gave may cost anything in between
        costs = certificate.cost["matrix"]
        return path[2] == path[3] or costs[path[2]][path[3]] == max(map(max, costs))
    if path[0] == "context":
        return False
    if path[0] == "risk_settings":
        estimated = certificate.posterior == "logit_normal" and path[1] in ("certificate_draws", "draw_share")
        return estimated or (certificate.risk == "binomial" and path[1] == "n_draws")
    # of a grid only the best constant and the length matter
    return path[0] != "bound_settings" or certificate.bound_settings["name"] != "catoni"


CHANGES = {
    "up": lambda x: x + 1 if isinstance(x, int) else x * 1.01 + 1e-3 * (x == 0),
    "down": lambda x: x - 1 if isinstance(x, int) else x * 0.99 - 1e-3 * (x == 0),
}


def found(certificate, votes):
    return {check.what for check in certificate.verify(votes).differences}


def one_of_each_kind(paths):
    """The last number of each list; all others."""
    return list({tuple("*" if isinstance(key, int) else key for key in path): path for path in paths}.values())


class TestTampering:
    @every_one
    @pytest.mark.parametrize(
        ("change", "chosen"),
        [("down", one_of_each_kind), *(pytest.param(change, list, marks=pytest.mark.slow) for change in CHANGES)],
        ids=["down", *(f"all {change}" for change in CHANGES)],
    )
    def test_with_any_number_is_found(self, which, change, chosen):
        ours, votes = made(which)
        assert min(ours.bound, ours.stochastic_bound) < 1  # a bound of 1 is true whatever the rest says
        paths = [path for path in leaves(asdict(ours)) if matters(ours, path)]
        assert {path[0] for path in paths} >= {
            "bound",
            "stochastic_bound",
            "moments",
            "kl",
            "n",
            "delta",
            "posteriors",
        }
        before = {check.what for check in ours.verify(votes).differences}
        missed = [path for path in chosen(paths) if found(tampered(ours, path, CHANGES[change]), votes) == before]
        assert missed == []

    @every_one
    def test_names_the_figure(self, which):
        ours, votes = made(which)
        for path, what in {
            ("bound",): "bound",
            ("stochastic_bound",): "stochastic bound",
            ("kl",): "form" if ours.tested else "KL",
            ("moments", 0): "stochastic risk" if ours.tested else "empirical risk",
            ("fold_shares", 0): "shares of the folds",
            ("n",): "groups" if ours.grouped else "examples",
            ("fold_sizes", 0): "groups" if ours.grouped else "examples",
        }.items():
            verification = tampered(ours, path, CHANGES["down"]).verify(votes)
            assert what in [check.what for check in verification.differences]
            assert f"NO  {what}: " in str(verification)
            assert str(verification).splitlines()[-1].startswith("The certificate does NOT hold.")

    @pytest.mark.parametrize("figure", ["bound", "stochastic_bound", "kl", "moments"])
    def test_with_what_is_no_number_is_found(self, figure):
        ours, votes = made("two classes")
        path = (figure, 0) if figure == "moments" else (figure,)
        assert not tampered(ours, path, lambda x: float("nan")).verify(votes)

    @every_one
    def test_by_little_is_found_when_it_makes_a_figure_smaller(self, which):
        ours, votes = made(which)
        kl = "form" if ours.tested else "KL"
        for field, what in (("bound", "bound"), ("stochastic_bound", "stochastic bound"), ("kl", kl)):
            assert what in found(tampered(ours, (field,), lambda x: x - 1e-8 * max(1.0, x)), votes)

    @every_one
    def test_with_one_vote_is_found(self, which):
        ours, votes = made(which)
        for fold, matrix in enumerate(votes):
            for part in ("bits", "labels", "targets", "groups"):
                array = getattr(matrix, part)
                if array is not None:
                    flipped = array.copy()
                    flipped.flat[-1] ^= flipped.dtype.type(1)  # a plain 1 is no uint64 to numpy 1
                    others = [replace(v, **{part: flipped}) if k == fold else v for k, v in enumerate(votes)]
                    assert "votes" in found(ours, others)

    @every_one
    def test_with_a_name_of_the_votes_is_found(self, which):
        ours, votes = made(which)
        assert "votes" in found(tampered(ours, ("vote_digests", 0), lambda name: name[::-1]), votes)

    def test_with_the_order_of_the_folds_is_found(self):
        ours, votes = made("three folds")
        assert not ours.verify(votes[::-1])
        assert not ours.verify(votes[:2])

    @pytest.mark.parametrize(("bound", "constant"), [("seeger", "2sqrt"), ("seeger_2sqrt", "xi")])
    def test_with_the_constant_of_the_bound_is_found(self, bound, constant):
        ours = certificate("noisy", bound=bound)
        settings = ours.bound_settings | {"constant": constant}
        assert not replace(ours, bound_settings=settings).verify(folds("noisy"))

    def test_with_the_length_of_a_grid_is_found(self):
        ours, votes = made("two folds")
        best = ours.bound_settings["c"]
        for grid in (best[:-1], best[1:], [*best, 1.0]):
            assert not replace(ours, bound_settings={"name": "catoni", "c": grid}).verify(votes)

    def test_with_the_risk_is_found(self):
        ours, votes = made("three classes")
        assert not replace(ours, risk="half").verify(votes)
        assert not replace(ours, risk="first_order").verify(votes)

    @pytest.mark.parametrize(
        "change",
        [
            {"posteriors": (), "bound": 0.0},
            {"priors": ()},
            {"moments": ()},
            {"moments": (0.2, 0.1)},
            {"delta": 0.0},
            {"delta": -0.05},
            {"delta": 1.5},
            {"posteriors": ({"alpha": [-1.0] * 12},)},
            {"posteriors": ({"alpha": [1.0] * 11},)},
            {"posteriors": ({"theta": [1.0] * 12},)},
            {"posterior": "categorical"},
            {"bound_settings": {}},
            {"bound": "0.1"},
            {"deterministic_vote": {}},
            {"alternatives": 0},
        ],
        ids=lambda change: " ".join(change),
    )
    def test_with_the_shape_of_a_certificate_is_found(self, change):
        assert not replace(certificate("noisy"), **change).verify(folds("noisy"))

    @pytest.mark.parametrize(
        ("which", "change"),
        [
            ("two classes", {"unproven": ("the voters",)}),
            ("two classes", {"covers_drawn": False}),
            ("first order", {"covers_drawn": False}),
            ("binomial", {"covers_drawn": True}),
            ("two classes", {"theorem": "Fermat's last theorem"}),
            ("two classes", {"certified": "the error of every vote"}),
            ("two classes", {"deterministic_rule": "any vote"}),
        ],
        ids=lambda value: value if isinstance(value, str) else next(iter(value)),
    )
    def test_with_the_words_of_a_certificate_is_found(self, which, change):
        ours, votes = made(which)
        assert not replace(ours, **change).verify(votes)

    def test_with_the_price_of_the_margins_is_found(self):
        """A consistent forgery: one margin is claimed to have been tried, and the bound is computed for that."""
        ours, votes = made("two classes")
        f = ours.deterministic_vote
        delta = ours.delta / ours.alternatives
        cheaper = BOUNDS["seeger"].upper(f["empirical_risk"], f["kl"], [ours.n], delta).value / f["coverage"]
        forged = replace(ours, deterministic_vote=f | {"margins": 1}, bound=cheaper, per_class=())
        assert forged.bound < ours.bound
        assert not forged.verify(votes)
