"""The scikit-learn interface: a majority vote that fits like any classifier and carries a certificate."""

from ..protocols import InputForm as InputForm
from ._classifier import MajorityVoteClassifier
from ._drawn import DrawnVote as DrawnVote

__all__ = ["MajorityVoteClassifier"]
