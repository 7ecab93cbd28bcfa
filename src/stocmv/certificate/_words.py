"""The words of a certificate: what they say follows from the names of its parts."""

from ..bounds import Bound, Catoni, CatoniPerFold, McAllester, PrintedTheorem2, Seeger
from ..risks import RISKS

_BOUNDS: dict[str, type[Bound]] = {b.name: b for b in (Seeger, Catoni, CatoniPerFold, McAllester, PrintedTheorem2)}


def theorem(risk: str, bound: str, n_folds: int) -> str:
    """What the bound rests on."""
    crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
    return f"{_BOUNDS[bound].theorem}{crossed}, for the risk {risk!r}"


def is_proven(bound: str) -> bool:
    return _BOUNDS[bound].proven


def certified(risk: str) -> str:
    """What the bound is on."""
    return RISKS[risk].certified


def deterministic_rule(posterior: str, n_folds: int) -> str:
    """What the fixed vote does."""
    fold = "a fold is drawn in proportion to its size, then " if n_folds > 1 else ""
    rules = {
        "categorical": "the voters vote with their probabilities as weights",
        "dirichlet": "the voters vote with their mean weights",
        "logit_normal": "the class that a drawn vote answers most probably, at most twice the bound",
    }
    return fold + rules[posterior]
