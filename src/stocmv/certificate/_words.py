"""The words of a certificate, derived from its parts."""

from typing import Any

SILENCE = "; voters that do not answer an example have no say in it, and one that no voter answers counts as an error"

SPEAKERS = (
    "Voters that answered all judging examples alike form a bloc. The voter that speaks for a bloc in predict was "
    "drawn once, in proportion to the prior; the bound on predict is on the average over that draw."
)


COSTS_FIXED = "The costs were fixed before looking at these examples, for all classes that can occur."


def theorem(bound_theorem: str, risk: str, n_folds: int) -> str:
    """The theorem behind a bound that pays for learning."""
    crossed = f", cross-bounded over {n_folds} folds" if n_folds > 1 else ""
    return f"{bound_theorem}{crossed}, for the risk {risk!r}"


def tested_theorem(n_folds: int, grouped: bool, one_voter: bool, *, uneven_costs: bool) -> str:
    """The theorem behind a bound on a vote that was made without its judging examples."""
    if n_folds > 1:
        return f"the fold test over {n_folds} folds"
    exact = "Bentkus's bound for the means of groups" if grouped else "Clopper and Pearson's bound"
    others = ["the stochastic vote"] * (not one_voter) + ["the mean cost"] * uneven_costs
    return f"{exact}; Bentkus's bound for {' and '.join(others)}" if others else exact


def certified(risk_certified: str, one_voter: bool, n_folds: int) -> str:
    """What ``stochastic_bound`` bounds."""
    return one_vote(n_folds) if one_voter else risk_certified


def one_vote(n_folds: int) -> str:
    return "the error of the only voter" if n_folds == 1 else "the error of the voter of a drawn fold"


def stochastic_rule(n_folds: int) -> str:
    fold = "a fold and " if n_folds > 1 else ""
    return f"the error of the stochastic vote, which draws {fold}weights afresh for every example"


def unproven(**parts: Any) -> tuple[str, ...]:
    """The parts, passed by kind, that are not proven."""
    return tuple(f"the {kind} {part.name!r}" for kind, part in parts.items() if not part.proven)


def deterministic_rule(posterior_rule: str, n_folds: int, one_voter: bool, abstains: bool) -> str:
    """What the deterministic vote does, and what counts if no voter answers."""
    fold = "each example is given to one fold, then " if n_folds > 1 else ""
    return fold + ("its voter answers" if one_voter else posterior_rule) + SILENCE * abstains


def counted(count: int, one: str, several: str = "") -> str:
    """A count with its noun, in the singular or plural."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def protocol(name: str, learning: int, judging: int, *, tested: bool, grouped: bool) -> str:
    """Which examples made a vote, and which judged it."""
    kind = "groups" if grouped else "examples"
    if name == "folds" and tested:
        return f"All {judging:,} {kind} made the vote and judged it: the vote of each fold is made by the other folds."
    if not tested:
        taught = "the weights of each fold's voters were" if name == "folds" else "the weights were"
        return f"All {judging:,} {kind} judged the vote, and {taught} learned on them: the KL is the price of that."
    if learning:
        unit = "group" if grouped else "example"
        return f"{counted(learning, unit)} made the vote; {counted(judging, 'other')} only judged it."
    which = f"{judging:,} {kind} that were held out" if name == "holdout" else f"{judging:,} {kind}"
    return f"Nothing was learned here from the {which}: all of them only judged the vote."


def tested_assumptions(n_folds: int, grouped: bool, *, priced: bool) -> list[str]:
    """Assumptions of a certificate whose judging examples only tested."""
    drawn = (
        "The groups are independent draws from one distribution, and new groups come from the same one; within a "
        "group anything may depend on anything."
        if grouped
        else "The examples are independent draws from one distribution, and new examples come from the same one."
    )
    costs = [COSTS_FIXED] * priced
    if n_folds == 1:
        return [
            drawn,
            "The voters and their weights were chosen without looking at the examples that judge them.",
            "The bound and delta were fixed before looking at these examples.",
            *costs,
        ]
    return [
        drawn,
        "The voters and the weights of each fold were chosen without looking at the examples of that fold, and the "
        "folds were drawn without looking at the examples.",
        "The bound and delta were fixed before looking at these examples; the constants of each fold were chosen from "
        "the others.",
        *costs,
    ]
