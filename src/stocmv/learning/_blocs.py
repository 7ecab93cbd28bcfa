"""Voters that answer alike, merged into blocs before their weights are learned."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior
from ..votes import Votes


def find_blocs(folds: Sequence[Votes], priors: Sequence[Posterior]) -> list[NDArray] | None:
    """The bloc of each voter, for each fold; None if no voters can be merged.

    If voters abstain, there is no bound on the deterministic vote: few of them may decide an example, and then what a
    bloc's other voters answer matters.
    """
    if any(v.abstains for v in folds):
        return None
    started = [v.start(v.blocs) for v in folds]
    blocs = [wait() for wait in started]
    redundant = any(_count(b) < len(b) for b in blocs)
    return blocs if redundant and priors[0].merged(blocs[0]) is not None else None


def merged_priors(priors: Sequence[Posterior], blocs: Sequence[NDArray]) -> list[Posterior]:
    """The priors of the blocs."""
    return [prior.merged(b) for prior, b in zip(priors, blocs, strict=True)]


def one_of_each(folds: Sequence[Votes], blocs: Sequence[NDArray]) -> list[Votes]:
    """The votes of the first voter of each bloc."""
    return [v.only(np.unique(b, return_index=True)[1]) for v, b in zip(folds, blocs, strict=True)]


def _count(blocs: NDArray) -> int:
    return int(blocs.max()) + 1
