"""What classifiers share that cut their examples into those that make a vote and those that judge it."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ..progress import logger, report
from ..voters import VoterSet, VoterSource, as_source
from ..votes import VoteMatrix, exact_labels
from ..votes._labels import code_dtype
from ._answers import ask
from ._cut import Cut
from ._recipe import Made, Recipe


def _rows(X: Any, codes: NDArray, rows: NDArray) -> tuple[Any, NDArray]:
    """Some of the examples; all of them as they are."""
    return (X, codes) if len(rows) == len(codes) else (_safe_indexing(X, rows), codes[rows])


def _cuttable(X: Any) -> Any:
    """Sparse examples in a form whose rows can be taken."""
    return X.tocsr() if sparse.issparse(X) else X


def all_classes(present: NDArray, known: NDArray | None) -> NDArray:
    """The labels that occur, and those that voters who were trained before may answer."""
    if known is None:
        return present
    if (known.dtype.kind in "USO") != (present.dtype.kind in "USO"):
        raise ValueError("The voters answer strings and y holds numbers, or the other way round: use one kind.")
    return np.union1d(present, known)


def _named_columns(X: Any, names: list[str]) -> Any:
    """The columns of a frame that a vote was made with."""
    lacking = [name for name in names if name not in X.columns]
    if lacking:
        raise ValueError(f"X lacks the columns {', '.join(map(repr, lacking))}, each of which is a voter.")
    return X[names]


def plain_errors(voters: VoterSet, X: Any, codes: NDArray) -> tuple[int, int] | None:
    """Errors of the model that the voters belong to, used plainly, and the number of examples; None without one."""
    answers = voters.plain_answers(X)
    return None if answers is None else (int(np.count_nonzero(answers != codes)), len(codes))


def log_trained(voters: VoterSet, k: int, n_parts: int, seconds: float) -> None:
    """Log that the voters of a part are there."""
    where = f"fold {k + 1} of {n_parts}" if n_parts > 1 else "trained"
    logger.info("%s: %d voters in %.1f s", where, voters.n_voters, seconds)


class CrossFitted:
    """Cuts the examples into parts that judge, has the others make the vote of each, and asks its voters.

    A class that inherits has the parameters ``voters``, ``n_jobs``, ``random_state`` and ``verbose``.
    """

    voters: Any
    n_jobs: int | None
    random_state: Any
    verbose: int
    voters_: list[VoterSet]

    @property
    def votes_(self) -> list[VoteMatrix]:
        check_is_fitted(self)
        if not hasattr(self, "_votes"):
            raise AttributeError(
                "votes_ is not saved with a model: set it from the file of the votes, "
                "clf.votes_ = stocmv.votes.load_folds('votes.npz')."
            )
        return self._votes

    @votes_.setter
    def votes_(self, votes: list[VoteMatrix]) -> None:
        self._votes = votes

    def _prepare(self, X: Any, y: Any, source: VoterSource) -> tuple[Any, NDArray]:
        """The checked examples, and the codes of their classes."""
        X, y = self._check_training(X, y, source)
        self.classes_: NDArray = all_classes(np.unique(y), source.labels_in(X, y))
        return X, np.searchsorted(self.classes_, y).astype(code_dtype(len(self.classes_)))

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

    def _make_votes(
        self,
        X: Any,
        codes: NDArray,
        groups: NDArray | None,
        cut: Cut,
        recipe: Recipe,
        rng: np.random.RandomState,
    ) -> list[Made]:
        """Let the other examples make the vote of each part that judges, and ask its voters about it."""
        part = cut.parts(len(codes), groups, rng)
        made: list[Made] = []
        self.voters_, self.votes_ = [], []
        self.plain_errors_: tuple[int, int] | None = None
        self.timings_ = dict.fromkeys(("voters", "votes"), 0.0)
        for k in range(cut.n_parts):
            began = time.perf_counter()
            report("training voters", k, cut.n_parts)
            judges = np.flatnonzero(part == k)
            teachers = cut.teachers(part, k)
            X_seen, codes_seen = _rows(X, codes, teachers)
            seen_groups = None if groups is None else groups[teachers]
            seed = rng.randint(2**31 - 1)
            made.append(recipe.make(X_seen, codes_seen, seen_groups, seed, self.n_jobs))
            voters = made[-1].voters
            self.timings_["voters"] += time.perf_counter() - began
            report("training voters", k + 1, cut.n_parts)
            log_trained(voters, k, cut.n_parts, time.perf_counter() - began)

            began = time.perf_counter()
            report("collecting votes", k, cut.n_parts)
            X_judge, codes_judge = _rows(X, codes, judges)
            judging_groups = None if groups is None else groups[judges]
            self.votes_.append(VoteMatrix.from_codes(voters.codes(X_judge), codes_judge, self.classes_, judging_groups))
            if any(voters is others for others in self.voters_):
                raise ValueError("The source returned the same voters for two folds: make new ones in each fit.")
            self.voters_.append(voters)
            if k == 0 and recipe.source.learns and groups is None:
                self.plain_errors_ = plain_errors(voters, X_judge, codes_judge)
            self.timings_["votes"] += time.perf_counter() - began
            report("collecting votes", k + 1, cut.n_parts)
        return made

    def _checked(self, X: Any) -> Any:
        """The examples as the voters are given them."""
        check_is_fitted(self)
        source = as_source(self.voters)
        if source.by_name and hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            X = _named_columns(X, list(self.feature_names_in_))
        if source.checks_input:
            return _cuttable(validate_data(self, X, skip_check_array=True, reset=False))
        return validate_data(self, X, reset=False, **self._accepted(source))

    def _codes(self, X: Any) -> list[NDArray]:
        """What the voters of each fold answer to examples that are checked."""
        return [ask(voters, X, voters.n_voters, len(self.classes_)) for voters in self.voters_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        try:
            source = as_source(self.voters)
        except (TypeError, ValueError):
            return tags
        tags.input_tags.sparse = source.sparse
        tags.input_tags.allow_nan = source.allow_nan
        return tags
