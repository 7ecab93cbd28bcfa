"""Majority votes with a certificate: a proven upper bound on the error of `predict`."""

from . import bounds, posteriors, risks, solvers, special, voters
from .certificate import Certificate, Monitor, Verification, certify
from .classifier import MajorityVoteClassifier, OrderTest, OrderWarning, RepeatedRowsWarning
from .learning import History, Learned, learn
from .naive_bayes import NaiveBayesVote
from .votes import VoteMatrix

__all__ = [
    "Certificate",
    "History",
    "Learned",
    "MajorityVoteClassifier",
    "Monitor",
    "NaiveBayesVote",
    "OrderTest",
    "OrderWarning",
    "RepeatedRowsWarning",
    "Verification",
    "VoteMatrix",
    "bounds",
    "certify",
    "learn",
    "posteriors",
    "risks",
    "solvers",
    "special",
    "voters",
]
__version__ = "0.1.0"
