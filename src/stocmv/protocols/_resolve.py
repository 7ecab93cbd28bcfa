"""From the classifier's parameters to one protocol: the only place where their names are compared."""

from typing import Any

import numpy as np

from ..bounds import BOUNDS, Bound
from ..voters import VoterSource
from ._choices import holdout_share, is_auto
from ._protocol import AllJudge, Folds, HoldOut, PacBayes, PacBayesPerFold, Protocol

_FOLDS = 3
_TESTS = ("auto", "fold_test", "clopper_pearson")
_PER_FOLD = "catoni_per_fold"


def is_test(bound: Any) -> bool:
    """Whether this name asks for a certificate whose judging examples only test."""
    return isinstance(bound, str) and bound in _TESTS


def is_fold_test(bound: Any) -> bool:
    """Whether this name asks for folds that only test."""
    return isinstance(bound, str) and bound == "fold_test"


def check_bound(bound: Any) -> None:
    """Refuse a bound that is not known."""
    names = (*_TESTS, *BOUNDS, _PER_FOLD)
    if bound not in names and not isinstance(bound, Bound):
        raise ValueError(f"bound must be one of {', '.join(map(repr, names))}, got {bound!r}.")


def choose_protocol(
    bound: Any, holdout: Any, n_folds: Any, *, source: VoterSource, sets_weights: bool, n: int, grouped: bool
) -> Protocol:
    """The protocol that these arguments ask for.

    Parameters
    ----------
    bound, holdout, n_folds
        The classifier's parameters.
    source : VoterSource
        Makes the voters.
    sets_weights : bool
        Whether weights are learned from the examples that do not judge, if the judging ones only test.
    n : int
        Number of examples, or of groups.
    grouped : bool
        Whether groups are counted.
    """
    tested = is_test(bound)
    by_folds = is_fold_test(bound)
    learns = source.learns or (tested and sets_weights)
    units, count = ("groups", f"n_groups = {n}") if grouped else ("examples", f"n_samples = {n}")
    if isinstance(holdout, Protocol):
        _check_alone(holdout, n_folds, bound)
        if len(holdout.cut.shares) == 1 and (source.learns or (holdout.weighs and sets_weights)):
            raise ValueError(f"holdout={holdout!r}: {units} must not judge a vote that they helped to make.")
        return holdout
    _check_arguments(bound, holdout, n_folds, tested=tested, by_folds=by_folds)
    if n_folds is None and (by_folds or not tested):
        n_folds = min(_FOLDS, n) if learns or by_folds else 1
    if n_folds is not None:
        if n_folds < 2 and (learns or tested):
            why = f"{units} must not judge a vote that they helped to make, so at least 2 folds are needed"
            raise ValueError(f"n_folds={n_folds} and {count}: {why}.")
        if n_folds > n:
            raise ValueError(f"n_folds={n_folds} is more than the number of {units}, {count}.")
        return Folds(int(n_folds), learns) if tested else _pac_bayes(int(n_folds), bound)
    if not learns:
        return AllJudge() if is_auto(holdout) or holdout in (0, None) else HoldOut(holdout, learns=False)
    share = holdout_share(n) if is_auto(holdout) else holdout
    if not share:
        raise ValueError(
            f"holdout={holdout!r} leaves no examples to judge the vote, and these voters or their weights are learned "
            "from examples: give a share or n_folds, or, if the voters do not learn, inner_folds=0 for equal weights."
        )
    if n < 2:
        raise ValueError(f"{count}: at least 2 {units} are needed, one to make the vote and one to judge it.")
    return HoldOut(share)


def _pac_bayes(n_folds: int, bound: str | Bound) -> PacBayes:
    per_fold = isinstance(bound, str) and bound == _PER_FOLD
    return PacBayesPerFold(n_folds) if per_fold else PacBayes(n_folds, bound)


def _check_alone(protocol: Protocol, n_folds: Any, bound: Any) -> None:
    if n_folds is not None or not is_auto(bound):
        raise ValueError(
            f"holdout is a protocol of its own, {type(protocol).__name__}, which says who judges and how: leave out "
            "n_folds and bound."
        )


def _check_arguments(bound: Any, holdout: Any, n_folds: Any, *, tested: bool, by_folds: bool) -> None:
    known = is_auto(holdout) or holdout is None
    if not known and not (isinstance(holdout, int | float | np.number) and 0 <= holdout < 1):
        raise ValueError(f"holdout must be 'auto' or a share of the examples between 0 and 1, got {holdout!r}.")
    whole = isinstance(n_folds, int | np.integer) and not isinstance(n_folds, bool) and n_folds >= 1
    if n_folds is not None and not whole:
        raise ValueError(f"n_folds must be None or a positive integer, got {n_folds!r}.")
    if isinstance(bound, str) and bound == "clopper_pearson" and n_folds is not None:
        raise ValueError(
            f"bound='clopper_pearson' and n_folds={n_folds!r}: that bound is for a hold-out, use bound='fold_test' for "
            "folds."
        )
    if known or not holdout:
        return
    if n_folds is not None:
        raise ValueError(f"holdout={holdout!r} and n_folds={n_folds!r}: give one of them.")
    if by_folds:
        raise ValueError(f"holdout={holdout!r} and bound='fold_test', which is for folds: give one of them.")
    if not tested:
        raise ValueError(
            f"holdout={holdout!r} needs a bound that only tests the vote: leave bound='auto', or use n_folds with a "
            "PAC-Bayes bound."
        )
