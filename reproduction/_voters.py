"""The paper's voters: stumps spread over the features' ranges, and trees that can be cut at any depth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier

from stocmv.voters import Ensemble
from stocmv.votes import VoteMatrix

from ._splits import Split


@dataclass(frozen=True, eq=False)
class StumpVoters:
    """Stumps for two classes: those that answer 1 above their thresholds, then those that answer 1 below."""

    thresholds: NDArray  # (n_features, n_thresholds)

    def codes(self, X: NDArray) -> NDArray:
        """Class of each example by each stump."""
        above = (X[:, :, None] > self.thresholds).reshape(len(X), -1)
        return np.hstack([above, ~above]).astype(np.uint8)


def stumps(lowest: ArrayLike, highest: ArrayLike, n_thresholds: int) -> StumpVoters:
    """Stumps on both sides of thresholds in equal steps from the lowest value, as in the authors' code.

    `stocmv.voters.Stumps` keeps its thresholds strictly inside the range. Here the first is its lower end and the last
    a step below the upper one. The paper does not say where they lie; ``models/stumps.py`` in
    https://github.com/vzantedeschi/StocMV does.
    """
    low, high = np.asarray(lowest, float), np.asarray(highest, float)
    steps = np.arange(n_thresholds) / n_thresholds
    return StumpVoters(low[:, None] + (high - low)[:, None] * steps)


def stump_votes(data: Split, n_thresholds: int) -> tuple[VoteMatrix, VoteMatrix]:
    """Votes on the training and on the test part; the ranges are those of the training part, as in the paper."""
    voters = stumps(data.X.min(0), data.X.max(0), n_thresholds)
    return (
        VoteMatrix.from_codes(voters.codes(data.X), data.y, data.classes),
        VoteMatrix.from_codes(voters.codes(data.X_test), data.y_test, data.classes),
    )


@dataclass(frozen=True, eq=False)
class Answers:
    """Leaves of a forest's trees for some examples, from which the votes at every depth can be read."""

    leaves: NDArray  # (n, n_trees)
    y: NDArray


@dataclass(frozen=True, eq=False)
class Forest:
    """A random forest whose trees vote and can be cut at any depth.

    A split depends on the examples in its node and on the features drawn for it, not on the subtree below. So a tree
    cut at a depth has the same distribution as a tree whose depth was limited in training, and one forest serves for
    all depths.
    """

    voters: Any  # of an `Ensemble`
    known: NDArray  # classes that the trees know
    n_classes: int

    def ask(self, X: NDArray, y: NDArray, threads: int) -> Answers:
        """The leaves that the examples fall into."""
        forest = self.voters.ensemble
        forest.set_params(n_jobs=threads)
        return Answers(forest.apply(X), y)

    def votes(self, answers: Answers, depth: int | None = None) -> VoteMatrix:
        """Votes of the trees cut at a depth; None leaves them whole."""
        trees = [member.tree_ for member in self.voters.ensemble.estimators_]
        codes = np.column_stack(
            [self._codes(tree, depth)[leaves] for tree, leaves in zip(trees, answers.leaves.T, strict=True)]
        )
        return VoteMatrix.from_codes(codes, answers.y, np.arange(self.n_classes))

    def _codes(self, tree: Any, depth: int | None) -> NDArray:
        """Class of each node, or of its ancestor at the depth."""
        said = self.known[tree.value[:, 0, :].argmax(1)].astype(np.uint8)
        if depth is None:
            return said
        parents, below = np.array([0]), 0
        while parents.size:
            children = np.concatenate([tree.children_left[parents], tree.children_right[parents]])
            above = np.concatenate([parents, parents])
            inner = children >= 0
            below += 1
            if below > depth:
                said[children[inner]] = said[above[inner]]
            parents = children[inner]
        return said


def grow_forest(X: NDArray, y: NDArray, n_classes: int, n_trees: int, seed: int, threads: int) -> Forest:
    """The paper's forest: each tree on half of the rows given, sqrt(d) features per split, weights by class."""
    recipe = RandomForestClassifier(n_trees, max_samples=0.5, max_features="sqrt", class_weight="balanced_subsample")
    known, codes = np.unique(y, return_inverse=True)
    return Forest(Ensemble(recipe).fit(X, codes, known, seed, threads), known, n_classes)


def halves(n: int, seed: int) -> Sequence[NDArray]:
    """Two random halves of the rows."""
    return np.array_split(np.random.default_rng(seed).permutation(n), 2)
