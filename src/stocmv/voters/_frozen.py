"""What was fitted before, inside what will be fitted."""

from collections.abc import Iterator
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _is_fitted

FROZEN_PARTS = "Parts of the voters are frozen: none of these examples helped to train or choose those parts."


def frozen_parts(value: Any) -> Iterator[Any]:
    """What stays fitted inside a value when it is cloned: frozen estimators, and fitted ones that functions refer to.

    `FunctionTransformer(selector.transform)` holds the fitted selector. So do partial functions, closures, default
    arguments, and functions that use it as a global variable; at any depth.
    """
    seen: dict[tuple[int, bool], Any] = {}
    waiting = [(value, False)]
    while waiting:
        part, kept = waiting.pop()  # kept: a clone has the same part, or a copy of it, and not a clone
        if (id(part), kept) in seen or isinstance(part, type | ModuleType):
            continue
        seen[id(part), kept] = part
        if isinstance(part, FrozenEstimator) or (kept and _is_fitted_estimator(part)):
            yield part
        else:
            kept = kept or not (_is_estimator(part) or isinstance(part, dict | list | tuple | set | frozenset))
            waiting.extend((inner, kept) for inner in _inside(part))


def is_frozen(value: Any) -> bool:
    """Whether a value holds a `FrozenEstimator`, at any depth."""
    return any(isinstance(part, FrozenEstimator) for part in frozen_parts(value))


def _is_estimator(part: Any) -> bool:
    return hasattr(part, "get_params")


def _is_fitted_estimator(part: Any) -> bool:
    return _is_estimator(part) and hasattr(part, "__dict__") and _is_fitted(part)


def _inside(part: Any) -> list[Any]:
    if isinstance(part, dict):
        return list(part.values())
    if isinstance(part, list | tuple | set | frozenset):
        return list(part)
    if _is_estimator(part):
        return list(part.get_params(deep=False).values())
    if isinstance(part, MethodType):
        return [part.__self__, part.__func__]
    if isinstance(part, partial):
        return [part.func, part.args, part.keywords]
    return _referred(part) if isinstance(part, FunctionType) else list(getattr(part, "__dict__", {}).values())


def _referred(function: FunctionType) -> list[Any]:
    """What a function refers to: its closure, defaults and attributes, and the global variables that it names."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != CellType()]
    scope = function.__globals__
    named = [scope[name] for name in _names(function.__code__) if name in scope]
    # other functions of the same module may refer to it in turn, those of libraries do not
    own = [part for part in named if getattr(part, "__globals__", scope) is scope]
    return [*cells, function.__defaults__, function.__kwdefaults__, vars(function), *own]


def _names(code: CodeType) -> set[str]:
    """The names that a function looks up, also in the functions that it defines."""
    inner = (_names(part) for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*inner)
