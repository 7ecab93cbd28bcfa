"""Names by which `certificate` still asks votes. To be deleted once it uses `Votes.start`."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, islice
from operator import methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._votes import Votes

Query = Callable[[Votes], Any]


def Total(of: Callable) -> Query:
    return methodcaller("total", of)


def Mean(of: Callable) -> Query:
    return methodcaller("mean", of)


def Rows(rows: NDArray) -> Query:
    return methodcaller("take", rows)


def Digest() -> Query:
    return methodcaller("digest")


def Gather(of: Callable) -> Query:
    return partial(_gathered, of)


def ask(asked: Iterable[tuple[Votes, Query]]) -> list[Any]:
    started = [votes.start(query, votes) for votes, query in asked]
    return [wait() for wait in started]


def ask_each(*groups: Iterable[tuple[Votes, Query]]) -> list[list[Any]]:
    lists = [list(group) for group in groups]
    answers = iter(ask(chain.from_iterable(lists)))
    return [list(islice(answers, len(asked))) for asked in lists]


def joined_columns(found: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(None if parts[0] is None else np.concatenate(parts) for parts in zip(*found, strict=True))


def _gathered(of: Callable, votes: Votes) -> tuple[Any, ...]:
    return joined_columns(votes.each(of))
