"""The baseline without any model: always give the same answer."""

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
    """The most frequent class among the judging examples, the error of always answering it, and the bound on that.

    Empty if the classes are not known.

    Parameters
    ----------
    classes, frequencies : sequences, one entry per fold
        The classes that the fold knows, and the number of examples of each.
    n, claims : int, sequence of Claim
        Number of examples, and how delta was split.
    grouped : bool
        Whether these are groups, which may be of several classes.
    """
    known = [each for each in classes if each is not None]
    if len(known) < len(classes):
        return {}
    labels, place = np.unique(np.concatenate(known), return_inverse=True)
    frequency = np.bincount(place, np.concatenate(frequencies))
    most = int(np.argmax(frequency >= frequency.max() * (1 - 1e-12)))  # the first of equally frequent classes
    total = n - float(frequency[most])
    return {
        "label": labels[most].item(),
        "empirical_risk": total / n,
        "bound": _upper(total, n, share_of(claims, "baseline"), counted=not grouped),
    }


def _upper(total: float, n: int, delta: float, *, counted: bool) -> float:
    """The bound on the error of an answer that was chosen on these same examples.

    Any class could have been chosen. For an answer that errs with probability p the bound may fail with probability
    ``delta (1 - p)``: the probabilities 1 - p of the classes sum to one, so this adds up to delta for any number of
    classes. Once one p is excluded at its level, so are all larger ones.
    """
    value = one_sample(total, n, delta, counted=counted)
    while (tried := value * (1 + 1e-11)) < 1:
        value = one_sample(total, n, delta * (1 - tried), counted=counted)
        if value <= tried:
            return tried
    return 1.0


def class_counts(votes: VoteMatrix) -> NDArray:
    """Number of examples of each class; of all examples if the classes are not known."""
    if votes.targets is None or votes.classes is None:
        return np.array([float(votes.n_examples)])
    return np.bincount(votes.targets, votes.counts if votes.counts.size else None, len(votes.classes)).astype(float)
