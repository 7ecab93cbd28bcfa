"""Voters that see categories as numbers."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from .._text import did_you_mean
from ._base import VoterSet, VoterSource, Wrapped, weight_keyword
from ._transformed import Transformed, TransformedVoters

CATEGORIES_FIXED = (
    "Which columns hold categories does not depend on the examples drawn: a rare word among numbers would break this."
)


class Encoded(Transformed):
    """Any source of voters, on data frames with categorical columns.

    The categories are learned for each fold from the examples that train its voters, so the certificate needs no
    further assumption. A category that did not occur there gets its own code (ordinal) or none (one-hot).

    Parameters
    ----------
    source : VoterSource
        Source of the voters, which get an array of numbers.
    categorical : sequence of str
        Names of the columns that hold categories.
    encoding : {"ordinal", "onehot"}
        One number per column, as in the paper, or one column per category.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Encoded, Ensemble
    >>> X = pd.DataFrame({"colour": ["red", "green"] * 100, "size": range(200)})
    >>> voters = Encoded(Ensemble(RandomForestClassifier()), ["colour"])
    >>> clf = MajorityVoteClassifier(voters, random_state=0).fit(X, X["colour"] == "red")
    >>> clf.predict(pd.DataFrame({"colour": ["red", "blue"], "size": [1, 1]}))[0]
    np.True_
    """

    def __init__(
        self, source: VoterSource, categorical: Sequence[str], encoding: Literal["ordinal", "onehot"] = "ordinal"
    ) -> None:
        self.source = source
        self.categorical = categorical
        self.encoding = encoding

    @property
    def transformer(self) -> ColumnTransformer:
        return ColumnTransformer(
            [("categories", self._encoder(), list(self.categorical))], remainder="passthrough", sparse_threshold=0
        )

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        return self.source.uses_labels

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.source.assumptions, CATEGORIES_FIXED)

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> VoterSet:
        lacking = [name for name in self.categorical if name not in getattr(X, "columns", self.categorical)]
        if lacking:
            meant = did_you_mean(lacking[0], map(str, X.columns))
            raise ValueError(f"categorical names the column {lacking[0]!r}, which X does not have{meant}.")
        encoder = self.transformer
        numbers = _numbers(encoder.fit_transform(_worded(X, self.categorical)), self.source.allow_nan)
        voters = self.source.fit(numbers, codes, classes, seed, n_jobs, **weight_keyword(sample_weight))
        return EncodedVoters(encoder, voters, self.source.allow_nan)

    def _encoder(self) -> Any:
        if self.encoding == "onehot":
            return OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        if self.encoding == "ordinal":
            return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        raise ValueError(f"encoding must be 'ordinal' or 'onehot', got {self.encoding!r}.")

    def describe(self) -> str:
        return f"{self.source.describe()}, {len(self.categorical)} columns of categories encoded ({self.encoding})"


class Readable(Wrapped):
    """Any source of voters of numbers, which also reads data frames with words: their columns are encoded as numbers.

    Parameters
    ----------
    source : VoterSource
        Source of the voters, which get an array of numbers.
    name : str
        What the user calls them.
    """

    def __init__(self, source: VoterSource, name: str) -> None:
        super().__init__(source)
        self.name = name

    def suited_to(self, X: Any) -> VoterSource:
        words = columns_of_words(X, self.name)
        return Encoded(self.source, words) if words else self.source

    def with_members(self, count: int) -> VoterSource | None:
        return self.source.with_members(count)

    @property
    def estimator(self) -> Any:
        return self.source.estimator


class EncodedVoters(TransformedVoters):
    """Voters behind the encoder of their fold; they get finite numbers."""

    def __init__(self, encoder: ColumnTransformer, voters: VoterSet, allow_nan: bool) -> None:
        super().__init__(encoder, voters)
        self.allow_nan = allow_nan

    @property
    def categories(self) -> dict[str, NDArray]:
        """The categories that the encoder knows, by column."""
        ((_, encoder, names), *_) = self.transformer.transformers_
        return dict(zip(names, encoder.categories_, strict=True))

    def transformed(self, X: Any) -> NDArray:
        return _numbers(super().transformed(_worded(X, self.transformer.transformers_[0][2])), self.allow_nan)


def _worded(X: Any, names: Sequence[str]) -> Any:
    """A data frame with words in those of these columns that do not hold numbers; gaps stay None or become NaN."""
    if not hasattr(X, "select_dtypes"):
        return X
    numbers = set(X.select_dtypes(["number", "bool"]).columns)
    words = [name for name in names if name not in numbers]  # an encoder can sort numbers
    return _plain(X, {name: _words(X[name], keep_none=True) for name in words})


def as_words(X: Any, names: Sequence[str]) -> Any:
    """A data frame with words, and None for gaps, in these columns, which can be sorted; NaN for gaps in others."""
    return _plain(X, {name: _words(X[name]) for name in names})


def _plain(X: Any, words: dict[str, Any]) -> Any:
    """The frame with these columns in it, and others of numbers that pandas has a type of its own for as floats."""
    own = [name for name, dtype in X.dtypes.items() if name not in words and not isinstance(dtype, np.dtype)]
    return X.assign(**words, **{name: X[name].to_numpy(np.float64, na_value=np.nan) for name in own})


def _words(column: Any, keep_none: bool = False) -> Any:
    """The values as texts, with None for all gaps, or NaN for those that are not None."""
    gaps = column.isna().to_numpy()
    words = np.empty(len(gaps), dtype=object)
    words[:] = [
        (np.nan if keep_none and value is not None else None) if gap else str(value)
        for value, gap in zip(column, gaps, strict=True)
    ]
    return type(column)(words, index=column.index, dtype=object)


def columns_of_words(X: Any, voters: str) -> tuple[str, ...]:
    """Names of the columns of a data frame that hold categories; other examples have none."""
    if not hasattr(X, "select_dtypes"):
        return ()
    dates = list(X.select_dtypes(["datetime", "datetimetz", "timedelta"]).columns)
    if dates:
        raise TypeError(
            f"voters={voters!r} cannot read the dates in the column {dates[0]!r}: turn them into numbers, for instance "
            f"with (X[{dates[0]!r}] - pd.Timestamp(0)).dt.days."
        )
    return tuple(X.select_dtypes(exclude=["number", "bool"]).columns)


def _numbers(encoded: Any, allow_nan: bool) -> NDArray:
    numbers = np.asarray(encoded, dtype=np.float64)
    if np.isinf(numbers).any():
        raise ValueError("Input X contains infinity, which these voters cannot handle.")
    if not allow_nan and np.isnan(numbers).any():
        raise ValueError("Input X contains NaN, which these voters cannot handle.")
    return numbers
