"""Proven upper bounds on a risk from its empirical value, the KL and the sample size."""

from ._bennett import Bennett
from ._bound import Bound, Upper as Upper, UpperBound
from ._catoni import Catoni, CatoniPerFold
from ._delta import check_alternatives as check_alternatives, check_delta as check_delta
from ._distribution_band import MOST_STEPS as MOST_STEPS, DistributionBand as DistributionBand
from ._fold_test import FoldTest as FoldTest
from ._lambda import Lambda
from ._mcallester import McAllester
from ._one_sample import bentkus as bentkus, clopper_pearson, one_sample as one_sample
from ._ratio_test import RatioTest as RatioTest
from ._seeger import Seeger, seeger_mixture as seeger_mixture

BOUNDS: dict[str, Bound] = {
    "seeger": Seeger(),
    "seeger_2sqrt": Seeger(constant="2sqrt"),
    "catoni": Catoni(),
    "mcallester": McAllester(),
    "lambda": Lambda(),
}

__all__ = [
    "Bennett",
    "Bound",
    "Catoni",
    "CatoniPerFold",
    "Lambda",
    "McAllester",
    "Seeger",
    "UpperBound",
    "clopper_pearson",
]
