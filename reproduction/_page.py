"""The page with all results, made from the tables and figures in the folder."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ._agreement import KINDS, Cell, cells
from ._experiments import EXPERIMENTS
from ._markdown import percent, picture, table
from ._methods import METHODS
from ._published import citation, published
from ._splits import TWICE
from ._store import Store
from ._summary import Mean, means, values_of
from ._toy_figures import timed
from ._units import Row
from ._words import INTRODUCTION, WORDS
from .drawing._tables import with_reported
from .figures._registry import FIGURES

_MARKS = {"agrees": "=", "lower": "↓", "higher": "↑"}
_PICTURES = {"table1": ("table1-bars", "table1-all"), "table2": ("table2-bars", "table2-all")}


def write_page(store: Store) -> Path:
    """Write ``index.md``: every experiment whose results are in the folder."""
    tables = {name: with_reported(store.read_table(name)) for name in ("table1", "table2")}
    sections = [_opening(store), _agreement(tables)]
    for name, experiment in EXPERIMENTS.items():
        pictures = [p for p in _PICTURES.get(name, (name,)) if (store.folder / f"{p}.png").exists()]
        if not pictures:
            continue
        parts = [f"## {experiment.title}\n", _words(name, store)]
        if tables.get(name):
            parts.append(_table_section(name, tables[name]))
        parts += [picture(p, f"{experiment.title} ({p})") for p in pictures]
        if (store.folder / f"{name}.jsonl").exists():
            parts.append(f"All rows: [{name}.jsonl]({name}.jsonl).\n")
        sections.append("\n".join(parts))
    return store.write_text("index.md", "\n".join(sections))


def _words(name: str, store: Store) -> str:
    """The text about an experiment; figures on toys have their own, with the numbers of a full run."""
    if name in WORDS:
        return WORDS[name]
    figure, rows = FIGURES[name], store.read_table(name)
    timings = [line for line in store.read_table("timings") if line["experiment"] == name]
    is_full = not any(row.get("quick") for row in rows)
    notes = figure.notes(timed(rows, timings)) if is_full else []
    return "\n".join([f"{figure.caption}\n", *(f"- {note}" for note in notes), ""])


def _opening(store: Store) -> str:
    quick = any(row.get("quick") for name in EXPERIMENTS for row in store.read_table(name)[:1])
    warning = (
        ":::{warning}\nThis page was made by a quick run, on small sets and coarse grids: it shows that everything "
        "works, not that it agrees.\n:::\n"
        if quick
        else ""
    )
    minutes = sum(line["seconds"] for line in store.read_table("timings")) / 60
    return f"# The paper, reproduced\n\n{INTRODUCTION.format(citation=citation(), minutes=minutes)}\n{warning}"


def _agreement(tables: dict[str, list[Row]]) -> str:
    """How many figures of the two tables agree, and each that does not, with the reason."""
    found = [cell for name, rows in tables.items() for cell in cells(name, rows)]
    if not found:
        return ""
    compared = [cell for cell in found if cell.dataset != TWICE]
    lines = [
        [
            f"{EXPERIMENTS[name].title.split(':')[0]}, {words}",
            *_counts(c for c in compared if (c.table, c.kind) == (name, kind)),
        ]
        for name in tables
        for kind, words in KINDS.items()
    ]
    parts = [
        "## What agrees and what does not\n",
        WORDS["agreement"],
        table(["", "figures", "agree", "lower", "higher", "higher or lower without a known reason"], lines),
        "### Higher than in the paper\n",
        _differences([c for c in compared if c.verdict == "higher"]),
        "### Lower than in the paper\n",
        _differences([c for c in compared if c.verdict == "lower"]),
    ]
    return "\n".join(parts)


def _counts(chosen: Iterable[Cell]) -> list[str]:
    own = list(chosen)
    of = {verdict: sum(c.verdict == verdict for c in own) for verdict in _MARKS}
    unexplained = sum(c.verdict != "agrees" and not c.reason for c in own)
    return [str(len(own)), str(of["agrees"]), str(of["lower"]), str(of["higher"]), str(unexplained)]


def _differences(chosen: list[Cell]) -> str:
    """The figures, grouped by reason."""
    if not chosen:
        return "None.\n"
    parts = []
    for reason in dict.fromkeys(cell.reason for cell in chosen):
        own = [cell for cell in chosen if cell.reason == reason]
        lines = [
            [
                c.label,
                KINDS[c.kind],
                f"{c.ours.mean:.2f} ± {c.ours.deviation:.2f}",
                f"{c.paper.mean:.2f} ± {c.paper.deviation:.2f}",
            ]
            for c in own
        ]
        parts.append(f"{reason or 'Not explained.'}\n")
        parts.append(table(["", "what", "here", "paper"], lines))
    return "\n".join(parts)


def _table_section(name: str, rows: list[Row]) -> str:
    verdicts = {(c.kind, c.method, c.dataset): c.verdict for c in cells(name, rows)}
    datasets = values_of(rows, "dataset")
    methods = [m for m in METHODS if m in values_of(rows, "method")]
    parts = [_merging(rows), f"Percent, mean ± standard deviation over {_trials(rows)}; in brackets the paper's.\n"]
    for kind, words in KINDS.items():
        found = means(rows, ["method", "dataset"], kind)
        lines = [
            [
                METHODS[method].label,
                *(_cell(name, kind, method, dataset, found.get((method, dataset)), verdicts) for dataset in datasets),
            ]
            for method in methods
        ]
        parts += [
            f"**{words.capitalize()}**\n",
            table(["", *datasets], [line for line in lines if any(c != "–" for c in line[1:])]),
        ]
    parts += ["**Beside it**\n", WORDS[f"{name} beside"], _beside(rows, datasets, methods)]
    return "\n".join(parts)


def _trials(rows: list[Row]) -> str:
    """The number of trials, and that of the methods that have fewer."""
    of: dict[str, int] = {}
    for (method, _), mean in means(rows, ["method", "dataset"], "test_error").items():
        of[method] = max(of.get(method, 0), mean.trials)
    usual = max(of.values())
    fewer = ", ".join(f"*{METHODS[m].label}*: {count}" for m, count in of.items() if count < usual)
    return f"{usual} trial{'s' if usual > 1 else ''}{f' ({fewer})' if fewer else ''}"


def _merging(rows: list[Row]) -> str:
    """What merged voters and paid priors do to the bound of the exact method, on the trials that have both."""
    merged = [row for row in rows if row["method"] == "merged_paid"]
    trials = {(row["dataset"], row["trial"]) for row in merged}
    apart = [row for row in rows if row["method"] == "exact" and (row["dataset"], row["trial"]) in trials]
    if not apart:
        return ""
    before, after = (means(own, ["dataset"], "bound") for own in (apart, merged))
    changes = []
    for (dataset,), mean in after.items():
        n_voters, n_blocs = (max(r[key] for r in merged if r["dataset"] == dataset) for key in ("n_voters", "n_blocs"))
        bounds = f"{100 * before[dataset,].mean:.1f} → {100 * mean.mean:.1f} %"
        changes.append(f"{dataset} ({n_voters:,} stumps, of which at most {n_blocs:,} differ) {bounds}")
    ratio = np.exp(np.mean([np.log(after[key].mean / before[key].mean) for key in after]))
    return (
        f"Bound of the exact method → with merged voters and paid priors, on the same trials: {'; '.join(changes)}. "
        f"The geometric mean of the ratios is {ratio:.2f}.\n"
    )


def _cell(
    name: str, kind: str, method: str, dataset: str, mean: Mean | None, verdicts: dict[tuple[str, str, str], str]
) -> str:
    paper = published(name, kind, method, dataset)
    if mean is None or paper is None:
        return percent(mean)
    mark = _MARKS[verdicts[kind, method, dataset]]
    return f"{percent(mean)} {mark}<br>[{paper.mean:.2f} ± {paper.deviation:.2f}]"


_BESIDE = {
    "bound_proven": "bound, proven constant",
    "bound_xi": "bound, proven, ξ(n) instead of 2√n",
    "bound_argmax": "bound on the arg-max error, proven",
    "bound_fixed": "bound on the deterministic vote",
    "test_drawn": "test, stochastic vote, W ≥ 1/2",
    "test_fixed": "test, deterministic vote, W ≥ 1/2",
    "test_drawn_argmax": "test, stochastic vote, arg-max",
    "test_fixed_argmax": "test, deterministic vote, arg-max",
    "test_predict": "test, what predict answers",
    "test_always_0": "test, if class 0 is always answered",
    "test_always_1": "test, if class 1 is always answered",
}


def _beside(rows: list[Row], datasets: list[str], methods: list[str]) -> str:
    """The figures that the paper does not print."""
    several = any(row["n_classes"] > 2 for row in rows)
    lines = []
    for method in methods:
        own = [row for row in rows if row["method"] == method]
        for column, words in _BESIDE.items():
            if column.endswith("argmax") and not several:
                continue
            if column.startswith("test_always") and method != "naive_bayes":
                continue
            if column == "bound_proven" and (not several or method == "best"):
                continue
            found = means(own, ["dataset"], column)
            if found:
                values = [percent(found.get((dataset,))) for dataset in datasets]
                lines.append([f"{METHODS[method].label}: {words}", *values])
    return table(["", *datasets], lines)
