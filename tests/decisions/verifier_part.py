"""Independent checks of threshold certificates and of the figure "calibration", to be moved into `stocmv.verify`.

Nothing of the package is used. Bounds are found by bisection on binomial tails instead of by quantiles of the beta
distribution, and the band for all thresholds is checked by a chain of binomial counts instead of Poisson counts.
"""

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

Content = dict[str, Any]
Found = tuple[str, Any, Any, bool]

ROOM = 1e-9
COARSE, FINE = (
    [round(1 / (1 + math.exp(-k / steps)), 7) for k in range(-round(9.2 * steps), round(9.2 * steps) + 1)]
    for steps in (5, 50)
)
EXACT = 2000  # examples up to which the band goes through all order statistics
SLACK = 2e-12  # what may have been added to an expected shortfall, so that rounding cannot make it too small
TINY = 1e-6  # a delta that is simply shared among the order statistics

# for each target: the figure it is about, its grid, and how each other figure is certified
ALONE, GRID, BAND, BAND_OR_GRID, RATES = "alone", "grid", "band", "band or grid", "rates"
RECALL, PRECISION, ALARMS, COST = "recall", "precision", "false_positive_rate", "cost"
PLANS: dict[str, tuple[str, list[float], dict[str, str]]] = {
    "at": ("", [], {RECALL: ALONE, PRECISION: ALONE, ALARMS: ALONE, COST: ALONE}),
    "picked": ("", [], {RECALL: BAND, ALARMS: BAND, PRECISION: RATES}),
    "min_recall": (RECALL, FINE, {ALARMS: ALONE, PRECISION: RATES, COST: GRID}),
    "max_false_positive_rate": (ALARMS, FINE, {RECALL: ALONE, PRECISION: RATES, COST: GRID}),
    "min_precision": (PRECISION, COARSE, {RECALL: BAND_OR_GRID, ALARMS: BAND_OR_GRID, COST: GRID}),
    "max_cost": (COST, COARSE, {RECALL: BAND_OR_GRID, ALARMS: BAND_OR_GRID, PRECISION: GRID}),
}
NAMES = {ALARMS: "false-positive rate", COST: "mean cost"}


# ------------------------------------------------------------------------------------------------------- 1. Thresholds


def check_threshold(content: Content, columns: Mapping[str, NDArray]) -> Iterator[Found]:
    """All checks of a threshold certificate: claims, threshold, figures, baseline."""
    (name, value), figures = next(iter(content["target"].items())), content["figures"]
    figure, grid, ways = PLANS[name]
    table = Table(content, columns)
    yield _same("classes with a score", table.has_scores, True)
    yield _same("folds and groups", (int(columns["fold"].max()) + 1, "group" in columns), (1, False))
    yield _same("judging examples", content["n"], table.n)
    ways = {each: way for each, way in ways.items() if each != COST or COST in figures}
    shares = _shares(name, figure, ways, content["delta"])
    claims = {claim["name"]: claim["delta"] * math.prod(claim["among"].values()) for claim in content["claims"]}
    needed = {_paid(each, ways.get(each, "")): share for each, share in shares.items()}
    fits = claims.keys() == needed.keys() and all(math.isclose(claims[k], needed[k], rel_tol=1e-9) for k in needed)
    yield "claims", claims, needed, fits
    if figure:
        found = _search(name, value, table, grid, shares[figure])
        yield "threshold", content["threshold"], found, content["threshold"] == found
        yield _close(f"bound on {figure}", figures[figure]["bound"], value)
    else:
        yield _close("threshold", content["threshold"], value)
    yield from _figures(content, table, ways, shares, grid)
    yield _close("prevalence", figures["baseline"]["prevalence"], float(table.positive.mean()))
    if COST in figures:
        yield from table.check_baseline(figures["baseline"]["cost"])


def _shares(name: str, figure: str, ways: Mapping[str, str], delta: float) -> dict[str, float]:
    if name == "picked":
        return {RECALL: 0.45 * delta, ALARMS: 0.45 * delta, PRECISION: 0.1 * delta}
    rest = delta / 2 if figure else delta
    shares = dict.fromkeys(ways, rest / len(ways))
    return {figure: delta / 2, **shares} if figure else shares


def _paid(figure: str, way: str) -> str:
    return "prevalence" if way == RATES else NAMES.get(figure, figure)


class Table:
    """What a threshold does on the judging examples."""

    def __init__(self, content: Content, columns: Mapping[str, NDArray]) -> None:
        self.labels = columns["classes"].tolist()
        self.code = self.labels.index(content["positive"])
        self.truth = columns["truth"].astype(int)
        self.n, self.positive = len(self.truth), self.truth == self.code
        self.has_scores = "scores" in columns
        self.score = columns["scores"][:, self.code]
        rest = np.delete(columns["scores"], self.code, 1).argmax(1)
        self.other = rest + (rest >= self.code)
        self.cost = content["figures"].get(COST, {})

    def losses(self, figure: str, threshold: float) -> tuple[float, int, bool]:
        """Sum of the losses, number of examples, and whether each loss is 0 or 1."""
        said = self.score >= threshold - ROOM
        if figure == RECALL:
            return int(np.sum(~said & self.positive)), int(self.positive.sum()), True
        if figure == ALARMS:
            return int(np.sum(said & ~self.positive)), int(np.sum(~self.positive)), True
        if figure == PRECISION:
            return int(np.sum(said & ~self.positive)), int(said.sum()), True
        paid = self.scaled[self.places[self.truth], self.places[np.where(said, self.code, self.other)]]
        return math.fsum(paid), self.n, len(np.unique(self.matrix)) == 2

    @functools.cached_property
    def matrix(self) -> NDArray:
        return np.array(self.cost["matrix"], float)

    @property
    def scaled(self) -> NDArray:
        return (self.matrix - self.matrix.min()) / np.ptp(self.matrix)

    @property
    def places(self) -> NDArray:
        return np.array([self.cost["classes"].index(label) for label in self.labels])

    def check_baseline(self, stated: Content) -> Iterator[Found]:
        means = self.matrix[self.places[self.truth]].mean(0)
        yield _close("cost of the cheapest answer", stated["measured"], float(means.min()))
        mean = means[self.cost["classes"].index(stated["label"])]
        yield _close("cost of the stated answer", float(mean), float(means.min()))


def _figures(
    content: Content, table: Table, ways: Mapping[str, str], shares: Mapping[str, float], grid: Sequence[float]
) -> Iterator[Found]:
    figures, threshold = content["figures"], content["threshold"]
    yield _same("figures", sorted(figures), sorted([*{*ways, *shares}, "baseline"]))
    for figure in shares:
        total, n, counted = table.losses(figure, threshold)
        stated, mean = figures[figure], total / n if n else 0.0
        yield _same(f"examples of {figure}", stated["n"], n)
        shown = 1 - mean if figure in (RECALL, PRECISION) and n else mean
        yield _close(f"measured {figure}", stated["measured"], _in_costs(figure, shown, table))
        way = ways.get(figure)
        if way is None:
            continue
        if way == RATES:
            most = _precision(figures, table, shares[figure])
            yield _not_above(f"bound on {figure}", stated["bound"], most)
            continue
        if way == BAND or (way == BAND_OR_GRID and n <= EXACT):
            level = stated["local_level"] if n else 1.0
            crossing = crossing_probability(band(n, shares[figure], level), n) if n else 0.0
            yield f"failing of the band of {figure}", shares[figure], crossing, crossing <= shares[figure]
            upper = most = float(np.append(band(n, shares[figure], level), 1.0)[np.searchsorted(steps(n), total + 1)])
        else:
            level = shares[figure] / (len(grid or COARSE) if way in (GRID, BAND_OR_GRID) else 1)
            upper, most = (upper_bound(total, n, level, counted, slack) for slack in (0.0, SLACK))
        if figure in (RECALL, PRECISION):
            yield _not_above(f"bound on {figure}", stated["bound"], 1 - upper)
        else:
            ends = (_in_costs(figure, end, table) for end in (upper, most))
            yield _not_below(f"bound on {figure}", stated["bound"], *ends)


def _in_costs(figure: str, share: float, table: Table) -> float:
    return float(table.matrix.min() + share * np.ptp(table.matrix)) if figure == COST else share


def _precision(figures: Content, table: Table, level: float) -> float:
    fewest = 1 - upper_bound(int(np.sum(~table.positive)), table.n, level, True)
    found = fewest * figures[RECALL]["bound"]
    answers = found + (1 - fewest) * figures[ALARMS]["bound"]
    return found / answers if answers else 0.0


def _search(name: str, value: float, table: Table, grid: Sequence[float], level: float) -> float | None:
    """The threshold that the tests in their fixed orders lead to."""
    figure, last = PLANS[name][0], len(grid) - 1
    if name == "max_cost":
        allowed = (value - float(table.matrix.min())) / float(np.ptp(table.matrix))
    else:
        allowed = value if name.startswith("max") else 1 - value

    @functools.cache
    def passes(place: int, part: float) -> bool:
        return excludes(allowed, *table.losses(figure, grid[place]), level * part)

    if name == "min_recall":
        orders = [[(place, 1.0) for place in range(last + 1)]]
    elif name == "max_false_positive_rate":
        orders = [[(place, 1.0) for place in range(last, -1, -1)]]
    elif name == "min_precision":
        orders = [[(place, 0.2) for place in range(start, -1, -1)] for start in (66, 56, 46, 36, 26)]
    else:
        first, orders = _suggested(table, grid), []
        for away, part in ((0, 0.5), (-10, 0.25), (10, 0.25)):
            start = min(max(first + away, 0), last)
            orders.append([(start, part), *((place, part / 2) for place in range(start + 1, last + 1))])
            orders.append([(start, part), *((place, part / 2) for place in range(start - 1, -1, -1))])
    reached = []
    for order in orders:
        for place, part in order:
            if not passes(place, part):
                break
            reached.append(place)
    if not reached:
        return None
    if name == "max_cost":
        return grid[min(reached, key=lambda place: round(table.losses(COST, grid[place])[0], 9))]
    return grid[max(reached) if name == "min_recall" else min(reached)]


def _suggested(table: Table, grid: Sequence[float]) -> int:
    p = table.cost["classes"].index(table.labels[table.code])
    rest = [k for k in range(len(table.matrix)) if k != p]
    alarm = float(np.mean([table.matrix[k, p] - table.matrix[k, k] for k in rest]))
    miss = float(np.mean([table.matrix[p, k] - table.matrix[p, p] for k in rest]))
    best = alarm / (alarm + miss) if alarm + miss > 0 else 0.5
    return int(np.argmin([abs(t - best) for t in grid]))


# ------------------------------------------------------------------------------------------------------ 2. Calibration


def check_calibration(stated: Sequence[Content], columns: Mapping[str, NDArray], delta: float) -> Iterator[Found]:
    """The figure "calibration": bins that have answers, counts, and bounds from both sides."""
    yield _same("folds and groups", (int(columns["fold"].max()) + 1, "group" in columns), (1, False))
    rows = np.arange(len(columns["truth"]))
    score = columns["scores"][rows, columns["answer"].astype(int)]
    right = (columns["truth"] == columns["answer"]) & ~columns.get("silent", np.zeros(len(rows), bool))
    used = 0
    for b in range(10):
        low, high = b / 10, (b + 1) / 10
        inside = (score + ROOM >= low) & (score + ROOM < high) if b < 9 else score + ROOM >= low
        inside |= (score + ROOM < 0) & (b == 0)
        if not inside.any():
            continue
        if used == len(stated):
            yield f"bin from {low:g}", None, "missing", False
            return
        own, n, k, used = stated[used], int(inside.sum()), int(right[inside].sum()), used + 1
        yield _same(f"bin from {low:g}", (own["from"], own["to"], own["n"]), (low, high, n))
        yield _close(f"right from {low:g}", own["measured"], k / n)
        yield _close(f"mean score from {low:g}", own["mean_score"], math.fsum(score[inside]) / n)
        yield _not_above(f"at least, from {low:g}", own["lower"], 1 - upper_bound(n - k, n, delta / 20, True))
        yield _not_below(f"at most, from {low:g}", own["upper"], upper_bound(k, n, delta / 20, True))
    yield _same("bins with answers", len(stated), used)


# ----------------------------------------------------------------------------------------------------------- 3. Bounds


def excludes(p: float, total: float, n: int, counted: bool, level: float, slack: float = 0.0) -> bool:
    """Whether a mean loss of p is excluded at this level by a sample with so few losses."""
    if n == 0 or p >= 1:
        return p >= 1
    if counted:
        return total < n and float(stats.binom.cdf(total, n, p)) <= level
    mean = min(total / n, 1.0)
    if p <= mean:
        return False
    counts = np.arange(n + 1)
    pmf = stats.binom.pmf(counts, n, p)
    below, first = np.cumsum(pmf), np.cumsum(pmf * counts) / n
    hinges = mean + np.arange(1, 97) / 32 * (p - mean)
    last = np.minimum(np.floor(hinges * n).astype(int), n)
    return bool(np.any(hinges * below[last] - first[last] + slack <= level * (hinges - mean)))


def upper_bound(total: float, n: int, level: float, counted: bool, slack: float = 0.0) -> float:
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if excludes(middle, total, n, counted, level, slack) else (middle, high)
    return high


def steps(n: int) -> NDArray:
    """The order statistics that the band goes through."""
    if n <= EXACT:
        return np.arange(1, n + 1)
    return np.unique(np.ceil(n * np.sin(np.arange(1, EXACT + 1) * (math.pi / 2 / EXACT)) ** 2).astype(int).clip(1, n))


def band(n: int, delta: float, level: float) -> NDArray:
    """The bounds on these order statistics of uniform variables: Clopper and Pearson's, capped by Massart's."""
    at = steps(n)
    bounds = stats.beta.isf(level, at, n - at + 1)
    return bounds if delta < TINY else np.minimum(bounds, (at - 1) / n + math.sqrt(math.log(2 / delta) / (2 * n)))


def crossing_probability(bounds: NDArray, n: int) -> float:
    """Probability that an order statistic exceeds its bound: a chain of binomial counts of the points below."""
    log_factorial = special.gammaln(np.arange(n + 1) + 1.0)
    states, weights, before = np.zeros(1, int), np.ones(1), 0.0
    for step, bound in zip(steps(n).tolist(), np.minimum(bounds, 1.0).tolist(), strict=True):
        q = (bound - before) / (1 - before) if before < 1 else 1.0
        mean = (n - states[0]) * q
        jump = np.arange(min(n, math.ceil(mean + 10 * math.sqrt(mean) + 40)) + 1)
        reached = states[:, None] + jump
        left = np.maximum(n - reached, 0)
        logs = log_factorial[n - states][:, None] - log_factorial[jump] - log_factorial[left]
        chance = np.exp(logs + special.xlogy(jump, q) + special.xlog1py(left, -q))
        enough = (reached >= step) & (reached <= n)
        total = np.bincount(reached[enough], (weights[:, None] * chance)[enough], n + 1)
        states = np.flatnonzero(total > 1e-30)  # what is left out counts as crossing
        weights, before = total[states], bound
        if not len(states):
            return 1.0
    return 1.0 - float(weights[states == n].sum())


def _same(what: str, claimed: Any, found: Any) -> Found:
    return what, claimed, found, claimed == found


def _close(what: str, claimed: float, found: float) -> Found:
    return what, claimed, found, abs(claimed - found) <= 1e-9 * max(1.0, abs(found))


def _not_below(what: str, claimed: float, least: float, most: float | None = None) -> Found:
    room = max(1.0, abs(least))
    return what, claimed, least, least - 1e-9 * room <= claimed <= (least if most is None else most) + 1e-8 * room


def _not_above(what: str, claimed: float, most: float) -> Found:
    return what, claimed, most, -1e-8 <= claimed - most <= 1e-9
