"""Does a bound still hold? A test fed with labelled cases as they arrive."""

import hashlib
import json
import math
import os
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from .._files import whole_file
from ..bounds import check_delta
from ..votes import check_labels, group_names
from ._percent import percent_excluded

_ODDS = np.array([1.2, 1.5, 2.0, 3.5, 10.0])  # each bets that the odds of an error are this many times the bound's
_AT_ONCE = 0.5  # share of the capital that is bet from the first case on
_ERRORS = 100  # errors at the bound after which the reserve begins to fall noticeably
_SHORTEN = 1 - 2e-15  # more than a case can gain by rounding
_MOST = 1e300  # capital beyond which a bet gains no more
_POINTS = 1024  # points of the curve that are kept
_LONGEST = 1 << 24  # longest state that is read, in bytes
_LONGEST_NAME = 200


class Curve(NamedTuple):
    """The history of a monitor, thinned to at most about a thousand points; the last one is now."""

    n: NDArray
    evidence: NDArray
    errors: NDArray


class Monitor:
    r"""An anytime-valid test of "the error is at most the bound", fed with labelled cases as they arrive.

    It starts with a capital of 1 and bets on errors, at odds that are fair if each case, given all cases before it, is
    answered wrongly with probability at most ``bound``. The capital is the ``evidence`` against that, and an alarm is
    raised when it reaches :math:`1 / \delta`. If the bound holds, this *ever* happens with probability at most
    ``delta``, however often you look. Half of the capital is bet from the first case on, the other half little by
    little, so that an error that starts to rise late is noticed too.

    `Certificate.monitor` makes one for a certificate.

    Parameters
    ----------
    bound : float
        The bound on the error.
    delta : float
        Probability of a false alarm over all time.
    grouped : bool
        Whether a case is a group of rows, such as those of one patient; its loss is the mean over its rows.
    subject : str
        What is monitored, to tell the states of two votes apart.

    Attributes
    ----------
    n, errors : int, float
        Number of cases (or groups) with an answer, and the sum of their losses.
    unanswered : int
        Cases without an answer; they do not count.
    evidence, peak : float
        The capital now, and the largest so far.
    p_value : float
        One over the peak: an anytime-valid p-value.
    alarm, alarm_at : bool, int or None
        Whether the evidence has reached ``1 / delta``, and at which case it first did.
    batches : tuple of str
        Names of the batches that were counted.
    curve : Curve
        Evidence and errors along the way, for a figure.

    References
    ----------
    Ville (1939), Étude critique de la notion de collectif. Shafer (2021), Testing by betting. Shin, Ramdas and Rinaldo
    (2023), E-detectors: a nonparametric framework for sequential change detection. Waudby-Smith and Ramdas (2024),
    Estimating means of bounded random variables by betting.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import Monitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = Monitor(bound=0.05, delta=0.05)
    >>> as_promised, worse = rng.random(2000) < 0.04, rng.random(2000) < 0.1
    >>> monitor.update_losses(as_promised).alarm
    False
    >>> monitor.update_losses(worse).alarm
    True
    >>> 2000 < monitor.alarm_at < 2500
    True
    """

    format: ClassVar[str] = "stocmv monitor 1"

    def __init__(self, bound: float, delta: float = 0.05, *, grouped: bool = False, subject: str = "") -> None:
        if not 0 < bound < 1:
            raise ValueError(f"bound={bound!r}: only a bound above 0 and below 1 can be tested.")
        check_delta(delta)
        self.bound, self.delta = float(bound), float(delta)
        self.grouped, self.subject = bool(grouped), subject
        self.n, self.errors, self.unanswered = 0, 0.0, 0
        self.alarm_at: int | None = None
        self.peak = 1.0
        self.batches: tuple[str, ...] = ()
        self._wealth = np.full(len(_ODDS), _AT_ONCE / len(_ODDS))
        self._stride = 1
        self._curve: list[list[float]] = [[], []]

    @property
    def evidence(self) -> float:
        return _capital(self._wealth, _reserve(self.n, self.bound))

    @property
    def p_value(self) -> float:
        return 1 / self.peak

    @property
    def alarm(self) -> bool:
        return self.alarm_at is not None

    @property
    def curve(self) -> Curve:
        evidence, errors = (np.array(each, float) for each in self._curve)
        n = self._stride * np.arange(1, len(evidence) + 1)
        if self.n % self._stride:
            n, evidence = np.append(n, self.n), np.append(evidence, self.evidence)
            errors = np.append(errors, self.errors)
        return Curve(n, evidence, errors)

    def update(
        self,
        y: ArrayLike,
        predictions: ArrayLike,
        *,
        answered: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        batch: str | None = None,
    ) -> "Monitor":
        """Count new cases, in the order they arrived.

        Parameters
        ----------
        y : array-like of shape (n,)
            The true labels. A label that the vote does not know is an error.
        predictions : array-like of shape (n,)
            What the vote answered.
        answered : array-like of bool, optional
            Whether the vote answered; other cases do not count, whatever ``predictions`` says there.
        groups : array-like of shape (n,), optional
            The group of each row, for a bound on groups. Pass all rows of a group in one update: in a later update
            they count as another group.
        batch : str, optional
            A name for these cases. A batch whose name was counted before is skipped, so an update that may have been
            interrupted can safely be repeated.
        """
        truth, said = _column(y), _column(predictions)
        if truth.ndim != 1 or said.shape != truth.shape:
            raise ValueError(f"y and predictions must have one label for each case, got {truth.shape}, {said.shape}.")
        rows = _answered(answered, len(truth))
        if said.dtype == object and any(value is None for value in said[rows]):
            raise ValueError("predictions has None: pass answered to say which cases were answered.")
        losses = np.zeros(len(rows))
        losses[rows] = _differ(check_labels(truth[rows], "y", 1), check_labels(said[rows], "predictions", 1))
        return self.update_losses(losses, answered=answered, groups=groups, batch=batch)

    def update_losses(
        self,
        losses: ArrayLike,
        *,
        answered: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        batch: str | None = None,
    ) -> "Monitor":
        """Count new cases by their losses, each between 0 and 1; the other parameters are those of `update`."""
        values = np.asarray(losses, float)
        if values.ndim != 1 or not np.all((values >= 0) & (values <= 1)):
            raise ValueError("losses must be a list of numbers between 0 and 1, one for each case.")
        if batch is not None and not 0 < len(batch) <= _LONGEST_NAME:
            raise ValueError(f"batch must be a name of at most {_LONGEST_NAME} characters, got {batch!r:.250}.")
        if self.grouped != (groups is not None):
            need = "is on groups of rows: pass groups" if self.grouped else "is on rows: leave groups out"
            raise ValueError(f"The bound {need}.")
        if batch is not None and batch in self.batches:
            return self
        shares = _answered(answered, len(values)).astype(float)
        wrong = values * shares
        if groups is not None:
            wrong, shares = _group_means(groups, wrong, shares)
        counted = shares > 0
        self.unanswered += int(np.count_nonzero(~counted))
        self._count(wrong[counted], shares[counted])
        self.batches += () if batch is None else (batch,)
        return self

    def _count(self, wrong: NDArray, shares: NDArray) -> None:
        path = np.empty(len(wrong))
        _bet(wrong, shares, self.bound, self.n, self._wealth, path)
        if not len(path):
            return
        reached = np.flatnonzero(path >= 1 / self.delta)
        if self.alarm_at is None and len(reached):
            self.alarm_at = self.n + int(reached[0]) + 1
        self.peak = max(self.peak, float(path.max()))
        # a running sum, so that it does not matter how the cases are split into updates
        errors = np.cumsum(np.append(self.errors, wrong))[1:]
        self._keep(path, errors)
        self.n += len(path)
        self.errors = float(errors[-1])

    def _keep(self, path: NDArray, errors: NDArray) -> None:
        """Remember one in ``stride`` cases; drop every other one when they become too many."""
        while (self.n + len(path)) // self._stride > _POINTS:
            self._stride *= 2
            self._curve = [each[1::2] for each in self._curve]
        first = -self.n % self._stride or self._stride
        for kept, values in zip(self._curve, (path, errors), strict=True):
            kept += values[first - 1 :: self._stride].tolist()

    def statement(self) -> str:
        """What the cases say, in a sentence or two."""
        what, most = ("groups" if self.grouped else "cases"), percent_excluded(self.bound)
        counted = f"{self.n:,} {what}" + (f" with an answer ({self.unanswered:,} without)" if self.unanswered else "")
        share = f", {100 * self.errors / self.n:.2f} %" if self.n else ""
        seen = f"{counted}, {self.errors:,.6g} errors{share}"
        if self.alarm_at is None:
            return (
                f"No alarm: {seen}. The evidence against an error of at most {most} is {plain(self.evidence)}; at "
                f"{plain(1 / self.delta)} there is an alarm."
            )
        return (
            f"Alarm: the error is no longer at most {most}, or never was. The evidence against it reached "
            f"{plain(1 / self.delta)} with {what[:-1]} {self.alarm_at:,}, which happens with probability at most "
            f"{100 * self.delta:g} %, over all time, while the bound holds. So far {seen}; the evidence is now "
            f"{plain(self.evidence)}, its peak {plain(self.peak)}."
        )

    def __str__(self) -> str:
        return self.statement()

    def __repr__(self) -> str:
        return f"Monitor(bound={self.bound!r}, delta={self.delta!r}, n={self.n}, evidence={self.evidence:.4g})"

    def _state(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "bound": self.bound,
            "delta": self.delta,
            "grouped": self.grouped,
            "subject": self.subject,
            "n": self.n,
            "errors": self.errors,
            "unanswered": self.unanswered,
            "wealth": self._wealth.tolist(),
            "peak": self.peak,
            "alarm_at": self.alarm_at,
            "stride": self._stride,
            "curve": self._curve,
            "batches": list(self.batches),
        }

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self, path: str | os.PathLike | None = None) -> str:
        """The state as JSON text; also written atomically to ``path``, if given."""
        state = self._state()
        text = json.dumps({**state, "sha256": _digest(state)}, allow_nan=False)
        if path is not None:
            with whole_file(path) as file:
                file.write(text.encode())
        return text

    @classmethod
    def from_json(cls, path: str | os.PathLike) -> "Monitor":
        """Continue exactly where `to_json` stopped; refuse a file that is damaged or makes no sense."""
        with Path(path).open("rb") as file:
            text = file.read(_LONGEST + 1)
        try:
            return cls._restored(_parsed(text, cls.format))
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:
            why = str(error) if isinstance(error, ValueError) else "it is not of the right form"
            raise ValueError(f"{os.fspath(path)} is not the state of a monitor: {why.rstrip('.')}.") from error

    @classmethod
    def _restored(cls, state: dict[str, Any]) -> "Monitor":
        monitor = cls.__new__(cls)
        Monitor.__init__(monitor, state["bound"], state["delta"], grouped=state["grouped"], subject=state["subject"])
        monitor.n, monitor.errors, monitor.unanswered = state["n"], state["errors"], state["unanswered"]
        monitor.peak, monitor.alarm_at = state["peak"], state["alarm_at"]
        monitor.batches = tuple(state["batches"])
        monitor._wealth = np.array(state["wealth"])
        monitor._stride, monitor._curve = state["stride"], state["curve"]
        return monitor


def _reserve(n: int, bound: float) -> float:
    """The share of the capital that is not yet bet after ``n`` cases."""
    return (1 - _AT_ONCE) / math.sqrt(1 + bound * n / _ERRORS)


def _capital(wealth: NDArray, reserve: float) -> float:
    return (float(wealth.sum()) + reserve) * _SHORTEN


@njit(cache=True, nogil=True, error_model="numpy")
def _bet(wrong, shares, bound, n, wealth, path):
    """Play the cases one by one: update the wealth of each bet in place, and record the capital after each case."""
    held = (1 - _AT_ONCE) / math.sqrt(1 + bound * n / _ERRORS)
    for i in range(len(wrong)):
        left = (1 - _AT_ONCE) / math.sqrt(1 + bound * (n + i + 1) / _ERRORS)
        fresh = (held - left) / len(_ODDS)
        held = left
        capital = 0.0
        for j in range(len(_ODDS)):
            more = _ODDS[j] - 1
            # 1 + stake * (wrong - bound * shares), in a form without cancellation
            gain = (1 + more * (wrong[i] + bound * (1 - shares[i]))) / (1 + more * bound)
            wealth[j] = min((wealth[j] + fresh) * gain * _SHORTEN, _MOST)
            capital += wealth[j]
        path[i] = (capital + left) * _SHORTEN


def _answered(answered: ArrayLike | None, n: int) -> NDArray:
    if answered is None:
        return np.ones(n, bool)
    found = np.asarray(answered)
    if found.shape != (n,) or (found.dtype != bool and n):
        raise ValueError(f"answered must have a boolean for each of the {n} cases, got shape {found.shape}.")
    return found.astype(bool)


def _column(labels: ArrayLike) -> NDArray:
    """Labels as an array, before numpy converts them to one type."""
    return labels if isinstance(labels, np.ndarray) else np.asarray(labels, dtype=object)


def _differ(y: NDArray, predictions: NDArray) -> NDArray:
    if len(y) and (y.dtype.kind == "U") != (predictions.dtype.kind == "U"):
        raise ValueError("y holds strings and predictions numbers, or the other way round: use one kind.")
    return y != predictions if len(y) else np.zeros(0, bool)


def _group_means(groups: ArrayLike, wrong: NDArray, shares: NDArray) -> tuple[NDArray, NDArray]:
    """Mean loss and mean share of answers of each group, in the order of their first rows."""
    names = group_names(groups, len(wrong))
    _, first, place, sizes = np.unique(names, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    means = [np.bincount(place, values, len(sizes)) / sizes for values in (wrong, shares)]
    return np.minimum(means[0], means[1])[order], means[1][order]


def plain(value: float) -> str:
    if value < 0.1:
        return "below 0.1"
    return f"{value:,.3g}" if value < 100 else f"{value:,.0f}" if value < 1e6 else "more than a million"


def _digest(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _parsed(text: bytes, form: str) -> dict[str, Any]:
    """Parse a state that `to_json` wrote: every field must be present, of its type, and in its range."""
    if len(text) > _LONGEST:
        raise ValueError("it is too long")
    try:
        state = json.loads(text, parse_constant=_no_constant)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(state, dict) or state.get("format") != form:
        raise ValueError(f"its format is not {form!r}")
    digest = state.pop("sha256", None)
    fresh = Monitor(0.5)._state()
    if state.keys() != fresh.keys():
        raise ValueError("fields are missing or unknown")
    for name, value in fresh.items():
        if name != "alarm_at" and type(state[name]) is not type(value):
            raise ValueError(f"{name} is not of the right kind")
    # byte for byte, as numbers that are written differently may parse to the same value
    if digest != _digest(state) or json.dumps({**state, "sha256": digest}).encode() != text:
        raise ValueError("it was changed after it was written, its sha256 does not fit")
    wrong = [name for name, holds in _sensible(state) if not holds]
    if wrong:
        raise ValueError(f"{wrong[0]} makes no sense")
    return state


def _sensible(state: dict[str, Any]) -> list[tuple[str, bool]]:
    """For each field, whether a monitor can have written it."""
    n, alarm_at, curve, stride = (state[name] for name in ("n", "alarm_at", "curve", "stride"))
    reached = state["delta"] > 0 and state["peak"] >= 1 / state["delta"]
    return [
        ("n", 0 <= n <= 2**53),
        ("unanswered", 0 <= state["unanswered"] <= 2**53),
        ("errors", 0 <= state["errors"] <= n * (1 + 1e-9)),
        ("wealth", len(state["wealth"]) == len(_ODDS) and _are_floats(state["wealth"], _MOST)),
        ("peak", 1 <= state["peak"] <= 10 * _MOST),
        ("alarm_at", type(alarm_at) is int and 1 <= alarm_at <= n if reached else alarm_at is None),
        ("stride", 1 <= stride <= 2**53 and stride & (stride - 1) == 0),
        ("curve", len(curve) == 2 and all(_is_curve(each, n, stride) for each in curve)),
        ("batches", all(type(b) is str and 0 < len(b) <= _LONGEST_NAME for b in state["batches"])),
    ]


def _is_curve(values: Any, n: int, stride: int) -> bool:
    return type(values) is list and len(values) == n // max(stride, 1) <= _POINTS and _are_floats(values, 10 * _MOST)


def _are_floats(values: list[Any], most: float) -> bool:
    return all(type(value) is float and 0 <= value <= most for value in values)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
