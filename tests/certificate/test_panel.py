"""A panel: each voter alone, their equal vote, how alike they are, and what they are worth."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from certificate.forging import changed, content_of, evidence_for, holds, reasons, sealed
from certificate.made import certified, judgments
from stocmv import MajorityVoteClassifier
from stocmv.bounds import clopper_pearson
from validity.trials import draws_to_catch


def panel_of(n, rng, silent=0.0):
    """Three independent voters and a copy of the third, as words; the first sometimes does not answer."""
    truth = np.where(rng.random(n) < 0.4, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    said = {
        name: np.where(rng.random(n) < error, other, truth) for name, error in zip("abc", (0.1, 0.2, 0.3), strict=True)
    }
    frame = pd.DataFrame({**said, "copy": said["c"]}).astype(object)
    frame.loc[rng.random(n) < silent, "a"] = None
    return frame, truth


def fitted(n, seed, silent=0.0, **settings):
    answers, truth = panel_of(n, np.random.default_rng(seed), silent)
    return MajorityVoteClassifier("answers", panel=True, random_state=0, **settings).fit(answers, truth)


def by_counting(table):
    """The errors of each voter among its answers, and of the vote in which all count the same, row by row."""
    k, wrong, answered, equal = len(table.classes), [0] * len(table.voters), [0] * len(table.voters), 0
    for truth, row in zip(table.truth.tolist(), table.votes.tolist(), strict=True):
        for j, vote in enumerate(row):
            answered[j] += vote < k
            wrong[j] += vote < k and vote != truth
        counts = [row.count(c) for c in range(k)]
        equal += not any(counts) or counts.index(max(counts)) != truth
    return wrong, answered, equal


def test_voters_and_their_equal_vote_are_counted_with_a_share_of_delta():
    table = judgments(panel=True)
    panel, share = certified(table).panel, 0.05 / 5
    wrong, answered, equal = by_counting(table)
    assert [own["name"] for own in panel["voters"]] == ["ann", "bob", "cy", "eve"]
    for own, errors, n in zip(panel["voters"], wrong, answered, strict=True):
        assert (own["n"], own["coverage"]) == (n, n / len(table))
        assert own["empirical_risk"] == pytest.approx(errors / n)
        assert own["bound"] == clopper_pearson(errors, n, share)
    assert panel["equal"]["bound"] == clopper_pearson(equal, len(table), share)


def test_pairs_and_worth_are_those_of_numpy():
    table = judgments(panel=True)
    panel, wrong = certified(table).panel, table.votes != table.truth[:, None]
    both = [((table.votes[:, i] < 3) & (table.votes[:, j] < 3), i, j) for i, j in itertools.combinations(range(4), 2)]
    correlations = [np.corrcoef(wrong[rows, i], wrong[rows, j])[0, 1] for rows, i, j in both]
    for pair, (rows, i, j), expected in zip(panel["pairs"], both, correlations, strict=True):
        assert pair["n"] == rows.sum()
        assert pair["agreement"] == pytest.approx(np.mean(table.votes[rows, i] == table.votes[rows, j]))
        assert pair["correlation"] == pytest.approx(expected)
    assert panel["worth"] == pytest.approx(4 / (1 + 3 * np.mean(correlations)))


def test_copies_are_worth_one_voter_and_independent_ones_all():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=4000)
    one = np.where(rng.random(4000) < 0.2, 1 - truth, truth)
    apart = np.where(rng.random((4000, 5)) < 0.2, 1 - truth[:, None], truth[:, None])

    def worth(answers):
        clf = MajorityVoteClassifier("answers", panel=True, inner_folds=0).fit(answers, truth)
        return clf.certificate_.panel["worth"]

    assert worth(np.repeat(one[:, None], 5, axis=1)) == pytest.approx(1)
    assert worth(apart) == pytest.approx(5, abs=0.3)
    assert worth(np.column_stack([truth, truth])) is None  # no errors that could go together


@pytest.mark.parametrize("settings", [{}, {"n_folds": 3}, {"inner_folds": 0}])
def test_every_protocol_and_the_verifier(settings):
    clf = fitted(200, 1, silent=0.3, **settings)
    certificate = clf.certificate_
    assert certificate.verify(clf.evidence_)
    assert "these bounds hold all at once" in str(certificate)
    assert [claim.among for claim in certificate.claims if claim.name == "panel"] == [
        {"voters and their equal vote": 5}
    ]
    pair = certificate.panel["pairs"][-1]
    assert (pair["first"], pair["second"], pair["agreement"], pair["correlation"]) == ("c", "copy", 1.0, 1.0)


def test_the_equal_vote_is_that_of_equal_weights():
    clf = fitted(300, 2, silent=0.5, inner_folds=0)
    assert clf.certificate_.panel["equal"]["empirical_risk"] == pytest.approx(clf.certificate_.empirical_risk)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"voters": "forest"}, "voting='hard'"),
        ({"voters": "stumps", "n_folds": 3, "voting": "hard"}, "every fold trains its own voters"),
        ({"voters": "stumps", "bound": "seeger"}, "panel needs a vote that is only tested"),
        ({"voters": "stumps"}, "needs 2 to 100 voters, got"),
    ],
)
def test_what_has_no_panel(settings, words):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 30)), rng.integers(2, size=60)
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        MajorityVoteClassifier(panel=True, random_state=0, **{"voting": "auto", **settings}).fit(X, y)


def test_models_may_be_a_panel():
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    models = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(random_state=0))]
    clf = MajorityVoteClassifier(models, voting="hard", panel=True, random_state=0).fit(X, X[:, 0] > 0)
    assert clf.certificate_.verify(clf.evidence_)
    assert len(clf.certificate_.panel["voters"]) == 2


def test_a_changed_figure_or_name_is_noticed():
    table = judgments(panel=True)
    content, evidence = content_of(certified(table)), evidence_for(table)
    assert holds(sealed(content), evidence)
    place = ("figures", "panel")
    for path, change in [
        ((*place, "worth"), lambda x: x + 0.001),
        ((*place, "pairs", 0, "agreement"), lambda x: x - 0.001),
        ((*place, "pairs", 0, "correlation"), lambda x: None),
        ((*place, "pairs"), lambda pairs: pairs[1:]),
        ((*place, "voters"), lambda voters: voters[::-1]),
        ((*place, "voters", 0, "name"), lambda name: "zoe"),
        ((*place, "voters", 3, "coverage"), lambda x: x + 0.1),
        ((*place, "equal", "bound"), lambda x: x - 0.001),
    ]:
        assert not holds(sealed(changed(content, path, change)), evidence), path
    del content["figures"]["panel"]
    content["claims"] = content["claims"][:-1]
    assert "votes of a panel without its figure" in reasons(sealed(content), evidence)


def true_errors(silent):
    """Of each voter where it answers, and of the equal vote: of two against two, "no" wins, the truth in 60 %."""
    equal = 0.0
    for right in itertools.product([0, 1], repeat=3):
        chance = math.prod(1 - e if ok else e for e, ok in zip((0.1, 0.2, 0.3), right, strict=True))
        count = right[0] + right[1] + 2 * right[2]
        equal += chance * (1 - silent) * (0.4 if count == 2 else count < 2)
    return {"a": 0.1, "b": 0.2, "c": 0.3, "copy": 0.3, "equal": equal + silent * 0.3}


def failed(seed, delta, share=1.0):
    """Whether some bound, read with this share of its delta, is below the true error."""
    table = fitted(120, seed, silent=0.2, delta=delta * share, inner_folds=0).certificate_
    bounds = {own["name"]: own["bound"] for own in table.panel["voters"]} | {"equal": table.panel["equal"]["bound"]}
    return any(bounds[name] < error for name, error in true_errors(0.2).items())


@pytest.mark.slow
def test_all_bounds_hold_at_once():
    delta, draws = 0.2, draws_to_catch(0.4, 0.2)
    assert sum(failed(seed, delta) for seed in range(draws)) <= binom.ppf(0.999, draws, delta)


def test_what_is_wrong_is_noticed():
    """If each of the five had all of delta, some bound would fail far more often than delta allows."""
    delta, draws = 0.15, 40
    assert sum(failed(seed, delta, share=5.0) for seed in range(draws)) > binom.ppf(0.999, draws, delta)
