"""How the kernels are compiled: for use from several threads, and without what they do not need.

They are not called through C pointers and allocate no arrays, so the code for both is left out (`no_cfunc_wrapper` and
`_nrt`), which shortens the compilation. Numba raises an error if a kernel allocates after all.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
    "_nrt": False,
}


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """The decorator of a kernel, with numba's ``options`` for it."""
    return njit(**_OPTIONS, **options)
