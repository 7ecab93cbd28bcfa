"""Where votes come from: stumps, forests, any scikit-learn classifiers, frozen ones, or your own."""

from ._base import (
    Joined,
    Recoded,
    VoterSet,
    VoterSource,
    checked_codes,
    known_classes,
    out_of_bag_answers,
    recoded,
    train_voters,
)
from ._classifiers import Classifiers, Frozen
from ._encoded import Encoded
from ._ensemble import Ensemble
from ._hashing import hash_examples
from ._source import as_source
from ._stumps import Stumps
from ._transformed import Transformed

__all__ = [
    "Classifiers",
    "Encoded",
    "Ensemble",
    "Frozen",
    "Joined",
    "Recoded",
    "Stumps",
    "Transformed",
    "VoterSet",
    "VoterSource",
    "as_source",
    "checked_codes",
    "hash_examples",
    "known_classes",
    "out_of_bag_answers",
    "recoded",
    "train_voters",
]
