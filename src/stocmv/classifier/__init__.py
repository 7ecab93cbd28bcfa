"""The scikit-learn front: a majority vote that is fitted like any classifier and comes with its certificate."""

from ..protocols import OrderTest, OrderWarning, RepeatedRowsWarning
from ._classifier import MajorityVoteClassifier
from ._drawn import DrawnVote as DrawnVote

__all__ = ["MajorityVoteClassifier", "OrderTest", "OrderWarning", "RepeatedRowsWarning"]
