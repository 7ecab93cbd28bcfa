"""Maurer's constant in Seeger's bound."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincc

from ._stirling import stirling_rest


def log_xi(n: ArrayLike) -> NDArray:
    r"""Logarithm of :math:`\xi(n) = \sum_k \binom nk (k/n)^k (1 - k/n)^{n-k}`.

    :math:`\xi(n)` bounds :math:`\mathbb E\, e^{n\, \mathrm{kl}(\hat R, R)}` (Maurer 2004) and is at most
    :math:`2\sqrt n`. Abel's identity gives the sum in closed form,
    :math:`\xi(n) = n!\, n^{-n} e^n\, Q(n + 1, n)`, with the regularised upper incomplete gamma function.

    Examples
    --------
    >>> from stocmv.special import log_xi
    >>> import numpy as np
    >>> np.exp(log_xi([1, 2])).round(12).tolist()
    [2.0, 2.5]
    """
    n = np.asarray(n, float)
    if not (np.all(n >= 1) and np.all(n == np.floor(n)) and np.all(np.isfinite(n))):
        raise ValueError("log_xi needs numbers of examples: integers of at least 1.")
    return 0.5 * np.log(2 * np.pi * n) + stirling_rest(n) + np.log(gammaincc(n + 1, n))
