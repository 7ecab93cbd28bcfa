"""The votes, packed."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._files import DAMAGE, read_arrays, reason, whole_file
from ..special import gamma_tables
from ._bits import column_sums, curve_pass, plane_weights
from ._blocs import blocs_of
from ._classes import TIE, abstaining_argmax_pass, argmax_pass, class_column_sums, class_weights, doubt, heaviest
from ._curve import Curve
from ._half_error import half_pass
from ._labels import (
    check_answers,
    check_classes,
    check_labels,
    code_dtype,
    encode,
    encode_answers,
    labels_of,
    unsigned_codes,
)
from ._pack import PackedRows, are_counts, complement, join_packed, pack_codes, pack_errors, plane
from ._sums import hash_part
from ._votes import Votes

T = TypeVar("T")
_BLOCK = 1 << 16  # rows to unpack at a time
_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class VoteMatrix(Votes):
    """The votes of ``M`` voters on ``n`` labelled examples.

    Errors are packed eight to a byte; with more than two classes the labels are kept too, one byte each. If some voter
    does not answer some example, right answers are packed as well, because a voter may then be neither wrong nor right.
    Make one with `from_labels`, `from_errors` or `from_blocks`.

    Attributes
    ----------
    n_voters, n_examples : int
        Number of columns, and of examples (merged rows count as often as they occur).
    n_rows : int
        Number of stored rows.
    classes : ndarray or None
        Sorted class labels; None if only errors are known.
    abstains : bool
        Whether some voter does not answer some example.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import VoteMatrix
    >>> votes = VoteMatrix.from_labels([["a", "b"], ["b", "b"], ["a", "a"]], ["a", "b", "b"])
    >>> votes
    VoteMatrix(3 examples, 2 voters, 2 classes)
    >>> votes.errors().astype(int).tolist()
    [[0, 1], [0, 0], [1, 1]]

    A voter that does not answer an example is not wrong on it:

    >>> votes = VoteMatrix.from_labels([["a", None], ["b", "b"], ["a", "a"]], ["a", "b", "b"])
    >>> votes
    VoteMatrix(3 examples, 2 voters, 2 classes, some do not answer)
    >>> votes.errors().astype(int).tolist()
    [[0, 0], [0, 0], [1, 1]]
    """

    n_voters: int
    bits: NDArray = field(repr=False)
    classes: NDArray | None = None
    targets: NDArray | None = field(default=None, repr=False)
    labels: NDArray | None = field(default=None, repr=False)
    counts: NDArray = field(default_factory=lambda: _NONE, repr=False)
    rights: NDArray | None = field(default=None, repr=False)

    @classmethod
    def from_labels(
        cls,
        votes: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        abstain: Any = None,
        *,
        merge: bool = False,
    ) -> "VoteMatrix":
        """Pack class labels.

        Parameters
        ----------
        votes : array-like of shape (n, M)
            Label that each voter gives each example; NaN and None mean no answer.
        y : array-like of shape (n,)
            True labels.
        classes : array-like, optional
            All class labels; by default those that occur in ``votes`` or ``y``. An empty string or -1 in ``votes``
            that does not occur in ``y`` is refused unless it is listed here or given as ``abstain``.
        abstain : label, optional
            A further value that means "no answer", such as "" or -1.
        merge : bool
            Store identical rows once, with their number.
        """
        y = check_labels(y, "y", 1)
        votes, absent = check_answers(votes, abstain, y)
        if len(votes) != len(y):
            raise ValueError(f"votes has {len(votes)} rows but y has {len(y)} labels: they must be the same examples.")
        if votes.shape[0] == 0:
            raise ValueError("There are no examples: votes needs at least one row.")
        names = labels_of(votes, y) if classes is None else _class_names(classes)
        parts = [
            _pack_labels(votes[rows], None if absent is None else absent[rows], y[rows], names)
            for rows in _row_blocks(len(y))
        ]
        return cls._of(join_packed(parts), names, merge=merge)

    @classmethod
    def from_codes(cls, votes: NDArray, targets: NDArray, classes: NDArray) -> "VoteMatrix":
        """Pack codes ``0 .. K - 1`` of the sorted classes, as voters of this package answer them; -1 is no answer."""
        votes, targets = np.asarray(votes), np.asarray(targets)
        if votes.ndim != 2 or targets.shape != votes.shape[:1] or votes.size == 0:
            raise ValueError(f"Voters answered an array of shape {votes.shape} for {targets.shape[0]} examples.")
        names = check_classes(classes)
        if targets.dtype.kind not in "iub" or targets.min() < 0 or targets.max() >= len(names):
            raise ValueError(f"targets must be class codes, integers from 0 to {len(names) - 1}.")
        abstains, codes = unsigned_codes(votes, len(names))
        targets = targets.astype(code_dtype(len(names)), copy=False)
        parts = [pack_codes(codes[rows], targets[rows], len(names), abstains) for rows in _row_blocks(len(codes))]
        return cls._of(join_packed(parts), names)

    @classmethod
    def from_errors(cls, errors: ArrayLike, *, merge: bool = False) -> "VoteMatrix":
        """Pack errors: a boolean array of shape (n, M), true where the voter errs on the example."""
        errors = np.asarray(errors)
        if errors.ndim != 2:
            raise ValueError(f"errors must have 2 dimensions, got an array of shape {errors.shape}.")
        return cls.from_blocks((errors[rows] for rows in _row_blocks(len(errors))), merge=merge)

    @classmethod
    def from_blocks(
        cls, blocks: Iterable, *, classes: ArrayLike | None = None, abstain: Any = None, merge: bool = False
    ) -> "VoteMatrix":
        """Pack an iterable of row blocks, so that the labels need not be in memory at once.

        Parameters
        ----------
        blocks : iterable
            Pairs ``(votes, y)`` of labels if ``classes`` is given, otherwise boolean arrays of errors.
        classes : array-like, optional
            All class labels.
        abstain : label, optional
            As in `from_labels`.
        merge : bool
            Store identical rows once, with their number.
        """
        names = None if classes is None else _class_names(classes)
        packed = [pack_errors(block) if names is None else _pack_block(block, names, abstain) for block in blocks]
        return cls._of(join_packed(packed), names, merge=merge)

    @classmethod
    def _of(cls, packed: PackedRows, classes: NDArray | None, *, merge: bool = False) -> "VoteMatrix":
        n_voters, bits, rights, targets, labels = packed
        matrix = cls(n_voters, bits, classes, targets, labels, rights=rights)
        return matrix.merged() if merge else matrix

    @property
    def abstains(self) -> bool:
        return self.rights is not None

    @property
    def n_rows(self) -> int:
        return self.bits.shape[1]

    @property
    def n_examples(self) -> int:
        return int(self.counts.sum()) if self.counts.size else self.n_rows

    @property
    def nbytes(self) -> int:
        """Size of the packed votes in bytes."""
        parts = (self.bits, self.rights, self.targets, self.labels, self.counts)
        return sum(part.nbytes for part in parts if part is not None)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        merged = f" in {self.n_rows} rows" if self.counts.size else ""
        abstain = ", some do not answer" if self.abstains else ""
        return f"VoteMatrix({self.n_examples} examples{merged}, {self.n_voters} voters{classes}{abstain})"

    def errors(self, start: int = 0, stop: int | None = None) -> NDArray:
        """Rows ``start .. stop`` unpacked: a boolean array, true if the voter is wrong."""
        rows = np.ascontiguousarray(self.bits[:, start:stop].T)
        return np.unpackbits(rows, axis=1, count=self.n_voters, bitorder="little").astype(bool)

    def answers(self) -> NDArray:
        """Code of the class that each voter answers, (n_rows, n_voters); the number of classes means no answer."""
        if self.classes is None or self.targets is None:
            raise ValueError("The answers are not known, only the errors: make the VoteMatrix with from_labels.")
        if self.labels is not None:
            return self.labels
        right = np.unpackbits(self._right_plane().T, axis=1, count=self.n_voters, bitorder="little").astype(bool)
        wrong = np.where(self.errors(), 1 - self.targets[:, None].astype(np.int8), len(self.classes))
        return np.where(right, self.targets[:, None], wrong).astype(np.uint8)

    def answers_alike(self, start: int, stop: int) -> NDArray:
        """Rows ``start .. stop`` as bytes that are equal for two voters where their answers are."""
        if self.labels is not None:
            return np.ascontiguousarray(self.labels[start:stop])
        wrong = self.errors(start, stop)
        if self.rights is None:
            return wrong
        rows = np.ascontiguousarray(self.rights[:, start:stop].T)
        return wrong + 2 * np.unpackbits(rows, axis=1, count=self.n_voters, bitorder="little")

    def only(self, voters: NDArray) -> "VoteMatrix":
        """The votes of some of the voters."""
        parts = [plane(self.errors(rows.start, rows.stop)[:, voters]) for rows in _row_blocks(self.n_rows)]
        rights = None
        if self.rights is not None:
            answered = replace(self, bits=self.rights)
            each = [plane(answered.errors(rows.start, rows.stop)[:, voters]) for rows in _row_blocks(self.n_rows)]
            rights = np.concatenate(each, axis=1)
        return replace(
            self,
            n_voters=len(voters),
            bits=np.concatenate(parts, axis=1),
            labels=None if self.labels is None else np.ascontiguousarray(self.labels[:, voters]),
            rights=rights,
        )

    def each(self, of: "Callable[[VoteMatrix], T]") -> list[T]:
        return [of(self)]

    def total(self, of: "Callable[[VoteMatrix], T]") -> T:
        return of(self)

    def mean(self, of: "Callable[[VoteMatrix], T]") -> T:
        return of(self)

    def whole(self) -> "VoteMatrix":
        """The matrix itself."""
        return self

    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[VoteMatrix]":
        """Random batches of the rows; fewer if there are fewer rows."""
        for rows in np.array_split(rng.permutation(self.n_rows), min(count, self.n_rows)):
            yield self.take(rows)

    def curve_sum(self, weights: NDArray, curve: Curve, among: int | None = None) -> tuple[float, NDArray, float]:
        return curve_pass(self.bits, self.counts, self.n_voters, weights, curve, among or self.n_examples)

    def half_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        planes = self.bits, self._right_plane()
        return half_pass(*planes, self.counts, self.n_voters, weights, among or self.n_examples)

    def argmax_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        if self.labels is None or self.targets is None or self.classes is None:
            raise ValueError("The arg-max error of several classes needs labels: make the VoteMatrix with from_labels.")
        n_classes, n_examples = len(self.classes), among or self.n_examples
        votes = self.labels, self.targets, self.counts
        wrong = self.wrong_weights(weights)
        if self.abstains:
            return abstaining_argmax_pass(*votes, n_classes, weights, wrong, self.right_weights(weights), n_examples)
        total = float(weights.sum())
        return argmax_pass(*votes, n_classes, weights, wrong, total - wrong, gamma_tables(total), n_examples)

    def blocs(self) -> NDArray:
        return blocs_of(self)

    def wrong_weights(self, weights: NDArray) -> NDArray:
        """Total weight of the voters that are wrong, for each row."""
        return plane_weights(self.bits, np.asarray(weights, float))

    def right_weights(self, weights: NDArray) -> NDArray:
        """Total weight of the voters that are right, for each row."""
        return plane_weights(self._right_plane(), np.asarray(weights, float))

    def column_sums(self, row_values: NDArray) -> NDArray:
        """For each voter, the sum of ``row_values`` over the rows on which it is wrong."""
        return column_sums(self.bits, self.n_voters, np.asarray(row_values, float))

    def right_column_sums(self, row_values: NDArray) -> NDArray:
        """For each voter, the sum of ``row_values`` over the rows on which it is right."""
        return column_sums(self._right_plane(), self.n_voters, np.asarray(row_values, float))

    def _right_plane(self) -> NDArray:
        return complement(self.bits, self.n_voters) if self.rights is None else self.rights

    def class_weights(self, weights: NDArray) -> NDArray:
        """Total weight of the voters for each class, for each row: (n_rows, n_classes)."""
        if self.labels is None or self.classes is None:
            raise ValueError("class_weights needs more than two classes; for two, wrong_weights says it all.")
        return class_weights(self.labels, len(self.classes), np.asarray(weights, float))

    def vote_errors(self, weights: NDArray) -> NDArray:
        """Rows on which the vote with these weights, which sum to one, errs or may err because of rounding.

        Of tied classes the first wins; if the classes are not known, a tie is an error. Weights count as shares of the
        weight that answers; a row that no voter answers is an error.
        """
        if self.labels is not None and self.targets is not None:
            each = self.class_weights(weights)
            answered = each.sum(1, keepdims=True) if self.abstains else 1.0
            ties = ((TIE + s * doubt(self.n_voters)) * answered for s in (-1, 1))
            errs = np.logical_or.reduce([heaviest(each, tie) != self.targets for tie in ties])
            return errs | (np.ravel(answered) == 0)
        wrong = self.wrong_weights(weights)
        answered = wrong + self.right_weights(weights) if self.abstains else float(np.sum(weights))
        loses_ties = np.ones(self.n_rows, bool) if self.targets is None else self.targets != 0
        return answered - 2 * wrong <= (np.where(loses_ties, TIE, -TIE) + doubt(self.n_voters)) * answered

    def class_column_sums(self, row_class_values: NDArray) -> NDArray:
        """For each voter, the sum over rows of the value of the class that it answers, if any."""
        if self.labels is None:
            raise ValueError("class_column_sums needs more than two classes.")
        values = np.asarray(row_class_values, float)
        if self.abstains:
            values = np.column_stack([values, np.zeros(self.n_rows)])
        return class_column_sums(self.labels, values)

    def row_mean(self, row_values: NDArray) -> float:
        """Mean of one value per row over the examples."""
        return float((row_values * self.counts if self.counts.size else row_values).sum()) / self.n_examples

    def voter_errors(self) -> NDArray:
        """Share of the examples on which each voter errs."""
        ones = self.counts if self.counts.size else np.ones(self.n_rows)
        return self.column_sums(ones) / self.n_examples

    def errors_only(self) -> "VoteMatrix":
        """The errors without the classes: the vote then errs if half of the weight is wrong."""
        return replace(self, classes=None, targets=None, labels=None)

    def take(self, rows: ArrayLike) -> "VoteMatrix":
        """A matrix of the given stored rows (an index array or a boolean mask)."""
        rows = np.asarray(rows)
        return replace(
            self,
            bits=np.ascontiguousarray(self.bits[:, rows]),
            targets=None if self.targets is None else self.targets[rows],
            labels=None if self.labels is None else self.labels[rows],
            counts=self.counts[rows] if self.counts.size else self.counts,
            rights=None if self.rights is None else np.ascontiguousarray(self.rights[:, rows]),
        )

    @classmethod
    def joined(cls, parts: "Sequence[VoteMatrix]") -> "VoteMatrix":
        """The rows of several matrices of the same voters and classes, one after the other."""
        counts = [p.counts if p.counts.size else np.ones(p.n_rows) for p in parts]
        packed = join_packed([PackedRows(p.n_voters, p.bits, p.rights, p.targets, p.labels) for p in parts])
        return replace(
            cls._of(packed, parts[0].classes),
            counts=np.concatenate(counts) if any(p.counts.size for p in parts) else _NONE,
        )

    def merged(self) -> "VoteMatrix":
        """The same examples with identical rows stored once."""
        columns = [self.bits.T] if self.rights is None else [self.bits.T, self.rights.T]
        for part in (self.targets, self.labels):
            if part is not None:
                columns.append(part.reshape(self.n_rows, -1).view(np.uint8))
        rows = np.ascontiguousarray(np.hstack(columns))
        keys = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.bincount(group, weights=self.counts if self.counts.size else None).astype(float)
        order = np.argsort(first, kind="stable")
        return replace(replace(self, counts=_NONE).take(first[order]), counts=counts[order])

    def digest(self) -> str:
        """SHA-256 of the votes, by which a certificate identifies them.

        The hash is of ``stocmv votes 2;n_voters=M;`` followed, for each of classes, bits, targets, labels and counts,
        by ``name:type:shape;`` and the content. The type is numpy's, little-endian (``<i8``), and the content is the
        bytes in C order; text has the type ``str``, and its content is a JSON list. A part that is absent is
        ``name:none;``. If voters abstain, ``rights`` comes last.
        """
        hashed = hashlib.sha256(f"stocmv votes 2;n_voters={self.n_voters};".encode())
        further = () if self.rights is None else ("rights",)
        for name in ("classes", "bits", "targets", "labels", "counts", *further):
            hash_part(hashed, name, getattr(self, name))
        return hashed.hexdigest()

    def save(self, path: str | os.PathLike) -> None:
        """Write the votes atomically as a compressed npz without pickled objects."""
        with whole_file(path) as file:
            np.savez_compressed(file, **self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike) -> "VoteMatrix":
        """Read a file that `save` wrote; nothing in the file can run code."""
        with reading_votes(path) as parts:
            return cls._from_arrays(parts)

    def _arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {"n_voters": np.asarray(self.n_voters), "bits": self.bits, "counts": self.counts}
        named = {name: getattr(self, name) for name in ("classes", "targets", "labels", "rights")}
        return arrays | {name: part for name, part in named.items() if part is not None}

    @classmethod
    def _from_arrays(cls, parts: dict[str, Any]) -> "VoteMatrix":
        n_voters = parts.pop("n_voters")
        if n_voters.shape or n_voters.dtype.kind not in "iu":
            raise ValueError("its number of voters is not an integer.")
        matrix = cls(n_voters=int(n_voters), **parts)
        matrix._check_loaded()
        return matrix

    def _check_loaded(self) -> None:
        rows = self.bits.shape[-1] if self.bits.ndim else 0
        fits = (
            self.bits.ndim == 2
            and self.bits.dtype == np.uint8
            and self.n_voters > 0
            and len(self.bits) == -(-self.n_voters // 8)
            and rows > 0
            and (self.targets is None or self.targets.shape == (rows,))
            and (self.labels is None or self.labels.shape == (rows, self.n_voters))
            and (self.counts.size == 0 or (self.counts.shape == (rows,) and are_counts(self.counts)))
            and (self.rights is None or (self.rights.shape == self.bits.shape and self.rights.dtype == np.uint8))
            and (self.targets is None) == (self.classes is None)
            and (self.labels is None) == (self.classes is None or len(self.classes) < 3)
        )
        if not fits:
            raise ValueError("its arrays do not fit together.")
        if self.classes is not None and check_classes(self.classes).dtype != self.classes.dtype:
            raise ValueError(f"its class labels are of type {self.classes.dtype}.")
        if self.rights is not None and np.any(self.bits & self.rights):
            raise ValueError("a voter is both wrong and right.")
        if self.classes is None or self.targets is None:
            return
        n_classes = len(self.classes)
        for codes, most in ((self.targets, n_classes - 1), (self.labels, n_classes - 1 + self.abstains)):
            if codes is not None and (codes.dtype.kind != "u" or codes.max() > most):
                raise ValueError("it has a class code beyond its classes.")
        if self.labels is not None:
            for rows in _row_blocks(self.n_rows):
                said = pack_codes(self.labels[rows], self.targets[rows], n_classes, self.abstains)
                same = np.array_equal(said.bits, self.bits[:, rows])
                if said.rights is not None and self.rights is not None:
                    same &= np.array_equal(said.rights, self.rights[:, rows])
                if not same:
                    raise ValueError("its labels and its errors contradict each other.")


@contextmanager
def reading_votes(path: str | os.PathLike) -> Iterator[dict[str, Any]]:
    """The arrays of a votes file; errors become one sentence that names the file."""
    with open(path, "rb") as file:
        try:
            yield read_arrays(file)
        except DAMAGE as error:
            raise ValueError(f"{os.fspath(path)} is not a votes file of stocmv: {reason(error)}.") from error


def _row_blocks(n_rows: int) -> Iterator[slice]:
    """The rows in order, in blocks to unpack together; one empty block if there are no rows."""
    yield from (slice(start, min(start + _BLOCK, n_rows)) for start in range(0, max(n_rows, 1), _BLOCK))


def _class_names(classes: ArrayLike) -> NDArray:
    names = check_classes(np.unique(check_labels(classes, "classes", 1)))
    if names.size == 0:
        raise ValueError("classes is empty: name at least one class.")
    return names


def _pack_block(block: Any, classes: NDArray, abstain: Any) -> PackedRows:
    targets = check_labels(block[1], "y", 1)
    labels, absent = check_answers(block[0], abstain, targets)
    if len(labels) != len(targets):
        raise ValueError(f"A block has {len(labels)} rows of votes but {len(targets)} labels in y.")
    return _pack_labels(labels, absent, targets, classes)


def _pack_labels(votes: NDArray, absent: NDArray | None, y: NDArray, classes: NDArray) -> PackedRows:
    codes = encode_answers(votes, absent, classes)
    return pack_codes(codes, encode(y, classes, "y"), len(classes), absent is not None)
