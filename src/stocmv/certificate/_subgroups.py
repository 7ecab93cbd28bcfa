"""The error in subgroups of the population, and how far these can be apart."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._judgments import Judgments, Losses
from ._percent import percent, percent_down
from ._tables import Row, Table
from ._words import counted

if TYPE_CHECKING:
    from ._tested import TestedCertificate


ONE_VOTE = (
    "subgroups need a hold-out: with folds, different votes answer the examples of a subgroup, and a bound for that is "
    "not proven here. Leave out n_folds."
)


class Subgroups(Figure):
    """The error given the subgroup: a bound for each, and an interval that holds for all subgroups at once.

    Given which examples belong to a subgroup, they are independent draws from it. Subgroups of different attributes
    may overlap. The intervals bound the differences between the subgroups of an attribute, whichever are picked.
    """

    name: ClassVar[str] = "subgroups"

    def claims(self, scope: Scope) -> list[Claim]:
        sides = {"subgroups": scope.subgroups, "sides": 2}
        return [claim("subgroup", scope.delta), claim("subgroups at once", scope.delta, sides)]

    def compute(self, trial: Trial) -> dict[str, Any]:
        judgments = trial.judgments
        if judgments.n_folds > 1:
            raise ValueError(ONE_VOTE)
        each, at_once = self.share(trial, "subgroup"), self.share(trial, "subgroups at once")
        names = cast(NDArray, judgments.subgroups).tolist()
        whole = not judgments.grouped
        entries = [
            {
                "attribute": attribute,
                "value": value,
                "n": wrong.n,
                "empirical_risk": wrong.mean,
                "bound": one_sample(*wrong, each, counted=whole),
                "lower": max((1 - one_sample(*good, at_once, counted=whole)) * (1 - 1e-15), 0.0),
                "upper": one_sample(*wrong, at_once, counted=whole),
            }
            for (attribute, value), (wrong, good) in zip(names, _losses(judgments), strict=True)
        ]
        return {"entries": entries, "gaps": gaps(entries)}

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        unit = "group" if certificate.grouped else "example"
        rows = []
        for k, own in enumerate(content["entries"]):
            place, title = f"figures.subgroups.entries.{k}", f"{own['attribute']} = {own['value']}"
            measured = (own["empirical_risk"], f"{place}.empirical_risk")
            rows.append(Row(f"{title} ({counted(own['n'], unit)})", own["bound"], f"{place}.bound", *measured))
        found = [Table("error in the subgroup", "at most", tuple(rows))]
        apart = [
            Row(f"of {own['attribute']}", own["upper"], f"{place}.upper", own["measured"], f"{place}.measured")
            for own, place in ((gap, f"figures.subgroups.gaps.{k}") for k, gap in enumerate(content["gaps"]))
        ]
        return [*found, Table("largest difference between subgroups", "at most", tuple(apart))] if apart else found

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        proven = [gap for gap in content["gaps"] if gap["lower"] > 0]
        averaged = ", averaged group by group" * certificate.grouped
        return [
            f"It errs more often where {gap['attribute']} is {gap['most']!r} than where it is {gap['least']!r}, by at "
            f"least {percent_down(gap['lower'])[:-2]} percentage points{averaged}, {certificate.again}."
            for gap in proven
        ]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        worst = max(content["entries"], key=lambda own: own["upper"])
        of_groups = ", averaged group by group," * certificate.grouped
        return [
            f"In every subgroup at once{of_groups} the error is at most {percent(worst['upper'])} "
            f"({worst['attribute']} = {worst['value']}); the differences follow from such intervals."
        ]


def gaps(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each attribute with several subgroups, how far their errors are apart: bounds from both sides."""
    found = []
    for attribute in dict.fromkeys(own["attribute"] for own in entries):
        members = [own for own in entries if own["attribute"] == attribute]
        if len(members) < 2:
            continue
        most = max(members, key=lambda own: own["lower"])
        least = min(members, key=lambda own: own["upper"])
        risks = [own["empirical_risk"] for own in members]
        lows, highs = ([own[end] for own in members] for end in ("lower", "upper"))
        found.append(
            {
                "attribute": attribute,
                "most": most["value"],
                "least": least["value"],
                "measured": max(risks) - min(risks),
                "lower": max((most["lower"] - least["upper"]) * (1 - 1e-15), 0.0),
                "upper": min((max(highs) - min(lows)) * (1 + 1e-15), 1.0),
            }
        )
    return found


def _losses(judgments: Judgments) -> Iterator[tuple[Losses, Losses]]:
    """The errors of each subgroup and its right answers."""
    number = len(cast(NDArray, judgments.subgroups))
    if judgments.grouped:
        yield from _losses_of_groups(judgments, number)
        return
    sizes, errors = np.zeros((2, number), int)
    wrong = judgments.wrong
    for column in np.ascontiguousarray(cast(NDArray, judgments.subgroup).T):
        sizes += np.bincount(column, minlength=number)
        errors += np.bincount(column[wrong], minlength=number)
    for n, count in zip(sizes.tolist(), errors.tolist(), strict=True):
        yield Losses(float(count), n), Losses(float(n - count), n)


def _losses_of_groups(judgments: Judgments, number: int) -> Iterator[tuple[Losses, Losses]]:
    """The same from the shares of the errors among the rows that a group has in the subgroup."""
    names, group = np.unique(cast(NDArray, judgments.group), return_inverse=True)
    found: dict[int, tuple[Losses, Losses]] = {}
    for column in cast(NDArray, judgments.subgroup).T:
        # the pair of subgroup and group as one number, so that the groups of a subgroup stand together
        pairs, place = np.unique(column.astype(np.int64) * len(names) + group, return_inverse=True)
        rows, errors, own = np.bincount(place), np.bincount(place, judgments.wrong), pairs // len(names)
        for code in np.unique(own).tolist():
            members = slice(*np.searchsorted(own, [code, code + 1]).tolist())
            wrong = errors[members] / rows[members]
            right = (rows[members] - errors[members]) / rows[members]
            found[code] = Losses(float(wrong.sum()), len(wrong)), Losses(float(right.sum()), len(right))
    yield from (found[code] for code in range(number))
