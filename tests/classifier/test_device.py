"""Weights learned on a GPU, which a host version of its arithmetic stands in for."""

import sys

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from classifier.problems import data, quick
from stocmv import VoteMatrix, learn
from stocmv.solvers import LBFGS
from stocmv.voters import VoterSource
from votes.host_gpu import HostVotes, moved

TO_THE_END = LBFGS(max_iter=500, tolerance=1e-12)  # on the way, rounding decides where a step ends
CLOSE = 1e-8

LEARNED = {
    "PAC-Bayes": {"bound": "seeger", "n_folds": 3},
    "learned elsewhere": {"voters": [GaussianNB(), *(DecisionTreeClassifier(max_depth=d) for d in (1, 2, 3))]},
}


@pytest.fixture
def gpu(monkeypatch):
    monkeypatch.setattr("stocmv.votes._gpu.check_gpu", lambda: None)
    monkeypatch.setattr(VoteMatrix, "to", moved)
    monkeypatch.setattr(HostVotes, "asked", 0)


class Untouched(VoterSource):
    def fit(self, X, codes, classes, seed, n_jobs=None):
        raise AssertionError("voters were trained")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("how", LEARNED)
def test_the_certificate_is_that_of_weights_learned_in_memory(how, n_classes, gpu):
    X, y = data(n_classes, n=600, noise=0.3)
    ours, theirs = (
        quick(**LEARNED[how], prior=3.0, solver=TO_THE_END, stochastic=True, device=device).fit(X, y)
        for device in ("cuda", None)
    )
    assert HostVotes.asked > 0
    assert ours.n_iter_ > 0
    one, other = ours.certificate_, theirs.certificate_
    assert one.stochastic_bound == pytest.approx(other.stochastic_bound, rel=CLOSE)
    assert one.bound == pytest.approx(other.bound, rel=1e-5)  # not what was minimised
    assert how == "learned elsewhere" or {type(votes) for votes in ours.evidence_} == {VoteMatrix}
    assert ours.certificate_.verify(ours.evidence_)


@pytest.mark.parametrize(("steps", "close"), [(1, CLOSE), (5, 1e-5), (500, CLOSE)])
@pytest.mark.filterwarnings("ignore:LBFGS stopped")
def test_learn_asks_the_moved_votes_and_certifies_the_others(steps, close, gpu):
    rng = np.random.default_rng(0)
    votes = VoteMatrix.from_errors(rng.random((3000, 20)) < rng.uniform(0.2, 0.5, 20))
    solver = LBFGS(max_iter=steps, tolerance=1e-12)
    ours, theirs = (learn(votes, prior=1.0, solver=solver, device=device, random_state=0) for device in ("cuda", None))
    assert HostVotes.asked > 0
    assert ours.certificate.stochastic_bound == pytest.approx(theirs.certificate.stochastic_bound, rel=close)
    assert ours.certificate.verify([votes])


def test_votes_with_equal_weights_are_not_moved(gpu, monkeypatch):
    monkeypatch.delattr(VoteMatrix, "to")
    assert quick(device="cuda").fit(*data()).certificate_.bound < 1


@pytest.mark.parametrize("device", ["gpu", "cpu", 0])
def test_another_device_is_refused_before_voters_are_trained(device):
    with pytest.raises(ValueError, match=f"device must be None or 'cuda', got {device!r}."):
        quick(Untouched(), device=device).fit(*data())


def test_a_missing_library_is_reported_before_voters_are_trained(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ImportError, match=r"Votes on a GPU need CuPy: pip install 'stocmv\[gpu\]'\."):
        quick(Untouched(), device="cuda").fit(*data())


def test_a_missing_gpu_is_reported_before_voters_are_trained(monkeypatch):
    class Broken:
        @property
        def cuda(self):
            raise ValueError("no driver")

    monkeypatch.setitem(sys.modules, "cupy", Broken())
    with pytest.raises(OSError, match=r"No NVIDIA GPU can be used here: no driver\."):
        quick(Untouched(), device="cuda").fit(*data())


def test_examples_on_a_cluster_are_refused(gpu):
    da = pytest.importorskip("dask.array")
    pytest.importorskip("distributed", reason="needs the extra dask")
    X, y = (da.from_array(each) for each in data())
    with pytest.raises(ValueError, match="device='cuda' needs examples in memory"):
        quick(device="cuda").fit(X, y)
