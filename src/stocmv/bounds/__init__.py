"""Proven upper bounds on a risk from its empirical value, the divergence and the sample size."""

from ._base import Bound, Bounded
from ._catoni import Catoni, CatoniPerFold
from ._delta import check_alternatives, check_delta
from ._fold_test import FoldTest
from ._mcallester import McAllester
from ._one_sample import bentkus, clopper_pearson, one_sample
from ._seeger import Seeger, seeger_mixture

BOUNDS: dict[str, Bound] = {
    "seeger": Seeger(),
    "seeger_2sqrt": Seeger(constant="2sqrt"),
    "catoni": Catoni(),
    "mcallester": McAllester(),
}

__all__ = [
    "BOUNDS",
    "Bound",
    "Bounded",
    "Catoni",
    "CatoniPerFold",
    "FoldTest",
    "McAllester",
    "Seeger",
    "bentkus",
    "check_alternatives",
    "check_delta",
    "clopper_pearson",
    "one_sample",
    "seeger_mixture",
]
