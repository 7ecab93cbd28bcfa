"""Files that were made to do harm."""

import json
import pickle
import re
import tracemalloc
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC
from sklearn.tree._tree import Tree

from persistence.models import (
    TREE,
    X,
    Y,
    fitted,
    load_is_damaged,
    load_is_refused,
    rewritten,
    through_skops,
    types_to_trust,
)
from stocmv import MajorityVoteClassifier
from stocmv.persistence import load, save
from stocmv.posteriors import Dirichlet


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
        model = json.loads(json.dumps(schema).replace('"__id__": ', '"__id__": 1'))  # parts of its own
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
    voters = model.voters_[-1]
    member = voters.ensemble.estimators_[2] if name == "forest" else voters.classifiers[1].estimators_[1, 2]
    member.tree_ = FORGERIES[forgery](member.tree_)
    save(model, tmp_path / "model.skops")
    trusted = types_to_trust(tmp_path / "model.skops")  # gradient boosting is checked no less for being trusted
    load_is_damaged(tmp_path / "model.skops", "it has a decision tree that leads .*", trusted=trusted)


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


def forge_stranger(model):
    """The forest asks whatever has a tree, without a check."""
    members = model.voters_[0].ensemble.estimators_
    stranger = GaussianNB().fit(X, members[0].predict(X))
    stranger.tree_ = forged_tree(members[0].tree_, n_features=10**6, feature=10**5)
    members[0] = stranger


def forge_columns(model):
    """Bagging hands its members these columns; a forest does not."""
    forge_member(model)
    forest = model.voters_[0].ensemble
    forest.estimators_features_ = [np.zeros(member.n_features_in_, int) for member in forest.estimators_]


def forge_container(model):
    forge_member(model)
    forest = model.voters_[0].ensemble
    forest.estimators_ = tuple(forest.estimators_)


@pytest.mark.parametrize(
    "forge",
    [forge_forest, forge_member, forge_missing, forge_hidden, forge_stranger, forge_columns, forge_container],
)
def test_an_ensemble_must_fit_its_trees(forge, tmp_path):
    model = pickle.loads(pickle.dumps(fitted("forest")))
    forge(model)
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a decision tree that leads .*", trusted=[TREE])


def test_bagged_trees_must_fit_their_columns(tmp_path):
    """These check for themselves what they are asked."""
    model = pickle.loads(pickle.dumps(fitted("bagging")))
    member = model.voters_[0].ensemble.estimators_[0]
    member.tree_ = forged_tree(member.tree_, n_features=10**6, feature=10**5)
    member.n_features_in_ = 10**6
    ours = through_skops(model, tmp_path)
    with pytest.raises(ValueError, match="expecting 1000000 features"):
        ours.predict(X)


def replace_the_check(model):
    """What this class makes of the examples is an array of any width."""
    model.voters_[0].ensemble._validate_X_predict = np.float32


def replace_the_vote(model):
    model.voters_[0].codes = np.positive


@pytest.mark.parametrize("forge", [replace_the_check, replace_the_vote])
def test_methods_are_not_replaced(forge, tmp_path):
    model = pickle.loads(pickle.dumps(fitted("forest")))
    forge(model)
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a .* whose method .* is replaced.")


@pytest.mark.parametrize("jobs", [10**9, "many", 1.5])
def test_threads_are_not_started_by_the_million(jobs, tmp_path):
    model = pickle.loads(pickle.dumps(fitted("forest")))
    model.voters_[0].n_jobs = jobs
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a EnsembleVoters with n_jobs=.*")


def child_outside(tree):
    tree.nodes["left"][0] = len(tree.nodes)


def loop(tree):
    tree.nodes["right"][0] = 0


def no_such_feature(tree):
    tree.nodes["feature_idx"][0] = 4


def category(tree):
    tree.nodes["is_categorical"][0] = 1


@pytest.mark.parametrize("forge", [child_outside, loop, no_such_feature, category])
def test_boosted_trees_stay_within_their_arrays(forge, tmp_path):
    model = MajorityVoteClassifier([HistGradientBoostingClassifier(max_iter=2)], random_state=0).fit(X, Y)
    save(model, tmp_path / "model.skops")
    np.testing.assert_array_equal(load(tmp_path / "model.skops").predict(X), model.predict(X))
    forge(model.voters_[0].classifiers[0]._predictors[1][2])
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has a boosted tree that leads outside of its arrays.*")


UNCHECKED = (SVC(), KNeighborsClassifier())


@pytest.mark.parametrize("classifier", UNCHECKED, ids=lambda classifier: type(classifier).__name__)
def test_kinds_that_cannot_be_checked_must_be_trusted_by_name(classifier, tmp_path):
    model = MajorityVoteClassifier([classifier], random_state=0).fit(X[::5], Y[::5])
    save(model, tmp_path / "model.skops")
    load_is_refused(tmp_path / "model.skops", f"needs types that are not trusted: .*{type(classifier).__name__}.*")
    ours = load(tmp_path / "model.skops", trusted=types_to_trust(tmp_path / "model.skops"))
    np.testing.assert_array_equal(ours.predict(X), model.predict(X))


def test_sparse_matrices_must_be_trusted_by_name(tmp_path):
    """Their indices are not checked when they are multiplied."""
    model = MajorityVoteClassifier([LogisticRegression(max_iter=500)], random_state=0).fit(X, Y)
    model.voters_[0].classifiers[0].sparsify()
    save(model, tmp_path / "model.skops")
    load_is_refused(tmp_path / "model.skops", "needs types that are not trusted: scipy.sparse.*")


def encoded():
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), [0]), remainder="passthrough")
    return MajorityVoteClassifier([make_pipeline(encoder, LogisticRegression(max_iter=500))], random_state=0).fit(X, Y)


def fewer_columns(encoder):
    encoder._n_features_outs = [1]


def no_order(encoder):
    encoder.categories_[0] = encoder.categories_[0][::-1].copy()


def numbers_as_objects(encoder):
    encoder.categories_[0] = encoder.categories_[0][::-1].astype(object)


def groups(encoder):
    encoder._infrequent_enabled = True
    encoder._default_to_infrequent_mappings = [np.full(100, 10**6)]


@pytest.mark.parametrize("forge", [fewer_columns, no_order, numbers_as_objects, groups])
def test_an_encoder_stays_within_its_columns(forge, tmp_path):
    model = encoded()
    np.testing.assert_array_equal(through_skops(model, tmp_path).predict(X), model.predict(X))
    forge(model.voters_[0].classifiers[0][0].transformers_[0][1])
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "it has an encoder whose categories do not fit its columns.")


def test_a_small_file_that_unpacks_to_more_than_the_memory(tmp_path, monkeypatch):
    model = pickle.loads(pickle.dumps(fitted("two classes")))
    model.verbose = np.zeros(10**7)
    save(model, tmp_path / "model.skops")
    assert (tmp_path / "model.skops").stat().st_size < 10**6
    monkeypatch.setattr("stocmv._memory.free_memory", lambda: 10**8)
    tracemalloc.start()
    load_is_damaged(tmp_path / "model.skops", "what it holds unpacks to .* GiB, more than half of the free memory.")
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


def test_a_member_that_is_read_many_times(tmp_path, monkeypatch):
    model = pickle.loads(pickle.dumps(fitted("two classes")))
    model.verbose = np.zeros(10**6)
    save(model, tmp_path / "model.skops")

    def multiply(schema):
        attributes = schema["content"]["content"]
        node = attributes["verbose"]
        copies = [{**node, "__id__": -1 - i} for i in range(100)]
        attributes["verbose"] = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        attributes["verbose"]["content"] = copies

    rewritten(tmp_path / "model.skops", tmp_path / "many.skops", multiply)
    monkeypatch.setattr("stocmv._memory.free_memory", lambda: 10**9)
    load_is_damaged(tmp_path / "many.skops", "what it holds unpacks to .* GiB, more than half of the free memory.")


def test_parts_that_stand_for_each_other(tmp_path):
    """Lists of two, each of which is the next list: forty of them are a million millions."""
    save(fitted("two classes"), tmp_path / "model.skops")

    def nest(schema):
        kind = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
        inner = {**kind, "__id__": -1, "content": []}
        for level in range(2, 42):
            stub = {**kind, "__id__": inner["__id__"], "content": []}
            inner = {**kind, "__id__": -level, "content": [inner, stub]}
        schema["content"]["content"]["verbose"] = inner

    rewritten(tmp_path / "model.skops", tmp_path / "nested.skops", nest)
    load_is_damaged(tmp_path / "nested.skops", "its parts repeat each other too often.")


def test_other_packing_has_no_limit(tmp_path):
    save(fitted("two classes"), tmp_path / "model.skops")
    with zipfile.ZipFile(tmp_path / "model.skops") as old, zipfile.ZipFile(tmp_path / "packed.skops", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name), zipfile.ZIP_BZIP2)
    load_is_damaged(tmp_path / "packed.skops", "it is packed by another method than deflate.")


def too_few_weights(model):
    model.posterior_[0] = Dirichlet([1.0])


def too_many_folds(model):
    model.posterior_.append(model.posterior_[0])


def no_voters(model):
    model.voters_.clear()


def no_shares(model):
    model.certificate_ = replace(model.certificate_, fold_shares=())


def a_key_without_folds(model):
    model.key_ = b"0123456789abcdef"


def no_figures(model):
    model.certificate_ = replace(model.certificate_, figures={})


def an_unknown_figure(model):
    model.certificate_ = replace(model.certificate_, figures={**model.certificate_.figures, "luck": 1.0})


def claims_that_are_none(model):
    model.certificate_ = replace(model.certificate_, claims=("none",))


def a_context_of_another_kind(model):
    model.certificate_ = replace(model.certificate_, context=[1])


def negative_weights(model):
    model.posterior_[0].alpha[0] = -1


def not_fitted(model):
    for name in [name for name in vars(model) if name.endswith("_")]:
        del vars(model)[name]


@pytest.mark.parametrize(
    "forge",
    [
        too_few_weights,
        too_many_folds,
        no_voters,
        no_shares,
        no_figures,
        an_unknown_figure,
        a_key_without_folds,
        claims_that_are_none,
        a_context_of_another_kind,
        negative_weights,
        not_fitted,
    ],
)
@pytest.mark.parametrize("name", ["stumps", "paid"])
def test_parts_that_do_not_fit_are_refused(forge, name, tmp_path, monkeypatch):
    model = pickle.loads(pickle.dumps(fitted(name)))
    forge(model)
    monkeypatch.setattr("stocmv.persistence.check_is_fitted", lambda model: None)
    save(model, tmp_path / "model.skops")
    monkeypatch.undo()
    load_is_damaged(tmp_path / "model.skops")


@pytest.mark.parametrize("key", [None, "a text of sixteen"])
def test_folds_without_a_key_are_refused(key, tmp_path):
    model = pickle.loads(pickle.dumps(fitted("folds")))
    model.key_ = key
    save(model, tmp_path / "model.skops")
    load_is_damaged(tmp_path / "model.skops", "its voters and their weights do not fit together.")


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
    with pytest.raises(ValueError, match="its voters and their weights do not fit together"):
        through_skops(model, tmp_path)
