"""Voters that see categories as numbers."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from ._base import VoterSet, VoterSource, Wrapped


class Encoded(Wrapped):
    """Any source of voters, on data frames with categorical columns.

    The categories are learned for each fold from the same examples as its voters, so the certificate assumes nothing
    more. A category that was not among them gets a code of its own (ordinal) or none (one-hot).

    Parameters
    ----------
    source : VoterSource
        Where the voters come from; they are given an array of numbers.
    categorical : sequence of str
        Names of the columns that hold categories.
    encoding : {"ordinal", "onehot"}
        One number per column, as in the paper, or one column per category.

    Examples
    --------
    >>> import pandas as pd
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.voters import Encoded, as_source
    >>> X = pd.DataFrame({"colour": ["red", "green"] * 100, "size": range(200)})
    >>> voters = Encoded(as_source("forest"), ["colour"])
    >>> clf = MajorityVoteClassifier(voters, random_state=0).fit(X, X["colour"] == "red")
    >>> clf.predict(pd.DataFrame({"colour": ["red", "blue"], "size": [1, 1]}))[0]
    np.True_
    """

    learns = True
    checks_input = True
    sparse = False

    def __init__(
        self, source: VoterSource, categorical: Sequence[str], encoding: Literal["ordinal", "onehot"] = "ordinal"
    ) -> None:
        if encoding not in ("ordinal", "onehot"):
            raise ValueError(f"encoding must be 'ordinal' or 'onehot', got {encoding!r}.")
        super().__init__(source)
        self.categorical = list(categorical)
        self.encoding = encoding

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.source.assumptions, "Which columns hold categories was known before.")

    def labels(self) -> None:
        return None

    def fit(self, X: Any, codes: NDArray, classes: NDArray, seed: int, n_jobs: int | None = None) -> "EncodedVoters":
        encoder = ColumnTransformer(
            [("categories", self._encoder(), self.categorical)], remainder="passthrough", sparse_threshold=0
        )
        numbers = _numbers(encoder.fit_transform(X), self.source.allow_nan)
        voters = self.source.fit(numbers, codes, classes, seed, n_jobs)
        return EncodedVoters(encoder, voters, self.source.allow_nan)

    def _encoder(self) -> Any:
        if self.encoding == "onehot":
            return OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def expected_error(self, voters: VoterSet, X: Any, codes: NDArray) -> float | None:
        if not isinstance(voters, EncodedVoters):
            return None
        return self.source.expected_error(voters.voters, voters.numbers(X), codes)

    def describe(self) -> str:
        return f"{self.source.describe()}, {len(self.categorical)} columns of categories encoded ({self.encoding})"


class EncodedVoters(VoterSet):
    """Voters behind the encoder of their fold."""

    def __init__(self, encoder: ColumnTransformer, voters: VoterSet, allow_nan: bool) -> None:
        self.encoder = encoder
        self.voters = voters
        self.allow_nan = allow_nan
        self.n_voters = voters.n_voters

    def numbers(self, X: Any) -> NDArray:
        """The examples as the voters see them."""
        return _numbers(self.encoder.transform(X), self.allow_nan)

    def votes(self, X: Any) -> NDArray:
        return self.voters.votes(self.numbers(X))


def _numbers(encoded: Any, allow_nan: bool) -> NDArray:
    numbers = np.asarray(encoded, dtype=np.float64)
    if np.isinf(numbers).any():
        raise ValueError("Input X contains infinity, which these voters cannot handle.")
    if not allow_nan and np.isnan(numbers).any():
        raise ValueError("Input X contains NaN, which these voters cannot handle.")
    return numbers
