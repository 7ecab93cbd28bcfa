"""The first call in a fresh process: with nothing compiled, and with a compilation cache from an earlier process."""

import json
import os
import subprocess
import sys
import tempfile
import time

from .targets import Target

KINDS = ("two classes", "ten classes")


def run() -> list[Target]:
    print(f"{'seconds':28}{'import':>9}{'first call':>13}{'second call':>14}{'first / second':>17}")
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            for when in ("nothing compiled", "from the cache"):
                r = in_fresh_process(kind, folder)
                print(f"{f'{kind}, {when}':28}{r['import']:>9.2f}{r['first']:>13.2f}{r['second']:>14.4f}", end="")
                print(f"{r['first'] / r['second']:>17.0f}")
    return []


def in_fresh_process(kind: str, cache: str) -> dict[str, float]:
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_call", kind],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(child.stdout)


def timed_calls(kind: str) -> dict[str, float]:
    began = time.perf_counter()
    import numpy as np

    from stocmv import VoteMatrix
    from stocmv.posteriors import Dirichlet
    from stocmv.risks import Exact

    imported = time.perf_counter() - began
    rng = np.random.default_rng(0)
    n_classes = 2 if kind == KINDS[0] else 10
    y = rng.integers(0, n_classes, 1000)
    labels = np.where(rng.random((1000, 20)) < 0.7, y[:, None], rng.integers(0, n_classes, (1000, 20)))
    votes = VoteMatrix.from_labels(labels, y, classes=np.arange(n_classes))
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        Exact().moments(Dirichlet(np.ones(20)), votes)
        seconds.append(time.perf_counter() - began)
    return {"import": imported, "first": seconds[0], "second": seconds[1]}


if __name__ == "__main__":
    print(json.dumps(timed_calls(sys.argv[1])))
