"""What the voters said, and the one pass over it that every risk is made of."""

from ._base import Votes as Votes
from ._classes import class_weights as class_weights, heaviest as heaviest
from ._curve import Curve as Curve
from ._folds import load_folds, save_folds
from ._labels import (
    check_answers as check_answers,
    code_dtype as code_dtype,
    encode_answers as encode_answers,
    exact_labels as exact_labels,
    labels_of as labels_of,
    unsigned_codes as unsigned_codes,
)
from ._matrix import VoteMatrix
from ._partitioned import PartitionedVotes as PartitionedVotes

__all__ = ["VoteMatrix", "load_folds", "save_folds"]
