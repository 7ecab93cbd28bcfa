"""`stocmv certify` and `stocmv predict` of a csv file with mixed columns, beside pandas and scikit-learn by hand.

python -m benchmarks.files [ROWS ...]     # 500,000 and 2,000,000 by default

Each figure is that of a process of its own: seconds of processor time without those in the forest itself, and the
peak of its memory in times the file. By hand is: read the file, encode its words, split, train, ask, test the errors,
write the model.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .memory import peak_megabytes

ROWS, TREES, HELD, TARGET = (500_000, 2_000_000), 5, 0.1, "outcome"
_WORDS = {"city": 1000, "colour": 5, "job": 40, "plan": 3, "active": 2}


def write_examples(n: int, path: Path) -> None:
    """A file with ten columns of numbers, five of words and one of dates, some values missing."""
    import pandas as pd

    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{i}": np.round(rng.normal(size=n), 4) for i in range(8)}
    columns |= {"age": rng.integers(18, 90, n), "income": pd.array(rng.integers(0, 200_000, n), dtype="Int64")}
    columns["income"][rng.random(n) < 0.05] = pd.NA
    for name, count in _WORDS.items():
        columns[name] = np.array([f"{name}_{k}" for k in range(count)], object)[rng.integers(0, count, n)]
    columns["job"][rng.random(n) < 0.03] = None
    columns["when"] = np.datetime64("2020-01-01") + rng.integers(0, 1500, n).astype("timedelta64[D]")
    score = columns["x0"] + columns["x1"] * columns["x2"] + 0.02 * (columns["age"] - 50) + rng.normal(size=n)
    columns[TARGET] = np.where(score + (columns["colour"] == "colour_1") > 0, "good", "bad")
    pd.DataFrame(columns).to_csv(path, index=False)


def certify_ours(data: Path, folder: Path) -> None:
    from stocmv.cli._main import run

    options = ("--trees", str(TREES), "--holdout", str(HELD), "--jobs", "1", "--out", str(folder), "--json")
    run(["certify", str(data), "--target", TARGET, *options])


def predict_ours(data: Path, folder: Path) -> None:
    from stocmv.cli._main import run

    run(["predict", str(folder), str(data), "--proba", "--out", str(folder / "answers.csv"), "--json"])


def certify_by_hand(data: Path, folder: Path) -> None:
    import joblib
    from scipy.stats import beta
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    X, y = _read(data)
    X_fit, X_held, y_fit, y_held = train_test_split(X, y, test_size=HELD, random_state=0)
    encoder = _encoder(X.columns).fit(X_fit)
    forest = RandomForestClassifier(TREES, random_state=0).fit(encoder.transform(X_fit), y_fit)
    errors = int((forest.predict(encoder.transform(X_held)) != y_held).sum())
    print(beta.ppf(0.95, errors + 1, len(y_held) - errors))
    folder.mkdir()
    joblib.dump((encoder, forest), folder / "model.joblib", compress=1)


def predict_by_hand(data: Path, folder: Path) -> None:
    import joblib
    import pandas as pd

    encoder, forest = joblib.load(folder / "model.joblib")
    X, _ = _read(data)
    weights = forest.predict_proba(encoder.transform(X))
    answers = pd.DataFrame(weights, columns=forest.classes_)
    answers.insert(0, "prediction", forest.classes_[weights.argmax(1)])
    answers.to_csv(folder / "answers.csv", index=False)


def _read(data: Path) -> tuple[Any, Any]:
    import pandas as pd

    table = pd.read_csv(data, parse_dates=["when"])
    table["when"] = (table["when"] - pd.Timestamp(0)) / pd.Timedelta(days=1)
    return table.drop(columns=TARGET), table[TARGET]


def _encoder(names: Any) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OrdinalEncoder

    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return ColumnTransformer([("words", encoder, list(_WORDS))], remainder="passthrough")


TASKS = {
    "certify": certify_ours,
    "certify by hand": certify_by_hand,
    "predict --proba": predict_ours,
    "predict by hand": predict_by_hand,
}


def measure(task: Callable[[Path, Path], None], data: Path, folder: Path) -> dict[str, float]:
    """Processor seconds, with and without what the forest itself takes, and the peak of the memory."""
    from sklearn.ensemble import RandomForestClassifier

    spent = [0.0]

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return method(*given, **named)
            finally:
                spent[0] += time.process_time() - began

        return call

    for name in ("fit", "predict_proba"):  # predict calls predict_proba
        setattr(RandomForestClassifier, name, timed(getattr(RandomForestClassifier, name)))
    began = time.process_time()
    task(data, folder)
    seconds = time.process_time() - began
    return {"seconds": seconds, "beyond": seconds - spent[0], "peak": peak_megabytes()}


def _in_a_process(*words: str) -> dict[str, float]:
    child = subprocess.run([sys.executable, "-m", "benchmarks.files", *words], check=True, capture_output=True)
    return json.loads(child.stdout.splitlines()[-1])


def main(sizes: list[int]) -> None:
    for n in sizes:
        with tempfile.TemporaryDirectory() as place:
            data = Path(place, "examples.csv")
            write_examples(n, data)
            size = data.stat().st_size / 1e6
            print(f"\n{n:,} rows, {size:.0f} MB; forests of {TREES} trees")
            print(f"{'':18}{'seconds':>9}{'without the forest':>20}{'peak MB':>9}{'/ file':>8}")
            for name in TASKS:
                folder = Path(place, "by hand" if "by hand" in name else "ours")
                r = _in_a_process(name, str(data), str(folder))
                print(f"{name:18}{r['seconds']:9.1f}{r['beyond']:20.1f}{r['peak']:9.0f}{r['peak'] / size:8.1f}")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in TASKS:
        print(json.dumps(measure(TASKS[sys.argv[1]], *map(Path, sys.argv[2:]))))
    else:
        main([int(size) for size in sys.argv[1:]] or list(ROWS))
