"""What an attacker found in the verifier: a figure below the theorem, files that take all memory or all time."""

import io
import json
import math
import zipfile

import numpy as np
import pytest

from certificate.forging import content_of, folds_of, holds, sealed
from certificate.made import certificate
from certificate.test_verify import SOME
from stocmv import VoteMatrix, certify, verify
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.certificate import certify_tested
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal
from stocmv.risks import RISKS, Binomial, MonteCarlo
from stocmv.special import log_xi
from stocmv.votes import save_folds
from zoo import folds, problem


@pytest.mark.parametrize("n_draws", [1, 2, 99, 100, 10**4, 10**6])
def test_many_draws_of_a_binomial_risk(n_draws):
    """Shares near one half, where the binomial tail that was used before loses its digits."""
    votes = VoteMatrix.from_labels(np.tile([[0, 1], [1, 0]], (500, 1)), np.tile([0, 0], 500))
    posterior = Categorical([0.5 - 1e-5, 0.5 + 1e-5])
    ours = certify([votes], [posterior], [posterior], Binomial(n_draws), BOUNDS["seeger"], 0.05)
    assert ours.verify([votes])
    forged = {**content_of(ours), "moments": [ours.moments[0] * 0.999]}
    assert not holds(sealed(forged), folds_of([votes]))


def test_more_draws_than_can_be_judged_are_refused():
    for make in (lambda: Binomial(10**6 + 1), lambda: MonteCarlo(certificate_draws=10**7)):
        with pytest.raises(ValueError, match="from 1 to 1,000,000"):
            make()


def test_no_posterior_can_be_made_to_fit_its_draws():
    """The draws begin at a hash of the posterior, so that the least change of it draws others."""
    ours, near = (LogitNormal(np.array([x, 1.0]), np.ones(2)) for x in (0.0, 1e-300))
    for purpose in ("a certificate", "the fixed votes"):
        assert ours.seed(purpose) != near.seed(purpose)
    assert ours.seed("a certificate") != ours.seed("the fixed votes")
    assert not np.array_equal(ours.fixed_votes(), near.fixed_votes())
    with pytest.raises(TypeError, match="exact risks"):
        Dirichlet([1.0, 2.0]).seed("a certificate")


@pytest.mark.parametrize("delta", [1e-199, 0.05, 0.6, 0.9, 0.999])
@pytest.mark.parametrize("wrong", [0, 1, 10, 19, 20])
def test_one_voter_at_any_confidence(wrong, delta):
    votes = VoteMatrix.from_errors(np.arange(20)[:, None] < wrong)
    ours = certify_tested([votes], [Dirichlet([1.0])], delta)
    assert ours.verify(votes), ours.verify(votes)
    assert ours.bound == ours.stochastic_bound


def test_the_constant_of_a_single_fold_was_not_chosen_from_others():
    posterior = Dirichlet(np.ones(12))
    ours = certify([problem("noisy")], [posterior], [posterior], RISKS["exact"], CatoniPerFold((1.0,)), 0.05)
    assert "chosen from the others" not in " ".join(ours.assumptions)
    assert ours.verify([problem("noisy")])


@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 10**6, 10**10, 10**10 + 1, 10**15])
def test_the_constant_of_seegers_bound_takes_no_time(n):
    assert verify.log_xi(n) == pytest.approx(float(log_xi(np.array([float(n)]))[0]), abs=1e-13 + 1e-14 * math.log(n))


class TestFiles:
    def refused(self, path, reason):
        with pytest.raises(verify.Refused, match=reason):
            verify.read_votes(path)

    def rewritten(self, path, change, compression=zipfile.ZIP_DEFLATED):
        save_folds(path, folds("noisy"))
        with zipfile.ZipFile(path) as packed:
            members = {name: packed.read(name) for name in packed.namelist()}
        change(members)
        with zipfile.ZipFile(path, "w", compression) as packed:
            for name, content in members.items():
                packed.writestr(name, content)
        return path

    @pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_packing_without_a_limit(self, compression, tmp_path):
        self.refused(self.rewritten(tmp_path / "votes.npz", dict, compression), "stored or deflated")

    def test_more_than_the_header_says(self, tmp_path):
        def grow(members):
            name = next(name for name in members if "bits" in name)
            members[name] += bytes(10**6)

        self.refused(self.rewritten(tmp_path / "votes.npz", grow), "something else than it says")

    @pytest.mark.parametrize("kind", ["<U0", "|S0"])
    def test_texts_of_no_length(self, kind, tmp_path):
        def many(members):
            header = io.BytesIO()
            content = {"descr": kind, "fortran_order": False, "shape": (3 * 10**9,)}
            np.lib.format.write_array_header_1_0(header, content)
            members[next(name for name in members if "classes" in name)] = header.getvalue()

        self.refused(self.rewritten(tmp_path / "votes.npz", many), "something else than it says")

    def test_a_context_that_is_nested_deeply(self):
        content = content_of(certificate(**SOME["two classes"]))
        deep = json.loads('{"a":' * 900 + "1" + "}" * 900)
        with pytest.raises(verify.Refused, match="nested too deeply"):
            verify.parse_certificate(sealed({**content, "context": deep}))

    def test_many_classes_take_blocks_of_few_rows(self):
        y = np.arange(4000)
        (fold,) = folds_of([VoteMatrix.from_labels(np.stack([y, (y + 1) % 4000, y], axis=1), y)])
        assert max(rows.stop - rows.start for rows in fold.blocks()) * fold.n_classes <= verify.BLOCK * 64
