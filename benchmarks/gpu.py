"""One step of learning (risk and gradient) with the votes on a GPU, beside dense products and the kernel in memory.

python -m benchmarks.gpu [quick] [two_classes] [several_classes] [learning]    # by default all three
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from stocmv import VoteMatrix, learn
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from stocmv.votes import PartitionedVotes

BLOCK = 10_000_000  # examples that are made at a time


def milliseconds(work: Callable[[], Any], repeats: int = 10) -> float:
    """Median time of a call that waits for the GPU."""
    import cupy

    work()
    times = []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - began)
    return 1e3 * float(np.median(times))


def bandwidth() -> float:
    """Bytes a second that a copy inside the GPU's memory moves, reads and writes counted."""
    import cupy

    one = cupy.zeros(2**29, cupy.uint8)
    other = cupy.empty_like(one)
    return 2 * one.nbytes / (milliseconds(lambda: cupy.copyto(other, one)) / 1e3)


def made_votes(n: int, n_voters: int) -> VoteMatrix:
    """Packed votes, of which a million are random and the others repeat them."""
    rng = np.random.default_rng(0)
    n_bytes, few = -(-n_voters // 8), min(n, 10**6)
    bits = rng.integers(0, 256, (n_bytes, few), np.uint8) & rng.integers(0, 256, (n_bytes, few), np.uint8)
    bits = np.tile(bits, n // few)
    if n_voters % 8:
        bits[-1] &= (1 << n_voters % 8) - 1
    return VoteMatrix(n_voters, bits)


def dense(votes: VoteMatrix, kind: str) -> float:
    """Milliseconds of the two products that a step needs, by torch, where the dense votes fit."""
    import torch

    size = {"bfloat16": 2, "float32": 4}[kind]
    free = torch.cuda.mem_get_info()[0]
    if 1.2 * size * votes.n_rows * votes.n_voters > free:
        return float("nan")
    matrix = torch.empty((votes.n_rows, votes.n_voters), dtype=getattr(torch, kind), device="cuda")
    step = 1 << 20
    for start in range(0, votes.n_rows, step):
        rows = torch.from_numpy(votes.errors(start, min(start + step, votes.n_rows))).cuda()
        matrix[start : start + len(rows)] = rows
    weights = torch.rand(votes.n_voters, 1, dtype=matrix.dtype, device="cuda")

    def both() -> None:
        slopes = matrix @ weights
        matrix.T @ slopes
        torch.cuda.synchronize()

    return milliseconds(both)


def two_classes(quick: bool) -> Iterator[str]:
    peak = bandwidth()
    yield f"copy: {peak / 1e12:.2f} TB/s"
    yield f"{'n':>12} {'voters':>7} {'step ms':>9} {'of the copy':>12} {'bf16 ms':>9} {'fp32 ms':>9} {'CPU ms':>9}"
    for n in (10**6, 10**7) if quick else (10**6, 10**7, 10**8):
        for n_voters in (64, 256, 1024):
            votes = made_votes(n, n_voters)
            there = votes.to("cuda")
            alpha = np.random.default_rng(1).gamma(1.0, 2.0, n_voters) + 0.01
            curve = RISKS["exact"].curve(Dirichlet(alpha))
            step = milliseconds(lambda there=there, alpha=alpha, curve=curve: there.curve_sum(alpha, curve))
            share = n * n_voters / 8 / (step / 1e3) / peak
            began = time.perf_counter()
            votes.curve_sum(alpha, curve)
            cpu = 1e3 * (time.perf_counter() - began)
            del there
            bf16, fp32 = (dense(votes, kind) if n <= 10**7 else float("nan") for kind in ("bfloat16", "float32"))
            yield f"{n:12,} {n_voters:7} {step:9.3f} {share:12.1%} {bf16:9.2f} {fp32:9.2f} {cpu:9.1f}"


def several_classes(quick: bool) -> Iterator[str]:
    n, n_voters, n_classes = (10**6 if quick else 10**7), 200, 10
    rng = np.random.default_rng(0)
    targets = rng.integers(0, n_classes, n).astype(np.uint8)
    guesses = rng.integers(0, n_classes, (n, n_voters), np.uint8)
    dice = rng.integers(0, 10, (n, n_voters), np.uint8)
    alpha = rng.gamma(1.0, 2.0, n_voters) + 0.01
    for known in (5, 3):  # of ten answers; the others are guessed
        codes = guesses.copy()
        np.copyto(codes, targets[:, None], where=dice < known)
        votes = VoteMatrix.from_codes(codes, targets, np.arange(n_classes))
        there = votes.to("cuda")
        step = milliseconds(lambda there=there: there.argmax_error_sum(alpha), 3)
        few = votes.take(np.arange(10**5))
        few.argmax_error_sum(alpha)
        began = time.perf_counter()
        few.argmax_error_sum(alpha)
        cpu = 1e3 * (time.perf_counter() - began) * n / 10**5
        right = known / 10 + (1 - known / 10) / n_classes
        yield (
            f"{n_classes} classes, n = {n:,}, {n_voters} voters that are right with {right:.0%}: {step:.1f} ms a step; "
            f"CPU {cpu:.0f} ms (from 100,000)"
        )


def learning(quick: bool) -> Iterator[str]:
    n, n_voters = (10**7 if quick else 10**8), 256
    rng = np.random.default_rng(0)
    rates = rng.uniform(0.2, 0.5, n_voters)
    parts = []
    bits = np.packbits(rng.random((10**6, n_voters), np.float32) < rates, axis=1, bitorder="little").T
    for _ in range(n // BLOCK):
        shuffled = np.tile(bits[:, rng.permutation(10**6)], BLOCK // 10**6)
        parts.append(VoteMatrix(n_voters, np.ascontiguousarray(shuffled)).to("cuda"))
    there = PartitionedVotes(parts) if len(parts) > 1 else parts[0]
    from stocmv.learning import minimise

    began = time.perf_counter()
    found = minimise([there], random_state=0)
    took = time.perf_counter() - began
    yield f"learning, n = {n:,}, {n_voters} voters: {took:.2f} s, {len(found.history)} iterations"
    began = time.perf_counter()
    found = minimise([there], solver="quick", random_state=0)
    took = time.perf_counter() - began
    yield f"the same by solver='quick': {took:.2f} s, {len(found.history)} iterations"
    if quick:  # the certificate is computed on the CPU, whose cores are what it measures
        began = time.perf_counter()
        learn(there, prior=1.0, random_state=0)
        yield f"the same with its certificate: {time.perf_counter() - began:.2f} s"


def main(arguments: list[str]) -> None:
    chosen = [section for section in (two_classes, several_classes, learning) if section.__name__ in arguments]
    for section in chosen or (two_classes, several_classes, learning):
        for line in section("quick" in arguments):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
