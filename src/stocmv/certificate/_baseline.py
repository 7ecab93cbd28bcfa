"""Baselines without any model: always give the same answer, the most frequent one or the cheapest."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._percent import percent

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class Baseline(Figure):
    """Always giving the same answer: one that was fixed before, or the most frequent class of the judging examples."""

    name: ClassVar[str] = "baseline"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(self.name, scope.delta)]

    def compute(self, trial: Trial) -> dict[str, Any]:
        judgments, n, share = trial.judgments, sum(trial.sizes), self.share(trial)
        frequency = judgments.frequency()
        if trial.baseline is None:
            return most_frequent(judgments.classes, frequency, n, share, grouped=judgments.grouped)
        total = n - float(frequency[judgments.classes.tolist().index(trial.baseline)])
        bound = one_sample(total, n, share, counted=not judgments.grouped)
        return {"label": trial.baseline, "empirical_risk": total / n, "bound": bound, "fixed": True}

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        if certificate.cost:  # costs are compared instead
            return []
        remark = no_better(certificate.bound, content, certificate.again, certificate.subject)
        if not remark and certificate.empirical_risk >= content["empirical_risk"]:
            errors = percent(certificate.empirical_risk), percent(content["empirical_risk"])
            remark = (
                f"Measured, {certificate.subject} is no better than always answering {content['label']!r}: it errs on "
                f"{errors[0]}, that answer on {errors[1]}."
            )
        return [remark] if remark else []


def check_baseline(baseline: Any, labels: list[Any]) -> Any:
    """The class to compare with, as it is among the classes; None if there is none."""
    if baseline is None:
        return None
    if not np.isscalar(baseline) or baseline not in labels:
        raise ValueError(
            f"baseline must be one of the classes {labels!r}, got {baseline!r}; compare_predictions compares with the "
            "answers of another model."
        )
    return labels[labels.index(baseline)]


def no_better(bound: float, baseline: dict[str, Any], again: str, subject: str = "predict") -> str:
    """A sentence if the bound on `predict` is not below that of always giving the same answer; otherwise empty."""
    if bound < baseline["bound"]:
        return ""
    return (
        f"The bound on {subject} is no better than that of always answering {baseline['label']!r}, at most "
        f"{percent(baseline['bound'])}, {again}."
    )


def most_frequent(labels: NDArray, frequency: NDArray, n: int, delta: float, *, grouped: bool) -> dict[str, Any]:
    """The most frequent class, the error of always answering it, and the bound on that.

    Parameters
    ----------
    labels, frequency : ndarray of shape (n_classes,)
        The classes, and the number of examples of each.
    n, delta : int, float
        Number of examples, and the probability that the bound fails.
    grouped : bool
        Whether these are groups, which may be of several classes.
    """
    most = int(np.argmax(frequency >= frequency.max() * (1 - 1e-12)))  # the first of equally frequent classes
    total = n - float(frequency[most])
    return {
        "label": labels[most].item(),
        "empirical_risk": total / n,
        "bound": _upper(total, n, delta, counted=not grouped),
    }


def _upper(total: float, n: int, delta: float, *, counted: bool) -> float:
    """The bound on the error of an answer that was chosen on these same examples.

    Any class could have been chosen. For an answer that errs with probability p the bound may fail with probability
    ``delta (1 - p)``: the probabilities 1 - p of the classes sum to one, so this adds up to delta for any number of
    classes. Once one p is excluded at its level, so are all larger ones.
    """
    value = one_sample(total, n, delta, counted=counted)
    while (tried := value * (1 + 1e-11)) < 1:
        value = one_sample(total, n, delta * (1 - tried), counted=counted)
        if value <= tried:
            return tried
    return 1.0
