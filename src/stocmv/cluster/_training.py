"""Make the vote that a part judges, on the cluster."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..learning import History
from ..protocols import FoldVote, Recipe
from ..voters import Joined, VoterSet, VoterSource, Wrapped, train_voters
from ._partitions import Partition, as_numbers
from ._plan import Part


class Shared(Wrapped):
    """Any source of voters, with settings for training on a cluster.

    On one machine it does the same as the source.

    Parameters
    ----------
    source : VoterSource
        The source of the voters.
    train_on : {"sample", "partitions"}
        "sample" transfers a random sample of the examples that do not judge, at most about ``max_rows``, to one worker,
        where they train the voters and set their weights. "partitions" trains some of the trees of a forest on each
        partition, with all of its examples that do not judge: nothing is transferred, and all trees have equal weights.
    max_rows : int
        Size of the largest sample.
    keep_votes : bool
        Whether the workers keep the votes. If not, every pass recomputes them, for more votes than the cluster can
        hold.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.cluster import Shared
    >>> from stocmv.voters import Ensemble
    >>> voters = Shared(Ensemble(RandomForestClassifier(20)), train_on="partitions")
    >>> X, y = make_moons(300, noise=0.2, random_state=0)  # or Dask arrays
    >>> clf = MajorityVoteClassifier(voters, random_state=0).fit(X, y)
    >>> clf.certificate_.bound < 0.2
    True
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

    def soft(self) -> "VoterSource | None":
        return None if self.train_on == "partitions" else super().soft()  # its trees vote by themselves

    def check(self) -> None:
        """Refuse invalid parameters."""
        if self.train_on not in ("sample", "partitions"):
            raise ValueError(f"train_on must be 'sample' or 'partitions', got {self.train_on!r}.")
        if self.train_on == "partitions" and self.source.with_members(1) is None:
            raise ValueError("train_on='partitions' needs an ensemble of interchangeable members, such as a forest.")
        if self.max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {self.max_rows}.")

    @property
    def n_trees(self) -> int:
        """Number of members of the ensemble."""
        return int(self.source.estimator.n_estimators)


def as_shared(source: VoterSource) -> Shared:
    """The source with the default settings for a cluster, checked."""
    shared = source if isinstance(source, Shared) else Shared(source)
    shared.check()
    return shared


class Sample(NamedTuple):
    """Some examples of a partition, with their class codes and groups."""

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
        # each row is drawn by itself, so that the split into partitions does not matter
        rng = np.random.default_rng(np.random.SeedSequence((seed, part.index)))
        rows = rows[rng.random(len(rows)) < share]
    return rows_of(partition, part, rows, numeric)


def make(samples: Sequence[Sample], recipe: Recipe, seed: int) -> FoldVote:
    """Voters and weights from the examples of several partitions."""
    return recipe.make(*_joined(samples), seed, _threads())


class Trees(NamedTuple):
    """Trees of one partition, with the number of examples and the groups that trained them."""

    voters: VoterSet
    n_rows: int
    groups: NDArray | None


def train_here(own: Sample, part: Part, source: VoterSource, seed: int) -> Trees:
    """Some trees from the examples of one partition."""
    voters = train_voters(source, own.X, own.codes, part.classes, seed, _threads())
    return Trees(voters, len(own.codes), None if own.groups is None else np.unique(own.groups))


def together(trees: Sequence[Trees], samples: Sequence[Sample], recipe: Recipe, seed: int) -> FoldVote:
    """The trees of all partitions, with equal weights; the expected error comes from the samples, if any."""
    voters = Joined([own.voters for own in trees])
    groups = [own.groups for own in trees if own.groups is not None]
    n = len(np.unique(np.concatenate(groups))) if groups else sum(own.n_rows for own in trees)
    if not recipe.weighs:
        return FoldVote(voters, recipe.rule, None, None, History(), n)
    guess = recipe.tried(*_joined(samples)[:2], seed) if samples else None
    return FoldVote(voters, recipe.rule, recipe.equal_weights(voters.n_voters), guess, History(), n)


def _joined(samples: Sequence[Sample]) -> Sample:
    codes = np.concatenate([own.codes for own in samples])
    groups = None if samples[0].groups is None else np.concatenate([own.groups for own in samples])
    if hasattr(samples[0].X, "iloc"):
        import pandas as pd

        return Sample(pd.concat([own.X for own in samples], ignore_index=True), codes, groups)
    return Sample(np.concatenate([own.X for own in samples]), codes, groups)


def _threads() -> int:
    """Number of threads that a task may use: all of its worker's."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1
