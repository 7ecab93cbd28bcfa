"""Special functions for the bounds: pure functions of arrays, each tested against arbitrary precision."""

from ._dirichlet_kl import dirichlet_kl as dirichlet_kl
from ._gamma import (
    ROOT_RULE_FROM as ROOT_RULE_FROM,
    argmax_probability as argmax_probability,
    gamma_draw_gradient as gamma_draw_gradient,
)
from ._gamma_sums import negative_sum as negative_sum, negative_sum_pass as negative_sum_pass
from ._gamma_tables import STENCIL as STENCIL, GammaTables as GammaTables, gamma_tables as gamma_tables
from ._half_beta import half_betainc
from ._half_rows import (
    LOG_STEP as LOG_STEP,
    N_NODES as N_NODES,
    REACH as REACH,
    WIDEST_WHOLE as WIDEST_WHOLE,
    half_nodes as half_nodes,
    half_row as half_row,
    half_tables as half_tables,
)
from ._kl import kl_bernoulli, kl_inverse, kl_inverse_gradient as kl_inverse_gradient
from ._xi import log_xi

__all__ = ["half_betainc", "kl_bernoulli", "kl_inverse", "log_xi"]
