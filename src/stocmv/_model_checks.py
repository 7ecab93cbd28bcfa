"""Check what a model file holds, and that no number in it makes compiled code, which trusts its indices, go wrong.

There are two checks. `foreign_types` looks at the type names in a file before any object is created: scikit-learn's
estimators are accepted only if numpy computes their predictions, or compiled code whose inputs `check_model` can check.
`check_model` looks at the objects.
"""

import importlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Container, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from ._files import check_packing
from ._memory import check_fits
from .certificate import Certificate
from .classifier import DrawnVote, MajorityVoteClassifier
from .posteriors import Posterior
from .verify import parse_certificate

Model = MajorityVoteClassifier | DrawnVote

_KNOWN = {
    "numpy": "dtype",
    "sklearn._loss._loss": "CyHalfBinomialLoss CyHalfMultinomialLoss",
    "sklearn._loss.link": "Interval LogitLink MultinomialLogit",
    "sklearn._loss.loss": "HalfBinomialLoss HalfMultinomialLoss",
    "sklearn.calibration": "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration",
    "sklearn.compose": "ColumnTransformer",
    "sklearn.decomposition": "PCA TruncatedSVD",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "sklearn.ensemble": "AdaBoostClassifier BaggingClassifier ExtraTreesClassifier HistGradientBoostingClassifier "
    "RandomForestClassifier StackingClassifier VotingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.binning": "_BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "sklearn.feature_selection": "VarianceThreshold",
    "sklearn.frozen": "FrozenEstimator",
    "sklearn.impute": "MissingIndicator SimpleImputer",
    "sklearn.kernel_approximation": "Nystroem",
    "sklearn.linear_model": "LogisticRegression LogisticRegressionCV RidgeClassifier RidgeClassifierCV",
    "sklearn.multiclass": "OneVsOneClassifier OneVsRestClassifier",
    "sklearn.naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "FunctionTransformer LabelBinarizer LabelEncoder MaxAbsScaler MinMaxScaler Normalizer "
    "OneHotEncoder OrdinalEncoder RobustScaler StandardScaler",
    "sklearn.svm": "LinearSVC",
    "sklearn.tree": "DecisionTreeClassifier ExtraTreeClassifier",
    "sklearn.utils": "Bunch",
}
_PLAIN = ("builtins.", "numpy.")  # of these, skops itself accepts only data
_SCHEMA = 24  # bytes of memory that a byte of the schema may become: "{}," makes a dictionary
_ARRAY, _OTHER = 2, 10  # the same for a byte of an array, which also has a buffer, and of anything else
_MOST_JOBS = 1024
_MOST_LEVELS, _MOST_NODES = 64, 10**6  # limits for nested parts that share their names


def full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


@cache
def known_types() -> frozenset[str]:
    """Names of types, mostly scikit-learn's, that stay within their arrays once `check_model` has passed them."""
    return frozenset(
        full_name(getattr(importlib.import_module(module), name))
        for module, names in _KNOWN.items()
        for name in names.split()
    )


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """The model file without compression, on disk for a while; refused if what it holds would not fit into memory.

    zipfile unpacks at once what it reads at once, whatever size the file states; so this reads piece by piece.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "model.skops")
        with zipfile.ZipFile(file) as packed, zipfile.ZipFile(plain, "w") as whole:
            check_packing(packed, "what it holds", _ARRAY)
            for name in packed.namelist():
                with packed.open(name) as member, whole.open(name, "w", force_zip64=True) as copy:
                    shutil.copyfileobj(member, copy)
        yield plain


def foreign_types(file: Path, trusted: set[str]) -> set[str]:
    """Names of the types in a model file that are neither known nor trusted; creates no objects.

    Raises ValueError if reading the file would take more memory than there is.
    """
    with zipfile.ZipFile(file) as packed:
        sizes = {entry.filename: entry.file_size for entry in packed.infolist()}
        check_fits(_SCHEMA * sizes.get("schema.json", 0), "its schema")
        schema = json.loads(packed.read("schema.json"))
    nodes = list(_nodes(schema))
    _check_repetition(schema, len(nodes))
    # counted as often as it is read, which may be more often than it is stored
    check_fits(
        sum(_weight(node) * sizes.get(str(node["file"]), 0) for node in nodes if "file" in node), "what it holds"
    )
    named = {
        f"{node['__module__']}.{node['__class__']}" for node in nodes if {"__module__", "__class__"} <= node.keys()
    }
    return {name for name in named - trusted - known_types() if not name.startswith(_PLAIN)}


def _check_repetition(schema: Any, n_nodes: int) -> None:
    """Refuse nested parts that refer to each other, by which a small file could describe an endless model.

    A part that is named again stands for everything under that name; honest files write it out each time.
    """
    sizes: dict[Any, int] = {}
    for _ in range(_MOST_LEVELS):
        before = dict(sizes)
        if _size(schema, sizes) > 10 * n_nodes + _MOST_NODES:
            break
        if sizes == before:
            return
    raise ValueError("its parts repeat each other too often.")


def _size(part: Any, sizes: dict[Any, int]) -> int:
    """Number of parts; a named part counts as the largest one seen under that name."""
    if isinstance(part, list):
        return sum(_size(inner, sizes) for inner in part)
    if not isinstance(part, dict):
        return 0
    size = 1 + sum(_size(inner, sizes) for inner in part.values())
    name = part.get("__id__")
    if isinstance(name, int | str):
        size = sizes[name] = max(size, sizes.get(name, 0))
    return size


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """All dictionaries in a schema, however deep."""
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
        waiting.extend(part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())


def _weight(node: dict[str, Any]) -> int:
    return _ARRAY if node.get("__class__") == "ndarray" else _OTHER


def check_model(model: Any, trusted: Container[str] = ()) -> None:
    """Refuse a model whose parts do not fit together, or would make compiled code leave an array.

    Gradient boosting is not checked if its type is ``trusted`` by the user.
    """
    if not isinstance(model, Model):
        raise ValueError(f"it holds a {type(model).__name__}.")
    parts = list(parts_of(model))
    for part in parts:
        _check_attributes(part)
    if not _folds_fit(model):
        raise ValueError("its voters and their weights do not fit together.")
    for part in parts:
        _check_part(part)
        if isinstance(part, HistGradientBoostingClassifier) and full_name(type(part)) not in trusted:
            _check_boosting(part)


def _check_part(part: Any) -> None:
    if isinstance(part, Posterior):
        type(part)(**part.parameters())
    elif isinstance(part, Certificate):
        parse_certificate(part.to_json().encode())
    elif isinstance(part, OneHotEncoder) and not _is_sound_encoder(part):
        raise ValueError("it has an encoder whose categories do not fit its columns.")
    elif isinstance(part, Tree | BaseDecisionTree | BaseForest) and not _is_sound(part):
        raise ValueError("it has a decision tree that leads outside of its arrays.")


def _check_attributes(part: Any) -> None:
    """Refuse attributes that would replace a method, and so bypass its checks."""
    held = getattr(part, "__dict__", {})
    for name in held:
        if callable(getattr(type(part), name, None)):
            raise ValueError(f"it has a {type(part).__name__} whose method {name} is replaced.")
    jobs = held.get("n_jobs")
    if not (jobs is None or (isinstance(jobs, int | np.integer) and -_MOST_JOBS <= jobs <= _MOST_JOBS)):
        raise ValueError(f"it has a {type(part).__name__} with n_jobs={jobs!r}.")


def _folds_fit(model: Model) -> bool:
    """Whether every voter has a weight, and every fold a share.

    That voters answer valid classes is checked when they vote.
    """
    if isinstance(model, DrawnVote):
        return np.shape(model.weights) == (model.voters.n_voters,)
    shapes = [(voters.n_voters,) for voters in model.voters_]
    has_key = isinstance(model.key_, bytes) if len(shapes) > 1 else model.key_ is None
    shared = len(shapes) == len(model.certificate_.fold_shares) > 0
    return shapes == [np.shape(p.mean) for p in model.posterior_] and shared and has_key


def parts_of(value: Any) -> Iterator[Any]:
    """An object and everything inside it, each once."""
    seen: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | int | float | type | None):
            continue
        seen[id(part)] = part
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set):
            waiting.extend(part)
        elif isinstance(part, np.ndarray):
            waiting.extend(part.flat if part.dtype == object else ())
        waiting.extend(getattr(part, "__dict__", {}).values())


def _is_sound(part: Any) -> bool:
    """Whether a tree's nodes refer to existing nodes and features, and its owner passes it that many features.

    The members of a forest predict without checking their input, so their number of features must be the one that the
    forest checks. All others check their input.
    """
    if isinstance(part, Tree):
        return part.node_count > 0 and _nodes_lead_on(part)
    held = vars(part)
    if isinstance(part, BaseDecisionTree):
        return "tree_" not in held or _has_tree(part, held.get("n_features_in_"))
    members = held.get("estimators_", [])
    return isinstance(members, list) and all(_has_tree(member, held.get("n_features_in_")) for member in members)


def _has_tree(owner: Any, n_features: Any) -> bool:
    held = vars(owner) if isinstance(owner, BaseDecisionTree) else {}
    tree = held.get("tree_")
    return isinstance(tree, Tree) and isinstance(n_features, int | np.integer) and tree.n_features == n_features


def _nodes_lead_on(tree: Any) -> bool:
    """Whether every inner node has two later children, as scikit-learn numbers them, and an existing feature."""
    inner = np.flatnonzero(tree.children_left != -1)
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    features = tree.feature[inner]
    return bool(
        np.all((children > inner) & (children < tree.node_count))
        and np.all((features >= 0) & (features < tree.n_features))
    )


def _check_boosting(model: HistGradientBoostingClassifier) -> None:
    """Refuse splits that lead outside of a tree, or ask for a feature or a category that is not there."""
    held = vars(model)
    if "_predictors" not in held:
        return
    if held.get("_preprocessor") is not None or np.any(getattr(held.get("_bin_mapper"), "is_categorical_", True)):
        raise ValueError("it has gradient boosting with categories, which is not checked: trust its type by name.")
    n_features = held.get("n_features_in_")
    trees = [tree for stage in held["_predictors"] for tree in stage]
    if "_in_fit" in held or not all(_splits_lead_on(tree, n_features) for tree in trees):
        raise ValueError("it has a boosted tree that leads outside of its arrays.")


def _splits_lead_on(tree: Any, n_features: Any) -> bool:
    nodes = tree.nodes if isinstance(tree, TreePredictor) and isinstance(n_features, int | np.integer) else None
    if not isinstance(nodes, np.ndarray) or nodes.dtype != PREDICTOR_RECORD_DTYPE or nodes.ndim != 1 or not len(nodes):
        return False
    places = np.flatnonzero(nodes["is_leaf"] == 0)
    inner = nodes[places]
    children = np.stack([inner["left"], inner["right"]]).astype(np.int64)
    features = inner["feature_idx"]
    return bool(
        np.all((children > places) & (children < len(nodes)))
        and np.all((features >= 0) & (features < n_features))
        and not nodes["is_categorical"].any()
    )


def _is_sound_encoder(encoder: OneHotEncoder) -> bool:
    """Whether the codes of the categories stay within the columns of the matrix that it makes."""
    held = vars(encoder)
    if "categories_" not in held:
        return True
    categories = held["categories_"]
    return (
        held.get("_infrequent_enabled") is False
        and held.get("_drop_idx_after_grouping", 0) is None
        and held.get("_n_features_outs") == [len(kinds) for kinds in categories]
        and all(_are_found(kinds) for kinds in categories)
    )


def _are_found(kinds: Any) -> bool:
    """Whether a search finds each category at its position: words by a table, numbers because they are sorted."""
    if not isinstance(kinds, np.ndarray) or kinds.ndim != 1:
        return False
    if kinds.dtype.kind == "O":
        return all(isinstance(kind, str) or kind is None or kind != kind for kind in kinds)
    return kinds.dtype.kind in "US" or np.array_equal(np.unique(kinds), kinds, equal_nan=kinds.dtype.kind == "f")
