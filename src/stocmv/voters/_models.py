"""Seven different classifiers, with what each of them needs to read a table."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array

from ._base import VoterSet, VoterSource
from ._classifiers import Classifiers
from ._encoded import CATEGORIES_FIXED, EncodedVoters, as_words, columns_of_words

NAMES = (
    "logistic regression",
    "kernel logistic regression",
    "gradient boosting",
    "random forest",
    "extra trees",
    "naive Bayes",
    "decision tree",
)
_MOST_CATEGORIES = 50  # of a column that becomes one column for each category
_LANDMARKS = 300  # examples that stand for all others in the kernel


class Models(VoterSource):
    """Seven different classifiers: linear, kernel, boosted trees, two forests, naive Bayes and a small tree.

    Columns of categories become numbers for the trees and one column for each category for the others (if there are at
    most 50 of them; otherwise only the trees see the column). A category that did not occur in training gets its own
    number, or none of the columns. Trees handle gaps themselves; for the others a gap in numbers is filled with the
    median, and a further column says where the gaps are. All of this is learned for each fold from the examples that
    train its voters.

    Parameters
    ----------
    categorical : sequence of str
        Names of the columns that hold categories. If there are none, the classifier's ``fit`` takes those columns of a
        data frame that do not hold numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from stocmv import MajorityVoteClassifier
    >>> clf = MajorityVoteClassifier("models", random_state=0).fit(*load_iris(return_X_y=True))
    >>> list(clf.voters_[0].names)[-2:]
    ['decision tree', 'stack of the others']
    """

    checks_input = True
    allow_nan = True

    def __init__(self, categorical: Sequence[str] = ()) -> None:
        self.categorical = categorical

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        return (CATEGORIES_FIXED,) if self.categorical else ()

    def soft(self) -> "Models":
        return self

    def suited_to(self, X: Any) -> "Models":
        return self if self.categorical else Models(columns_of_words(X, "models"))

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> VoterSet:
        names = list(self.categorical)
        encoder = ColumnTransformer([("categories", _ordinal(), names)], remainder="passthrough", sparse_threshold=0)
        numbers = check_numbers(encoder.fit_transform(as_words(X, names)) if names else X)
        sizes = [len(kinds) for kinds in encoder.named_transformers_["categories"].categories_] if names else []
        models = Classifiers(classifiers_for(sizes, *numbers.shape))
        voters = models.fit(numbers, codes, classes, seed, n_jobs, sample_weight)
        return ModelVoters(encoder if names else None, voters)

    def describe(self) -> str:
        encoded = f", {len(self.categorical)} columns of categories encoded" if self.categorical else ""
        return f"seven models: {', '.join(NAMES)}{encoded}"


class ModelVoters(EncodedVoters):
    """The seven models, behind the encoder of their fold if there are columns of categories."""

    names = NAMES

    def __init__(self, encoder: ColumnTransformer | None, voters: VoterSet) -> None:
        super().__init__(encoder, voters, allow_nan=True)

    @property
    def categories(self) -> dict[str, NDArray]:
        return {} if self.transformer is None else super().categories

    def transformed(self, X: Any) -> NDArray:
        if self.transformer is None:
            return check_numbers(X)
        return check_numbers(self.transformer.transform(as_words(X, list(self.categories))))


def check_numbers(X: Any) -> NDArray:
    """The examples as floats, with NaN for gaps."""
    if sparse.issparse(X):
        raise TypeError("voters='models' needs dense examples, and X is sparse: pass X.toarray(), or use 'forest'.")
    return check_array(X, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")


def _ordinal() -> OrdinalEncoder:
    return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)


def classifiers_for(sizes: list[int], n_rows: int, n_columns: int) -> list[BaseEstimator]:
    """The models, for examples whose first columns hold so many categories each."""

    def scaled(name: str, model: BaseEstimator) -> Pipeline:
        return Pipeline([("scaling", _scaling(sizes, n_columns)), (name, model)])

    kernel = make_pipeline(Nystroem(n_components=min(n_rows, _LANDMARKS)), LogisticRegression(C=10, max_iter=2000))
    return [
        scaled(NAMES[0], LogisticRegression(max_iter=2000)),
        scaled(NAMES[1], kernel),
        HistGradientBoostingClassifier(categorical_features=None),
        RandomForestClassifier(100),
        ExtraTreesClassifier(100),
        scaled(NAMES[5], GaussianNB()),
        DecisionTreeClassifier(max_depth=6),
    ]


def _scaling(sizes: list[int], n_columns: int) -> BaseEstimator:
    """Gaps filled and numbers scaled; a column for each category where these are few."""
    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler()
    )
    few = [place for place, size in enumerate(sizes) if size <= _MOST_CATEGORIES]
    rest = list(range(len(sizes), n_columns))
    if not few and (rest or not sizes):
        return ColumnTransformer([("numbers", numbers, rest)]) if sizes else numbers
    if not few:
        return numbers  # there is nothing else to see
    onehot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer([("categories", onehot, few), *([("numbers", numbers, rest)] if rest else [])])
