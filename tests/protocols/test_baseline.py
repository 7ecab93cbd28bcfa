"""Always giving the most frequent answer: what a vote has to beat."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.neighbors import KNeighborsClassifier

from classifier.problems import data, quick
from protocols.splits import GROUPS, HELD, by_group, parts_of
from stocmv.bounds import bentkus
from stocmv.protocols import Cut


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}, {"bound": "seeger"}], ids=["holdout", "folds", "seeger"])
def test_the_baseline_always_answers_the_most_frequent_class(n_classes, settings):
    X, y = data(n_classes)
    labels = np.array(["a", "b", "c", "d"])[:n_classes]
    judges = y if settings else y[HELD]
    counts = np.bincount(judges, minlength=n_classes)
    baseline = quick(**settings).fit(X, labels[y]).certificate_.baseline
    assert baseline["label"] == labels[counts.argmax()]
    wrong = len(judges) - counts.max()
    assert baseline["empirical_risk"] == pytest.approx(wrong / len(judges), abs=1e-12)
    # which class it is, the judges say: an answer with an error of p may fail with probability delta (1 - p)
    level = 0.05 * (1 - baseline["bound"])
    assert binom.cdf(wrong, len(judges), baseline["bound"]) == pytest.approx(level, rel=1e-6)


def test_the_baseline_counts_groups_where_there_are_groups():
    X, y = data(3)
    certificate = quick().fit(X, y, groups=GROUPS).certificate_
    held = parts_of(120, Cut.holdout(1 / 3), GROUPS) == 0
    shares = [by_group(y[held] == c, GROUPS[held]).mean() for c in range(3)]
    assert certificate.baseline["label"] == np.argmax(shares)
    assert certificate.baseline["empirical_risk"] == pytest.approx(1 - max(shares), abs=1e-12)
    bound = certificate.baseline["bound"]
    theirs = bentkus(1 - max(shares), certificate.n, 0.05 * (1 - bound))
    assert bound == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("n_folds", [None, 3])
def test_a_baseline_that_is_as_good_is_said_to_be(n_folds):
    """The nearest neighbour's answer, where no feature tells anything and nine of ten labels are the same."""
    rng = np.random.default_rng(0)
    noise = np.where(rng.random(300) < 0.1, "rare", "usual")
    clf = quick(KNeighborsClassifier(1), n_folds=n_folds).fit(rng.normal(size=(300, 3)), noise)
    certificate = clf.certificate_
    assert certificate.baseline["bound"] < certificate.bound
    said = "The bound on predict is no better than that of always answering 'usual', at most"
    assert said in certificate.statement()
    assert said in str(certificate).splitlines()[0]
    assert not certificate.beats_baseline


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_baseline_is_not_mentioned_in_the_statement_where_it_is_beaten(n_classes):
    certificate = quick().fit(*data(n_classes)).certificate_
    assert certificate.bound < certificate.baseline["bound"]
    assert "no better" not in certificate.statement()
    assert f"always answering {certificate.baseline['label']}" in str(certificate)
