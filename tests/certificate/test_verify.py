"""Every certificate is found again by the independent check, which says what it checked and what it did not."""

import json
from dataclasses import replace

import numpy as np
import pytest

from certificate.forging import at, content_of, evidence_for, holds, places, reasons, sealed, verdict
from certificate.made import (
    EVERY,
    ONE_OF_EACH,
    PAID,
    certified,
    folds,
    judged,
    judgments,
    made,
    paid,
    table_of,
    verified,
)
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS
from stocmv.certificate import Judgments
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from stocmv.votes import PartitionedVotes, save_folds
from unproven import Guess
from zoo import PAIRS, PROBLEMS

every_one = pytest.mark.parametrize("which", EVERY)
one_of_each = pytest.mark.parametrize("which", ONE_OF_EACH.values(), ids=ONE_OF_EACH)


def differences(certificate, evidence):
    return [check.what for check in certificate.verify(evidence).differences]


def written(which, folder):
    certificate, evidence = made(which)
    certificate.to_json(folder / "certificate.json")
    if isinstance(evidence, Judgments):
        evidence.save(folder / "evidence.npz")
    else:
        save_folds(folder / "evidence.npz", evidence)
    return folder / "certificate.json", folder / "evidence.npz"


class TestHolds:
    @every_one
    def test_and_says_so_first(self, which):
        verification = verified(which)
        assert verification.differences == []
        lines = str(verification).splitlines()
        assert (
            lines[0] == f"The certificate holds: {verification.statement}".encode("ascii", "backslashreplace").decode()
        )
        assert lines[2 : 2 + len(verification.checks)] == [str(check) for check in verification.checks]
        assert all(line.startswith("ok ") for line in lines[2 : 2 + len(verification.checks)])

    @one_of_each
    def test_from_files(self, which, tmp_path):
        assert verify.verify_files(*written(which, tmp_path)) == verified(which)

    @pytest.mark.parametrize(("risk", "kind"), PAIRS)
    @pytest.mark.parametrize(
        "names", [("symmetric", "all_wrong", "two_folds"), pytest.param(PROBLEMS, marks=pytest.mark.slow)], ids=len
    )
    def test_for_every_risk(self, names, risk, kind):
        for name in names:
            verification = paid(name, risk, kind, per_class=risk == "exact").verify(folds(name))
            assert verification, verification

    @pytest.mark.parametrize("bound", [*BOUNDS, "catoni_per_fold"])
    @pytest.mark.parametrize(
        "pairs", [(PAIRS[0], ("c_bound", "categorical")), pytest.param(PAIRS, marks=pytest.mark.slow)], ids=len
    )
    def test_for_every_bound(self, bound, pairs):
        for risk, kind in pairs:
            verification = paid("three_folds", risk, kind, bound).verify(folds("three_folds"))
            assert verification, verification

    def test_for_one_matrix_or_a_list_of_one(self):
        assert paid("noisy").verify(folds("noisy")[0])

    def test_for_votes_in_parts(self, tmp_path):
        (whole,) = folds("noisy")
        votes = PartitionedVotes([whole.take(np.arange(50)), whole.take(np.arange(50, whole.n_rows))])
        certificate = replace(paid("noisy"), evidence=(votes.digest(),))
        assert certificate.verify([votes])
        save_folds(tmp_path / "evidence.npz", [votes])
        certificate.to_json(tmp_path / "certificate.json")
        assert verify.verify_files(tmp_path / "certificate.json", tmp_path / "evidence.npz")
        assert differences(certificate, [whole]) == ["evidence"]


class TestSays:
    @one_of_each
    def test_what_was_not_checked(self, which):
        text = str(verified(which))
        stated, unknown = text.index("not checked:"), text.index("What no verifier can know:")
        assert stated < text.index("- assumption: 'The sun will rise.'") < unknown
        assert stated < text.index("- context: 'seed': 1") < unknown
        assert unknown < text.index("- whether the evidence is real")
        if which.startswith(("tested", "selective")):
            assert stated < text.index("- warning: 'Rows 3 and 7 are the same.'") < text.index("- protocol: ") < unknown

    def test_what_it_cannot_confirm_of_a_selective_vote(self):
        told = verified("selective: folds, by error").unchecked
        assert any(line.startswith("shares of the folds in the answers: 0.3") for line in told)
        assert any("a single voter answers" in line for line in verified("tested: hold-out, one voter").unchecked)

    def test_a_sentence_of_its_own(self):
        said = verified("tested: folds, stochastic").statement
        assert said.startswith("With probability at least 95 % over the draw of the 90 examples that judge it, predict")
        assert "on average over the key that shares them out among the 2 folds" in said
        assert "Its mean cost is at most " in said
        said = verified("selective: hold-out, groups, by error").statement
        assert said.startswith("With probability at least 70 % over the draw of the ")
        assert "errs on at most 30.00 % of those that it answers" in said
        said = verified("PAC-Bayes: blocs with speakers").statement
        assert "on average over the draw of the voters that speak for blocs" in said

    def test_that_an_answer_to_all_is_as_good_and_that_a_class_is_mostly_missed(self):
        truth, answer = np.array([0] * 90 + [1] * 10, np.uint8), np.array([0] * 80 + [1] * 13 + [0] * 7, np.uint8)
        table = Judgments(np.array(["default", "paid"]), 1 - truth, 1 - answer, np.zeros(100, np.uint8))
        for per_class in (False, True):
            said = certified_statement(table, per_class=per_class)
            assert "no better than" in said
            assert "'paid'" in said
            missed = "It is shown to find at least " if per_class else "On the judges it finds 30.00 % of class "
            assert missed in said
        assert "no better" not in certified_statement(judgments(wrong=0.05))

    def test_labels_of_any_alphabet_in_plain_letters(self):
        table = replace(judgments(n_classes=2, wrong=0.9), classes=np.array(["\x1b[2K", "ж\u202e"]))
        verification = certified(table, per_class=True).verify(table)
        assert verification
        text = str(verification)
        assert text.isascii()
        assert all(line.isprintable() for line in text.splitlines())

    def test_why_not(self):
        certificate, table = made("tested: folds")
        figures = {**certificate.figures, "error": {**certificate.figures["error"], "bound": 0.01}}
        lines = str(replace(certificate, figures=figures).verify(table)).splitlines()
        assert lines[0] == "The certificate does NOT hold. Whatever it says has not been shown."
        assert any(line.startswith("NO  figures.error.bound: 0.01 (0.3") for line in lines)

    def test_what_is_not_proven_does_not_hold(self):
        for which in ONE_OF_EACH.values():
            certificate, evidence = made(which)
            verification = replace(certificate, unproven=("the voters",)).verify(evidence)
            assert not verification
            assert [check.what for check in verification.differences] == ["parts without a proof"]
            assert verification.statement == ""

    def test_that_a_bound_is_not_known(self):
        posterior = Dirichlet(np.ones(12))
        certificate = certify(folds("noisy"), [posterior], [posterior], RISKS["exact"], Guess(), 0.05)
        verification = certificate.verify(folds("noisy"))
        assert not verification
        assert "the bound guess is not known here" in str(verification)


def certified_statement(table, **settings):
    verification = certified(table, **settings).verify(table)
    assert verification, verification.differences
    return verification.statement


class TestWords:
    """The words in the file are for people: not sealed, not checked, and nothing depends on them."""

    @one_of_each
    def test_may_say_anything(self, which, tmp_path):
        certificate, evidence = made(which)
        lie = {"statement": "It never errs.", "theorem": "", "assumptions": ["none"] * 3}
        answer = verdict(sealed(content_of(certificate), lie), evidence_for(evidence))
        assert answer == verified(which)
        assert "never errs" not in str(answer)

    @pytest.mark.parametrize(
        "words",
        [
            None,
            {},
            "It holds.",
            {"statement": "", "theorem": ""},
            {"statement": "", "theorem": "", "assumptions": [], "more": ""},
            {"statement": 1, "theorem": "", "assumptions": []},
            {"statement": "", "theorem": None, "assumptions": []},
            {"statement": "", "theorem": "", "assumptions": "none"},
            {"statement": "", "theorem": "", "assumptions": [1]},
        ],
        ids=str,
    )
    def test_have_a_form(self, words):
        certificate, evidence = made("tested: hold-out, bare")
        assert "words is not of the right kind" in reasons(sealed(content_of(certificate), words), evidence.columns())

    def test_must_be_there_once_and_spelled_as_python_does(self):
        certificate, evidence = made("tested: hold-out, bare")
        text = certificate.to_json()
        content = json.loads(text)
        del content[verify.WORDS]
        assert not holds(json.dumps(content, indent=1).encode(), evidence.columns())
        assert holds(text.encode(), evidence.columns())
        assert "digest of the file" in reasons(
            text.replace('"theorem": "', '"theorem":  "').encode(), evidence.columns()
        )
        twice = text.replace('"theorem":', '"theorem": "x",\n  "theorem":')
        assert "occurs twice" in reasons(twice.encode(), evidence.columns())


class TestEvidence:
    @every_one
    def test_that_is_changed_anywhere_is_found(self, which):
        certificate, evidence = made(which)
        if isinstance(evidence, Judgments):
            for name, column in evidence.columns().items():
                other = column.copy()
                last = (-1,) * other.ndim
                other[last] = (
                    "zz" if other.dtype.kind == "U" else not other[-1] if other.dtype == bool else other[last] / 2
                )
                assert not certificate.verify(replace(evidence, **{name: other})) or (other == column).all(), name
                assert not certificate.verify(replace(evidence, **{name: column[:-1]})), name
            return
        for fold, matrix in enumerate(evidence):
            for part in ("margins", "bits", "labels", "targets"):
                if (array := getattr(matrix, part, None)) is not None:
                    flipped = array.copy()
                    flipped.flat[-1] = flipped.flat[-1] / 2 if part == "margins" else flipped.flat[-1] ^ 1
                    others = [replace(v, **{part: flipped}) if k == fold else v for k, v in enumerate(evidence)]
                    assert not certificate.verify(others)

    def test_of_another_kind_is_refused(self):
        certificate, table = made("tested: hold-out")
        with pytest.raises(TypeError, match="must be the judgments"):
            certificate.verify(folds("noisy"))
        with pytest.raises(TypeError, match="must be the votes"):
            paid().verify([table])
        content, intact = verify.parse_certificate(certificate.to_json().encode())
        assert not verify.verify_selective(content, intact, table.columns())
        assert not verify.verify_pac_bayes(content, intact, evidence_for(folds("noisy")))

    def test_in_another_order_of_folds_is_found(self):
        certificate, votes = made("PAC-Bayes: three folds")
        assert not certificate.verify(votes[::-1])
        assert not certificate.verify(votes[:2])

    def test_in_memory_is_checked_as_in_a_file(self):
        certificate, table = made("tested: folds")
        content, intact = verify.parse_certificate(certificate.to_json().encode())
        for doctored in ({**table.columns(), "more": table.fold}, {**table.columns(), "truth": table.truth.tolist()}):
            (answer,) = verify.verify_tested(content, intact, doctored).differences
            assert answer.what == "form"

    def test_of_folds_with_different_classes_does_not_hold(self):
        posteriors, votes = [Dirichlet(np.ones(7))] * 2, folds("two_folds")
        content = content_of(certify(votes, posteriors, posteriors, RISKS["exact"], BOUNDS["seeger"], 0.05))
        answers, y = votes[1].answers(), votes[1].targets
        others = [votes[0], VoteMatrix.from_labels(answers, y, [0, 1, 2, 3])]
        content["evidence"] = [v.digest() for v in others]
        reason = reasons(sealed(content), evidence_for(others))
        assert "classes, the same in all folds: [0, 1, 2] ([0, 1, 2, 3])" in reason


class TestChecks:
    @every_one
    def test_name_every_figure(self, which):
        """Every number of the figures is the subject of a check, but for what is chosen freely."""
        named = {check.what for check in verified(which).checks}
        free = {"fold_test", "matrix", "margin", "margins", "scale", "leak", "heavy"}
        figures = content_of(made(which)[0])["figures"]
        for place in places(figures):
            if type(at(figures, place)) in (int, float) and not free & set(place) and place[:2] != ("cost", "classes"):
                assert f"figures.{'.'.join(map(str, place))}" in named

    def test_are_short(self):
        assert max(len(str(check)) for which in EVERY for check in verified(which).checks) < 320

    def test_do_not_depend_on_which_certificates_were_asked_before(self):
        first = [judged(name).verify(table_of("hold-out")) for name in ("hold-out", "hold-out, bare")]
        assert first == [judged(name).verify(table_of("hold-out")) for name in ("hold-out", "hold-out, bare")]


def test_the_kinds_are_all_there():
    assert {which.split(":")[0] for which in EVERY} == {"tested", "selective", "PAC-Bayes"}
    assert len(EVERY) > 35
    assert {settings["name"] for settings in PAID.values()} <= {"good", *PROBLEMS}
