"""The judgments: what the judging examples showed about a vote that was made without them."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from .._files import whole_file
from ..verify import read_judgments

_ROUND_UP = 1 + 1e-13  # pairwise summation loses less than 1e-14 for any number of rows
COLUMNS = ("truth", "answer", "fold", "scores", "loss", "group", "silent", "row", "subgroup", "votes")
HEADERS = ("classes", "subgroups", "voters")  # what the codes in the columns mean


class Losses(NamedTuple):
    """The sum of the losses of some examples or groups, and their number."""

    total: float
    n: int

    @property
    def mean(self) -> float:
        """The mean loss, rounded up; 1 if there are no examples."""
        return min(self.total / self.n * _ROUND_UP, 1.0) if self.n else 1.0


@dataclass(frozen=True, eq=False)
class Judgments:
    """A row for each judging example: everything that a tested certificate says is a function of this table.

    Parameters
    ----------
    classes : ndarray
        Sorted labels of the classes; other columns have their codes.
    truth, answer : ndarray of shape (n,)
        The true class, and what `predict` answers.
    fold : ndarray of shape (n,)
        Number of the fold.
    scores : ndarray of shape (n, n_classes) or None
        The score of each class.
    loss : ndarray of shape (n,) or None
        Probability that the stochastic vote errs, where that vote is certified too.
    group : ndarray of shape (n,) or None
        The group, if rows belong to groups: then groups are counted, and their losses are means over their rows.
    silent : ndarray of shape (n,) or None
        Whether no voter answered, which counts as an error; None if all voters answer everything.
    row : ndarray of shape (n,) or None
        A hash of the example's features, by which an auditor who has the examples finds it again.
    subgroup : ndarray of shape (n, n_attributes) or None
        For each attribute, such as the region, the number of the example's subgroup.
    subgroups : ndarray of shape (n_subgroups, 2) or None
        The attribute and the value that make each subgroup, as texts.
    votes : ndarray of shape (n, n_voters) or None
        If the voters are certified as a panel, what each of them answers; the number of classes means no answer.
    voters : ndarray of shape (n_voters,) or None
        Their names.

    Examples
    --------
    >>> from stocmv import certify_predictions
    >>> judgments = certify_predictions(["yes", "no", "no"] * 50, ["yes", "no", "yes"] * 50).evidence_
    >>> judgments.classes.tolist(), judgments.truth[:3].tolist(), judgments.answer[:3].tolist()
    (['no', 'yes'], [1, 0, 0], [1, 0, 1])
    >>> int(judgments.wrong.sum())
    50
    """

    classes: NDArray
    truth: NDArray
    answer: NDArray
    fold: NDArray
    scores: NDArray | None = None
    loss: NDArray | None = None
    group: NDArray | None = None
    silent: NDArray | None = None
    row: NDArray | None = None
    subgroup: NDArray | None = None
    subgroups: NDArray | None = None
    votes: NDArray | None = None
    voters: NDArray | None = None

    @classmethod
    def joined(cls, parts: "Sequence[Judgments]", *, as_folds: bool) -> "Judgments":
        """Several tables one below the other; ``as_folds`` numbers them as folds, else they are parts of one."""
        silent = any(part.silent is not None for part in parts)
        parts = [part._with_silence() for part in parts] if silent else parts
        columns = {
            name: None if getattr(parts[0], name) is None else np.concatenate([getattr(part, name) for part in parts])
            for name in COLUMNS
        }
        if as_folds:
            columns["fold"] = np.repeat(
                np.arange(len(parts), dtype=np.min_scalar_type(len(parts))), [len(part) for part in parts]
            )
        return replace(parts[0], **columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.truth)

    def _with_silence(self) -> "Judgments":
        return replace(self, silent=np.zeros(len(self), bool)) if self.silent is None else self

    @property
    def grouped(self) -> bool:
        return self.group is not None

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    @property
    def wrong(self) -> NDArray:
        """Whether the answer is an error."""
        wrong = self.answer != self.truth
        return wrong if self.silent is None else wrong | self.silent

    @property
    def answer_score(self) -> NDArray:
        """The score of the answered class."""
        if self.scores is None:
            raise ValueError("These judgments have no scores, which say how sure an answer is: pass scores.")
        return self.scores[np.arange(len(self)), self.answer]

    def folds(self) -> "list[Judgments]":
        """The rows of each fold."""
        return [self] if self.n_folds == 1 else [self.among(self.fold == k) for k in range(self.n_folds)]

    def among(self, rows: NDArray) -> "Judgments":
        """Some of the rows."""
        given = (name for name in COLUMNS if getattr(self, name) is not None)
        return replace(self, **{name: getattr(self, name)[rows] for name in given})

    def by_class(self) -> "Iterator[Judgments]":
        """The rows of each true class, without their scores and subgroups."""
        bare = self.bare()
        return (bare.among(self.truth == c) for c in range(len(self.classes)))

    def by_answer(self) -> "Iterator[Judgments]":
        """The rows with each answer, without their scores and subgroups."""
        bare = self.bare()
        return (bare.among(self.answer == c) for c in range(len(self.classes)))

    def bare(self) -> "Judgments":
        """Without the columns that may be wide: to count errors among some rows, they need not be copied."""
        return replace(self, scores=None, subgroup=None, subgroups=None, votes=None, voters=None, row=None)

    def losses(self, values: NDArray) -> Losses:
        """The sum of one value per row over the examples, or of the means over the rows of each group."""
        if self.group is None:
            return Losses(float(np.sum(values, dtype=float)), len(values))
        means = self.group_means(values)
        return Losses(float(means.sum()), len(means))

    def group_means(self, values: NDArray) -> NDArray:
        """The mean over the rows of each group, of one value per row or of several, rounded up."""
        _, place = np.unique(cast(NDArray, self.group), return_inverse=True)
        rows = np.bincount(place)
        sums = np.zeros((len(rows), *values.shape[1:]))
        np.add.at(sums, place, values)
        means = sums / rows.reshape(-1, *(1 for _ in values.shape[1:]))
        if values.dtype == bool:  # whole numbers are added exactly
            return means
        return np.minimum(means * (1 + 2.0**-52 * rows.max(initial=0)), 1.0)

    @property
    def errors(self) -> Losses:
        """Errors of `predict`."""
        return self.losses(self.wrong)

    @property
    def stochastic_errors(self) -> Losses:
        """Errors of the stochastic vote."""
        return self.losses(cast(NDArray, self.loss))

    def frequency(self) -> NDArray:
        """Number of examples of each class; of groups, the sum of its shares of their rows."""
        return np.array([self.losses(self.truth == c).total for c in range(len(self.classes))])

    def columns(self) -> dict[str, NDArray]:
        """The classes and all columns that there are, by name."""
        return {name: getattr(self, name) for name in (*HEADERS, *COLUMNS) if getattr(self, name) is not None}

    def digest(self) -> str:
        """SHA-256 of the table, by which a certificate identifies it."""
        hashed = hashlib.sha256(b"stocmv judgments 1;")
        for name in (*HEADERS, *COLUMNS):
            column = getattr(self, name)
            if column is None:
                hashed.update(f"{name}:none;".encode())
            elif column.dtype.kind == "U":
                hashed.update(f"{name}:str:{column.shape};{json.dumps(column.tolist())}".encode())
            else:
                little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
                hashed.update(f"{name}:{little.dtype.str}:{column.shape};".encode())
                hashed.update(little.data)
        return hashed.hexdigest()

    def save(self, path: str | os.PathLike) -> None:
        """Write the table atomically to an npz file, for `stocmv verify`."""
        with whole_file(path) as file:
            np.savez_compressed(file, **cast(dict[str, Any], self.columns()))

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Judgments":
        """Read a file that `save` wrote; nothing in the file can run code."""
        return cls(**read_judgments(path))
