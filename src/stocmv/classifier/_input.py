"""Examples in the form that the voters take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from .._text import did_you_mean
from ..certificate import group_ids, subgroup_codes
from ..cluster import ClusterExamples, is_dask
from ..protocols import Examples, LocalExamples, all_classes, checked_times
from ..voters import VoterSource
from ..votes import code_dtype, exact_labels

if TYPE_CHECKING:
    from ._classifier import MajorityVoteClassifier


@dataclass(frozen=True)
class InputForm:
    """Which examples the voters take, as their source said when they were made; the fields are those of `VoterSource`.

    The parameter ``voters`` may have been set to something else since.
    """

    checks_input: bool
    allow_nan: bool
    sparse: bool
    by_name: bool

    @classmethod
    def of(cls, source: VoterSource) -> "InputForm":
        return cls(source.checks_input, source.allow_nan, source.sparse, source.by_name)

    @property
    def accepted(self) -> dict[str, Any]:
        """What `validate_data` lets through."""
        return {
            "accept_sparse": "csr" if self.sparse else False,
            "dtype": "numeric",
            "ensure_all_finite": "allow-nan" if self.allow_nan else True,
        }


class Beside(NamedTuple):
    """What `fit` gets beside examples and labels; each has an entry for each example, or is None."""

    groups: Any = None
    time: Any = None
    subgroups: Any = None
    sample_weight: Any = None


_NOT_ON_CLUSTER = {
    "time": "their order is not tested on a cluster",
    "subgroups": "a cluster's partitions have no columns for attributes that are not features",
    "sample_weight": "a cluster's partitions have no column for weights",
}


def training_examples(clf: "MajorityVoteClassifier", X: Any, y: Any, beside: "Beside", source: VoterSource) -> Examples:
    """The checked examples, on this machine or on a cluster; notes their features in the classifier."""
    if is_dask(X):
        return _cluster_examples(clf, X, y, beside, source)
    source = source.suited_to(X)
    X, y = _checked_training(clf, X, y, source)
    classes = all_classes(np.unique(y), source.labels_in(X, y))
    codes = np.searchsorted(classes, y).astype(code_dtype(len(classes)))
    ids = None if beside.groups is None else group_ids(beside.groups, len(codes))
    times = None if beside.time is None else checked_times(beside.time, len(codes))
    subgroups = None if beside.subgroups is None else subgroup_codes(beside.subgroups, len(codes))
    weights = None if beside.sample_weight is None else _checked_weights(beside.sample_weight, X, source)
    return LocalExamples(X, codes, ids, source, classes, clf.n_jobs, times, subgroups, weights)


def _checked_weights(sample_weight: Any, X: Any, source: VoterSource) -> NDArray:
    """The weights of the examples, if all voters can be trained with them."""
    if not source.learns:
        raise ValueError(
            "sample_weight is for training the voters, and these are not trained; all judges have the same weight. "
            "Leave it out."
        )
    name = source.without_weights()
    if name is not None:
        raise ValueError(
            f"sample_weight cannot be used to train {name}, whose fit does not take it: leave that voter out, or "
            "sample_weight."
        )
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def _cluster_examples(
    clf: "MajorityVoteClassifier", X: Any, y: Any, beside: "Beside", source: VoterSource
) -> ClusterExamples:
    for name, why in _NOT_ON_CLUSTER.items():
        if getattr(beside, name) is not None:
            raise ValueError(f"{name} needs examples in memory: {why}.")
    if clf.device is not None:
        raise ValueError(f"device={clf.device!r} needs examples in memory: votes on a cluster stay on its workers.")
    examples = ClusterExamples(X, y, beside.groups, source)
    clf.n_features_in_ = examples.n_features
    if examples.feature_names is not None:
        clf.feature_names_in_ = examples.feature_names
    return examples


def _checked_training(clf: "MajorityVoteClassifier", X: Any, y: Any, source: VoterSource) -> tuple[Any, NDArray]:
    y = exact_labels(y, "y")
    if source.checks_input:
        X = _cuttable(validate_data(clf, X, skip_check_array=True))
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
    else:
        X, y = validate_data(clf, X, y, **InputForm.of(source).accepted)
    check_classification_targets(y)
    return X, y


def checked_examples(clf: "MajorityVoteClassifier", X: Any) -> Any:
    """New examples, in the form that the voters of a fitted classifier take."""
    if "input_form_" not in vars(clf):
        check_is_fitted(clf)  # which is slow
    form = clf.input_form_
    if form.checks_input and _is_plain(clf, X):
        return X  # what is checked below holds, and a service asks row by row
    if form.by_name and hasattr(X, "columns") and hasattr(clf, "feature_names_in_"):
        X = _named_columns(X, list(clf.feature_names_in_))
    if form.checks_input:
        return _cuttable(validate_data(clf, X, skip_check_array=True, reset=False))
    return validate_data(clf, X, reset=False, **form.accepted)


def _is_plain(clf: "MajorityVoteClassifier", X: Any) -> bool:
    """Whether this is an array with as many columns as the one without names that the vote was made with."""
    plain = type(X) is np.ndarray and X.ndim == 2 and not hasattr(clf, "feature_names_in_")
    return plain and X.shape[1] == clf.n_features_in_


def _cuttable(X: Any) -> Any:
    """Convert sparse examples to a format that can be indexed by row."""
    return X.tocsr() if sparse.issparse(X) else X


def _named_columns(X: Any, names: list[str]) -> Any:
    """The columns of a frame that the vote was made with."""
    lacking = [name for name in names if name not in X.columns]
    if lacking:
        meant = did_you_mean(lacking[0], [str(name) for name in X.columns if name not in names], "is it")
        raise ValueError(f"X lacks the columns {', '.join(map(repr, lacking))}{meant}, each of which is a voter.")
    return X[names]
