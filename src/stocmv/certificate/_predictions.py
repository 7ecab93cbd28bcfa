"""Certificates of any model, from its answers and the truth."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..votes import check_classes, check_labels, code_dtype, encode
from ._costs import check_cost
from ._groups import group_ids
from ._judgments import Judgments
from ._tested import TestedCertificate, certify_judgments


def certify_predictions(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    scores: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    subgroups: Any = None,
    cost: Any = None,
    per_class: bool = True,
    calibration: bool = False,
    sides: int = 1,
    delta: float = 0.05,
    context: dict[str, Any] | None = None,
) -> TestedCertificate:
    """Certify any model from its answers: how often it errs on new examples, at most.

    The model must have been fixed before: not trained on these examples, nor tuned on them, nor chosen by how it did
    on them.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        The true labels, and what the model answered. An example that it did not answer needs a label of its own, such
        as "none", and counts as an error.
    scores : array-like of shape (n, n_classes) or (n,), optional
        The probability of each class, in the order of the sorted classes; of two classes, that of the second alone.
        Then the Brier score, the log loss and, for two classes, the area under the ROC curve are bounded too. The
        scores are in the evidence, for answering only when sure and for thresholds.
    classes : array-like, optional
        All classes, sorted; by default those that occur.
    groups : array-like of shape (n,), optional
        The group of each example, such as the patient: then groups are counted, and their errors are means.
    subgroups : data frame, dict or array-like of shape (n,) or (n, n_attributes), optional
        One or more columns such as the region; the error is also bounded in each subgroup, and so are the differences
        between those of one column. They must have been fixed before as well.
    cost : array-like of shape (n_classes, n_classes), or dict of dicts, optional
        Also bound the mean cost: rows are true classes and columns answers, or ``{truth: {answer: cost}}``.
    per_class : bool
        Also bound the error on each class and its precision.
    calibration : bool
        Also bound how often the model is right given the score of its answer.
    sides : {1, 2}
        Also bound the error from both sides if 2.
    delta : float
        Probability that a statement fails, at most.
    context : dict, optional
        Where the answers come from, in words for the reader: the model's name, its version, the file.

    Returns
    -------
    TestedCertificate
        Its judgments are ``certificate.evidence_``: save them beside it for `stocmv verify`.

    Examples
    --------
    >>> import numpy as np
    >>> from stocmv import certify_predictions
    >>> truth = np.repeat(["good", "bad"], [180, 20])
    >>> answers = truth.copy()
    >>> answers[:4] = "bad"
    >>> certificate = certify_predictions(truth, answers)
    >>> print(certificate.statement())  # doctest: +NORMALIZE_WHITESPACE
    With probability at least 95 % over the draw of the 200 examples that judge it, the model errs on at most 4.53 %
    of new examples.
    >>> bool(certificate.verify())
    True
    """
    judgments = _judgments(y_true, y_pred, scores, classes, groups, subgroups)
    costs = None if cost is None else check_cost(cost, judgments.classes.tolist())
    certificate = certify_judgments(
        judgments,
        delta,
        per_class=per_class,
        costs=costs,
        calibration=calibration,
        sides=sides,
        score_figures=scores is not None,
        one_voter=True,
        voting="given",
        context=context,
    )
    object.__setattr__(certificate, "evidence_", judgments)
    return certificate


def _judgments(
    y_true: ArrayLike, y_pred: ArrayLike, scores: Any, classes: Any, groups: Any, subgroups: Any
) -> Judgments:
    truth, answer = check_labels(y_true, "y_true", 1), check_labels(y_pred, "y_pred", 1)
    if len(truth) != len(answer) or not len(truth):
        raise ValueError(
            f"y_true and y_pred must have one label for each example, got {len(truth):,} and {len(answer):,}."
        )
    if (truth.dtype.kind in "US") != (answer.dtype.kind in "US"):
        raise ValueError(
            f"y_true holds {_kind(truth)} such as {truth[0]!r} and y_pred {_kind(answer)} such as {answer[0]!r}: give "
            "both the same labels."
        )
    known = check_classes(np.unique(np.concatenate([truth, answer])) if classes is None else classes)
    dtype = code_dtype(len(known))
    codes, names = (None, None) if subgroups is None else subgroup_codes(subgroups, len(truth))
    return Judgments(
        classes=known,
        truth=encode(truth, known, "y_true").astype(dtype),
        answer=encode(answer, known, "y_pred").astype(dtype),
        fold=np.zeros(len(truth), np.uint8),
        scores=None if scores is None else _scores(scores, len(truth), known),
        group=None if groups is None else group_ids(groups, len(truth)),
        subgroup=codes,
        subgroups=names,
    )


def _kind(labels: NDArray) -> str:
    return "texts" if labels.dtype.kind in "US" else "numbers"


def _scores(values: Any, n: int, classes: NDArray) -> NDArray:
    """The score of each class; of two classes the second's is enough."""
    scores = np.array(values, float)
    if scores.ndim == 1 and len(classes) == 2:
        scores = np.column_stack([1 - scores, scores])
    if scores.shape != (n, len(classes)):
        raise ValueError(
            f"scores must have a row for each of the {n:,} examples and a column for each of the {len(classes)} "
            f"classes {classes.tolist()!r}, got the shape {np.shape(values)}."
        )
    if not (np.all((scores >= 0) & (scores <= 1)) and np.all(np.abs(scores.sum(1) - 1) <= 1e-6)):
        raise ValueError("scores must lie between 0 and 1, and those of an example must sum to 1.")
    return scores


def subgroup_codes(subgroups: Any, n: int) -> tuple[NDArray, NDArray]:
    """For each attribute the number of each example's subgroup; and what makes each subgroup."""
    columns: list[NDArray] = []
    names: list[tuple[str, str]] = []
    for attribute, values in _attributes(subgroups).items():
        column = np.asarray(values, object)
        if column.shape != (n,):
            raise ValueError(f"subgroups must have a value for each of the {n:,} examples, got {column.shape}.")
        found, place = np.unique([_text(value) for value in column.tolist()], return_inverse=True)
        columns.append(place + len(names))
        names += [(str(attribute), value) for value in found.tolist()]
    if not names:
        raise ValueError("subgroups has no columns.")
    dtype = np.uint8 if len(names) <= 256 else np.uint16 if len(names) <= 65536 else np.uint32
    return np.column_stack(columns).astype(dtype), np.array(names)


def _text(value: Any) -> str:
    missing = value is None or value != value or type(value).__name__ in ("NAType", "NaTType")
    return "(missing)" if missing else str(value).rstrip("\0")


def _attributes(subgroups: Any) -> dict[Any, Any]:
    """The columns by name."""
    if hasattr(subgroups, "columns"):  # a data frame
        found = {name: subgroups[name] for name in subgroups.columns}
    elif isinstance(subgroups, dict):
        found = subgroups
    elif getattr(subgroups, "name", None) is not None:  # a series
        found = {subgroups.name: subgroups}
    else:
        array = np.asarray(subgroups, object)
        array = array[:, None] if array.ndim == 1 else array
        found = {"subgroup" if array.shape[1] == 1 else f"column {k}": column for k, column in enumerate(array.T)}
    if len({str(name) for name in found}) < len(found):
        raise ValueError("subgroups has two columns of the same name.")
    return found
