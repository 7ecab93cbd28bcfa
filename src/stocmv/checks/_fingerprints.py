"""Fingerprints of examples, by which copies are found, also across the partitions of a cluster."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._row_hash import hash_rows


class Groups(NamedTuple):
    """Groups, and how many rows each of them has."""

    ids: NDArray  # sorted
    n_rows: NDArray

    @classmethod
    def joined(cls, parts: Sequence["Groups"]) -> "Groups":
        """The groups of several partitions; a group may have rows in each."""
        ids, place = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
        return cls(ids, np.bincount(place, np.concatenate([part.n_rows for part in parts])))


class Fingerprints(NamedTuple):
    """Fingerprints of all examples, or of those whose features have a fingerprint below a limit.

    Which examples are kept depends on their features alone, so copies of a kept one are kept on every worker of a
    cluster.
    """

    features: NDArray
    examples: NDArray  # features and label
    rows: NDArray  # their positions among the original examples
    n_rows: int  # before any were left out
    groups: NDArray | None = None
    limit: float = 2.0**64
    copies: NDArray | None = None  # with groups: number of rows of its group that an example stands for
    all_groups: Groups | None = None  # also those without an example here

    @classmethod
    def of(cls, X: Any, labels: NDArray, groups: NDArray | None = None) -> "Fingerprints":
        """Fingerprints of all examples; copies within a group count once."""
        features, target = hash_rows(X, b"features"), hash_rows(np.asarray(labels)[:, None], b"label")
        n = len(features)
        found = cls(features, features ^ target, np.arange(n), n, groups)
        if groups is None:
            return found
        all_groups = Groups(*np.unique(groups, return_counts=True))
        return found._replace(copies=np.ones(n), all_groups=all_groups)._once_in_a_group()

    def _once_in_a_group(self) -> "Fingerprints":
        """Without copies within a group; the number of rows is estimated if some were left out."""
        if self.groups is None:
            return self
        pairs = np.column_stack([self.examples, self.groups])
        _, first, place = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        copies = np.bincount(place.ravel(), self.copies)[order]
        left_out = (len(self.examples) - len(first)) * 2.0**64 / self.limit
        return self._take(first[order])._replace(n_rows=self.n_rows - round(left_out), copies=copies)

    def _take(self, kept: NDArray) -> "Fingerprints":
        names = ("features", "examples", "rows", "groups", "copies")
        return self._replace(**{name: own[kept] for name in names if (own := getattr(self, name)) is not None})

    def at_most(self, count: int) -> "Fingerprints":
        """About ``count`` examples, those with the smallest fingerprints."""
        if len(self.features) <= count:
            return self
        return self._below(float(np.partition(self.features, count)[count]))

    def _below(self, limit: float) -> "Fingerprints":
        return self._take(self.features < limit)._replace(limit=limit)

    @classmethod
    def joined(cls, parts: Sequence["Fingerprints"]) -> "Fingerprints":
        """Fingerprints of several partitions together, below the smallest of their limits."""
        limit = min(part.limit for part in parts)
        below = [part._below(limit) for part in parts]
        features, examples, rows = (np.concatenate(each) for each in zip(*(b[:3] for b in below), strict=True))
        found = cls(features, examples, rows, sum(part.n_rows for part in parts), limit=limit)
        if parts[0].groups is None:
            return found
        groups, copies = (np.concatenate([getattr(b, name) for b in below]) for name in ("groups", "copies"))
        all_groups = Groups.joined([part.all_groups for part in parts if part.all_groups is not None])
        return found._replace(groups=groups, copies=copies, all_groups=all_groups)._once_in_a_group()

    @property
    def n_units(self) -> int:
        """Number of independent draws: of rows, or of groups."""
        return self.n_rows if self.all_groups is None else len(self.all_groups.ids)

    @property
    def same_features(self) -> float:
        """Estimated probability that two examples have the same features.

        If there are groups, the examples are drawn as the risk weights them: a group, then one of its rows.
        """
        pairs = self.n_units * (self.n_units - 1.0) * (self.limit / 2.0**64)
        return min(self._equal_pairs() / pairs, 1.0) if pairs else 0.0

    def _equal_pairs(self) -> float:
        """Number of pairs of rows (or of groups, weighted by their shares of such rows) with equal features."""
        if self.groups is None or self.copies is None or self.all_groups is None:
            counts = np.unique(self.features, return_counts=True)[1].astype(float)
            return float((counts * (counts - 1)).sum())
        ids, n_rows = self.all_groups
        shares = self.copies / n_rows[np.searchsorted(ids, self.groups)]
        both, place = np.unique(np.column_stack([self.features, self.groups]), axis=0, return_inverse=True)
        in_group = np.bincount(place.ravel(), shares)
        feature = np.unique(both[:, 0], return_inverse=True)[1]
        return float((np.bincount(feature, in_group) ** 2 - np.bincount(feature, in_group**2)).sum())

    @property
    def may_coincide(self) -> float:
        r"""`same_features`, or how large it may be if no two of the examples have the same features.

        If it is :math:`c`, about :math:`n` draws (of rows, or of one row of each group) all differ with probability at
        most :math:`(1 + n \sqrt c) e^{-n \sqrt c}`, which is 5 % where :math:`n \sqrt c = 4.74`.
        """
        return min(max(self.same_features, (4.74 / max(self.n_units, 1)) ** 2), 1.0)

    @property
    def repeated(self) -> int:
        """Number of rows that repeat another one, label included; estimated if some were left out."""
        return round(n_repeats(self.examples) * 2.0**64 / self.limit)

    @property
    def duplicates(self) -> int:
        """Number of kept rows whose features repeat those of another one."""
        return n_repeats(self.features)

    @property
    def occurrences(self) -> NDArray:
        """How many examples, label included, occur once, twice, and so on, from 0 times."""
        return np.bincount(np.unique(self.examples, return_counts=True)[1])


def n_repeats(hashes: NDArray) -> int:
    """Number of hashes that repeat another one."""
    ordered = np.sort(hashes)  # sixty times faster than np.unique of numpy 2.4
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))
