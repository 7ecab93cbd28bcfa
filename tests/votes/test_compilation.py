import json
import subprocess
import sys

import pytest

PROGRAM = """
import json
from stocmv import VoteMatrix, learn
from stocmv.votes import _bits, _classes

learn(VoteMatrix.from_errors([[0, 1, 0], [0, 0, 1]]), solver="lbfgs")
learn(VoteMatrix.from_labels([[0, 1, 2], [0, 0, 1]], [0, 1]), solver="lbfgs")
kernels = [kernel for room in (_bits, _classes) for kernel in vars(room).values() if hasattr(kernel, "stats")]
counts = {k.__name__: [sum(k.stats.cache_hits.values()), sum(k.stats.cache_misses.values())] for k in kernels}
print(json.dumps(counts))
"""


def kernel_counts():
    """Hits and misses of the compilation cache for each kernel, in a process of its own."""
    output = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True).stdout
    return json.loads(output)


def misses(counts):
    return sum(count[1] for count in counts.values())


@pytest.mark.slow
def test_the_kernels_are_compiled_once_and_then_taken_from_disk():
    counts = kernel_counts()
    if misses(counts):  # the first process on this machine
        counts = kernel_counts()
    assert all(counts[kernel][0] > 0 for kernel in ("gather", "_curve_rows", "_class_weights_rows", "_win_rows"))
    assert misses(counts) == 0
