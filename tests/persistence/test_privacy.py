"""A model file knows nothing about single training examples."""

import copy
import json
import zipfile
from io import BytesIO

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.naive_bayes import GaussianNB

from persistence.models import SHORT, fitted, through_skops
from stocmv import MajorityVoteClassifier
from stocmv.displays import ErrorDistributionDisplay
from stocmv.persistence import load_evidence, save, save_evidence

N = 211  # unlike any number of voters, nodes or features
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
Y = np.array(["no", "yes"])[(X[:, 0] + 0.3 * RNG.normal(size=N) > 0).astype(int)]
SHALLOW = {"n_estimators": 25, "max_depth": 2}  # enough that each example is out of some bag
MODELS = {
    "stumps": lambda: MajorityVoteClassifier("stumps", random_state=0, solver=SHORT),
    "forest": lambda: MajorityVoteClassifier(RandomForestClassifier(**SHALLOW, oob_score=True), random_state=0),
    "folds": lambda: MajorityVoteClassifier(ExtraTreesClassifier(**SHALLOW), n_folds=3, random_state=0),
    "bagging": lambda: MajorityVoteClassifier(
        BaggingClassifier(GaussianNB(), n_estimators=20, oob_score=True), random_state=0
    ),
    "list": lambda: MajorityVoteClassifier(
        [GaussianNB(), LogisticRegression(), RidgeClassifierCV(store_cv_results=True)], random_state=0
    ),
    "frozen": lambda: MajorityVoteClassifier(
        FrozenEstimator(
            BaggingClassifier(GaussianNB(), n_estimators=20, oob_score=True, random_state=0).fit(
                X, Y, sample_weight=np.ones(N)
            )
        )
    ),
    "bound that is paid for": lambda: MajorityVoteClassifier("stumps", bound="seeger", solver=SHORT, random_state=0),
}


def lengths_in(path):
    """Lengths of all arrays and lists in a model file, and of its texts."""
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            if name.endswith(".npy"):
                yield from np.load(BytesIO(file.read(name))).shape
        waiting = [json.loads(file.read("schema.json"))]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list | dict):
            yield len(part)
            waiting.extend(part if isinstance(part, list) else part.values())


@pytest.mark.parametrize(("name", "settings"), [*((name, {}) for name in MODELS), ("folds", {"groups": np.arange(N)})])
def test_nothing_in_a_file_has_an_entry_for_each_example(name, settings, tmp_path):
    model = MODELS[name]().fit(X, Y, **settings)
    judging = model.certificate_.fold_sizes
    kept = copy.deepcopy(vars(model))
    save(model, tmp_path / "model.skops")
    few = {*judging, *(N - n for n in judging), N} - {0}
    assert few.isdisjoint(lengths_in(tmp_path / "model.skops"))
    assert vars(model).keys() == kept.keys()  # the model itself keeps what it has


@pytest.mark.parametrize("name", ["stumps", "list"])
def test_a_file_hardly_grows_with_the_examples(name, tmp_path):
    sizes = []
    for n in (1000, 20000):
        features = RNG.normal(size=(n, 3))
        save(MODELS[name]().fit(features, features[:, 0] + RNG.normal(size=n) > 0), tmp_path / "model.skops")
        sizes.append((tmp_path / "model.skops").stat().st_size)
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


@pytest.mark.parametrize("name", ["forest", "folds", "groups in folds", "paid", "objects"])
def test_evidence_is_missed_in_words_and_can_be_set(name, tmp_path):
    theirs = fitted(name)
    save_evidence(tmp_path / "evidence.npz", theirs.evidence_)
    ours = through_skops(theirs, tmp_path)
    assert not hasattr(ours, "evidence_")
    with pytest.raises(AttributeError, match="evidence_ is not saved with a model: load it from its file"):
        ours.evidence_  # noqa: B018
    ours.evidence_ = load_evidence(tmp_path / "evidence.npz")
    assert type(ours.evidence_) is type(theirs.evidence_)
    assert ours.certificate_.verify(ours.evidence_)


def test_evidence_before_a_fit():
    with pytest.raises(NotFittedError):
        MajorityVoteClassifier().evidence_  # noqa: B018


def test_evidence_that_is_none(tmp_path):
    path = tmp_path / "evidence.npz"
    with pytest.raises(FileNotFoundError):
        load_evidence(path)
    for content in (b"", b"not a zip file", b"PK"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"evidence.npz is not an evidence file of stocmv: [^\n]+\.$"):
            load_evidence(path)
    for columns in ({"truth": np.zeros(3)}, {"fold_0_bits": np.zeros(3)}, {"other": np.array([{}], object)}, {}):
        np.savez(path, **columns)
        with pytest.raises(ValueError, match=r"evidence.npz is not a (judgments|votes) file of stocmv: [^\n]+\.$"):
            load_evidence(path)


def test_a_display_of_examples_needs_the_evidence(tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    ours = through_skops(fitted("forest"), tmp_path)
    with pytest.raises(AttributeError, match="evidence_ is not saved with a model"):
        ErrorDistributionDisplay.from_estimator(ours)
    ours.evidence_ = fitted("forest").evidence_
    assert ErrorDistributionDisplay.from_estimator(ours).heights_.sum() == ours.certificate_.n


def test_a_loaded_model_can_be_fitted_and_saved_again(tmp_path):
    ours = through_skops(through_skops(fitted("two classes"), tmp_path), tmp_path)
    assert len(ours.fit(X, Y).evidence_) == ours.certificate_.n
