"""The words of a certificate: what they say follows from its parts."""

from typing import Any


def theorem(bound_theorem: str, risk: str, n_folds: int) -> str:
    """What the bound rests on."""
    crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
    return f"{bound_theorem}{crossed}, for the risk {risk!r}"


def certified(risk_certified: str, one_voter: bool, n_folds: int) -> str:
    """What the bound is on."""
    if not one_voter:
        return risk_certified
    return "the error of the only voter" if n_folds == 1 else "the error of the voter of a drawn fold"


def unproven(**parts: Any) -> tuple[str, ...]:
    """The parts, given by their kind, whose claim is not proven."""
    return tuple(f"the {kind} {part.name!r}" for kind, part in parts.items() if not part.proven)


def deterministic_rule(posterior: str, n_folds: int, one_voter: bool) -> str:
    """What the fixed vote does."""
    fold = "a fold is drawn in proportion to its size, then " if n_folds > 1 else ""
    rules = {
        "categorical": "the voters vote with their probabilities as weights",
        "dirichlet": "the voters vote with their mean weights",
        "logit_normal": "the class that most of 2,000 votes answer, whose weights were drawn once",
    }
    return fold + ("its voter answers" if one_voter else rules.get(posterior, rules["dirichlet"]))
