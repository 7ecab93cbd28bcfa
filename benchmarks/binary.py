"""Two classes: one exact risk with its gradient, beside the two dense products that a gradient needs at the least."""

import numpy as np

from stocmv import VoteMatrix
from stocmv.risks import Exact

from .made_votes import a_posterior, error_blocks
from .targets import Target
from .timing import seconds_each

N, M = 1_000_000, 200


def run() -> list[Target]:
    errors = np.concatenate(list(error_blocks(N, M)))
    packed = VoteMatrix.from_errors(errors)
    dense = errors.astype(np.float32)
    posterior = a_posterior(M)
    alpha = posterior.alpha.astype(np.float32)
    slopes = np.random.default_rng(0).random(N, dtype=np.float32)

    ours, theirs = seconds_each(
        lambda: Exact().moments(posterior, packed), lambda: (dense @ alpha, slopes @ dense), budget=8.0, rounds=15
    )
    packing, casting = seconds_each(
        lambda: VoteMatrix.from_errors(errors), lambda: errors.astype(np.float32), budget=0, rounds=3
    )
    print(f"n = {N:,}, M = {M}{'stocmv':>28}{'numpy, float32':>18}{'ratio':>10}")
    print(f"{'risk and gradient | two products, ms':44}{1e3 * ours:>8.1f}{1e3 * theirs:>18.1f}{ours / theirs:>10.2f}")
    print(f"{'votes in memory, MB':44}{packed.nbytes / 1e6:>8.0f}{dense.nbytes / 1e6:>18.0f}", end="")
    print(f"{packed.nbytes / dense.nbytes:>10.4f}")
    print(f"{'once: packing | casting the errors, ms':44}{1e3 * packing:>8.0f}{1e3 * casting:>18.0f}", end="")
    print(f"{packing / casting:>10.2f}")
    return [
        Target("two classes, n = 1e6: time / two dense products", ours / theirs, "<=", 0.25),
        Target("two classes, n = 1e6: bytes / dense float32", packed.nbytes / dense.nbytes, "<=", 1 / 30),
    ]
