"""Votes on the workers of a cluster."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from operator import methodcaller
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..votes import PartitionedVotes, VoteMatrix, Votes, added, added_in_groups, shared_out
from ._connection import result

T = TypeVar("T")
_passes = count()


class ClusterVotes(Votes):
    """Votes of one fold in partitions on the workers.

    Only results of functions and rows of a sample are transferred; all votes only by `collect`.

    Parameters
    ----------
    client : distributed.Client
        The cluster.
    parts : sequence of futures or delayed objects
        Each a VoteMatrix with unmerged rows. Futures are kept in the workers' memory (or on their disks); delayed ones
        are recomputed for every pass, for votes that the cluster cannot hold.
    sizes : sequence of int
        Number of rows of each part.
    n_voters : int
        Number of voters.
    classes : ndarray
        Sorted class labels.
    abstains : bool or None
        Whether some voter does not answer some example; None if that is not known yet.
    """

    def __init__(
        self,
        client: Any,
        parts: Sequence[Any],
        sizes: Sequence[int],
        n_voters: int,
        classes: NDArray,
        abstains: bool | None = None,
    ) -> None:
        self.client = client
        self.parts = tuple(parts)
        self.sizes = tuple(sizes)
        self.n_voters = n_voters
        self.classes = classes
        self._abstains = abstains

    def __getstate__(self) -> dict[str, Any]:
        """A pickled copy has the shape, not the votes."""
        return {**self.__dict__, "client": None, "parts": ()}

    def __repr__(self) -> str:
        return f"ClusterVotes({self.n_rows} examples in {len(self.sizes)} parts, {self.n_voters} voters)"

    @property
    def abstains(self) -> bool:
        if self._abstains is None:
            self._abstains = bool(self.total(abstains_in))
        return self._abstains

    @property
    def n_rows(self) -> int:
        return sum(self.sizes)

    @property
    def n_examples(self) -> int:
        return self.n_rows

    def start(self, call: Callable[..., T], *arguments: Any) -> Callable[[], T]:
        """Make the call in a thread of its own, which waits for the workers."""
        thread = ThreadPoolExecutor(1)
        answer = thread.submit(call, *arguments)
        thread.shutdown(wait=False)
        return answer.result

    def each(self, of: Callable[[VoteMatrix], T]) -> list[T]:
        return self._results(self._tasks([(of, part) for part in self.parts], "each"))

    def total(self, of: Callable[[VoteMatrix], T]) -> T:
        """As in `Votes`; the workers add the results up, too."""
        tasks = self._tasks([(of, part) for part in self.parts], "total")
        return self._results([_sum_tree(tasks)])[0]

    def take(self, rows: ArrayLike) -> VoteMatrix:
        own = zip(shared_out(rows, self.sizes), self.parts, strict=True)
        asked = [(methodcaller("take", some), part) for some, part in own if len(some)]
        return VoteMatrix.joined(self._results(self._tasks(asked, "take")))

    def batches(self, count: int, rng: np.random.Generator) -> Iterator[Votes]:
        groups = np.array_split(rng.permutation(len(self.parts)), min(count, len(self.parts)))
        ahead = -(-sum(self.client.nthreads().values()) // len(groups[0]))  # groups that keep every thread busy
        begun: deque[list[Any]] = deque()
        for k, group in enumerate(groups):
            while len(begun) < min(1 + ahead, len(groups) - k):
                begun.append(self.client.compute([self.parts[p] for p in groups[k + len(begun)]]))
            sizes = [self.sizes[p] for p in group]
            shape = self.n_voters, self._classes, self.abstains
            yield ClusterVotes(self.client, begun.popleft(), sizes, *shape)

    def only(self, voters: NDArray) -> "ClusterVotes":
        parts: Sequence[Any] = self._tasks([(methodcaller("only", voters), part) for part in self.parts], "only")
        if not _are_recomputed(self.parts):
            parts = self.client.compute(parts, optimize_graph=False)
        return ClusterVotes(self.client, parts, self.sizes, len(voters), self._classes, abstains=self._abstains)

    def collect(self) -> PartitionedVotes:
        """The votes themselves, transferred to this machine."""
        return PartitionedVotes(self._results(self.parts, optimize_graph=True))

    def whole(self) -> VoteMatrix:
        return self.collect().whole()

    @property
    def _classes(self) -> NDArray:
        return np.asarray(self.classes)

    def _results(self, tasks: Sequence[Any], optimize_graph: bool = False) -> list[Any]:
        """The results of tasks, all of them started before waiting for the first."""
        futures = self.client.compute(list(tasks), optimize_graph=optimize_graph)
        return [result(future, self.client) for future in futures]

    def _tasks(self, asked: Sequence[tuple[Callable, Any]], name: str) -> list[Any]:
        """Tasks, not yet started, that apply each function to its part."""
        from dask.base import tokenize
        from dask.delayed import delayed

        token = tokenize(next(_passes), self.sizes)[:8]
        return [
            delayed(partial(_on_one_thread, find), pure=False)(part, dask_key_name=f"{name}-{token}-{k}")
            for k, (find, part) in enumerate(asked)
        ]


def _are_recomputed(parts: Sequence[Any]) -> bool:
    """Whether nobody keeps the parts: they are delayed, not futures."""
    from dask.delayed import Delayed

    return isinstance(parts[0], Delayed)


def _sum_tree(tasks: Sequence[Any]) -> Any:
    """The sum of the tasks' results, as a tree: few results meet in one place, however many parts there are."""
    from dask.delayed import delayed

    add = delayed(added, pure=False)
    return added_in_groups(tasks, lambda group: add(group, dask_key_name=f"add-{group[0].key}"))


def _on_one_thread(of: Callable[[VoteMatrix], Any], votes: VoteMatrix) -> Any:
    """Apply the function on one thread: a worker already has a thread for each of its cores."""
    numba.set_num_threads(1)
    return of(votes)


def abstains_in(votes: VoteMatrix) -> bool:
    """Whether some voter does not answer some row of a matrix."""
    return votes.abstains
