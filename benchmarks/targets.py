"""The targets of a section, and whether they were met."""

from typing import NamedTuple


class Target(NamedTuple):
    """A figure and the limit it should keep: ``sense`` is "<=" or ">="."""

    what: str
    figure: float
    sense: str
    limit: float
    unit: str = ""

    @property
    def reached(self) -> bool:
        return self.figure <= self.limit if self.sense == "<=" else self.figure >= self.limit

    def line(self) -> str:
        aim, figure = f"{self.sense} {short(self.limit)}{self.unit}", f"{short(self.figure)}{self.unit}"
        return f"{self.what:64}{aim:>12}{figure:>12}   {'reached' if self.reached else 'NOT reached'}"


def short(figure: float) -> str:
    return f"{figure:.3g}" if figure < 999 else f"{figure:,.0f}"
