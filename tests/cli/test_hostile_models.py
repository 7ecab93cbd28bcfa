"""Model files that predict must not trust."""

import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from cli.examples import FLOWERS
from cli.terminal import assert_refused
from stocmv import MajorityVoteClassifier
from stocmv.persistence import save


class Stranger:
    """A type that nobody trusts."""


class Malicious:
    def __reduce__(self):
        return open, ("code-has-run", "w")


def _zip(path):
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("notes.txt", "no model")


def _without_schema(path):
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist() if name != "schema.json"}
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members.items():
            packed.writestr(name, content)


@pytest.fixture
def audit(audit):
    """Without the certificate, whose hash would not let any of these models through."""
    (audit / "certificate.json").unlink()
    return audit


MODELS = {
    "empty": (lambda path: path.write_bytes(b""), "not a model file"),
    "text": (lambda path: path.write_text("a model"), "not a model file"),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-500]), "not a model file"),
    "overwritten within": (
        lambda path: path.write_bytes(path.read_bytes()[:3000] + bytes(3000) + path.read_bytes()[6000:]),
        "not a model file",
    ),
    "a plain zip": (_zip, "not a model file"),
    "no schema": (_without_schema, "not a model file"),
    "a pickle": (lambda path: path.write_bytes(pickle.dumps(Malicious())), "not a model file"),
    "a type that is not trusted": (lambda path: skops.io.dump(Stranger(), path), "Stranger"),
    "another estimator": (lambda path: skops.io.dump(LogisticRegression(), path), "LogisticRegression"),
    "a list": (lambda path: skops.io.dump([1, 2, 3], path), "list"),
}


@pytest.mark.parametrize(("write", "word"), MODELS.values(), ids=MODELS)
def test_what_is_no_model(write, word, audit, flowers, stocmv, here):
    write(audit / "model.skops")
    assert_refused(stocmv("predict", audit, flowers, "--out", "answers.csv"), "model.skops", word)
    assert not list(here.iterdir())


def test_a_vote_of_another_kind(audit, flowers, stocmv):
    X = FLOWERS.drop(columns="kind")
    clf = MajorityVoteClassifier([GaussianNB()], random_state=0).fit(X, FLOWERS["kind"].to_numpy(dtype=str))
    save(clf.draw(0), audit / "model.skops")
    assert_refused(stocmv("predict", audit, flowers), "DrawnVote")


@pytest.mark.filterwarnings("always:there is no .*certificate.json:UserWarning")
def test_flipped_bytes(audit, flowers, stocmv):
    """A file that was hit is refused, or still holds a vote: no hit is an error of stocmv itself."""
    path = audit / "model.skops"
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        changed = bytearray(content)
        changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(changed))
        answer = stocmv("predict", audit, flowers)
        if answer.code != 0:
            assert_refused(answer)
            refused += 1
    assert refused > 20
