"""What the classifier's parameters ask for."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..bounds import BOUNDS, Bound, check_delta
from ..certificate import check_per_class, check_tested
from ..learning import named, posterior_kind
from ..protocols import TESTS, Cut, Examples, Recipe, choose_cut, is_tested
from ..risks import RISKS, Risk
from ..solvers import SOLVERS, Solver
from ..votes import check_device

if TYPE_CHECKING:
    from ._classifier import MajorityVoteClassifier


def check_parameters(clf: "MajorityVoteClassifier", *, grouped: bool) -> None:
    """Refuse parameters that are wrong or do not go together, before anything is trained."""
    check_delta(clf.delta)
    check_device(clf.device)
    named(clf.solver, SOLVERS, Solver, "solver")
    kind = posterior_kind(clf.posterior, named(clf.risk, RISKS, Risk, "risk"))
    if is_tested(clf.bound):
        check_tested(kind)
        if clf.bound == "clopper_pearson" and clf.n_folds is not None:
            raise ValueError(
                f"bound='clopper_pearson' and n_folds={clf.n_folds!r}: that bound is for a hold-out, use "
                "bound='fold_test' for folds."
            )
    else:
        check_per_class(clf.per_class, kind)
        if clf.cost is not None:
            raise ValueError(f"cost needs a vote that is only tested, not bound={clf.bound!r}: use bound='auto'.")
        if grouped:
            raise ValueError(f"groups need a vote that is only tested, not bound={clf.bound!r}: use bound='auto'.")
        names = (*TESTS, *BOUNDS, "catoni_per_fold")
        if clf.bound not in names and not isinstance(clf.bound, Bound):
            raise ValueError(f"bound must be one of {', '.join(map(repr, names))}, got {clf.bound!r}.")
    inner: Any = clf.inner_folds
    if not isinstance(inner, int | np.integer) or inner < 0 or inner == 1:
        raise ValueError(f"inner_folds must be 0 or an integer of at least 2, got {clf.inner_folds!r}.")


def wanted_recipe(clf: "MajorityVoteClassifier", examples: Examples) -> Recipe:
    """How to make a vote from the examples that do not judge it."""
    tested = is_tested(clf.bound)
    tuned = isinstance(clf.bound, str) and clf.bound in ("fold_test", "catoni_per_fold")
    return Recipe(
        examples.source,
        examples.classes,
        weighs=tested,
        estimates=tuned or (tested and clf.n_folds is not None),
        inner_folds=int(clf.inner_folds),
        risk=clf.risk,
        posterior=clf.posterior,
        prior=clf.prior,
        solver=clf.solver,
        delta=clf.delta,
        device=clf.device,
    )


def wanted_cut(clf: "MajorityVoteClassifier", recipe: Recipe, n: int, *, grouped: bool) -> Cut:
    """Which examples judge."""
    return choose_cut(
        clf.holdout,
        clf.n_folds,
        n,
        tested=recipe.weighs,
        folds_wanted=isinstance(clf.bound, str) and clf.bound == "fold_test",
        learns=recipe.learns,
        grouped=grouped,
    )
