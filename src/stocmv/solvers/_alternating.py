"""Alternating minimisation, for categorical posteriors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ._solver import Problem, Solver


@dataclass(frozen=True)
class Alternating(Solver):
    r"""Turn by turn the best :math:`\lambda` and the best categorical posterior for it (Thiemann et al. 2017).

    With the PAC-Bayes-:math:`\lambda` bound on the first-order risk, the best posterior for a given :math:`\lambda` is
    proportional to the prior times :math:`e^{-\lambda n \hat L(h)}`. For other bounds and risks, the bound is taken as
    linear in the risk and the KL, and the risk as linear in the probabilities; a step that does not lower the bound is
    halved.

    Parameters
    ----------
    max_iter : int
        Maximal number of steps.
    tolerance : float
        Relative improvement at which it ends.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> from stocmv.solvers import Alternating
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> learned = learn(votes, risk="first_order", bound="lambda", solver=Alternating(), random_state=0)
    >>> learned.certificate.bound < 0.2
    True
    """

    max_iter: int = 1000
    tolerance: float = 1e-10

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        point = np.clip(start, *problem.box)
        value = problem(point)[0]
        for _ in range(self.max_iter):
            best = np.clip(problem.best_for_slopes(point), *problem.box)
            share, found, lower = 1.0, best, problem(best)[0]
            while lower >= value and share > 1e-6:
                share /= 2
                found = point + share * (best - point)
                lower = problem(found)[0]
            if lower >= value * (1 - self.tolerance):
                return found if lower < value else point
            point, value = found, lower
            problem.record("alternating", point)
        problem.unfinished(self.max_iter)
        return point
