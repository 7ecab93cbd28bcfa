"""Progress of long work: a callback for the numbers, and the logger "stocmv" for messages.

Messages at level INFO say what was done, those at level DEBUG report every iteration. ``verbose`` of the classifiers
shows them during a fit; to send them elsewhere, configure the logger like any other.
"""

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["listening"]

F = TypeVar("F", bound=Callable[..., Any])
Callback = Callable[[str, float, int | None], None]

logger = logging.getLogger("stocmv")

_guard = threading.Lock()
_handlers: list[logging.Handler] = []  # of `handled_by`
_before: tuple[int, bool] = (logging.NOTSET, True)  # without them: level of the logger, and whether it propagates
_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)


@contextmanager
def listening(callback: Callback) -> Iterator[None]:
    """Call a function whenever work in the block makes progress.

    Parameters
    ----------
    callback : callable
        Called as ``callback(stage, done, total)``: the stage ("training voters", "collecting votes", "learning",
        "certifying"), the number of steps done, and their total number, or None if it is not known.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.progress import listening
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> with listening(lambda stage, done, total: print(stage, done, total)):
    ...     clf = MajorityVoteClassifier(random_state=0).fit(X, y)
    training voters 0 1
    training voters 1 1
    collecting votes 0 1
    collecting votes 1 1
    certifying 0 1
    certifying 1 1
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def report(stage: str, done: float, total: int | None = None) -> None:
    """Call the callback, if there is one."""
    callback = _callback.get()
    if callback is not None:
        callback(stage, done, total)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Report the start and the end of work that is a single step."""
    report(name, 0, 1)
    yield
    report(name, 1, 1)


def verbosely(fit: F) -> F:
    """Decorate a method to print its log messages, according to its object's ``verbose``."""

    @wraps(fit)
    def shown(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.verbose:
            return fit(self, *args, **kwargs)
        thread = threading.get_ident()
        handler = logging.StreamHandler(sys.stdout)
        handler.setLevel(logging.INFO if self.verbose == 1 else logging.DEBUG)
        handler.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
        handler.addFilter(lambda record: record.thread == thread)  # not the messages of another fit
        with handled_by(handler):
            return fit(self, *args, **kwargs)

    return cast(F, shown)


@contextmanager
def handled_by(handler: logging.Handler) -> Iterator[None]:
    """Send messages logged in the block to a handler, down to its level; then restore the logger.

    An application that does not log at level INFO itself gets no additional messages. Blocks may overlap, in several
    threads.
    """
    global _before
    with _guard:
        if not _handlers:
            _before = logger.level, logger.propagate
            logger.propagate = logger.propagate and logger.isEnabledFor(logging.INFO)
        _handlers.append(handler)
        logger.addHandler(handler)
        logger.setLevel(min(handler.level, logger.getEffectiveLevel()))
    try:
        yield
    finally:
        with _guard:
            _handlers.remove(handler)
            logger.removeHandler(handler)
            if not _handlers:
                level, logger.propagate = _before
                logger.setLevel(level)
