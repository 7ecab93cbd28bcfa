"""Distributions over the weights of a vote: parameters, KL to the prior, mean, draws."""

from ._categorical import Categorical
from ._dirichlet import BlocDirichlet, Dirichlet
from ._logit_normal import LogitNormal
from ._posterior import Law as Law, Posterior, WeightedPosterior

POSTERIORS: dict[str, type[Posterior]] = {kind.name: kind for kind in (Dirichlet, Categorical, LogitNormal)}

__all__ = ["BlocDirichlet", "Categorical", "Dirichlet", "LogitNormal", "Posterior", "WeightedPosterior"]
