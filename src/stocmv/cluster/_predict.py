"""Answers of a fitted vote to Dask collections, as Dask collections."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._connection import current_client, is_dask


def by_partition(method: Callable) -> Callable:
    """Decorate a method that answers examples, so that it also answers each partition of a Dask collection."""

    @wraps(method)
    def answer(self: Any, X: Any, **settings: Any) -> Any:
        return answer_on_cluster(self, method.__name__, X, **settings) if is_dask(X) else method(self, X, **settings)

    return answer


def answer_on_cluster(clf: Any, method: str, X: Any, *, dtype: Any = None, **settings: Any) -> Any:
    """Apply a method of a fitted vote lazily to each partition.

    The answers have the type ``dtype``; by default that of the labels, or of numbers if the method ends in "_proba".
    """
    if "random_state" in settings:
        settings["random_state"] = check_random_state(settings["random_state"]).randint(2**31 - 1)
    from dask.delayed import delayed

    # each worker gets it once, under a unique name: the key of an equal model may be about to be released
    model = current_client().scatter(clf, broadcast=True, hash=False)
    probable = method.endswith("_proba")
    dtype = np.dtype(dtype or (float if probable else clf.classes_.dtype))
    if hasattr(X, "to_dask_array"):
        columns = len(clf.classes_) if probable else None
        ask = delayed(_answers)
        parts = [ask(model, method, part, k, settings) for k, part in enumerate(X.to_delayed())]
        return _joined(parts, columns, dtype)
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    chunks = (X.chunks[0], (len(clf.classes_),)) if probable else (X.chunks[0],)
    return X.map_blocks(
        _block_answers,
        model,
        method,
        settings,
        dtype=dtype,
        chunks=chunks,
        drop_axis=None if probable else 1,
        meta=np.empty((0, 0) if probable else (0,), dtype),
    )


def _joined(parts: list[Any], columns: int | None, dtype: Any) -> Any:
    import dask.array as da

    shape: tuple[Any, ...] = (np.nan,) if columns is None else (np.nan, columns)
    return da.concatenate([da.from_delayed(part, shape, dtype) for part in parts])


def _answers(clf: Any, method: str, X: Any, index: int, settings: dict[str, Any]) -> Any:
    if "random_state" in settings:
        settings = {"random_state": np.random.RandomState([settings["random_state"], index])}
    return getattr(clf, method)(X, **settings)


def _block_answers(X: Any, clf: Any, method: str, settings: dict[str, Any], block_info: Any = None) -> Any:
    index = block_info[0]["chunk-location"][0] if block_info else 0
    return _answers(clf, method, X, index, settings)
