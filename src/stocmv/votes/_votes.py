"""The interface of votes, wherever they are stored: what learning and certifying ask of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._blocs import numbered
from ._curve import Curve
from ._pairs import PairCounts, count_pairs
from ._sums import added_in_groups, joint_digest, scaled

if TYPE_CHECKING:
    from ._matrix import VoteMatrix

T = TypeVar("T")
_LISTED = 1 << 20  # up to this many rows, a full random permutation is drawn


class Votes(ABC):
    """The votes on labelled examples: one matrix, or several on this machine or others.

    Everything that is learned or certified is a sum over examples, so that only functions of one matrix and their small
    results are transferred. What is written here is for several matrices; one matrix in memory computes it itself.

    Calls wait for their results. Where others do the work, `start` makes several calls at the same time.
    """

    n_voters: int
    classes: NDArray | None
    soft: ClassVar[bool] = False  # whether voters answer with probabilities
    out_of_bag: ClassVar[bool] = False  # whether each voter has examples of its own that judge it

    @property
    @abstractmethod
    def abstains(self) -> bool:
        """Whether some voter does not answer some example."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of stored rows."""

    @property
    @abstractmethod
    def n_examples(self) -> int:
        """Number of examples; merged rows count as often as they occur."""

    @abstractmethod
    def each(self, of: "Callable[[VoteMatrix], T]") -> list[T]:
        """A function of each matrix, in order."""

    @abstractmethod
    def take(self, rows: ArrayLike) -> "VoteMatrix":
        """The votes of the given stored rows, in one matrix on this machine."""

    @abstractmethod
    def batches(self, count: int, rng: np.random.Generator) -> "Iterator[Votes]":
        """Split the votes into about ``count`` random batches."""

    @abstractmethod
    def only(self, voters: NDArray) -> "Votes":
        """The votes of some of the voters, where these are stored."""

    @abstractmethod
    def whole(self) -> "VoteMatrix":
        """All votes in one matrix on this machine."""

    def at_hand(self) -> "Votes":
        """All votes where a pass over them has no latency: in one matrix on this machine, or on its GPU."""
        return self.whole()

    def collect(self) -> "Votes":
        """The votes on this machine, in the same parts."""
        return self

    def to(self, device: str) -> "Votes":
        """The votes in the memory of a GPU ("cuda"), or back on this machine ("cpu").

        A GPU computes the sums for training; certificates are computed on the CPU wherever the votes are.
        """
        if device == "cpu":
            return self.collect()
        if device != "cuda":
            raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}.")
        from ._gpu import on_gpu

        return on_gpu(self)

    def start(self, call: Callable[..., T], *arguments: Any) -> Callable[[], T]:
        """Start a call that asks these votes, and return a callable that waits for its result.

        Start all calls before you wait for the first: on a cluster, one pass over the votes can then answer several,
        and the folds are asked at the same time. In memory, waiting for it makes the call.
        """
        return partial(call, *arguments)

    def total(self, of: "Callable[[VoteMatrix], T]") -> T:
        """The sum of a function over all matrices: a number, an array, or a tuple of them."""
        return added_in_groups(self.each(of))

    def mean(self, of: "Callable[[VoteMatrix], T]") -> T:
        """The mean over all examples, from a function that gives the mean over one matrix."""
        return scaled(self.total(partial(_times_size, of)), 1 / self.n_examples)

    def curve_sum(self, weights: NDArray, curve: Curve, among: int | None = None) -> tuple[float, NDArray, float]:
        """Sum over the examples of a curve of the wrong weight.

        Returns the sum, its gradient by the weights at a fixed total, and its derivative by the total. If this is one
        part of the votes, ``among`` is the total number of examples: sums over the parts are then the same to the last
        bit however the votes are split.
        """
        return self.total(methodcaller("curve_sum", weights, curve, among or self.n_examples))

    def half_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        """Expected number of errors with Dirichlet weights if voters may abstain, and its gradient.

        A row that no voter answers is an error. ``among`` is as in `curve_sum`.
        """
        return self.total(methodcaller("half_error_sum", weights, among or self.n_examples))

    def argmax_error_sum(self, weights: NDArray, among: int | None = None) -> tuple[float, NDArray]:
        """Expected number of errors of the arg-max vote with Dirichlet weights, and its gradient.

        ``among`` is as in `curve_sum`.
        """
        return self.total(methodcaller("argmax_error_sum", weights, among or self.n_examples))

    @cached_property
    def pairs(self) -> PairCounts:
        """How often two voters err together, for all pairs; counted once."""
        return PairCounts(*self.total(count_pairs))

    def fewest(self, voters: int, *, labelled: bool = True) -> int:
        """Smallest number of examples that judge this many voters at once, one or two; or that compare two voters."""
        return self.n_examples

    def digest(self) -> str:
        """SHA-256 of the votes, by which a certificate identifies them."""
        return joint_digest(self.each(methodcaller("digest")))

    def blocs(self) -> NDArray:
        """The bloc of each voter: voters that answer every example alike have the same number, the first one's is 0."""
        return numbered(np.stack(self.each(methodcaller("blocs")), axis=1))

    @property
    def n_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)

    @property
    def work(self) -> float:
        """Estimated nanoseconds per pass, by which a solver plans its evaluations."""
        return self.n_rows * (0.3 * self.n_voters + (10 if (self.n_classes or 2) < 3 else 1500))


def fewest_judges(folds: Sequence[Votes]) -> tuple[tuple[int, ...], ...]:
    """The fewest examples of each fold that judge a voter; that judge two; that show whether two disagree."""
    return (
        tuple(v.fewest(1) for v in folds),
        tuple(v.fewest(2) for v in folds),
        tuple(v.fewest(2, labelled=False) for v in folds),
    )


def check_device(device: str | None) -> None:
    """Refuse a device on which weights cannot be learned: another name than "cuda", or a GPU that cannot be used."""
    if device is None:
        return
    if device != "cuda":
        raise ValueError(f"device must be None or 'cuda', got {device!r}.")
    from ._gpu import check_gpu

    check_gpu()


def random_rows(n_rows: int, count: int, rng: np.random.Generator) -> NDArray:
    """``count`` random rows without repetition, in order."""
    if n_rows <= _LISTED:
        return np.sort(rng.permutation(n_rows)[:count])
    return np.sort(rng.choice(n_rows, count, replace=False, shuffle=False))


def _times_size(of: "Callable[[VoteMatrix], Any]", votes: "VoteMatrix") -> Any:
    return scaled(of(votes), votes.n_examples)
