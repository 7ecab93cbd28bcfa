"""Rows that are copies of others, unless chance explains them."""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._fingerprints import Fingerprints, n_repeats
from ._row_hash import columns_of, hash_rows

_FEWEST = 10  # fewer repeated rows than this are not reported
_CLEAR = 4.0  # standard deviations beyond chance
_MANY = 0.05  # from this share of repeated rows on, repeated continuous values count as copies
_LOOKED_AT = 5000  # distinct rows whose values are inspected
_FEW = 0.01  # a smaller share of rows that agree in all columns is not reported
_DISTINCT = 30  # with fewer different rows, a table is too small to tell
_BEYOND = 0.5  # how far beyond chance, from 0 to 1, rows must agree in the left-out columns
_SINGLE = 12  # columns to leave out one by one: those in which the fewest rows agree by chance
_THIRDS = 3  # how often to leave out a third of the columns


class RepeatedRowsWarning(UserWarning):
    """Rows repeat more often than independent draws would: do not trust the certificate.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from stocmv import MajorityVoteClassifier, RepeatedRowsWarning
    >>> X = np.repeat(np.random.default_rng(0).normal(size=(100, 2)), 3, axis=0)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     clf = MajorityVoteClassifier("stumps", random_state=0).fit(X, X[:, 0] > 0)
    >>> any(warning.category is RepeatedRowsWarning for warning in caught)
    True
    """


def doubt_of_copies(fingerprints: Fingerprints, X: Any = None) -> str | None:
    """Caveat for the certificate if rows seem to be copies, by their number or by repeated continuous values."""
    if excess_of_copies(fingerprints.occurrences) > _CLEAR:
        why = "which independent draws do not explain."
    elif X is not None and _repeats_together(X, fingerprints):
        why = "and in a column that looks continuous hardly a value repeats unless the whole row does."
    else:
        return None
    return (
        f"{fingerprints.repeated:,} of the {fingerprints.n_rows:,} rows repeat another row, label included, {why} If "
        "they are copies, voters are judged on rows they were trained on, and no figure here holds: remove the copies "
        "and fit again."
    )


def _repeats_together(X: Any, fingerprints: Fingerprints) -> bool:
    """Whether many different rows repeat although some numeric column distinguishes nearly all different rows."""
    _, firsts, counts = np.unique(fingerprints.examples, return_index=True, return_counts=True)
    if np.count_nonzero(counts > 1) < max(_FEWEST, _MANY * fingerprints.n_rows / 2):
        return False
    rows = fingerprints.rows[firsts[:_LOOKED_AT]]
    return len(firsts) >= 10 * _FEWEST and any(_tells_rows_apart(column[rows]) for column in _float_columns(X))


def _float_columns(X: Any) -> Iterator[NDArray]:
    """The columns of floating-point numbers, of frames and of arrays."""
    table = np.asarray(X) if isinstance(X, list) else X
    if hasattr(table, "columns") or (isinstance(table, np.ndarray) and table.ndim == 2):
        yield from (column for column in columns_of(table) if column.dtype.kind == "f")


def _tells_rows_apart(values: NDArray) -> bool:
    """Whether nearly every distinct row has its own value, and the values are not on a coarse grid."""
    distinct = np.unique(values[np.isfinite(values)])
    if len(distinct) < 0.9 * len(values) or len(distinct) < 2:
        return False
    return float((distinct[-1] - distinct[0]) / np.diff(distinct).min()) > len(distinct) ** 1.5


def excess_of_copies(occurrences: NDArray) -> float:
    r"""Evidence that rows were copied, in standard deviations; ``occurrences[k]`` values occur ``k`` times.

    In independent draws a value of probability :math:`p` occurs about Poisson(:math:`np`) times. With :math:`f_k` the
    expected number of values that occur :math:`k` times, :math:`k! f_k` is the moment sequence
    :math:`\sum \mu^k e^{-\mu}`, so :math:`(k! f_k)^2 \le (k-1)! f_{k-1} (k+1)! f_{k+1}` by the Cauchy-Schwarz
    inequality, whatever the distribution. Rows copied a fixed number of times violate this.
    """
    f = np.append(occurrences, 0).astype(float)
    f[:1] = 0
    k = np.arange(2, len(f) - 1)
    k = k[f[k] * (k - 1) >= _FEWEST]
    if not len(k):
        return 0.0
    before, here, after = (f[k + step] + 0.5 for step in (-1, 0, 1))
    excess = 2 * np.log(here) - np.log(before) - np.log(after) + np.log(k / (k + 1))
    return float(np.max(excess / np.sqrt(4 / here + 1 / before + 1 / after)))


def count_repeats(columns: Sequence[NDArray], examples: NDArray, groups: NDArray | None = None) -> int:
    """Number of rows that repeat an earlier one (of another group); 0 if they are few or chance explains them.

    ``examples`` are the hashes of the rows with all ``columns``.

    If independent draws coincide, many more of them coincide in some columns only. So single columns and thirds of them
    are left out in turn: among the pairs of rows that agree in all other columns, the share that also agrees in these
    is compared with the share among all pairs. Copies always agree in them.
    """
    kept = np.arange(len(examples))
    if groups is not None:  # copies within a group count once
        kept = np.unique(examples + hash_rows(np.asarray(groups)[:, None], b"group"), return_index=True)[1]
    repeated = n_repeats(examples[kept])
    if repeated < max(_FEWEST, _FEW * len(kept)) or len(kept) - repeated < _DISTINCT:
        return 0
    hashed = [hash_rows(values[kept, None], f"column {j}".encode()) for j, values in enumerate(columns)]
    rows = reduce(np.add, hashed)
    rng = np.random.default_rng(0)
    single = sorted(hashed, key=_equal_pairs)[:_SINGLE]
    thirds = [reduce(np.add, _third(hashed, rng)) for _ in range(_THIRDS)]
    return repeated if all(_beyond_chance(rows, left_out) >= _BEYOND for left_out in [*single, *thirds]) else 0


def _third(hashed: list[NDArray], rng: np.random.Generator) -> list[NDArray]:
    return [hashed[j] for j in rng.choice(len(hashed), max(len(hashed) // 3, 1), replace=False)]


def _beyond_chance(rows: NDArray, left_out: NDArray) -> float:
    """How often rows that agree in all other columns also agree in those left out: 0 as by chance, 1 always."""
    chance = _equal_pairs(left_out) / (len(rows) * (len(rows) - 1) / 2)
    return 1.0 if chance == 1 else (_equal_pairs(rows) / _equal_pairs(rows - left_out) - chance) / (1 - chance)


def _equal_pairs(values: NDArray) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum() / 2)
