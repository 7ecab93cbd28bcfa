"""Thirty digits of some rows: right themselves, and able to find what is wrong."""

import json
from dataclasses import replace

import flint
import numpy as np
import pytest
from flint import arb

import stocmv.certificate._precise as precise
from stocmv import learn
from stocmv.risks._exact import margin_rows
from stocmv.solvers import LBFGS
from stocmv.verify import fold_of
from zoo import SINGLE, posterior_near, prior_of, problem


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("scale", [pytest.param(0.05, marks=pytest.mark.slow), 1.0, 200.0])
def test_rows_agree_with_the_certified_ones(name, scale):
    votes = problem(name)
    votes = votes.take(np.arange(min(votes.n_rows, 8)))
    posterior = posterior_near(prior_of("dirichlet", votes.n_voters, scale), spread=1.0)
    with flint.ctx.workdps(35):
        ours = np.array([float(loss) for loss in precise._losses(votes, posterior.alpha, flint)])
    np.testing.assert_allclose(ours, margin_rows(posterior, votes), rtol=0, atol=2e-10)


@pytest.mark.parametrize(("shapes", "digits"), [((1, 1, 1), "1/3"), ((2, 1, 1), "11/18"), ((1, 2, 1), "7/36")])
def test_integers_give_fractions(shapes, digits):
    # P(G_own largest) for small integer shapes, by hand: iterated integrals of exponentials
    own, *rivals = map(arb, shapes)
    with flint.ctx.workdps(35):
        difference = precise._wins(own, rivals, arb) - arb(flint.fmpq(*map(int, digits.split("/"))))
        assert abs(difference) < 1e-29


def checked(certificate, votes, share, seed=0):
    fold = fold_of([votes._arrays()])
    return list(precise.precise_checks(json.loads(certificate.to_json()), [fold], share, seed))


@pytest.mark.parametrize("name", ["noisy", "three_classes"])
def test_a_double_that_is_off_is_found(name, monkeypatch):
    votes = problem(name)
    certificate = learn(votes, prior=1.0, random_state=0).certificate
    assert certificate.verify(votes, precise=0.2)
    monkeypatch.setattr(precise, "row_losses", lambda fold, weights: np.full(fold.n_rows, 0.123))
    assert not checked(certificate, votes, 0.2)[0].holds
    assert not certificate.verify(votes, precise=0.2)


def test_rows_of_half_are_judged_by_half_of_the_weight():
    votes = problem("ten_classes")
    certificate = learn(votes, prior=1.0, risk="half", random_state=0).certificate
    assert checked(certificate, votes, 1.0)[0].holds
    with flint.ctx.workdps(35):
        losses = precise._losses(votes.errors_only(), np.array(certificate.posteriors[0]["alpha"]), flint)
    mean = sum(float(loss) for loss in losses) / votes.n_examples
    assert mean == pytest.approx(certificate.moments[0], rel=1e-9)


def test_a_kl_that_is_off_is_found():
    votes = problem(SINGLE[0])
    certificate = learn(votes, prior=1.0, random_state=0).certificate
    error = {**certificate.figures["error"], "kl": certificate.kl * 0.999 - 1e-6}
    changed = replace(certificate, figures={**certificate.figures, "error": error})
    assert not checked(changed, votes, 0.5)[1].holds


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 1e6])
@pytest.mark.parametrize("name", ["noisy", "three_classes"])
def test_concentrations_of_every_size(name, prior):
    votes = problem(name)
    certificate = learn(votes, prior=prior, solver=LBFGS(max_iter=3), random_state=0).certificate
    assert certificate.verify(votes, precise=0.05), str(certificate.verify(votes, precise=0.05))
