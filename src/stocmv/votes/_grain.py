"""Sums that are the same to the last bit, regardless of the order and of how they are split into parts.

Every summand is first rounded to a multiple of a power of two (the grain) that is coarse enough for the sum of all of
them to fit into a double: then no addition rounds (Demmel and Nguyen 2013). The error is at most that of adding them
one by one, and grows in the same way with their number: half a grain each, in random directions. The largest summand
keeps 53 binary digits minus the logarithm of their number: 28 among 20 million, 23 among a billion.
"""

import math


def rounder(largest: float, n_examples: int) -> float:
    """The number whose addition and subtraction, ``(x + rounder) - rounder``, rounds ``x`` to the grain.

    ``n_examples`` numbers of absolute value up to ``largest`` then add up without error; if some are larger, the sum
    may round like any other.
    """
    bits = math.frexp(largest)[1] + (max(n_examples, 2) - 1).bit_length()
    return math.ldexp(1.5, bits)
