"""Examples for the commands: of a file or a named data set, and of files that must fit a model."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..datasets import load, names
from ..tables import Expected, Table, read_table
from ..tables._columns import as_labels
from ..tables._read import named_labels
from ..voters import Encoded


def read_examples(
    data: str, target: str | None, kind: str | None, drop: tuple[str, ...], data_dir: str | None = None
) -> Table:
    """The table of a file, or of a data set of that name."""
    if Path(data).exists() or data not in names():
        if not Path(data).exists():
            raise ValueError(f"There is no file {data!r}, nor a data set of that name (see 'stocmv datasets').")
        return read_table(data, target, format=kind, drop=drop)
    if target is not None or drop:
        raise ValueError(f"{data!r} is a named data set: leave out --target and --drop.")
    dataset = load(data, data_dir=data_dir)
    y = as_labels(named_labels(np.asarray(dataset.y), np.asarray(dataset.target_names)), "target")
    return Table(dataset.X, y, dataset.name)


def read_like(model: Any, path: Path, kind: str | None = None, target: str | None = None) -> tuple[Any, NDArray | None]:
    """Examples for a fitted model, and their labels where a target is asked for."""
    expected = Expected(
        model.n_features_in_,
        tuple(getattr(model, "feature_names_in_", ())),
        tuple(model.voters.categorical) if isinstance(model.voters, Encoded) else (),
    )
    table = read_table(path, target, format=kind, needs_target=target is not None, expected=expected)
    if table.X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"{path.name} has {table.X.shape[1]} features, but the model was trained with {model.n_features_in_}."
        )
    return table.X, table.y
