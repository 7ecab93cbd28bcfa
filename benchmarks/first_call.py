"""The first calls of a fresh process: importing, the command line, and `fit` with nothing compiled. Processor time."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import Any

from .targets import Target

FITS: dict[str, tuple[int, dict[str, Any]]] = {  # number of classes, settings
    "fit, 2 classes": (2, {}),
    "fit, 10 classes": (10, {}),
    "fit with a PAC-Bayes bound, 2 classes": (2, {"bound": "seeger"}),
    "fit with a PAC-Bayes bound, 10 classes": (10, {"bound": "seeger"}),
}
_TIMES = 3  # the fastest counts: other work on the machine only adds
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run() -> list[Target]:
    version, text = (min(command_seconds(option) for _ in range(_TIMES)) for option in ("--version", "--help"))
    imported = min(in_fresh_process("import") for _ in range(_TIMES))
    print(f"{'stocmv --version | --help, s':44}{version:>8.2f}{text:>9.2f}")
    print(f"{'import, beyond sklearn.ensemble, s':44}{imported:>8.2f}")
    print(f"{'the first call takes longer than the second by':44}{'nothing compiled, s':>21}{'from the cache, s':>19}")
    fresh = {}
    for name in FITS:
        with tempfile.TemporaryDirectory() as folder:
            fresh[name], cached = (in_fresh_process(name, folder) for _ in range(2))
        print(f"{name:44}{fresh[name]:>21.2f}{cached:>19.2f}", flush=True)
    return [
        Target("stocmv --version: processor time", version, "<=", 0.25, " s"),
        Target("stocmv --help: processor time", text, "<=", 0.25, " s"),
        Target("import stocmv, beyond sklearn.ensemble", imported, "<=", 0.4, " s"),
        *(Target(f"first {name}: compilation", seconds, "<=", 2.0, " s") for name, seconds in fresh.items()),
    ]


def command_seconds(option: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "stocmv", option], env=_ENVIRONMENT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_fresh_process(what: str, cache: str = "") -> float:
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_call", what],
        env=_ENVIRONMENT | ({"NUMBA_CACHE_DIR": cache} if cache else {}),
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(child.stdout)


def seconds_of(what: str) -> float:
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    began = time.process_time()
    from stocmv import MajorityVoteClassifier

    imported = time.process_time() - began
    if what == "import":
        return imported
    n_classes, settings = FITS[what]
    X, y = make_classification(600, n_informative=10, n_classes=n_classes, random_state=0)
    clf = MajorityVoteClassifier(RandomForestClassifier(20), **settings, random_state=0)
    took = []
    for _ in range(2):
        began = time.process_time()
        clf.fit(X, y)
        took.append(time.process_time() - began)
    return took[0] - took[1]


if __name__ == "__main__":
    print(json.dumps(seconds_of(sys.argv[1])))
