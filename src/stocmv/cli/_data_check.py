"""Ask a saved model about its judging examples again, and compare with the evidence."""

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from ..certificate import Check, Judgments
from ..checks import hash_rows
from ..classifier import checked_examples
from ..protocols import ROW_KEY, FoldVote, judge

_SAME = 1e-9  # largest difference of two scores that count as the same


class Beside(NamedTuple):
    """What the data say about their rows beside features and truth, as the evidence has it; None if it has none."""

    group: NDArray | None = None  # numbers of the groups
    subgroups: NDArray | None = None  # the values that make the subgroups, (n, n_attributes)


class DataComparison(NamedTuple):
    """The number of judging examples; of those found in the data, with the same truth, and also the same answer.

    If the evidence has groups or subgroups, also that of those with the same truth that are in the same ones.
    """

    n: int
    found: int
    labelled: int
    same: int
    together: int | None = None

    def checks(self, name: str) -> tuple[Check, ...]:
        """The comparison as checks of a certificate."""
        together = "with the same truth, group and subgroups"
        return (
            self._check(f"found in {name}", self.found),
            self._check("with the same truth", self.labelled),
            self._check("with the same truth, answer and scores", self.same),
            *(() if self.together is None else (self._check(together, self.together),)),
        )

    def _check(self, which: str, count: int) -> Check:
        rows = "judging rows" if count == self.n else "judging rows, and those"  # then two numbers follow
        return Check(f"{rows} {which}", self.n, count, count == self.n)


def compare_with_data(model: Any, judgments: Judgments, X: Any, y: Any, beside: Beside | None = None) -> DataComparison:
    """Find the judging examples by the hashes of their features, and ask each fold's vote about its own.

    Rows with the same features are interchangeable: the data must have each truth at least as often as the evidence,
    and if ``beside`` says what groups and subgroups they are in, each truth in these.
    """
    X = checked_examples(model, X)
    rows, truth = hash_rows(X, ROW_KEY), _codes(y, judgments.classes)
    wanted, there = _pairs(judgments.row, judgments.truth), _pairs(rows, truth)
    found, labelled = _occur(wanted[:, :1], there[:, :1]), _occur(wanted, there)
    same, known = labelled.copy(), truth < len(judgments.classes)  # a judging example has a known class
    together = None if beside is None else int(_together(judgments, wanted, there, beside).sum())
    rows, truth, X = rows[known], truth[known], _safe_indexing(X, np.flatnonzero(known))
    if not np.array_equal(judgments.classes, model.classes_) or judgments.n_folds != len(model.voters_):
        same[:] = False  # the evidence is about another model
    for k, (voters, posterior) in enumerate(zip(model.voters_, model.posterior_, strict=True)):
        own = np.flatnonzero((judgments.fold == k) & same)
        evidence = judgments.among(own)
        asked = np.flatnonzero(np.isin(rows, cast(NDArray, evidence.row)))
        if len(asked):
            vote, settings = (
                FoldVote(voters, model.rules_[k], posterior, None, model.history_, 0),
                {"stochastic": evidence.loss is not None, "panel": _is_panel(evidence, voters, model.rules_[k])},
            )
            again = judge(vote, _safe_indexing(X, asked), truth[asked], None, judgments.classes, **settings)
            same[own] = _agree(evidence, again)
    return DataComparison(len(judgments), int(found.sum()), int(labelled.sum()), int(same.sum()), together)


def _together(judgments: Judgments, wanted: NDArray, there: NDArray, beside: Beside) -> NDArray:
    """For each judging row, whether the data have it with its truth in the same group and subgroups."""
    ours: list[NDArray | None] = [judgments.group, None]
    if judgments.subgroup is not None and judgments.subgroups is not None:
        ours[1] = judgments.subgroups[judgments.subgroup, 1]
    for own, others in zip(ours, beside, strict=True):
        if (own is None) != (others is None):
            return np.zeros(len(wanted), bool)
        if own is not None and others is not None:
            both = np.concatenate([own.reshape(len(own), -1), others.reshape(len(others), -1)])
            ids = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1, 1).astype(np.uint64)
            wanted, there = np.hstack([wanted, ids[: len(own)]]), np.hstack([there, ids[len(own) :]])
    return _occur(wanted, there)


def _is_panel(evidence: Judgments, voters: Any, rule: Any) -> bool:
    """Whether the evidence says what each voter answers, and these voters can be asked for that."""
    return evidence.votes is not None and rule.name == "hard" and evidence.votes.shape[1] == voters.n_voters


def _codes(y: NDArray, classes: NDArray) -> NDArray:
    """Places of the labels among the sorted classes; the number of classes for any other label."""
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[places] == y, places, len(classes))


def _pairs(rows: Any, truth: NDArray) -> NDArray:
    return np.column_stack([rows.astype(np.uint64), truth.astype(np.uint64)])


def _occur(wanted: NDArray, there: NDArray) -> NDArray:
    """For each wanted row, whether it is among others at least as often as it is wanted up to here."""
    ids = np.unique(np.concatenate([wanted, there]), axis=0, return_inverse=True)[1].ravel()
    ours, theirs = ids[: len(wanted)], ids[len(wanted) :]
    counts = np.bincount(theirs, minlength=ids.max(initial=0) + 1)
    order = np.argsort(ours, kind="stable")
    starts = np.searchsorted(ours[order], ours[order])
    rank = np.empty(len(ours), int)
    rank[order] = np.arange(len(ours)) - starts
    return rank < counts[ours]


def _agree(evidence: Judgments, again: Judgments) -> NDArray:
    """Whether each row of the evidence has the same answer, scores and loss as a row with its features and truth."""
    wanted, there = _pairs(evidence.row, evidence.truth), _pairs(again.row, again.truth)
    ids = np.unique(np.concatenate([there, wanted]), axis=0, return_inverse=True)[1].ravel()
    first = np.unique(ids[: len(there)], return_index=True)[1]  # all wanted pairs are there
    theirs = again.among(first[ids[len(there) :]])
    agree = evidence.answer == theirs.answer
    for ours, others in ((evidence.scores, theirs.scores), (evidence.loss, theirs.loss)):
        if ours is not None and others is not None:
            agree &= (np.abs(ours - others) <= _SAME).reshape(len(agree), -1).all(1)
    if evidence.votes is not None and evidence.voters is not None:  # of a panel
        if theirs.votes is None or theirs.voters is None or not np.array_equal(evidence.voters, theirs.voters):
            return np.zeros(len(agree), bool)
        agree &= (evidence.votes == theirs.votes).all(1)
    return agree & (_silence(evidence) == _silence(theirs))


def _silence(judgments: Judgments) -> NDArray:
    return np.zeros(len(judgments), bool) if judgments.silent is None else judgments.silent
