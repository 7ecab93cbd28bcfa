"""The votes of all folds in one file."""

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._files import whole_file
from ._matrix import VoteMatrix, reading_votes

_NAME = re.compile(r"fold_(0|[1-9][0-9]{0,8})_([a-z_]+)")


def save_folds(path: str | os.PathLike, votes: Sequence[VoteMatrix]) -> None:
    """Write the votes of several folds to one file, whole or not at all."""
    arrays = {f"fold_{k}_{name}": part for k, v in enumerate(votes) for name, part in v._arrays().items()}
    with whole_file(path) as file:
        np.savez_compressed(file, **arrays)


def load_folds(path: str | os.PathLike) -> list[VoteMatrix]:
    """Read what `save_folds`, or `VoteMatrix.save`, wrote; nothing in the file can run code."""
    with reading_votes(path) as parts:
        if "bits" in parts:
            return [VoteMatrix._from_arrays(parts)]
        folds: dict[int, dict[str, Any]] = {}
        for name, part in parts.items():
            found = _NAME.fullmatch(name)
            if found is None:
                raise ValueError(f"it has an array {name!r}.")
            folds.setdefault(int(found[1]), {})[found[2]] = part
        if sorted(folds) != list(range(len(folds))) or not folds:
            raise ValueError("its folds are not numbered from 0.")
        return [VoteMatrix._from_arrays(folds[k]) for k in range(len(folds))]
