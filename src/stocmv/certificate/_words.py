"""Words that both kinds of certificates use."""

SAME_DISTRIBUTION = "The examples are independent draws from one distribution, and new examples come from the same one."
SILENCE = "; voters that do not answer an example have no say in it, and one that no voter answers counts as an error"


def counted(count: int, one: str, several: str = "") -> str:
    """A count with its noun, in the singular or plural."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def rule(answer: str, n_folds: int, abstains: bool) -> str:
    """What `predict` does, and what counts if no voter answers."""
    fold = "each example is given to one fold, then " if n_folds > 1 else ""
    return fold + answer + SILENCE * abstains
