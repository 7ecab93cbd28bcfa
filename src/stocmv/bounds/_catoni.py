"""Catoni's bound: linear in the risk, with nothing to pay but the confidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._base import Bound, Bounded

GRID = tuple(float(c) for c in 0.05 * 1.5 ** np.arange(16))


@dataclass(frozen=True)
class Catoni(Bound):
    r"""Catoni's bound (Catoni 2007) for fixed ``C``, or the best of a grid that is paid for.

    .. math:: R \le \frac{1 - \exp(-C \hat R - (\mathrm{KL} + \ln(1 / \delta)) / n)}{1 - e^{-C}}

    A grid of ``G`` values costs :math:`\ln G`. With folds, :math:`F \ln(G/\delta)` is paid and the divergences are
    summed.

    Parameters
    ----------
    c : float or sequence of float
        One value, chosen without the data that the bound speaks of, or the grid; by default 16 values from 0.05 to 22.

    Examples
    --------
    >>> from stocmv.bounds import Catoni
    >>> round(Catoni(c=1.0).upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.1619
    """

    c: float | tuple[float, ...] = GRID
    name: ClassVar[str] = "catoni"
    theorem: ClassVar[str] = "Catoni's bound"

    def __post_init__(self) -> None:
        grid = np.atleast_1d(np.asarray(self.c, float))
        if grid.ndim != 1 or grid.size == 0 or not (np.all(grid > 0) and np.all(np.isfinite(grid))):
            raise ValueError(f"c must be positive and finite: one number or a grid of them, got {self.c!r}.")
        object.__setattr__(self, "c", tuple(float(c) for c in grid))

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return len(sizes) * float(np.log(len(self.c) / delta))  # type: ignore[arg-type]

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> Bounded:
        n = sum(sizes)
        grid = np.asarray(self.c)
        exponent = grid * risk + (kl + self.price(sizes, delta)) / n
        values = -np.expm1(-exponent) / -np.expm1(-grid)
        best = int(np.argmin(values))
        slope = float(np.exp(-exponent[best]) / -np.expm1(-grid[best]))
        return Bounded(float(values[best]) * (1 + 1e-14), float(grid[best]) * slope, slope / n)

    def settings(self) -> dict:
        return {"name": self.name, "c": list(self.c)}  # type: ignore[arg-type]
