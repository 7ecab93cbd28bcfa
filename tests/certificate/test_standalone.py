"""The verifier, copied out of the package, where nothing of stocmv can be imported."""

import ast
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import stocmv.verify
from certificate.forging import content_of, sealed
from certificate.made import certificate
from certificate.test_honest import random_certificate
from certificate.test_verify import SOME, votes_of
from stocmv.votes import PartitionedVotes, save_folds
from zoo import folds

# -I ignores the environment and the current folder; the guard refuses whatever the file must not need
GUARD = """
import runpy, sys
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"stocmv", "numba", "sklearn", "click", "rich", "flint", "pandas", "joblib"}:
            raise ImportError(f"{name} must not be imported")
sys.meta_path.insert(0, Guard())
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.fixture
def run(tmp_path):
    copy = Path(shutil.copy(stocmv.verify.__file__, tmp_path / "copied.py"))

    def call(*arguments):
        command = [sys.executable, "-I", "-W", "error", "-c", GUARD, str(copy), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)

    return call


MANY = """
import json, runpy, sys
verify = runpy.run_path(sys.argv[1], run_name="copied")["main"]
import contextlib, io
for line in open(sys.argv[2]):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = verify(json.loads(line))
    print(code)
"""


def write(which, folder):
    save_folds(folder / "votes.npz", votes_of(which))
    certificate(**SOME[which]).to_json(folder / "certificate.json")
    return folder / "certificate.json", folder / "votes.npz"


def test_it_imports_numpy_and_scipy_and_the_standard_library_alone():
    tree = ast.parse(Path(stocmv.verify.__file__).read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0}
    assert not any(node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    others = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    assert others == {"numpy", "scipy"}


@pytest.mark.parametrize(
    "which", ["two classes", "each class", "three folds", "logit-normal", "C-bound", "hold-out, groups", "fold test"]
)
def test_it_says_what_the_package_says(which, run, tmp_path):
    paths = write(which, tmp_path)
    answer = run(*paths)
    assert answer.returncode == 0, answer
    assert answer.stderr == ""
    assert answer.stdout == f"{certificate(**SOME[which]).verify(votes_of(which))}\n"


def test_it_reads_votes_in_parts(run, tmp_path):
    whole = folds("noisy")[0]
    votes = PartitionedVotes([whole.take(np.arange(50)), whole.take(np.arange(50, whole.n_rows))])
    save_folds(tmp_path / "votes.npz", [votes])
    content = content_of(certificate("noisy"))
    (tmp_path / "certificate.json").write_bytes(sealed({**content, "vote_digests": [votes.digest()]}))
    assert run(tmp_path / "certificate.json", tmp_path / "votes.npz").returncode == 0
    (tmp_path / "certificate.json").write_bytes(sealed(content))
    assert run(tmp_path / "certificate.json", tmp_path / "votes.npz").returncode == 1


@pytest.mark.parametrize(
    "change", [{"bound": 0.01}, {"kl": 0.0}, {"delta": 0.01}, {"vote_digests": ["0" * 64]}], ids=str
)
def test_it_finds_forgeries(change, run, tmp_path):
    paths = write("two classes", tmp_path)
    paths[0].write_bytes(sealed(content_of(certificate(**SOME["two classes"])) | change))
    answer = run(*paths)
    assert answer.returncode == 1
    assert answer.stdout.splitlines()[-1].startswith("The certificate does NOT hold.")
    assert "Traceback" not in answer.stderr


def test_what_is_not_proven_does_not_hold(run, tmp_path):
    paths = write("two folds", tmp_path)
    replace(certificate(**SOME["two folds"]), unproven=("the voters",)).to_json(paths[0])
    assert run(*paths).returncode == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda paths: paths[0].write_text("{}"),
        lambda paths: paths[0].write_text('{"bound": 1, "bound": 2}'),
        lambda paths: paths[0].write_text("[" * 100_000),
        lambda paths: paths[0].write_text(json.dumps(json.loads(paths[0].read_text()) | {"more": 1})),
        lambda paths: paths[1].write_bytes(b"votes"),
        lambda paths: paths[1].write_bytes(paths[1].read_bytes()[:-100]),
        lambda paths: np.savez(paths[1], bits=np.array([{}], object)),
        lambda paths: paths[0].unlink(),
        lambda paths: paths[1].unlink(),
    ],
    ids=["no certificate", "twice", "deep", "a field more", "no votes", "cut", "pickled", "no file", "no votes file"],
)
def test_what_cannot_be_used_gets_one_sentence(spoil, run, tmp_path):
    paths = write("two classes", tmp_path)
    spoil(paths)
    answer = run(*paths)
    assert answer.returncode == 2, answer
    assert answer.stdout == ""
    assert answer.stderr.startswith("Error: ")
    assert answer.stderr.count("\n") == 1


@pytest.mark.slow
def test_it_gives_the_verdicts_of_the_package_on_many_certificates(tmp_path):
    """Random honest certificates, and each of them with a figure made smaller and everything sealed anew."""
    copy = Path(shutil.copy(stocmv.verify.__file__, tmp_path / "copied.py"))
    pairs, theirs = [], []
    for seed in range(50):
        ours, votes = random_certificate((2, seed))
        save_folds(tmp_path / f"{seed}.npz", votes)
        content = content_of(ours)
        for name, text in (
            ("honest", ours.to_json().encode()),
            ("bound", sealed(content | {"bound": content["bound"] * 0.99})),
            ("KL", sealed(content | {"kl": content["kl"] * 0.99 - 1e-3})),
        ):
            path = tmp_path / f"{seed}-{name}.json"
            path.write_bytes(text)
            pairs.append([str(path), str(tmp_path / f"{seed}.npz")])
            theirs.append(0 if stocmv.verify.verify_files(*pairs[-1]) else 1)
        assert theirs[-3:] == [0 if ours.proven else 1, 1, 1]
    (tmp_path / "list").write_text("\n".join(map(json.dumps, pairs)))
    guarded = GUARD.replace('runpy.run_path(sys.argv[0], run_name="__main__")', MANY)
    command = [sys.executable, "-I", "-c", guarded, "-", str(copy), str(tmp_path / "list")]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert [int(code) for code in answer.stdout.split()] == theirs, answer.stderr
