"""A panel: each voter alone, their vote with equal weights, and how alike they are."""

import itertools
import math
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ..bounds import one_sample
from ._claims import Claim, claim
from ._figure import Figure, Scope, Trial
from ._judgments import Judgments
from ._percent import percent_down
from ._tables import Row, Table

if TYPE_CHECKING:
    from ._tested import TestedCertificate

EQUAL = "vote with equal weights"


class Panel(Figure):
    """The error of each voter where it answers, and of their vote with equal weights, for all of them at once.

    The voters were not made from the judging examples, so that with folds all examples judge them as one sample. Given
    which examples a voter answers, these are independent draws. The bounds hold at once, so that the best voter may be
    picked after looking. How alike the voters are is only measured.
    """

    name: ClassVar[str] = "panel"

    def claims(self, scope: Scope) -> list[Claim]:
        return [claim(self.name, scope.delta, {"voters and their equal vote": scope.voters + 1})]

    def compute(self, trial: Trial) -> dict[str, Any]:
        table, share = trial.judgments, self.share(trial)
        votes, names = cast(NDArray, table.votes), cast(NDArray, table.voters).tolist()
        pairs = [_pair(table, names, i, j) for i, j in itertools.combinations(range(len(names)), 2)]
        wrong = table.losses(equal_vote(votes, len(table.classes)) != table.truth)
        return {
            "voters": [_alone(table, name, column, share) for name, column in zip(names, votes.T, strict=True)],
            "equal": {
                "empirical_risk": wrong.mean,
                "bound": one_sample(*wrong, share, counted=not table.grouped),
            },
            "pairs": pairs,
            "worth": worth(len(names), [pair["correlation"] for pair in pairs]),
        }

    def tables(self, certificate: "TestedCertificate", content: Any) -> list[Table]:
        place = "figures.panel.equal"
        own = content["equal"]
        rows = [Row(EQUAL, own["bound"], f"{place}.bound", own["empirical_risk"], f"{place}.empirical_risk")]
        for k, entry in enumerate(content["voters"]):
            place = f"figures.panel.voters.{k}"
            measured = (entry["empirical_risk"], f"{place}.empirical_risk") if entry["n"] else ()
            rows.append(Row(_title(entry), entry["bound"], f"{place}.bound", *measured))
        where = " where it answers" if any(entry["coverage"] < 1 for entry in content["voters"]) else ""
        return [Table(f"error of each voter{where}", "at most", tuple(rows))]

    def notes(self, certificate: "TestedCertificate", content: Any) -> list[str]:
        sentences = [
            "Each voter and their vote with equal weights: these bounds hold all at once, so you may pick the best of "
            f"them after looking. The bound on {certificate.subject} holds on its own."
        ]
        known = [pair for pair in content["pairs"] if pair["n"]]
        if known:
            most, least = (pick(known, key=lambda pair: pair["agreement"]) for pick in (max, min))
            further = f"; least alike: {_agreement(least)}" if len(known) > 1 else ""
            sentences.append(f"Most alike: {_agreement(most)}{further} (measured).")
        if content["worth"] is not None:
            sentences.append(
                f"Measured by how their errors go together, the {len(content['voters'])} voters are worth "
                f"{content['worth']:.1f} independent ones."
            )
        return sentences


def equal_vote(votes: NDArray, n_classes: int) -> NDArray:
    """The class that most voters answer, of tied ones the first; ``n_classes`` where nobody answers."""
    counts = np.zeros((len(votes), n_classes + 1), np.int64)
    for column in votes.T:
        counts[np.arange(len(votes)), column] += 1
    answers = counts[:, :n_classes].argmax(1)
    answers[counts[:, n_classes] == votes.shape[1]] = n_classes
    return answers


def worth(n_voters: int, correlations: list[float | None]) -> float | None:
    """How many independent voters are as good as these, by the mean correlation of their errors; at most all of them.

    The share of the voters that err varies from example to example as much as that of so many independent voters would
    (Kish's design effect). None if no two voters have errors that can be correlated.
    """
    known = [each for each in correlations if each is not None]
    if not known:
        return None
    mean = max(math.fsum(known) / len(known), 0.0)
    return n_voters / (1 + (n_voters - 1) * mean)


def _alone(table: Judgments, name: str, votes: NDArray, share: float) -> dict[str, Any]:
    """The error of one voter among its answers."""
    answered = votes < len(table.classes)
    some = table.among(answered)
    wrong, answers = some.losses(votes[answered] != some.truth), table.losses(answered)
    return {
        "name": name,
        "n": wrong.n,
        "coverage": min(answers.total / answers.n, 1.0),
        "empirical_risk": wrong.mean,
        "bound": one_sample(*wrong, share, counted=not table.grouped) if wrong.n else 1.0,
    }


def _pair(table: Judgments, names: list[str], i: int, j: int) -> dict[str, Any]:
    """How often two voters agree, and how their errors are correlated, on the rows that both answer."""
    votes = cast(NDArray, table.votes)[:, [i, j]]
    both = (votes < len(table.classes)).all(1)
    answers = votes[both]
    wrong = answers != table.truth[both, None]
    n, (first, second) = len(answers), wrong.sum(0).tolist()
    together, spread = int(wrong.all(1).sum()), first * (n - first) * second * (n - second)
    alike = int((answers[:, 0] == answers[:, 1]).sum())
    correlation = (n * together - first * second) / math.sqrt(spread) if spread else None
    return {
        "first": names[i],
        "second": names[j],
        "n": n,
        "agreement": alike / n if n else 0.0,
        "correlation": None if correlation is None else min(max(correlation, -1.0), 1.0),
    }


def _title(entry: dict[str, Any]) -> str:
    return entry["name"] if entry["coverage"] == 1 else f"{entry['name']} (answers {percent_down(entry['coverage'])})"


def _agreement(pair: dict[str, Any]) -> str:
    return f"{pair['first']} and {pair['second']}, which agree on {percent_down(pair['agreement'])}"
