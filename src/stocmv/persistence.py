"""Fitted votes in files that hold data only: reading one runs no code that it brings along.

The files are those of skops (the extra ``stocmv[cli]``). A file may hold scikit-learn's estimators as far as skops
trusts them, what `trusted_types` lists, and what a user names; everything else is refused by name. Decision trees and
the parts of this package are then checked, so that no number in them leads compiled code outside of an array.
"""

import importlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

import numpy as np
from sklearn.ensemble import BaseEnsemble
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree
from sklearn.utils.validation import check_is_fitted

from ._files import reason, whole_file
from .bounds import Catoni, CatoniPerFold, ClopperPearson, McAllester, PrintedTheorem2, Seeger
from .certificate import Certificate
from .classifier import DrawnVote, MajorityVoteClassifier
from .engines import Shared
from .learning import History, Step
from .naive_bayes import NaiveBayesVote
from .posteriors import Categorical, Dirichlet, LogitNormal, Posterior
from .risks import Binomial, CBound, Exact, FirstOrder, Half, MonteCarlo, SecondOrder
from .solvers import LBFGS, Adam, Auto, MiniBatchAdam
from .voters import Classifiers, Encoded, Ensemble, Frozen, Joined, Recoded, Stumps, Transformed
from .voters._classifiers import ClassifierVoters
from .voters._encoded import EncodedVoters
from .voters._ensemble import EnsembleVoters
from .voters._stumps import StumpVoters
from .voters._transformed import TransformedVoters
from .votes import PartitionedVotes, VoteMatrix

_LEVEL = 1  # a fifth larger than the best, in half of the time

Model = MajorityVoteClassifier | DrawnVote | NaiveBayesVote


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


TRUSTED: tuple[str, ...] = tuple(
    _name(kind)
    for kind in (
        *(MajorityVoteClassifier, DrawnVote, NaiveBayesVote),
        *(Certificate, History, Step, VoteMatrix, PartitionedVotes),
        *(Dirichlet, Categorical, LogitNormal),
        *(Ensemble, Classifiers, Frozen, Stumps, Encoded, Transformed, Shared),
        *(EnsembleVoters, ClassifierVoters, StumpVoters, EncodedVoters, TransformedVoters, Joined, Recoded),
        *(Exact, Half, MonteCarlo, FirstOrder, SecondOrder, Binomial, CBound),
        *(Seeger, PrintedTheorem2, Catoni, CatoniPerFold, McAllester, ClopperPearson),
        *(Auto, LBFGS, Adam, MiniBatchAdam),
        Tree,  # skops does not trust it: a forged one may lead outside of its arrays, but `load` checks that none does
    )
)


def trusted_types() -> tuple[str, ...]:
    """Names of the types that `load` trusts besides those that skops does: this package's, and decision trees.

    Examples
    --------
    >>> from stocmv.persistence import trusted_types
    >>> trusted_types()[0]
    'stocmv.classifier._classifier.MajorityVoteClassifier'
    >>> [name for name in trusted_types() if not name.startswith("stocmv.")]
    ['sklearn.tree._tree.Tree']
    """
    return TRUSTED


def save(estimator: Model, path: str | os.PathLike) -> None:
    """Write a fitted vote to a file, whole or not at all.

    Parameters
    ----------
    estimator : MajorityVoteClassifier, NaiveBayesVote or DrawnVote
        Fitted; a drawn vote always is.
    path : str or path
        Where to; by custom it ends in ``.skops``.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.persistence import load, save
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier([GaussianNB(), LogisticRegression()], random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.skops")
    ...     save(clf, path)
    ...     again = load(path)
    >>> again.certificate_ == clf.certificate_
    True
    """
    skops = _skops()
    if not isinstance(estimator, Model):
        raise TypeError(f"save takes a MajorityVoteClassifier, a NaiveBayesVote or a DrawnVote, got {estimator!r}.")
    if not isinstance(estimator, DrawnVote):
        check_is_fitted(estimator)
        if not all(isinstance(votes, VoteMatrix | PartitionedVotes) for votes in getattr(estimator, "votes_", ())):
            raise ValueError("The votes are on a cluster: fetch them first, votes_ = [v.collect() for v in votes_].")
    try:
        content = skops.dumps(estimator, compression=ZIP_DEFLATED, compresslevel=_LEVEL)
    except TypeError as error:  # of skops, which cannot save everything
        raise ValueError(f"This {type(estimator).__name__} cannot be saved: {reason(error)}.") from error
    with whole_file(path) as file:
        file.write(content)


def load(path: str | os.PathLike, *, trusted: Iterable[str | type] = ()) -> Model:
    """Read what `save` wrote.

    Nothing in the file is run: besides numbers and text it may hold scikit-learn's estimators, as far as skops trusts
    them, and the types of `trusted_types`. A file that needs more is refused with a ValueError that names it; those who
    know where the file comes from can name these types in ``trusted``. That concerns voters of one's own. A forged
    decision tree might lead outside of its arrays: `load` makes sure that the trees it reads do not.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : iterable of str or type
        Further types that the file may hold, themselves or as their full names. Their code runs when the file is read.

    Returns
    -------
    MajorityVoteClassifier, NaiveBayesVote or DrawnVote

    Examples
    --------
    A forest:

    >>> import os, tempfile
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv.naive_bayes import NaiveBayesVote
    >>> from stocmv.persistence import load, save
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> vote = NaiveBayesVote(RandomForestClassifier(5), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.skops")
    ...     save(vote, path)
    ...     again = load(path)
    >>> bool((again.predict(X) == vote.predict(X)).all())
    True
    """
    skops = _skops()
    content = Path(path).read_bytes()
    given = [trusted] if isinstance(trusted, str | type) else trusted
    names = [*TRUSTED, *(kind if isinstance(kind, str) else _name(kind) for kind in given)]
    try:
        model = skops.loads(content, trusted=names)
        _check(model)
    except skops.exceptions.UntrustedTypesFoundException as error:
        unknown = sorted(set(skops.get_untrusted_types(data=content)) - set(names))
        raise ValueError(
            f"{os.fspath(path)} needs types that are not trusted: {', '.join(unknown)}; if you know where the file "
            f"comes from, pass trusted={unknown!r}."
        ) from error
    except Exception as error:
        # whatever goes wrong with these bytes, they are no model: damage shows in many ways
        raise ValueError(f"{os.fspath(path)} is not a model file of stocmv: {reason(error)}.") from error
    return model


def _skops() -> Any:
    try:
        return importlib.import_module("skops.io")
    except ImportError as error:
        raise ImportError("Saving and loading votes needs skops: pip install 'stocmv[cli]'.") from error


def _check(model: Any) -> None:
    """Refuse what would lead compiled code, which trusts its indices, outside of an array."""
    if not isinstance(model, Model):
        raise ValueError(f"it holds a {type(model).__name__}.")
    if not _folds_fit(model):
        raise ValueError("its voters and their weights do not fit together.")
    for part in _parts(model):
        if isinstance(part, VoteMatrix):
            part._check_loaded()
        elif isinstance(part, PartitionedVotes):
            _check_parts(part)
        elif isinstance(part, Posterior):
            type(part)(**part.parameters())
        elif isinstance(part, Tree | BaseDecisionTree | BaseEnsemble) and not _is_sound(part):
            raise ValueError("it has a decision tree that leads outside of its arrays.")


def _check_parts(votes: PartitionedVotes) -> None:
    """Refuse parts of other voters or classes than the whole."""
    whole = PartitionedVotes(votes.parts) if all(isinstance(part, VoteMatrix) for part in votes.parts) else None
    if whole is None or (whole.n_voters, whole.n_classes) != (votes.n_voters, votes.n_classes):
        raise ValueError("the parts of its votes do not fit together.")


def _folds_fit(model: Model) -> bool:
    """Whether every voter has its weight; that voters answer classes that there are, is checked when they do."""
    if isinstance(model, DrawnVote):
        return np.ndim(model.weights) == 1
    weights = model.weights_ if isinstance(model, NaiveBayesVote) else [p.mean for p in model.posterior_]
    shapes = [(votes.n_voters,) for votes in model.votes_]
    return shapes == [np.shape(w) for w in weights] and len(shapes) == len(model.voters_) == len(model.fold_sizes_)


def _parts(value: Any) -> Iterator[Any]:
    """An object and all that it holds, each once."""
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
        else:
            waiting.extend(getattr(part, "__dict__", {}).values())


def _is_sound(part: Any) -> bool:
    """Whether a tree's nodes lead to nodes and features that it has, and its owners ask it for as many features."""
    if isinstance(part, Tree):
        return part.node_count > 0 and _nodes_lead_on(part)
    held = vars(part)
    if isinstance(part, BaseDecisionTree):
        return "tree_" not in held or held["tree_"].n_features == held["n_features_in_"]
    members = held.get("estimators_", [])
    members = members.ravel() if isinstance(members, np.ndarray) else members  # gradient boosting: a row per stage
    columns = held.get("estimators_features_")
    widths = [held.get("n_features_in_")] * len(members) if columns is None else [len(c) for c in columns]
    pairs = zip(members, widths, strict=True)
    return all(vars(m).get("n_features_in_") == w for m, w in pairs if isinstance(m, BaseDecisionTree))


def _nodes_lead_on(tree: Any) -> bool:
    """Every inner node has two children after it, as scikit-learn numbers them, and asks for a feature there is."""
    inner = np.flatnonzero(tree.children_left != -1)
    children = np.stack([tree.children_left[inner], tree.children_right[inner]])
    features = tree.feature[inner]
    return bool(
        np.all((children > inner) & (children < tree.node_count))
        and np.all((features >= 0) & (features < tree.n_features))
    )
