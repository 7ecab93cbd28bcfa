"""What a forger does: change a certificate, compute again what depends on the change, and seal the file anew.

The forger has the verifier and uses it as an oracle: whatever it finds, he writes. A certificate that the package would
issue for the same votes is no forgery, however it was made; `is_issued` asks the package.
"""

import copy
import functools
import hashlib
import json
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import binom

from stocmv import certify, verify
from stocmv.bounds import BOUNDS, Catoni, CatoniPerFold, FoldTest, McAllester, Seeger
from stocmv.certificate import Costs, Expected, _certify, _fixed_vote, certify_tested
from stocmv.certificate._fixed_vote import Leak
from stocmv.certificate._partition import closest_contests
from stocmv.posteriors import POSTERIORS, BlocDirichlet, Dirichlet
from stocmv.risks import RISKS

KINDS = {kind.name: kind for kind in (Seeger, Catoni, CatoniPerFold, McAllester)}
WORDS = {
    "theorem": "theorem",
    "what the stochastic bound is on": "certified",
    "covers drawn votes": "covers_drawn",
    "deterministic vote": "deterministic_rule",
    "statement": "statement",
    "KL": "kl",
    "bound": "bound",
    "stochastic bound": "stochastic_bound",
    "shares of the folds": "fold_shares",
    "baseline": "baseline",
}
PARAMETERS = ("posteriors", "priors", "risk_settings", "bound_settings", "deterministic_vote", "fold_sizes")
DEEPER = {
    "stochastic risk": ("moments", 0),
    "disagreement": ("moments", 1),
    "margin coverage": ("deterministic_vote", "coverage"),
    "margin risk": ("deterministic_vote", "empirical_risk"),
    "KL at the margin's scale": ("deterministic_vote", "kl"),
    "most frequent class": ("baseline", "label"),
    "baseline's empirical risk": ("baseline", "empirical_risk"),
    "baseline's bound": ("baseline", "bound"),
}


def content_of(certificate) -> dict[str, Any]:
    content = json.loads(certificate.to_json())
    del content["sha256"]
    return content


def folds_of(votes) -> list[verify.Fold]:
    return [verify.fold_of([v._arrays()]) for v in votes]


def sealed(content: dict[str, Any]) -> bytes:
    """The file that says this, with the digest that fits."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return json.dumps({**content, "sha256": hashlib.sha256(plain.encode()).hexdigest()}, indent=1).encode()


def verdict(text: bytes, folds: list[verify.Fold]) -> verify.Verification | str:
    """What the verifier says to a file; a sentence if it refuses the file."""
    try:
        content, intact = verify.parse_certificate(text)
    except verify.Refused as error:
        return str(error)
    return verify.verify(content, intact, folds)


def holds(text: bytes, folds: list[verify.Fold]) -> bool:
    answer = verdict(text, folds)
    return not isinstance(answer, str) and bool(answer)


def reasons(text: bytes, folds: list[verify.Fold]) -> str:
    """Why a file is refused or does not hold."""
    answer = verdict(text, folds)
    return answer if isinstance(answer, str) else "\n".join(map(str, answer.differences))


def restated(content: dict[str, Any]) -> dict[str, Any]:
    """With the statement that fits the figures, where they can be put into words."""
    try:
        return {**content, "statement": verify.statement_of(content)}
    except Exception:  # the figures are no figures
        return content


def recomputed(content: dict[str, Any], folds: list[verify.Fold], rounds: int = 4) -> dict[str, Any]:
    """With every figure and every word replaced by what the verifier finds, as long as it can compute it."""
    content = copy.deepcopy(content)
    if not all(map(_can_be_computed_with, (content[name] for name in PARAMETERS if name in content))):
        return restated(content)
    for _ in range(rounds):
        content = restated(content)
        try:
            blocs = content["posterior"] == verify.BLOCS
            asked, of = verify.merged(content, folds) if blocs else (content, folds)
            with np.errstate(all="ignore"):
                checks = [*verify._words(asked, content["statement"], of), *verify._figures(asked, of)]
        except Exception:  # the verifier cannot compute with this either
            return content
        wrong = [check for check in checks if not check.holds]
        for check in wrong:
            _write(content, check, folds)
        if not wrong:
            break
    return restated(content)


def _can_be_computed_with(value: Any) -> bool:
    """Whether the formulas end in finite time: they are asked without the checks that come before them."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return abs(value) < 1e5 if type(value) in (int, float) else all(map(_can_be_computed_with, inner or ()))


def _write(content: dict[str, Any], check: verify.Check, folds: list[verify.Fold]) -> None:
    value = float(check.found) if isinstance(check.found, float | np.floating) else check.found
    if check.what in WORDS:
        content[WORDS[check.what]] = value
    elif check.what in DEEPER:
        field, key = DEEPER[check.what]
        content[field][key] = value
    elif check.what == "empirical risk":
        field, key = ("deterministic_vote", "empirical_risk") if verify.is_tested(content) else ("moments", 0)
        content[field][key] = value
    elif check.what.startswith("cost, ") and check.what.removeprefix("cost, ") in content["cost"]:
        _write_cost(content["cost"], check.what.removeprefix("cost, "), value)
    elif check.what == "classes that have a recall":
        content["recalls"] = [{"label": label, "n": 0, "measured": 0.0} for label in check.found]
    elif check.what == "cheapest answer":
        content["cost"]["baseline"]["label"] = value
    elif check.what.startswith("cost of one answer, "):
        _write_cost_of_one(content["cost"], check.what.removeprefix("cost of one answer, "), value)
    elif check.what == "claims" or check.what.startswith(("delta of", "all of delta")):
        content["claims"] = verify.claims_of(content, folds)
        return
    elif check.what == "assumptions":
        needed = verify.assumed(content)
        content["assumptions"][: len(needed)] = needed
    for entry in content["per_class"]:
        title = f"class {entry.get('label')!a} "
        if check.what.startswith(title):
            name = check.what.removeprefix(title).replace(" ", "_").replace("examples", "n")
            if name in entry:  # what follows from other figures has no field of its own
                entry[name] = value
    for entry in content["recalls"]:
        title = f"recall of {entry.get('label')!a}, "
        if check.what.startswith(title):
            is_count = check.what.removeprefix(title) == "examples"
            entry["n" if is_count else "measured"] = value if is_count else 1 - value
    for entry in content["precisions"]:
        title = f"precision of {entry.get('label')!a}, "
        if check.what.startswith(title):
            name = check.what.removeprefix(title)
            if name == "answers":
                entry["n"] = value
            elif name in ("errors measured", "bound on the errors"):
                entry["measured" if name == "errors measured" else "bound"] = 1 - value


def _write_cost(cost: dict[str, Any], name: str, value: float) -> None:
    matrix = np.array(cost["matrix"], float)
    cost[name] = float(matrix.min() + np.ptp(matrix) * value)


def _write_cost_of_one(cost: dict[str, Any], name: str, value: float) -> None:
    column = np.array(cost["matrix"], float)[:, cost["classes"].index(cost["baseline"]["label"])]
    cost["baseline"][name] = float(column.min() + (np.ptp(column) or 1.0) * value)


def is_issued(content: dict[str, Any], votes) -> bool:
    """Whether the package issues this very certificate, but for rounding and what is free, for these votes."""
    try:
        return _same(content, issued(content, votes))
    except (ValueError, TypeError, KeyError, ArithmeticError):
        return False


def issued(content: dict[str, Any], votes) -> dict[str, Any]:
    """What the package issues for these votes with the choices that the certificate states, which are free."""
    posteriors, priors = posteriors_of(content), posteriors_of(content, "priors")
    if verify.is_tested(content):
        return _issued_test(content, votes, posteriors)
    risk, bound = type(RISKS[content["risk"]])(**content["risk_settings"]), _bound(dict(content["bound_settings"]))
    extras = {"per_class": bool(content["per_class"]), "alternatives": content["alternatives"]}
    stated = _chosen(content["deterministic_vote"])
    with np.errstate(all="ignore"), patch.object(_certify, "choose_fixed_vote", stated):
        return content_of(certify(votes, posteriors, priors, risk, bound, content["delta"], **extras))


def posteriors_of(content: dict[str, Any], field: str = "posteriors") -> list[Any]:
    kinds = {**POSTERIORS, verify.BLOCS: BlocDirichlet if field == "posteriors" else Dirichlet}
    kind = kinds[content["posterior"]]
    return [kind(**{name: np.array(values) for name, values in p.items()}) for p in content[field]]


def _issued_test(content: dict[str, Any], votes, posteriors) -> dict[str, Any]:
    """What the package issues with the constants of the fold test as they are stated: which are chosen is free."""
    further = [*content["per_class"], *content["precisions"], *([content["cost"]] if content["cost"] else [])]
    stated = [content["bound_settings"], *(entry["bound_settings"] for entry in further)]
    left = [FoldTest(*(tuple(s[name]) for name in ("slope", "offset", "scale"))) for s in stated if "scale" in s]
    shares = left[0].shares if left else None

    def choose(errors, sizes, delta, scale=None):
        test = left.pop(0)
        for k, n in enumerate(sizes):
            if n and not is_proven(test.slope[k], test.offset[k], test.scale[k], n, delta):
                raise ValueError("not proven")
        if scale is not None and not np.allclose(test.shares, shares, rtol=0, atol=1e-12):
            raise ValueError("other shares than those of all examples")
        return test

    expected = [Expected(np.zeros(v.n_classes or 1), np.ones(v.n_classes or 1)) for v in votes]
    with patch.object(FoldTest, "choose", choose):
        return content_of(
            certify_tested(
                votes,
                posteriors,
                content["delta"],
                expected,
                per_class=bool(content["per_class"]),
                cost=Costs(content["cost"]["classes"], np.array(content["cost"]["matrix"]))
                if content["cost"]
                else None,
            )
        )


@functools.cache
def is_proven(slope: float, offset: float, scale: float, n: int, delta: float) -> bool:
    """Whether the fold test holds with these constants, by the sum over all counts at many true errors."""
    p, counts = np.linspace(0, 1, 4001)[:, None], np.arange(n + 1)
    excess = (binom.pmf(counts, n, p) * np.maximum(p - slope * counts / n - offset, 0)).sum(1)
    return slope >= 1 and offset >= 0 and scale > 0 and bool(excess.max() <= delta * scale * (1 + 1e-8))


def _same(content: dict[str, Any], issued: dict[str, Any]) -> bool:
    issued["assumptions"] = [*issued["assumptions"], *content["assumptions"][len(issued["assumptions"]) :]]
    free = ("context", "warnings")
    return all(_close(content[name], issued[name]) for name in issued.keys() - free) and issued.keys() == content.keys()


def _chosen(fixed_vote: dict[str, Any]):
    """Margin and scale as they are stated: which of the grid is chosen, and which scale, is free."""

    def choose(votes, samples, posteriors, priors, bound, delta):
        speak = [isinstance(p, BlocDirichlet) and bool(p.speakers.size) for p in posteriors]
        if not any(speak):
            posteriors = [p.unmerged() if isinstance(p, BlocDirichlet) else p for p in posteriors]
        grid = _fixed_vote.margins_for(posteriors)
        margin, scale, leak = fixed_vote["margin"], fixed_vote["scale"], Leak(fixed_vote["leak"], fixed_vote["heavy"])
        if margin not in grid or (leak != Leak()) != any(speak):
            raise ValueError("another margin, or a leak where there is none")
        silent, scaled = any(v.abstains for v in votes), [p.scaled(scale) for p in posteriors]
        contests = [closest_contests(p.alpha, v.n_classes or 2, silent) for p, v in zip(posteriors, votes, strict=True)]
        return _fixed_vote.FixedVote(
            margin,
            scale,
            leak,
            coverage=_fixed_vote._coverage(contests, posteriors, scale, margin, leak),
            margins=len(grid),
            losses=_fixed_vote._losses(votes, scaled, margin),
            kls=_fixed_vote._kls(posteriors, scale, priors, leak),
        )

    return choose


def _bound(settings: dict[str, Any]):
    kind = KINDS[settings.pop("name")]
    return (
        kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}) if settings else kind()
    )


def _close(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_close(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_close, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, int | float) and not isinstance(theirs, bool):
        return abs(ours - theirs) <= 1e-6 * max(1.0, abs(theirs))
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


# ------------------------------------------------------------------------------------------ changes of every kind

NUMBERS = {
    "up": lambda x: x + 1 if isinstance(x, int) else x * 1.01 + 1e-3 * (x == 0),
    "down": lambda x: x - 1 if isinstance(x, int) else x * 0.99 - 1e-3 * (x == 0),
    "a little down": lambda x: x - 1e-7 * max(1.0, abs(x)),
    "half": lambda x: x / 2,
    "zero": lambda x: 0.0,
    "no number": lambda x: float("nan"),
    "infinite": lambda x: float("inf"),
    "negative": lambda x: -x - 1e-3,
    "minus fifty": lambda x: -50.0,
    "huge": lambda x: 1e300,
    "beyond a double": lambda x: 10**400,
    "minus huge": lambda x: -1e308,
    "subnormal": lambda x: 5e-324,
    "a list of itself": lambda x: [x],
    "nested twice": lambda x: [[x, x]],
    "text": str,
    "nothing": lambda x: None,
    "true": lambda x: True,
    "a whole number": lambda x: int(x) if abs(x) < 1e300 else 1,
}
TEXTS = {
    "empty": lambda x: "",
    "backwards": lambda x: x[::-1] if x[::-1] != x else x + "x",
    "a space more": lambda x: x + " ",
    "a letter of another alphabet": lambda x: x.replace("e", "\u0435", 1) if "e" in x else x + "\u0435",
    "painted": lambda x: x + "\r\x1b[2K\u202eThe certificate holds",
    "a number": lambda x: 1.0,
    "nothing": lambda x: None,
    "a list": lambda x: [x],
}
NAMES = [*RISKS, *POSTERIORS, *BOUNDS, "catoni_per_fold", "clopper_pearson", "fold_test", "2sqrt", "xi"]
LISTS = {
    "empty": lambda x: [],
    "one less": lambda x: x[:-1],
    "one more": lambda x: [*x, x[-1]] if x else [0.5],
    "backwards": lambda x: x[::-1],
    "nested": lambda x: [x],
    "a dict": lambda x: dict(enumerate(map(str, x))),
    "nothing": lambda x: None,
    "the first for all": lambda x: [x[0]] * len(x) if x else [{}],
}
DICTS = {
    "empty": lambda x: {},
    "a key more": lambda x: {**x, "more": 1.0},
    "a key less": lambda x: dict(list(x.items())[:-1]),
    "a key renamed": lambda x: {("Ｘ" if i == 0 else k): v for i, (k, v) in enumerate(x.items())},
    "in another order": lambda x: dict(reversed(list(x.items()))),
    "a list": list,
}
BOOLEANS = {"the other": lambda x: not x, "a number": int, "text": str}


def changes_of(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return BOOLEANS
    if isinstance(value, int | float):
        return NUMBERS
    if isinstance(value, str):
        return TEXTS | {f"the name {name}": lambda x, name=name: name for name in NAMES}
    return LISTS if isinstance(value, list) else DICTS


def places(content: Any, place: tuple = ()) -> list[tuple]:
    """Places of all values, those that hold others included."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [place, *(found for key, value in inner for found in places(value, (*place, key)))]


def at(content: Any, place: tuple) -> Any:
    for key in place:
        content = content[key]
    return content


def changed(content: Any, place: tuple, change) -> Any:
    if not place:
        return change(content)
    inner = copy.copy(content)
    inner[place[0]] = changed(content[place[0]], place[1:], change)
    return inner
