"""Tables of gamma densities and distribution functions for the exact multi-class risk.

They do not depend on the posterior: a row is one value of the concentration, a column one quadrature node, and the
training kernel interpolates between rows (six-point Lagrange, error below 1e-6, mostly far below). Certificates do
not use them.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln

from ._gamma import ROOT_RULE_FROM, log_root_density

_BEFORE, _AFTER = (
    3.25,
    4.25,
)  # reach of a row: exp(-2 * 3.25^2) = 7e-10, and small shapes have a longer upper tail
STENCIL = 6  # rows of a table that one interpolation uses
_SMALLEST = 4  # logarithm of the total that the smallest table covers
_ROOT_STEP, _ROWS_PER_UNIT = 1 / 4, 20


@dataclass(frozen=True)
class GammaTables:
    """One quadrature rule with its tables, for concentrations up to a given total.

    Attributes
    ----------
    factors : ndarray of shape (2, n_rows, width)
        Factor of the class in question and of each other class, at the nodes ``offsets[i] .. offsets[i] + width - 1``;
        a rival's factor is 0 before them and 1 after them.
    offsets : ndarray of shape (n_rows,)
        First node of each row.
    rows_per_unit : float
        Rows per unit of the table's coordinate.
    root : bool
        Whether the coordinate is ``sqrt(a + 1/4) - 1/2`` (else ``a``).
    shift : ndarray
        Per node, the logarithm of ``t`` that is left out of both factors and put into the node's weight.
    step : float
        Distance between nodes.
    """

    factors: NDArray
    offsets: NDArray
    rows_per_unit: float
    root: bool
    shift: NDArray
    step: float

    def node_weights(self, total: float | NDArray) -> NDArray:
        """Weights of the nodes when the concentrations sum to ``total``: one row for each total."""
        return self.step * np.exp(np.multiply.outer(total, self.shift))

    def tail(self, total: float | NDArray) -> NDArray:
        """Sums of ``r^j`` and ``j step r^j`` over the nodes before the first; the integrand falls by ``r`` at each."""
        if self.root:
            return np.zeros((*np.shape(total), 2))
        growth = np.expm1(np.multiply(total, self.step))
        return np.stack([1 / growth, self.step * (1 + growth) / growth**2], axis=-1)


def gamma_tables(total: float) -> GammaTables:
    """Tables that cover all concentrations up to ``total``."""
    if total < ROOT_RULE_FROM:
        return _log_tables()
    return _root_tables(max(_SMALLEST, int(np.ceil(np.log2(total)))))


@lru_cache(maxsize=4)
def _root_tables(log2_total: int) -> GammaTables:
    """The rule in ``x = sqrt(t)``: nodes a quarter apart, rows a twentieth apart in ``sqrt(a + 1/4)``."""
    rows = [_root_rows(smaller) for smaller in range(_SMALLEST, log2_total + 1)]
    factors, offsets = np.concatenate([f for f, _ in rows], axis=1), np.concatenate([first for _, first in rows])
    n_nodes = int(offsets[-1]) + factors.shape[2]
    return GammaTables(factors, offsets, _ROWS_PER_UNIT, True, np.zeros(n_nodes), _ROOT_STEP)


@lru_cache(maxsize=32)  # one for each power of two that a posterior's total may reach during training
def _root_rows(log2_total: int) -> tuple[NDArray, NDArray]:
    """The rows that a table has beyond the one for half its total; both begin with the same rows."""
    start = _n_root_rows(log2_total - 1) if log2_total > _SMALLEST else 0
    coordinate = np.arange(start, _n_root_rows(log2_total)) / _ROWS_PER_UNIT
    a = coordinate * (coordinate + 1)
    offsets = np.maximum(np.floor((coordinate - _BEFORE) / _ROOT_STEP), 1).astype(np.uint64)
    width = int((_BEFORE + _AFTER) / _ROOT_STEP) + 2
    x = (offsets[:, None] + np.arange(width, dtype=np.uint64)) * _ROOT_STEP
    column = np.maximum(a, np.finfo(float).tiny)[:, None]
    own, rival = 2 * np.exp(log_root_density(x, column)), gammainc(column, x * x)
    if start == 0:
        own[0], rival[0] = 0.0, 1.0
    return np.stack([own, rival]), offsets


def _n_root_rows(log2_total: int) -> int:
    return int(np.sqrt(2.0**log2_total + 0.25) * _ROWS_PER_UNIT) + STENCIL


@lru_cache(maxsize=1)
def _log_tables() -> GammaTables:
    """The rule in ``u = log(t)`` for small totals, with ``t^a`` divided out of every factor."""
    step, rows_per_unit = 1 / 8, 32
    u = np.arange(-17.0, 4.25, step)
    t = np.exp(u)
    a = np.arange(int(ROOT_RULE_FROM * rows_per_unit) + STENCIL)[:, None] / rows_per_unit
    reciprocal_gamma = np.where(a > 0, np.exp(-gammaln(np.maximum(a, 1e-300))), 0.0)
    own = reciprocal_gamma * np.exp(-t)
    rival = gammainc(np.maximum(a, np.finfo(float).tiny), t) * np.exp(-a * u)
    rival[0] = 1.0
    return GammaTables(np.stack([own, rival]), np.zeros(len(a), np.uint64), rows_per_unit, False, u, step)
