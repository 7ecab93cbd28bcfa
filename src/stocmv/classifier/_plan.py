"""What the classifier's parameters ask for, resolved once into a plan before anything is trained."""

import platform
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
import sklearn

from ..bounds import check_delta
from ..certificate import check_cost
from ..learning import named, posterior_kind
from ..protocols import (
    HARD,
    SOFT,
    Examples,
    Plan,
    Recipe,
    VotingRule,
    check_bound,
    choose_protocol,
    is_test,
)
from ..risks import RISKS, Risk
from ..solvers import SOLVERS, Solver
from ..voters import VoterSource, as_source
from ..votes import check_device
from ._input import Beside

if TYPE_CHECKING:
    from ._classifier import MajorityVoteClassifier


def check_parameters(clf: "MajorityVoteClassifier") -> None:
    """Refuse parameters that are wrong, before the examples are looked at."""
    check_delta(clf.delta)
    check_device(clf.device)
    named(clf.solver, SOLVERS, Solver, "solver")
    check_bound(clf.bound)
    posterior_kind(clf.posterior, named(clf.risk, RISKS, Risk, "risk"))
    inner: Any = clf.inner_folds
    if clf.sides not in (1, 2):
        raise ValueError(f"sides must be 1 or 2, got {clf.sides!r}.")
    if not isinstance(inner, int | np.integer) or inner < 0 or inner == 1:
        raise ValueError(f"inner_folds must be 0 or an integer of at least 2, got {clf.inner_folds!r}.")


def choose_voting(clf: "MajorityVoteClassifier") -> tuple[VoterSource, VotingRule]:
    """The source of the voters, and how they vote: softly where the judges only test and every voter can."""
    if clf.voting not in ("auto", "soft", "hard"):
        raise ValueError(f"voting must be 'auto', 'soft' or 'hard', got {clf.voting!r}.")
    source = as_source(clf.voters)
    tests = is_test(clf.bound) and getattr(clf.holdout, "weighs", True)  # a protocol of the user's own may learn
    soft = source.soft() if clf.voting == "soft" or (clf.voting == "auto" and tests) else None
    if clf.voting == "soft":
        _check_soft(clf, soft)
    if soft is None or (clf.voting == "auto" and (soft.silent_about or clf.stochastic or clf.device is not None)):
        if named(clf.risk, RISKS, Risk, "risk").soft:
            raise ValueError(f"risk={clf.risk!r} is for voters that answer with probabilities: use voting='soft'.")
        return source, HARD
    return soft, SOFT


def _check_soft(clf: "MajorityVoteClassifier", soft: VoterSource | None) -> None:
    if soft is None:
        raise ValueError("voting='soft' needs voters with predict_proba, and none of these has it: use voting='hard'.")
    if clf.device is not None:
        raise ValueError(
            f"voting='soft' and device={clf.device!r}: a GPU learns the weights of answers, packed in bits, not of "
            "probabilities; use voting='hard', or leave out device."
        )


def plan_fit(clf: "MajorityVoteClassifier", examples: Examples, rule: VotingRule, beside: Beside) -> Plan:
    """How these examples make a vote, and how it is judged."""
    source, grouped = examples.source, beside.groups is not None
    equal = source.exchangeable or source.given_weights() is not None or clf.inner_folds == 0
    protocol = choose_protocol(
        clf.bound,
        clf.holdout,
        clf.n_folds,
        source=source,
        sets_weights=not equal,
        n=examples.n_units,
        grouped=grouped,
    )
    recipe = Recipe(
        source,
        examples.classes,
        weighs=protocol.weighs,
        estimates=protocol.estimates,
        rule=rule,
        inner_folds=int(clf.inner_folds),
        risk=clf.risk,
        posterior=clf.posterior,
        prior=clf.prior,
        solver=clf.solver,
        delta=clf.delta,
        device=clf.device,
    )
    costs = None if clf.cost is None else check_cost(clf.cost, examples.classes.tolist())
    plan = Plan(
        protocol,
        recipe,
        bool(clf.per_class),
        costs,
        bool(clf.stochastic),
        _context(clf, examples, rule),
        calibration=bool(clf.calibration),
        panel=bool(clf.panel),
        subgroups=beside.subgroups is not None,
        sides=int(clf.sides),
    )
    protocol.check(plan, grouped=grouped)
    return plan


def _context(clf: "MajorityVoteClassifier", examples: Examples, rule: VotingRule) -> dict[str, Any]:
    from .. import __version__

    unsure = examples.source.silent_about if rule.name == "soft" else ()
    return {
        "voters": examples.source.describe(),
        **({"without_probabilities": list(unsure)} if unsure else {}),
        "n_features": getattr(clf, "n_features_in_", None),
        "classes": [str(label) for label in examples.classes],
        "random_state": clf.random_state if isinstance(clf.random_state, int) else repr(clf.random_state),
        "versions": {
            "stocmv": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
        },
    }
