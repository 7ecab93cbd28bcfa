"""`learn` on ten million examples of 200 voters, two classes: memory and time of a process that does nothing else."""

import json
import subprocess
import sys
import time
from pathlib import Path

from .targets import Target

N, M = 10_000_000, 200


def run() -> list[Target]:
    child = subprocess.run([sys.executable, "-m", "benchmarks.memory"], check=True, capture_output=True, text=True)
    r = json.loads(child.stdout)
    dense = 4e-6 * N * M
    print(f"n = {N:,}, M = {M}; dense float32 votes would take {dense:,.0f} MB, the packed ones take {r['votes']:.0f}")
    print(f"{'':36}{'peak MB':>9}{'/ dense':>10}{'seconds':>10}{'/ one evaluation':>19}")
    print(f"{'after the imports':36}{r['imported']:>9.0f}{r['imported'] / dense:>10.3f}")
    print(
        f"{'after making and packing the votes':36}{r['packed']:>9.0f}{r['packed'] / dense:>10.3f}{r['packing']:>10.1f}"
    )
    print(f"{'after learn':36}{r['learned']:>9.0f}{r['learned'] / dense:>10.3f}{r['learning']:>10.1f}", end="")
    print(f"{r['learning'] / r['evaluation']:>19.0f}")
    print(f"{r['iterations']} iterations, {r['processor']:.0f} s of processor time", end="")
    print(f"; the voters err on {r['voter']:.1%}, the certified bound is {r['bound']:.2%}")
    return [
        Target("learn, n = 1e7: peak resident memory", r["learned"] / 1e3, "<=", 1.5, " GB"),
        Target("learn, n = 1e7: seconds", r["learning"], "<=", 180, " s"),
    ]


def peak_megabytes() -> float:
    """Largest resident memory of this process so far.

    From Linux's own record where there is one: getrusage would also count the parent's memory from before the exec.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def learn_alone() -> dict[str, float]:
    from stocmv import VoteMatrix, learn
    from stocmv.risks import Exact

    from .made_votes import error_blocks
    from .timing import seconds_each

    figures = {"imported": peak_megabytes()}
    began = time.perf_counter()
    votes = VoteMatrix.from_blocks(error_blocks(N, M))
    figures |= {"packing": time.perf_counter() - began, "packed": peak_megabytes(), "votes": votes.nbytes / 1e6}
    began, spent = time.perf_counter(), time.process_time()
    learned = learn(votes, prior=1.0, random_state=0)
    figures |= {"learning": time.perf_counter() - began, "processor": time.process_time() - spent}
    figures |= {"learned": peak_megabytes()}
    return figures | {
        "bound": learned.certificate.stochastic_bound,
        "iterations": len(learned.history),
        "evaluation": seconds_each(lambda: Exact().moments(learned.posterior, votes), budget=0)[0],
        "voter": float(votes.voter_errors().mean()),
    }


if __name__ == "__main__":
    print(json.dumps(learn_alone()))
