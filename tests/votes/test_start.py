"""Calls that are started before their results are waited for."""

import numpy as np
import pytest

from stocmv import VoteMatrix
from stocmv.posteriors import Dirichlet
from stocmv.risks import RISKS
from stocmv.votes import PartitionedVotes
from votes.host_gpu import moved
from zoo import problem

CURVE = RISKS["exact"].curve(Dirichlet(np.ones(12)))


def test_a_call_to_votes_in_memory_is_made_when_it_is_waited_for():
    votes, called = problem("noisy"), []
    wait = votes.start(called.append, 1)
    assert called == []
    wait()
    assert called == [1]


@pytest.mark.parametrize("in_parts", [False, True])
def test_the_result_is_that_of_the_call(in_parts):
    votes = problem("noisy")
    if in_parts:
        votes = PartitionedVotes([votes.take(rows) for rows in np.array_split(np.arange(votes.n_rows), 3)])
    assert votes.start(votes.digest)() == votes.digest()
    assert votes.start(votes.total, VoteMatrix.n_rows.fget)() == votes.n_rows


class Kernels(VoteMatrix):
    """Votes that take note of when they are asked, as a GPU would start its kernels."""

    log: list

    def start(self, call, *arguments):
        self.log.append("start")
        return lambda: self.log.append("wait") or call(*arguments)


def test_all_parts_are_started_before_the_first_is_waited_for():
    votes = problem("noisy")
    Kernels.log = []
    whole, weights = VoteMatrix.from_errors(votes.errors()), np.ones(votes.n_voters)
    parts = [Kernels.from_errors(block) for block in np.array_split(votes.errors(), 3)]
    ours, theirs = PartitionedVotes(parts).curve_sum(weights, CURVE), whole.curve_sum(weights, CURVE)
    assert Kernels.log == ["start"] * 3 + ["wait"] * 3
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_parts_on_a_gpu_compute_their_sums_there():
    votes = problem("noisy")
    blocks = [VoteMatrix.from_errors(block) for block in np.array_split(votes.errors(), 3)]
    there = PartitionedVotes([moved(block, "cuda") for block in blocks])
    before = type(there.parts[0]).asked
    there.curve_sum(np.ones(votes.n_voters), CURVE)
    assert type(there.parts[0]).asked == before + 3
