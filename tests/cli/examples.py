"""Small tables that the commands are tried on."""

from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris


def _flowers() -> pd.DataFrame:
    iris = load_iris()
    frame = pd.DataFrame(iris.data, columns=["sepal length", "sepal width", "petal length", "petal width"])
    frame["kind"] = iris.target_names[iris.target]
    return frame.sample(frac=1, random_state=0, ignore_index=True)


FLOWERS = _flowers()


def write_flowers(path: Path) -> Path:
    FLOWERS.to_csv(path, index=False)
    return path


def mixed(n: int = 120) -> pd.DataFrame:
    """Numbers, categories, booleans and dates, some of them missing, and a target that they tell."""
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], n)
    size = rng.normal(size=n).round(3)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "size": size,
            "sold": rng.random(n) < 0.5,
            "seen": pd.date_range("2020-01-01", periods=n),
            "answer": np.where((colour == "red") ^ (size > 1), "yes", "no"),
        }
    )
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    return frame
