"""The functions of stocmv that a call passes, and how deep they go: `benchmarks.size` starts it, once for each call.

python -P benchmarks/passed.py forest|list|certify|dask    # of the stocmv that is imported, as JSON

A function is counted once however often it is called, in whichever thread. Comprehensions, lambdas, class and module
bodies are not functions here, nor what the compiler of numba made of one. What an import runs is not counted either:
it depends on what was imported before. The depth is the largest number of these functions that wait for each other in
one thread. A room is the folder, or the file beside the folders, that a module belongs to.
"""

import contextlib
import inspect
import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import stocmv
from stocmv import MajorityVoteClassifier

PACKAGE = Path(stocmv.__file__).parent


class Passed:
    """What to give to `sys.setprofile`: it notes the functions of the package, and the greatest depth."""

    def __init__(self) -> None:
        self.functions: set[CodeType] = set()
        self.depth = 0
        self._known: dict[CodeType, str] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or self._kind(frame.f_code) != "function":
            return
        waiting = [self._kind(outer.f_code) for outer in _stack(frame)]
        if "module" not in waiting:
            self.functions.add(frame.f_code)
            self.depth = max(self.depth, waiting.count("function"))

    def _kind(self, code: CodeType) -> str:
        if code not in self._known:
            self._known[code] = _kind(code)
        return self._known[code]

    def figures(self) -> dict[str, int]:
        places = {Path(code.co_filename).relative_to(PACKAGE) for code in self.functions}
        return {
            "functions": len(self.functions),
            "modules": len(places),
            "rooms": len({place.parts[0] for place in places}),
            "depth": self.depth,
        }


def _stack(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those that wait for it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _kind(code: CodeType) -> str:
    """The kind of code: a function or a module of the package, or something else."""
    if not code.co_filename.startswith(str(PACKAGE)):
        return "foreign"
    if code.co_name == "<module>":
        return "module"
    named = not code.co_name.startswith("<")
    return "function" if named and code.co_flags & inspect.CO_OPTIMIZED else "other"  # a class body is not optimised


@contextlib.contextmanager
def watched(passed: Passed) -> Iterator[None]:
    threading.setprofile(passed)
    sys.setprofile(passed)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def forest(passed: Passed) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    with watched(passed):
        MajorityVoteClassifier(RandomForestClassifier(20), random_state=0).fit(X, y)


def list_of_three(passed: Passed) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    three = [DecisionTreeClassifier(max_depth=3), GaussianNB(), LogisticRegression(solver="liblinear")]
    with watched(passed):
        MajorityVoteClassifier(three, random_state=0).fit(X, y)


def certify(passed: Passed) -> None:
    from stocmv.cli import main

    load_iris(as_frame=True).frame.to_csv("flowers.csv", index=False)
    sys.argv = ["stocmv", "certify", "flowers.csv", "--target", "target"]
    with contextlib.redirect_stdout(io.StringIO()), watched(passed):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def dask(passed: Passed) -> None:
    import dask.array as da
    from distributed import Client

    X, y = load_breast_cancer(return_X_y=True)
    with watched(passed), Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None):
        MajorityVoteClassifier("stumps", random_state=0).fit(da.from_array(X, chunks=(200, -1)), da.from_array(y, 200))


CALLS: dict[str, Callable[[Passed], None]] = {
    "forest": forest,
    "list": list_of_three,
    "certify": certify,
    "dask": dask,
}

if __name__ == "__main__":
    passed = Passed()
    CALLS[sys.argv[1]](passed)
    print(json.dumps(passed.figures()))
