"""Synthetic votes, generated block by block: voters of different strength that find the same examples hard."""

from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr, ndtri

from stocmv.posteriors import Dirichlet

_BLOCK = 1 << 16
_LEVELS = 64  # of difficulty
_SHARED = 0.4  # correlation that the difficulty of the example gives to any two voters


def error_blocks(n: int, n_voters: int, seed: int = 0) -> Iterator[np.ndarray]:
    """Boolean errors of two-class voters with accuracies from 0.6 to 0.8, a block of rows at a time."""
    rng = np.random.default_rng(seed)
    weakness = ndtri(1 - rng.uniform(0.6, 0.8, n_voters))
    difficulty = ndtri((np.arange(_LEVELS) + 0.5) / _LEVELS)
    chance = ndtr((weakness + np.sqrt(_SHARED) * difficulty[:, None]) / np.sqrt(1 - _SHARED))
    threshold = np.round(256 * chance).clip(0, 255).astype(np.uint8)  # of a random byte: fast, and fine enough
    for start in range(0, n, _BLOCK):
        rows = min(_BLOCK, n - start)
        draw = np.frombuffer(rng.bytes(rows * n_voters), np.uint8).reshape(rows, n_voters)
        yield draw < threshold[rng.integers(0, _LEVELS, rows)]


def forest_labels(n: int, n_voters: int, n_classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Class codes as the trees of a forest give them, and the true ones.

    Most examples are easy (a tree errs on one in five on average, on half of the examples on less than one in ten), and
    the trees that err mostly agree on one other class.
    """
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n, dtype=np.uint8)
    rival = (y + rng.integers(1, n_classes, n, dtype=np.uint8)) % n_classes
    difficulty = rng.beta(0.5, 2.0, n)[:, None]
    draw = rng.random((n, n_voters), dtype=np.float32)
    anything = rng.integers(0, n_classes, (n, n_voters), dtype=np.uint8)
    votes = np.where(draw < 0.6 * difficulty, rival[:, None], anything)
    return np.where(draw < difficulty, votes, y[:, None]), y


def a_posterior(n_voters: int, seed: int = 0) -> Dirichlet:
    """Concentrations as uneven as learned ones, about one per voter."""
    return Dirichlet(0.1 + np.random.default_rng(seed).gamma(1.0, 1.0, n_voters))
