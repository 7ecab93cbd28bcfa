"""The verifier, copied out of the package, where nothing of stocmv can be imported."""

import ast
import contextlib
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stocmv.verify
from certificate.forging import changed, content_of, sealed
from certificate.fuzzing import MAKERS, honest
from certificate.made import ONE_OF_EACH, made, verified
from stocmv.certificate import Judgments
from stocmv.votes import save_folds

# -I ignores the environment and the current folder; the guard refuses whatever the file must not need
GUARD = """
import runpy, sys
class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"stocmv", "numba", "sklearn", "click", "rich", "flint", "pandas", "joblib"}:
            raise ImportError(f"{name} must not be imported")
sys.meta_path.insert(0, Guard())
sys.argv = sys.argv[1:]
"""
ONE = GUARD + 'runpy.run_path(sys.argv[0], run_name="__main__")'
MANY = f"""{GUARD}
import contextlib, io, json
main = runpy.run_path(sys.argv[0], run_name="copied")["main"]
for line in open(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(json.loads(line))
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


def run(program, folder, *arguments):
    copy = Path(shutil.copy(stocmv.verify.__file__, folder / "copied.py"))
    command = [sys.executable, "-I", "-W", "error", "-c", program, str(copy), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=600)


def run_all(pairs, folder):
    """Exit code and what is printed for each pair of files, all in one process."""
    (folder / "list").write_text("\n".join(json.dumps(list(map(str, pair))) for pair in pairs))
    answer = run(MANY, folder, folder / "list")
    assert answer.returncode == 0, answer.stderr
    return [json.loads(line) for line in answer.stdout.splitlines()]


def write(certificate, evidence, folder, name="certificate"):
    folder.mkdir(exist_ok=True)
    certificate.to_json(folder / f"{name}.json")
    if isinstance(evidence, Judgments):
        evidence.save(folder / "evidence.npz")
    else:
        save_folds(folder / "evidence.npz", evidence)
    return folder / f"{name}.json", folder / "evidence.npz"


def test_it_imports_numpy_and_scipy_and_the_standard_library_alone():
    tree = ast.parse(Path(stocmv.verify.__file__).read_text())
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 0}
    assert not any(node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    others = {name.partition(".")[0] for name in imported} - set(sys.stdlib_module_names)
    assert others == {"numpy", "scipy"}


def test_it_has_every_section_of_its_contents():
    text = Path(stocmv.verify.__file__).read_text()
    listed = [line for line in stocmv.verify.__doc__.splitlines() if line[:1].isdigit()]
    sections = [line.strip("# -") for line in text.splitlines() if line.startswith("# ---")]
    assert [line.split(":")[0] for line in listed] == [line.split(":")[0] for line in sections]


def test_it_runs_as_a_program(tmp_path):
    answer = run(ONE, tmp_path, *write(*made(ONE_OF_EACH["folds"]), tmp_path))
    assert answer.returncode == 0, answer
    assert answer.stderr == ""
    assert answer.stdout == f"{verified(ONE_OF_EACH['folds'])}\n"


def test_it_says_what_the_package_says(tmp_path):
    pairs, theirs = [], []
    for name, which in ONE_OF_EACH.items():
        certificate, evidence = made(which)
        pairs.append(write(certificate, evidence, tmp_path / name))
        theirs.append([0, f"{verified(which)}\n", ""])
        for place, value in ((("figures", "error", "bound"), 0.01), (("delta",), 0.01), (("n",), 10**6)):
            forged = tmp_path / name / f"{place[-1]}.json"
            forged.write_bytes(sealed(changed(content_of(certificate), place, lambda x, value=value: value)))
            pairs.append((forged, pairs[-1][1]))
            theirs.append([1, f"{stocmv.verify.verify_files(*pairs[-1])}\n", ""])
            assert theirs[-1][1].startswith("The certificate does NOT hold.")
    assert run_all(pairs, tmp_path) == theirs


SPOILED = {
    "no certificate": lambda paths: paths[0].write_text("{}"),
    "twice": lambda paths: paths[0].write_text('{"bound": 1, "bound": 2}'),
    "deep": lambda paths: paths[0].write_text("[" * 100_000),
    "a field more": lambda paths: paths[0].write_text(json.dumps(json.loads(paths[0].read_text()) | {"more": 1})),
    "an old format": lambda paths: paths[0].write_text(json.dumps({"format": "stocmv certificate 1"})),
    "no evidence": lambda paths: paths[1].write_bytes(b"votes"),
    "cut": lambda paths: paths[1].write_bytes(paths[1].read_bytes()[:-100]),
    "pickled": lambda paths: np.savez(paths[1], truth=np.array([{}], object)),
    "no file": lambda paths: paths[0].unlink(),
    "no evidence file": lambda paths: paths[1].unlink(),
}


@pytest.mark.parametrize("which", [ONE_OF_EACH["folds"], ONE_OF_EACH["PAC-Bayes"]])
def test_what_cannot_be_used_gets_one_sentence(which, tmp_path):
    pairs = []
    for name, spoil in SPOILED.items():
        pairs.append(write(*made(which), tmp_path / name))
        spoil(pairs[-1])
    for name, (code, out, err) in zip(SPOILED, run_all(pairs, tmp_path), strict=True):
        assert (code, out) == (2, ""), name
        assert err.startswith("Error: ")
        assert err.count("\n") == 1


def test_the_evidence_of_another_kind_gets_one_sentence(tmp_path):
    certificate, votes = (
        write(*made(ONE_OF_EACH[name]), tmp_path / name)[k] for k, name in enumerate(("folds", "PAC-Bayes"))
    )
    err = io.StringIO()
    with contextlib.redirect_stderr(err):
        assert stocmv.verify.main([str(certificate), str(votes)]) == 2
    assert "is not a judgments file of stocmv: its columns are not those of judgments." in err.getvalue()


@pytest.mark.slow
def test_it_gives_the_verdicts_of_the_package_on_many_certificates(tmp_path):
    """Random honest certificates, and each of them with a figure made better and everything sealed anew."""
    pairs, theirs = [], []
    for kind in MAKERS:
        for seed in range(3):
            certificate, evidence = honest(kind, 3, seed)
            folder = tmp_path / f"{kind} {seed}"
            pairs.append(write(certificate, evidence, folder))
            forged = changed(content_of(certificate), ("figures", "error", "bound"), lambda x: x * 0.99)
            (folder / "forged.json").write_bytes(sealed(forged))
            pairs.append((folder / "forged.json", pairs[-1][1]))
            theirs += [0, 1]
    assert [code for code, _, _ in run_all(pairs, tmp_path)] == theirs
