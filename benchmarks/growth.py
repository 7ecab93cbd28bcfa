"""Two classes: how the time of one exact risk with its gradient grows with the examples and with the voters."""

from collections.abc import Iterable

import numpy as np

from stocmv import VoteMatrix
from stocmv.risks import Exact

from .made_votes import a_posterior, error_blocks
from .targets import Target
from .timing import seconds_each

EXAMPLES, M = (10_000, 100_000, 1_000_000, 10_000_000), 200
VOTERS, N = (16, 64, 250, 1000, 2000), 100_000
_DENSE_LIMIT = 1e9  # bytes of a float32 matrix that is still made for the comparison
_LINEAR_WITHIN = 1.5


def run() -> list[Target]:
    print("curve: share of the time that tabulates the risk of a wrong weight, which does not grow with the votes")
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
    calls = [lambda: Exact().moments(posterior, votes), lambda: Exact().curve(posterior)]
    if 4.0 * n * m <= _DENSE_LIMIT:
        dense = votes.errors().astype(np.float32)
        alpha, slopes = posterior.alpha.astype(np.float32), np.ones(n, np.float32)
        calls.append(lambda: (dense @ alpha, slopes @ dense))
    whole, curve, *products = seconds_each(*calls, budget=2.0)
    ratio = f"{whole / products[0]:.2f}" if products else f"{4e-9 * n * m:.0f} GB, not made"
    per_vote = 1e9 * whole / (n * m)
    line = f"n = {n:<13,}M = {m:<15,}{1e3 * whole:>9.2f}{per_vote:>14.3f}{curve / whole:>8.0%}{ratio:>23}"
    return line, per_vote
