import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from stocmv.certificate._certificate import percent
from stocmv.displays import DecisionSurfaceDisplay


@pytest.fixture
def surface(binary, moons):
    return lambda **kwargs: DecisionSurfaceDisplay.from_estimator(binary, *moons, grid_resolution=15, **kwargs)


def test_shows_the_probabilities_of_the_classifier(binary, surface):
    display = surface()
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    theirs = binary.predict_proba(grid)
    np.testing.assert_array_equal(display.probabilities.reshape(-1, 2), theirs)
    np.testing.assert_array_equal(display.surface_.get_array().ravel(), theirs[:, 1])


def test_every_grid_point_is_the_middle_of_its_cell(surface):
    display = surface()
    left, right, bottom, top = display.surface_.get_extent()
    columns, rows = np.linspace(left, right, 16), np.linspace(bottom, top, 16)
    np.testing.assert_allclose((columns[1:] + columns[:-1]) / 2, display.xx0[0])
    np.testing.assert_allclose((rows[1:] + rows[:-1]) / 2, display.xx1[:, 0])


def test_the_grid_takes_in_all_examples(moons, surface):
    display = surface()
    assert np.all(moons[0] > [display.xx0.min(), display.xx1.min()])
    assert np.all(moons[0] < [display.xx0.max(), display.xx1.max()])


def test_class_of_interest(surface):
    display = surface(class_of_interest=0)
    np.testing.assert_array_equal(display.surface_.get_array(), display.probabilities[:, :, 0])
    assert display.colorbar_.ax.get_ylabel() == "weight of the voters for 0"


def test_shows_the_examples(moons, surface):
    X, y = moons
    display = surface(s=5)
    for k, points in enumerate(display.scatter_):
        np.testing.assert_array_equal(points.get_offsets(), X[y == k])
        assert points.get_sizes().tolist() == [5]


def test_says_the_bound(binary, surface):
    assert surface().text_.get_text() == f"errs on at most {percent(binary.certificate_.bound)}"


def test_many_classes(many_classes):
    clf, X, y = many_classes
    display = DecisionSurfaceDisplay.from_estimator(clf, X, y, grid_resolution=15)
    assert display.surface_.get_array().shape == (15, 15, 3)
    assert display.colorbar_ is None
    assert len(display.scatter_) == 8
    answers = clf.predict(np.column_stack([display.xx0.ravel(), display.xx1.ravel()]))
    colours = display.surface_.get_array().reshape(-1, 3)
    grey = colours.mean(1, keepdims=True)
    hues = np.round((colours - grey) / np.linalg.norm(colours - grey, axis=1, keepdims=True), 6)
    for k in np.unique(answers):  # one hue for each class
        assert len(np.unique(hues[answers == k], axis=0)) == 1
    display.figure_.canvas.draw()


def test_classes_with_names_and_no_examples(three_voters):
    X = np.random.default_rng(0).uniform([4, 2], [8, 4.5], (20, 2))
    display = DecisionSurfaceDisplay.from_estimator(three_voters, X, grid_resolution=15)
    assert display.scatter_ == []
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names == ["setosa", "versicolor", "virginica"]


def test_the_boundary_is_where_the_answer_changes(moons):
    X, y = moons
    line = LogisticRegression().fit(X, y)
    display = DecisionSurfaceDisplay.from_estimator(line, X, y, grid_resolution=60)
    (contour,) = display.boundary_
    vertices = np.vstack([path.vertices for path in contour.get_paths()])
    np.testing.assert_allclose(line.predict_proba(vertices)[:, 1], 0.5, atol=0.01)


def test_a_classifier_without_a_certificate(moons):
    X, y = moons
    assert DecisionSurfaceDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, grid_resolution=5).text_ is None


def test_one_answer_everywhere_has_no_boundary():
    xx0, xx1 = np.meshgrid(np.arange(4.0), np.arange(5.0))
    probabilities = np.broadcast_to([0.1, 0.7, 0.2], (5, 4, 3))
    display = DecisionSurfaceDisplay(xx0, xx1, probabilities, ["a", "b", "c"]).plot()
    assert display.boundary_ == []


def test_feature_names(moons):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(moons[0], columns=["width", "height"])
    clf = LogisticRegression().fit(frame, moons[1])
    display = DecisionSurfaceDisplay.from_estimator(clf, frame, moons[1], grid_resolution=5)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("width", "height")


class TestErrors:
    def test_number_of_features(self, binary, moons):
        with pytest.raises(ValueError, match="two features"):
            DecisionSurfaceDisplay.from_estimator(binary, np.hstack([moons[0], moons[0]]), moons[1])

    def test_unknown_class(self, surface):
        with pytest.raises(ValueError, match=r"one of \[0, 1\], got 7"):
            surface(class_of_interest=7)

    def test_one_class(self):
        grid = np.zeros((3, 3))
        with pytest.raises(ValueError, match="two classes"):
            DecisionSurfaceDisplay(grid, grid, np.ones((3, 3, 1)), ["a"])
