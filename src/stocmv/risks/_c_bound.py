"""The C-bound: the first two moments of the wrong weight."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import Upper
from ..posteriors import Law, Posterior
from ..votes import PairCounts, VoteMatrix, Votes
from ._curves import FirstOrder, SecondOrder
from ._pair_losses import of_either, of_one
from ._risk import Moments, Risk, VoteBound

_FIRST, _SECOND = FirstOrder(), SecondOrder()
_ROUNDING = 1e-14  # more than the quotient of numbers between 0 and 1, subtracted from 1, can lose


class CBound(Risk):
    r"""The C-bound (Lacasse et al. 2006), in its corrected form.

    .. math:: R \le 1 - \frac{(1 - 2 r)^2}{1 - 2 d}

    with the mean error :math:`r` of a drawn voter bounded from above, and the probability :math:`d` that exactly one of
    two drawn voters errs bounded from below, each with half of delta; it is only useful if :math:`r < 1/2`.
    """

    name: ClassVar[str] = "c_bound"
    proven: ClassVar[bool] = True
    laws: ClassVar[tuple[Law, ...]] = ("voter",)
    default_posterior: ClassVar[str] = "categorical"
    outward: ClassVar[tuple[int, ...]] = (1, -1)
    certified: ClassVar[str] = "the error of the weighted vote (from the mean error and disagreement of its voters)"

    def moments(self, posterior: Posterior, votes: Votes, rng: np.random.Generator | None = None) -> Moments:
        started = [votes.start(risk.moments, posterior, votes) for risk in (_FIRST, _SECOND)]
        (first, d_first), (second, d_second) = (wait() for wait in started)
        return np.concatenate([first, 2 * (first - second)]), np.concatenate([d_first, 2 * (d_first - d_second)])

    def certified_moments(self, posterior: Posterior, votes: VoteMatrix) -> NDArray:
        first = _FIRST.certified_moments(posterior, votes)
        second = _SECOND.certified_moments(posterior, votes)
        disagreement = np.maximum(2 * (first * (1 - 1e-12) - second * (1 + 1e-12)), 0.0)
        return np.concatenate([first, disagreement])

    def losses(self, pairs: PairCounts) -> Sequence[NDArray]:
        return of_one(pairs), of_either(pairs)

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        error = upper(float(moments[0]), kl)
        agreement = upper.of_disagreements(1 - float(moments[1]), 2 * kl)
        if error.value >= 0.5:
            # all that is proven here is R <= 1; the solver gets the first-order bound, which reaches 1 at r = 1/2
            return VoteBound(2 * error.value, np.array([2 * error.d_risk, 0.0]), 2 * error.d_kl)
        gap = 1 - 2 * error.value
        spread = 2 * agreement.value - 1  # 1 - 2 d, at the lower bound of d
        d_error, d_agreement = 4 * gap / spread, 2 * gap**2 / spread**2
        return VoteBound(
            min(1 - gap**2 / spread + _ROUNDING, 1.0),
            np.array([d_error * error.d_risk, -d_agreement * agreement.d_risk]),
            d_error * error.d_kl + 2 * d_agreement * agreement.d_kl,
        )


class Disagreement(CBound):
    r"""Four times the joint error of two voters, from their mean error and how often they disagree.

    .. math:: R \le 4 r - 2 d

    with the two means of the C-bound, on which it never improves (Masegosa et al. 2020).
    """

    name: ClassVar[str] = "disagreement"
    proven: ClassVar[bool] = True

    def compose(self, moments: NDArray, kl: float, upper: Upper, posterior: Posterior) -> VoteBound:
        error = upper(float(moments[0]), kl)
        agreement = upper.of_disagreements(1 - float(moments[1]), 2 * kl)
        shown = agreement.value < 1  # that voters disagree at all
        return VoteBound(
            4 * error.value - 2 * (1 - agreement.value) * shown + _ROUNDING,
            np.array([4 * error.d_risk, -2 * agreement.d_risk * shown]),
            4 * error.d_kl + 4 * agreement.d_kl * shown,
        )
