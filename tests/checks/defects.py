"""Small files with one defect each, and files without any."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

N = 300
DAYS = pd.Timestamp("2019-01-01") + pd.to_timedelta(np.random.default_rng(1).integers(0, 1500, N), unit="D")


FIRST = DAYS[0].strftime("%Y-%m-%d")


class Defect(NamedTuple):
    kind: str
    column: str | None
    spoil: Callable[[pd.DataFrame], pd.DataFrame]
    ending: str = "csv"
    words: str = ""


def honest() -> pd.DataFrame:
    """Numbers, whole numbers, categories and dates, and a target that they hint at."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, N)
    return pd.DataFrame(
        {
            "age": age,
            "weight": rng.normal(70, 12, N).round(1),
            "colour": rng.choice(["red", "green", "blue"], N),
            "seen": DAYS,
            "y": np.where((age > 55) ^ (rng.random(N) < 0.15), "ill", "well"),
        }
    )


def _with(name: str, values: Callable[[pd.DataFrame], object]) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda frame: frame.assign(**{name: values(frame)})


def _drawn(seed: int = 2) -> np.random.Generator:
    return np.random.default_rng(seed)


def _european(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def _prices() -> np.ndarray:
    return _drawn().gamma(2, 9000, N) + 1000


def _percentages() -> list[str]:
    return [f"{value:.1f} %" for value in _prices() / 900]


def _with_gaps() -> np.ndarray:
    return 3 * np.arange(N) + _drawn().integers(0, 3, N)


def _uuids() -> list[str]:
    return [str(uuid.UUID(int=k)) for k in _drawn().integers(2**62, size=N).tolist()]


def _copied(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame, frame.sample(40, random_state=0)], ignore_index=True)


def _rare(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(y=np.where(np.arange(N) < 7, "dead", frame["y"]))


def _comments() -> list[str]:
    words = np.array(["the", "patient", "slept", "badly", "felt", "better", "worse", "after", "lunch", "and", "ran"])
    return [" ".join(_drawn(k).choice(words, 9)) for k in range(N)]


def _some(values: list[str], other: str) -> list[str]:
    return [other if k % 11 == 0 else value for k, value in enumerate(values)]


DEFECTS = {
    "a row number": Defect("identifier", "nr", _with("nr", lambda _: np.arange(N) + 1)),
    "row numbers with gaps": Defect("identifier", "line", _with("line", lambda _: _with_gaps())),
    "shuffled numbers": Defect("identifier", "x7", _with("x7", lambda _: _drawn().permutation(N) + 5000)),
    "random numbers, named so": Defect(
        "identifier", "customerId", _with("customerId", lambda _: _drawn().choice(10**8, N, replace=False))
    ),
    "uuids": Defect("identifier", "case", _with("case", lambda _: _uuids())),
    "free text": Defect("identifier", "remark", _with("remark", lambda _: _comments()), words="free text"),
    "several rows of a patient": Defect(
        "group", "patient_id", _with("patient_id", lambda _: _drawn().integers(0, 60, N)), words="--group patient_id"
    ),
    "decimal commas and points for thousands": Defect(
        "number as category", "price", _with("price", lambda _: [_european(v) for v in _prices()]), words="as "
    ),
    "commas for thousands": Defect(
        "number as category", "price", _with("price", lambda _: [f"{v:,.2f}" for v in _prices()]), words="as "
    ),
    "percentages": Defect("number as category", "share", _with("share", lambda _: _percentages())),
    "numbers and a question mark": Defect(
        "number as category", "dose", _with("dose", lambda _: _some([f"{v:.1f}" for v in _prices()], "?")), words="'?'"
    ),
    "numbers that are stored as text": Defect(
        "number as category", "dose", _with("dose", lambda _: [f"{v:.1f}" for v in _prices()]), "parquet"
    ),
    "dates with dots": Defect(
        "date as category", "born", _with("born", lambda _: DAYS.strftime("%d.%m.%Y")), words=FIRST
    ),
    "American dates": Defect(
        "date as category", "born", _with("born", lambda _: DAYS.strftime("%m/%d/%Y")), words=FIRST
    ),
    "months by name": Defect("date as category", "born", _with("born", lambda _: DAYS.strftime("%d %b %Y"))),
    "dates and a word": Defect(
        "date as category",
        "born",
        _with("born", lambda _: _some(list(DAYS.strftime("%Y-%m-%d")), "unknown")),
        words="'unknown'",
    ),
    "a category that is the label": Defect(
        "leak", "ward", _with("ward", lambda f: np.where(f["y"] == "ill", "C3", "home")), words="--drop ward"
    ),
    "a number that tells the label": Defect(
        "leak",
        "score",
        _with("score", lambda f: np.where(f["y"] == "ill", 5, 0) + _drawn().normal(size=N).round(3)),
    ),
    "filled in after the fact": Defect(
        "leak", "days", _with("days", lambda f: np.where(f["y"] == "ill", _drawn().integers(1, 30, N), np.nan))
    ),
    "copied rows": Defect("repeated rows", None, _copied, words="40 of the 340 rows (11.8 %)"),
    "a rare class": Defect("small class", "y", _rare, words="'dead' (7)"),
    "a constant": Defect("constant", "country", _with("country", lambda _: "DE"), words="'DE', in all 300 rows"),
    "nothing at all": Defect("empty", "notes", _with("notes", lambda _: np.nan), words="left out"),
}


def _few_values() -> pd.DataFrame:
    """Rows of a few values each, most of which occur several times."""
    rng = _drawn(3)
    columns = {name: rng.choice(["low", "middle", "high"], 1000) for name in ("salt", "sugar", "fat")}
    return pd.DataFrame(columns | {"y": rng.choice(["yes", "no"], 1000)})


def _balances() -> pd.DataFrame:
    """Whole numbers that hardly repeat, in their order."""
    rng = _drawn(4)
    balance = np.sort(rng.gamma(2, 20_000, N).astype(int))
    return pd.DataFrame({"balance": balance, "age": rng.integers(18, 90, N), "y": rng.choice(["yes", "no"], N)})


def _codes() -> pd.DataFrame:
    """Codes that begin like numbers, store numbers, years."""
    rng = _drawn(5)
    frame = {
        "floor": rng.choice(["G", "1", "2", "3", "4"], N),
        "version": rng.choice(["1.0.2", "1.1.0", "2.0.0", "2.10.3", "3.0.1", "3.0.2"], N),
        "ticket": [f"{v}" if v % 3 else f"A{v}" for v in rng.integers(100, 160, N)],
        "store_id": rng.integers(1, 12, N),
        "year": rng.integers(1990, 2024, N),
        "y": rng.choice(["yes", "no"], N),
    }
    return pd.DataFrame(frame)


def _flowers() -> pd.DataFrame:
    """An easy problem: one column alone is right on 96 %."""
    iris = load_iris(as_frame=True)
    return iris.frame.rename(columns={"target": "y"})


CLEAN = {
    "numbers, categories and dates": honest,
    "few values": _few_values,
    "balances": _balances,
    "codes": _codes,
    "flowers": _flowers,
}


def write(frame: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path
