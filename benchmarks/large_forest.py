"""A forest of four million nodes and its vote: requests of any size, the memory that answers take, saving and loading.

python -m benchmarks.large_forest      # Linux: the kernel is asked for the peak of the memory

Trees on noise grow until each leaf is pure. Times are processor time, from calls that take turns.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator

from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save

from .timing import seconds_each

ROWS, FEATURES, TREES, JUDGES, ASKED = 60_000, 3, 160, 500, 200_000
SIZES = (1, 10, 100, 1_000, 10_000)
METHODS = ("predict", "predict_proba")
READERS: dict[str, Callable[[Path], Any]] = {"model.skops": load, "model.joblib": joblib.load}


def resident(what: str) -> float:
    """Megabytes of memory of this process: "VmRSS" now, "VmHWM" at most since the last `added`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) * 1024 / 1e6


def added(call: Callable[[], object]) -> float:
    """Megabytes that a call takes at most beside what was there."""
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    call()
    return resident("VmHWM") - before


def megabytes_of(forest: RandomForestClassifier) -> float:
    states = (tree.tree_.__getstate__() for tree in forest.estimators_)
    return sum(state["nodes"].nbytes + state["values"].nbytes for state in states) / 1e6


def main() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(ROWS + JUDGES, FEATURES)), rng.integers(0, 2, ROWS + JUDGES)
    forest = RandomForestClassifier(TREES, max_features=1, random_state=0).fit(X[:ROWS], y[:ROWS])
    votes = {
        voting: MajorityVoteClassifier(FrozenEstimator(forest), voting=voting, random_state=0).fit(X[ROWS:], y[ROWS:])
        for voting in ("soft", "hard")
    }
    size = megabytes_of(forest)
    print(f"{sum(tree.tree_.node_count for tree in forest.estimators_):,} nodes, {size:.0f} MB in memory")
    print(f"{'vote / forest':24}" + "".join(f"{n:>9,}" for n in SIZES) + "  rows")
    for voting, vote in votes.items():
        for method in METHODS:
            print(f"{voting + ', ' + method:24}" + "".join(f"{ratio(vote, forest, method, X[:n]):9.2f}" for n in SIZES))
    many = np.resize(X, (ASKED, FEATURES))
    print(f"memory that {ASKED:,} rows take, MB")
    for name, model in {"forest": forest, **votes}.items():
        model.predict(many[:10])
        taken = {method: added(partial(getattr(model, method), many)) for method in METHODS}
        print(f"{name:24}" + "".join(f"{method:>15}{most:6.0f}" for method, most in taken.items()))
    with tempfile.TemporaryDirectory() as folder:
        save(votes["soft"], Path(folder, "model.skops"))
        joblib.dump(forest, Path(folder, "model.joblib"), compress=1)
        for file in READERS:
            print(f"loading {file}, {Path(folder, file).stat().st_size / 1e6:.0f} MB:", end=" ", flush=True)
            words = [sys.executable, "-m", "benchmarks.large_forest", str(Path(folder, file)), str(size)]
            subprocess.run(words, check=True)


def ratio(vote: MajorityVoteClassifier, forest: RandomForestClassifier, method: str, X: np.ndarray) -> float:
    ours, theirs = (lambda model=model: getattr(model, method)(X) for model in (vote, forest))
    ours, theirs = seconds_each(ours, theirs, budget=1, clock=time.process_time)
    return ours / theirs


def load_alone(path: Path, size: float) -> None:
    """Time and memory of loading a file in a process that has done nothing else."""
    began, taken = time.process_time(), added(lambda: READERS[path.name](path))
    print(f"{time.process_time() - began:.1f} s, at most {taken:.0f} MB, {taken / size:.1f} times the forest")


if __name__ == "__main__":
    if sys.argv[1:]:
        load_alone(Path(sys.argv[1]), float(sys.argv[2]))
    else:
        main()
