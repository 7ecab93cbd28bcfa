"""What the voters said, and the one pass over it that every risk is made of."""

from ._base import Votes
from ._curve import Curve
from ._folds import load_folds, save_folds
from ._labels import exact_labels
from ._matrix import VoteMatrix
from ._partitioned import PartitionedVotes

__all__ = ["Curve", "PartitionedVotes", "VoteMatrix", "Votes", "exact_labels", "load_folds", "save_folds"]
