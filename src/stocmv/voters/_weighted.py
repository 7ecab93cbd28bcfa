"""Weights of the examples that train a classifier."""

import inspect
from typing import Any

from numpy.typing import NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline


def weight_arguments(estimator: Any, weights: NDArray | None) -> dict[str, NDArray]:
    """The keyword arguments of its ``fit`` that carry the weights of the examples.

    In a pipeline the weights are for the last step, unless scikit-learn's metadata routing is on, which finds the way.
    """
    if weights is None:
        return {}
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in weight_arguments(last, weights).items()}
    return {"sample_weight": weights}


def without_weights(estimator: Any) -> str | None:
    """Its name if it cannot be trained with weighted examples; None if it can, or passes them on to what can."""
    if isinstance(estimator, Pipeline):
        return without_weights(estimator.steps[-1][1])
    takes = inspect.signature(estimator.fit).parameters
    passes_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes.values())
    return None if passes_on or "sample_weight" in takes else type(estimator).__name__
