"""Voters behind a transformer that is fitted on the same examples."""

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from ._base import VoterSet, VoterSource, Wrapped, set_seeds, weight_keyword
from ._frozen import FROZEN_PARTS, frozen_parts


class Transformed(Wrapped):
    """Any source of voters behind scikit-learn transformers such as scalers, encoders or feature selection.

    For each fold, the transformer is fitted only on the examples that train the voters, so the certificate needs no
    further assumption. A `Pipeline` whose last step is an ensemble is converted to this automatically.

    Parameters
    ----------
    transformer : scikit-learn transformer
        Not fitted; it is cloned for every fold.
    source : VoterSource
        Source of the voters, which get the transformed examples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from stocmv import MajorityVoteClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> voters = make_pipeline(StandardScaler(), RandomForestClassifier(20))
    >>> clf = MajorityVoteClassifier(voters, voting="hard", random_state=0).fit(X, y)
    >>> [v.n_voters for v in clf.voters_]  # the trees vote
    [20]
    """

    learns = True
    uses_labels = True
    checks_input = True

    def __init__(self, transformer: BaseEstimator, source: VoterSource) -> None:
        super().__init__(source)
        self.transformer = transformer

    @property
    def assumptions(self) -> tuple[str, ...]:  # type: ignore[override]
        frozen = (FROZEN_PARTS,) if any(frozen_parts(self.transformer)) else ()
        return (*self.source.assumptions, *frozen)

    def fit(
        self,
        X: Any,
        codes: NDArray,
        classes: NDArray,
        seed: int,
        n_jobs: int | None = None,
        sample_weight: NDArray | None = None,
    ) -> VoterSet:
        transformer = clone(self.transformer)
        set_seeds(transformer, seed)
        seen = transformer.fit_transform(X, codes)
        voters = self.source.fit(seen, codes, classes, seed, n_jobs, **weight_keyword(sample_weight))
        return TransformedVoters(transformer, voters)

    def out_of_bag(self, voters: VoterSet, X: Any) -> NDArray | None:
        if not isinstance(voters, TransformedVoters):
            return None
        return self.source.out_of_bag(voters.voters, voters.transformed(X))

    def describe(self) -> str:
        return f"{self.source.describe()} behind {self.transformer!r}"


class TransformedVoters(VoterSet):
    """Voters behind the fitted transformer of their fold."""

    def __init__(self, transformer: BaseEstimator, voters: VoterSet) -> None:
        self.transformer = transformer
        self.voters = voters
        self.n_voters = voters.n_voters

    def transformed(self, X: Any) -> Any:
        """The examples as the voters see them."""
        return self.transformer.transform(X)

    def codes(self, X: Any) -> NDArray:
        return self.voters.codes(self.transformed(X))

    def probabilities(self, X: Any) -> NDArray:
        return self.voters.probabilities(self.transformed(X))

    def labels(self, X: Any, classes: NDArray) -> NDArray:
        return self.voters.labels(self.transformed(X), classes)

    def codes_and_probabilities(self, X: Any) -> tuple[NDArray, NDArray]:
        return self.voters.codes_and_probabilities(self.transformed(X))
