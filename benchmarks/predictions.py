"""`certify_predictions` on a million rows with 200 subgroups: time and memory of a process that does nothing else.

python -m benchmarks.predictions
"""

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .memory import peak_megabytes
from .targets import Target

N = 1_000_000
KINDS = {
    "region": "one column of 200 regions, as texts",
    "columns": "100 columns of two values, which overlap",
    "groups": "200 regions, and rows of 100,000 groups",
    "file": "200 regions in a csv file, by the command",
}


def run() -> list[Target]:
    print(f"{N:,} rows; seconds of the processor; memory is the peak, with the imports and the data\n")
    print(f"{'subgroups':48}{'certify s':>11}{'verify s':>10}{'peak MB':>9}")
    targets = []
    for kind, title in KINDS.items():
        child = subprocess.run(
            [sys.executable, "-m", "benchmarks.predictions", kind], check=True, capture_output=True, text=True
        )
        r = json.loads(child.stdout)
        print(f"{title:48}{r['certify']:>11.1f}{r['verify']:>10.1f}{r['peak']:>9.0f}", flush=True)
        if kind in ("region", "columns"):
            targets += [
                Target(f"{title}: processor seconds to certify", r["certify"], "<=", 10, " s"),
                Target(f"{title}: peak resident memory", r["peak"] / 1e3, "<=", 1, " GB"),
            ]
    return targets


def alone(kind: str) -> dict[str, float]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, N)
    said = np.where(rng.random(N) < 0.05, 1 - truth, truth)
    regions = np.array([f"region {i}" for i in range(200)])[rng.integers(0, 200, N)]
    if kind == "file":
        return _by_command(truth, said, regions)
    from stocmv import certify_predictions

    given: dict[str, Any] = {"subgroups": {"region": regions}}
    if kind == "columns":
        given = {"subgroups": {f"column {k}": rng.random(N) < 0.3 for k in range(100)}}
    if kind == "groups":
        given["groups"] = rng.integers(0, 100_000, N)
    certificate, taken = _timed(lambda: certify_predictions(truth, said, **given))
    verified, checking = _timed(certificate.verify)
    assert verified, verified.differences
    return {"certify": taken, "verify": checking, "peak": peak_megabytes()}


def _by_command(truth: Any, said: Any, regions: Any) -> dict[str, float]:
    from stocmv.cli._main import run as command

    def quietly(*words: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            assert command(list(words)) == 0, words

    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "answers.csv"), Path(folder, "out")
        lines = (f"{y},{p},{region}" for y, p, region in zip(truth, said, regions, strict=True))
        table.write_text("\n".join(["y,p,region", *lines]))
        options = ["--truth", "y", "--prediction", "p", "--subgroup", "region", "--json", "--out", str(out)]
        taken = _timed(lambda: quietly("certify-predictions", str(table), *options))[1]
        checking = _timed(lambda: quietly("verify", str(out / "certificate.json"), str(out / "evidence.npz")))[1]
    return {"certify": taken, "verify": checking, "peak": peak_megabytes()}


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()  # all of it runs in one thread, and the machine may be busy
    value = call()
    return value, time.process_time() - began


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(alone(sys.argv[1])))
    else:
        for target in run():
            print(target.line())
