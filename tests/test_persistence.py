import io
import json
import pickle
import re
import sys
import zipfile
from functools import cache

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree._tree import Tree

from stocmv import MajorityVoteClassifier, posteriors, risks, solvers
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.naive_bayes import NaiveBayesVote
from stocmv.persistence import TRUSTED, load, save, trusted_types
from stocmv.posteriors import Dirichlet
from stocmv.risks import MonteCarlo
from stocmv.solvers import LBFGS
from stocmv.voters import Stumps, VoterSet, VoterSource

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
SHORT = LBFGS(max_iter=10)
TREE = "sklearn.tree._tree.Tree"


class Rules(VoterSet):
    n_voters = 2

    def votes(self, X):
        return np.column_stack([X[:, 2] > 2.5, X[:, 3] > 1]).astype(int)


class RuleSource(VoterSource):
    learns = False

    def fit(self, X, codes, classes, seed, n_jobs=None):
        return Rules()


VOTERS = {
    "stumps": lambda: "stumps",
    "stumps of known ranges": lambda: Stumps(3, ranges=np.array([[0.0] * 4, [8.0] * 4]), n_pairs=4),
    "forest": lambda: RandomForestClassifier(4),
    "extra trees": lambda: ExtraTreesClassifier(4, max_depth=3),
    "bagging": lambda: BaggingClassifier(n_estimators=3, max_features=2),
    "bagged bayes": lambda: BaggingClassifier(GaussianNB(), n_estimators=3),
    "boosting": lambda: AdaBoostClassifier(n_estimators=3),
    "one classifier": GaussianNB,
    "list": lambda: [GaussianNB(), LogisticRegression(max_iter=1000), make_pipeline(StandardScaler(), SVC())],
    "list with trees": lambda: [GaussianNB(), GradientBoostingClassifier(n_estimators=3)],
    "frozen forest": lambda: FrozenEstimator(RandomForestClassifier(4, random_state=0).fit(X[::2], Y[::2])),
    "frozen list": lambda: [GaussianNB().fit(X[::2], Y[::2]), LogisticRegression(max_iter=1000).fit(X[::2], Y[::2])],
}
SETTINGS = {
    "categorical": {"risk": "first_order", "bound": "catoni"},
    "logit-normal": {
        "risk": MonteCarlo(certificate_draws=50),
        "posterior": "logit_normal",
        "bound": "seeger",
        "solver": solvers.Adam(n_steps=3),
    },
    "objects": {"risk": risks.Half(), "bound": CatoniPerFold((1.0, 2.0)), "n_folds": 2, "prior": [2.0, 3.0]},
    "per class": {"per_class": True, "random_state": np.random.RandomState(0)},
}


@cache
def fitted(name):
    if name in SETTINGS:
        settings = {"random_state": 0, "solver": SHORT, **SETTINGS[name]}
        return MajorityVoteClassifier([GaussianNB(), LogisticRegression(max_iter=1000)], **settings).fit(X, Y)
    if name == "naive Bayes":
        return NaiveBayesVote(RandomForestClassifier(4), random_state=0).fit(X, Y)
    if name == "drawn":
        return fitted("forest").draw(0)
    if name == "two classes":
        return MajorityVoteClassifier("stumps", random_state=0, solver=SHORT).fit(X, CODES > 0)
    if name == "own voters":
        return MajorityVoteClassifier(RuleSource(), random_state=0, solver=SHORT).fit(X, CODES > 0)
    return MajorityVoteClassifier(VOTERS[name](), random_state=0, solver=SHORT).fit(X, Y)


NAMES = [*VOTERS, *SETTINGS, "naive Bayes", "drawn", "two classes"]


def through_skops(model, folder):
    save(model, folder / "model.skops")
    return load(folder / "model.skops", trusted=[TREE])


def through_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", [through_skops, through_pickle, through_joblib])
def test_what_was_saved_is_loaded(name, way, tmp_path):
    theirs = fitted(name)
    ours = way(theirs, tmp_path)
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(theirs, "predict_proba"):
        np.testing.assert_array_equal(ours.predict_proba(X), theirs.predict_proba(X))
    if isinstance(theirs, MajorityVoteClassifier):
        assert ours.certificate_ == theirs.certificate_
        assert ours.certificate_.to_json() == theirs.certificate_.to_json()
        assert ours.certificate_.verify(ours.votes_)
        assert ours.history_.steps == theirs.history_.steps
        np.testing.assert_array_equal(ours.predict_stochastic(X, 0), theirs.predict_stochastic(X, 0))
        np.testing.assert_array_equal(ours.draw(0).predict(X), theirs.draw(0).predict(X))


@pytest.mark.parametrize("labels", [CODES, CODES > 0, Y.astype(object), CODES.astype(np.int8), CODES / 2 + 1])
def test_labels_keep_their_type(labels, tmp_path):
    theirs = NaiveBayesVote("stumps", random_state=0).fit(X, labels if labels.dtype.kind != "f" else labels * 2)
    ours = through_skops(theirs, tmp_path)
    assert ours.classes_.dtype == theirs.classes_.dtype
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_names_of_features(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    theirs = NaiveBayesVote([GaussianNB()], random_state=0).fit(frame, Y)
    ours = through_skops(theirs, tmp_path)
    assert ours.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(ours.predict(frame), theirs.predict(frame))


@pytest.mark.parametrize("kinds", [posteriors.POSTERIORS, risks.RISKS, BOUNDS, solvers.SOLVERS])
def test_every_part_is_trusted(kinds):
    for kind in kinds.values():
        kind = kind if isinstance(kind, type) else type(kind)
        assert f"{kind.__module__}.{kind.__name__}" in TRUSTED


def test_only_our_types_and_trees_are_trusted():
    assert trusted_types() == TRUSTED
    assert len(set(TRUSTED)) == len(TRUSTED)
    assert [name for name in TRUSTED if not name.startswith("stocmv.")] == [TREE]


def test_nothing_in_a_file_is_pickled(tmp_path):
    save(fitted("forest"), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as file:
        for name in file.namelist():
            if name.endswith(".npy"):
                np.load(io.BytesIO(file.read(name)), allow_pickle=False)
            else:
                assert name == "schema.json" or len(file.read(name)) == 16  # the key of the folds


# What is refused


def load_is_refused(path, reason=r"[^\n]+", **settings):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} {reason}$"):
        load(path, **settings)


def load_is_damaged(path, reason=r"[^\n]+", **settings):
    load_is_refused(path, f"is not a model file of stocmv: {reason}", **settings)


def test_trees_need_no_word(tmp_path):
    save(fitted("forest"), tmp_path / "model.skops")
    for trusted in ((), TREE, Tree, [Tree], (TREE,), {TREE}):
        assert load(tmp_path / "model.skops", trusted=trusted).certificate_ == fitted("forest").certificate_


def test_own_voters_must_be_trusted_by_name(tmp_path):
    save(fitted("own voters"), tmp_path / "model.skops")
    module = RuleSource.__module__
    named = f"{module}.RuleSource, {module}.Rules"
    load_is_refused(tmp_path / "model.skops", f"needs types that are not trusted: {re.escape(named)}; .*")
    load_is_refused(tmp_path / "model.skops", f".*: {re.escape(module)}.Rules; .*", trusted=[RuleSource])
    ours = load(tmp_path / "model.skops", trusted=[Rules, RuleSource])
    np.testing.assert_array_equal(ours.predict(X), fitted("own voters").predict(X))


def rewritten(source, target, change):
    """A copy of a model file whose schema was changed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                changed = change(schema)
                content = json.dumps(schema if changed is None else changed).encode()
            new.writestr(name, content)


def _json(value):
    return {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": json.dumps(value)}


def _tuple(*items):
    return {"__class__": "tuple", "__module__": "builtins", "__loader__": "TupleNode", "content": list(items)}


BOMBS = {
    "pathlib.Path": lambda trace: {
        "__class__": "Path",
        "__module__": "pathlib",
        "__loader__": "ConstructorFromReduceNode",
        "content": _tuple(_json(trace)),
    },
    "os.mkdir": lambda trace: {"__class__": "mkdir", "__module__": "os", "__loader__": "FunctionNode"},
    "subprocess.Popen": lambda trace: {
        "__class__": "Popen",
        "__module__": "subprocess",
        "__loader__": "ConstructorFromReduceNode",
        "content": _tuple(_tuple(_json("touch"), _json(trace))),
    },
    "os.makedirs": lambda trace: {
        "__class__": "dict",
        "__module__": "builtins",
        "__loader__": "DictNode",
        "content": {trace: _json(0)},
        "key_types": {
            "__class__": "list",
            "__module__": "builtins",
            "__loader__": "ListNode",
            "content": [{"__class__": "makedirs", "__module__": "os", "__loader__": "TypeNode"}],
        },
    },
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_brings_code_is_refused_and_not_run(name, tmp_path):
    trace = tmp_path / "trace"

    def plant(schema):
        schema["content"]["content"]["verbose"] = BOMBS[name](str(trace))

    save(fitted("two classes"), tmp_path / "model.skops")
    rewritten(tmp_path / "model.skops", tmp_path / "bomb.skops", plant)
    load_is_refused(tmp_path / "bomb.skops", f"needs types that are not trusted: {re.escape(name)}; .*")
    assert not trace.exists()


def test_methods_are_not_loaded(tmp_path):
    def plant(schema):
        model = json.loads(json.dumps(schema))
        schema["content"]["content"]["verbose"] = {
            "__class__": model["__class__"],
            "__module__": model["__module__"],
            "__loader__": "MethodNode",
            "content": {"func": "predict", "obj": model},
        }

    save(fitted("two classes"), tmp_path / "model.skops")
    rewritten(tmp_path / "model.skops", tmp_path / "method.skops", plant)
    load_is_refused(tmp_path / "method.skops", "needs types that are not trusted: .*MajorityVoteClassifier.predict; .*")


def forged_tree(tree, n_features=None, **nodes):
    """A copy of a tree with some of its numbers changed."""
    make, (own_features, *sizes), state = tree.__reduce__()
    state = {**state, "nodes": state["nodes"].copy()}
    for field, value in nodes.items():
        state["nodes"][field][0] = value
    forged = make(own_features if n_features is None else n_features, *sizes)
    forged.__setstate__(state)
    return forged


FORGERIES = {
    "child beyond the end": lambda tree: forged_tree(tree, left_child=10**6),
    "child before the start": lambda tree: forged_tree(tree, right_child=-7),
    "half a leaf": lambda tree: forged_tree(tree, right_child=-1),
    "circle": lambda tree: forged_tree(tree, left_child=0),
    "feature beyond the last": lambda tree: forged_tree(tree, feature=4),
    "feature before the first": lambda tree: forged_tree(tree, feature=-2),
    "more features than its owner": lambda tree: forged_tree(tree, n_features=10**6, feature=10**5),
    "no nodes": lambda tree: Tree(4, np.array([3]), 1),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("name", ["forest", "list with trees"])
def test_a_forged_tree_is_refused(forgery, name, tmp_path):
    model = pickle.loads(pickle.dumps(fitted(name)))
    voters = model.voters_[1]
    member = voters.ensemble.estimators_[2] if name == "forest" else voters.classifiers[1].estimators_[1, 2]
    member.tree_ = FORGERIES[forgery](member.tree_)
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a decision tree that leads .*", trusted=[TREE])


def forge_forest(model):
    model.voters_[0].ensemble.n_features_in_ = 3


def forge_member(model):
    member = model.voters_[0].ensemble.estimators_[0]
    member.tree_ = forged_tree(member.tree_, n_features=10**6, feature=10**5)
    member.n_features_in_ = 10**6


def forge_missing(model):
    del model.voters_[0].ensemble.n_features_in_


def forge_hidden(model):
    forge_member(model)
    model.voters_[0].ensemble = np.array([{"deep": (model.voters_[0].ensemble,)}], dtype=object)


@pytest.mark.parametrize("forge", [forge_forest, forge_member, forge_missing, forge_hidden])
def test_an_ensemble_must_fit_its_trees(forge, tmp_path):
    model = pickle.loads(pickle.dumps(fitted("forest")))
    forge(model)
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a decision tree that leads .*", trusted=[TREE])


def test_bagged_trees_must_fit_their_columns(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("bagging")))
    member = model.voters_[0].ensemble.estimators_[0]
    member.tree_ = forged_tree(member.tree_, n_features=10**6, feature=10**5)
    member.n_features_in_ = 10**6
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a decision tree that leads .*", trusted=[TREE])


def too_few_weights(model):
    model.posterior_[0] = Dirichlet([1.0])


def too_many_folds(model):
    model.posterior_.append(model.posterior_[0])


def no_voters(model):
    model.voters_.clear()


def negative_weights(model):
    model.posterior_[0].alpha[0] = -1


def votes_beyond_the_classes(model):
    model.votes_[0].labels[0, 0] = 200


def not_fitted(model):
    for name in [name for name in vars(model) if name.endswith("_")]:
        delattr(model, name)


@pytest.mark.parametrize(
    "forge", [too_few_weights, too_many_folds, no_voters, negative_weights, votes_beyond_the_classes, not_fitted]
)
def test_parts_that_do_not_fit_are_refused(forge, tmp_path, monkeypatch):
    model = pickle.loads(pickle.dumps(fitted("stumps")))
    forge(model)
    monkeypatch.setattr("stocmv.persistence.check_is_fitted", lambda model: None)
    save(model, tmp_path / "model.skops")
    monkeypatch.undo()
    load_is_damaged(tmp_path / "model.skops")


def test_weights_of_a_naive_bayes_vote_must_fit(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("naive Bayes")))
    model.weights_[1] = model.weights_[1][:2]
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "its voters and their weights do not fit together.", trusted=[TREE])


@pytest.mark.parametrize("name", ["stumps", "drawn"])
def test_forged_answers_are_caught_when_they_are_given(name, tmp_path):
    """Voters that answer classes there are not would lead the compiled sums astray."""
    if name == "drawn":
        model = pickle.loads(pickle.dumps(fitted("stumps").draw(0)))
        voters = model.voters
    else:
        model = pickle.loads(pickle.dumps(fitted("stumps")))
        voters = model.voters_[0]
    voters.pairs = voters.pairs + 100
    ours = through_skops(model, tmp_path)
    with pytest.raises(ValueError, match="Voters must answer class codes, integers from 0 to 2"):
        ours.predict(X)


def test_a_drawn_vote_needs_a_weight_for_each_voter(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("stumps").draw(0)))
    model.weights = model.weights[:5]
    ours = through_skops(model, tmp_path)
    with pytest.raises(ValueError, match="5 voters answered an array of uint8 of shape"):
        ours.predict(X)


def test_a_truncated_file_is_refused(tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    for size in [*range(0, len(content), len(content) // 25), len(content) - 1]:
        (tmp_path / "damaged.skops").write_bytes(content[:size])
        load_is_damaged(tmp_path / "damaged.skops")


def refused_or_whole(path):
    """Whatever was damaged: a file is refused with a sentence, or a model comes out."""
    try:
        outcome = load(path)
    except ValueError as error:
        outcome = str(error)
    refusal = rf"{re.escape(str(path))} (is not a model file of stocmv|needs types that are not trusted): [^\n]+"
    assert isinstance(outcome, MajorityVoteClassifier) or re.fullmatch(refusal, outcome)


def test_a_file_with_wrong_bytes_is_refused(tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    content = (tmp_path / "model.skops").read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        (tmp_path / "damaged.skops").write_bytes(damaged)
        refused_or_whole(tmp_path / "damaged.skops")


def nodes(value):
    """Every container in a schema, with each of its keys."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        yield value, key
        yield from nodes(part)


@pytest.mark.parametrize("garbage", [None, -1, "x", [], {}])
def test_a_file_with_a_wrong_schema_is_refused(garbage, tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    rng = np.random.default_rng(0)

    def spoil(schema):
        places = list(nodes(schema))
        container, key = places[rng.integers(len(places))]
        container[key] = garbage

    for _ in range(25):
        rewritten(tmp_path / "model.skops", tmp_path / "damaged.skops", spoil)
        refused_or_whole(tmp_path / "damaged.skops")


@pytest.mark.parametrize("schema", [[], {}, None, {"protocol": 10**6}, "deep"])
def test_a_foreign_schema_is_refused(schema, tmp_path):
    content = json.dumps(schema) if schema != "deep" else "[" * 100_000 + "]" * 100_000
    with zipfile.ZipFile(tmp_path / "foreign.skops", "w") as file:
        file.writestr("schema.json", content)
    load_is_damaged(tmp_path / "foreign.skops")


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"a,b\n1,2\n", pickle.dumps({}), b"PK\x05\x06" + b"\0" * 18])
def test_foreign_files_are_refused(content, tmp_path):
    (tmp_path / "foreign.skops").write_bytes(content)
    load_is_damaged(tmp_path / "foreign.skops")


def test_other_models_are_refused(tmp_path):
    skops = pytest.importorskip("skops.io")
    skops.dump(GaussianNB().fit(X, Y), tmp_path / "foreign.skops")
    load_is_damaged(tmp_path / "foreign.skops", "it holds a GaussianNB.")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model.skops")


# Saving


def test_what_cannot_be_saved_is_refused(tmp_path):
    with pytest.raises(TypeError, match="save takes a MajorityVoteClassifier, a NaiveBayesVote or a DrawnVote, got"):
        save(GaussianNB().fit(X, Y), tmp_path / "model.skops")
    with pytest.raises(NotFittedError):
        save(NaiveBayesVote(), tmp_path / "model.skops")
    model = pickle.loads(pickle.dumps(fitted("two classes")))
    model.verbose = np.array([(1, None)], dtype=[("number", int), ("object", object)])
    with pytest.raises(ValueError, match=r"^This MajorityVoteClassifier cannot be saved: [^\n]+$"):
        save(model, tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [OSError("the disk is full"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_the_old_file(error, tmp_path, monkeypatch):
    def fail(handle):
        raise error

    save(fitted("two classes"), tmp_path / "model.skops")
    monkeypatch.setattr("os.fsync", fail)
    for name in ("model.skops", "new.skops"):
        with pytest.raises(type(error)):
            save(fitted("stumps"), tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]
    assert load(str(tmp_path / "model.skops")).certificate_ == fitted("two classes").certificate_


def test_without_skops(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (lambda: save(fitted("two classes"), tmp_path / "model.skops"), lambda: load(tmp_path / "model.skops")):
        with pytest.raises(ImportError, match=r"needs skops: pip install 'stocmv\[cli\]'"):
            call()
