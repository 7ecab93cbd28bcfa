"""The ROC curve with its band, and the area under it."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, roc_curve

from decisions.scored import drawn
from stocmv.bounds import bentkus
from stocmv.certificate import certify_judgments
from stocmv.decisions import RocBand, RocPoint
from stocmv.decisions._roc import roc_band


@pytest.fixture(scope="module")
def judgments():
    return drawn(800, np.random.default_rng(0))


@pytest.fixture(scope="module")
def band(judgments):
    return roc_band(judgments, certify_judgments(judgments), None)


def test_curve_and_area_are_those_of_scikit_learn(judgments, band):
    rates, recall, thresholds = roc_curve(judgments.truth, judgments.scores[:, 1], drop_intermediate=False)
    np.testing.assert_allclose(band.thresholds, thresholds)
    np.testing.assert_allclose(band.recall, recall)
    np.testing.assert_allclose(band.false_positive_rate, rates)
    assert band.auc == pytest.approx(roc_auc_score(judgments.truth, judgments.scores[:, 1]))


def test_ties_count_one_half(judgments):
    rounded = np.round(judgments.scores, 1)
    tied = roc_band(*_certified(judgments, rounded), "yes")
    assert tied.auc == pytest.approx(roc_auc_score(judgments.truth, rounded[:, 1]))


def _certified(judgments, scores):
    from dataclasses import replace

    other = replace(judgments, scores=scores)
    return other, certify_judgments(other)


def test_bounds_are_on_the_safe_side(band):
    assert (band.recall_bound <= band.recall).all()
    assert (band.false_positive_rate_bound >= band.false_positive_rate).all()
    assert (band.precision_bound <= band.precision).all()
    assert band.recall_bound[0] == 0
    assert band.false_positive_rate_bound[-1] == 1


def test_area_has_the_bound_for_as_many_pairs_as_the_rarer_class(band):
    pairs = min(len(band.scored.positives), len(band.scored.negatives))
    assert band.auc_bound == pytest.approx(1 - bentkus(1 - band.auc, pairs, 0.05))
    assert 0.7 < band.auc_bound < band.auc


def test_a_point_has_what_the_arrays_have(band):
    point = band.at(band.thresholds[100])
    assert isinstance(point, RocPoint)
    assert point.recall == band.recall[100]
    assert point.false_positive_rate_bound == band.false_positive_rate_bound[100]
    assert point.precision_bound == band.precision_bound[100]
    assert band.at(2.0).recall == band.at(2.0).precision == 0


def test_statement_and_claims(band):
    assert isinstance(band, RocBand)
    assert "'yes'" in str(band)
    assert "for all thresholds at once" in band.statement()
    assert sum(claim.delta for claim in band.claims[:3]) == pytest.approx(0.05)
    assert band.claims[3].delta == 0.05
