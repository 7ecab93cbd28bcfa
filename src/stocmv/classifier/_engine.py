"""Where the work is done when the examples are a Dask collection."""

from typing import Any


def is_dask(X: Any) -> bool:
    """Whether it is a Dask array or data frame, found out without Dask."""
    return hasattr(X, "__dask_graph__") and hasattr(X, "to_delayed")


def engine() -> Any:
    """The room that works on a cluster."""
    from .. import engines

    return engines
