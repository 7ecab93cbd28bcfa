"""A bound whose claim nobody has proven: what rests on it has to say so, wherever it is shown."""

from dataclasses import dataclass
from typing import ClassVar

from stocmv.bounds import Seeger


@dataclass(frozen=True)
class Guess(Seeger):
    name: ClassVar[str] = "guess"
    theorem: ClassVar[str] = "a guess"
    proven: ClassVar[bool] = False
