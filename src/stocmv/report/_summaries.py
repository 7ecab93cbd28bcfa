"""What the page needs besides the classifier."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DataSummary:
    """The data that a vote was fitted to, as an auditor wants to see them.

    Attributes
    ----------
    name : str
        Name of the data set or of its file.
    n_rows, n_features : int
        Number of examples and of features.
    class_counts : dict of str to int
        Number of examples of each class.
    feature_kinds : dict of str to int
        Number of features of each kind, for example ``{"numeric": 3, "categorical (ordinal)": 2}``.
    missing_values : int
        Cells without a value.
    duplicate_rows : int or None
        Number of rows that repeat an earlier one; None if they were not counted.
    columns : dict of str to tuple of str
        Names of the columns, by how they were read: ``{"target": ("y",), "numbers": ("age", "size")}``.
    findings : tuple of (str, str)
        What to look at in the data, each with what to do about it.
    """

    name: str
    n_rows: int
    n_features: int
    class_counts: dict[str, int]
    feature_kinds: dict[str, int]
    missing_values: int
    duplicate_rows: int | None
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    findings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TestErrors:
    """Errors on a test file, which neither trained nor judged the vote.

    Attributes
    ----------
    n : int
        Examples in the file, or groups.
    predict, stochastic : float, float or None
        Share of them on which ``predict`` and ``predict_stochastic`` erred (with groups, the mean of the groups'
        shares); None if ``predict_stochastic`` is not certified.
    name : str
        Name of the file.
    """

    n: int
    predict: float
    stochastic: float | None
    name: str
