"""The error given each true class: one minus its recall."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._judgments import Judgments
from ._percent import percent_down
from ._tables import Row, Table
from ._words import counted

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class Recalls(Figure):
    """What `predict` finds of each class, measured only."""

    name: ClassVar[str] = "recalls"

    def claims(self, scope: Scope) -> list[Claim]:
        return []

    def compute(self, trial: Trial) -> list[dict[str, Any]]:
        by_class = [own.errors for own in trial.judgments.by_class()]
        return measured_recalls(trial.judgments.classes, *np.array(by_class).T)

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        judges = f"{'groups' if certificate.grouped else 'examples'} that judge it"
        remark = low_recall(content, judges, averaged=certificate.grouped)
        return [remark] if remark else []


class Classes(Figure):
    """Bounds on the error given the true class, for all classes at once.

    Given the labels, the examples of a class are i.i.d. draws from it. With folds, the scales of a class are
    proportional to those of the test of all examples, so that the folds are drawn with the same shares.
    """

    name: ClassVar[str] = "classes"

    def claims(self, scope: Scope) -> list[Claim]:
        votes = ["classes", *(["classes, stochastic vote"] * scope.stochastic)]
        return [claim(vote, scope.delta, {"classes": scope.classes}) for vote in votes]

    def compute(self, trial: Trial) -> list[dict[str, Any]]:
        members = zip(*(fold.by_class() for fold in trial.folds), strict=True)
        return [self._of_class(trial, c, of_class) for c, of_class in enumerate(members)]

    def _of_class(self, trial: Trial, c: int, members: Sequence[Judgments]) -> dict[str, Any]:
        share, errors = self.share(trial), [own.errors for own in members]
        sizes = [own.n for own in errors]
        test = _own_test(trial, c, sizes, share)
        empty = trial.test is not None and test is None
        entry = {
            "label": trial.judgments.classes[c].item(),
            "n": sum(sizes),
            "empirical_risk": trial.mean(errors),
            "bound": 1.0 if empty else trial.upper(errors, share, counted=True, test=test),
            "fold_test": {} if test is None else test.settings(),
        }
        if trial.judgments.loss is None:
            return entry
        drawn = [own.stochastic_errors for own in members]
        return {
            **entry,
            "stochastic_risk": trial.mean(drawn),
            "stochastic_bound": 1.0 if empty else trial.upper(drawn, share, counted=False, test=test),
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        rows = []
        for c, entry in enumerate(content):
            title, place = of_class(entry, certificate.grouped), f"figures.classes.{c}"
            for vote, bound, risk in (("", "bound", "empirical_risk"), *_STOCHASTIC["stochastic_bound" in entry]):
                measured = (entry[risk], f"{place}.{risk}") if entry["n"] else ()
                rows.append(Row(title + vote, entry[bound], f"{place}.{bound}", *measured))
        return [Table("error on class", "at most", tuple(rows))]

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        low = sorted((entry for entry in content if entry["bound"] > 0.5 and entry["n"]), key=lambda e: -e["bound"])
        if not low:
            return []
        found, measured = (percent_down(1 - low[0][name]) for name in ("bound", "empirical_risk"))
        averaged = ", averaged group by group" * certificate.grouped
        key = ", on average over that key" * (len(certificate.fold_sizes) > 1)
        others = counted(len(low) - 1, "other class", "other classes")
        more = f"; less than half is certified of {others}, too" if len(low) > 1 else ""
        return [
            f"It finds at least {found} of class {low[0]['label']!r}{averaged} ({measured} measured){key}, "
            f"{certificate.again}{more}."
        ]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        sentences = []
        if certificate.grouped:
            sentences.append("On a class: the mean over its rows in a group, averaged over the groups that have some.")
        if len(content) == 2:
            sentences.append(rates_of_two(content, certificate.context.get("positive")))
        if not certificate.precisions:
            sentences.append(
                "Precision is not certified for groups with folds, which may answer rows of one group differently: use "
                "a hold-out."
            )
        if not certificate.f1_scores:
            sentences.append(
                "F1 is not certified for groups: it is about rows, and rows of a group depend on each other."
                if certificate.grouped
                else "F1 is not certified with folds, whose votes answer a class differently often: use a hold-out."
            )
        return sentences


_STOCHASTIC = {False: (), True: ((", stochastic vote", "stochastic_bound", "stochastic_risk"),)}


def _own_test(trial: Trial, c: int, sizes: Sequence[int], share: float) -> FoldTest | None:
    """The fold test of one class; None without folds, or if some fold has none of its examples."""
    if trial.test is None or not all(sizes):
        return None
    wider = np.sqrt(sum(trial.sizes) / sum(sizes))
    guesses = [float(guess.by_class[c]) for guess in trial.guesses]
    return FoldTest.choose(guesses, sizes, share, [wider * scale for scale in trial.test.scale])


def of_class(entry: dict[str, Any], grouped: bool) -> str:
    """A class and the number of its examples, as a row is called."""
    return f"{entry['label']} ({counted(entry['n'], 'group' if grouped else 'example')})"


def rates_of_two(content: Sequence[dict[str, Any]], positive: Any = None) -> str:
    """What the errors on two classes are usually called; both ways if no class is known to be looked for."""
    first, second = (entry["label"] for entry in content)
    if positive in (first, second):
        found, other = (first, second) if positive == first else (second, first)
        return (
            f"{found!r} is the class that is looked for: the error on class {other!r} is the false-positive rate, that "
            f"on class {found!r} the false-negative rate."
        )
    return (
        f"If {second!r} is the class that is looked for, the error on class {first!r} is the false-positive rate and "
        f"that on class {second!r} the false-negative rate; if {first!r} is, it is the other way round."
    )


def measured_recalls(labels: NDArray, wrong: NDArray, counts: NDArray) -> list[dict[str, Any]]:
    """For each class, its examples (or groups that have any) and the share on which the votes are right."""
    recalls = (counts - wrong) / np.maximum(counts, 1)
    entries = zip(labels.tolist(), counts.tolist(), recalls.tolist(), strict=True)
    return [{"label": label, "n": int(n), "measured": recall} for label, n, recall in entries]


def low_recall(recalls: Sequence[dict[str, Any]], judges: str, *, averaged: bool) -> str:
    """A sentence on the class of which `predict` finds least, if that is less than half; otherwise empty."""
    low = sorted((r for r in recalls if r["measured"] < 0.5 and r["n"]), key=lambda r: r["measured"])
    if not low:
        return ""
    of = f"{percent_down(low[0]['measured'])} of class {low[0]['label']!r}{', averaged group by group' * averaged}"
    others = counted(len(low) - 1, "other class", "other classes")
    more = f", and less than half of {others}, too" if len(low) > 1 else ""
    return f"On the {judges}, it finds {of}{more}."
