"""An answer to compare with that was fixed before: against scipy, recomputed by the verifier, and forged."""

import numpy as np
import pytest
from scipy.stats import beta

from certificate.forging import changed, content_of, holds, reasons, sealed
from stocmv import Certificate, certify_predictions
from stocmv.bounds import bentkus

FEW = 30  # of 100 examples


def certified(baseline="ill", **settings):
    truth = np.repeat(["ill", "well"], [FEW, 100 - FEW])
    said = truth.copy()
    said[::10] = "well"
    return certify_predictions(truth, said, baseline=baseline, **settings)


def test_has_clopper_and_pearsons_bound_as_nothing_was_chosen():
    ours = certified()
    assert ours.baseline["label"] == "ill"
    assert ours.baseline["empirical_risk"] == pytest.approx(1 - FEW / 100)
    assert ours.baseline["bound"] == pytest.approx(beta.isf(0.05, 100 - FEW + 1, FEW), rel=1e-9)
    assert certified("well").baseline["bound"] < certified(None).baseline["bound"]
    assert "fixed" not in certified(None).baseline


def test_counts_groups_where_there_are_groups():
    groups = np.arange(100) // 2
    ours = certified("well", groups=groups)
    assert ours.baseline["bound"] == pytest.approx(bentkus(FEW / 100, 50, 0.05), rel=1e-6)
    assert ours.verify(), ours.verify().differences


def test_labels_of_other_types_name_the_same_class():
    ours = certify_predictions([0, 1, 1], [0, 1, 0], baseline=np.int64(1))
    assert ours.baseline["label"] == 1
    assert type(ours.baseline["label"]) is int


def test_the_verifier_says_that_it_takes_the_choice_for_granted():
    told = "fixed before looking at the judges: that it is compared with always answering 'ill'"
    assert told in certified().verify().unchecked
    assert not any("always answering" in line for line in certified(None).verify().unchecked)


def test_words_page_and_file(tmp_path):
    ours = certified()
    assert "always answering ill" in str(ours)
    assert any("always answering 'ill' was fixed before" in each for each in ours.assumptions)
    assert not any("always answering" in each for each in certified(None).assumptions)
    ours.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert 'data-field="figures.baseline.bound"' in page
    assert "was fixed before, too" in page
    ours.to_json(tmp_path / "certificate.json")
    read = Certificate.from_json(tmp_path / "certificate.json")
    assert read == ours
    assert read.verify(ours.evidence_)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (("bound",), lambda x: x - 1e-8),
        (("empirical_risk",), lambda x: x - 1e-8),
        (("label",), lambda x: "well"),
        (("label",), lambda x: "healthy"),
        (("fixed",), lambda x: False),
    ],
    ids=["bound", "error", "other label", "no class", "not fixed"],
)
def test_forgeries_are_refused(place, change):
    ours = certified()
    content, evidence = content_of(ours), ours.evidence_.columns()
    assert holds(sealed(content), evidence)
    assert not holds(sealed(changed(content, ("figures", "baseline", *place), change)), evidence)


def test_a_class_that_was_chosen_is_not_passed_off_as_fixed_by_its_flag_alone():
    content, evidence = content_of(certified(None)), certified(None).evidence_.columns()
    forged = changed(content, ("figures", "baseline"), lambda x: {**x, "fixed": True})
    assert "figures.baseline.bound" in str(reasons(sealed(forged), evidence))


@pytest.mark.parametrize("baseline", ["healthy", 1, ["well"], np.repeat("well", 100)])
def test_what_is_no_class_is_refused(baseline):
    with pytest.raises(
        ValueError, match=r"(?s)baseline must be one of the classes \['ill', 'well'\], got .*compare_predic"
    ):
        certified(baseline)
