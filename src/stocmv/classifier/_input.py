"""Examples in the form that the voters take."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from .._text import did_you_mean
from ..certificate import group_ids
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


def training_examples(
    clf: "MajorityVoteClassifier", X: Any, y: Any, groups: Any, time: Any, source: VoterSource
) -> Examples:
    """The checked examples, on this machine or on a cluster; notes their features in the classifier."""
    if is_dask(X):
        return _cluster_examples(clf, X, y, groups, time, source)
    source = source.suited_to(X)
    X, y = _checked_training(clf, X, y, source)
    classes = all_classes(np.unique(y), source.labels_in(X, y))
    codes = np.searchsorted(classes, y).astype(code_dtype(len(classes)))
    ids = None if groups is None else group_ids(groups, len(codes))
    times = None if time is None else checked_times(time, len(codes))
    return LocalExamples(X, codes, ids, source, classes, clf.n_jobs, times)


def _cluster_examples(
    clf: "MajorityVoteClassifier", X: Any, y: Any, groups: Any, time: Any, source: VoterSource
) -> ClusterExamples:
    if time is not None:
        raise ValueError("time needs examples in memory: their order is not tested on a cluster.")
    if clf.device is not None:
        raise ValueError(f"device={clf.device!r} needs examples in memory: votes on a cluster stay on its workers.")
    examples = ClusterExamples(X, y, groups, source)
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
    check_is_fitted(clf)
    form = clf.input_form_
    if form.by_name and hasattr(X, "columns") and hasattr(clf, "feature_names_in_"):
        X = _named_columns(X, list(clf.feature_names_in_))
    if form.checks_input:
        return _cuttable(validate_data(clf, X, skip_check_array=True, reset=False))
    return validate_data(clf, X, reset=False, **form.accepted)


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
