"""The F1 of each class: against scikit-learn and scipy, over all tables of a few examples, and forged."""

from fractions import Fraction
from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from scipy.stats import beta, binom
from sklearn.metrics import f1_score

from certificate.made import TABLES, judged, table_of
from stocmv.certificate import Judgments, certify_judgments


def of_counts(counts):
    """A table with so many rows of each truth (the rows of ``counts``) and answer (its columns)."""
    counts = np.asarray(counts)
    truth, answer = (np.repeat(codes.ravel(), counts.ravel()).astype(np.uint8) for codes in np.indices(counts.shape))
    return Judgments(np.arange(len(counts)), truth, answer, np.zeros(len(truth), np.uint8))


def true_f1(cells):
    """For each class, from the probabilities (or numbers) of truths and answers."""
    cells = np.asarray(cells)
    return 2 * np.diag(cells) / (cells.sum(0) + cells.sum(1))


def test_is_there_for_a_holdout_without_groups_if_asked_for():
    for name, made in TABLES.items():
        plain = not {"n_folds", "grouped"} & made.keys()
        assert bool(judged(name).f1_scores) == plain
        assert any(note.startswith("F1 is not certified ") for note in judged(name).notes()) == (not plain)
        assert ("f1" in {claim.name for claim in judged(name).claims}) == plain
    assert judged("hold-out, bare").f1_scores == ()


@pytest.mark.parametrize("name", ["hold-out", "hold-out, silent", "hold-out, stochastic"])
def test_as_scikit_learn_and_scipy_have_it(name):
    table, ours = table_of(name), judged(name)
    measured = f1_score(table.truth, table.answer, average=None)
    assert [entry["measured"] for entry in ours.f1_scores] == pytest.approx(measured, rel=1e-12)
    for c, entry in enumerate(ours.f1_scores):
        both, either = (
            int(np.sum(way(table.truth == c, table.answer == c))) for way in (np.logical_and, np.logical_or)
        )
        jaccard = beta.ppf(0.05 / len(table.classes), both, either - both + 1)
        assert entry["n"] == either
        assert entry["bound"] == pytest.approx(2 * jaccard / (1 + jaccard), rel=1e-9)
    assert ours.f1.tolist() == [entry["bound"] for entry in ours.f1_scores]


def test_is_rounded_down():
    """At the stated bound, as an exact fraction, so many right answers are no more likely than delta."""
    for both, wrong in product(range(1, 12), range(5)):
        entry = certify_judgments(of_counts([[both, wrong], [0, 3]]), 0.1, per_class=True).f1_scores[0]
        f1 = Fraction(entry["bound"])
        jaccard, n = f1 / (2 - f1), both + wrong
        at_least = sum(Fraction(binomial(n, k)) * jaccard**k * (1 - jaccard) ** (n - k) for k in range(both, n + 1))
        assert Fraction(1, 20) * (1 - Fraction(1, 10**9)) < at_least <= Fraction(1, 20)


def binomial(n, k):
    return factorial(n) // (factorial(k) * factorial(n - k))


def compositions(n, parts):
    """All ways to write n as a sum of so many numbers."""
    if parts == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in compositions(n - first, parts - 1)]


@pytest.mark.parametrize(
    "cells",
    [[[0.3, 0.2], [0.1, 0.4]], [[0.02, 0.03], [0.05, 0.9]], [[0.5, 0.0], [0.0, 0.5]], [[0.0, 0.5], [0.5, 0.0]]],
    ids=str,
)
def test_fails_with_probability_delta_at_most_over_all_tables(cells):
    """All classes at once, summed over all tables of seven examples."""
    n, delta, truth, cells = 7, 0.3, true_f1(cells), np.array(cells)
    failure = 0.0
    for counts in compositions(n, 4):
        bounds = certify_judgments(of_counts(np.reshape(counts, (2, 2))), delta, per_class=True).f1
        if np.any(bounds > truth):
            failure += factorial(n) / prod(map(factorial, counts)) * np.prod(cells.ravel() ** counts)
    assert failure <= delta


@pytest.mark.slow
def test_holds_as_often_as_it_promises_and_hardly_more():
    """Of 40,000 tables with three classes; a bound at three times its delta is noticed."""
    cells, n, delta, draws = np.array([[18, 3, 1], [2, 6, 2], [1, 2, 5]]) / 40, 200, 0.3, 40_000
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n, cells.ravel(), draws).reshape(-1, 3, 3)
    most = binom.ppf(0.999, draws, delta)
    assert np.sum(np.any(lowest(drawn, delta / 3) > true_f1(cells), axis=1)) <= most
    assert np.sum(np.any(lowest(drawn, delta) > true_f1(cells), axis=1)) > most
    for counts in drawn[:20]:
        ours = certify_judgments(of_counts(counts), delta, per_class=True).f1
        assert ours == pytest.approx(lowest(counts[None], delta / 3)[0], rel=1e-9)


def lowest(counts, delta):
    both = np.diagonal(counts, axis1=1, axis2=2)
    either = counts.sum(1) + counts.sum(2) - both
    jaccard = np.where(both > 0, beta.ppf(delta, np.maximum(both, 1), either - both + 1), 0.0)
    return 2 * jaccard / (1 + jaccard)


def test_a_class_that_is_neither_true_nor_answered():
    table = of_counts(np.diag([4, 5, 0]))
    ours = certify_judgments(table, per_class=True)
    assert ours.f1_scores[2] == {"label": 2, "n": 0, "measured": 0.0, "bound": 0.0}
    assert ours.verify(table), ours.verify(table)
    (shown,) = (each for each in ours.tables() if each.heading == "F1 of class")
    assert [bool(measured) for _, _, measured in shown.lines] == [True, True, False]


def test_is_in_text_and_page():
    ours, first = judged("hold-out"), judged("hold-out").f1_scores[0]
    assert f"{first['label']} ({first['n']} true or answered)" in str(ours)
    assert "F1 of class" in ours._repr_html_()
    assert "twice its right answers, divided by its examples plus its answers." in str(ours)
