"""What the paper and its code claim without a proof: a bound and a risk, only to reproduce their figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from stocmv.bounds import Seeger
from stocmv.risks import Binomial


@dataclass(frozen=True)
class PrintedTheorem2(Seeger):
    r"""The paper's Theorem 2 as printed: **not proven, and false**; only to reproduce the paper's figures.

    It pays :math:`\ln(4 \sqrt{m (n - m)} / \delta)` for two folds, that is :math:`\ln(1/\delta)` once instead of twice.
    """

    constant: Literal["xi", "2sqrt"] = "2sqrt"
    name: ClassVar[str] = "printed_theorem2_not_proven"
    theorem: ClassVar[str] = "the paper's Theorem 2 as printed, which is NOT PROVEN"
    proven: ClassVar[bool] = False

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return super().price(sizes, 1.0) - float(np.log(delta))


@dataclass(frozen=True)
class StrictBinomial(Binomial):
    """Probability that more than half of the drawn voters err, as in the authors' code: **twice this bounds nothing**.

    If exactly half of the weight is wrong, it is below one half. Only to reproduce the paper's figures.
    """

    name: ClassVar[str] = "binomial_51_not_proven"
    proven: ClassVar[bool] = False

    def _shape(self) -> tuple[int, int]:
        needed = self.n_draws // 2 + 1
        return needed, self.n_draws - needed + 1
