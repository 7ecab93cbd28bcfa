"""What one has without any model: always the same answer."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ..votes import VoteMatrix


class Constant(NamedTuple):
    """The one answer of the baseline: a class's code, chosen without the examples that judge, or the best for them."""

    code: int | None


def baseline(
    constant: Constant | None, classes: NDArray | None, frequency: NDArray, n: int, delta: float, *, grouped: bool
) -> dict[str, Any]:
    """Always one answer: its error on the examples of the first part that judges, and the bound on that.

    Where it is the best answer for them, each class could have been the one, and has its share of delta. Empty where
    there is no answer, or the classes are not known.
    """
    if constant is None or classes is None:
        return {}
    code = int(np.argmax(frequency)) if constant.code is None else constant.code
    share = delta / len(classes) if constant.code is None else delta
    total = n - float(frequency[code])
    return {
        "label": classes[code].item(),
        "n": n,
        "delta": share,
        "empirical_risk": total / n,
        "bound": one_sample(total, n, share, counted=not grouped),
    }


def class_counts(votes: VoteMatrix) -> NDArray:
    """Examples of each class; all of them where the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
