"""`MajorityVoteClassifier.fit` on a cluster."""

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .._progress import tell
from ..classifier._crossfit import all_classes
from ..classifier._repeats import Fingerprints
from ..voters import VoterSet, VoterSource, as_source
from ..votes import VoteMatrix
from ._cluster_votes import ClusterVotes
from ._connection import current_client, result
from ._partitions import Summary, check_alike, paired_partitions, summarise
from ._plan import Part, plan
from ._training import Shared, as_shared, rows_of, together, train, train_here, training_sample

_ASKED = 1 << 16  # rows of a partition that the voters answer at a time: their answers are packed before the next


def fit_on_cluster(clf: Any, X: Any, y: Any) -> tuple[np.random.RandomState, Fingerprints]:
    """Train the voters of each fold and collect their votes on the cluster.

    Sets on the classifier what the same steps set on one machine. The examples and the votes stay on the cluster.
    Returns what is left of the random numbers, and fingerprints of some rows.
    """
    from dask.delayed import delayed

    client = current_client()
    source = as_shared(as_source(clf.voters))
    pairs = paired_partitions(X, y)
    began = time.perf_counter()
    summaries = _summaries(client, pairs, source)
    check_alike(summaries)
    _note_columns(clf, summaries[0])
    clf.classes_ = _classes(summaries, source)
    rng = check_random_state(clf.random_state)
    sizes = [s.n_rows for s in summaries]
    n_folds = clf._n_folds(sum(sizes), source)
    draw = partial(clf._folds, sum(sizes), source, rng)
    parts = plan(sizes, clf.classes_, n_folds, source.learns, draw, rng)
    counts = np.stack([part.judged_counts() for part in parts], axis=1)
    clf.fold_sizes_ = tuple(counts.sum(1).tolist())
    clf.timings_ = {"voters": time.perf_counter() - began, "votes": 0.0}
    clf.voters_, clf.votes_, clf.expected_errors_, clf.plain_errors_ = [], [], [], None
    fingerprints = Fingerprints.joined([s.fingerprints for s in summaries])

    tunes = clf._tunes_bound(source)
    for k in range(n_folds):
        began = time.perf_counter()
        tell("training voters", k, n_folds, f"fold {k + 1} of {n_folds}")
        seen = np.array(sizes) - counts[k] if source.learns else counts[k]
        trained = _trained(client, pairs, source, parts, k, seen, rng.randint(2**31 - 1), tunes)
        voters, expected = result(trained, client)
        clf.voters_.append(voters)
        clf.expected_errors_.append(expected)
        clf.timings_["voters"] += time.perf_counter() - began
        tell("training voters", k + 1, n_folds)

        began = time.perf_counter()
        tell("collecting votes", k, n_folds, f"fold {k + 1} of {n_folds}")
        asked = delayed(_votes)
        judging = np.flatnonzero(counts[k])
        votes = [
            asked(trained, pairs[p], parts[p], k, not source.checks_input, dask_key_name=f"votes-{_token()}-{k}-{p}")
            for p in judging
        ]
        if source.keep_votes:
            votes = list(client.compute(votes))
            for done, answered in enumerate(votes):
                result(client.submit(_is_there, answered, pure=False), client)
                tell("collecting votes", k, n_folds, f"fold {k + 1} of {n_folds}, part {done + 1} of {len(votes)}")
        clf.votes_.append(ClusterVotes(client, votes, counts[k, judging].tolist(), voters.n_voters, clf.classes_))
        clf.timings_["votes"] += time.perf_counter() - began
        tell("collecting votes", k + 1, n_folds)
    return rng, fingerprints


def _token() -> str:
    from dask.base import tokenize

    return tokenize(time.time_ns())[:8]


def _summaries(client: Any, pairs: list[Any], source: VoterSource) -> list[Summary]:
    from dask.delayed import delayed

    look = delayed(summarise)
    tasks = [look(pair, k, source, dask_key_name=f"check-{_token()}-{k}") for k, pair in enumerate(pairs)]
    return [result(future, client) for future in client.compute(tasks)]


def _classes(summaries: list[Summary], source: VoterSource) -> NDArray:
    classes = np.unique(np.concatenate([s.labels for s in summaries]))
    if classes.dtype == object and all(isinstance(label, str) for label in classes):
        classes = classes.astype(str)
    return all_classes(classes, source)


def _note_columns(clf: Any, summary: Summary) -> None:
    clf.n_features_in_ = summary.n_columns
    if summary.names:
        clf.feature_names_in_ = np.asarray(summary.names, dtype=object)
    elif hasattr(clf, "feature_names_in_"):
        del clf.feature_names_in_


def _trained(
    client: Any, pairs: list[Any], source: Shared, parts: list[Part], fold: int, seen: NDArray, seed: int, tunes: bool
) -> Any:
    """A future of the voters of a fold and of how much they expect to err."""
    from dask.delayed import delayed

    token = _token()
    numeric = not source.checks_input
    sample, classes = delayed(training_sample), parts[0].classes
    if source.train_on == "partitions":
        trainers = np.flatnonzero(seen)
        counts = np.diff(np.linspace(0, source.n_trees, len(trainers) + 1).astype(int))
        here = delayed(train_here)
        seeds = np.random.SeedSequence(seed).generate_state(len(pairs)) % 2**31
        sets = [
            here(
                sample(pairs[p], parts[p], fold, 1.0, seed, numeric),
                source.source,
                int(count),
                classes,
                int(seeds[p]),
                dask_key_name=f"train-{token}-{fold}-{p}",
            )
            for p, count in zip(trainers, counts, strict=True)
            if count
        ]
        return client.compute(delayed(together)(sets, dask_key_name=f"voters-{token}-{fold}"))
    share = min(1.0, source.max_rows / max(seen.sum(), 1))
    samples = [
        sample(pair, part, fold, share, seed, numeric, dask_key_name=f"sample-{token}-{fold}-{part.index}")
        for pair, part in zip(pairs, parts, strict=True)
    ]
    return client.compute(
        delayed(train)(samples, source.source, classes, seed, tunes, dask_key_name=f"train-{token}-{fold}")
    )


def _votes(
    trained: tuple[VoterSet, float | None], pair: tuple[Any, NDArray], part: Part, fold: int, numeric: bool
) -> VoteMatrix:
    """What the voters of a fold say on the rows of a partition that judge them."""
    rows = part.judged(fold)
    blocks = (rows_of(pair, part, rows[i : i + _ASKED], numeric) for i in range(0, len(rows), _ASKED))
    return VoteMatrix.joined([VoteMatrix.from_codes(trained[0].votes(X), codes, part.classes) for X, codes in blocks])


def _is_there(votes: VoteMatrix) -> bool:
    return votes.n_rows > 0
