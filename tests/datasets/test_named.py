from pathlib import Path

import pytest

import stocmv.datasets
from stocmv.datasets import list_datasets, load

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_list_has_the_right_sizes():
    for row in list_datasets():
        ours = load(row.name)
        assert (row.n, row.n_features, row.n_classes) == (*ours.X.shape, len(ours.target_names))
        assert ours.name == row.name


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("iirs", "did you mean 'iris'"),
        ("Breast_Cancer", "did you mean 'breast_cancer'"),
        ("qqqq", "the names are iris, wine"),
        ("", "the names are"),
        (7, "the names are"),
    ],
)
def test_an_unknown_name(name, hint):
    with pytest.raises(ValueError, match=f"^There is no data set named {name!r}.*{hint}"):
        load(name)


def test_how_it_prints():
    assert repr(load("iris")) == "Dataset('iris': 150 examples, 4 features, 3 classes; bundled with scikit-learn)"


def test_the_public_names_are_documented():
    for name in stocmv.datasets.__all__:
        assert getattr(stocmv.datasets, name).__doc__


def test_the_table_of_the_page_is_that_of_the_list():
    rows = [
        "| name | examples | features | classes | kind | licence, as far as known |",
        "|---|---:|---:|---:|---|---|",
        *(
            f"| `{r.name}` | {r.n:,} | {r.n_features} | {r.n_classes} | {r.kind} | {r.licence} |"
            for r in list_datasets()
        ),
    ]
    assert "\n\n" + "\n".join(rows) + "\n\n" in PAGE.read_text(encoding="utf-8"), "\n".join(rows)
