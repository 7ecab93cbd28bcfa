from dataclasses import replace

import numpy as np
import pytest

from stocmv.certificate._certificate import percent
from stocmv.displays import CertificateDisplay


def value(point):
    (x,) = point.get_xdata()
    return x


def labels(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


NAMES = ("bound", "stochastic_bound", "empirical_risk")


@pytest.fixture(params=["binary", "held_out"])
def fitted(request):
    return request.getfixturevalue(request.param)


def test_marks_stand_at_the_figures_of_the_certificate(fitted):
    certificate = fitted.certificate_
    display = CertificateDisplay.from_estimator(fitted)
    assert list(display.points_) == [*NAMES, "baseline"]  # predict first
    assert {name: value(point) for name, point in display.points_.items()} == {
        **{name: getattr(certificate, name) for name in NAMES},
        "baseline": certificate.baseline["bound"],
    }
    assert [text.get_text() for text in display.ax_.texts] == [percent(value(p)) for p in display.points_.values()]


def test_marks_stand_at_the_figures_of_each_class(fitted):
    display = CertificateDisplay.from_estimator(fitted)
    assert len(display.class_points_) == 2
    for points, figures in zip(display.class_points_, fitted.certificate_.per_class, strict=True):
        assert {name: value(point) for name, point in points.items()} == {
            **{name: figures[name] for name in NAMES[:2]},
            "empirical_risk": fitted.certificate_.class_risk(figures),
        }
    assert labels(display)[-2:] == ["class 0", "class 1"]


def test_marks_stand_beside_their_names(binary):
    display = CertificateDisplay.from_estimator(binary)
    places = dict(zip(labels(display), display.ax_.get_yticks(), strict=True))
    assert display.points_["bound"].get_ydata()[0] == places["bound, predict"]
    assert display.points_["stochastic_bound"].get_ydata()[0] == places["bound, stochastic vote"]
    assert display.points_["baseline"].get_ydata()[0] == places["bound, one answer to all"]
    assert display.class_points_[1]["bound"].get_ydata()[0] == places["class 1"]


def test_measures_the_test_error(binary, moons):
    X, y = moons
    display = CertificateDisplay.from_estimator(binary, X, y)
    assert value(display.points_["test_error"]) == pytest.approx(1 - binary.score(X, y))


def test_of_what_was_learned(learned):
    display = CertificateDisplay.from_learned(learned, test_error=0.11)
    assert value(display.points_["test_error"]) == 0.11
    assert value(display.points_["bound"]) == learned.certificate.bound
    assert display.class_points_ == []
    assert display.ax_.get_xlabel() == "error; each bound holds with probability at least 95 %"


def test_the_weighted_vote_is_fixed(classical):
    display = CertificateDisplay.from_learned(classical)
    assert labels(display)[:2] == ["bound, predict", "empirical risk"]
    assert "stochastic_bound" not in display.points_


def test_says_what_was_measured(binary, held_out):
    assert "measured, predict" in labels(CertificateDisplay.from_estimator(held_out))
    assert "empirical risk" in labels(CertificateDisplay.from_estimator(binary))


def test_a_vote_that_is_not_certified_is_not_drawn(without_stochastic):
    display = CertificateDisplay.from_certificate(without_stochastic)
    assert list(display.points_) == ["bound", "empirical_risk", "baseline"]
    assert [list(points) for points in display.class_points_] == [["bound", "empirical_risk"]] * 2


def test_a_baseline_far_beyond_the_others_leaves_the_picture(without_stochastic):
    error = {"empirical_risk": 0.005, "bound": 0.01}
    baseline = {"label": 0, "empirical_risk": 0.9, "bound": 1.0}
    certificate = replace(without_stochastic, figures={"error": error, "baseline": baseline})
    display = CertificateDisplay.from_certificate(certificate)
    assert value(display.points_["baseline"]) == 1.0
    others = [value(point) for name, point in display.points_.items() if name != "baseline"]
    assert max(others) < display.ax_.get_xlim()[1] < 2 * max(others)
    assert [text.get_text() for text in display.ax_.texts] == [*map(percent, others), "100.00 % →"]


def test_says_what_is_not_proven(unproven):
    display = CertificateDisplay.from_learned(unproven)
    assert labels(display)[:2] == ["not proven, predict", "not proven, stochastic vote"]
    assert display.ax_.get_xlabel() == "error"


def test_all_values_are_in_view(binary):
    display = CertificateDisplay.from_estimator(binary)
    points = [*display.points_.values(), *(p for points in display.class_points_ for p in points.values())]
    assert display.ax_.get_xlim()[0] == 0
    assert np.all(np.array([value(p) for p in points]) < display.ax_.get_xlim()[1])


def test_hands_keywords_to_matplotlib(binary):
    assert CertificateDisplay.from_estimator(binary, markersize=4).points_["bound"].get_markersize() == 4


def test_examples_need_labels(binary, moons):
    with pytest.raises(ValueError, match="X and y"):
        CertificateDisplay.from_estimator(binary, moons[0])
