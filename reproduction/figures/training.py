"""How the concentrations move in training, with and without a bound in the objective."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from stocmv.bounds import Bound, Seeger, UpperBound
from stocmv.displays._canvas import BLUE, VERMILION, tidy
from stocmv.learning import learn
from stocmv.solvers import Adam, Problem, Solver

from .._methods import DELTA
from ._panels import chosen, legend_outside, panels, plain_ticks
from ._told import span, times
from ._toys import RandomStart, normals, seeded

if TYPE_CHECKING:
    from matplotlib.figure import Figure

caption = (
    "Size of the concentrations, size of the gradient, and KL from the prior in the training of the exact "
    "method on two normal distributions, with Seeger's bound as the objective and with the empirical risk alone."
)

_STEPS, _RATE = 1000, 0.1
_NEGLIGIBLE = 1e-10  # a gradient below this is mostly rounding
_POOR, _NOTHING = 0.05, 1e-15  # empirical risks of a poor local minimum, and of one that cannot be lowered


@dataclass(frozen=True)
class NoBound(Bound):
    """The empirical risk itself, for training without regularisation: it bounds nothing."""

    name: ClassVar[str] = "no_bound"
    theorem: ClassVar[str] = "none: the empirical risk itself"
    proven: ClassVar[bool] = False

    def upper(self, risk: float, kl: float, sizes: Sequence[int], delta: float) -> UpperBound:
        return UpperBound(risk, 1.0, 0.0)

    def price(self, sizes: Sequence[int], delta: float) -> float:
        return 0.0

    def settings(self) -> dict:
        return {"name": self.name}


class FollowedProblem:
    """A problem that keeps the points at which it is recorded."""

    def __init__(self, problem: Problem, path: list[NDArray]) -> None:
        self._problem = problem
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)

    def __call__(self, point: NDArray, rng: np.random.Generator | None = None) -> tuple[float, NDArray]:
        return self._problem(point, rng)

    def record(self, stage: str, point: NDArray) -> None:
        self._problem.record(stage, point)
        self._path.append(point)


@dataclass(frozen=True)
class Following(Solver):
    """A solver whose points, one for each step, are put into ``path``."""

    solver: Solver
    path: list[NDArray]

    def minimise(self, problem: Problem, start: NDArray, rng: np.random.Generator) -> NDArray:
        followed: Any = FollowedProblem(problem, self.path)
        return self.solver.minimise(followed, start, rng)


_OBJECTIVES: dict[str, Bound] = {"bound": Seeger(constant="2sqrt"), "risk": NoBound()}
_LOOKS = {"bound": ("Seeger's bound", BLUE), "risk": ("empirical risk alone", VERMILION)}


def notes(rows: list[dict[str, Any]]) -> list[str]:
    """What agrees with the paper, what differs and why."""
    last = max(row["step"] for row in rows)
    ends = {name: chosen(rows, objective=name, step=last) for name in _OBJECTIVES}
    half = {row["trial"]: row for row in chosen(rows, objective="risk", step=(last + 1) // 2)}
    total = len(ends["bound"])
    stuck = [row for row in ends["bound"] if row["risk"] > _POOR]
    fine = [row for row in ends["bound"] if row["risk"] <= _POOR]
    alive = [row for row in ends["risk"] if row["risk"] > _NOTHING]
    growth = [100 * (row["alpha_norm"] / half[row["trial"]]["alpha_norm"] - 1) for row in alive]
    found = []
    if fine:
        found.append(
            "As in the paper, the concentrations come to rest with the bound, and without it are larger and go on "
            f"growing: after 1,000 steps their norm is {span([row['alpha_norm'] for row in fine], 1)} with the bound "
            f"in {times(len(fine), total)}, and {span([row['alpha_norm'] for row in ends['risk']])} without."
        )
    if alive:
        found.append(
            "Without the bound they grow ever more slowly, as the gradient fades with the risk: by "
            f"{span(growth)} % over the last 500 steps."
        )
    if len(alive) < total:
        found.append(f"In {times(total - len(alive), total)} the risk fell below 1e-15, which ended the growth.")
    found.append(
        "As in the paper, the gradient tends to 0 in both cases, and the KL ends lower with the bound: "
        f"{span([row['kl'] for row in ends['bound']], 1)} nats against {span([row['kl'] for row in ends['risk']], 1)}."
    )
    if stuck:
        found.append(
            f"In {times(len(stuck), total)} the descent on the bound ends in a poor valley, with an empirical risk of "
            f"{span([100 * row['risk'] for row in stuck])} %; the others end at most at "
            f"{max((100 * row['risk'] for row in fine), default=0.0):.2f} %."
        )
    return [
        *found,
        "As in the authors' code there are 50 points in all, not for each class, and the gradient is by the logarithms "
        "of the concentrations.",
    ]


def units(*, trials: int = 10, quick: bool = False) -> list[dict[str, Any]]:
    """One run for each trial and objective."""
    shared = {"n_examples": 50, "prior": 0.1, "delta": DELTA, "rate": _RATE, "n_steps": 100 if quick else _STEPS}
    count = min(trials, 2) if quick else trials
    return [{"trial": trial, "objective": name, **shared} for trial in range(count) for name in _OBJECTIVES]


def compute(settings: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """The concentrations, the gradient and the KL on the way, at every step at first and then at fewer."""
    votes = normals(settings["n_examples"], seed, settings["trial"])
    descent = RandomStart((Adam(n_steps=settings["n_steps"], rate=settings["rate"]),))
    path: list[NDArray] = []
    history = learn(
        votes,
        prior=settings["prior"],
        merge=False,
        bound=_OBJECTIVES[settings["objective"]],
        delta=settings["delta"],
        solver=Following(descent, path),
        random_state=seeded(seed, settings["trial"], 1),
    ).history
    return [
        {
            **settings,
            "step": step,
            "alpha_norm": float(np.linalg.norm(np.exp(path[step]))),
            "gradient_norm": float(history.gradient_norm[step]),
            "kl": float(history.kl[step]),
            "risk": float(history.risk[step]),
        }
        for step in _shown(settings["n_steps"])
    ]


def _shown(n_steps: int) -> list[int]:
    """About a hundred steps, the first and the last among them."""
    return sorted({*range(0, n_steps, max(1, n_steps // 100)), n_steps - 1})


def draw(rows: list[dict[str, Any]]) -> "Figure":
    """Concentrations, gradient and KL over the steps; every run is a thin line, their median a thick one."""
    from matplotlib.lines import Line2D

    figure, (axes,) = panels(1, 3, 11, 3.6)
    panel = {
        "alpha_norm": r"$\|\alpha\|_2$",
        "gradient_norm": r"norm of the gradient by $\ln \alpha$",
        "kl": "KL from the prior (nats)",
    }
    for ax, (key, label) in zip(axes, panel.items(), strict=True):
        for name, (_, colour) in _LOOKS.items():
            runs = [chosen(rows, objective=name, trial=trial) for trial in sorted({row["trial"] for row in rows})]
            steps = [row["step"] for row in runs[0]]
            values = np.array([[row[key] for row in run] for run in runs])
            ax.plot(steps, values.T, color=colour, alpha=0.25, linewidth=0.8)
            ax.plot(steps, np.median(values, axis=0), color=colour, linewidth=2.2)
        tidy(ax)
        ax.set(xlabel="step", ylabel=label, xlim=(0, None))
    axes[0].set_yscale("log")
    plain_ticks(axes[0].yaxis)
    axes[1].set(yscale="log", ylim=(_NEGLIGIBLE, None))
    handles = [Line2D([], [], color=colour, linewidth=2.2, label=label) for label, colour in _LOOKS.values()]
    legend_outside(figure, [*handles, Line2D([], [], color="grey", alpha=0.5, linewidth=0.8, label="single runs")])
    return figure
