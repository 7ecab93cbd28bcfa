"""The iterations of a solver."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Step(NamedTuple):
    """One iteration of a solver."""

    stage: str
    objective: float
    risk: float
    kl: float
    gradient_norm: float


class History:
    """The iterations of a run, in order, with each field as an array.

    The objective is the bound, interpolated, and noisy for the Monte-Carlo risk. If other examples judge, the KL may
    have less weight in it than in the bound.

    Attributes
    ----------
    steps : list of Step
        The iterations.
    limits : list of int
        For each descent that stopped before it converged, its iteration limit.

    Examples
    --------
    >>> from stocmv import VoteMatrix, learn
    >>> votes = VoteMatrix.from_labels([[0, 0, 1], [1, 0, 1]] * 100, [0, 1] * 100)
    >>> history = learn(votes, random_state=0).history
    >>> bool(history.objective[-1] <= history.objective[0])
    True
    >>> len(history.steps) == len(history.kl)
    True
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.limits: list[int] = []

    @classmethod
    def joined(cls, parts: "Sequence[History]") -> "History":
        """Several runs, one after the other."""
        history = cls()
        history.steps = [step for part in parts for step in part.steps]
        history.limits = [limit for part in parts for limit in part.limits]
        return history

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"History({len(self)} iterations)"

    @property
    def stage(self) -> list[str]:
        return [step.stage for step in self.steps]

    @property
    def objective(self) -> NDArray:
        return np.array([step.objective for step in self.steps])

    @property
    def risk(self) -> NDArray:
        return np.array([step.risk for step in self.steps])

    @property
    def kl(self) -> NDArray:
        return np.array([step.kl for step in self.steps])

    @property
    def gradient_norm(self) -> NDArray:
        return np.array([step.gradient_norm for step in self.steps])
