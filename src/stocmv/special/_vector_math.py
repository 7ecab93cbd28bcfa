"""Elementary functions without branches, so that a compiled loop over them becomes vector instructions."""

from typing import Any

import numpy as np
from numba import njit

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
FLAT = {"contract", "nsz"}  # what a loop needs that becomes vector instructions
ANY_ORDER = {"contract", "nsz", "reassoc"}  # the same for sums

_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
_LOG_2_HIGH, _LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first without its last bits


@njit(fastmath={"contract"}, inline="always", **OPTIONS)
def log1p(u):  # pragma: no cover - compiled
    """``log(1 + u)`` to four units of rounding."""
    y = 1.0 + u
    lost = u - (y - 1.0) if y < 2.0 else 0.0
    bits = np.float64(y).view(np.int64)
    power = (bits - _ROOT_HALF) >> 52
    fraction = np.int64(bits - (power << 52)).view(np.float64)
    s = (fraction - 1.0) / (fraction + 1.0)
    z = s * s
    series = 1.0 / 21.0
    series = 1.0 / 19.0 + z * series
    series = 1.0 / 17.0 + z * series
    series = 1.0 / 15.0 + z * series
    series = 1.0 / 13.0 + z * series
    series = 1.0 / 11.0 + z * series
    series = 1.0 / 9.0 + z * series
    series = 1.0 / 7.0 + z * series
    series = 1.0 / 5.0 + z * series
    series = 1.0 / 3.0 + z * series
    n = np.float64(power)
    return n * _LOG_2_HIGH + (2.0 * s + (2.0 * s * z * series + (lost + n * _LOG_2_LOW)))


@njit(fastmath={"contract"}, inline="always", **OPTIONS)
def arctan2(e, f):  # pragma: no cover - compiled
    """The angle of the point ``(f, e)``, by the rational approximation of Cephes."""
    y, size = abs(e), abs(f)
    large, middle = y > 2.414213562373095 * size, y > 0.66 * size
    top = -size if large else (y - size if middle else y)
    bottom = y if large else (y + size if middle else size)
    offset = 0.5 * np.pi if large else (0.25 * np.pi if middle else 0.0)
    s = top / bottom
    z = s * s
    p = -8.750608600031904122785e-1
    p = -1.615753718733365076637e1 + z * p
    p = -7.500855792314704667340e1 + z * p
    p = -1.228866684490136173410e2 + z * p
    p = -6.485021904942025371773e1 + z * p
    q = 2.485846490142306297962e1 + z
    q = 1.650270098316988542046e2 + z * q
    q = 4.328810604912902668951e2 + z * q
    q = 4.853903996359136964868e2 + z * q
    q = 1.945506571482613964425e2 + z * q
    found = offset + (s + s * (z * p / q))
    found = found if f >= 0.0 else np.pi - found
    return found if e >= 0.0 else -found
