"""The exact error of the arg-max vote with several classes, over rows of labels.

For each row that the weights of the right and the wrong voters do not decide already: the concentration of each class
(one look-up per voter), the quadrature of the theory page's section "Several classes" from interpolated tables, and the
gradient back to the voters (one look-up per voter). A voter that does not answer has the code after the last class: its
weight goes into a slot that is never read.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..special import ROOT_RULE_FROM, GammaTables, gamma_tables
from ._grain import rounder
from ._threads import split_rows, thread_map

TIE = 1e-10  # weights that differ by less are tied; the order of summation changes them by less
_CERTAIN = 45.0  # exp(-45) = 3e-20, less than half a grain of any sum
_LANES = 4  # alternating running sums: otherwise neighbouring voters that agree would wait for each other's store


def argmax_pass(
    labels: NDArray,
    targets: NDArray,
    counts: NDArray,
    n_classes: int,
    weights: NDArray,
    wrong: NDArray,
    right: NDArray,
    tables: GammaTables,
    n_examples: int,
    abstains: bool = False,
) -> tuple[float, NDArray]:
    """Sum over rows of the probability that the vote is wrong, and its gradient by the voters' weights.

    Each summand is rounded as one of ``n_examples``. ``wrong`` and ``right`` are the weights of the voters that are
    wrong and right on each row; if voters abstain, their sums differ from row to row.
    """
    total = float(weights.sum())
    steepest = max(2, math.sqrt(n_classes) / 4) / max(min(total, math.sqrt(total)), 1e-300)  # observed, not a bound
    rounders = rounder(1.0, n_examples), rounder(steepest, n_examples)
    own_rules = abstains and not tables.root
    common = min(total, ROOT_RULE_FROM) if own_rules else total
    node_weights, tail = tables.node_weights(common), tables.tail(common)

    def work(start: int, stop: int) -> tuple[float, NDArray]:
        gradient = np.zeros(len(weights))
        value = _argmax_rows(
            labels[start:stop],
            targets[start:stop],
            counts[start:stop] if counts.size else counts,
            n_classes,
            weights,
            wrong[start:stop],
            right[start:stop],
            (tables.own, tables.rival, tables.offsets, tables.rows_per_unit, tables.root, tables.shift),
            node_weights,
            tail,
            tables.step,
            own_rules,
            rounders,
            gradient,
        )
        return value, gradient

    parts = thread_map(work, split_rows(len(labels), 16 * labels.shape[1]))
    return sum(p[0] for p in parts), np.sum([p[1] for p in parts], axis=0)


def abstaining_argmax_pass(
    labels: NDArray,
    targets: NDArray,
    counts: NDArray,
    n_classes: int,
    weights: NDArray,
    wrong: NDArray,
    right: NDArray,
    n_examples: int,
) -> tuple[float, NDArray]:
    """`argmax_pass` for voters that abstain: the weight that answers a row decides its quadrature rule."""
    value, gradient = 0.0, np.zeros(len(weights))
    small = wrong + right < ROOT_RULE_FROM
    for chosen, of in ((~small, max(float(weights.sum()), ROOT_RULE_FROM)), (small, 0.0)):
        rows = np.flatnonzero(chosen)
        if len(rows):
            own = labels[rows], targets[rows], counts[rows] if counts.size else counts
            sums = wrong[rows], right[rows]
            found = argmax_pass(*own, n_classes, weights, *sums, gamma_tables(of), n_examples, abstains=True)
            value, gradient = value + found[0], gradient + found[1]
    return value, gradient


def class_weights(labels: NDArray, n_classes: int, weights: NDArray) -> NDArray:
    """Total weight of the voters for each class, for each row: (n_rows, n_classes)."""
    out = np.empty((len(labels), n_classes))

    def work(start: int, stop: int) -> None:
        _class_weights_rows(labels[start:stop], n_classes, weights, out[start:stop])

    thread_map(work, split_rows(len(labels), labels.shape[1]))
    return out


def doubt(n_voters: int) -> float:
    """More than a share of the vote can change with the order in which the weights of this many voters are added."""
    return 1e-13 + 2.0**-51 * n_voters


def heaviest(weights: NDArray, tie: float | NDArray = TIE) -> NDArray:
    """The class that wins each row of weights that sum to one; of tied classes, the first.

    If voters abstain, the tolerance for ties is that share of a row's sum.
    """
    return (weights >= weights.max(1, keepdims=True) - tie).argmax(1)


def class_column_sums(labels: NDArray, row_class_values: NDArray) -> NDArray:
    """For each voter, the sum over rows of the value of the class that it answers."""
    n_voters = labels.shape[1]

    def work(start: int, stop: int) -> NDArray:
        out = np.zeros(n_voters)
        _class_columns_rows(labels[start:stop], row_class_values[start:stop], out)
        return out

    return np.sum(thread_map(work, split_rows(len(labels), n_voters)), axis=0)


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_classes(labels, i, weights, lanes, out):  # pragma: no cover - compiled
    n_voters = labels.shape[1]
    lanes[:] = 0.0
    whole = n_voters - n_voters % _LANES
    for j in range(0, whole, _LANES):
        lanes[0, labels[i, j]] += weights[j]
        lanes[1, labels[i, j + 1]] += weights[j + 1]
        lanes[2, labels[i, j + 2]] += weights[j + 2]
        lanes[3, labels[i, j + 3]] += weights[j + 3]
    for j in range(whole, n_voters):
        lanes[0, labels[i, j]] += weights[j]
    for k in range(out.shape[0]):
        out[k] = (lanes[0, k] + lanes[1, k]) + (lanes[2, k] + lanes[3, k])


@njit(cache=True, nogil=True, error_model="numpy")
def _class_weights_rows(labels, n_classes, weights, out):  # pragma: no cover - compiled
    lanes = np.empty((_LANES, n_classes + 1))
    for i in range(labels.shape[0]):
        _sum_classes(labels, i, weights, lanes, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def _class_columns_rows(labels, values, out):  # pragma: no cover - compiled
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            out[j] += values[i, labels[i, j]]


@njit(cache=True, nogil=True, error_model="numpy")
def _stencil(a, rows_per_unit, root, n_rows, c, d, k):  # pragma: no cover - compiled
    """First row of the interpolation at concentration ``a``; fills its weights ``c[k]`` and their slopes ``d[k]``."""
    if root:
        r = math.sqrt(a + 0.25)
        position = (r - 0.5) * rows_per_unit
        d_position = rows_per_unit / (2 * r)
    else:
        position = a * rows_per_unit
        d_position = rows_per_unit
    first = min(max(int(position) - 2, 0), n_rows - 6)
    u0 = position - first
    u1, u2, u3, u4, u5 = u0 - 1, u0 - 2, u0 - 3, u0 - 4, u0 - 5
    # products of the factors from the left (p) and from the right (q), with their derivatives
    p2, dp2 = u0 * u1, u0 + u1
    p3, dp3 = p2 * u2, dp2 * u2 + p2
    p4, dp4 = p3 * u3, dp3 * u3 + p3
    p5, dp5 = p4 * u4, dp4 * u4 + p4
    q3, dq3 = u4 * u5, u4 + u5
    q2, dq2 = q3 * u3, dq3 * u3 + q3
    q1, dq1 = q2 * u2, dq2 * u2 + q2
    q0, dq0 = q1 * u1, dq1 * u1 + q1
    c[k, 0] = q0 * (-1 / 120)
    c[k, 1] = u0 * q1 * (1 / 24)
    c[k, 2] = p2 * q2 * (-1 / 12)
    c[k, 3] = p3 * q3 * (1 / 12)
    c[k, 4] = p4 * u5 * (-1 / 24)
    c[k, 5] = p5 * (1 / 120)
    d[k, 0] = dq0 * (-1 / 120) * d_position
    d[k, 1] = (q1 + u0 * dq1) * (1 / 24) * d_position
    d[k, 2] = (dp2 * q2 + p2 * dq2) * (-1 / 12) * d_position
    d[k, 3] = (dp3 * q3 + p3 * dq3) * (1 / 12) * d_position
    d[k, 4] = (dp4 * u5 + p4) * (-1 / 24) * d_position
    d[k, 5] = dp5 * (1 / 120) * d_position
    return first


# Nodes are counted with unsigned integers throughout: a signed index may wrap around, which keeps the compiler from
# using vector instructions.


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"}, error_model="numpy")
def _interpolate(table, offsets, first, c, d, k, lo, hi, value, slope):  # pragma: no cover - compiled
    """Fill ``value[k, lo:hi]`` and ``slope[k, lo:hi]`` from six rows of the table."""
    for q in range(lo, hi):
        value[k, q] = 0.0
        slope[k, q] = 0.0
    for r in range(6):
        back = offsets[first + r]
        weight, d_weight = c[k, r], d[k, r]
        for q in range(lo, hi):
            value[k, q] += weight * table[first + r, q - back]
            slope[k, q] += d_weight * table[first + r, q - back]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"}, error_model="numpy")
def _win_probability(a, y, negligible, tables, node_weights, tail, work, gradient):  # pragma: no cover - compiled
    """Probability that class ``y`` wins at class concentrations ``a``; fills its gradient by them.

    Rivals of at most the concentration ``negligible`` are left out.
    """
    own, rival, offsets, rows_per_unit, root, shift = tables
    value, slope, before, after, c, d, rivals, first = work
    n_rows, width = own.shape[0], np.uint64(own.shape[1])
    n_rivals = 0
    lo = np.uint64(0)
    for k in range(a.shape[0]):
        gradient[k] = 0.0
        if a[k] > negligible or k == y:
            first[k] = _stencil(a[k], rows_per_unit, root, n_rows, c, d, k)
            lo = max(lo, offsets[first[k] + 5])
            if k != y:
                rivals[n_rivals] = k
                n_rivals += 1
    if n_rivals == 0:
        return 1.0
    hi = offsets[first[y]] + width
    if lo >= hi:
        return 0.0

    _interpolate(own, offsets, first[y], c, d, y, lo, hi, value, slope)
    for q in range(lo, hi):
        before[0, q] = node_weights[q] * value[y, q]
        slope[y, q] = node_weights[q] * (slope[y, q] + shift[q] * value[y, q])
    active = 0
    for m in range(n_rivals):
        k = rivals[m]
        end = min(hi, offsets[first[k]] + width)
        if end <= lo:
            continue  # this rival is certainly below at every node
        rivals[active] = k
        _interpolate(rival, offsets, first[k], c, d, k, lo, end, value, slope)
        for q in range(end, hi):
            value[k, q] = 1.0
            slope[k, q] = 0.0
        if not root:
            for q in range(lo, hi):
                slope[k, q] += shift[q] * value[k, q]
        for q in range(lo, hi):
            before[active + 1, q] = before[active, q] * value[k, q]
        active += 1

    geometric, geometric_index = tail
    lost = before[active, lo] * geometric_index
    probability = before[active, lo] * geometric
    for q in range(lo, hi):
        probability += before[active, q]
        after[q] = 1.0
    for m in range(active - 1, -1, -1):
        k = rivals[m]
        total = before[m, lo] * slope[k, lo] * after[lo] * geometric - lost
        for q in range(lo, hi):
            total += before[m, q] * slope[k, q] * after[q]
            after[q] *= value[k, q]
        gradient[k] = total
    total = slope[y, lo] * after[lo] * geometric - lost
    for q in range(lo, hi):
        total += slope[y, q] * after[q]
    gradient[y] = total
    return probability


@njit(cache=True, nogil=True, error_model="numpy")
def _is_decided(less, more):  # pragma: no cover - compiled
    """Whether a Gamma(less) variable exceeds a Gamma(more) variable with a probability that no sum would notice.

    Chernoff's bound on that probability is ``(s / 2 less)^less (s / 2 more)^more``, with ``s = less + more``.
    """
    if less <= 0.0:
        return more > 0.0
    if less >= more or more * math.log(2.0) < _CERTAIN:  # the bound is smallest for less = 0
        return False
    s = less + more
    return less * math.log(2.0 * less / s) + more * math.log(2.0 * more / s) > _CERTAIN


@njit(cache=True, nogil=True, error_model="numpy")
def _negligible(most):  # pragma: no cover - compiled
    """A concentration at which a class is as good as certain to lose against the one with the most.

    Entropy in bits is at most ``2 sqrt(p (1 - p))``, so Chernoff's bound above is at most
    ``2^-(sqrt(more) - sqrt(less))^2``. A rival that loses against another one or against the true class, whichever has
    more, does not change whether the true class wins.
    """
    root = math.sqrt(most) - math.sqrt(_CERTAIN / math.log(2.0))
    return root * root if root > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _argmax_rows(
    labels,
    targets,
    counts,
    n_classes,
    weights,
    wrong,
    right,
    tables,
    node_weights,
    tail,
    step,
    own_rules,
    rounders,
    gradient,
):  # pragma: no cover - compiled
    n_nodes = node_weights.shape[0]
    shift = tables[5]
    lanes = np.empty((_LANES, n_classes + 1))
    a = np.empty(n_classes)
    by_class = np.zeros(n_classes + 1)
    own_weights = node_weights.copy()
    work = (
        np.empty((n_classes, n_nodes)),
        np.empty((n_classes, n_nodes)),
        np.empty((n_classes + 1, n_nodes)),
        np.empty(n_nodes),
        np.empty((n_classes, 6)),
        np.empty((n_classes, 6)),
        np.empty(n_classes, np.int64),
        np.empty(n_classes, np.int64),
    )
    of_value, of_slope = rounders
    risk = 0.0
    for i in range(labels.shape[0]):
        if _is_decided(wrong[i], right[i]):
            continue  # all rivals together would not win
        count = counts[i] if counts.size else 1.0
        _sum_classes(labels, i, weights, lanes, a)
        y = np.int64(targets[i])
        own, rival = a[y], 0.0
        for k in range(n_classes):
            if k != y:
                rival = max(rival, a[k])
        if own <= 0.0 or _is_decided(own, rival):
            risk += count
            continue
        if _is_decided(rival, own):
            continue
        if own_rules:
            answered = wrong[i] + right[i]
            for q in range(n_nodes):
                own_weights[q] = step * math.exp(answered * shift[q])
            growth = math.expm1(answered * step)
            tail = (1 / growth, step * (1 + growth) / growth**2)
        probability = _win_probability(a, y, _negligible(max(own, rival)), tables, own_weights, tail, work, by_class)
        risk += count * (((1.0 - probability) + of_value) - of_value)
        if probability < 1.0:
            for k in range(n_classes):
                by_class[k] = -count * ((by_class[k] + of_slope) - of_slope)
            for j in range(labels.shape[1]):
                gradient[j] += by_class[labels[i, j]]
    return risk
