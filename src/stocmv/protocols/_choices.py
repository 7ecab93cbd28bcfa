"""What "auto" stands for: choices made without looking at the judging examples, so they cost nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..posteriors import Posterior
from ..risks import Risk
from ..solvers import LBFGS, Solver
from ..special import kl_inverse
from ..voters import VoterSource


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def risk_name(risk: str | Risk) -> str:
    return risk if isinstance(risk, str) else risk.name


def choose_priors(prior: Any, kind: type[Posterior], source: VoterSource) -> Sequence[Any]:
    """The priors to try: for a Dirichlet with "auto", those suited to the voters; otherwise only the given one."""
    suited = is_auto(prior) and kind.law == "dirichlet" and source.default_prior is not None
    return source.default_prior if suited else (prior,)  # type: ignore[return-value]


def choose_solver(solver: str | Solver, risk: str | Risk, source: VoterSource) -> str | Solver:
    """The solver to use: interchangeable voters start near the optimum, so unless the risk is noisy a short one."""
    if is_auto(solver) and source.exchangeable and risk_name(risk) != "mc":
        return LBFGS(max_iter=50, tolerance=1e-6, stops_early=True)
    return solver


def holdout_share(n: int) -> float:
    """Share of ``n`` examples to hold out: the more there are, the smaller the share that is enough."""
    return 1 / 3 if n < 20_000 else 1 / 5 if n <= 200_000 else 1 / 10


def best_constant(error: float, sizes: Sequence[int], delta: float) -> float:
    """The constant that makes Catoni's bound tightest if the empirical error is ``error`` and the KL is small."""
    error = float(np.clip(error, 1e-9, 0.5))
    epsilon = (1 + len(sizes) * np.log(1 / delta)) / sum(sizes)
    bound = min(float(kl_inverse(error, epsilon)), 1 - 1e-9)
    return float(f"{np.log(bound / (1 - bound) * (1 - error) / error):.4g}")
