import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

import zoo
from stocmv import learn
from stocmv.displays import SimplexDisplay
from stocmv.displays._simplex import _SHARES
from stocmv.posteriors import Categorical, Dirichlet
from stocmv.votes._classes import class_weights

CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
NORMAL, EVEN, CORNERED, TINY = [6.0, 3.0, 2.0], [1.0, 1.0, 1.0], [0.3, 0.3, 0.5], [1e-6, 1e-6, 1e-6]
NARROW, NARROWEST = [3000.0, 1000.0, 900.0], [5e5, 2e5, 1.0]


@pytest.mark.parametrize("alpha", [NORMAL, CORNERED, NARROW])
def test_density(alpha):
    display = SimplexDisplay.from_posterior(Dirichlet(alpha))
    inner = (display.weights_ > 0.002).all(1)
    weights = display.weights_[inner]
    np.testing.assert_allclose(weights.sum(1), 1)
    theirs = [stats.dirichlet(alpha).logpdf(w / w.sum()) for w in weights[::97]]
    np.testing.assert_allclose(display.log_density_[inner][::97], theirs, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("alpha", [NORMAL, NARROW])
def test_bands_hold_the_shares_that_the_bar_says(alpha):
    display = SimplexDisplay.from_posterior(Dirichlet(alpha))
    fresh = stats.dirichlet(alpha).logpdf(np.random.default_rng(1).dirichlet(alpha, 20_000).T)
    shares = [np.mean(fresh > level) for level in list(display.bands_.levels)[1:-1]]
    np.testing.assert_allclose(shares, _SHARES, atol=0.015)
    names = [label.get_text() for label in display.colorbar_.ax.get_yticklabels()]
    assert names == [f"{100 * share:.0f} %" for share in _SHARES]


def test_marks_the_mean():
    display = SimplexDisplay.from_posterior(Dirichlet([6.0, 3.0, 2.0]))
    np.testing.assert_allclose(display.mean_.get_xydata()[0], np.array([6, 3, 2]) / 11 @ CORNERS)


@pytest.mark.parametrize("alpha", [NORMAL, EVEN, CORNERED, TINY, NARROW, NARROWEST])
def test_any_concentrations(alpha):
    display = SimplexDisplay.from_posterior(Dirichlet(alpha))
    assert np.all(np.diff(display.bands_.levels) > 0)
    assert (display.inset_ is not None) == (sum(alpha) > 1000)
    display.figure_.canvas.draw()


def test_names_the_corners(three_voters):
    display = SimplexDisplay.from_estimator(three_voters, labels=["line", "bell", "stump"])
    mean = three_voters.posterior_[0].mean
    assert [text.get_text() for text in display.ax_.texts] == [
        f"{name}\n{100 * m:.1f} %" for name, m in zip(("line", "bell", "stump"), mean, strict=True)
    ]


@pytest.mark.parametrize("fold", [0, 1])
def test_voters_of_a_fold(three_voters, fold):
    display = SimplexDisplay.from_estimator(three_voters, fold=fold)
    np.testing.assert_array_equal(display.concentrations, three_voters.posterior_[fold].alpha)


def test_groups_add_up():
    display = SimplexDisplay.from_posterior(Dirichlet([1.0, 2.0, 3.0, 4.0]), groups=[2, 0, 1, 0])
    assert display.concentrations.tolist() == [6.0, 3.0, 1.0]


def test_classes_of_an_example(three_voters):
    X = load_iris().data[:, :2]
    posterior = three_voters.posterior_[1]
    weights = class_weights(three_voters.voters_[1].codes(X), 3, posterior.alpha)
    contested = int(weights.min(1).argmax())
    assert weights[contested].min() > 0
    display = SimplexDisplay.from_estimator(three_voters, X[contested], fold=1)
    np.testing.assert_allclose(display.concentrations, weights[contested])
    assert display.labels == ["setosa", "versicolor", "virginica"]
    assert display.are_classes


def test_of_many_classes_the_heaviest_two_and_the_others(many_classes):
    clf, X, _ = many_classes
    weights = class_weights(clf.voters_[0].codes(X), 8, clf.posterior_[0].alpha)
    contested = int((weights > 0).sum(1).argmax())
    display = SimplexDisplay.from_estimator(clf, X[contested : contested + 1])
    heaviest = np.sort(weights[contested])[::-1]
    np.testing.assert_allclose(display.concentrations, [heaviest[0], heaviest[1], heaviest[2:].sum()])
    assert display.labels[2] == "all others"
    assert not display.are_classes


def test_of_what_was_learned():
    votes = zoo.VoteMatrix.from_labels(*zoo.answers(60, np.array([0.6, 0.7, 0.8])))
    learned = learn(votes, solver="lbfgs", random_state=0)
    display = SimplexDisplay.from_learned(learned, colorbar=False)
    np.testing.assert_array_equal(display.concentrations, learned.posterior.alpha)
    assert display.colorbar_ is None


class TestErrors:
    def test_wrong_number_of_voters(self, binary):
        with pytest.raises(ValueError, match="three voters, got 12"):
            SimplexDisplay.from_estimator(binary)

    @pytest.mark.parametrize("groups", [[0, 1, 2], [0, 1, 1, 0], [0, 1, 2, 3], [0, 1, 2, 0.5]])
    def test_groups(self, groups):
        with pytest.raises(ValueError, match="each of the 4 voters"):
            SimplexDisplay.from_posterior(Dirichlet(np.ones(4)), groups=groups)

    def test_two_classes(self, binary, moons):
        with pytest.raises(ValueError, match="at least three classes"):
            SimplexDisplay.from_estimator(binary, moons[0][0])

    def test_a_class_that_no_voter_answers(self, three_voters):
        with pytest.raises(ValueError, match="No voter answers"):
            SimplexDisplay.from_estimator(three_voters, [4.4, 3.9])

    def test_several_examples(self, three_voters):
        with pytest.raises(ValueError, match="one example, got 2"):
            SimplexDisplay.from_estimator(three_voters, np.ones((2, 2)))

    def test_not_a_dirichlet(self):
        with pytest.raises(TypeError, match="Dirichlet"):
            SimplexDisplay.from_posterior(Categorical([0.2, 0.3, 0.5]))

    def test_labels(self):
        with pytest.raises(ValueError, match="got 2 names"):
            SimplexDisplay([1.0, 1.0, 1.0], ["a", "b"])

    @pytest.mark.parametrize("concentrations", [[1.0, 2.0], [1.0, 0.0, 1.0]])
    def test_concentrations(self, concentrations):
        with pytest.raises(ValueError, match="three positive"):
            SimplexDisplay(concentrations)
