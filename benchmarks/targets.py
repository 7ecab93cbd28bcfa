"""What a section aims at, and whether it got there."""

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
        aim = f"{self.sense} {self.limit:.3g}{self.unit}"
        figure = f"{self.figure:.3g}{self.unit}"
        return f"{self.what:64}{aim:>12}{figure:>12}   {'reached' if self.reached else 'NOT reached'}"
