"""What the voters said, and the one pass over it that every risk is made of."""

from ._curve import Curve
from ._folds import load_folds, save_folds
from ._matrix import VoteMatrix

__all__ = ["Curve", "VoteMatrix", "load_folds", "save_folds"]
