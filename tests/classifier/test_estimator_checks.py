"""scikit-learn's own checks of an estimator, for hold-out, folds that test, and folds whose weights are paid for."""

from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from classifier.problems import quick
from stocmv.solvers import LBFGS

QUICK = LBFGS(max_iter=1)
# weights train voters and leave the judges alone; scikit-learn expects the same failures of its own forests
UNWEIGHTED = {
    f"check_sample_weight_equivalence_on_{kind}_data": "an example that weighs 0 or 2 judges like any other"
    for kind in ("dense", "sparse")
}
STUMPS = dict.fromkeys(
    [
        "check_sample_weights_pandas_series",
        "check_sample_weights_not_an_array",
        "check_sample_weights_list",
        "check_all_zero_sample_weights_error",
        "check_sample_weights_shape",
        "check_sample_weights_not_overwritten",
        "check_classifiers_one_label_sample_weights",
    ],
    "stumps have nothing to weigh, and say so",
)
CONFIGURATIONS = [
    quick(RandomForestClassifier(5), solver=QUICK),
    quick(RandomForestClassifier(5), solver=QUICK, n_folds=3, bound="seeger"),
    quick("stumps", n_folds=3),  # needs some iterations to score well
]


@parametrize_with_checks(
    CONFIGURATIONS,
    expected_failed_checks=lambda clf: UNWEIGHTED | STUMPS if clf.voters == "stumps" else UNWEIGHTED,
)
def test_as_scikit_learn_asks(estimator, check):
    check(estimator)


# a list of classifiers is handed X and y as they come, and what scikit-learn asks of a check is missed
UNCHECKED = UNWEIGHTED | {
    "check_sample_weights_not_an_array": "X that only has __array__ cannot be cut into folds",
    "check_classifiers_one_label_sample_weights": "naive Bayes warns of a class without weight",
    "check_classifier_data_not_an_array": "X that only has __array__ cannot be cut into folds",
    "check_supervised_y_no_nan": "y with missing or infinite values is not refused before numpy warns",
    "check_fit2d_predict1d": "a single example without its second dimension gets a message about features",
}


@parametrize_with_checks(
    [quick([DecisionTreeClassifier(), GaussianNB()], solver=QUICK)], expected_failed_checks=lambda _: UNCHECKED
)
def test_as_scikit_learn_asks_for_a_list(estimator, check):
    check(estimator)
