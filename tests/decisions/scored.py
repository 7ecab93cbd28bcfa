"""Judgments with scores from known distributions, for tests of thresholds."""

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from stocmv.certificate import Judgments

CLASSES = np.array(["no", "yes"])
MEANS = np.array([-2.0, -0.6])  # of the logit of the score, for each class; the deviation is one
PREVALENCE = 0.25


def table(scores, truth, classes=CLASSES, fold=None, group=None):
    """Judgments of a vote that answers the class with the largest score."""
    return Judgments(
        classes=classes,
        truth=np.asarray(truth, np.uint8),
        answer=scores.argmax(1).astype(np.uint8),
        fold=np.zeros(len(truth), np.uint8) if fold is None else fold,
        scores=scores,
        group=group,
    )


def drawn(n, rng):
    """A table of two classes whose scores have normal logits."""
    truth = (rng.random(n) < PREVALENCE).astype(int)
    score = expit(rng.normal(MEANS[truth]))
    return table(np.column_stack([1 - score, score]), truth)


def reach(threshold, code):
    """Probability that an example of a class reaches a threshold."""
    return norm.sf(logit(np.clip(threshold, 1e-300, 1 - 1e-16)) - MEANS[code])


def true_figures(threshold, costs=None):
    """Recall, false-positive rate, precision, and mean cost at a threshold."""
    recall, rate = reach(threshold, 1), reach(threshold, 0)
    found, alarms = PREVALENCE * recall, (1 - PREVALENCE) * rate
    figures = {"recall": recall, "false_positive_rate": rate, "precision": found / (found + alarms)}
    if costs is not None:
        shares = np.array([[1 - PREVALENCE - alarms, alarms], [PREVALENCE - found, found]])
        figures["cost"] = float((shares * np.asarray(costs)).sum())
    return figures
