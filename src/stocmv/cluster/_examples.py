"""Examples on a cluster, which make and judge votes there."""

import time
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..certificate import Judgments
from ..checks import Fingerprints, doubt_of_copies
from ..progress import report
from ..protocols import TRIED, Cut, Examples, FoldVote, Recipe, all_classes, judge, judging_votes
from ..voters import VoterSource
from ..votes import VoteMatrix
from ._cluster_votes import ClusterVotes, abstains_in
from ._connection import current_client, result
from ._partitions import Partition, Summary, check_alike, joint_partitions, summarise
from ._plan import Part, plan
from ._training import Sample, Shared, as_shared, make, rows_of, sample, together, train_here

_ASKED = 1 << 16  # rows that the voters are asked about at a time


class ClusterExamples(Examples):
    """Examples in partitions on a cluster; they and their votes stay there.

    The errors of the plain model are not available.

    Attributes
    ----------
    n_features : int
        Number of columns.
    feature_names : ndarray or None
        Their names, if they have any.
    """

    def __init__(self, X: Any, y: Any, groups: Any, source: VoterSource) -> None:
        self._client = current_client()
        self.source: Shared = as_shared(source)
        self._partitions = joint_partitions(X, y, groups)
        summaries = _summaries(self._client, self._partitions, self.source)
        check_alike(summaries)
        self.n_features = summaries[0].n_columns
        self.feature_names = np.asarray(summaries[0].names, dtype=object) if summaries[0].names else None
        self.classes = _classes(summaries, self.source)
        self._sizes = [s.n_rows for s in summaries]
        self._groups = [s.groups for s in summaries if s.groups is not None] or None
        ids = None if self._groups is None else np.concatenate([own.ids for own in self._groups])
        self.n_units = sum(self._sizes) if ids is None else len(np.unique(ids))
        self.fingerprints = Fingerprints.joined([s.fingerprints for s in summaries])
        self.doubt = doubt_of_copies(self.fingerprints)

    def cut(self, cut: Cut, rng: np.random.RandomState) -> None:
        self._parts = plan(self._sizes, self._groups, self.classes, cut, rng)
        rows = [None] * len(self._parts) if self._groups is None else [own.n_rows for own in self._groups]
        self._counts = np.stack([part.counts(own) for part, own in zip(self._parts, rows, strict=True)])
        if not self._counts.sum(0).all():
            raise ValueError(
                f"A share of {min(cut.shares):g} of {self.n_units:,} rows is empty: choose another holdout."
            )

    def make(self, recipe: Recipe, k: int, seed: int) -> FoldVote:
        self._vote = _made(self._client, self._partitions, recipe, self.source, self._parts, self._counts, k, seed)
        return result(self._vote, self._client)

    def votes(self, vote: FoldVote, k: int) -> ClusterVotes:
        """The votes on part ``k``, which must be the part made last; they are on the cluster already."""
        if vote.rule.name == "soft":
            raise ValueError("A PAC-Bayes bound for voting='soft' needs examples in memory: use bound='auto'.")
        judging = np.flatnonzero(self._counts[:, k])
        asked, abstains = self._asked(_votes, judging, k), None
        if self.source.keep_votes:
            asked, abstains = self._kept(asked, k)
        sizes = self._counts[judging, k].tolist()
        return ClusterVotes(self._client, asked, sizes, vote.voters.n_voters, self.classes, abstains)

    def judgments(self, vote: FoldVote, k: int, *, stochastic: bool, panel: bool) -> Judgments:
        """The judgments of part ``k``, which must be the part made last: collected, unlike the votes."""
        asked = self._asked(_judgments, np.flatnonzero(self._counts[:, k]), k, stochastic, panel)
        parts = []
        for done, future in enumerate(self._client.compute(asked), 1):
            parts.append(result(future, self._client))
            report("collecting votes", k + done / len(asked), self._parts[0].cut.n_parts)
        return Judgments.joined(parts, as_folds=False)

    def _asked(self, ask: Any, judging: NDArray, k: int, *settings: Any) -> list[Any]:
        """Tasks that ask the vote made last about a part, one for each partition that has rows of it."""
        from dask.delayed import delayed

        task, token, numeric = delayed(ask), _token(), not self.source.checks_input
        return [
            task(
                self._vote,
                self._partitions[p],
                self._parts[p],
                k,
                numeric,
                *settings,
                dask_key_name=f"{ask.__name__.strip('_')}-{token}-{k}-{p}",
            )
            for p in judging
        ]

    def _kept(self, asked: list[Any], k: int) -> tuple[list[Any], bool]:
        """The votes once the workers have them, and whether some voter abstains."""
        futures, abstains = list(self._client.compute(asked)), False
        for done, answered in enumerate(futures, 1):
            abstains |= result(self._client.submit(abstains_in, answered, pure=False), self._client)
            report("collecting votes", k + done / len(futures), self._parts[0].cut.n_parts)
        return futures, abstains


def _token() -> str:
    from dask.base import tokenize

    return tokenize(time.time_ns())[:8]


def _summaries(client: Any, partitions: list[Any], source: VoterSource) -> list[Summary]:
    from dask.delayed import delayed

    look, token = delayed(summarise), _token()
    tasks = [look(partition, k, source, dask_key_name=f"check-{token}-{k}") for k, partition in enumerate(partitions)]
    return [result(future, client) for future in client.compute(tasks)]


def _classes(summaries: list[Summary], source: VoterSource) -> NDArray:
    classes = np.unique(np.concatenate([s.labels for s in summaries]))
    if classes.dtype == object and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    return all_classes(classes, source.labels())


def _made(
    client: Any,
    partitions: list[Any],
    recipe: Recipe,
    source: Shared,
    parts: list[Part],
    counts: NDArray,
    k: int,
    seed: int,
) -> Any:
    """A future of the vote of a part: its voters, their weights, and the expected error."""
    from dask.delayed import delayed

    token, numeric = _token(), not source.checks_input
    teaching = counts.sum(1) - counts[:, k] if counts.shape[1] > 1 else counts[:, k]
    sampled = delayed(sample)

    def samples(n_rows: int) -> list[Any]:
        share = min(1.0, n_rows / teaching.sum())
        return [
            sampled(partition, part, k, share, seed, numeric, dask_key_name=f"sample-{token}-{k}-{part.index}")
            for partition, part in zip(partitions, parts, strict=True)
        ]

    if source.train_on == "sample":
        tasks = delayed(make)(samples(source.max_rows), recipe, seed, dask_key_name=f"train-{token}-{k}")
        return client.compute(tasks)
    trainers = np.flatnonzero(teaching)
    trees = np.diff(np.linspace(0, source.n_trees, len(trainers) + 1).astype(int))
    seeds = np.random.SeedSequence(seed).generate_state(len(partitions)) % 2**31
    trained = [
        delayed(train_here)(
            sampled(partitions[p], parts[p], k, 1.0, seed, numeric),
            parts[p],
            source.source.with_members(int(count)),
            int(seeds[p]),
            dask_key_name=f"train-{token}-{k}-{p}",
        )
        for p, count in zip(trainers, trees, strict=True)
        if count
    ]
    tried = samples(TRIED) if recipe.weighs and recipe.estimates else []
    return client.compute(delayed(together)(trained, tried, recipe, seed, dask_key_name=f"voters-{token}-{k}"))


def _votes(vote: FoldVote, partition: Partition, part: Part, k: int, numeric: bool) -> VoteMatrix:
    """What the voters of a part answer on the judging rows of a partition."""
    blocks = _blocks(partition, part, k, numeric)
    return VoteMatrix.joined([cast(VoteMatrix, judging_votes(vote, X, codes, part.classes)) for X, codes, _ in blocks])


def _judgments(
    vote: FoldVote, partition: Partition, part: Part, k: int, numeric: bool, stochastic: bool, panel: bool = False
) -> Judgments:
    """What the judging rows of a partition show about the vote of a part."""
    blocks = _blocks(partition, part, k, numeric)
    parts = [judge(vote, *block, part.classes, stochastic=stochastic, panel=panel) for block in blocks]
    return Judgments.joined(parts, as_folds=False)


def _blocks(partition: Partition, part: Part, k: int, numeric: bool) -> Iterator[Sample]:
    """The judging rows of a partition, some at a time: their votes are packed before the next."""
    rows = part.judges(k, partition.groups)
    return (rows_of(partition, part, rows[i : i + _ASKED], numeric) for i in range(0, len(rows), _ASKED))
