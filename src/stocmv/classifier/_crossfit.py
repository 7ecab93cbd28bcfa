"""What classifiers share whose voters are judged on examples that they were not trained on."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from .._progress import tell
from ..voters import VoterSet, VoterSource, as_source, train_voters
from ..votes import VoteMatrix, exact_labels
from ..votes._labels import code_dtype
from ._answers import ask
from ._choices import is_auto

_FOLDS = 3


def _rows(X: Any, codes: NDArray, rows: NDArray) -> tuple[Any, NDArray]:
    """Some of the examples; all of them as they are."""
    return (X, codes) if len(rows) == len(codes) else (_safe_indexing(X, rows), codes[rows])


def _cuttable(X: Any) -> Any:
    """Sparse examples in a form whose rows can be taken."""
    return X.tocsr() if sparse.issparse(X) else X


def all_classes(present: NDArray, source: VoterSource) -> NDArray:
    """The labels that occur, and those that voters who were trained before may answer."""
    known = source.labels()
    if known is None:
        return present
    if (known.dtype.kind in "USO") != (present.dtype.kind in "USO"):
        raise ValueError("The voters answer strings and y holds numbers, or the other way round: use one kind.")
    return np.union1d(present, known)


def plain_errors(voters: VoterSet, X: Any, codes: NDArray) -> tuple[int, int] | None:
    """Errors of the model that the voters belong to, used plainly, and the number of examples; None without one."""
    answers = voters.plain_answers(X)
    return None if answers is None else (int(np.count_nonzero(answers != codes)), len(codes))


def holdout_errors(
    source: VoterSource, X: Any, y: Any, share: float, random_state: int, n_jobs: int | None = None
) -> tuple[int, int] | None:
    """Errors, on a share of the examples that is held out, of the plain model that a source trains on the others.

    Returned with the number of examples held out; None where the voters do not belong to a model of its own.
    """
    classes, codes = np.unique(y, return_inverse=True)
    rest, held = train_test_split(np.arange(len(codes)), test_size=share, random_state=random_state)
    X_rest, codes_rest = _rows(X, codes, rest)
    voters, _ = train_voters(source, X_rest, codes_rest, classes, random_state, n_jobs)
    return plain_errors(voters, *_rows(X, codes, held))


class CrossFitted:
    """Cuts the examples into folds, trains the voters of each fold on the others, and asks them about it.

    A class that inherits has the parameters ``voters``, ``n_folds``, ``n_jobs``, ``random_state`` and ``verbose``.
    """

    voters: Any
    n_folds: int | str
    n_jobs: int | None
    random_state: Any
    verbose: int

    def _prepare(
        self, X: Any, y: Any, source: VoterSource
    ) -> tuple[Any, NDArray, list[NDArray], np.random.RandomState]:
        """The checked examples, the codes of their classes, the folds, and the random numbers that are left."""
        X, y = self._check_training(X, y, source)
        self.classes_: NDArray = all_classes(np.unique(y), source)
        codes = np.searchsorted(self.classes_, y).astype(code_dtype(len(self.classes_)))
        rng = check_random_state(self.random_state)
        return X, codes, self._folds(len(codes), source, rng), rng

    def _check_training(self, X: Any, y: Any, source: VoterSource) -> tuple[Any, NDArray]:
        y = exact_labels(y, "y")
        if source.checks_input:
            X = _cuttable(validate_data(self, X, skip_check_array=True))
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        else:
            X, y = validate_data(self, X, y, **self._accepted(source))
        check_classification_targets(y)
        return X, y

    @staticmethod
    def _accepted(source: VoterSource) -> dict[str, Any]:
        return {
            "accept_sparse": "csr" if source.sparse else False,
            "dtype": "numeric",
            "ensure_all_finite": "allow-nan" if source.allow_nan else True,
        }

    def _folds(self, n: int, source: VoterSource, rng: np.random.RandomState) -> list[NDArray]:
        """The examples of each fold: a random partition, not stratified (the proof needs that)."""
        return [np.sort(part) for part in np.array_split(rng.permutation(n), self._n_folds(n, source))]

    def _n_folds(self, n: int, source: VoterSource) -> int:
        """How many folds for so many examples."""
        if is_auto(self.n_folds):
            count = min(_FOLDS, n) if source.learns else 1
        elif isinstance(self.n_folds, int | np.integer) and not isinstance(self.n_folds, bool) and self.n_folds >= 1:
            count = int(self.n_folds)
        else:
            raise ValueError(f"n_folds must be 'auto' or a positive integer, got {self.n_folds!r}.")
        if source.learns and count < 2:
            needed = "voters that learn need at least 2 folds, so that other examples judge them than they learned from"
            raise ValueError(f"n_folds={count} and n_samples = {n}: {needed}.")
        if count > n:
            raise ValueError(f"n_folds={count} is more than the number of examples, n_samples = {n}.")
        return count

    def _train_voters(
        self, X: Any, codes: NDArray, folds: list[NDArray], source: VoterSource, rng: np.random.RandomState
    ) -> None:
        """Train the voters of each fold on the others, and ask them about it."""
        self.voters_: list[VoterSet] = []
        self.votes_: list[VoteMatrix] = []
        self.expected_errors_: list[float | None] = []
        self.plain_errors_: tuple[int, int] | None = None
        self.fold_sizes_ = tuple(len(fold) for fold in folds)
        self.timings_ = dict.fromkeys(("voters", "votes"), 0.0)
        for k, fold in enumerate(folds):
            began = time.perf_counter()
            tell("training voters", k, len(folds), f"fold {k + 1} of {len(folds)}")
            X_seen, codes_seen = _rows(X, codes, np.setdiff1d(np.arange(len(codes)), fold) if source.learns else fold)
            seed = rng.randint(2**31 - 1)
            voters, expected = train_voters(
                source, X_seen, codes_seen, self.classes_, seed, self.n_jobs, estimate=self._tunes_bound(source)
            )
            self.timings_["voters"] += time.perf_counter() - began
            tell("training voters", k + 1, len(folds))
            self._say(f"fold {k + 1} of {len(folds)}: {voters.n_voters} voters in {time.perf_counter() - began:.1f} s")

            began = time.perf_counter()
            tell("collecting votes", k, len(folds), f"fold {k + 1} of {len(folds)}")
            X_judge, codes_judge = _rows(X, codes, fold)
            self.votes_.append(VoteMatrix.from_codes(voters.votes(X_judge), codes_judge, self.classes_))
            if any(voters is others for others in self.voters_):
                raise ValueError("The source returned the same voters for two folds: make new ones in each fit.")
            self.voters_.append(voters)
            self.expected_errors_.append(expected)
            if k == 0 and source.learns:
                self.plain_errors_ = plain_errors(voters, X_judge, codes_judge)
            self.timings_["votes"] += time.perf_counter() - began
            tell("collecting votes", k + 1, len(folds))

    def _tunes_bound(self, source: VoterSource) -> bool:
        """Whether the voters' own estimate of their error is of use."""
        return False

    def _checked(self, X: Any) -> Any:
        """The examples as the voters are given them."""
        check_is_fitted(self)
        source = as_source(self.voters)
        if source.checks_input:
            return _cuttable(validate_data(self, X, skip_check_array=True, reset=False))
        return validate_data(self, X, reset=False, **self._accepted(source))

    def _codes(self, X: Any) -> list[NDArray]:
        """What the voters of each fold answer to examples that are checked."""
        judged = zip(self.voters_, self.votes_, strict=True)
        return [ask(voters, X, votes.n_voters, len(self.classes_)) for voters, votes in judged]

    @property
    def _shares(self) -> NDArray:
        return np.array(self.fold_sizes_) / sum(self.fold_sizes_)

    def _say(self, text: str) -> None:
        if self.verbose:
            print(f"[stocmv] {text}", flush=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        try:
            source = as_source(self.voters)
        except (TypeError, ValueError):
            return tags
        tags.input_tags.sparse = source.sparse
        tags.input_tags.allow_nan = source.allow_nan
        return tags
