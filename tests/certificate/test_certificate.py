"""What every certificate has and does: figures that fit together, words, files; and what is refused."""

import json
import math
import re
from dataclasses import asdict, replace
from decimal import ROUND_CEILING, Decimal
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from certificate.forging import content_of, sealed
from certificate.made import EVERY, ONE_OF_EACH, PAID, folds, good, judged, made, paid, table_of
from stocmv import Certificate, VoteMatrix, certify, learn, verify
from stocmv.bounds import BOUNDS, clopper_pearson
from stocmv.certificate import PacBayesCertificate, confidence
from stocmv.certificate._class_losses import class_losses
from stocmv.posteriors import Categorical, Dirichlet
from stocmv.risks import RISKS
from stocmv.risks._exact import margin_rows
from stocmv.solvers import LBFGS
from stocmv.special import kl_inverse
from stocmv.votes import PartitionedVotes
from unproven import Guess
from zoo import PAIRS, PROBLEMS, posterior_near, prior_of, problem, risk_of

every_one = pytest.mark.parametrize("which", EVERY)
one_of_each = pytest.mark.parametrize("which", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


class TestFiguresOfPacBayes:
    def test_fit_together(self):
        for name, settings in PAID.items():
            ours, votes = paid(**settings), folds(settings["name"])
            assert ours.empirical_risk == ours.moments[0] <= ours.stochastic_bound <= 1, name
            assert ours.n == sum(ours.fold_sizes) == sum(v.n_examples for v in votes)
            assert ours.evidence == tuple(v.digest() for v in votes)
            assert ours.fold_shares == pytest.approx([n / ours.n for n in ours.fold_sizes])
            assert ours.proven
            if settings.get("kind") == "categorical":
                assert ours.bound == ours.stochastic_bound

    @pytest.mark.parametrize("bound", BOUNDS)
    def test_are_those_of_the_bound(self, bound):
        """With one fold and the half risk a certificate is one call of the bound."""
        ours = paid("noisy", "half", bound=bound, alternatives=1)
        theirs = BOUNDS[bound].upper(ours.empirical_risk, ours.kl, [120], 0.05).value
        assert ours.stochastic_bound == min(theirs, 1)
        doubled = paid("noisy", "half", bound=bound, delta=0.1, alternatives=2)
        assert doubled.stochastic_bound == ours.stochastic_bound

    def test_drawn_votes_are_paid_for_with_a_share_of_delta(self):
        ours = paid("noisy", "mc", "logit_normal", alternatives=1)
        posterior = posterior_near(prior_of("logit_normal", 12), seed=0)
        measured = risk_of("mc").certified_moments(posterior, problem("noisy"))[0]
        share, draws, candidates = 0.1, 100, 2
        bought = kl_inverse(measured, np.log(candidates / (0.05 * share / 2)) / draws)
        assert ours.empirical_risk == pytest.approx(bought, rel=1e-14)
        theirs = BOUNDS["seeger"].upper(ours.empirical_risk, ours.kl, [120], 0.05 * (1 - share)).value
        assert ours.stochastic_bound == pytest.approx(theirs, rel=1e-14)
        fixed = 2 * kl_inverse(ours.stochastic_bound, np.log(1 / (0.05 * share / 2)) / 2000)
        assert ours.bound == pytest.approx(min(fixed, 1), rel=1e-14)

    @pytest.mark.parametrize("name", ["noisy", "symmetric", "three_folds", "good"])
    def test_of_the_deterministic_vote_are_at_most_about_twice_those_of_the_stochastic_one(self, name):
        """The margin 0 is in the grid, so that only the price of the grid is added to the factor two."""
        ours = paid(name)
        price = np.log(ours.deterministic_vote["margins"]) * len(folds(name))
        delta = ours.delta / ours.alternatives
        allowed = BOUNDS["seeger"].upper(ours.empirical_risk, ours.kl + price, ours.fold_sizes, delta).value
        assert ours.bound <= min(2 * allowed, 1) * (1 + 1e-6)

    def test_more_alternatives_cost_more(self):
        bounds = [paid("noisy", alternatives=k).stochastic_bound for k in (1, 2, 10)]
        assert bounds == sorted(bounds)
        assert bounds[0] < bounds[-1]

    def test_hold_for_a_posterior_from_anywhere(self):
        prior, votes = Dirichlet(np.ones(12)), problem("noisy")
        for alpha in (np.ones(12), np.full(12, 9.0), np.arange(1.0, 13)):
            ours = certify([votes], [Dirichlet(alpha)], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05)
            assert ours.verify(votes)

    def test_learn_hands_out_the_certificate_of_what_it_learned(self):
        votes = problem("noisy")
        settings = {"per_class": True, "alternatives": 2, "context": {"seed": 1}}
        ours = learn(votes, prior=1.0, solver=LBFGS(max_iter=5), **settings)
        theirs = certify([votes], [ours.posterior], [ours.prior], RISKS["exact"], BOUNDS["seeger"], 0.05, **settings)
        assert ours.certificate == theirs

    def test_losses_are_added_up_without_falling_below_their_sum(self):
        """Two million rows of few different losses, which adding one by one gets wrong in the eleventh digit."""
        n, posterior = 2_000_000, Dirichlet(np.array([1.3, 2.1, 0.7]))
        rng = np.random.default_rng(0)
        targets = rng.integers(2, size=n).astype(np.uint8)
        codes = (targets[:, None] ^ (rng.random((n, 3)) < 0.3)).astype(np.uint8)
        votes = VoteMatrix.from_codes(codes, targets, np.arange(2))
        (losses,) = class_losses([partial(margin_rows, posterior)], [votes])
        for k in (0, 1):
            rows = margin_rows(posterior, votes.take(targets == k))
            assert losses.sums[k] == pytest.approx(math.fsum(rows), rel=1e-14)
            assert losses.class_means[k] * len(rows) >= math.fsum(rows)
        parts = PartitionedVotes([votes.take(rows) for rows in np.array_split(np.arange(n), 40)])
        found = class_losses([partial(margin_rows, posterior)], [parts])[0].sums
        np.testing.assert_allclose(found, losses.sums, rtol=1e-14)


class TestRefusals:
    def test_classes_cannot_be_told_apart_in_errors_alone(self):
        votes, prior = VoteMatrix.from_errors(problem("noisy").errors()), Dirichlet(np.ones(12))
        with pytest.raises(ValueError, match="need votes made from labels, not from errors"):
            certify([votes], [prior], [prior], RISKS["exact"], BOUNDS["seeger"], 0.05, per_class=True)

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
    def test_a_risk_of_another_kind_of_posterior(self, posterior, prior, risk):
        with pytest.raises(ValueError, match=f"risk '{risk}' is not defined|must all be of one kind"):
            certify(folds("noisy"), [posterior], [prior], RISKS[risk], BOUNDS["seeger"], 0.05)

    @pytest.mark.parametrize(("delta", "alternatives"), [(3, 1), (0.0, 1), (0.05, 0), (0.05, 2.5)])
    def test_shares_of_delta_that_are_none(self, delta, alternatives):
        prior = Dirichlet(np.ones(12))
        with pytest.raises(ValueError, match=r"delta must|alternatives must"):
            certify(
                folds("noisy"), [prior], [prior], RISKS["exact"], BOUNDS["seeger"], delta, alternatives=alternatives
            )


class TestWords:
    @one_of_each
    def test_round_percentages_up(self, which):
        rng = np.random.default_rng(0)
        certificate = made(which)[0]
        for value in [*rng.random(50), *rng.integers(1, 10_000, 20) / 1e4, 1e-9, 0.1234 + 1e-9, 0.29, 1 - 1e-9, 1.0]:
            error = {**certificate.figures["error"], "bound": value}
            ours = replace(certificate, figures={**certificate.figures, "error": error})
            shown = ours.tables()[0].lines[0][1]
            exact = Decimal(repr(float(value))) * 100
            assert Decimal(shown.removesuffix(" %")) == exact.quantize(Decimal("0.01"), ROUND_CEILING)
            assert f"errs on at most {shown} " in ours.statement()
            assert f"errs on at most {shown} " in verify.statement_of(content_of(ours))

    @pytest.mark.parametrize(
        ("delta", "shown"),
        [
            (0.05, "95 %"),
            (0.1, "90 %"),
            (1 / 3, "66.6666 %"),
            (1e-3, "99.9 %"),
            (1e-9, "99.9999 %"),
            (1e-15, "99.9999 %"),
        ],
    )
    @one_of_each
    def test_round_the_confidence_down(self, which, delta, shown):
        ours = replace(made(which)[0], delta=delta)
        assert confidence(delta) == shown
        for said in (ours.statement(), verify.statement_of(content_of(ours))):
            assert said.startswith(f"With probability at least {shown} over the draw of the ")

    @every_one
    def test_name_vote_theorem_and_assumptions(self, which):
        ours = made(which)[0]
        page = str(ours)
        for part in (ours.statement(), ours.theorem, *ours.assumptions, *ours.notes()):
            assert part in page
        assert ours._repr_html_().count("<li>") == len(ours.assumptions)

    @every_one
    def test_agree_with_those_of_the_verifier(self, which):
        """The same bound, confidence, number of judges, and what it is averaged over."""
        ours = made(which)[0]
        first, theirs = ours.statement().split(". ")[0], verify.statement_of(content_of(ours))
        numbers = re.findall(r"[\d.,]+ %|\d[\d,]* (?:examples|groups)", first)
        assert numbers
        assert all(number in theirs for number in numbers)
        assert ("the key" in first) == ("the key" in theirs)

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    def test_of_pac_bayes_name_what_is_certified(self, risk, kind):
        ours = paid("three_folds", risk, kind)
        assert ours.certified == RISKS[risk].certified
        assert "cross-bounded over 3 folds" in ours.theorem
        assert ours.rule.startswith("each example is given to one fold, then ")
        assert ours.assumptions[-1] == "The sun will rise."
        assert any("drawn votes" in assumption for assumption in ours.assumptions) == (kind == "logit_normal")

    def test_say_when_nothing_is_proven(self):
        posterior = Dirichlet(np.ones(12))
        ours = certify(folds("noisy"), [posterior], [posterior], RISKS["exact"], Guess(), 0.05)
        assert not ours.proven
        for text in (ours.statement(), str(ours), ours._repr_html_()):
            assert "Not a certificate" in text
            assert "the bound &#x27;guess&#x27;" in text or "the bound 'guess'" in text
            assert "With probability" not in text
        for which in ONE_OF_EACH.values():
            assert "Not a certificate" in str(replace(made(which)[0], unproven=("the voters",)))

    @one_of_each
    def test_are_safe_in_a_notebook(self, which):
        ours = replace(made(which)[0], further_assumptions=("<script>alert(1)</script>",), warnings=("<b>",))
        assert "<script>" not in ours._repr_html_()
        assert "&lt;script&gt;" in ours._repr_html_()
        assert "<b>" not in ours._repr_html_()

    def test_of_tables_name_their_fields(self):
        for which in EVERY:
            ours = made(which)[0]
            for row in (row for table in ours.tables() for row in table.rows):
                for value, place in ((row.bound, row.place), (row.measured, row.measured_place)):
                    found = content_of(ours)
                    for key in place.split(".") if place else ():
                        found = found[int(key) if key.isdigit() else key]
                    assert not place or found == value


class TestJson:
    @every_one
    def test_what_was_written_is_read_and_holds(self, which, tmp_path):
        theirs = made(which)[0]
        text = theirs.to_json(tmp_path / "certificate.json")
        ours = Certificate.from_json(tmp_path / "certificate.json")
        assert ours == theirs == type(theirs).from_json(str(tmp_path / "certificate.json"))
        assert text == ours.to_json() == (tmp_path / "certificate.json").read_text()

    @one_of_each
    def test_is_plain(self, which):
        ours = made(which)[0]
        content = json.loads(ours.to_json())
        assert list(content) == ["format", *(field.name for field in ours._sealed_fields()), "sha256", verify.WORDS]
        words = content[verify.WORDS]
        assert words == {"statement": ours.statement(), "theorem": ours.theorem, "assumptions": list(ours.assumptions)}
        assert content["figures"] == asdict(ours)["figures"]
        assert content["format"] in verify.FORMS

    def test_of_another_kind_is_refused(self, tmp_path):
        judged("hold-out").to_json(tmp_path / "certificate.json")
        with pytest.raises(ValueError, match="is a TestedCertificate"):
            PacBayesCertificate.from_json(tmp_path / "certificate.json")

    @one_of_each
    def test_any_change_of_the_file_is_noticed(self, which, tmp_path):
        path = tmp_path / "certificate.json"
        text = made(which)[0].to_json(path)
        path.write_text(json.dumps(json.loads(text)))  # laid out differently, the same content
        with pytest.raises(ValueError, match="changed after it was written"):
            Certificate.from_json(path)
        rng = np.random.default_rng(0)
        sealed_part = text[: text.index(verify.WORDS)]
        digits = [i for i, letter in enumerate(sealed_part) if letter.isdigit() and i > text.index('"figures"')]
        for i in rng.choice(digits, 60):
            path.write_text(text[:i] + str((int(text[i]) + int(rng.integers(1, 10))) % 10) + text[i + 1 :])
            with pytest.raises(ValueError, match=r"changed after it was written|is not a certificate"):
                Certificate.from_json(path)

    @pytest.mark.parametrize("risk", RISKS)
    def test_settings_of_a_risk_are_what_it_is_made_with(self, risk):
        assert type(RISKS[risk])(**RISKS[risk].settings()).settings() == RISKS[risk].settings()

    def test_keeps_words_of_every_language(self, tmp_path):
        ours = replace(judged("hold-out, stochastic"), context={"target": "größe"})
        ours.to_json(tmp_path / "certificate.json")
        assert Certificate.from_json(tmp_path / "certificate.json") == ours

    def test_refuses_what_json_cannot_say(self, tmp_path):
        ours = judged("hold-out, bare")
        ours.to_json(tmp_path / "certificate.json")
        with pytest.raises(ValueError, match="JSON compliant"):
            replace(ours, delta=float("nan")).to_json(tmp_path / "certificate.json")
        assert Certificate.from_json(tmp_path / "certificate.json") == ours

    def test_a_write_that_fails_leaves_the_old_file(self, tmp_path, monkeypatch):
        judged("hold-out").to_json(tmp_path / "certificate.json")

        def full(fd):
            raise OSError("the disk is full")

        monkeypatch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="full"):
            judged("folds").to_json(tmp_path / "certificate.json")
        assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]
        assert Certificate.from_json(tmp_path / "certificate.json") == judged("hold-out")


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
            b'{"format": "stocmv certificate 1"}',
            b'{"format": ["stocmv tested certificate 1"]}',
            b'{"format": "stocmv tested certificate 1"}',
            b"\x80\x04K\x01.",
            bytes(range(256)),
            "{}".encode("utf-16"),
            b"[" * 100_000,
            b'{"format": ' * 100_000,
            b'{"format": "stocmv tested certificate 1", "n": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        ],
        ids=lambda content: repr(content[:44]),
    )
    def test_are_refused(self, content, tmp_path):
        path = tmp_path / "certificate.json"
        path.write_bytes(content)
        self.refused(path)

    @one_of_each
    def test_a_missing_or_unknown_field_is_named(self, which, tmp_path):
        path, certificate = tmp_path / "c.json", made(which)[0]
        for field in certificate._sealed_fields():
            content = content_of(certificate)
            del content[field.name]
            path.write_bytes(sealed(content))
            self.refused(path, f"fields missing or unknown: {field.name}.")
        path.write_bytes(sealed({**content_of(certificate), "surprise": 1}))
        self.refused(path, "fields missing or unknown: surprise.")

    @one_of_each
    def test_a_value_of_another_kind_is_refused(self, which, tmp_path):
        """Readers of a certificate rely on its figures: not one field may hold something else."""
        path, content = tmp_path / "c.json", content_of(made(which)[0])
        for name, value in content.items():
            kinds = [None, 3.5, "text", [[0]], {"a": {"b": 0}}, True]
            for other in (x for x in kinds if type(x) is not type(value)):
                if not (type(value) is float and other == 3.5):
                    path.write_bytes(sealed({**content, name: other}))
                    self.refused(path)

    def test_a_file_that_is_not_there_is_said_to_be_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"c\.json"):
            Certificate.from_json(tmp_path / "c.json")


class TestComparison:
    @pytest.mark.parametrize(("n_errors", "n"), [(0, 10), (3, 100), (99, 100), (100, 100)])
    def test_the_bound_of_a_hold_out_is_where_so_few_errors_have_probability_delta(self, n_errors, n):
        bound = clopper_pearson(n_errors, n, 0.05)
        assert bound == 1 if n_errors == n else binom.cdf(n_errors, n, bound) == pytest.approx(0.05, rel=1e-7)


def test_the_problems_are_all_there():
    assert {settings["name"] for settings in PAID.values()} <= {"good", *PROBLEMS}
    assert good()[0].n_examples == 400
    assert table_of("folds").n_folds == 3
