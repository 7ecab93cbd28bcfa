"""scikit-learn's own checks of an estimator, all of them, for every risk."""

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from classifier.problems import quick
from stocmv import MajorityVoteClassifier
from stocmv.risks import RISKS
from stocmv.solvers import LBFGS


class Weak(MajorityVoteClassifier):
    """Says that its score may be poor: of three classes a stump knows two, and these risks ask it for all."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags


def forest(**settings):
    return quick(RandomForestClassifier(5), solver=LBFGS(max_iter=1), **settings)


def stumps(**settings):
    if "risk" not in settings:
        return quick("stumps", **settings)  # needs some iterations to score well
    return Weak("stumps", solver=LBFGS(max_iter=1), random_state=0, **settings)


QUICK = [forest(), forest(n_folds=3), stumps(risk="first_order")]
THOROUGH = [
    MajorityVoteClassifier(random_state=0),
    stumps(),
    stumps(n_folds=3),
    stumps(bound="seeger"),
    *(forest(risk=risk, bound="seeger") for risk in RISKS),
    *(stumps(risk=risk) for risk in RISKS if risk not in ("exact", "first_order")),
    *(stumps(risk=risk, bound="seeger") for risk in RISKS if risk != "exact"),
]


@parametrize_with_checks(QUICK)
def test_as_scikit_learn_asks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(THOROUGH)
def test_as_scikit_learn_asks_for_every_risk(estimator, check):
    check(estimator)


# a list of classifiers is handed X and y as they come, and what scikit-learn asks of a check is missed
UNCHECKED = {
    "check_classifier_data_not_an_array": "X that only has __array__ cannot be cut into folds",
    "check_supervised_y_no_nan": "y with missing or infinite values is not refused before numpy warns",
    "check_fit2d_predict1d": "a single example without its second dimension gets a message about features",
}


@pytest.mark.slow
@parametrize_with_checks(
    [quick([DecisionTreeClassifier(), GaussianNB()], solver=LBFGS(max_iter=1))],
    expected_failed_checks=lambda _: UNCHECKED,
)
def test_as_scikit_learn_asks_for_a_list(estimator, check):
    check(estimator)
