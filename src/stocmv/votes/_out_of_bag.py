"""Votes of voters that are each judged by examples of their own."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._files import whole_file
from ._labels import check_answers, check_classes, encode_answers
from ._matrix import VoteMatrix, reading_votes
from ._pack import complement, plane
from ._pairs import PairCounts, count_judged_pairs
from ._sums import hash_part
from ._votes import Votes

T = TypeVar("T")
_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class OutOfBagVotes(Votes):
    """The votes of ``M`` voters, each on those of ``n`` labelled examples that it was not trained on.

    A gap here means that the example does not judge the voter. (In a `VoteMatrix` it means that the voter does not
    answer.) Two voters together are judged by the examples that judge both. The bounds go by the fewest examples that
    judge a voter, and two. Make one with `from_labels`, or from a fitted forest with
    `stocmv.voters.out_of_bag_votes`. The risks "first_order", "second_order", "c_bound", "cctnd", "ccpbb", "ccpbskl"
    and "disagreement" are defined for it; what they certify is the weighted vote of all voters on new examples.

    With two classes, unlabelled examples show too how often voters disagree, which the risks "c_bound", "ccpbskl" and
    "disagreement" use. For these, voters that are judged by all labelled examples are welcome as well.

    Attributes
    ----------
    n_voters, n_examples, n_rows, n_unlabelled : int
        Number of columns, of labelled and of unlabelled examples.
    classes : ndarray or None
        Sorted class labels.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.votes import OutOfBagVotes
    >>> votes = OutOfBagVotes.from_labels([["a", None], ["b", "b"], [None, "a"], ["b", "a"]], ["a", "b", "b", "b"])
    >>> votes
    OutOfBagVotes(4 examples, 2 voters, 2 classes)
    >>> votes.fewest(1), votes.fewest(2)  # that judge a voter, and both
    (3, 2)
    """

    n_voters: int
    bits: NDArray = field(repr=False)  # who errs, of those that are judged
    judged: NDArray = field(repr=False)
    classes: NDArray | None = None
    targets: NDArray | None = field(default=None, repr=False)
    unlabelled: NDArray | None = field(default=None, repr=False)  # who answers the second class on unlabelled examples
    out_of_bag: ClassVar[bool] = True
    abstains: ClassVar[bool] = False
    labels: ClassVar[None] = None
    counts: ClassVar[NDArray] = _NONE

    @classmethod
    def from_labels(
        cls,
        votes: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        unjudged: Any = None,
        *,
        unlabelled: ArrayLike | None = None,
    ) -> "OutOfBagVotes":
        """Pack class labels.

        Parameters
        ----------
        votes : array-like of shape (n, M)
            Label that each voter gives each example; NaN and None where the example does not judge the voter.
        y : array-like of shape (n,)
            True labels.
        classes : array-like, optional
            All class labels; by default those that occur in ``votes`` or ``y``.
        unjudged : label, optional
            A further value that means "does not judge", such as "" or -1.
        unlabelled : array-like of shape (m, M), optional
            Label that each voter gives each of some further examples, whose truth is not known and on which no voter
            was trained; without gaps, and for two classes.
        """
        found = cls.of_gaps(VoteMatrix.from_labels(votes, y, classes, unjudged))
        return found if unlabelled is None else found.with_unlabelled(unlabelled)

    @classmethod
    def of_gaps(cls, votes: VoteMatrix) -> "OutOfBagVotes":
        """The votes of a matrix, in which no answer means that the example does not judge the voter."""
        judged = complement(np.zeros_like(votes.bits), votes.n_voters) if votes.rights is None else votes.rights
        return cls(votes.n_voters, votes.bits, judged | votes.bits, votes.classes, votes.targets)

    def with_unlabelled(self, answers: ArrayLike) -> "OutOfBagVotes":
        """The same votes, and the labels that all voters give some unlabelled examples, (m, M)."""
        if self.classes is None or len(self.classes) != 2:
            raise ValueError(
                "unlabelled needs votes made from labels of two classes: with more, voters may disagree "
                "although both err."
            )
        labels, absent = check_answers(answers, None, self.classes)
        if labels.shape[1] != self.n_voters or not len(labels):
            raise ValueError(
                f"unlabelled must have a row for each example and {self.n_voters} columns, got {labels.shape}."
            )
        if absent is not None:
            raise ValueError("unlabelled has gaps: every voter must answer every unlabelled example.")
        return replace(self, unlabelled=plane(encode_answers(labels, None, self.classes) == 1))

    @property
    def n_rows(self) -> int:
        return self.bits.shape[1]

    @property
    def n_examples(self) -> int:
        return self.n_rows

    @property
    def n_unlabelled(self) -> int:
        return 0 if self.unlabelled is None else self.unlabelled.shape[1]

    @property
    def work(self) -> float:
        return float(self.n_voters**2)

    def __repr__(self) -> str:
        classes = "" if self.classes is None else f", {len(self.classes)} classes"
        more = f" and {self.n_unlabelled} unlabelled" if self.n_unlabelled else ""
        return f"OutOfBagVotes({self.n_examples} examples{more}, {self.n_voters} voters{classes})"

    def errors(self, start: int = 0, stop: int | None = None) -> NDArray:
        """Rows ``start .. stop`` unpacked: a boolean array, true if the voter is judged and wrong."""
        return self._unpacked(self.bits[:, start:stop])

    def judges(self, start: int = 0, stop: int | None = None) -> NDArray:
        """Rows ``start .. stop`` unpacked: a boolean array, true if the example judges the voter."""
        return self._unpacked(self.judged[:, start:stop])

    def unlabelled_answers(self, start: int = 0, stop: int | None = None) -> NDArray:
        """Unlabelled examples ``start .. stop`` unpacked: a boolean array, true for the second class."""
        empty = np.zeros((len(self.bits), 0), np.uint8)
        return self._unpacked((empty if self.unlabelled is None else self.unlabelled)[:, start:stop])

    def _unpacked(self, some: NDArray) -> NDArray:
        rows = np.ascontiguousarray(some.T)
        return np.unpackbits(rows, axis=1, count=self.n_voters, bitorder="little").astype(bool)

    @cached_property
    def pairs(self) -> PairCounts:
        """How often two voters err together where both are judged, for all pairs; counted once."""
        counts = count_judged_pairs(self)
        without = np.argwhere(counts.judged == 0)
        if len(without):
            j, k = min(without.tolist(), key=lambda pair: pair[0] != pair[1])
            named = f"voter {j}" if j == k else f"both voter {j} and voter {k}"
            raise ValueError(f"No example judges {named}: use fewer voters, or more examples.")
        return counts

    def fewest(self, voters: int, *, labelled: bool = True) -> int:
        judged = self.pairs.judged if labelled else self.pairs.compared
        return int(judged.min() if voters == 2 else np.diag(judged).min())

    def each(self, of: Callable[[Any], T]) -> list[T]:
        return [of(self)]

    def total(self, of: Callable[[Any], T]) -> T:
        return of(self)

    def mean(self, of: Callable[[Any], T]) -> T:
        return of(self)

    def take(self, rows: ArrayLike) -> Any:
        """The given labelled rows, and all unlabelled ones."""
        rows = np.asarray(rows)
        return replace(
            self,
            bits=np.ascontiguousarray(self.bits[:, rows]),
            judged=np.ascontiguousarray(self.judged[:, rows]),
            targets=None if self.targets is None else self.targets[rows],
        )

    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[OutOfBagVotes]":
        """All votes at once: an evaluation takes as long for fewer rows."""
        yield self

    def only(self, voters: NDArray) -> "OutOfBagVotes":
        """The votes of some of the voters."""
        return replace(
            self,
            n_voters=len(voters),
            bits=plane(self.errors()[:, voters]),
            judged=plane(self.judges()[:, voters]),
            unlabelled=None if self.unlabelled is None else plane(self.unlabelled_answers()[:, voters]),
        )

    def whole(self) -> Any:
        """The votes themselves."""
        return self

    def to(self, device: str) -> "Votes":
        if device == "cuda":
            raise ValueError("Out-of-bag votes are counted once, which needs no GPU: leave out device.")
        return super().to(device)

    def blocs(self) -> NDArray:
        """Every voter is a bloc of its own: voters with other judges cannot be compared."""
        return np.arange(self.n_voters)

    def digest(self) -> str:
        """SHA-256 of the votes, by which a certificate identifies them.

        As that of a VoteMatrix, of ``stocmv out-of-bag votes 1;n_voters=M;`` followed by classes, bits, judged and
        targets, and by ``unlabelled`` if there are unlabelled examples.
        """
        hashed = hashlib.sha256(f"stocmv out-of-bag votes 1;n_voters={self.n_voters};".encode())
        further = () if self.unlabelled is None else ("unlabelled",)
        for name in ("classes", "bits", "judged", "targets", *further):
            hash_part(hashed, name, getattr(self, name))
        return hashed.hexdigest()

    def save(self, path: str | os.PathLike) -> None:
        """Write the votes atomically as a compressed npz without pickled objects."""
        with whole_file(path) as file:
            np.savez_compressed(file, **self._arrays())

    @classmethod
    def load(cls, path: str | os.PathLike) -> "OutOfBagVotes":
        """Read a file that `save` wrote; nothing in the file can run code."""
        with reading_votes(path) as parts:
            return cls._from_arrays(parts)

    def _arrays(self) -> dict[str, Any]:
        arrays: dict[str, Any] = {"n_voters": np.asarray(self.n_voters), "bits": self.bits, "judged": self.judged}
        named = {"classes": self.classes, "targets": self.targets, "unlabelled": self.unlabelled}
        return arrays | {name: part for name, part in named.items() if part is not None}

    @classmethod
    def _from_arrays(cls, parts: dict[str, Any]) -> "OutOfBagVotes":
        needed, named = {"n_voters", "bits", "judged"}, {"classes", "targets"}
        if set(parts) not in (needed, needed | named, needed | named | {"unlabelled"}):
            raise ValueError("its arrays are not those of out-of-bag votes.")
        judged, targets, classes = parts["judged"], parts.get("targets"), parts.get("classes")
        checked = VoteMatrix._from_arrays({"n_voters": parts["n_voters"], "bits": parts["bits"]})
        if judged.shape != checked.bits.shape or judged.dtype != np.uint8:
            raise ValueError("its arrays do not fit together.")
        if np.any(checked.bits & ~judged):
            raise ValueError("a voter errs on an example that does not judge it.")
        votes = cls(checked.n_voters, checked.bits, judged, classes, targets)
        if classes is not None and targets is not None:
            if check_classes(classes).dtype != classes.dtype:
                raise ValueError(f"its class labels are of type {classes.dtype}.")
            if targets.shape != (votes.n_rows,) or targets.dtype.kind != "u" or targets.max() >= len(classes):
                raise ValueError("its targets are not codes of its classes.")
        if "unlabelled" in parts:
            answers = parts["unlabelled"]
            fits = answers.dtype == np.uint8 and answers.ndim == 2 and answers.shape[0] == len(judged)
            if classes is None or not (fits and answers.shape[1] and len(classes) == 2):
                raise ValueError("its unlabelled examples do not fit its voters, or it does not have two classes.")
            return replace(votes, unlabelled=answers)
        return votes
