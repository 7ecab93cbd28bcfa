"""What the bounds are computed from: the fields of certificate.json behind them, where it has them."""

from typing import NamedTuple

from ._citations import Citations


class Detail(NamedTuple):
    """One row: a name, its fields in certificate.json with their form and separator, and what it is."""

    name: str
    places: tuple[str, ...]
    form: str
    meaning: str
    between: str = ", "


_SINGLE = (
    Detail("weights", ("context.weights",), "as it is", "how the voters' weights were set"),
    Detail("distribution", ("posterior",), "as it is", "kind of distribution that the weights are drawn from"),
    Detail("risk", ("risk",), "as it is", "the loss whose mean is bounded"),
    Detail(
        "empirical risk",
        ("figures.error.moments.0",),
        "percent",
        "its mean on the judging examples, from which the bound on the stochastic vote is computed",
    ),
    Detail("disagreement", ("figures.error.moments.1",), "short", "of two drawn voters, measured; rounded down"),
    Detail(
        "KL",
        ("figures.error.kl",),
        "nats",
        "Kullback-Leibler divergence of the learned distribution from the prior, summed over all folds",
    ),
    Detail(
        "parts of delta", ("alternatives",), "whole", "for the choice among priors; the one that was chosen has one"
    ),
    Detail("bound", ("bound_settings.name",), "as it is", "the PAC-Bayes bound on the mean of the risk"),
    Detail(
        "margin",
        ("figures.deterministic_vote.margin",),
        "short",
        "of the bound on predict: near-errors within it count as errors",
    ),
    Detail(
        "margins", ("figures.deterministic_vote.margins",), "whole", "from which it was chosen, and that share delta"
    ),
    Detail("scale", ("figures.deterministic_vote.scale",), "short", "by which the concentrations are multiplied there"),
    Detail("divisor", ("figures.deterministic_vote.coverage",), "short", "by which the bound is divided there"),
    Detail(
        "margin risk",
        ("figures.deterministic_vote.empirical_risk",),
        "percent",
        "measured there, including near-errors",
    ),
    Detail("KL there", ("figures.deterministic_vote.kl",), "nats", "of the scaled distribution from the prior"),
)
_LISTS = {
    "bound_settings.c": ("constants", "of the bound"),
    "fold_test.slope": ("slopes", "of the fold test, one for each fold, chosen from the other folds"),
    "fold_test.offset": ("offsets", "of the fold test"),
    "fold_test.scale": ("scales", "of the fold test"),
}
_PARAMETERS = {"alpha": "concentration", "theta": "weight", "location": "location", "scale": "scale"}
_MANY = 6  # of more values, only the first and the last are shown


def details(cited: Citations) -> list[Detail]:
    """The rows for all fields that the certificate has."""
    single = [detail for detail in _SINGLE if cited.has(detail.places[0])]
    return [*single, *_priors(cited), *_lists(cited)]


def _lists(cited: Citations) -> list[Detail]:
    found = []
    for place, (name, meaning) in _LISTS.items():
        values = cited.value(place) if cited.has(place) else []
        places = tuple(f"{place}.{k}" for k in range(len(values)))
        if len(places) > _MANY:
            found.append(Detail(name, (places[0], places[-1]), "short", meaning, " to "))
        elif places:
            found.append(Detail(name, places, "short", meaning))
    return found


def _priors(cited: Citations) -> list[Detail]:
    """The smallest and the largest value of each parameter of the priors, over all voters and folds."""
    folds = cited.value("priors") if cited.has("priors") else []
    found = []
    for name in folds[0] if folds else ():
        values = {f"priors.{k}.{name}.{j}": v for k, fold in enumerate(folds) for j, v in enumerate(fold[name])}
        low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        places = (low, high) if values[high] > values[low] else (low,)
        meaning = f"{_PARAMETERS.get(name, name)} of every voter in it"
        found.append(Detail("prior", places, "short", meaning, " to "))
    return found
