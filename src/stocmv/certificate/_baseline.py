"""What one has without any model: always the same answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ..votes import VoteMatrix
from ._claims import Claim, share_of


def baseline(
    classes: Sequence[NDArray | None], frequencies: Sequence[NDArray], n: int, claims: Sequence[Claim], *, grouped: bool
) -> dict[str, Any]:
    """The most frequent class among the examples that judge, its error as the answer to all, and the bound on that.

    Empty where the classes are not known.

    Parameters
    ----------
    classes, frequencies : sequences, one entry per fold
        The classes that the fold knows, and the number of examples of each.
    n, claims : int, sequence of Claim
        Number of all examples, and what the bound was given of delta.
    grouped : bool
        Whether these are groups, which may be of several classes.
    """
    known = [each for each in classes if each is not None]
    if len(known) < len(classes):
        return {}
    labels, place = np.unique(np.concatenate(known), return_inverse=True)
    frequency = np.bincount(place, np.concatenate(frequencies))
    most = int(np.argmax(frequency >= frequency.max() * (1 - 1e-12)))  # of equally frequent ones the first
    total = n - float(frequency[most])
    return {
        "label": labels[most].item(),
        "empirical_risk": total / n,
        "bound": _upper(total, n, share_of(claims, "baseline"), counted=not grouped),
    }


def _upper(total: float, n: int, delta: float, *, counted: bool) -> float:
    """The bound for an answer that was chosen on these very examples, from its errors.

    Any class could have been the one. An answer that errs with probability p may fail with probability
    ``delta (1 - p)``: the classes' probabilities 1 - p add up to one, however many classes there are. Once one p is
    excluded at its level, so are all larger ones.
    """
    value = one_sample(total, n, delta, counted=counted)
    while (tried := value * (1 + 1e-11)) < 1:
        value = one_sample(total, n, delta * (1 - tried), counted=counted)
        if value <= tried:
            return tried
    return 1.0


def class_counts(votes: VoteMatrix) -> NDArray:
    """Examples of each class; all of them where the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
