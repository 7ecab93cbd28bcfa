import json
import math
import re
from dataclasses import asdict, fields, replace
from decimal import ROUND_CEILING, Decimal
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from certificate.made import COMBINATIONS, certificate, learned
from stocmv import Certificate, VoteMatrix, certify, learn
from stocmv.bounds import BOUNDS, clopper_pearson
from stocmv.certificate._class_losses import class_losses
from stocmv.certificate._percent import confidence
from stocmv.posteriors import Categorical, Dirichlet
from stocmv.risks import RISKS
from stocmv.risks._exact import margin_rows
from stocmv.solvers import LBFGS
from stocmv.special import kl_inverse
from stocmv.votes import PartitionedVotes
from unproven import Guess
from zoo import PAIRS, PROBLEMS, folds, problem, risk_of


def rewritten(path, **changes):
    """A certificate's file in which some fields were replaced, or left out where they are None."""
    content = json.loads(certificate("noisy").to_json()) | changes
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


class TestFigures:
    def test_fit_together(self):
        for name, risk, kind in COMBINATIONS:
            ours = certificate(name, risk, kind)
            assert ours.empirical_risk == ours.moments[0] <= ours.stochastic_bound <= 1
            assert ours.n == sum(ours.fold_sizes) == sum(v.n_examples for v in folds(name))
            assert ours.vote_digests == tuple(v.digest() for v in folds(name))
            assert (ours.risk, ours.posterior, ours.delta) == (risk, kind, 0.05)
            assert ours.proven
            if kind == "categorical":
                assert ours.bound == ours.stochastic_bound

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_are_those_of_the_bound(self, bound):
        """With one fold and the half risk a certificate is one call of the bound."""
        ours = certificate("noisy", "half", bound=bound, alternatives=1)
        theirs = BOUNDS[bound].upper(ours.empirical_risk, ours.kl, [120], 0.05).value
        assert ours.stochastic_bound == min(theirs, 1)
        doubled = certificate("noisy", "half", bound=bound, delta=0.1, alternatives=2)
        assert doubled.stochastic_bound == ours.stochastic_bound

    def test_drawn_votes_are_paid_for_with_a_share_of_delta(self):
        ours, (posteriors, _) = (
            certificate("noisy", "mc", "logit_normal", alternatives=1),
            learned("noisy", "mc", "logit_normal"),
        )
        measured = risk_of("mc").certified_moments(posteriors[0], problem("noisy"))[0]
        share, draws, candidates = 0.1, 100, 2
        paid = kl_inverse(measured, np.log(candidates / (0.05 * share / 2)) / draws)
        assert ours.empirical_risk == pytest.approx(paid, rel=1e-14)
        theirs = BOUNDS["seeger"].upper(ours.empirical_risk, ours.kl, [120], 0.05 * (1 - share)).value
        assert ours.stochastic_bound == pytest.approx(theirs, rel=1e-14)
        fixed = 2 * kl_inverse(ours.stochastic_bound, np.log(1 / (0.05 * share / 2)) / 2000)
        assert ours.bound == pytest.approx(min(fixed, 1), rel=1e-14)

    def test_of_the_deterministic_vote_are_at_most_about_twice_those_of_the_stochastic_one(self):
        """The margin 0 is in the grid, so that only the price of the grid is added to the factor two."""
        for name in PROBLEMS:
            ours = certificate(name)
            grid_price = np.log(ours.deterministic_vote["margins"]) * len(folds(name)) / ours.n
            allowed = (
                BOUNDS["seeger"]
                .upper(
                    ours.empirical_risk, ours.kl + grid_price * ours.n, ours.fold_sizes, ours.delta / ours.alternatives
                )
                .value
            )
            assert ours.bound <= min(2 * allowed, 1) * (1 + 1e-6)

    def test_more_alternatives_cost_more(self):
        bounds = [certificate("noisy", alternatives=k).stochastic_bound for k in (1, 2, 10)]
        assert bounds == sorted(bounds)
        assert bounds[0] < bounds[-1]

    def test_hold_for_a_posterior_from_anywhere(self):
        prior, votes = Dirichlet(np.ones(12)), problem("noisy")
        for alpha in (np.ones(12), np.full(12, 9.0), np.arange(1.0, 13)):
            ours = certify([votes], [Dirichlet(alpha)], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05)
            assert ours.verify(votes)


class TestWords:
    @pytest.mark.parametrize("field", ["bound", "stochastic_bound", "moments"])
    def test_round_percentages_up(self, field):
        rng = np.random.default_rng(0)
        for value in [*rng.random(200), *rng.integers(1, 10_000, 50) / 1e4, 1e-9, 0.1234 + 1e-9, 0.29, 1 - 1e-9, 1.0]:
            ours = replace(certificate("noisy"), **{field: (value,) if field == "moments" else value})
            index = {"bound": (0, 1), "stochastic_bound": (1, 1), "moments": (1, 2)}[field]
            shown = ours.figures()[index[0]][index[1]]
            exact = Decimal(repr(float(value))) * 100
            assert Decimal(shown.removesuffix(" %")) == exact.quantize(Decimal("0.01"), ROUND_CEILING)
            assert shown in str(ours)
            assert field != "bound" or f"predict errs on at most {shown} of new examples" in ours.statement()

    @pytest.mark.parametrize(
        ("delta", "shown"), [(0.05, "95 %"), (0.1, "90 %"), (1 / 3, "66.6666 %"), (1e-3, "99.9 %"), (1e-9, "99.9999 %")]
    )
    def test_round_the_confidence_down(self, delta, shown):
        text = replace(certificate("noisy"), delta=delta).statement()
        assert text.startswith(
            f"With probability at least {shown} over the draw of the 120 examples that judge it, predict "
        )

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    def test_name_vote_theorem_and_assumptions(self, risk, kind):
        ours = certificate("three_folds", risk, kind)
        page = str(ours)
        assert ours.certified == RISKS[risk].certified
        for part in (ours.statement(), ours.theorem, ours.deterministic_rule, *ours.assumptions):
            assert part in page
        assert "cross-bounded over 3 folds" in ours.theorem
        assert ours.deterministic_rule.startswith("each example is given to one fold, then ")
        assert ours.assumptions[-1] == "The sun will rise."
        assert any("drawn votes" in assumption for assumption in ours.assumptions) == (kind == "logit_normal")

    def test_name_each_class(self):
        ours = certificate("three_classes", per_class=True)
        assert len(ours.figures()) == 3 + 2 * 3  # with the baseline
        assert all(f"class {k} (" in str(ours) for k in range(3))

    def test_say_when_nothing_is_proven(self):
        posteriors, priors = learned("two_folds", "exact", "dirichlet")
        ours = certify(folds("two_folds"), posteriors, priors, RISKS["exact"], Guess(), 0.05)
        assert not ours.proven
        for text in (ours.statement(), str(ours), ours._repr_html_()):
            assert "Not a certificate" in text
            assert "the bound &#x27;guess&#x27;" in text or "the bound 'guess'" in text
            assert "With probability" not in text

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_say_nothing_of_the_kind_when_it_is(self, bound):
        text = str(certificate("two_folds", bound=bound))
        assert "Not a certificate" not in text
        assert "not proven" not in text

    def test_are_safe_in_a_notebook(self):
        ours = replace(certificate("noisy"), assumptions=("<script>alert(1)</script>",))
        assert "<script>" not in ours._repr_html_()
        assert "&lt;script&gt;" in ours._repr_html_()


class TestJson:
    @pytest.mark.parametrize("name", ["noisy", "three_folds", "all_right"])
    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    def test_what_was_written_is_read(self, name, risk, kind, tmp_path):
        theirs = certificate(name, risk, kind, per_class=kind == "dirichlet")
        text = theirs.to_json(tmp_path / "certificate.json")
        ours = Certificate.from_json(tmp_path / "certificate.json")
        assert ours == theirs
        assert text == ours.to_json() == (tmp_path / "certificate.json").read_text()

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    def test_what_was_read_is_verified(self, risk, kind, tmp_path):
        certificate("two_folds", risk, kind).to_json(tmp_path / "certificate.json")
        assert Certificate.from_json(str(tmp_path / "certificate.json")).verify(folds("two_folds"))

    @pytest.mark.parametrize("risk", RISKS)
    def test_settings_of_a_risk_are_what_it_is_made_with(self, risk):
        assert type(RISKS[risk])(**RISKS[risk].settings()).settings() == RISKS[risk].settings()

    def test_is_plain(self):
        content = json.loads(certificate("noisy").to_json())
        assert content.pop("format") == "stocmv certificate 1"
        assert len(content.pop("sha256")) == 64
        assert content.pop("statement") == certificate("noisy").statement()
        assert set(content) == {field.name for field in fields(Certificate)}
        assert content["n"] == 120
        assert asdict(certificate("noisy"))["posteriors"] == tuple(content["posteriors"])

    def test_keeps_words_of_every_language(self, tmp_path):
        ours = replace(certificate("noisy", per_class=True), context={"target": "größe"})
        ours.to_json(tmp_path / "certificate.json")
        assert Certificate.from_json(tmp_path / "certificate.json") == ours

    def test_refuses_what_json_cannot_say(self, tmp_path):
        certificate("noisy").to_json(tmp_path / "certificate.json")
        with pytest.raises(ValueError, match="JSON compliant"):
            replace(certificate("noisy"), bound=float("nan")).to_json(tmp_path / "certificate.json")
        assert Certificate.from_json(tmp_path / "certificate.json") == certificate("noisy")

    def test_a_write_that_fails_leaves_the_old_file(self, tmp_path, monkeypatch):
        certificate("noisy").to_json(tmp_path / "certificate.json")

        def full(fd):
            raise OSError("the disk is full")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="full"):
            certificate("three_folds").to_json(tmp_path / "certificate.json")
        assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]
        assert Certificate.from_json(tmp_path / "certificate.json") == certificate("noisy")


class TestForeignFiles:
    def refused(self, path, reason=r"[^\n]+"):
        with pytest.raises(ValueError, match=f"^{re.escape(str(path))} is not a certificate of stocmv: {reason}$"):
            Certificate.from_json(path)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b"3",
            b"{}",
            b'{"format": "another certificate"}',
            b'{"format": "stocmv certificate 2"}',
            b"\x80\x04K\x01.",
            bytes(range(256)),
            "{}".encode("utf-16"),
            b"[" * 100_000,
            b'{"format": ' * 100_000,
            b'{"format": "stocmv certificate 1", "bound": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        ],
        ids=lambda content: repr(content[:24]),
    )
    def test_are_refused(self, content, tmp_path):
        path = tmp_path / "certificate.json"
        path.write_bytes(content)
        self.refused(path)

    @pytest.mark.parametrize("field", [field.name for field in fields(Certificate)])
    def test_a_missing_field_is_named(self, field, tmp_path):
        self.refused(rewritten(tmp_path / "c.json", **{field: None}), f"fields missing or unknown: {field}.")

    def test_an_unknown_field_is_named(self, tmp_path):
        self.refused(rewritten(tmp_path / "c.json", surprise=1), "fields missing or unknown: surprise.")

    @pytest.mark.parametrize(
        "change",
        [
            {"bound": "0.1"},
            {"bound": [0.1]},
            {"n": "many"},
            {"moments": 0.1},
            {"posteriors": "dirichlet"},
            {"posteriors": [[1.0, 2.0]]},
            {"unproven": "nothing"},
            {"covers_drawn": "yes"},
            {"warnings": [1]},
            {"bound_settings": [1]},
            {"deterministic_vote": 3},
            {"baseline": [1]},
            {"grouped": 0},
            {"fold_shares": ["1"]},
        ],
        ids=str,
    )
    def test_a_value_of_another_kind_is_refused(self, change, tmp_path):
        self.refused(rewritten(tmp_path / "c.json", **change))

    def test_a_file_that_is_not_there_is_said_to_be_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"c\.json"):
            Certificate.from_json(tmp_path / "c.json")


def test_learn_hands_out_the_certificate_of_what_it_learned():
    votes = problem("noisy")
    ours = learn(votes, prior=1.0, solver=LBFGS(max_iter=5), alternatives=2, per_class=True, context={"seed": 1})
    theirs = certify(
        [votes], [ours.posterior], [ours.prior], RISKS["exact"], BOUNDS["seeger"], 0.05,
        per_class=True, alternatives=2, context={"seed": 1},
    )  # fmt: skip
    assert ours.certificate == theirs


def test_classes_cannot_be_told_apart_in_errors_alone():
    votes, prior = VoteMatrix.from_errors(problem("noisy").errors()), Dirichlet(np.ones(12))
    with pytest.raises(ValueError, match="need votes made from labels, not from errors"):
        certify([votes], [prior], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05, per_class=True)


@pytest.mark.parametrize(("n_errors", "n"), [(0, 10), (3, 100), (99, 100), (100, 100)])
def test_the_bound_of_a_hold_out_is_where_so_few_errors_have_probability_delta(n_errors, n):
    bound = clopper_pearson(n_errors, n, 0.05)
    assert bound == 1 if n_errors == n else binom.cdf(n_errors, n, bound) == pytest.approx(0.05, rel=1e-7)


@pytest.mark.parametrize(
    ("delta", "shown"), [(0.05, "95 %"), (0.001, "99.9 %"), (1e-7, "99.9999 %"), (1e-15, "99.9999 %"), (0.3, "70 %")]
)
def test_no_confidence_is_shown_as_certainty(delta, shown):
    assert confidence(delta) == shown


def test_losses_are_added_up_without_falling_below_their_sum():
    """Two million rows of few different losses, which adding one by one gets wrong in the eleventh digit."""
    n, posterior = 2_000_000, Dirichlet(np.array([1.3, 2.1, 0.7]))
    rng = np.random.default_rng(0)
    targets = rng.integers(2, size=n).astype(np.uint8)
    votes = VoteMatrix.from_codes(
        (targets[:, None] ^ (rng.random((n, 3)) < 0.3)).astype(np.uint8), targets, np.arange(2)
    )
    (losses,) = class_losses([partial(margin_rows, posterior)], [votes])
    for k in (0, 1):
        rows = margin_rows(posterior, votes.take(targets == k))
        assert losses.sums[k] == pytest.approx(math.fsum(rows), rel=1e-14)
        assert losses.class_means[k] * len(rows) >= math.fsum(rows)
    parts = PartitionedVotes([votes.take(rows) for rows in np.array_split(np.arange(n), 40)])
    np.testing.assert_allclose(
        class_losses([partial(margin_rows, posterior)], [parts])[0].sums, losses.sums, rtol=1e-14
    )


@pytest.mark.parametrize(
    ("posterior", "prior", "risk"),
    [
        (Categorical(np.ones(12)), Categorical(np.ones(12)), "exact"),
        (Categorical(np.ones(12)), Categorical(np.ones(12)), "half"),
        (Dirichlet(np.ones(12)), Dirichlet(np.ones(12)), "binomial"),
        (Dirichlet(np.ones(12)), Categorical(np.ones(12)), "first_order"),
    ],
    ids=["exact", "half", "binomial", "two kinds"],
)
def test_a_risk_of_another_kind_of_posterior_is_refused(posterior, prior, risk):
    with pytest.raises(ValueError, match=f"risk '{risk}' is not defined|must all be of one kind"):
        certify(folds("noisy"), [posterior], [prior], RISKS[risk], BOUNDS["seeger"], 0.05)


@pytest.mark.parametrize(("delta", "alternatives"), [(3, 1), (0.0, 1), (0.05, 0), (0.05, 2.5)])
def test_shares_of_delta_are_checked(delta, alternatives):
    posterior = Dirichlet(np.ones(12))
    with pytest.raises(ValueError, match=r"delta must|alternatives must"):
        certify(
            folds("noisy"), [posterior], [posterior], RISKS["exact"], BOUNDS["seeger"], delta, alternatives=alternatives
        )
