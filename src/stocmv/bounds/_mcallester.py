"""McAllester's bound: the well-known square root."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ._bound import ROUND_UP, Bound, UpperBound


@dataclass(frozen=True)
class McAllester(Bound):
    r"""McAllester's bound (McAllester 2003; constant of Maurer 2004), by Pinsker's inequality from Seeger's.

    .. math:: R \le \hat R + \sqrt{\frac{\mathrm{KL} + \ln(2 \sqrt n / \delta)}{2 n}}

    Examples
    --------
    >>> from stocmv.bounds import McAllester
    >>> round(McAllester().upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.1779
    """

    name: ClassVar[str] = "mcallester"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "McAllester's bound"
    two_sided: ClassVar[bool] = True

    def price(self, sizes: Sequence[int], delta: float) -> float:
        n = np.asarray(sizes, float)
        return float(np.log(2 * np.sqrt(n)).sum() - len(n) * np.log(delta))

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        n = sum(sizes)
        root = float(np.sqrt((kl + self.price(sizes, delta)) / (2 * n)))
        return UpperBound((risk + root) * ROUND_UP, 1.0, 1 / (4 * n * root))

    def settings(self) -> dict:
        return {"name": self.name}
