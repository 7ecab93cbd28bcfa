"""The error where the classes have other shares: against scipy, recomputed by the verifier, and forged."""

import numpy as np
import pytest
from scipy.stats import beta

from certificate.forging import changed, content_of, holds, reasons, sealed
from certificate.made import judged, table_of
from stocmv import Certificate, certify_predictions
from stocmv.certificate import certify_judgments

SHARES = {"ill": 0.02, "well": 0.9, "x": 0.08}


def certified(shares=SHARES, n=200, seed=0, **settings):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["ill", "well"], n)
    said = np.where(rng.random(n) < 0.1, rng.choice(["ill", "well", "x"], n), truth)
    return truth, said, certify_predictions(truth, said, prevalence=shares, classes=["ill", "well", "x"], **settings)


def test_is_the_mean_of_the_bounds_of_the_classes_by_scipy():
    truth, said, ours = certified(delta=0.1)
    expected = SHARES["x"]  # of which there are no examples
    for label in ("ill", "well"):
        wrong, n = int(np.sum((truth == label) & (said != label))), int(np.sum(truth == label))
        expected += SHARES[label] * beta.isf(0.1 / 3, wrong + 1, n - wrong)
    assert ours.prevalence["bound"] == pytest.approx(expected, rel=1e-9)
    assert ours.prevalence["bound"] == ours.at_prevalence(SHARES)
    assert ours.prevalence["measured"] == pytest.approx(
        SHARES["x"] + sum(SHARES[label] * np.mean(said[truth == label] != label) for label in ("ill", "well"))
    )
    assert [own["share"] for own in ours.prevalence["shares"]] == list(SHARES.values())


def test_a_class_that_is_not_named_does_not_occur_there():
    _, _, ours = certified({"well": 1.0})
    assert ours.prevalence["shares"] == [
        {"label": "ill", "share": 0.0},
        {"label": "well", "share": 1.0},
        {"label": "x", "share": 0.0},
    ]
    assert ours.prevalence["bound"] == pytest.approx(ours.per_class[1]["bound"], rel=1e-12)


def test_words_page_and_file(tmp_path):
    _, _, ours = certified()
    assert "error where the classes have other shares" in str(ours)
    assert "well 90 %, x 8 %, ill 2 %" in str(ours)
    assert any("the examples of each class look the same as here" in each for each in ours.assumptions)
    assert ours.to_markdown().count("well 90 %, x 8 %, ill 2 %") == 1
    ours.report(tmp_path / "page.html")
    assert 'data-field="figures.prevalence.bound"' in (tmp_path / "page.html").read_text()
    ours.to_json(tmp_path / "certificate.json")
    read = Certificate.from_json(tmp_path / "certificate.json")
    assert read == ours
    verification = read.verify(ours.evidence_)
    assert verification
    assert any("look the same as here" in each for each in verification.unchecked)
    assert certified(None)[2].prevalence == {}
    assert "other shares" not in str(certified(None)[2])


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (("bound",), lambda x: x - 1e-8),
        (("measured",), lambda x: x - 1e-8),
        (("shares", 0, "share"), lambda x: x + 1e-3),
        (("shares", 2, "share"), lambda x: x - 1e-3),
        (("shares", 0, "label"), lambda x: "well"),
        (("shares",), lambda x: x[:2]),
        (("shares",), lambda x: x[::-1]),
    ],
    ids=["bound", "measured", "larger share", "smaller share", "other label", "class missing", "other order"],
)
def test_forgeries_are_refused(place, change):
    _, _, ours = certified()
    content, evidence = content_of(ours), ours.evidence_.columns()
    assert holds(sealed(content), evidence)
    assert not holds(sealed(changed(content, ("figures", "prevalence", *place), change)), evidence)


def test_it_needs_the_bounds_on_the_classes_in_a_forged_file_too():
    _, _, ours = certified()
    content, evidence = content_of(ours), ours.evidence_.columns()
    figures = {name: own for name, own in content["figures"].items() if name not in ("precision", "f1")}
    assert "is not where it should be" in str(reasons(sealed({**content, "figures": figures}), evidence))
    grouped = content_of(judged("hold-out, groups"))
    grouped["figures"]["prevalence"] = content["figures"]["prevalence"]
    found = reasons(sealed(grouped), table_of("hold-out, groups").columns())
    assert "prevalence is not where it should be" in str(found)


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ({}, "prevalence must not be negative and must sum to 1"),
        ({"ill": 0.5, "well": 0.6}, "prevalence must not be negative and must sum to 1"),
        ({"ill": np.nan, "well": 1.0}, "prevalence must not be negative and must sum to 1"),
        ({"sick": 1.0}, "prevalence names the class 'sick', which is not one of"),
        ({"ill": "many", "well": 1.0}, "prevalence must hold numbers"),
        ([0.5, 0.5], "prevalence must be a dict with the share of each class"),
    ],
)
def test_shares_that_are_none(shares, words):
    with pytest.raises(ValueError, match=words):
        certified(shares)


def test_where_it_is_not_proven():
    with pytest.raises(ValueError, match="depends on which classes come together in a group"):
        certified(groups=np.arange(200) // 2)
    with pytest.raises(ValueError, match="prevalence needs bounds on the classes"):
        certified(per_class=False)
    table = table_of("folds")
    with pytest.raises(ValueError, match="of a hold-out without groups"):
        certify_judgments(table, per_class=True, prevalence={table.classes[0].item(): 1.0})
