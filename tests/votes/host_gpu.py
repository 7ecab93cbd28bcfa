"""The arithmetic of the GPU's kernels, done by numpy, for machines without a GPU."""

from dataclasses import fields

import numpy as np

from stocmv import VoteMatrix
from stocmv.votes._integer_sums import IntegerSum


def on_host(votes, weights, curve, among=None):
    """The kernel's sums of a curve."""
    terms = IntegerSum.of(weights, curve, among or votes.n_examples)
    errors = votes.errors()
    wrong = errors @ terms.weights.astype(np.uint64)
    value, slope, d_total = terms.rows(wrong)
    gradient = errors.T.astype(np.uint64) @ slope
    sums = np.array([value.sum(), d_total.sum()])
    return terms.finish(sums, gradient, errors.sum(0), votes.n_examples)


class HostVotes(VoteMatrix):
    """Votes that were moved to a GPU, as far as the solver can tell; it counts the sums."""

    asked = 0

    def curve_sum(self, weights, curve, among=None):
        HostVotes.asked += 1
        return on_host(self, weights, curve, among)

    def argmax_error_sum(self, weights, among=None):
        HostVotes.asked += 1
        return super().argmax_error_sum(weights, among)


def moved(votes, device):
    """In place of `VoteMatrix.to`."""
    assert device == "cuda"
    return HostVotes(**{field.name: getattr(votes, field.name) for field in fields(VoteMatrix) if field.init})
