"""The PAC-Bayes-lambda bound: an upper bound on Seeger's that is easy to minimise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from ._bound import ROUND_UP, Bound, UpperBound
from ._seeger import Seeger


@dataclass(frozen=True)
class Lambda(Bound):
    r"""The PAC-Bayes-:math:`\lambda` bound (Thiemann et al. 2017), for all :math:`\lambda` in (0, 2) at once.

    .. math:: R \le \frac{\hat R}{1 - \lambda / 2}
        + \frac{\mathrm{KL} + \ln(\xi(n) / \delta)}{\lambda (1 - \lambda / 2)\, n},
        \qquad \lambda^\star = \frac{2}{\sqrt{2 n \hat R / (\mathrm{KL} + \ln(\xi(n) / \delta)) + 1} + 1}

    It is what Seeger's bound becomes by :math:`\mathrm{kl}(q, p) \ge (p - q)^2 / (2 p)`, so it is never tighter. For a
    given :math:`\lambda` the best categorical posterior is known, which the solver "alternating" uses.

    Parameters
    ----------
    constant : {"xi", "2sqrt"}
        The exact constant, or the larger :math:`2 \sqrt n` of the paper.

    Examples
    --------
    >>> from stocmv.bounds import Lambda
    >>> round(Lambda().upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.1614
    """

    constant: Literal["xi", "2sqrt"] = "xi"
    name: ClassVar[str] = "lambda"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "the PAC-Bayes-lambda bound"
    two_sided: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Seeger(self.constant)  # refuses other constants

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return Seeger(self.constant).price(sizes, delta)

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        n = sum(sizes)
        budget = (kl + self.price(sizes, delta)) / n
        best = 2 / (np.sqrt(2 * risk / budget + 1) + 1)
        d_risk = 1 / (1 - best / 2)
        value = (risk + budget / best) * d_risk
        return UpperBound(float(value * ROUND_UP), float(d_risk), float(d_risk / (best * n)))

    def settings(self) -> dict:
        return {"name": self.name, "constant": self.constant}
