"""The exact error of the arg-max vote with several classes, over rows of labels.

For each row that the weights of the right and the wrong voters do not decide already: the concentration of each class
(one look-up per voter), the quadrature of the theory page's section "Several classes" from interpolated tables, and the
gradient back to the voters (one look-up per voter). A voter that does not answer has the code after the last class: its
weight goes into a slot that is never read.

Each of these three is a kernel that calls no other, so that nothing is compiled twice; numpy does the rest.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..special import ROOT_RULE_FROM, STENCIL, GammaTables, gamma_tables
from ._grain import rounder
from ._kernel import kernel
from ._threads import split_rows, thread_map

TIE = 1e-10  # weights that differ by less are tied; the order of summation changes them by less
_CERTAIN = 45.0  # exp(-45) = 3e-20, less than half a grain of any sum
_BLOCK = 4096  # rows for whose classes memory is taken at a time
_LANES = 4  # alternating running sums: otherwise neighbouring voters that agree would wait for each other's store
_CENTRE = (STENCIL - 1) / 2
_POINTS = np.arange(STENCIL) - _CENTRE
# coefficients, by falling powers, of the polynomials that are 1 at one point of a stencil and 0 at the others
_LAGRANGE = np.transpose(
    [np.poly(np.delete(_POINTS, i)) / np.prod(x - np.delete(_POINTS, i)) for i, x in enumerate(_POINTS)]
)


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
    of_value, of_slope = rounder(1.0, n_examples), rounder(steepest, n_examples)
    own_rules = abstains and not tables.root

    def block(start: int, stop: int, gradient: NDArray) -> float:
        rows = np.empty(stop - start, np.intp)
        rows = rows[: _undecided(wrong, right, start, rows)]
        concentrations = np.empty((len(rows), n_classes))
        _class_weights_rows(labels, rows, weights, np.zeros((_LANES, n_classes + 1)), concentrations)
        totals = wrong[rows] + right[rows] if own_rules else np.array([total])
        totals[totals == 0.0] = 1.0  # where no voter answers, the vote is wrong whatever the rule
        probability, by_class = _win_probabilities(concentrations, targets[rows].astype(np.uint64), tables, totals)
        count = counts[rows] if counts.size else np.ones(len(rows))
        by_class += of_slope
        by_class -= of_slope
        by_class *= -count[:, None]
        _class_columns_rows(labels, rows, by_class, gradient)
        return float(count @ (((1.0 - probability) + of_value) - of_value))

    def work(start: int, stop: int) -> tuple[float, NDArray]:
        gradient = np.zeros(len(weights))
        blocks = range(start, stop, _BLOCK)
        return sum(block(first, min(first + _BLOCK, stop), gradient) for first in blocks), gradient

    parts = thread_map(work, split_rows(len(labels), 16 * labels.shape[1]))
    return sum(p[0] for p in parts), np.sum([p[1] for p in parts], axis=0)


def _win_probabilities(
    concentrations: NDArray, y: NDArray, tables: GammaTables, totals: NDArray
) -> tuple[NDArray, NDArray]:
    """Probability that class ``y`` wins, for each row, and its gradient by the concentrations and a slot of zeros.

    ``totals`` are the sums of the concentrations, or one for all rows.
    """
    n_rows, n_classes = concentrations.shape
    n_nodes = len(tables.shift)
    probability, gradient = np.empty(n_rows), np.zeros((n_rows, n_classes + 1))
    _win_rows(
        concentrations,
        y,
        tables.factors,
        tables.offsets,
        float(tables.rows_per_unit),
        tables.root,
        tables.shift,
        tables.node_weights(totals),
        tables.tail(totals),
        np.empty((n_classes, n_nodes)),
        np.empty((n_classes, n_nodes)),
        np.empty((n_classes + 1, n_nodes)),
        np.empty(n_nodes),
        np.empty((2, n_classes)),
        np.empty((2, n_classes), np.uint64),
        probability,
        gradient,
    )
    return probability, gradient


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
        lanes = np.zeros((_LANES, n_classes + 1))
        _class_weights_rows(labels, np.arange(start, stop), weights, lanes, out[start:stop])

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
        _class_columns_rows(labels, np.arange(start, stop), row_class_values[start:stop], out)
        return out

    return np.sum(thread_map(work, split_rows(len(labels), n_voters)), axis=0)


@kernel()
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


@kernel(inline="always")
def _negligible(most):  # pragma: no cover - compiled
    """A concentration at which a class is as good as certain to lose against the one with the most.

    Entropy in bits is at most ``2 sqrt(p (1 - p))``, so Chernoff's bound above is at most
    ``2^-(sqrt(more) - sqrt(less))^2``. A rival that loses against another one or against the true class, whichever has
    more, does not change whether the true class wins.
    """
    root = math.sqrt(most) - math.sqrt(_CERTAIN / math.log(2.0))
    return root * root if root > 0.0 else 0.0


@kernel()
def _undecided(wrong, right, start, rows):  # pragma: no cover - compiled
    """Fill the numbers of the rows, from ``start``, on which all rivals together might win; returns how many."""
    found = 0
    for i in range(start, start + rows.shape[0]):
        if not _is_decided(wrong[i], right[i]):
            rows[found] = i
            found += 1
    return found


@kernel()
def _class_weights_rows(labels, rows, weights, lanes, out):  # pragma: no cover - compiled
    n_voters = labels.shape[1]
    whole = n_voters - n_voters % _LANES
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(0, whole, _LANES):
            for lane in range(_LANES):
                lanes[lane, labels[row, j + lane]] += weights[j + lane]
        for j in range(whole, n_voters):
            lanes[0, labels[row, j]] += weights[j]
        for k in range(out.shape[1]):
            out[i, k] = (lanes[0, k] + lanes[1, k]) + (lanes[2, k] + lanes[3, k])
            for lane in range(_LANES):
                lanes[lane, k] = 0.0


@kernel()
def _class_columns_rows(labels, rows, values, out):  # pragma: no cover - compiled
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(labels.shape[1]):
            out[j] += values[i, labels[row, j]]


# Nodes are counted with unsigned integers throughout: a signed index may wrap around, which keeps the compiler from
# using vector instructions. Sums may be reordered for the same reason, so the results are rounded to the grain outside
# these kernels: here (x + rounder) - rounder could become x.


@kernel(fastmath={"contract", "reassoc", "nsz"}, inline="always")
def _interpolate(factors, table, offsets, first, u, speed, lo, end, m, value, slope):  # pragma: no cover - compiled
    """Add to ``value[m]`` and ``slope[m]`` the factors, and ``speed`` times their slopes, at ``u`` of a stencil."""
    for s in range(STENCIL):
        weight, d_weight = _LAGRANGE[0, s], 0.0
        for power in range(1, STENCIL):
            d_weight = d_weight * u + weight
            weight = weight * u + _LAGRANGE[power, s]
        d_weight *= speed
        row = first + np.uint64(s)
        back = offsets[row]
        for q in range(lo, end):
            factor = factors[table, row, q - back]
            value[m, q] += weight * factor
            slope[m, q] += d_weight * factor


@kernel(fastmath={"contract", "reassoc", "nsz"})
def _win_rows(
    a,
    y,
    factors,
    offsets,
    rows_per_unit,
    root,
    shift,
    node_weights,
    tails,
    value,
    slope,
    before,
    after,
    places,
    chosen,
    probability,
    gradient,
):  # pragma: no cover - compiled
    """Fill the probabilities that class ``y`` wins at class concentrations ``a``, and their gradients by them."""
    n_classes = np.uint64(a.shape[1])
    last_first = factors.shape[1] - STENCIL
    width = np.uint64(factors.shape[2])
    for i in range(a.shape[0]):
        mine = y[i]
        own, rival = a[i, mine], 0.0
        for k in range(n_classes):
            if k != mine and a[i, k] > rival:
                rival = a[i, k]
        if own <= 0.0 or _is_decided(own, rival) or _is_decided(rival, own):
            probability[i] = 1.0 if own > rival else 0.0
            continue
        negligible = _negligible(own if own > rival else rival)
        rule = i if node_weights.shape[0] > 1 else 0
        lo = np.uint64(0)
        n_chosen = 0
        for k in range(n_classes):
            if k == mine or a[i, k] > negligible:
                speed = rows_per_unit
                position = a[i, k] * rows_per_unit
                if root:
                    r = math.sqrt(a[i, k] + 0.25)
                    position = (r - 0.5) * rows_per_unit
                    speed = rows_per_unit / (2 * r)
                before_it = np.int64(position) - 2
                first = 0 if before_it < 0 else last_first if before_it > last_first else before_it
                places[0, k] = position - first - _CENTRE
                places[1, k] = speed
                chosen[0, k] = first
                start = offsets[first + STENCIL - 1]
                lo = start if start > lo else lo
                n_chosen += 1
        hi = offsets[chosen[0, mine]] + width
        if n_chosen == 1 or lo >= hi:
            probability[i] = 1.0 if n_chosen == 1 else 0.0
            continue

        for q in range(lo, hi):
            before[0, q] = node_weights[rule, q]
            after[q] = 1.0
        active = 0
        for m in range(n_classes + np.uint64(1)):
            which = m - np.uint64(1) if m else mine  # the class in question comes first
            if m and (which == mine or a[i, which] <= negligible):
                continue
            end = offsets[chosen[0, which]] + width
            end = end if end < hi else hi
            if end <= lo:
                continue  # this rival is certainly below at every node
            for q in range(lo, hi):
                value[active, q] = 1.0 if q >= end else 0.0
                slope[active, q] = 0.0
            table = np.uint64(m > 0)
            _interpolate(
                factors,
                table,
                offsets,
                chosen[0, which],
                places[0, which],
                places[1, which],
                lo,
                end,
                active,
                value,
                slope,
            )
            for q in range(lo, hi):
                slope[active, q] += shift[q] * value[active, q]
                before[active + 1, q] = before[active, q] * value[active, q]
            chosen[1, active] = which
            active += 1

        lost = before[active, lo] * tails[rule, 1]
        total = before[active, lo] * tails[rule, 0]
        for q in range(lo, hi):
            total += before[active, q]
        probability[i] = total
        if total >= 1.0:
            continue
        for m in range(active - 1, -1, -1):
            total = before[m, lo] * slope[m, lo] * after[lo] * tails[rule, 0] - lost
            for q in range(lo, hi):
                total += before[m, q] * slope[m, q] * after[q]
                after[q] *= value[m, q]
            gradient[i, chosen[1, m]] = total
