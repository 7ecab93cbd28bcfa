"""Hostile files, and figures at the edge of what arithmetic can tell: a refusal in time and in memory, or the truth."""

import io
import json
import math
import tracemalloc
import zipfile

import numpy as np
import pytest

from certificate.forging import changed, content_of, evidence_for, holds, reasons, sealed
from certificate.made import certified, costs_of, folds, guesses, judgments, made, table_of
from stocmv import VoteMatrix, certify, learn, verify
from stocmv.bounds import BOUNDS, CatoniPerFold
from stocmv.certificate import Costs, Judgments, certify_judgments
from stocmv.posteriors import Categorical, Dirichlet, LogitNormal
from stocmv.risks import RISKS, Binomial, MonteCarlo
from stocmv.special import log_xi
from stocmv.votes import save_folds
from zoo import answers, problem

# ------------------------------------------------------------------------------------------------ the file of evidence


def saved(path, columns):
    np.savez_compressed(path, **columns)
    return path


def doctored(columns, **changes):
    return {name: column for name, column in {**columns, **changes}.items() if column is not None}


EVERYTHING = {"n_folds": 2, "grouped": True, "drawn": True, "silent": True}
REFUSED = {
    "another column": ({"luck": np.ones(90)}, "not those of judgments"),
    "no folds": ({"fold": None}, "not those of judgments"),
    "no classes": ({"classes": None}, "not those of judgments"),
    "classes of fractions": ({"classes": np.array([0.5, 1.5, 2.5])}, "classes are not sorted"),
    "classes of bytes": ({"classes": np.array([b"a", b"b", b"c"])}, "classes are not sorted"),
    "classes without sign": ({"classes": np.arange(3, dtype=np.uint8)}, "classes are not sorted"),
    "classes out of order": ({"classes": np.array([1, 0, 2])}, "classes are not sorted"),
    "a class twice": ({"classes": np.array([0, 1, 1])}, "classes are not sorted"),
    "classes in two dimensions": ({"classes": np.arange(3)[None]}, "classes are not sorted"),
    "no class at all": ({"classes": np.empty(0, int)}, "classes are not sorted"),
    "no rows": ({"truth": np.empty(0, np.uint8)}, "no rows"),
    "a truth of no class": ({"truth": np.full(90, 3, np.uint8)}, "truth does not have codes"),
    "an answer of no class": ({"answer": np.full(90, 255, np.uint8)}, "answer does not have codes"),
    "codes with a sign": ({"answer": np.zeros(90, np.int8)}, "answer is not of the right shape and type"),
    "codes that are no numbers": ({"truth": np.zeros(90)}, "truth is not of the right shape and type"),
    "one row less": ({"answer": np.zeros(89, np.uint8)}, "answer is not of the right shape and type"),
    "one truth for all": ({"truth": np.zeros((), np.uint8)}, "of the right shape and type"),
    "folds out of order": ({"fold": np.arange(90, dtype=np.uint8) % 2}, "not sorted by fold"),
    "a fold that is missing": ({"fold": np.arange(90, dtype=np.uint8) // 45 * 2}, "not sorted by fold"),
    "folds from 1": ({"fold": np.ones(90, np.uint8)}, "not sorted by fold"),
    "scores of another shape": ({"scores": np.full((90, 2), 0.5)}, "scores is not of the right shape and type"),
    "scores of half precision": ({"scores": np.full((90, 3), 1 / 3, np.float32)}, "scores is not of the right shape"),
    "scores in another byte order": ({"scores": np.full((90, 3), 1 / 3).astype(">f8")}, "scores is not of the right"),
    "scores that are no shares": ({"scores": np.full((90, 3), 0.5)}, "not shares of one"),
    "scores that are no numbers": ({"scores": np.full((90, 3), np.nan)}, "not shares of one"),
    "scores below zero": ({"scores": np.tile([-0.5, 0.5, 1.0], (90, 1))}, "not shares of one"),
    "losses above one": ({"loss": np.full(90, 1.01)}, "a loss is not between 0 and 1"),
    "losses that are no numbers": ({"loss": np.full(90, np.nan)}, "a loss is not between 0 and 1"),
    "losses that are counted": ({"loss": np.zeros(90, np.uint8)}, "loss is not of the right shape and type"),
    "groups with a sign": ({"group": np.zeros(90, np.int64)}, "group is not of the right shape and type"),
    "a group in two folds": ({"group": np.zeros(90, np.uint64)}, "a group has rows in several folds"),
    "a silence of numbers": ({"silent": np.zeros(90, np.uint8)}, "silent is not of the right shape and type"),
    "hashes with a sign": ({"row": np.zeros(90, np.int64)}, "row is not of the right shape and type"),
}


class TestJudgmentsFile:
    @pytest.mark.parametrize("change", REFUSED)
    def test_what_is_no_table_is_refused(self, change, tmp_path):
        changes, reason = REFUSED[change]
        columns = doctored(judgments(**EVERYTHING).columns(), **changes)
        with pytest.raises(verify.Refused, match=f"is not a judgments file of stocmv: .*{reason}"):
            verify.read_judgments(saved(tmp_path / "evidence.npz", columns))
        with pytest.raises(verify.Refused, match=reason):
            verify.check_judgments(columns)

    @pytest.mark.parametrize("settings", [{}, EVERYTHING, {"labels": "words"}, {"n_classes": 1}], ids=str)
    def test_a_table_comes_back_with_its_digest(self, settings, tmp_path):
        table = judgments(**settings)
        table.save(tmp_path / "evidence.npz")
        columns = verify.read_judgments(tmp_path / "evidence.npz")
        assert list(columns) == [name for name in verify.COLUMNS if getattr(table, name) is not None]
        assert all(np.array_equal(column, getattr(table, name)) for name, column in columns.items())
        assert verify.judgments_digest(columns) == table.digest() == Judgments.load(tmp_path / "evidence.npz").digest()

    def test_every_column_is_in_the_digest(self):
        columns = judgments(**EVERYTHING).columns()
        digests = {verify.judgments_digest(columns)}
        for name in columns:
            digests.add(verify.judgments_digest({**columns, name: columns[name][::-1]}))
            digests.add(verify.judgments_digest(doctored(columns, **{name: None})))
        digests.add(verify.judgments_digest({**columns, "truth": columns["truth"].astype(np.uint16)}))
        assert len(digests) == 2 + 2 * len(columns)

    def test_labels_that_look_alike_have_different_digests(self):
        columns = judgments(n_classes=2).columns()
        labels = (np.array(["0", "1"]), np.array([0, 1]), np.array([False, True]), np.array(["0", "1 "]))
        assert len({verify.judgments_digest({**columns, "classes": each}) for each in labels}) == 4

    def test_rows_are_summed_up_in_blocks(self):
        """Scores of 40 classes of 50,000 rows, 16 MB: less than twice as much is ever needed beside them."""
        n, k = 50_000, 40
        zero = np.zeros(n, np.uint8)
        columns = {
            "classes": np.arange(k),
            "truth": zero,
            "answer": zero,
            "fold": zero,
            "scores": np.full((n, k), 1 / k),
        }
        tracemalloc.start()
        verify.check_judgments(columns)
        assert tracemalloc.get_traced_memory()[1] < 20e6
        tracemalloc.stop()


class TestArchive:
    @pytest.fixture(params=["judgments", "votes"])
    def kind(self, request):
        return request.param

    def refused(self, kind, path, reason):
        read = verify.read_votes if kind == "votes" else verify.read_judgments
        with pytest.raises(verify.Refused, match=reason):
            read(path)

    def rewritten(self, kind, path, change, compression=zipfile.ZIP_DEFLATED):
        if kind == "votes":
            save_folds(path, folds("three_folds"))
        else:
            table_of("folds").save(path)
        with zipfile.ZipFile(path) as packed:
            members = {name: packed.read(name) for name in packed.namelist()}
        change(members)
        with zipfile.ZipFile(path, "w", compression) as packed:
            for name, content in members.items():
                packed.writestr(name, content)
        return path

    @pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    def test_packing_without_a_limit(self, kind, compression, tmp_path):
        self.refused(kind, self.rewritten(kind, tmp_path / "e.npz", dict, compression), "stored or deflated")

    def test_more_than_the_header_says(self, kind, tmp_path):
        def grow(members):
            name = next(name for name in members if "bits" in name or "truth" in name)
            members[name] += bytes(10**6)

        self.refused(kind, self.rewritten(kind, tmp_path / "e.npz", grow), "something else than it says")

    @pytest.mark.parametrize("descr", ["<U0", "|S0", "|O", "<M8[s]", "<c16", "|V8"])
    def test_arrays_of_other_things(self, kind, descr, tmp_path):
        def many(members):
            header = io.BytesIO()
            content = {"descr": descr, "fortran_order": False, "shape": (3 * 10**9,)}
            np.lib.format.write_array_header_1_0(header, content)
            members[next(name for name in members if "classes" in name)] = header.getvalue()

        self.refused(kind, self.rewritten(kind, tmp_path / "e.npz", many), "something else than it says")

    def test_more_than_half_of_the_free_memory(self, kind, tmp_path, monkeypatch):
        path = self.rewritten(kind, tmp_path / "e.npz", dict)
        monkeypatch.setattr(verify, "free_memory", lambda: 2000)
        self.refused(kind, path, "more than half of the free memory")

    def test_two_arrays_of_one_name(self, kind, tmp_path):
        path = self.rewritten(kind, tmp_path / "e.npz", dict)
        with zipfile.ZipFile(path, "a") as packed:
            name = packed.namelist()[0]
            content = packed.read(name)
            with pytest.warns(UserWarning, match="Duplicate name"):
                packed.writestr(name, content)
        self.refused(kind, path, "two arrays of one name")

    def test_names_that_paint_are_shown_plainly(self, kind, tmp_path):
        path = self.rewritten(kind, tmp_path / "e.npz", lambda members: members.update({"\x1b[2K\u202e": b""}))
        with pytest.raises(verify.Refused) as caught:
            verify.read_votes(path)
        assert str(caught.value).isascii()
        assert str(caught.value).isprintable()


class TestVotesFile:
    def test_many_classes_take_blocks_of_few_rows(self):
        y = np.arange(4000)
        (fold,) = evidence_for([VoteMatrix.from_labels(np.stack([y, (y + 1) % 4000, y], axis=1), y)])
        assert max(rows.stop - rows.start for rows in fold.blocks()) * fold.n_classes <= verify.CELLS

    @pytest.mark.parametrize("n_columns", [1, 64, 1000, 40_000, 10**6])
    def test_many_voters_take_blocks_of_few_rows(self, n_columns):
        blocks = list(verify.row_blocks(8192, n_columns))
        assert max(rows.stop - rows.start for rows in blocks) <= max(verify.CELLS / n_columns, 1)
        assert np.array_equal(np.concatenate([np.arange(8192)[rows] for rows in blocks]), np.arange(8192))

    def test_votes_are_unpacked_in_blocks(self):
        """Of 40,000 voters, whose 2,000 rows would take 640 MB at once."""
        bits = {"n_voters": np.array(40_000), "bits": np.zeros((5000, 2000), np.uint8), "counts": np.empty(0)}
        fold = verify.fold_of([bits])
        tracemalloc.start()
        verify.vote_errors(fold, np.full(40_000, 1 / 40_000), 1e-13)
        assert tracemalloc.get_traced_memory()[1] < 50e6
        tracemalloc.stop()

    @pytest.mark.parametrize("classes", [np.array([0.5, 1.5]), np.array([b"a", b"b"]), np.array([1, 0])], ids=str)
    def test_classes_are_numbers_words_or_booleans_in_order(self, classes):
        arrays = {**folds("noisy")[0]._arrays(), "classes": classes}
        with pytest.raises(verify.Refused, match="classes are not sorted integers, strings or booleans"):
            verify.fold_of([arrays])


class TestCertificateFile:
    def test_a_context_that_is_nested_deeply(self):
        content = content_of(made("tested: hold-out, bare")[0])
        for depth in (9, 900):
            deep = json.loads('{"a":' * depth + "1" + "}" * depth)
            with pytest.raises(verify.Refused, match="nested too deeply"):
                verify.parse_certificate(sealed({**content, "context": deep}))

    def test_one_that_is_too_long(self, monkeypatch):
        monkeypatch.setattr(verify, "LONGEST", 100)
        with pytest.raises(verify.Refused, match="too long"):
            verify.parse_certificate(b" " * 101)

    @pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
    def test_constants_that_are_no_numbers(self, constant):
        text = made("tested: hold-out, bare")[0].to_json().replace('"delta": 0.05', f'"delta": {constant}', 1)
        with pytest.raises(verify.Refused, match="is no number"):
            verify.parse_certificate(text.encode())

    @pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400, "1" + "0" * 5000])
    def test_numbers_beyond_a_double(self, number):
        text = made("tested: hold-out, bare")[0].to_json().replace('"n": 90', f'"n": {number}', 1)
        with pytest.raises(verify.Refused):
            verify.parse_certificate(text.encode())

    def test_a_number_beyond_a_double_in_the_context(self):
        text = made("tested: hold-out, bare")[0].to_json().replace('"seed": 1', '"seed": 1e999', 1)
        assert "context is not of the right kind" in reasons(text.encode(), table_of("hold-out").columns())


# -------------------------------------------------------------------------------------- figures at the edge of rounding


@pytest.mark.parametrize("n_draws", [1, 2, 99, 100, 10**4, 10**6])
def test_many_draws_of_a_binomial_risk(n_draws):
    """Shares near one half, where a binomial tail loses its digits."""
    votes = VoteMatrix.from_labels(np.tile([[0, 1], [1, 0]], (500, 1)), np.tile([0, 0], 500))
    posterior = Categorical([0.5 - 1e-5, 0.5 + 1e-5])
    ours = certify([votes], [posterior], [posterior], Binomial(n_draws), BOUNDS["seeger"], 0.05)
    assert ours.verify([votes])
    forged = changed(content_of(ours), ("figures", "error", "moments", 0), lambda x: x * 0.999)
    assert not holds(sealed(forged), evidence_for([votes]))


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


@pytest.mark.parametrize("delta", [1e-199, 0.05, 0.999])
@pytest.mark.parametrize("wrong", [0, 1, 10, 19, 20])
@pytest.mark.parametrize("grouped", [False, True])
def test_any_number_of_errors_at_any_confidence(wrong, delta, grouped):
    zero = np.zeros(20, np.uint8)
    group = np.arange(20, dtype=np.uint64) if grouped else None
    table = Judgments(np.arange(2), zero, (np.arange(20) < wrong).astype(np.uint8), zero, group=group)
    ours = certify_judgments(table, delta, per_class=True)
    assert ours.verify(table), ours.verify(table)
    assert (wrong / 20 if delta < 0.5 else 0) <= ours.bound <= 1


@pytest.mark.parametrize("delta", [1e-13, 1e-30])
def test_a_tiny_delta_ends_in_a_bound_of_one(delta):
    """Rounding hides what such a delta allows, so that only an offset of 1 is proven."""
    table = table_of("folds")
    ours = certified(table, delta, per_class=True, priced=True)
    assert {ours.bound, *(entry["bound"] for entry in ours.per_class)} == {1.0}
    assert ours.verify(table), ours.verify(table)


def test_the_constant_of_a_single_fold_was_not_chosen_from_others():
    posterior = Dirichlet(np.ones(12))
    ours = certify([problem("noisy")], [posterior], [posterior], RISKS["exact"], CatoniPerFold((1.0,)), 0.05)
    assert "chosen from the others" not in " ".join(ours.assumptions)
    assert ours.verify([problem("noisy")])


@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 10**6, 10**10, 10**10 + 1, 10**15])
def test_the_constant_of_seegers_bound_takes_no_time(n):
    assert verify.log_xi(n) == pytest.approx(float(log_xi(np.array([float(n)]))[0]), abs=1e-13 + 1e-14 * math.log(n))


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
        learn(votes, prior=1.0)
    with pytest.raises(ValueError, match=r"\[0, 1, 2\] and None"):
        learn([votes[0], VoteMatrix.from_errors(votes[1].answers() != 0)], prior=1.0)


@pytest.mark.parametrize("name", ["hold-out", "folds", "hold-out, groups"])
@pytest.mark.parametrize("offset", [0.0, 1e6, -3e9, 5e13])
def test_costs_with_an_offset(name, offset):
    """The least cost is subtracted exactly: no tolerance grows with it."""
    table = table_of(name)
    labels, cost = costs_of(table, uneven=False)
    ours, plain = (
        certify_judgments(table, 0.05, guesses=guesses(table), costs=Costs(labels, each))
        for each in (cost + offset, cost)
    )
    assert plain.cost_bound <= ours.cost_bound - offset <= plain.cost_bound + 2 * np.spacing(abs(offset))
    assert ours.verify(table), ours.verify(table)
    for figure in ("measured", "bound"):
        less = max(1e-6, float(np.spacing(abs(offset))))
        forged = changed(content_of(ours), ("figures", "cost", figure), lambda x, less=less: x - less)
        assert f"figures.cost.{figure}" in reasons(sealed(forged), table.columns())
