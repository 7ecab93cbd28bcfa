"""Stochastic majority votes that come with a certificate."""

from . import bounds, posteriors, risks, solvers, special
from .certificate import Certificate, Verification, certify
from .learning import History, Learned, Step, learn
from .votes import VoteMatrix

__all__ = [
    "Certificate",
    "History",
    "Learned",
    "Step",
    "Verification",
    "VoteMatrix",
    "bounds",
    "certify",
    "learn",
    "posteriors",
    "risks",
    "solvers",
    "special",
]
__version__ = "0.1.0"
