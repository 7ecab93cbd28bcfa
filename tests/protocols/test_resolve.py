"""The classifier's arguments become one protocol, before anything is trained, or one sentence says why not."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from classifier.problems import VOTERS, Rules, data, quick, spy
from stocmv.bounds import Catoni, CatoniPerFold
from stocmv.protocols import AllJudge, Folds, HoldOut, PacBayes, choose_protocol
from stocmv.protocols._protocol import PacBayesPerFold

X, y = data()
CATONI = Catoni(c=2.0)


def chosen(bound="auto", holdout="auto", n_folds=None, *, learns=True, sets_weights=False, n=120, grouped=False):
    source = spy(learns=learns)
    return choose_protocol(bound, holdout, n_folds, source=source, sets_weights=sets_weights, n=n, grouped=grouped)


RESOLVED = [  # the arguments, and the protocol that they ask for
    ({}, HoldOut(1 / 3)),
    ({"n": 2}, HoldOut(1 / 3)),
    ({"n": 19_999}, HoldOut(1 / 3)),
    ({"n": 20_000}, HoldOut(1 / 5)),
    ({"n": 200_000}, HoldOut(1 / 5)),
    ({"n": 200_001}, HoldOut(1 / 10)),
    ({"holdout": 0.25}, HoldOut(0.25)),
    ({"holdout": np.float32(0.25)}, HoldOut(0.25)),
    ({"bound": "clopper_pearson"}, HoldOut(1 / 3)),
    ({"bound": "clopper_pearson", "holdout": 0.1}, HoldOut(0.1)),
    ({"learns": False, "sets_weights": True}, HoldOut(1 / 3)),
    ({"learns": False}, AllJudge()),
    ({"learns": False, "n": 1}, AllJudge()),
    ({"learns": False, "holdout": 0}, AllJudge()),
    ({"learns": False, "holdout": None}, AllJudge()),
    ({"learns": False, "holdout": 0.25}, HoldOut(0.25, learns=False)),
    ({"n_folds": 5}, Folds(5)),
    ({"n_folds": np.int64(5)}, Folds(5)),
    ({"n_folds": 5, "holdout": 0}, Folds(5)),
    ({"n_folds": 5, "holdout": None}, Folds(5)),
    ({"n_folds": 2, "learns": False}, Folds(2, learns=False)),
    ({"n_folds": 120}, Folds(120)),
    ({"bound": "fold_test"}, Folds(3)),
    ({"bound": "fold_test", "n": 2}, Folds(2)),
    ({"bound": "fold_test", "learns": False}, Folds(3, learns=False)),
    ({"bound": "fold_test", "n_folds": 2}, Folds(2)),
    ({"bound": "seeger"}, PacBayes(3, "seeger")),
    ({"bound": "seeger", "n": 2}, PacBayes(2, "seeger")),
    ({"bound": "seeger", "n_folds": 7}, PacBayes(7, "seeger")),
    ({"bound": "seeger", "sets_weights": True, "learns": False}, PacBayes(1, "seeger")),
    ({"bound": "seeger", "n_folds": 1, "learns": False}, PacBayes(1, "seeger")),
    ({"bound": "seeger", "n_folds": 4, "learns": False}, PacBayes(4, "seeger")),
    ({"bound": CATONI}, PacBayes(3, CATONI)),
    ({"bound": CatoniPerFold((1.0, 2.0))}, PacBayes(3, CatoniPerFold((1.0, 2.0)))),
    ({"bound": "catoni_per_fold", "n_folds": 2}, PacBayesPerFold(2)),
]


@pytest.mark.parametrize(("arguments", "protocol"), RESOLVED, ids=lambda given: str(given))
def test_arguments_ask_for_one_protocol(arguments, protocol):
    ours = chosen(**arguments)
    assert type(ours) is type(protocol)
    assert ours == protocol


SHARE = "holdout must be 'auto' or a share of the examples between 0 and 1, got"
COUNT = "n_folds must be None or a positive integer, got"
REFUSED = [  # the arguments, and why not
    *(({"holdout": value}, SHARE) for value in (1, 1.0, -0.1, 2, np.nan, np.inf, "half", True, [0.2])),
    *(({"n_folds": value}, COUNT) for value in (0, -1, 1.5, "x", True, [3])),
    ({"holdout": 0.2, "n_folds": 3}, "holdout=0.2 and n_folds=3: give one of them"),
    ({"holdout": 0.2, "bound": "fold_test"}, "holdout=0.2 and bound='fold_test', which is for folds"),
    ({"holdout": 0.2, "bound": "seeger"}, "holdout=0.2 needs a bound that only tests the vote"),
    ({"bound": "clopper_pearson", "n_folds": 3}, "bound='clopper_pearson' and n_folds=3: that bound is for a hold-out"),
    *(({"holdout": value}, f"holdout={value} leaves no examples to judge the vote") for value in (0, 0.0, None)),
    ({"holdout": 0, "learns": False, "sets_weights": True}, "leaves no examples to judge the vote"),
    ({"n": 1}, "n_samples = 1: at least 2 examples are needed"),
    ({"n": 1, "grouped": True}, "n_groups = 1: at least 2 groups are needed"),
    ({"n": 1, "bound": "fold_test"}, "n_folds=1 and n_samples = 1: .* at least 2 folds are needed"),
    ({"n": 1, "bound": "seeger"}, "n_folds=1 and n_samples = 1: .* at least 2 folds are needed"),
    ({"n_folds": 1}, "n_folds=1 and n_samples = 120: .* at least 2 folds are needed"),
    ({"n_folds": 1, "learns": False}, "n_folds=1 and n_samples = 120: .* at least 2 folds are needed"),
    ({"n_folds": 1, "bound": "seeger"}, "n_folds=1 and n_samples = 120: .* at least 2 folds are needed"),
    ({"n_folds": 121}, "n_folds=121 is more than the number of examples, n_samples = 120"),
    ({"n_folds": 121, "learns": False, "bound": "seeger"}, "n_folds=121 is more than the number of examples"),
    ({"n_folds": 121, "grouped": True}, "n_folds=121 is more than the number of groups, n_groups = 120"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=lambda given: str(given))
def test_what_cannot_be_is_refused_in_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message) as refused:
        chosen(**arguments)
    assert str(refused.value).count(". ") == 0


@pytest.mark.parametrize("protocol", [HoldOut(0.4), Folds(4), PacBayes(3, "seeger")], ids=str)
def test_a_protocol_that_is_given_is_taken_as_it_is(protocol):
    assert chosen(holdout=protocol) is protocol


@pytest.mark.parametrize("others", [{"n_folds": 3}, {"bound": "seeger"}, {"bound": "fold_test"}, {"bound": CATONI}])
def test_a_protocol_that_is_given_says_everything_itself(others):
    with pytest.raises(ValueError, match=r"holdout is a protocol of its own, HoldOut, .* leave out n_folds and bound"):
        chosen(holdout=HoldOut(0.4), **others)


@pytest.mark.parametrize("protocol", [AllJudge(), Folds(1), PacBayes(1, "seeger")], ids=str)
def test_no_protocol_lets_examples_judge_a_vote_that_they_made(protocol):
    with pytest.raises(ValueError, match="must not judge a vote that they helped to make"):
        chosen(holdout=protocol)
    with pytest.raises(ValueError, match="must not judge a vote that they helped to make"):
        quick(RandomForestClassifier(3), holdout=protocol).fit(X, y)
    assert chosen(holdout=protocol, learns=False) is protocol


def test_weights_that_are_learned_count_as_a_vote_that_examples_made():
    with pytest.raises(ValueError, match="must not judge a vote that they helped to make"):
        chosen(holdout=AllJudge(), learns=False, sets_weights=True)
    paid = PacBayes(1, "seeger")
    assert chosen(holdout=paid, learns=False, sets_weights=True) is paid  # the KL is the price of that


@pytest.mark.parametrize(("settings", "what"), [({"cost": [[0, 1], [5, 0]]}, "cost needs"), ({}, "groups need")])
def test_what_only_a_test_can_certify_is_refused_where_the_judges_teach(settings, what):
    """The bound is named, or a protocol of its own has it."""
    groups = None if settings else np.arange(120) // 2
    for given in ({"bound": "seeger"}, {"holdout": PacBayes(3, "seeger")}):
        with pytest.raises(ValueError, match=f"{what} a vote that is only tested, not bound='seeger'"):
            quick(**settings, **given).fit(X, y, groups=groups)


FITS = [  # voters and settings, the name on the certificate, and how many examples made and judged the vote
    (None, {}, "holdout", 80, 40),
    (None, {"holdout": 0.25}, "holdout", 90, 30),
    (None, {"holdout": HoldOut(0.25)}, "holdout", 90, 30),
    (None, {"n_folds": 3}, "folds", 120, 120),
    (None, {"holdout": Folds(3)}, "folds", 120, 120),
    (None, {"bound": "seeger"}, "folds", 120, 120),
    (None, {"holdout": PacBayes(3, "seeger")}, "folds", 120, 120),
    (Rules(), {"inner_folds": 0}, "all", 0, 120),
    (Rules(), {"inner_folds": 0, "holdout": 0.25}, "holdout", 0, 30),
    (Rules(), {"bound": "seeger"}, "all", 120, 120),
    (VOTERS["frozen_forest"](2), {}, "all", 0, 120),
    (VOTERS["frozen_forest"](2), {"n_folds": 3}, "folds", 0, 120),
]


@pytest.mark.parametrize(("voters", "settings", "name", "learning", "judging"), FITS)
def test_the_certificate_records_it(voters, settings, name, learning, judging):
    certificate = quick(voters, **settings).fit(X, y).certificate_
    assert certificate.protocol == {"name": name, "learning": learning, "judging": judging}
    assert f"{judging}" in certificate.made_and_judged
    assert certificate.made_and_judged in str(certificate)


def test_the_same_protocol_by_name_and_as_an_object_makes_the_same_vote():
    for named, given in (({"holdout": 0.25}, HoldOut(0.25)), ({"n_folds": 3}, Folds(3))):
        ours, theirs = quick(**named).fit(X, y), quick(holdout=given).fit(X, y)
        assert ours.certificate_ == theirs.certificate_
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_it_is_resolved_once_and_before_the_voters_are_trained(monkeypatch):
    asked, source = [], spy()

    def counted(*arguments, **settings):
        asked.append(len(source.made))
        return choose_protocol(*arguments, **settings)

    monkeypatch.setattr("stocmv.classifier._plan.choose_protocol", counted)
    quick(source, n_folds=2).fit(np.arange(30.0)[:, None], np.array(["a", "b"])[np.arange(30) % 3 % 2])
    assert asked == [0]
    assert source.made
