"""`learn` with two classes on ten million examples of 200 voters: memory and time of a process that does nothing else."""

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
    print(f"n = {N:,}, M = {M}; the dense float32 matrix would take {4e-9 * N * M:.1f} GB")
    print(f"{'':42}{'peak MB':>9}{'seconds':>10}")
    print(f"{'after the imports':42}{r['imported']:>9.0f}")
    print(f"{'after making and packing the votes':42}{r['packed']:>9.0f}{r['packing']:>10.1f}")
    print(f"{'after learn':42}{r['learned']:>9.0f}{r['learning']:>10.1f}")
    print(f"the votes take {r['votes']:.0f} MB; {r['evaluations']} iterations; the voters err on", end=" ")
    print(f"{r['voter']:.1%} on average, the certified bound is {r['bound']:.2%}")
    return [
        Target("learn, n = 1e7: peak resident memory", r["learned"] / 1e3, "<=", 1.5, " GB"),
        Target("learn, n = 1e7: peak memory / the dense float32 matrix", 1e6 * r["learned"] / (4 * N * M), "<=", 0.1875),
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

    from .made_votes import error_blocks

    figures = {"imported": peak_megabytes()}
    began = time.perf_counter()
    votes = VoteMatrix.from_blocks(error_blocks(N, M))
    figures |= {"packing": time.perf_counter() - began, "packed": peak_megabytes(), "votes": votes.nbytes / 1e6}
    began = time.perf_counter()
    learned = learn(votes, random_state=0)
    figures |= {"learning": time.perf_counter() - began, "learned": peak_megabytes()}
    return figures | {
        "bound": learned.certificate.bound,
        "evaluations": len(learned.history),
        "voter": float(votes.voter_errors().mean()),
    }


if __name__ == "__main__":
    print(json.dumps(learn_alone()))
