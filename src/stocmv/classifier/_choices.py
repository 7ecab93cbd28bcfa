"""What "auto" stands for: choices that need no look at the examples that judge, and so cost nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..bounds import BOUNDS, Bound, CatoniPerFold, ClopperPearson, Seeger
from ..posteriors import Dirichlet, Posterior
from ..risks import Risk
from ..solvers import LBFGS, Solver
from ..special import kl_inverse
from ..voters import VoterSource

_GUESS = 0.2  # an error to expect where nothing is known


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def risk_name(risk: str | Risk) -> str:
    return risk if isinstance(risk, str) else risk.name


def choose_priors(prior: Any, kind: type[Posterior], source: VoterSource) -> Sequence[Any]:
    """The priors to try: those that suit the voters, for a Dirichlet; a given one alone."""
    if not is_auto(prior):
        return (prior,)
    return source.default_prior if kind is Dirichlet else (1.0,)


def choose_solver(solver: str | Solver, risk: str | Risk, source: VoterSource) -> str | Solver:
    """Voters that are alike start near the optimum: a short descent is enough, unless the risk is noisy."""
    if is_auto(solver) and source.exchangeable and risk_name(risk) != "mc":
        return LBFGS(max_iter=50, tolerance=1e-6)
    return solver


def choose_bound(
    bound: str | Bound,
    sizes: Sequence[int],
    expected_errors: Sequence[float | None] | None,
    delta: float,
    *,
    one_voter: bool = False,
) -> str | Bound:
    """The bound that a ``bound`` argument stands for; which kind it is, must not depend on the examples.

    Where the voters are of a kind that can tell, from the other folds, about how much they err, Catoni's bound with
    the constant that is best for that error, or for a guess in a fold where they cannot; ``expected_errors`` is None
    for other kinds of voters. Then it is Clopper and Pearson's for one voter without folds, and otherwise the cheaper
    of Catoni's with a grid and Seeger's: a matter of the sizes.
    """
    if not is_auto(bound):
        return bound
    if expected_errors is not None:
        return CatoniPerFold(tuple(best_constant(_GUESS if e is None else e, sizes, delta) for e in expected_errors))
    if one_voter and len(sizes) == 1:
        return ClopperPearson()
    grid, root = BOUNDS["catoni"], Seeger()
    return grid if grid.price(sizes, delta) < root.price(sizes, delta) else root


def best_constant(error: float, sizes: Sequence[int], delta: float) -> float:
    """The constant at which Catoni's bound is tightest if this error is measured and the divergence is small."""
    error = float(np.clip(error, 1e-9, 0.5))
    epsilon = (1 + len(sizes) * np.log(1 / delta)) / sum(sizes)
    bound = min(float(kl_inverse(error, epsilon)), 1 - 1e-9)
    return float(f"{np.log(bound / (1 - bound) * (1 - error) / error):.4g}")
