import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs, make_moons
from sklearn.ensemble import RandomForestClassifier

import zoo
from stocmv import MajorityVoteClassifier, learn
from stocmv.certificate import Judgments, certify_judgments
from unproven import Guess


@pytest.fixture(autouse=True)
def no_screen():
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.fixture
def given_ax():
    return Figure(layout="constrained").subplots()


@pytest.fixture(scope="session")
def moons():
    return make_moons(150, noise=0.2, random_state=0)


@pytest.fixture(scope="session")
def binary(moons):
    """Two classes, three folds whose weights are learned on them, a certificate for each class."""
    forest = RandomForestClassifier(12)
    clf = MajorityVoteClassifier(forest, bound="catoni_per_fold", n_folds=3, per_class=True, random_state=0)
    return clf.fit(*moons)


@pytest.fixture(scope="session")
def held_out(moons):
    """Two classes, some examples that only judge, a certificate for each class and for the stochastic vote."""
    forest = RandomForestClassifier(12)
    return MajorityVoteClassifier(forest, stochastic=True, per_class=True, random_state=0).fit(*moons)


@pytest.fixture(scope="session")
def without_stochastic():
    """A certificate that says nothing about the stochastic vote, as by default."""
    wrong = np.arange(80) % 10 == 0
    truth = (np.arange(80) % 2).astype(np.uint8)
    answer = np.where(wrong, 1 - truth, truth).astype(np.uint8)
    judgments = Judgments(np.array(["a", "b"]), truth, answer, np.zeros(80, np.uint8))
    return certify_judgments(judgments, per_class=True)


@pytest.fixture(scope="session")
def many_classes():
    """Eight classes."""
    X, y = make_blobs(240, centers=8, cluster_std=1.5, random_state=0)
    return MajorityVoteClassifier(RandomForestClassifier(12), stochastic=True, random_state=0).fit(X, y), X, y


@pytest.fixture(scope="session")
def learned():
    """What the core makes of votes in two folds."""
    return learn(zoo.problem("two_folds"), prior=1.0, solver="lbfgs", random_state=0)


@pytest.fixture(scope="session")
def unproven():
    return learn(zoo.problem("noisy"), prior=1.0, solver="lbfgs", bound=Guess(), random_state=0)


@pytest.fixture(scope="session")
def classical():
    """A categorical posterior, whose bound is on the weighted vote."""
    return learn(zoo.problem("noisy"), prior=1.0, solver="lbfgs", risk="second_order", random_state=0)
