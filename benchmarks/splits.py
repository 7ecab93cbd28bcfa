"""Random splits of the paper's data sets, with stored measurements so that a run can be resumed."""

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from stocmv.bounds import clopper_pearson

SPLITS = {"mnist": 2, "fashion-mnist": 2}  # five of the others
DELTA = 0.05
KEPT = Path("build/benchmarks")

Split = tuple[NDArray, NDArray, NDArray, NDArray]


def split(name: str, seed: int) -> Split:
    """Training and test examples, and their labels: 80 % and 20 %."""
    data = np.load(Path(os.environ["STOCMV_DATA"]) / f"{name}.npz", allow_pickle=False)
    X, X_test, y, y_test = train_test_split(data["X"].astype(np.float32), data["y"], test_size=0.2, random_state=seed)
    return X, y, X_test, y_test


def plain_holdout(estimator: Any, X: NDArray, y: NDArray, seed: int, share: float = 0.2) -> dict[str, float]:
    """The alternative without stocmv: hold out a part, train on the rest, Clopper-Pearson bound on the part."""
    X_rest, X_held, y_rest, y_held = train_test_split(X, y, test_size=share, random_state=seed)
    began = time.perf_counter()
    answers = estimator.fit(X_rest, y_rest).predict(X_held)
    seconds = time.perf_counter() - began
    return {"bound": clopper_pearson(int(np.sum(answers != y_held)), len(y_held), DELTA), "seconds": seconds}


def measured(
    table: str, names: Iterable[str], measure: Callable[[str, int], dict[str, float]], splits: int = 5
) -> dict[str, dict]:
    """Means and standard deviations over the splits, for each data set; stored splits are not measured again."""
    results, known = {}, stored(table)
    for name in names:
        seeds = range(SPLITS.get(name, splits))
        for seed in seeds:
            if (name, seed) not in known:
                known[name, seed] = measure(name, seed)
                keep(table, name, seed, known[name, seed])
        results[name] = summary([known[name, seed] for seed in seeds])
    return results


def keep(table: str, name: str, seed: int, figures: dict[str, float]) -> None:
    """Add figures of a split to what is stored."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{table}.jsonl"
    torn = path.exists() and path.read_bytes()[-1:] not in (b"", b"\n")  # by a kill, or a full disk
    with path.open("a") as file:
        file.write("\n" * torn + json.dumps({"name": name, "seed": seed, "figures": figures}) + "\n")


def stored(table: str) -> dict[tuple[str, int], dict[str, float]]:
    """What was measured before, by data set and seed; a split may have its figures in several lines."""
    path, known = KEPT / f"{table}.jsonl", defaultdict(dict)
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:  # torn: it is measured again
            continue
        known[row["name"], row["seed"]].update(row["figures"])
    return dict(known)


def summary(rows: list[dict[str, float]]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each figure over the splits."""
    return {
        key: (float(np.mean([row[key] for row in rows])), float(np.std([row[key] for row in rows], ddof=1)))
        for key in rows[0]
    }


def shown(figures: dict, columns: Iterable[str], spread: Iterable[str] = ()) -> str:
    """The cells of a row in percent; those in ``spread`` also have the standard deviation over the splits."""
    cells = []
    for column in columns:
        mean, deviation = (100 * figure for figure in figures[column])
        cells.append(f"{mean:.2f} ± {deviation:.2f}" if column in spread else f"{mean:.2f}")
    return " | ".join(cells)


def geometric_mean(ratios: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(list(ratios)))))
