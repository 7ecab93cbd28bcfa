"""How far a fit has come, and what it says."""

import logging
import threading
import warnings

import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils import get_tags

from stocmv import MajorityVoteClassifier, RepeatedRowsWarning
from stocmv.progress import handled_by, listening, logger, report, stage
from stocmv.solvers import LBFGS

X, y = make_moons(120, noise=0.2, random_state=0)
FOREST = RandomForestClassifier(3)


def quick(**settings):
    return MajorityVoteClassifier(FOREST, random_state=0, **settings)


@pytest.fixture(autouse=True)
def _the_logger_stays_as_it_is():
    before = logger.level, logger.propagate, list(logger.handlers)
    yield
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


class Kept(logging.Handler):
    def __init__(self, level=logging.DEBUG):
        super().__init__(level)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


class TestCallback:
    @pytest.mark.parametrize("n_folds", [None, 3])
    def test_hears_of_every_stage(self, n_folds):
        heard = []
        with listening(lambda *news: heard.append(news)):
            quick(n_folds=n_folds).fit(X, y)
        total = n_folds or 1
        for name in ("training voters", "collecting votes"):
            told = [(done, of) for stage, done, of in heard if stage == name]
            assert told == [(k + step, total) for k in range(total) for step in (0, 1)]
        assert heard[-2:] == [("certifying", 0, 1), ("certifying", 1, 1)]

    def test_hears_of_iterations(self):
        heard = []
        clf = MajorityVoteClassifier("stumps", bound="seeger", prior=1.0, solver=LBFGS(max_iter=5), random_state=0)
        with listening(lambda *news: heard.append(news)):
            clf.fit(X, y)
        learning = [news for news in heard if news[0] == "learning"]
        assert learning == [("learning", k + 1, None) for k in range(len(clf.history_))]

    def test_the_inner_one_hears_and_nobody_after_the_block(self):
        outer, inner = [], []
        with listening(lambda *news: outer.append(news)):
            with listening(lambda *news: inner.append(news)):
                report("a", 1, 2)
            report("b", 0.5)
        report("c", 1)
        assert (outer, inner) == ([("b", 0.5, None)], [("a", 1, 2)])

    def test_work_that_fails_is_not_done(self):
        heard = []
        with listening(lambda *news: heard.append(news)), pytest.raises(ValueError, match="no"), stage("reading"):
            raise ValueError("no")
        assert heard == [("reading", 0, 1)]

    def test_may_stop_a_fit(self):
        def stop(stage, done, total):
            raise KeyboardInterrupt

        with listening(stop), pytest.raises(KeyboardInterrupt):
            quick(verbose=1).fit(X, y)


class TestVerbose:
    @pytest.mark.parametrize(("n_folds", "trained"), [(None, ["trained"]), (2, ["fold 1 of 2", "fold 2 of 2"])])
    def test_prints_for_the_time_of_a_fit(self, n_folds, trained, capsys):
        quick(n_folds=n_folds, voting="hard").fit(X, y)
        assert capsys.readouterr() == ("", "")
        quick(n_folds=n_folds, voting="hard", verbose=1).fit(X, y)
        *voters, certified = capsys.readouterr().out.splitlines()
        assert [line.split(" in ")[0] for line in voters] == [f"[stocmv] {where}: 3 voters" for where in trained]
        assert certified.startswith("[stocmv] certified in ")
        quick().fit(X, y)
        assert capsys.readouterr() == ("", "")

    def test_prints_iterations_on_request(self, capsys):
        clf = MajorityVoteClassifier("stumps", verbose=2, random_state=0).fit(X, y)
        out = capsys.readouterr().out
        assert out.count(": objective") >= len(clf.history_) > 0

    def test_a_fit_that_fails_prints_no_more_afterwards(self):
        with pytest.raises(ValueError, match="inconsistent numbers"):
            quick(verbose=1).fit(X, y[:-1])

    def test_leaves_the_handlers_of_an_application_alone(self, caplog, capsys):
        quick(verbose=2).fit(X, y)
        assert caplog.messages == []
        with caplog.at_level("INFO", "stocmv"):
            quick(verbose=2).fit(X, y)
        assert [message.split()[0] for message in caplog.messages] == ["trained:", "certified"]
        assert len(capsys.readouterr().out.splitlines()) == 4

    def test_is_hidden_from_a_fit_beside_it(self, capsys):
        """Blocks that overlap, and end in the order in which they began, leave the logger as it was."""
        began, done = threading.Event(), threading.Event()

        def wait(stage, at, total):
            if stage == "certifying" and at == 0:
                began.set()
                assert done.wait(60)

        def beside():
            with listening(wait):
                quick(verbose=1).fit(X, y)

        thread = threading.Thread(target=beside)
        thread.start()
        assert began.wait(60)
        before = capsys.readouterr().out
        first = Kept(logging.INFO)
        with handled_by(first):
            done.set()
            thread.join()
            quick(verbose=1).fit(X, y)
        assert before.count("voter") == 1
        assert capsys.readouterr().out.count("certified") == 2
        assert sum("certified" in message for message in first.messages) == 2

    def test_a_decorated_fit_is_like_any_other(self):
        assert clone(quick(verbose=1)).verbose == 1
        assert get_tags(quick()).target_tags.required
        assert "groups" in quick().get_metadata_routing().fit.requests
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RepeatedRowsWarning)
            quick().fit([*X, *X], [*y, *y])
        assert caught[0].filename == __file__


def test_words_of_a_level_that_nobody_asked_for_are_not_made():
    kept = Kept(logging.INFO)
    with handled_by(kept):
        MajorityVoteClassifier("stumps", random_state=0).fit(X, y)
    assert kept.messages
    assert not any("objective" in message for message in kept.messages)
