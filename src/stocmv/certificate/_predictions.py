"""Certificates of any model, from its answers and the truth."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..verify import Refused, parse_certificate
from ..votes import check_classes, check_labels, code_dtype, encode
from ._certify_judgments import certify_judgments
from ._costs import check_cost
from ._groups import group_ids
from ._judgments import Judgments
from ._subgroup_columns import subgroup_codes
from ._tested import TestedCertificate


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
    baseline: Any = None,
    calibration: bool = False,
    prevalence: Mapping[Any, float] | None = None,
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
        The probability of each class, in the order of the sorted classes; of two classes, that of the second alone. The
        columns of a data frame are found by their names, the classes.
        Then the Brier score, the log loss and, for two classes, the area under the ROC curve are bounded too. The
        scores are in the evidence, for answering only when sure and for thresholds.
    classes : array-like, optional
        All classes, sorted; by default those that occur. Pass them if some may be missing here: delta is shared among
        all, and F1 scores and figures of groups assume that there are no others.
    groups : array-like of shape (n,), optional
        The group of each example, such as the patient: then groups are counted, and their errors are means.
    subgroups : data frame, dict or array-like of shape (n,) or (n, n_attributes), optional
        One or more columns such as the region; the error is also bounded in each subgroup, and so are the differences
        between those of one column. They must have been fixed before as well.
    cost : array-like of shape (n_classes, n_classes), or dict of dicts, optional
        Also bound the mean cost: rows are true classes and columns answers, or ``{truth: {answer: cost}}``. Rows and
        columns of a data frame are found by their names.
    per_class : bool
        Also bound the error on each class and its precision.
    baseline : object, optional
        The class to compare with, if it is always answered, fixed before. By default it is the most frequent one of
        these examples, and its bound allows for that choice.
    calibration : bool
        Also bound how often the model is right given the score of its answer.
    prevalence : dict, optional
        Also bound the error where the classes have these shares, ``{"yes": 0.02, "no": 0.98}``, as long as the examples
        of each class look the same there. Not with groups.
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
    With probability at least 95 % over the draw of the 200 examples that judge it, the model errs on at most 4.52 %
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
        baseline=baseline,
        costs=costs,
        calibration=calibration,
        prevalence=prevalence,
        sides=sides,
        score_figures=scores is not None,
        one_voter=True,
        voting="given",
        context=_context({} if context is None else context),
    )
    try:
        parse_certificate(certificate.to_json().encode())
    except Refused as error:
        raise ValueError(f"This cannot be written to a certificate: {error}.") from error
    object.__setattr__(certificate, "evidence_", judgments)
    return certificate


def _judgments(
    y_true: ArrayLike, y_pred: ArrayLike, scores: Any, classes: Any, groups: Any, subgroups: Any
) -> Judgments:
    truth = check_labels(y_true, "y_true", 1)
    answer = answers_to(truth, y_pred, "y_pred")
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


def answers_to(truth: NDArray, answers: ArrayLike, name: str) -> NDArray:
    """A model's labels for the same examples, of the same kind as the true ones."""
    labels = check_labels(answers, name, 1)
    if not len(truth) and not len(labels):
        raise ValueError(f"y_true and {name} are empty: there are no examples to judge by.")
    if len(truth) != len(labels):
        raise ValueError(
            f"y_true and {name} must have one label for each example, got {len(truth):,} and {len(labels):,}."
        )
    if (truth.dtype.kind in "US") != (labels.dtype.kind in "US"):
        raise ValueError(
            f"y_true holds {_kind(truth)} such as {truth[0].item()!r} and {name} {_kind(labels)} such as "
            f"{labels[0].item()!r}: give both the same labels."
        )
    return labels


def _context(given: Any) -> dict[str, Any]:
    """The context as it is read again from a file."""
    if not isinstance(given, dict) or not all(isinstance(key, str) for key in given):
        raise ValueError(f"context must be a dict with texts as keys, got {given!r}.")
    try:
        return json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"context must hold texts, numbers, lists and dicts, as it is written to JSON ({error}): use str()."
        ) from error


def _kind(labels: NDArray) -> str:
    return "texts" if labels.dtype.kind in "US" else "numbers"


def _scores(values: Any, n: int, classes: NDArray) -> NDArray:
    """The score of each class; of two classes the second's is enough."""
    values = _in_class_order(values, classes.tolist())
    try:
        scores = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"scores must be an array of numbers ({error}).") from error
    if scores.ndim == 1 and len(classes) == 2:
        scores = np.column_stack([1 - scores, scores])
    if scores.shape != (n, len(classes)):
        raise ValueError(
            f"scores must have a row for each of the {n:,} examples and a column for each of the {len(classes)} "
            f"classes {classes.tolist()!r}, got the shape {np.shape(values)}."
        )
    if not (np.all((scores >= 0) & (scores <= 1)) and np.all(np.abs(scores.sum(1) - 1) <= 1e-6)):
        bad = int(np.argmin(np.all((scores >= 0) & (scores <= 1), axis=1) & (np.abs(scores.sum(1) - 1) <= 1e-6)))
        shown = np.atleast_1d(np.asarray(values, float)[bad]).tolist()
        raise ValueError(
            "scores must lie between 0 and 1, none of them missing, and those of an example must sum to 1: that of row "
            f"{bad + 1} is {shown[0]:g}."
            if len(shown) == 1
            else "scores must lie between 0 and 1, none of them missing, and those of an example must sum to 1: those "
            f"of row {bad + 1} are {', '.join(f'{score:g}' for score in shown)}."
        )
    return scores


def _in_class_order(values: Any, labels: list[Any]) -> Any:
    """The columns of a data frame in the order of the classes after which they are named; anything else as it is."""
    names = list(getattr(values, "columns", labels))
    if names in (labels, list(range(len(labels)))):
        return values
    if set(names) != set(labels) or len(names) > len(labels):
        raise ValueError(f"scores must have a column for each of the classes {labels!r}, got the columns {names!r}.")
    return values[labels]
