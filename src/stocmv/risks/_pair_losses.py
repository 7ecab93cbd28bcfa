"""Means of losses of drawn voters, from how often each two voters err together."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..posteriors import Posterior, WeightedPosterior
from ..votes import PairCounts

_UNSURE = 1e-12  # more than the rounding of a mean, relative to it
_ROUNDING = 1e-14  # more than the rounding of a difference of numbers up to one


def of_one(pairs: PairCounts) -> NDArray:
    """How often each voter errs."""
    return np.diag(pairs.wrong) / np.diag(pairs.judged)


def of_both(pairs: PairCounts) -> NDArray:
    """How often each two voters both err."""
    return pairs.both / pairs.judged


def of_either(pairs: PairCounts) -> NDArray:
    """How often exactly one of each two voters errs."""
    return pairs.differ / pairs.compared


def of_neither(pairs: PairCounts) -> NDArray:
    """How often none of each two voters errs."""
    return (pairs.judged - pairs.wrong - pairs.wrong.T + pairs.both) / pairs.judged


def drawn_moments(losses: Sequence[NDArray], posterior: Posterior) -> tuple[NDArray, NDArray]:
    """Mean losses of one drawn voter, from (M,), or of two, from a symmetric (M, M), with their gradients."""
    weighted = cast(WeightedPosterior, posterior)
    share = weighted.concentrations / weighted.total
    slopes = [loss @ share for loss in losses]
    values = [float(slope @ share if loss.ndim == 2 else slope) for loss, slope in zip(losses, slopes, strict=True)]
    gradients = [2 * slope if loss.ndim == 2 else loss for loss, slope in zip(losses, slopes, strict=True)]
    return np.array(values), np.stack([weighted.pull(gradient, 0.0) for gradient in gradients])


def outward_moments(losses: Sequence[NDArray], posterior: Posterior, outward: Sequence[int]) -> NDArray:
    """The same means, rounded outward."""
    signs = np.array(outward)
    means, _ = drawn_moments(losses, posterior)
    return np.clip(means * (1 + signs * _UNSURE) + signs * _ROUNDING, 0.0, 1.0)
