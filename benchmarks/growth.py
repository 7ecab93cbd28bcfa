"""Two classes: how the time of one exact risk with its gradient grows with the examples and with the voters."""

from collections.abc import Iterable

import numpy as np

from stocmv import VoteMatrix
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact

from .made_votes import a_posterior, error_blocks
from .targets import Target
from .timing import seconds_each

EXAMPLES, M = (10_000, 100_000, 1_000_000, 10_000_000), 200
VOTERS, N = (16, 64, 250, 1000, 2000), 100_000
_DENSE_LIMIT = 1e9  # bytes of a float32 matrix that is still made for the comparison
_LINEAR_WITHIN = 1.5


def run() -> list[Target]:
    print("curve: share of the time that tabulates the risk of a wrong weight, which does not grow with the votes.")
    print("Each row also costs one evaluation of that table, which a few voters do not hide.")
    most = VoteMatrix.from_blocks(error_blocks(max(EXAMPLES), M))
    table((most.take(np.arange(n)) for n in EXAMPLES), f"with the examples, at M = {M}")
    del most
    errors = np.concatenate(list(error_blocks(N, max(VOTERS))))
    table((VoteMatrix.from_errors(errors[:, :m]) for m in VOTERS), f"with the voters, at n = {N:,}")
    return []


def table(matrices: Iterable[VoteMatrix], how: str) -> None:
    print(f"\n{how:36}{'ms':>9}{'ns per vote':>14}{'curve':>8}{'/ two dense products':>23}")
    measured = [measure(votes) for votes in matrices]
    best = min(per_vote for _, per_vote in measured)
    for line, per_vote in measured:
        excess = per_vote / best
        print(f"{line}   not linear: {excess:.1f} times the best" if excess > _LINEAR_WITHIN else line)


def measure(votes: VoteMatrix) -> tuple[str, float]:
    """A line of the table, and nanoseconds per vote."""
    n, m = votes.n_rows, votes.n_voters
    posterior = a_posterior(m)
    whole, curve = seconds_each(lambda: Exact().moments(posterior, votes), lambda: Exact().curve(posterior), budget=1.0)
    per_vote = 1e9 * whole / (n * m)
    ratio = (
        f"{dense_ratio(votes, posterior):.2f}" if 4.0 * n * m <= _DENSE_LIMIT else f"{4e-9 * n * m:.0f} GB, not made"
    )
    line = f"n = {n:<13,}M = {m:<15,}{1e3 * whole:>9.2f}{per_vote:>14.3f}{curve / whole:>8.0%}{ratio:>23}"
    return line, per_vote


def dense_ratio(votes: VoteMatrix, posterior: Dirichlet) -> float:
    """Time of the risk and gradient / time of the two dense products; apart, since the dense votes empty the caches."""
    dense = votes.errors().astype(np.float32)
    alpha, slopes = posterior.alpha.astype(np.float32), np.ones(len(dense), np.float32)
    ours, theirs = seconds_each(
        lambda: Exact().moments(posterior, votes), lambda: (dense @ alpha, slopes @ dense), budget=1.0
    )
    return ours / theirs
