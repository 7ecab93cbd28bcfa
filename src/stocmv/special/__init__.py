"""Special functions of the bounds: pure functions of arrays, each checked against arbitrary precision."""

from ._gamma import argmax_probability as argmax_probability, gamma_draw_gradient as gamma_draw_gradient
from ._gamma_tables import GammaTables as GammaTables, gamma_tables as gamma_tables
from ._half_beta import gauss_legendre as gauss_legendre, half_betainc, lower_half as lower_half
from ._kl import kl_bernoulli, kl_inverse, kl_inverse_gradient as kl_inverse_gradient
from ._xi import log_xi

__all__ = ["half_betainc", "kl_bernoulli", "kl_inverse", "log_xi"]
