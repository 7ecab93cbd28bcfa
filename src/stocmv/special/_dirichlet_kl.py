"""The KL of two Dirichlet distributions, also where the concentrations are so small that its terms would cancel."""

import numpy as np
from numpy.typing import NDArray

from ._stirling import digamma_rest, stirling_series

_RAISED = 10  # what is added to the shapes, so that Stirling's series is exact
_STEPS = np.arange(_RAISED + 1.0)[:, None]
_ROUNDING = 2e-15  # of each term: sixteen units, as many as the sum over a million voters loses


def dirichlet_kl(alpha: NDArray, beta: NDArray) -> tuple[float, float]:
    r"""KL of a Dirichlet with concentrations ``alpha`` from one with ``beta``, and how far rounding may be off.

    Weights drawn from a Dirichlet are independent gamma variables divided by their sum, which does not depend on the
    weights. So the KL is the sum of those of the gamma variables, minus that of their sums. For shapes a and b

    .. math:: D(a, b) = \ln\Gamma(b) - \ln\Gamma(a) - (b - a)\, \psi(a)
        = \sum_{k < 10} h\Big(\frac{b + k}{a + k}\Big) + D(a + 10, b + 10), \qquad h(r) = r - 1 - \ln r \ge 0,

    and the last one follows from Stirling's series without its terms in ``a - b``, which sum to zero.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv.special import dirichlet_kl
    >>> dirichlet_kl(np.array([1e-8]), np.array([2.0]))[0]
    0.0
    """
    a, b, gap = (np.append(each, each.sum()) for each in (alpha, beta, beta - alpha))
    relative = gap / (a + _STEPS[:-1])
    log = np.copysign(np.log1p(np.abs(gap) / (np.minimum(a, b) + _STEPS)), gap)  # of (b + k) / (a + k)
    a, b, last = a + _RAISED, b + _RAISED, log[-1]
    terms = np.stack([(b - 0.5) * last, stirling_series(b), -stirling_series(a), -digamma_rest(a) * gap])
    values = (relative - log[:-1]).sum(0) + terms.sum(0)
    sizes = np.abs(relative).sum(0) + np.abs(log[:-1]).sum(0) + np.abs(terms).sum(0) + np.abs(gap)
    return max(float(values[:-1].sum() - values[-1]), 0.0), _ROUNDING * float(sizes.sum())
