"""The votes, packed, and the single pass over them that computes every risk."""

from ._classes import class_weights as class_weights, doubt as doubt, heaviest as heaviest
from ._curve import Curve as Curve
from ._folds import load_folds, save_folds
from ._groups import group_names as group_names
from ._labels import (
    check_answers as check_answers,
    check_classes as check_classes,
    check_labels as check_labels,
    code_dtype as code_dtype,
    encode as encode,
    encode_answers as encode_answers,
    exact_labels as exact_labels,
    is_missing as is_missing,
    labels_of as labels_of,
    unsigned_codes as unsigned_codes,
)
from ._matrix import VoteMatrix
from ._out_of_bag import OutOfBagVotes
from ._pairs import PairCounts as PairCounts
from ._partitioned import PartitionedVotes
from ._scores import ScoreMatrix, check_probabilities as check_probabilities
from ._sums import (
    added as added,
    added_in_groups as added_in_groups,
    scaled as scaled,
    shared_out as shared_out,
)
from ._threads import split_rows as split_rows, thread_map as thread_map
from ._votes import (
    Votes as Votes,
    check_device as check_device,
    fewest_judges as fewest_judges,
    random_rows as random_rows,
)

__all__ = ["OutOfBagVotes", "PartitionedVotes", "ScoreMatrix", "VoteMatrix", "load_folds", "save_folds"]
