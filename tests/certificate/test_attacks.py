"""What an attacker found in the verifier: a figure below the theorem, files that take all memory or all time."""

import io
import json
import math
import tracemalloc
import zipfile

import numpy as np
import pytest

from certificate.forging import content_of, folds_of, holds, reasons, sealed
from certificate.made import certificate
from certificate.test_verify import SOME
from stocmv import VoteMatrix, certify, learn, verify
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.certificate import Costs, Expected, certify_tested
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal
from stocmv.risks import RISKS, Binomial, MonteCarlo
from stocmv.selective import certify_selective
from stocmv.special import log_xi
from stocmv.votes import save_folds
from zoo import answers, folds, problem


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
    votes = VoteMatrix.from_labels(np.arange(20)[:, None] < wrong, np.zeros(20, bool), [False, True])
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


def disagreeing(n=1000, n_sure=300):
    """Two voters that agree and are right on some rows, and disagree on the others, where the first errs mostly."""
    y = np.arange(n) % 2
    first = np.where((np.arange(n) < n_sure) | (np.arange(n) % 10 < 3), y, 1 - y)
    return VoteMatrix.from_labels(np.stack([first, np.where(np.arange(n) < n_sure, first, 1 - first)], axis=1), y)


@pytest.mark.parametrize("kind", [Dirichlet, Categorical])
def test_rows_at_the_edge_of_a_threshold_count_against_the_claim(kind):
    """As errors among the answers, and as not covered: whether they are answered depends on the order of the sums."""
    votes, posterior = disagreeing(), kind([0.6 - 1e-9, 0.4 + 1e-9])
    tested = certify_tested([votes], [posterior], 0.05)
    ours = certify_selective([votes], [posterior], tested, max_error=0.02, min_coverage=None, delta=None)
    assert ours.thresholds == (0.61,)
    assert ours.verify(votes)
    everything = 1 - verify.one_sample(0.0, 1000, 0.1 * 0.05 / len(verify.THRESHOLDS), True)
    forged = {**content_of(ours), "thresholds": [0.6], "coverage": everything}
    forged["statement"] = verify.selective_statement(forged)
    assert "at least 99." in forged["statement"]
    for error, coverage in ((0.0, 0.3), (0.0, 1.0), (0.7 * 0.7, 1.0), (0.7, 1.0)):
        assert not holds(
            sealed({**forged, "empirical_error": error, "empirical_coverage": coverage}), folds_of([votes])
        )


@pytest.mark.parametrize("weights", [(0.6, 0.4), (0.6 - 1e-9, 0.4 + 1e-9), (0.6 - 1e-9 - 2e-13, 0.4), (3.0, 2.0)])
@pytest.mark.parametrize("target", [{"max_error": 0.55}, {"min_coverage": 0.2}, {"min_coverage": 0.9}], ids=str)
def test_honest_rows_at_a_threshold(weights, target):
    votes, posterior = disagreeing(), Dirichlet(weights)
    tested = certify_tested([votes], [posterior], 0.05)
    asked = {"max_error": None, "min_coverage": None, "delta": None} | target
    ours = certify_selective([votes], [posterior], tested, **asked)
    assert ours.verify(votes), ours.verify(votes)


def different_classes():
    """A fold with the classes 0, 1 and 2, and one in which 1 does not occur."""
    first, (votes, y) = answers(60, np.full(5, 0.7), 3, seed=0), answers(60, np.full(5, 0.7), 2, seed=1)
    return [VoteMatrix.from_labels(*first), VoteMatrix.from_labels(2 * votes, 2 * y)]


def test_folds_with_different_classes_are_refused():
    """Codes are positions in one list: the second class of one fold would be the third of another."""
    votes, posteriors = different_classes(), [Dirichlet(np.ones(5))] * 2
    with pytest.raises(ValueError, match=r"different classes, \[0, 1, 2\] and \[0, 2\]: make the votes of all folds"):
        certify(votes, posteriors, posteriors, RISKS["exact"], BOUNDS["seeger"], 0.05)
    with pytest.raises(ValueError, match="different classes"):
        certify_tested(votes, posteriors, 0.05, [Expected(np.full(3, 3.0), np.full(3, 20.0))] * 2)
    with pytest.raises(ValueError, match="different classes"):
        learn(votes, prior=1.0)
    with pytest.raises(ValueError, match=r"\[0, 1, 2\] and None"):
        learn([votes[0], VoteMatrix.from_errors(votes[1].answers() != 0)], prior=1.0)


def test_a_certificate_of_folds_with_different_classes_does_not_hold():
    votes, posteriors = different_classes(), [Dirichlet(np.ones(5))] * 2
    same = [votes[0], votes[0]]
    content = content_of(certify_tested(same, posteriors, 0.05, [Expected(np.full(3, 3.0), np.full(3, 20.0))] * 2))
    folds = folds_of(votes)
    content["vote_digests"] = [fold.digest for fold in folds]
    assert "classes, the same in all folds: [0, 1, 2] ([0, 2])" in reasons(sealed(content), folds)


@pytest.mark.parametrize("name", ["noisy", "three_folds"])
@pytest.mark.parametrize("offset", [0.0, 1e6, -3e9, 5e13])
def test_costs_with_an_offset(name, offset):
    """The least cost is subtracted exactly: no tolerance grows with it."""
    votes = folds(name)
    posteriors, guesses = [Dirichlet(np.ones(v.n_voters)) for v in votes], [Expected(np.full(2, 3.0), np.full(2, 20.0))]
    cost = offset + np.array([[0.0, 1.0], [1.0, 0.0]])
    ours, plain = (
        certify_tested(votes, posteriors, 0.05, guesses * len(votes), cost=Costs(votes[0].classes.tolist(), each))
        for each in (cost, cost - offset)
    )
    assert plain.cost_bound <= ours.cost_bound - offset <= plain.cost_bound + 2 * np.spacing(abs(offset))
    assert ours.verify(votes), ours.verify(votes)
    for figure in ("measured", "bound"):
        content = content_of(ours)
        content["cost"][figure] -= max(1e-6, float(np.spacing(abs(offset))))
        assert f"cost, {figure}" in reasons(sealed(content), folds_of(votes))


def test_costs_that_are_no_doubles():
    """Rounded, these would have twice the span."""
    content = content_of(certificate("noisy", bound="test", priced=True))
    content["cost"]["matrix"] = [[2**53 + 1, 2**53 + 3], [2**53 + 3, 2**53 + 1]]
    assert "a cost is not a number" in reasons(sealed(content), folds_of(folds("noisy")))


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
        assert max(rows.stop - rows.start for rows in fold.blocks()) * fold.n_classes <= verify.CELLS

    @pytest.mark.parametrize("n_columns", [1, 64, 1000, 40_000, 10**6])
    def test_many_voters_take_blocks_of_few_rows(self, n_columns):
        blocks = list(verify.row_blocks(8192, n_columns))
        assert max(rows.stop - rows.start for rows in blocks) <= max(verify.CELLS / n_columns, 1)
        assert np.array_equal(np.concatenate([np.arange(8192)[rows] for rows in blocks]), np.arange(8192))

    def test_votes_are_unpacked_in_blocks(self):
        """Of 40,000 voters, whose 2,000 rows would take 640 MB at once."""
        fold = verify.fold_of(
            [
                {
                    "n_voters": np.array(40_000),
                    "bits": np.zeros((5000, 2000), np.uint8),
                    "counts": np.empty(0),
                }
            ]
        )
        tracemalloc.start()
        verify.vote_errors(fold, np.full(40_000, 1 / 40_000), 1e-13)
        assert tracemalloc.get_traced_memory()[1] < 50e6
        tracemalloc.stop()
