"""Our figures next to the paper's: which agree, which are lower, which are higher, and why."""

from dataclasses import dataclass

from ._methods import METHODS
from ._published import Figure, published
from ._reasons import reason_for
from ._summary import Mean, means
from ._units import Row

OURS = ("exact", "mc")
KINDS = {"test_error": "test error", "bound": "bound"}
_ROUNDING = 0.01  # percent: what the printed mean and deviation may hide


@dataclass(frozen=True)
class Cell:
    """One figure of the paper next to ours, in percent.

    Attributes
    ----------
    verdict : {"agrees", "lower", "higher"}
        Bounds of the paper's own two methods agree up to its mean plus one standard deviation; everything else within
        two standard deviations, the larger of its and ours.
    reason : str
        Why it differs, if it does and the reason is known.
    """

    table: str
    kind: str
    method: str
    dataset: str
    ours: Mean
    paper: Figure
    verdict: str
    reason: str

    @property
    def label(self) -> str:
        return f"{METHODS[self.method].label}, {self.dataset}"


def cells(table: str, rows: list[Row]) -> list[Cell]:
    """All figures of a table that we have too. The rows must have the errors that the paper reports."""
    found = []
    for kind in KINDS:
        for (method, dataset), share in means(rows, ["method", "dataset"], kind).items():
            paper = published(table, kind, method, dataset)
            if paper is None:
                continue
            ours = Mean(100 * share.mean, 100 * share.deviation, share.trials)
            verdict = _verdict(kind, method, ours, paper)
            reason = reason_for(table, kind, method, dataset, verdict)
            found.append(Cell(table, kind, method, dataset, ours, paper, verdict, reason))
    return found


def _verdict(kind: str, method: str, ours: Mean, paper: Figure) -> str:
    reach = 2 * max(paper.deviation, ours.deviation) + _ROUNDING
    above = paper.deviation + _ROUNDING if kind == "bound" and method in OURS else reach
    if ours.mean > paper.mean + above:
        return "higher"
    return "lower" if ours.mean < paper.mean - reach else "agrees"
