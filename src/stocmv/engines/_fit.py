"""`MajorityVoteClassifier.fit` on a cluster."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..classifier._crossfit import all_classes, log_trained
from ..classifier._recipe import TRIED, Made, Recipe
from ..classifier._repeats import Fingerprints
from ..progress import report
from ..voters import VoterSource, as_source
from ..votes import VoteMatrix
from ._cluster_votes import ClusterVotes, abstains_in
from ._connection import current_client, result
from ._partitions import Partition, Summary, check_alike, joint_partitions, summarise
from ._plan import Part, plan
from ._training import Shared, as_shared, make, rows_of, sample, together, train_here

_ASKED = 1 << 16  # rows of a partition that the voters answer at a time: their answers are packed before the next


def fit_on_cluster(
    clf: Any, X: Any, y: Any, groups: Any = None
) -> tuple[np.random.RandomState, list[Made], Fingerprints]:
    """Have the examples make the vote of each part that judges, and collect what its voters say, on the cluster.

    Sets on the classifier what the same steps set on one machine, but for the errors of the plain model. The examples
    and the votes stay on the cluster. Returns what is left of the random numbers, what was made, and fingerprints of
    some rows.
    """
    client = current_client()
    source = as_shared(as_source(clf.voters))
    partitions = joint_partitions(X, y, groups)
    began = time.perf_counter()
    summaries = _summaries(client, partitions, source)
    check_alike(summaries)
    _note_columns(clf, summaries[0])
    clf.classes_ = _classes(summaries, source)
    rng = check_random_state(clf.random_state)
    recipe, parts, counts = _planned(clf, summaries, source, rng)
    clf.timings_ = {"voters": time.perf_counter() - began, "votes": 0.0}
    clf.voters_, clf.votes_, clf.plain_errors_ = [], [], None
    made: list[Made] = []

    n_parts = parts[0].cut.n_parts
    for k in range(n_parts):
        began = time.perf_counter()
        report("training voters", k, n_parts)
        future = _made(client, partitions, recipe, source, parts, counts, k, rng.randint(2**31 - 1))
        made.append(result(future, client))
        clf.voters_.append(made[-1].voters)
        clf.timings_["voters"] += time.perf_counter() - began
        report("training voters", k + 1, n_parts)
        log_trained(made[-1].voters, k, n_parts, time.perf_counter() - began)

        began = time.perf_counter()
        report("collecting votes", k, n_parts)
        judging = np.flatnonzero(counts[:, k])
        asked = _asked_votes(future, partitions, parts, judging, k, numeric=not source.checks_input)
        abstains = None
        if source.keep_votes:
            asked, abstains = list(client.compute(asked)), False
            for done, answered in enumerate(asked):
                abstains |= result(client.submit(abstains_in, answered, pure=False), client)
                report("collecting votes", k + (done + 1) / len(asked), n_parts)
        n_voters, sizes = made[-1].voters.n_voters, counts[judging, k].tolist()
        clf.votes_.append(ClusterVotes(client, asked, sizes, n_voters, clf.classes_, groups is not None, abstains))
        clf.timings_["votes"] += time.perf_counter() - began
        report("collecting votes", k + 1, n_parts)
    return rng, made, Fingerprints.joined([s.fingerprints for s in summaries])


def _planned(
    clf: Any, summaries: list[Summary], source: Shared, rng: np.random.RandomState
) -> tuple[Recipe, list[Part], NDArray]:
    """How votes are made, what each partition has to do with it, and its rows in each part of the cut."""
    sizes = [s.n_rows for s in summaries]
    groups = [s.groups for s in summaries if s.groups is not None] or None
    n = sum(sizes) if groups is None else len(np.unique(np.concatenate([own.ids for own in groups])))
    recipe = clf._recipe(source)
    cut = clf._cut(recipe, n)
    parts = plan(sizes, groups, clf.classes_, cut, rng)
    rows = [None] * len(parts) if groups is None else [own.n_rows for own in groups]
    counts = np.stack([part.counts(own) for part, own in zip(parts, rows, strict=True)])
    if not counts.sum(0).all():
        raise ValueError(f"A share of {min(cut.shares):g} of {n:,} rows has none of them: choose another holdout.")
    return recipe, parts, counts


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


def _note_columns(clf: Any, summary: Summary) -> None:
    clf.n_features_in_ = summary.n_columns
    if summary.names:
        clf.feature_names_in_ = np.asarray(summary.names, dtype=object)
    elif hasattr(clf, "feature_names_in_"):
        del clf.feature_names_in_


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
    """A future of the vote of a part: its voters, their weights, and the error to expect."""
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
            source.source,
            int(count),
            int(seeds[p]),
            dask_key_name=f"train-{token}-{k}-{p}",
        )
        for p, count in zip(trainers, trees, strict=True)
        if count
    ]
    tried = samples(TRIED) if recipe.weighs and recipe.estimates else []
    return client.compute(delayed(together)(trained, tried, recipe, seed, dask_key_name=f"voters-{token}-{k}"))


def _asked_votes(
    made: Any, partitions: list[Any], parts: list[Part], judging: NDArray, k: int, numeric: bool
) -> list[Any]:
    """What the voters of a part will say in each of the partitions that have rows of it."""
    from dask.delayed import delayed

    asked, token = delayed(_votes), _token()
    return [asked(made, partitions[p], parts[p], k, numeric, dask_key_name=f"votes-{token}-{k}-{p}") for p in judging]


def _votes(made: Made, partition: Partition, part: Part, k: int, numeric: bool) -> VoteMatrix:
    """What the voters of a part say on the rows of a partition that judge them."""
    rows = part.judges(k, partition.groups)
    blocks = (rows_of(partition, part, rows[i : i + _ASKED], numeric) for i in range(0, len(rows), _ASKED))
    return VoteMatrix.joined(
        [VoteMatrix.from_codes(made.voters.codes(X), codes, part.classes, groups) for X, codes, groups in blocks]
    )
