"""The table of judgments: its parts, its digest, its file, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from classifier.problems import data, quick
from stocmv.certificate import Guess, Judgments, certify_judgments
from zoo import table

RNG = np.random.default_rng(0)
TRUTH, ANSWER = RNG.integers(0, 3, 60), RNG.integers(0, 3, 60)
ANSWER[:40] = TRUTH[:40]
SCORES = RNG.dirichlet(np.ones(3), 60)
COLUMNS = {
    "fold": np.arange(60) // 20,
    "scores": SCORES,
    "loss": RNG.random(60),
    "group": np.arange(60) // 2,
    "silent": np.arange(60) % 7 == 0,
    "row": RNG.integers(0, 2**63, 60),
}
GUESSES = [Guess(np.full(3, 2.0), np.full(3, 10.0))] * 3


@pytest.fixture
def full():
    """Every column, three folds."""
    return table(TRUTH, ANSWER, 3, **COLUMNS)


@pytest.fixture
def plain():
    return table(TRUTH, ANSWER, 3)


def same(ours, theirs):
    assert ours.columns().keys() == theirs.columns().keys()
    for name, column in ours.columns().items():
        np.testing.assert_array_equal(column, theirs.columns()[name], strict=True)


def test_folds_and_what_they_are_joined_to_are_the_same(full):
    folds = full.folds()
    assert [len(fold) for fold in folds] == [20, 20, 20]
    assert [set(fold.fold) for fold in folds] == [{0}, {1}, {2}]
    same(Judgments.joined(folds, as_folds=True), full)
    same(Judgments.joined(folds, as_folds=False), full)


def test_parts_of_one_fold_stay_one_fold(plain):
    parts = [plain.among(np.arange(60) < 25), plain.among(np.arange(60) >= 25)]
    same(Judgments.joined(parts, as_folds=False), plain)
    assert Judgments.joined(parts, as_folds=True).n_folds == 2


def test_a_part_in_which_some_voter_is_silent_makes_the_others_say_so(plain):
    gaps = replace(plain, silent=np.arange(60) % 2 == 0)
    for parts in ([plain, gaps], [gaps, plain]):
        joined = Judgments.joined(parts, as_folds=True)
        assert [fold.silent.sum() for fold in joined.folds()] == [30 if part is gaps else 0 for part in parts]


def test_more_folds_than_a_byte_counts():
    parts = [table([0], [0])] * 300
    joined = Judgments.joined(parts, as_folds=True)
    assert joined.n_folds == 300
    np.testing.assert_array_equal(joined.fold, np.arange(300))


def test_silence_is_an_error_whatever_is_answered(full):
    np.testing.assert_array_equal(full.wrong, (TRUTH != ANSWER) | COLUMNS["silent"])
    np.testing.assert_array_equal(replace(full, silent=None).wrong, TRUTH != ANSWER)


def test_losses_are_counted_by_row_or_by_group(full, plain):
    assert plain.errors == (np.sum(TRUTH != ANSWER), 60)
    means = full.wrong.reshape(30, 2).mean(1)
    assert full.errors == (pytest.approx(means.sum()), 30)
    assert full.errors.mean == pytest.approx(means.mean())
    assert full.stochastic_errors.total == pytest.approx(COLUMNS["loss"].reshape(30, 2).mean(1).sum())
    np.testing.assert_allclose(full.group_means(SCORES), SCORES.reshape(30, 2, 3).mean(1))


def test_rows_are_found_by_class_and_by_answer(full):
    for c, (members, answered) in enumerate(zip(full.by_class(), full.by_answer(), strict=True)):
        np.testing.assert_array_equal(members.answer, ANSWER[c == TRUTH])
        np.testing.assert_array_equal(answered.truth, TRUTH[c == ANSWER])
        np.testing.assert_array_equal(members.group, full.group[c == TRUTH])
    np.testing.assert_allclose(replace(full, group=None).frequency(), np.bincount(TRUTH))


def test_the_score_of_an_answer_needs_scores(full, plain):
    np.testing.assert_array_equal(full.answer_score, SCORES[np.arange(60), ANSWER])
    with pytest.raises(ValueError, match="These judgments have no scores"):
        _ = plain.answer_score


@pytest.mark.parametrize("name", ["truth", "answer", *COLUMNS])
def test_the_digest_changes_with_every_column(full, name):
    column = getattr(full, name)
    place = (7, 2) if column.ndim == 2 else (7,)
    changed = column.copy()
    changed[place] = changed[place] ^ 1 if column.dtype.kind in "bu" else 1 - changed[place]
    digests = {full.digest(), replace(full, **{name: changed}).digest(), replace(full, **{name: column[::-1]}).digest()}
    assert len(digests) == 3
    if name in ("scores", "loss", "group", "silent", "row"):
        assert replace(full, **{name: None}).digest() not in digests


def test_the_digest_changes_with_the_classes_and_the_order_of_the_rows(full):
    labels = (np.arange(3), np.arange(1, 4), np.array(["a", "b", "c"]), np.array(["a", "b", "cc"]))
    assert len({replace(full, classes=each).digest() for each in labels}) == 4
    assert full.among(np.arange(60)[::-1]).digest() != full.digest()


def test_the_digest_does_not_depend_on_how_arrays_are_stored(full):
    swapped = replace(full, scores=np.asfortranarray(full.scores), row=full.row.astype(">u8"), loss=full.loss.copy())
    assert swapped.digest() == full.digest()
    assert full.among(np.arange(60)).digest() == full.digest()


@pytest.mark.parametrize("labels", [np.arange(3), np.array(["no", "so", "yes"]), np.array([-1, 0, 10**12])], ids=str)
def test_a_file_gives_back_what_was_saved(full, plain, labels, tmp_path):
    for each in (full, plain):
        saved = replace(each, classes=labels)
        saved.save(tmp_path / "evidence.npz")
        same(Judgments.load(tmp_path / "evidence.npz"), saved)
        assert Judgments.load(tmp_path / "evidence.npz").digest() == saved.digest()


def written(path, columns):
    np.savez(path, **columns)
    return path


SPOILED = {
    "no answers": lambda c: c.pop("answer"),
    "another column": lambda c: c.update(votes=np.zeros(60)),
    "no rows": lambda c: c.update({name: c[name][:0] for name in c if name != "classes"}),
    "a shorter column": lambda c: c.update(loss=c["loss"][:-1]),
    "an unknown class": lambda c: c.update(answer=c["answer"] + np.uint8(3)),
    "a signed class": lambda c: c.update(answer=c["answer"].astype(np.int64) - 1),
    "classes that are not sorted": lambda c: c.update(classes=c["classes"][::-1]),
    "folds that are not sorted": lambda c: c.update(fold=c["fold"][::-1]),
    "a fold that is missing": lambda c: c.update(fold=c["fold"] * np.uint8(2)),
    "a loss above one": lambda c: c.update(loss=c["loss"] + 1),
    "a loss that is no number": lambda c: c.update(loss=np.where(np.arange(60) == 3, np.nan, c["loss"])),
    "scores that do not sum to one": lambda c: c.update(scores=c["scores"] / 2),
    "scores of another number of classes": lambda c: c.update(scores=c["scores"][:, :2]),
    "a group in two folds": lambda c: c.update(group=np.zeros(60, np.uint64)),
    "objects": lambda c: c.update(row=np.array([object()] * 60)),
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_file_that_is_no_table_is_refused(full, how, tmp_path):
    columns = dict(full.columns())
    assert len(Judgments.load(written(tmp_path / "evidence.npz", columns))) == 60
    SPOILED[how](columns)
    with pytest.raises(ValueError, match=r"evidence\.npz is not a judgments file of stocmv: "):
        Judgments.load(written(tmp_path / "evidence.npz", columns))


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "evidence.npz").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="is not a judgments file of stocmv"):
        Judgments.load(tmp_path / "evidence.npz")
    quick(bound="seeger", prior=1.0).fit(*data()).evidence_[0].save(tmp_path / "votes.npz")
    with pytest.raises(ValueError, match="is not a judgments file of stocmv"):
        Judgments.load(tmp_path / "votes.npz")
    with pytest.raises(FileNotFoundError):
        Judgments.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize("folds", [1, 3])
def test_a_certificate_does_not_depend_on_the_order_of_the_rows_within_a_fold(full, folds):
    given = full if folds == 3 else replace(full, fold=np.zeros(60, np.uint8))
    order = np.concatenate([RNG.permutation(20) + 20 * k for k in range(3)])
    ours, theirs = (certify_judgments(t, guesses=GUESSES[:folds], per_class=True) for t in (given, given.among(order)))
    assert ours.evidence != theirs.evidence
    flat, other = (np.array(numbers(c.figures)) for c in (ours, theirs))
    np.testing.assert_allclose(flat, other, rtol=1e-12)
    assert ours.verify(given)
    assert theirs.verify(given.among(order))
    assert not ours.verify(given.among(order))


def numbers(figures):
    if isinstance(figures, dict):
        return [x for value in figures.values() for x in numbers(value)]
    if isinstance(figures, list):
        return [x for value in figures for x in numbers(value)]
    return [float(figures)]
