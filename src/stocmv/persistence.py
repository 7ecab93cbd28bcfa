"""Save and load fitted votes, and the evidence for their certificates, as data only: loading runs no code from a file.

The format of a vote is that of skops (extra ``stocmv[cli]``). A file may hold scikit-learn estimators whose predictions
can be checked, the types in `trusted_types`, and types that the user names; everything else is refused by name.
Decision trees and the parts of this package are then checked, so that no number in them makes compiled code leave an
array.
"""

import copy
import importlib
import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree._tree import Tree
from sklearn.utils.validation import check_is_fitted

from ._files import DAMAGE, reason, whole_file
from ._memory import check_fits
from ._model_checks import Model, check_model, foreign_types, full_name, known_types, parts_of, unpacked
from .bounds import Bennett, Catoni, CatoniPerFold, Lambda, McAllester, Seeger
from .certificate import Claim, DrawnCertificate, Judgments, PacBayesCertificate, TestedCertificate
from .checks import OrderTest
from .classifier import DrawnVote, InputForm, MajorityVoteClassifier
from .cluster import Shared
from .learning import History, Step
from .posteriors import BlocDirichlet, Categorical, Dirichlet, LogitNormal
from .protocols import AllJudge, Folds, HardVoting, HoldOut, PacBayes, SoftVoting
from .risks import (
    Binomial,
    CantelliBennett,
    CantelliSplit,
    CantelliTandem,
    CBound,
    Disagreement,
    Exact,
    FirstOrder,
    Half,
    MonteCarlo,
    SecondOrder,
    Soft,
)
from .solvers import LBFGS, Adam, Alternating, Auto, MiniBatchAdam, Quick
from .voters import (
    Answers,
    AnswerVoters,
    Classifiers,
    ClassifierVoters,
    CodedClassifier,
    Encoded,
    EncodedVoters,
    Ensemble,
    EnsembleVoters,
    Frozen,
    Joined,
    Models,
    ModelVoters,
    Recoded,
    Scores,
    ScoreVoters,
    StackedVoters,
    Stumps,
    StumpVoters,
    Transformed,
    TransformedVoters,
)
from .votes import Votes, load_folds, save_folds

__all__ = ["load", "load_evidence", "save", "save_evidence"]

_LEVEL = 1  # a fifth larger than the best, in half the time
# arrays with an entry per training example that scikit-learn keeps and does not need to predict
_PER_EXAMPLE = ("oob_decision_function_", "_sample_weight", "cv_results_")

TRUSTED: tuple[str, ...] = tuple(
    full_name(kind)
    for kind in (
        *(MajorityVoteClassifier, DrawnVote),
        *(TestedCertificate, PacBayesCertificate, DrawnCertificate, Claim, InputForm, OrderTest, History, Step),
        *(HoldOut, AllJudge, Folds, PacBayes, HardVoting, SoftVoting),
        *(BlocDirichlet, Dirichlet, Categorical, LogitNormal),
        *(Answers, Ensemble, Classifiers, Frozen, Models, Scores, Stumps, Encoded, Transformed, Shared),
        *(
            AnswerVoters,
            EnsembleVoters,
            ClassifierVoters,
            CodedClassifier,
            ScoreVoters,
            StackedVoters,
            StumpVoters,
            EncodedVoters,
            ModelVoters,
            TransformedVoters,
            Joined,
            Recoded,
        ),
        *(
            Exact,
            Half,
            MonteCarlo,
            FirstOrder,
            SecondOrder,
            Binomial,
            CBound,
            Disagreement,
            CantelliTandem,
            CantelliBennett,
            CantelliSplit,
            Soft,
        ),
        *(Seeger, Catoni, CatoniPerFold, McAllester, Lambda, Bennett),
        *(Auto, Quick, LBFGS, Adam, MiniBatchAdam, Alternating),
        Tree,  # skops does not trust it, as a forged one may leave its arrays; but `load` checks that
    )
)


def trusted_types() -> tuple[str, ...]:
    """Names of the types that `load` trusts in addition to skops: this package's, and decision trees.

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
    """Write a fitted vote atomically to a file.

    The file has everything needed to predict, and the certificate. It has no answers or labels of the training
    examples: ``evidence_`` is not saved, `save_evidence` writes it to a separate file. What a voter itself remembers
    is saved, such as the training examples of nearest neighbours.

    Parameters
    ----------
    estimator : MajorityVoteClassifier or DrawnVote
        Fitted; a drawn vote always is.
    path : str or path
        The file; by convention it ends in ``.skops``.

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
        raise TypeError(f"save takes a MajorityVoteClassifier or a DrawnVote, got {estimator!r}.")
    if not isinstance(estimator, DrawnVote):
        check_is_fitted(estimator)
    try:
        content = skops.dumps(_without_examples(estimator), compression=zipfile.ZIP_DEFLATED, compresslevel=_LEVEL)
    except TypeError as error:  # from skops, which cannot save everything
        raise ValueError(f"This {type(estimator).__name__} cannot be saved: {reason(error)}.") from error
    with whole_file(path) as file:
        file.write(content)


def _without_examples(estimator: Model) -> Model:
    """The same model, without arrays about individual training examples."""
    model = copy.copy(estimator)
    model.__dict__.pop("evidence_", None)
    if _kept_per_example(model):
        model = copy.deepcopy(model)
        for part, name in _kept_per_example(model):
            delattr(part, name)
    return model


def _kept_per_example(model: Model) -> list[tuple[Any, str]]:
    return [
        (part, name)
        for part in parts_of(model)
        for name in _PER_EXAMPLE
        if isinstance(getattr(part, "__dict__", {}).get(name), np.ndarray)
    ]


def load(path: str | os.PathLike, *, trusted: Iterable[str | type] = ()) -> Model:
    """Read a file that `save` wrote.

    No code in the file is run. Besides numbers and text it may hold the types in `trusted_types` and scikit-learn
    estimators whose predictions are computed by numpy (linear models, naive Bayes, encoders, scalers, pipelines) or by
    compiled code whose inputs `load` checks (trees, ensembles of them, histogram gradient boosting of numbers). Others
    hold numbers that compiled code trusts, so a forged file could crash the process: support vector machines with a
    kernel, nearest neighbours, gradient boosting with categories. A file that needs these, or your own voters, is
    refused with a ValueError that names them; if you know where the file comes from, list these types in ``trusted``.

    Parameters
    ----------
    path : str or path
        The file.
    trusted : iterable of str or type
        Further types that the file may hold, as types or full names. Their code runs when the file is read, and nothing
        in them is checked.

    Returns
    -------
    MajorityVoteClassifier or DrawnVote

    Examples
    --------
    A forest:

    >>> import os, tempfile
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.persistence import load, save
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier(RandomForestClassifier(5), random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.skops")
    ...     save(clf, path)
    ...     again = load(path)
    >>> bool((again.predict(X) == clf.predict(X)).all())
    True
    """
    skops = _skops()
    file = Path(path)
    given = [trusted] if isinstance(trusted, str | type) else trusted
    further = {kind if isinstance(kind, str) else full_name(kind) for kind in given}
    names = {*TRUSTED, *further}
    try:
        check_fits(file.stat().st_size, "it")
        with unpacked(file) as plain:
            unknown = foreign_types(plain, names) | set(skops.get_untrusted_types(file=plain)) - names - known_types()
            if not unknown:
                model = skops.load(plain, trusted=[*names, *known_types()])
                check_model(model, further)
                return model
    except OSError:
        raise
    except Exception as error:
        # any error here means that the file is not a model: damage shows in many ways
        raise ValueError(f"{os.fspath(path)} is not a model file of stocmv: {reason(error)}.") from error
    refused = sorted(unknown)
    raise ValueError(
        f"{os.fspath(path)} needs types that are not trusted: {', '.join(refused)}; if you know where the file comes "
        f"from, pass trusted={refused!r}."
    )


def save_evidence(path: str | os.PathLike, evidence: Judgments | Sequence[Votes]) -> None:
    """Write the evidence for a certificate atomically to an npz file, for `stocmv verify`.

    Parameters
    ----------
    path : str or path
        The file; by convention ``evidence.npz``.
    evidence : Judgments or sequence of Votes
        ``clf.evidence_``; votes on a cluster are collected.

    Examples
    --------
    >>> import os, tempfile
    >>> from stocmv import certify_predictions
    >>> from stocmv.persistence import load_evidence, save_evidence
    >>> certificate = certify_predictions(["yes", "no"] * 50, ["yes", "no"] * 48 + ["no"] * 4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_evidence(os.path.join(folder, "evidence.npz"), certificate.evidence_)
    ...     again = load_evidence(os.path.join(folder, "evidence.npz"))
    >>> bool(certificate.verify(again))
    True
    """
    if isinstance(evidence, Judgments):
        evidence.save(path)
    else:
        save_folds(path, evidence)


def load_evidence(path: str | os.PathLike) -> Judgments | list[Votes]:
    """Read a file that `save_evidence` wrote; nothing in the file can run code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Judgments or list of Votes
        To be assigned to ``clf.evidence_`` of a loaded classifier, for example.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.persistence import load_evidence, save_evidence
    >>> clf = MajorityVoteClassifier("stumps", random_state=0).fit(*make_moons(200, noise=0.2, random_state=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "evidence.npz")
    ...     save_evidence(path, clf.evidence_)
    ...     again = load_evidence(path)
    >>> bool(clf.certificate_.verify(again))
    True
    """
    with open(path, "rb") as file:
        try:
            names = zipfile.ZipFile(file).namelist()
        except DAMAGE as error:
            raise ValueError(f"{os.fspath(path)} is not an evidence file of stocmv: {reason(error)}.") from error
    return Judgments.load(path) if "truth.npy" in names else load_folds(path)


def _skops() -> Any:
    try:
        return importlib.import_module("skops.io")
    except ImportError as error:
        raise ImportError("Saving and loading votes needs skops: pip install 'stocmv[cli]'.") from error
