"""Voters that abstain: the cost of gaps, and whether votes without gaps are as fast as before gaps were supported.

python -m benchmarks.abstaining [REVISION]

With a revision of the repository, the package as it was then does the same work in turns with the present one, each in
processes of its own. All figures are seconds of one processor, the least of many, so that what else the machine
does matters little.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np

from stocmv import VoteMatrix
from stocmv.posteriors import Dirichlet
from stocmv.risks import Exact

TURNS = 4
ROOT = Path(__file__).parent.parent


def made(n: int, n_voters: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    votes = np.where(rng.random((n, n_voters)) < 0.65, y[:, None], rng.integers(0, n_classes, (n, n_voters)))
    return votes, y


def works(n_classes: int, share: float) -> dict[str, Callable[[], object]]:
    """The work to measure, on votes of which a share is missing."""
    n, n_voters = (200_000, 128) if n_classes == 2 else (10_000, 100)
    votes, y = made(n, n_voters, n_classes)
    posterior = Dirichlet(0.1 + np.random.default_rng(0).gamma(1.0, 1.0, n_voters))
    if share:
        gaps = np.random.default_rng(1).random(votes.shape) < share
        matrix = VoteMatrix.from_labels(np.where(gaps, -1, votes), y, np.arange(n_classes), abstain=-1)
    else:
        matrix = VoteMatrix.from_labels(votes, y, np.arange(n_classes))
    small = matrix.take(np.arange(20_000 if n_classes == 2 else 500))
    found: dict[str, Callable[[], object]] = {
        f"K = {n_classes}, risk and gradient": lambda: Exact().moments(posterior, matrix),
        f"K = {n_classes}, certified risk": lambda: Exact().certified_moments(posterior, small),
        f"K = {n_classes}, errors of predict": lambda: matrix.vote_errors(posterior.mean),
    }
    if not share:
        packed = votes[:20_000].astype(np.uint8)
        found[f"K = {n_classes}, packing labels"] = lambda: VoteMatrix.from_labels(packed, y[:20_000])
    return found


def measure(share: float) -> dict[str, float]:
    """Milliseconds of each kind of work."""
    numba.set_num_threads(1)
    calls = {**works(2, share), **works(3, share), **works(10, share)}
    return {name: 1e3 * least_seconds(call) for name, call in calls.items()}


def least_seconds(call: Callable[[], object], budget: float = 0.6) -> float:
    """Processor seconds of a call, the smallest of as many calls as fit into the budget."""
    call()
    taken = []
    while sum(taken) < budget:
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)


def _in_a_process(source: Path) -> dict[str, float]:
    code = "import json; from benchmarks.abstaining import measure; print(json.dumps(measure(0.0)))"
    path = os.pathsep.join([str(source), str(ROOT)])
    ran = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
    ran.check_returncode()
    return json.loads(ran.stdout)


def against(revision: str) -> None:
    """The same work without gaps, by the package as it was and as it is, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        present = shutil.copytree(ROOT / "src", Path(folder) / "present")
        sources = {"before": Path(folder) / "src", "now": present}
        for source in sources.values():
            _in_a_process(source)  # compiles
        taken = {name: [] for name in sources}
        for _ in range(TURNS):
            for name, source in sources.items():
                taken[name].append(_in_a_process(source))
    print(f"\nno gaps: {revision} and now, ms{'':>16}{'before':>9}{'now':>9}{'ratio':>8}")
    for work in taken["now"][0]:
        before, now = (min(turn[work] for turn in taken[name]) for name in ("before", "now"))
        print(f"{work:44}{before:>9.2f}{now:>9.2f}{now / before:>8.2f}")


def main(revision: str | None = None) -> None:
    full, gaps = measure(0.0), measure(0.3)
    print(f"{'ms':44}{'no gaps':>9}{'30 % gaps':>11}{'ratio':>8}")
    for work, theirs in gaps.items():
        print(f"{work:44}{full[work]:>9.2f}{theirs:>11.2f}{theirs / full[work]:>8.2f}")
    if revision is not None:
        against(revision)


if __name__ == "__main__":
    main(*sys.argv[1:2])
