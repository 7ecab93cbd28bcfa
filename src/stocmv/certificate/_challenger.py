"""Does the challenger err less than the champion? A test fed with labelled cases as they arrive."""

from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..votes import check_labels, is_missing
from ._monitor import Monitor, plain
from ._words import counted

_EVEN = 0.5


class ChallengerMonitor(Monitor):
    r"""An anytime-valid test of whether a challenger errs less than the champion, on labelled cases as they arrive.

    Only cases on which exactly one of the two errs say anything. If the challenger errs at least as often as the
    champion, the champion is the one that errs on at most half of them. This is a bound of 1/2, which a `Monitor`
    tests: it starts with a capital of 1 and bets that the champion errs, at even odds. Once the capital, the
    ``evidence``, reaches :math:`1 / \delta`, the challenger errs less. If it does not, this *ever* happens with
    probability at most ``delta``, however often you look.

    Both models must be fixed before the first case. To ask the other way round, exchange them.

    Parameters
    ----------
    delta : float
        Probability that the challenger is ever found better although it is not.
    grouped : bool
        Whether a case is a group of rows, such as those of one patient; what is compared is then the mean over its
        rows.
    subject : str
        What is monitored, to tell the states of two tests apart.

    Attributes
    ----------
    n : int
        Number of cases on which exactly one model erred; of groups, those with such rows.
    only_champion, only_challenger : int or None
        On how many of them the champion erred, and the challenger; None for groups.
    unanswered : int
        Cases on which both erred or both were right; they do not change the evidence.
    evidence, peak, p_value, curve, batches
        As for `Monitor`.
    alarm, alarm_at : bool, int or None
        Whether the challenger was found better, and at which of the ``n`` cases.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import ChallengerMonitor
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=3000)
    >>> champion, challenger = (np.where(rng.random(3000) < e, 1 - truth, truth) for e in (0.1, 0.06))
    >>> test = ChallengerMonitor().update(truth, champion, challenger)
    >>> test.alarm
    True
    """

    format: ClassVar[str] = "stocmv challenger monitor 1"

    def __init__(self, delta: float = 0.05, *, grouped: bool = False, subject: str = "") -> None:
        super().__init__(_EVEN, delta, grouped=grouped, subject=subject)

    @property
    def only_champion(self) -> int | None:
        return None if self.grouped else int(self.errors)

    @property
    def only_challenger(self) -> int | None:
        return None if self.grouped else self.n - int(self.errors)

    def update(  # type: ignore[override]
        self,
        y: ArrayLike,
        champion: ArrayLike,
        challenger: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        batch: str | None = None,
    ) -> "ChallengerMonitor":
        """Count new cases, in the order they arrived.

        Parameters
        ----------
        y : array-like of shape (n,)
            The true labels.
        champion, challenger : array-like of shape (n,)
            What each model answered. A missing answer is an error.
        groups, batch
            As for `Monitor.update`.
        """
        truth = check_labels(y, "y", 1)
        old, new = (_wrong(truth, said, name) for name, said in (("champion", champion), ("challenger", challenger)))
        self.update_losses(old & ~new, answered=old != new, groups=groups, batch=batch)
        return self

    def statement(self) -> str:
        """What the cases say, in a sentence or two."""
        unit = "group" if self.grouped else "case"
        seen = f"exactly one of them erred in {self.n:,} of {counted(self.n + self.unanswered, unit)}"
        if not self.grouped:
            seen += f", {self.only_champion:,} times the champion and {self.only_challenger:,} times the challenger"
        if self.alarm_at is None:
            return (
                f"Not decided: {seen}. The evidence that the challenger errs less is {plain(self.evidence)}; at "
                f"{plain(1 / self.delta)} it is shown."
            )
        return (
            f"The challenger errs less than the champion. The evidence for it reached {plain(1 / self.delta)} with "
            f"number {self.alarm_at:,} of these {unit}s, which happens with probability at most "
            f"{100 * self.delta:g} %, over all time, if the challenger errs at least as often. So far {seen}; the "
            f"evidence is now {plain(self.evidence)}, its peak {plain(self.peak)}."
        )

    @classmethod
    def _restored(cls, state: dict[str, Any]) -> "ChallengerMonitor":
        if state["bound"] != _EVEN:
            raise ValueError("bound makes no sense")
        return cast("ChallengerMonitor", super()._restored(state))

    def __repr__(self) -> str:
        return f"ChallengerMonitor(delta={self.delta!r}, n={self.n}, evidence={self.evidence:.4g})"


def _wrong(truth: NDArray, answers: ArrayLike, name: str) -> NDArray:
    """Whether each answer is an error, as a missing one is."""
    said = answers if isinstance(answers, np.ndarray) else np.asarray(answers, object)
    if said.shape != truth.shape:
        raise ValueError(f"y and {name} must have one label for each case, got {truth.shape}, {said.shape}.")
    given = np.ones(len(said), bool)
    if said.dtype.kind not in "biuUS":
        given = ~np.array([is_missing(value) for value in said.tolist()], bool)
    wrong: NDArray[Any] = np.ones(len(truth), bool)
    if given.any():
        labels = check_labels(said[given], name, 1)
        if (labels.dtype.kind in "US") != (truth.dtype.kind in "US"):
            raise ValueError(f"y holds strings and {name} numbers, or the other way round: use one kind.")
        wrong[given] = labels != truth[given]
    return wrong
