"""The scikit-learn interface: a majority vote that fits like any classifier and carries a certificate."""

from ._classifier import MajorityVoteClassifier
from ._drawn import DrawnVote as DrawnVote
from ._input import InputForm as InputForm, checked_examples as checked_examples

__all__ = ["MajorityVoteClassifier"]
