"""What long work tells those who watch it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Listener = Callable[[str, int, int | None, str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a function told of the stages of all work in the block: stage, steps done, steps in all, and a remark."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(stage: str, done: int, total: int | None = None, remark: str = "") -> None:
    """Tell the listener, if there is one."""
    listener: Any = _listener.get()
    if listener is not None:
        listener(stage, done, total, remark)
