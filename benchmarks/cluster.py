"""Twenty million examples of 200 voters on two worker processes, beside the same votes in one process.

python -m benchmarks.cluster [steps|whole|once|kills]
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from stocmv import MajorityVoteClassifier, VoteMatrix, learn
from stocmv.cluster import ClusterVotes, Shared
from stocmv.progress import Callback, listening
from stocmv.risks import Exact
from stocmv.solvers import MiniBatchAdam, Solver
from stocmv.voters import Ensemble, Stumps, VoterSource
from stocmv.votes import PartitionedVotes

from .made_votes import a_posterior, error_blocks
from .memory import peak_megabytes
from .timing import seconds_each

N, M, PARTS = 20_000_000, 200, 40
RANGES = np.array([[-3.0] * 10, [3.0] * 10])
STAGES = ("training voters", "collecting votes", "learning")


def part(index: int) -> VoteMatrix:
    made = VoteMatrix.from_blocks(error_blocks(N // PARTS, M, seed=index))
    return VoteMatrix(M, made.bits, np.arange(2), np.zeros(made.n_rows, np.uint8))


def steps() -> None:
    """Time of one evaluation with gradient, memory of all processes, and a whole `learn`."""
    posterior = a_posterior(M)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GB", dashboard_address=None) as there,
        Client(there) as client,
    ):
        futures = [client.submit(part, k, key=f"votes-{k}") for k in range(PARTS)]
        votes = ClusterVotes(client, futures, [N // PARTS] * PARTS, M, np.arange(2))
        votes.total(_size)
        passes, began = counted_passes(votes), time.perf_counter()
        learned = learn(votes, prior=1.0, random_state=0)
        took = time.perf_counter() - began
        workers, client_peak = client.run(peak_megabytes).values(), peak_megabytes()
        shares = sorted(sum(str(key).startswith("votes-") for key in keys) for keys in client.has_what().values())
        here = PartitionedVotes([part(k) for k in range(PARTS)]).whole()
        step = partial(Exact().moments, posterior)
        on_cluster, alone = seconds_each(partial(step, votes), partial(step, here), budget=40)
    print(f"n = {N:,}, M = {M}, {PARTS} partitions ({shares} a worker), {here.nbytes / 1e6:.0f} MB of votes")
    print(f"one step on the cluster {on_cluster:.3f} s, in one process {alone:.3f} s: ", end="")
    print(f"ratio {on_cluster / alone:.2f}; without 50 ms {(on_cluster - 0.05) / alone:.2f} (aim: 1.5)")
    print(f"learn on the cluster: {took:.0f} s, {len(passes)} passes over the votes, ", end="")
    print(f"stochastic bound {learned.certificate.stochastic_bound:.4f}")
    print(f"peak memory: workers {', '.join(f'{w:.0f}' for w in workers)} MB, ", end="")
    print(f"client {client_peak:.0f} MB")


def counted_passes(votes: ClusterVotes) -> list[float]:
    """The start times of passes over the votes, from now on."""
    begun: list[float] = []
    total = votes.total

    def noted(of: Callable[[VoteMatrix], Any]) -> Any:
        begun.append(time.perf_counter())
        return total(of)

    votes.total = noted  # type: ignore[method-assign]
    return begun


def whole() -> None:
    """`fit` with weights learned on all votes, the examples made by the workers whenever they are needed."""
    _fit("1GB", PARTS, Stumps(10, ranges=RANGES))


def once() -> None:
    """The same in mini-batches of partitions, one pass over unstored votes: less memory than the examples."""
    n_parts = 4 * PARTS
    voters = Shared(Stumps(10, ranges=RANGES), keep_votes=False)
    _fit("600MB", n_parts, voters, MiniBatchAdam(batch_size=N // n_parts, n_epochs=1))


def _fit(memory: str, n_parts: int, voters: VoterSource, solver: Solver | str = "auto") -> None:
    import dask.array as da

    rows = N // n_parts
    X = da.random.default_rng(0).normal(size=(N, 10), chunks=(rows, 10))
    noise = da.random.default_rng(1).normal(size=N, chunks=rows)
    y = (X[:, 0] + X[:, 1] + X[:, 2] + noise / 2 > 0).astype(np.int8)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=memory, dashboard_address=None) as there,
        Client(there) as client,
    ):
        began = time.perf_counter()
        clf = MajorityVoteClassifier(voters, bound="seeger", solver=solver, random_state=0).fit(X, y)
        took = time.perf_counter() - began
        workers = client.run(peak_megabytes).values()
    spent = ", ".join(f"{stage} {seconds:.0f}" for stage, seconds in clf.timings_.items())
    print(
        f"fit of {N:,} examples ({X.nbytes / 1e9:.1f} GB), {clf.voters_[0].n_voters} voters, workers of {memory}, ",
        end="",
    )
    print(f"{'default solver' if solver == 'auto' else type(solver).__name__}: {took:.0f} s ({spent}), ", end="")
    print(f"{len(clf.history_)} iterations, stochastic bound {clf.certificate_.stochastic_bound:.4f}")
    print(f"peak memory: workers {', '.join(f'{w:.0f}' for w in workers)} MB, client {peak_megabytes():.0f} MB")


def _size(votes: VoteMatrix) -> int:
    return votes.n_rows


def kills(times: int = 10) -> None:
    """A worker killed at random moments of each stage: the certificate stays the same."""
    import dask.array as da

    X, y = make_classification(20_000, 10, n_informative=8, random_state=0)
    examples, labels = da.from_array(X, chunks=(2000, -1)), da.from_array(y, chunks=2000)
    rng = np.random.default_rng(0)

    def fit(stage: str | None = None) -> MajorityVoteClassifier:
        """Fit on separate workers; kill one of them if a stage is named."""
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as there, Client(there) as client:
            clf = MajorityVoteClassifier(Ensemble(RandomForestClassifier(30)), bound="seeger", random_state=0)
            if stage is None:
                return clf.fit(examples, labels)
            with listening(killer(client, stage, float(rng.uniform(0, 0.5)))):
                return clf.fit(examples, labels)

    undisturbed = fit().certificate_
    print(f"undisturbed: bound {undisturbed.bound:.10f}", flush=True)
    for stage in STAGES:
        same = sum(fit(stage).certificate_.to_json() == undisturbed.to_json() for _ in range(times))
        print(f"killed while {stage}: {same} of {times} certificates are the same to the last digit", flush=True)


def killer(client: Client, stage: str, delay: float) -> Callback:
    """Kill one worker, once, some time after the stage has begun."""
    done = []

    def listen(told: str, finished: float, total: int | None) -> None:
        if told == stage and not done:
            address = next(iter(client.scheduler_info()["workers"]))
            process = client.run(os.getpid, workers=[address])[address]
            done.append(process)
            threading.Timer(delay, _kill, (process,)).start()

    return listen


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


MEASURED = {"steps": steps, "whole": whole, "once": once, "kills": kills}

if __name__ == "__main__":
    if len(sys.argv) == 2:
        MEASURED[sys.argv[1]]()
    else:  # each in a process of its own, whose peak of memory is its own too
        for name in sys.argv[1:] or MEASURED:
            subprocess.run([sys.executable, "-m", "benchmarks.cluster", name], check=True)
