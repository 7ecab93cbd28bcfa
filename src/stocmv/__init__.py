"""Majority votes with a certificate: a proven upper bound on the error of `predict`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bounds, posteriors, risks, solvers, special, voters
    from .certificate import (
        Certificate,
        ChallengerMonitor,
        Monitor,
        Verification,
        certify,
        certify_predictions,
        compare_predictions,
        plan,
        plan_comparison,
    )
    from .checks import OrderTest, OrderWarning, RepeatedRowsWarning
    from .classifier import MajorityVoteClassifier
    from .learning import History, Learned, learn
    from .tables import audit
    from .votes import ScoreMatrix, VoteMatrix

# Each name is imported when it is first used: the command line would otherwise wait two seconds for scikit-learn.
_ROOMS = ("bounds", "posteriors", "risks", "solvers", "special", "voters")
_HOMES = {
    "certificate": (
        "Certificate",
        "ChallengerMonitor",
        "Monitor",
        "Verification",
        "certify",
        "certify_predictions",
        "compare_predictions",
        "plan",
        "plan_comparison",
    ),
    "checks": ("OrderTest", "OrderWarning", "RepeatedRowsWarning"),
    "classifier": ("MajorityVoteClassifier",),
    "learning": ("History", "Learned", "learn"),
    "tables": ("audit",),
    "votes": ("ScoreMatrix", "VoteMatrix"),
}

__all__ = [
    "Certificate",
    "ChallengerMonitor",
    "History",
    "Learned",
    "MajorityVoteClassifier",
    "Monitor",
    "OrderTest",
    "OrderWarning",
    "RepeatedRowsWarning",
    "ScoreMatrix",
    "Verification",
    "VoteMatrix",
    "audit",
    "bounds",
    "certify",
    "certify_predictions",
    "compare_predictions",
    "learn",
    "plan",
    "plan_comparison",
    "posteriors",
    "risks",
    "solvers",
    "special",
    "voters",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    home = next((room for room, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f".{home}", __name__), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
