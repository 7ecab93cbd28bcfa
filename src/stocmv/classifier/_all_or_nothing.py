"""A `fit` that leaves the object fitted or unfitted, and nothing in between."""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])


def all_or_nothing(fit: F) -> F:
    """Decorate a `fit` that sets attributes: all of them are set when it ends, and until then the object is unfitted.

    It works on a copy, so that one that fails or is interrupted leaves nothing behind, also of an earlier fit.
    """

    @wraps(fit)
    def fit_anew(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.__dict__ = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        fitted = copy.copy(self)
        fit(fitted, *args, **kwargs)
        vars(self).update(vars(fitted))
        return self

    return cast(F, fit_anew)
