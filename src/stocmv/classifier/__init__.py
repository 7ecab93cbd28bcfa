"""The scikit-learn front: a majority vote that is fitted like any classifier and comes with its certificate."""

from ._classifier import MajorityVoteClassifier
from ._drawn import DrawnVote as DrawnVote
from ._order import OrderTest, OrderWarning
from ._repeats import RepeatedRowsWarning

__all__ = ["MajorityVoteClassifier", "OrderTest", "OrderWarning", "RepeatedRowsWarning"]
