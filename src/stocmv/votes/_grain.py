"""Sums that are the same to the last bit in whatever order and in however many parts they are added up.

Every summand is first rounded to a multiple of one power of two (the grain), so coarse that the sum of all of them
still fits the digits of a double: then no addition rounds (Demmel and Nguyen 2013). What is lost is at most what adding
them up one by one may lose, and grows with their number like that: half a grain for each, in random directions. The
largest summand has 53 binary digits less the logarithm of their number: 28 among 20 million, 23 among a billion.
"""

import math


def rounder(largest: float, n_examples: int) -> float:
    """The number whose addition and subtraction, ``(x + rounder) - rounder``, rounds ``x`` to the grain.

    ``n_examples`` numbers of absolute value up to ``largest`` then add up without error; where some are above it, the
    sum may round as any other.
    """
    bits = math.frexp(largest)[1] + (max(n_examples, 2) - 1).bit_length()
    return math.ldexp(1.5, bits)
