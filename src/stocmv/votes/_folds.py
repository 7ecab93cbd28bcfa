"""The votes of all folds in one file."""

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._files import whole_file
from ._matrix import VoteMatrix, reading_votes
from ._out_of_bag import OutOfBagVotes
from ._partitioned import PartitionedVotes
from ._scores import ScoreMatrix
from ._votes import Votes

_NUMBER = "(0|[1-9][0-9]{0,8})"
_NAME = re.compile(f"fold_{_NUMBER}_(?:part_{_NUMBER}_)?([a-z_]+)")
_UNDIVIDED = -1


def save_folds(path: str | os.PathLike, votes: Sequence[Votes]) -> None:
    """Write the votes of several folds atomically to one file; those on a cluster are collected.

    Examples
    --------
    >>> import os, tempfile
    >>> from stocmv import VoteMatrix
    >>> from stocmv.votes import load_folds, save_folds
    >>> folds = [VoteMatrix.from_labels([[0, 1], [1, 1]], [0, 1])] * 2
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_folds(os.path.join(folder, "votes.npz"), folds)
    ...     len(load_folds(os.path.join(folder, "votes.npz")))
    2
    """
    arrays: dict[str, Any] = {}
    for k, fold in enumerate(votes):
        here = fold.collect()
        parts = here.parts if isinstance(here, PartitionedVotes) else None
        for part, matrix in enumerate(parts or [here.whole()]):
            prefix = f"fold_{k}_part_{part}" if parts else f"fold_{k}"
            arrays |= {f"{prefix}_{name}": content for name, content in matrix.whole()._arrays().items()}
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def load_folds(path: str | os.PathLike) -> list[Votes]:
    """Read a file that `save_folds` or `save` of a matrix wrote; nothing in the file can run code.

    Examples
    --------
    >>> import os, tempfile
    >>> from stocmv import VoteMatrix
    >>> from stocmv.votes import load_folds, save_folds
    >>> votes = VoteMatrix.from_labels([[0, 1], [1, 1]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_folds(os.path.join(folder, "votes.npz"), [votes])
    ...     (again,) = load_folds(os.path.join(folder, "votes.npz"))
    >>> again.n_voters
    2
    """
    with reading_votes(path) as arrays:
        if "bits" in arrays or "margins" in arrays:
            return [_matrix(arrays)]
        folds: dict[int, dict[int, dict[str, Any]]] = {}
        for name, content in arrays.items():
            found = _NAME.fullmatch(name)
            if found is None:
                raise ValueError(f"it has an array {name!r}.")
            parts = folds.setdefault(int(found[1]), {})
            parts.setdefault(_UNDIVIDED if found[2] is None else int(found[2]), {})[found[3]] = content
        if sorted(folds) != list(range(len(folds))) or not folds:
            raise ValueError("its folds are not numbered from 0.")
        return [_fold(folds[k]) for k in range(len(folds))]


def _fold(parts: dict[int, dict[str, Any]]) -> Votes:
    if list(parts) == [_UNDIVIDED]:
        return _matrix(parts[_UNDIVIDED])
    if sorted(parts) != list(range(len(parts))):
        raise ValueError("the parts of a fold are not numbered from 0.")
    return PartitionedVotes([VoteMatrix._from_arrays(parts[k]) for k in range(len(parts))])


def _matrix(arrays: dict[str, Any]) -> Votes:
    if "judged" in arrays:
        return OutOfBagVotes._from_arrays(arrays)
    return ScoreMatrix._from_arrays(arrays) if "margins" in arrays else VoteMatrix._from_arrays(arrays)
