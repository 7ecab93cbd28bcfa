"""Base class of estimators with cross-fitted voters."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from .._text import did_you_mean
from ..voters import VoterSet, VoterSource, as_source, checked_codes
from ..votes import Votes, code_dtype, exact_labels
from ._crossfit import CrossFit, LocalExamples, all_classes
from ._groups import group_ids
from ._times import checked_times

F = TypeVar("F", bound=Callable[..., Any])


def all_or_nothing(fit: F) -> F:
    """Decorate a `fit` that sets attributes: all of them are set when it ends, and until then the object is unfitted.

    It works on a copy, so that one that fails or is interrupted leaves nothing behind, also of an earlier fit.
    """

    @wraps(fit)
    def fit_anew(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        fitted = copy.copy(self)
        fit(fitted, *args, **kwargs)
        vars(self).update(vars(fitted))
        return self

    return cast(F, fit_anew)


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


class VotingEstimator:
    """Checks examples, keeps what was cross-fitted, and asks the voters.

    A subclass has the parameters ``voters`` and ``n_jobs``.
    """

    voters: Any
    n_jobs: int | None
    classes_: NDArray
    voters_: list[VoterSet]
    input_form_: InputForm

    @property
    def votes_(self) -> list[Votes]:
        check_is_fitted(self)
        if "votes_" not in vars(self):
            raise AttributeError(
                "votes_ is not saved with a model: load it from the votes file, "
                "clf.votes_ = stocmv.votes.load_folds('votes.npz')."
            )
        return vars(self)["votes_"]

    @votes_.setter
    def votes_(self, votes: list[Votes]) -> None:
        vars(self)["votes_"] = votes

    def _local_examples(self, X: Any, y: Any, groups: Any = None, time: Any = None) -> LocalExamples:
        """The checked examples."""
        source = as_source(self.voters)
        X, y = self._check_training(X, y, source)
        classes = all_classes(np.unique(y), source.labels_in(X, y))
        codes = np.searchsorted(classes, y).astype(code_dtype(len(classes)))
        ids = None if groups is None else group_ids(groups, len(codes))
        times = None if time is None else checked_times(time, len(codes))
        return LocalExamples(X, codes, ids, source, classes, self.n_jobs, times)

    def _check_training(self, X: Any, y: Any, source: VoterSource) -> tuple[Any, NDArray]:
        y = exact_labels(y, "y")
        if source.checks_input:
            X = _cuttable(validate_data(self, X, skip_check_array=True))
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, **InputForm.of(source).accepted)
        check_classification_targets(y)
        return X, y

    def _keep(self, fitted: CrossFit, source: VoterSource) -> None:
        """Keep what was cross-fitted as fitted attributes."""
        self.input_form_ = InputForm.of(source)
        self.voters_ = [made.voters for made in fitted.made]
        self.votes_ = fitted.votes
        self.plain_errors_ = fitted.plain_errors
        self.timings_ = fitted.timings

    def _checked(self, X: Any) -> Any:
        """The examples in the form that the voters take."""
        check_is_fitted(self)
        form = self.input_form_
        if form.by_name and hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            X = _named_columns(X, list(self.feature_names_in_))
        if form.checks_input:
            return _cuttable(validate_data(self, X, skip_check_array=True, reset=False))
        return validate_data(self, X, reset=False, **form.accepted)

    def _codes(self, X: Any) -> list[NDArray]:
        """Votes of each fold on checked examples, as class codes."""
        n_classes = len(self.classes_)
        return [checked_codes(voters.codes(X), voters.n_voters, n_classes) for voters in self.voters_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        try:
            source = as_source(self.voters)
        except (TypeError, ValueError):
            return tags
        tags.input_tags.sparse = source.sparse
        tags.input_tags.allow_nan = source.allow_nan
        return tags
