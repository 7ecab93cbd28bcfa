"""Tables of answers that voters have already given."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes import check_answers, encode_answers, labels_of
from ._base import VoterSet, VoterSource


class Answers(VoterSource):
    """A table of existing answers of models, annotators or language models: each column is a voter.

    ``X`` holds class labels like those in ``y``: a data frame, whose columns are matched by name, or an array. NaN,
    None and other missing values mean that the voter does not answer that example. An empty string or -1 that does not
    occur in ``y`` is refused unless ``abstain`` says that it means no answer. Nothing is trained; the weights of the
    voters are learned from examples that do not judge.

    Parameters
    ----------
    abstain : label, optional
        A further value that means "no answer".
    default : label, optional
        Answer to use for an example that no voter answers. Without it, such an example counts as an error.

    Examples
    --------
    >>> import pandas as pd
    >>> from stocmv import MajorityVoteClassifier
    >>> y = ["ham", "spam", "ham", "ham"] * 50
    >>> table = pd.DataFrame({"ann": y, "bob": [None, "spam", "spam", "ham"] * 50, "eve": ["spam", "ham"] * 100})
    >>> clf = MajorityVoteClassifier("answers", random_state=0).fit(table, y)
    >>> clf.predict(pd.DataFrame({"eve": ["spam"], "bob": [None], "ann": ["ham"]})).tolist()
    ['ham']
    """

    learns = False
    uses_labels = False
    checks_input = True
    allow_nan = True
    by_name = True
    assumptions = (
        "The voters answered these examples in the way in which they answer new ones, without knowing the true labels.",
    )

    def __init__(self, abstain: Any = None, default: Any = None) -> None:
        self.abstain = abstain
        self.default = default

    def labels_in(self, X: Any, y: NDArray) -> NDArray:
        true = _plain(y)
        return labels_of(check_answers(X, self.abstain, true)[0], true)

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "AnswerVoters":
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else []
        width = len(names) or np.shape(X)[1]
        return AnswerVoters(_plain(classes), width, names, self.abstain, self.default)

    def describe(self) -> str:
        return "a table of answers"


class AnswerVoters(VoterSet):
    """The columns of a table of answers.

    Parameters
    ----------
    classes : ndarray
        Sorted class labels.
    n_voters : int
        Number of columns.
    names : list of str
        Their names, if they have any, for error messages.
    abstain, default : label or None
        As in `Answers`.
    """

    def __init__(self, classes: NDArray, n_voters: int, names: list[str], abstain: Any, default: Any) -> None:
        self.classes = classes
        self.n_voters = n_voters
        self.names = names
        self.abstain = abstain
        self.default = default

    def codes(self, X: Any) -> NDArray:
        labels, absent = check_answers(X, self.abstain, self.classes)
        self._check_known(labels, absent)
        codes = encode_answers(labels, absent, self.classes).astype(np.int64)
        codes[codes == len(self.classes)] = -1
        if self.default is not None:
            codes[(codes < 0).all(1)] = self._default_code()
        return codes

    def _check_known(self, labels: NDArray, absent: NDArray | None) -> None:
        """Refuse a label that is not a class, and say where it is."""
        if (labels.dtype.kind in "US") != (self.classes.dtype.kind in "US"):
            raise ValueError("The voters answer strings and the classes are numbers, or the other way round.")
        unknown = ~np.isin(labels, self.classes)
        if absent is not None:
            unknown &= ~absent
        if unknown.any():
            row, column = np.argwhere(unknown)[0]
            name = repr(self.names[column]) if self.names else str(column)
            label = labels[row, column].item()
            raise ValueError(
                f"Column {name} has the answer {label!r} in row {row + 1}, which is not one of the classes that the "
                f"vote was made with: pass abstain={label!r} if it means no answer."
            )

    def _default_code(self) -> int:
        place = np.flatnonzero(self.classes == self.default)
        if not len(place):
            raise ValueError(f"default={self.default!r} is not one of the classes {self.classes.tolist()}.")
        return int(place[0])


def _plain(labels: NDArray) -> NDArray:
    """Labels as an array that is not of objects."""
    array = np.asarray(labels)
    return np.asarray(array.tolist()) if array.dtype.kind == "O" else array
