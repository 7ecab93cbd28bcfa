"""What one has without any model: always the same answer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ..votes import VoteMatrix


def baseline(classes: NDArray | None, frequency: NDArray, n: int, delta: float, *, grouped: bool) -> dict[str, Any]:
    """The most frequent class among the examples that judge, its error as the answer to all, and the bound on that.

    Each of the classes could have been the one, so each has its share of delta. Empty where the classes are not known.
    """
    if classes is None:
        return {}
    most = int(np.argmax(frequency))
    total = n - float(frequency[most])
    return {
        "label": classes[most].item(),
        "empirical_risk": total / n,
        "bound": one_sample(total, n, delta / len(classes), counted=not grouped),
    }


def class_counts(votes: VoteMatrix) -> NDArray:
    """Examples of each class; all of them where the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
