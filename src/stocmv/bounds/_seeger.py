"""Seeger's bound: the inverse of the binary relative entropy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..special import kl_inverse, kl_inverse_gradient, log_xi
from ._bound import ROUND_UP, Bound, UpperBound


@dataclass(frozen=True)
class Seeger(Bound):
    r"""Seeger's bound, the tightest without a parameter (Seeger 2002, Maurer 2004).

    .. math:: R \le \mathrm{kl}^{-1}\!\left(\hat R,\ \frac{\mathrm{KL} + \ln(\xi(n) / \delta)}{n}\right)

    With folds, :math:`\sum_k \mathrm{KL}_k + \sum_k \ln \xi(n_k) + F \ln(1/\delta)` takes the place of the numerator.

    Parameters
    ----------
    constant : {"xi", "2sqrt"}
        The exact constant, or the larger :math:`2 \sqrt n` of the paper.

    Examples
    --------
    >>> from stocmv.bounds import Seeger
    >>> round(Seeger().upper(0.1, 5.0, [1000], 0.05).value, 4)
    0.152
    """

    constant: Literal["xi", "2sqrt"] = "xi"
    name: ClassVar[str] = "seeger"
    proven: ClassVar[bool] = True
    theorem: ClassVar[str] = "Seeger's bound with Maurer's constant"
    two_sided: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.constant not in ("xi", "2sqrt"):
            raise ValueError(f"constant must be 'xi' or '2sqrt', got {self.constant!r}.")

    def price(self, sizes: Sequence[int], delta: float) -> float:
        n = np.asarray(sizes, float)
        log_constant = log_xi(n) if self.constant == "xi" else np.log(2 * np.sqrt(n))
        return float(log_constant.sum() - len(n) * np.log(delta))

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        n = sum(sizes)
        value, d_risk, d_epsilon = kl_inverse_gradient(risk, (kl + self.price(sizes, delta)) / n * ROUND_UP)
        return UpperBound(float(value), float(d_risk), float(d_epsilon) / n)

    def settings(self) -> dict:
        return {"name": self.name, "constant": self.constant}


def seeger_mixture(risk: float, kls: NDArray, sizes: NDArray, shares: NDArray, delta: float) -> float:
    r"""Seeger's bound over folds that are drawn with probabilities fixed in advance.

    .. math:: \mathrm{kl}\Big(\sum_k p_k \hat R_k, \sum_k p_k R_k\Big)
        \le \sum_k \frac{p_k}{n_k} \Big(\mathrm{KL}_k + \ln \frac{\xi(n_k)}{\delta}\Big)

    For ``p_k = n_k / n`` this is the cross-bound of `Seeger`. If a fold has no examples, the bound is 1.

    Parameters
    ----------
    risk : float
        Mean of the folds' empirical risks, weighted by the shares.
    kls, sizes, shares : ndarray, one entry per fold
        KLs, numbers of examples, and probabilities of drawing each fold.
    delta : float
        Probability that the bound fails, at most.
    """
    if np.any(sizes == 0):
        return 1.0
    epsilon = float(np.sum(shares / sizes * (kls + log_xi(sizes) - np.log(delta))))
    return float(kl_inverse(risk, epsilon * ROUND_UP))
