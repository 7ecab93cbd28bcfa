"""The margins of voters that answer with probabilities."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._files import whole_file
from ..special import negative_sum_pass
from ._classes import doubt
from ._labels import check_classes, check_labels, code_dtype, encode
from ._matrix import reading_votes
from ._sums import added, hash_part
from ._threads import split_rows, thread_map
from ._votes import Votes

T = TypeVar("T")
_NONE = np.empty(0)
_SUM = 1e-6  # by how much probabilities may miss one


@dataclass(frozen=True, eq=False)
class ScoreMatrix(Votes):
    """The margins of ``M`` voters that answer with probabilities, on ``n`` labelled examples.

    The margin of a voter is its probability of the true class minus that of all others. A soft vote adds up the
    probabilities, weighted; if the weighted margin is positive, the true class has more than half and the vote is
    right. With two classes it errs otherwise; with more it may still be right. Use ``risk="soft"`` to learn from it.
    Make one with `from_probabilities` or `from_margins`.

    Attributes
    ----------
    n_voters, n_examples, n_rows : int
        Number of columns, and of examples.
    margins : ndarray of shape (n_examples, n_voters)
        The margins, from -1 to 1.
    classes : ndarray or None
        Sorted class labels; None if only margins are known.

    Examples
    --------
    >>> from stocmv import ScoreMatrix
    >>> scores = ScoreMatrix.from_probabilities([[[0.75, 0.25], [0.5, 0.5]], [[1.0, 0.0], [0.25, 0.75]]], ["a", "b"])
    >>> scores
    ScoreMatrix(2 examples, 2 voters, 2 classes)
    >>> scores.margins.tolist()
    [[0.5, 0.0], [-1.0, 0.5]]
    """

    margins: NDArray = field(repr=False)
    classes: NDArray | None = None
    targets: NDArray | None = field(default=None, repr=False)
    soft: ClassVar[bool] = True
    abstains: ClassVar[bool] = False
    labels: ClassVar[None] = None
    counts: ClassVar[NDArray] = _NONE

    @classmethod
    def from_probabilities(
        cls, probabilities: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None
    ) -> "ScoreMatrix":
        """The margins of probabilities.

        Parameters
        ----------
        probabilities : array-like of shape (n, M, K)
            Probability that each voter gives each class; those of a voter sum to one.
        y : array-like of shape (n,)
            True labels.
        classes : array-like of shape (K,), optional
            The class of each column; by default the sorted labels that occur in ``y``.
        """
        y = check_labels(y, "y", 1)
        given = check_labels(y if classes is None else classes, "classes", 1)
        names, columns = np.unique(given, return_index=True)
        if classes is not None and len(names) < len(given):
            raise ValueError("classes has a label twice: name the class of each column once.")
        names = check_classes(names)
        scores = check_probabilities(probabilities, len(names))
        if len(scores) != len(y):
            raise ValueError(f"probabilities has {len(scores)} rows but y has {len(y)} labels.")
        targets = encode(y, names, "y").astype(code_dtype(len(names)), copy=False)
        column = targets if classes is None else columns[targets]
        own = np.take_along_axis(scores, column[:, None, None].astype(np.intp), axis=2)[..., 0]
        others = scores.copy()
        np.put_along_axis(others, column[:, None, None].astype(np.intp), 0.0, axis=2)
        # sums may miss one: a row is scaled as a whole, which does not change who wins
        largest = np.maximum(scores.sum(2).max(1, keepdims=True), 1.0)
        return cls(np.clip((own - others.sum(2)) / largest, -1.0, 1.0), names, targets)

    @classmethod
    def from_margins(cls, margins: ArrayLike) -> "ScoreMatrix":
        """The margins themselves, an array of shape (n, M), without classes."""
        values = np.ascontiguousarray(margins, float)
        if values.ndim != 2 or values.size == 0:
            raise ValueError(
                f"margins must have a row for each example and a column for each voter, got {values.shape}."
            )
        if not (values.min() >= -1 and values.max() <= 1):
            raise ValueError("margins must lie between -1 and 1.")
        return cls(values)

    @property
    def n_voters(self) -> int:  # type: ignore[override]
        return self.margins.shape[1]

    @property
    def n_rows(self) -> int:
        return len(self.margins)

    @property
    def n_examples(self) -> int:
        return len(self.margins)

    @property
    def work(self) -> float:
        return self.n_rows * (800.0 + 40.0 * self.n_voters)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        return f"ScoreMatrix({self.n_examples} examples, {self.n_voters} voters{classes})"

    def soft_error_sum(self, weights: NDArray) -> tuple[float, NDArray]:
        """Expected number of examples on which the weighted margin is not positive, and its gradient.

        The weights are concentrations of a Dirichlet. For training.
        """

        def work(start: int, stop: int) -> tuple[float, NDArray]:
            return negative_sum_pass(self.margins[start:stop], weights)

        return added(thread_map(work, split_rows(self.n_rows, 64 * self.n_voters)))

    def right_weights(self, weights: NDArray) -> NDArray:
        """Sum of the positive margins, weighted, for each row."""
        return np.maximum(self.margins, 0.0) @ weights

    def wrong_weights(self, weights: NDArray) -> NDArray:
        """Sum of the negative margins, weighted and without sign, for each row."""
        return np.maximum(-self.margins, 0.0) @ weights

    def right_column_sums(self, row_values: NDArray) -> NDArray:
        """For each voter, the sum of ``row_values`` times its positive margins."""
        return row_values @ np.maximum(self.margins, 0.0)

    def column_sums(self, row_values: NDArray) -> NDArray:
        """For each voter, the sum of ``row_values`` times its negative margins, without sign."""
        return row_values @ np.maximum(-self.margins, 0.0)

    def vote_errors(self, weights: NDArray) -> NDArray:
        """Rows on which the right class does not get more than half from weights that sum to one; also if in doubt."""
        return self.margins @ weights <= doubt(self.n_voters)

    def row_mean(self, row_values: NDArray) -> float:
        """Mean of one value per row."""
        return float(row_values.sum()) / self.n_rows

    def each(self, of: Callable[[Any], T]) -> list[T]:
        return [of(self)]

    def total(self, of: Callable[[Any], T]) -> T:
        return of(self)

    def mean(self, of: Callable[[Any], T]) -> T:
        return of(self)

    def take(self, rows: ArrayLike) -> Any:
        """The given rows."""
        rows = np.asarray(rows)
        return replace(self, margins=self.margins[rows], targets=None if self.targets is None else self.targets[rows])

    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[ScoreMatrix]":
        """Random batches of the rows; fewer if there are fewer rows."""
        for rows in np.array_split(rng.permutation(self.n_rows), min(count, self.n_rows)):
            yield self.take(rows)

    def only(self, voters: NDArray) -> "ScoreMatrix":
        """The margins of some of the voters."""
        return replace(self, margins=np.ascontiguousarray(self.margins[:, voters]))

    def whole(self) -> Any:
        """The matrix itself."""
        return self

    def to(self, device: str) -> "Votes":
        if device == "cuda":
            raise ValueError("A GPU learns the weights of answers, not of probabilities: leave out device.")
        return super().to(device)

    def blocs(self) -> NDArray:
        """Every voter is a bloc of its own: merging is proven for answers only."""
        return np.arange(self.n_voters)

    def digest(self) -> str:
        """SHA-256 of the margins, by which a certificate identifies them.

        As that of a VoteMatrix, of ``stocmv margins 1;`` followed by classes, margins and targets.
        """
        hashed = hashlib.sha256(b"stocmv margins 1;")
        for name in ("classes", "margins", "targets"):
            hash_part(hashed, name, getattr(self, name))
        return hashed.hexdigest()

    def save(self, path: str | os.PathLike) -> None:
        """Write the margins atomically as a compressed npz without pickled objects."""
        with whole_file(path) as file:
            np.savez_compressed(file, **self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike) -> "ScoreMatrix":
        """Read a file that `save` wrote; nothing in the file can run code."""
        with reading_votes(path) as parts:
            return cls._from_arrays(parts)

    def _arrays(self) -> dict[str, Any]:
        named = {"margins": self.margins, "classes": self.classes, "targets": self.targets}
        return {name: part for name, part in named.items() if part is not None}

    @classmethod
    def _from_arrays(cls, parts: dict[str, Any]) -> "ScoreMatrix":
        if set(parts) not in ({"margins"}, {"margins", "classes", "targets"}):
            raise ValueError("its arrays are not those of margins.")
        matrix = cls(**parts)
        if matrix.margins.dtype != float:
            raise ValueError(f"its margins are of type {matrix.margins.dtype}.")
        cls.from_margins(matrix.margins)
        if matrix.classes is None or matrix.targets is None:
            return matrix
        if check_classes(matrix.classes).dtype != matrix.classes.dtype:
            raise ValueError(f"its class labels are of type {matrix.classes.dtype}.")
        codes = matrix.targets
        if codes.shape != (matrix.n_rows,) or codes.dtype.kind != "u" or codes.max() >= len(matrix.classes):
            raise ValueError("its targets are not codes of its classes.")
        return matrix


def check_probabilities(probabilities: ArrayLike, n_classes: int) -> NDArray:
    """Probabilities of shape (n, M, K) that sum to one."""
    scores = np.asarray(probabilities, float)
    if scores.ndim != 3 or scores.shape[2] != n_classes or scores.size == 0:
        raise ValueError(
            f"probabilities must have the shape (examples, voters, {n_classes} classes), got {scores.shape}."
        )
    if not (scores.min() >= 0 and np.abs(scores.sum(2) - 1).max() <= _SUM):
        raise ValueError("probabilities must not be negative, and those of a voter for an example must sum to one.")
    return scores
