"""What the voters said, and the one pass over it that every risk is made of."""

from ._base import Votes as Votes
from ._curve import Curve as Curve
from ._folds import load_folds, save_folds
from ._labels import code_dtype as code_dtype, exact_labels as exact_labels, unsigned_codes as unsigned_codes
from ._matrix import VoteMatrix
from ._partitioned import PartitionedVotes as PartitionedVotes

__all__ = ["VoteMatrix", "load_folds", "save_folds"]
