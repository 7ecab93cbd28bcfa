"""The mean cost of `predict`, and of always giving the cheapest answer."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..bounds import FoldTest, one_sample
from ._claims import Claim, claim
from ._costs import Costs, is_counted, scaled_back
from ._figure import Figure, Scope, Trial
from ._percent import amount
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate


class MeanCost(Figure):
    """The bound on the mean cost: the costs are scaled to [0, 1], tested like errors, and scaled back."""

    name: ClassVar[str] = "cost"

    def claims(self, scope: Scope) -> list[Claim]:
        answers = {"answers": scope.priced}
        return [claim(self.name, scope.delta), claim("cost of one answer", scope.delta, answers)]

    def compute(self, trial: Trial) -> dict[str, Any]:
        costs, classes = trial.costs, trial.judgments.classes
        assert costs is not None  # else this figure is not asked for
        places = np.array(costs.places(classes.tolist()))
        losses = [fold.losses(costs.scaled[places[fold.truth], places[fold.answer]]) for fold in trial.folds]
        test = self._test(trial, costs, places)
        value = trial.upper(losses, self.share(trial), counted=costs.are_counted, test=test)
        return {
            "classes": costs.classes,
            "matrix": costs.matrix.tolist(),
            "measured": scaled_back(costs.matrix, trial.mean(losses)),
            "bound": scaled_back(costs.matrix, value),
            "fold_test": {} if test is None else test.settings(),
            "baseline": cheapest_answer(
                costs,
                classes,
                trial.judgments.frequency(),
                self.share(trial, "cost of one answer"),
                grouped=trial.judgments.grouped,
            ),
        }

    def _test(self, trial: Trial, costs: Costs, places: NDArray) -> FoldTest | None:
        """The fold test of the costs, with the folds' shares of the test of the errors."""
        if trial.test is None:
            return None
        scaled = costs.scaled
        # the cost of errors at the mean cost of one error, so that it does not depend on the examples
        wrong = (scaled.sum() - scaled.trace()) / max(scaled.size - len(scaled), 1)
        guesses = [guess.among(places, len(scaled)).cost(scaled) for guess in trial.guesses]
        scale = [float(np.sqrt(wrong)) * c for c in trial.test.scale]
        return FoldTest.choose(guesses, trial.sizes, self.share(trial), scale)

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        one = content["baseline"]
        rows = tuple(
            Row(name, each["bound"], f"{place}.bound", each["measured"], f"{place}.measured")
            for name, each, place in (
                (certificate.subject, content, "figures.cost"),
                (f"always answering {one['label']}", one, "figures.cost.baseline"),
            )
        )
        return [Table(f"mean cost{', group by group' * certificate.grouped}", "at most", rows, "cost")]

    def remarks(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        one = content["baseline"]
        than = f"is no better than that of always answering {one['label']!r}"
        bounds, measured = ([amount(each[name]) for each in (content, one)] for name in ("bound", "measured"))
        if content["bound"] >= one["bound"]:
            return [
                f"The bound on the mean cost of {certificate.subject}, {bounds[0]}, {than}, {bounds[1]}, each "
                f"{certificate.again}."
            ]
        if content["measured"] >= one["measured"]:
            return [f"Measured, the mean cost of {certificate.subject}, {measured[0]}, {than}, {measured[1]}."]
        return []

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        return ["Mean cost: the mean over the rows of a group, averaged over the groups."] * certificate.grouped


def cheapest_answer(
    costs: Costs, labels: NDArray, frequency: NDArray, delta: float, *, grouped: bool
) -> dict[str, Any]:
    """Of the answers that have costs, the one that is cheapest if it is always given, its mean cost, and the bound.

    The costs of an answer are scaled to [0, 1] by themselves; each answer that might have been chosen has its share of
    delta.
    """
    n, rows = round(float(frequency.sum())), costs.matrix[costs.places(labels.tolist())]
    means = frequency @ rows / n
    answer = int(np.argmax(means <= means.min() + 1e-12 * costs.span))  # the first of equally cheap ones
    column = costs.matrix[:, answer]
    least, span = float(column.min()), float(np.ptp(column))
    mean = value = 0.0
    if span > 0:
        total = float(frequency @ ((rows[:, answer] - least) / span))
        mean, value = total / n, one_sample(total, n, delta, counted=not grouped and is_counted(column))
    return {
        "label": costs.classes[answer],
        "measured": scaled_back(column, mean),
        "bound": scaled_back(column, value),
    }
