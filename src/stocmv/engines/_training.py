"""The vote that a part judges, made on the cluster."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learning import History
from ..protocols import Made, Recipe
from ..voters import Joined, VoterSet, VoterSource, Wrapped, train_voters
from ._partitions import Partition, as_numbers
from ._plan import Part


class Shared(Wrapped):
    """Any source of voters, with a word on which examples train them when these are on a cluster.

    On one machine it is the source itself.

    Parameters
    ----------
    source : VoterSource
        Where the voters come from.
    train_on : {"sample", "partitions"}
        "sample" brings examples that do not judge to one worker, about ``max_rows`` of them at most, taken at random
        from all partitions; they train the voters and teach their weights. "partitions" trains some of the trees of a
        forest on each partition, with all of its examples that do not judge: nothing travels. All trees then have the
        same weight.
    max_rows : int
        Largest sample.
    keep_votes : bool
        Whether the workers keep the votes. If not, every pass asks the voters anew, for more votes than the cluster can
        hold.
    """

    def __init__(
        self,
        source: VoterSource,
        train_on: Literal["sample", "partitions"] = "sample",
        max_rows: int = 1_000_000,
        keep_votes: bool = True,
    ) -> None:
        super().__init__(source)
        self.train_on = train_on
        self.max_rows = max_rows
        self.keep_votes = keep_votes

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        if self.train_on == "sample":
            return self.source.assumptions
        return (
            *self.source.assumptions,
            "How the rows were cut into partitions, each of which trains some voters, did not depend on the rows.",
        )

    def check(self) -> None:
        """Refuse parameters that no cluster can follow."""
        if self.train_on not in ("sample", "partitions"):
            raise ValueError(f"train_on must be 'sample' or 'partitions', got {self.train_on!r}.")
        if self.train_on == "partitions" and self.source.with_members(1) is None:
            raise ValueError("train_on='partitions' needs n_estimators that are alike, such as those of a forest.")
        if self.max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {self.max_rows}.")

    @property
    def n_trees(self) -> int:
        """Members of the ensemble."""
        return int(self.source.estimator.n_estimators)


def as_shared(source: VoterSource) -> Shared:
    """The source with the default ways of a cluster, its parameters checked."""
    shared = source if isinstance(source, Shared) else Shared(source)
    shared.check()
    return shared


class Sample(NamedTuple):
    """Some examples of a partition, the codes of their classes, and the groups that they belong to."""

    X: Any
    codes: NDArray
    groups: NDArray | None


def rows_of(partition: Partition, part: Part, rows: NDArray, numeric: bool) -> Sample:
    """Some examples of a partition."""
    X = partition.X.iloc[rows] if hasattr(partition.X, "iloc") else partition.X[rows]
    groups = None if partition.groups is None else partition.groups[rows]
    return Sample(as_numbers(X, part.index) if numeric else X, part.codes(partition.labels[rows]), groups)


def sample(partition: Partition, part: Part, k: int, share: float, seed: int, numeric: bool) -> Sample:
    """A partition's contribution to the examples that make the vote of a part."""
    rows = part.teachers(k, partition.groups)
    if share < 1:
        # each row by itself, so that it does not matter how the rows were cut into partitions
        rng = np.random.default_rng(np.random.SeedSequence((seed, part.index)))
        rows = rows[rng.random(len(rows)) < share]
    return rows_of(partition, part, rows, numeric)


def make(samples: Sequence[Sample], recipe: Recipe, seed: int) -> Made:
    """Voters and weights from the examples of several partitions."""
    return recipe.make(*_joined(samples), seed, _threads())


class Trees(NamedTuple):
    """Trees of one partition, and how many examples, and which groups, trained them."""

    voters: VoterSet
    n_rows: int
    groups: NDArray | None


def train_here(own: Sample, part: Part, source: VoterSource, seed: int) -> Trees:
    """Some trees from the examples of one partition."""
    voters = train_voters(source, own.X, own.codes, part.classes, seed, _threads())
    return Trees(voters, len(own.codes), None if own.groups is None else np.unique(own.groups))


def together(trees: Sequence[Trees], samples: Sequence[Sample], recipe: Recipe, seed: int) -> Made:
    """The trees of all partitions, with equal weights; from the samples, if any, the error to expect."""
    voters = Joined([own.voters for own in trees])
    groups = [own.groups for own in trees if own.groups is not None]
    n = len(np.unique(np.concatenate(groups))) if groups else sum(own.n_rows for own in trees)
    if not recipe.weighs:
        return Made(voters, None, None, History(), n)
    expected = recipe.tried(*_joined(samples)[:2], seed) if samples else None
    return Made(voters, recipe.equal_weights(voters.n_voters), expected, History(), n)


def _joined(samples: Sequence[Sample]) -> Sample:
    codes = np.concatenate([own.codes for own in samples])
    groups = None if samples[0].groups is None else np.concatenate([own.groups for own in samples])
    if hasattr(samples[0].X, "iloc"):
        import pandas as pd

        return Sample(pd.concat([own.X for own in samples], ignore_index=True), codes, groups)
    return Sample(np.concatenate([own.X for own in samples]), codes, groups)


def _threads() -> int:
    """Threads that a task may use: all of its worker's."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1
