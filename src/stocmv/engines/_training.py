"""Voters of a fold, trained on the cluster."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..voters import Ensemble, Joined, VoterSet, VoterSource, train_voters
from ..voters._base import Wrapped
from ._partitions import as_numbers
from ._plan import Part


class Shared(Wrapped):
    """Any source of voters, with a word on which examples train them when these are on a cluster.

    On one machine it is the source itself.

    Parameters
    ----------
    source : VoterSource
        Where the voters come from.
    train_on : {"sample", "partitions"}
        "sample" brings the examples of the other folds to one worker, about ``max_rows`` of them at most, taken at
        random from all partitions. "partitions" trains some of the trees on each partition, with all of its examples
        that are in the other folds: nothing travels.
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
        if train_on not in ("sample", "partitions"):
            raise ValueError(f"train_on must be 'sample' or 'partitions', got {train_on!r}.")
        if train_on == "partitions" and not (
            isinstance(source, Ensemble) and hasattr(source.estimator, "n_estimators")
        ):
            raise ValueError("train_on='partitions' needs an ensemble with n_estimators, such as a forest.")
        if max_rows < 1:
            raise ValueError(f"max_rows must be at least 1, got {max_rows}.")
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

    @property
    def n_trees(self) -> int:
        """Members of the ensemble."""
        return int(self.source.estimator.n_estimators)  # type: ignore[attr-defined]


def as_shared(source: VoterSource) -> Shared:
    """The source with the default ways of a cluster."""
    return source if isinstance(source, Shared) else Shared(source)


def rows_of(pair: tuple[Any, NDArray], part: Part, rows: NDArray, numeric: bool) -> tuple[Any, NDArray]:
    """Some examples of a partition, with the codes of their classes."""
    X, labels = pair
    examples = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    return as_numbers(examples, part.index) if numeric else examples, part.codes(labels[rows])


def training_sample(
    pair: tuple[Any, NDArray], part: Part, fold: int, share: float, seed: int, numeric: bool
) -> tuple[Any, NDArray]:
    """A partition's contribution to the examples that train a fold's voters."""
    rows = part.seen(fold)
    if share < 1:
        # each row by itself, so that it does not matter how the rows were cut into partitions
        rng = np.random.default_rng(np.random.SeedSequence((seed, part.index)))
        rows = rows[rng.random(len(rows)) < share]
    return rows_of(pair, part, rows, numeric)


def train(
    samples: Sequence[tuple[Any, NDArray]], source: VoterSource, classes: NDArray, seed: int, tunes: bool
) -> tuple[VoterSet, float | None]:
    """Voters from the examples of several partitions, and how much they expect to err."""
    codes = np.concatenate([c for _, c in samples])
    first = samples[0][0]
    if hasattr(first, "iloc"):
        import pandas as pd

        X: Any = pd.concat([x for x, _ in samples], ignore_index=True)
    else:
        X = np.concatenate([x for x, _ in samples])
    return train_voters(source, X, codes, classes, seed, _threads(), estimate=tunes)


def train_here(sample: tuple[Any, NDArray], source: Ensemble, n_trees: int, classes: NDArray, seed: int) -> VoterSet:
    """Some trees from the examples of one partition."""
    X, codes = sample
    fewer = Ensemble(clone(source.estimator).set_params(n_estimators=n_trees))
    return train_voters(fewer, X, codes, classes, seed, _threads())[0]


def together(sets: Sequence[VoterSet]) -> tuple[VoterSet, None]:
    """The trees of all partitions as the voters of a fold."""
    return Joined(sets), None


def _threads() -> int:
    """Threads that a task may use: all of its worker's."""
    from distributed import get_worker

    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # not on a worker
        return 1
