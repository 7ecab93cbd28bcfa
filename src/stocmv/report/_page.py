"""`render`: everything about a fitted vote on one page."""

import math
from collections.abc import Callable
from typing import Any

from scipy.stats import binom
from sklearn.utils.validation import check_is_fitted

from .._text import visible
from ..certificate import Certificate, TestedCertificate, confidence, percent
from ..decisions import ClassSelectiveCertificate, SelectiveCertificate, ThresholdCertificate
from ..special import kl_bernoulli
from ._citations import Citations
from ._details import details
from ._figures import (
    Plate,
    draw_classes,
    draw_comparison,
    draw_error_distribution,
    draw_history,
    draw_order,
    draw_panel,
    draw_posterior,
    draw_roc,
)
from ._glossary import glossary
from ._summaries import DataSummary, TestErrors

_STAGES = {
    "voters": "training the voters",
    "votes": "collecting the votes",
    "certificate": "certifying",
}
_PANEL = 12  # voters whose agreement is a table
_CLASSES = 40  # listed one by one in the summary of the data


def render(
    clf: Any,
    *,
    data: DataSummary,
    test: TestErrors | None = None,
    selective: SelectiveCertificate | ClassSelectiveCertificate | None = None,
    threshold: ThresholdCertificate | None = None,
    not_certified: str = "",
    hashes: dict[str, str] | Callable[[], dict[str, str]] | None = None,
) -> str:
    """The report page of a certificate, as one HTML file that loads nothing and runs nothing.

    Parameters
    ----------
    clf : MajorityVoteClassifier
        Fitted, with its evidence.
    data : DataSummary
        The data that it was fitted to.
    test : TestErrors, optional
        Errors on a test file.
    selective : SelectiveCertificate or ClassSelectiveCertificate, optional
        Certificate from `MajorityVoteClassifier.selective` for this vote.
    threshold : ThresholdCertificate, optional
        Certificate from `MajorityVoteClassifier.threshold` for this vote.
    not_certified : str
        Why there is no selective vote although one was requested.
    hashes : dict of str to str, or a function that returns one, optional
        SHA-256 of the files next to the page, by name; a function is called after the figures are drawn, so that the
        files can be written meanwhile.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from stocmv import MajorityVoteClassifier
    >>> from stocmv.report import DataSummary, render
    >>> X, y = make_moons(120, noise=0.2, random_state=0)
    >>> clf = MajorityVoteClassifier("stumps", solver="lbfgs", random_state=0).fit(X, y)
    >>> page = render(clf, data=DataSummary("moons", 120, 2, {"0": 60, "1": 60}, {"numeric": 2}, 0, 0))
    >>> page.startswith("<!doctype html>")
    True
    """
    check_is_fitted(clf, ["certificate_", "history_", "order_test_", "posterior_", "timings_"])
    certificate: Certificate = clf.certificate_
    if selective is not None and selective.evidence != certificate.evidence:
        raise ValueError("selective is about another vote than clf: take clf.selective(...).certificate_.")
    if threshold is not None and threshold.evidence != certificate.evidence:
        raise ValueError("threshold is about another vote than clf: take clf.threshold(...).certificate_.")
    cited = Citations(certificate)
    page = _template("page.html").render(
        certificate=certificate,
        tables=certificate.tables(),
        cited=cited,
        details=details(cited),
        digests=_digests(certificate),
        names_rows=getattr(clf.evidence_, "row", None) is not None,
        data=data,
        class_shares=_class_shares(data),
        test=test,
        selective=selective,
        cited_selective=None if selective is None else Citations(selective),
        not_certified=not_certified,
        threshold=threshold,
        cited_threshold=None if threshold is None else Citations(threshold),
        roc=None if threshold is None else draw_roc(clf.roc(threshold.positive), threshold),
        exceeded=[] if test is None else _exceeded(certificate, test),
        timings={_STAGES.get(stage, stage): seconds for stage, seconds in clf.timings_.items()},
        voters=_voters(clf),
        unaccounted=_unaccounted(certificate, data),
        units="groups" if certificate.grouped else "examples",
        comparison=draw_comparison(certificate, None if test is None else test.predict),
        classes=draw_classes(certificate),
        panel=draw_panel(certificate),
        agreement=_agreement(certificate),
        errors=draw_error_distribution(clf),
        history=draw_history(clf),
        posterior=draw_posterior(clf),
        order=draw_order(clf),
        order_test=clf.order_test_,
        hashes=hashes() if callable(hashes) else hashes or {},
    )
    # over all of it: names from files are in its sentences, its figures and its attributes
    return visible(page, keep="\n\t")


def _template(name: str) -> Any:
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("The report needs jinja2: install it with `pip install 'stocmv[cli]'`.") from error
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("stocmv.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": lambda share: percent(share).replace(" ", "\u00a0"),
        "confidence": lambda delta: confidence(delta).replace(" ", "\u00a0"),
        "seconds": _seconds,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "tied": lambda text: text.replace(" %", "\u00a0%"),
        "glossary": glossary,
        "groups": lambda digest: [digest[k : k + 8] for k in range(0, len(digest), 8)],
    }
    return environment.get_template(name)


def render_predictions(
    certificate: Certificate,
    *,
    name: str,
    hashes: dict[str, str] | None = None,
    selective: SelectiveCertificate | ClassSelectiveCertificate | None = None,
    threshold: ThresholdCertificate | None = None,
    not_certified: str = "",
) -> str:
    """The page of a certificate alone, without its model, as one HTML file that loads nothing and runs nothing.

    Parameters
    ----------
    certificate : Certificate
        The certificate, of `certify_predictions`, of a fitted vote, or of a decision rule (`selective`, `threshold`).
    name : str
        Where the answers come from: a file, or a model; of a fitted vote, its voters.
    hashes : dict of str to str, optional
        SHA-256 of the files next to the page, by name.
    selective, threshold : SelectiveCertificate or ClassSelectiveCertificate, ThresholdCertificate, optional
        Certificates from ``certificate.selective`` and ``certificate.threshold``.
    not_certified : str
        Why there is no selective certificate although one was requested.

    Examples
    --------
    >>> from stocmv import certify_predictions
    >>> from stocmv.report import render_predictions
    >>> page = render_predictions(certify_predictions([0, 1, 1], [0, 1, 0]), name="three answers")
    >>> page.startswith("<!doctype html>")
    True
    """
    cited = Citations(certificate)
    page = _template("predictions.html").render(
        certificate=certificate,
        name=name,
        tables=certificate.tables(),
        cited=cited,
        details=details(cited),
        digests=_digests(certificate),
        names_rows=False,
        selective=selective,
        cited_selective=None if selective is None else Citations(selective),
        threshold=threshold,
        cited_threshold=None if threshold is None else Citations(threshold),
        roc=_roc_of(certificate, threshold),
        not_certified=not_certified,
        units="groups" if certificate.grouped else "examples",
        comparison=draw_comparison(certificate, None) if certificate.is_of_predict else None,
        classes=draw_classes(certificate),
        hashes=hashes or {},
    )
    return visible(page, keep="\n\t")


def _roc_of(certificate: Certificate, threshold: ThresholdCertificate | None) -> Plate | None:
    """The curve on which a threshold lies."""
    if threshold is None:
        return None
    if not isinstance(certificate, TestedCertificate):
        raise ValueError("threshold needs the certificate that it was made from: certificate.threshold(...).")
    return draw_roc(certificate.roc(threshold.positive), threshold)


def _exceeded(certificate: Certificate, test: TestErrors) -> list[tuple[str, str]]:
    """The votes that erred more often on the test file than their bounds allow, and the probability of that."""
    claims = [
        ("predict", test.predict, certificate.bound),
        ("stochastic vote", test.stochastic, certificate.stochastic_bound),
    ]
    return [
        (vote, f"{_chance(error, test.n, bound, grouped=certificate.grouped):.2g}")
        for vote, error, bound in claims
        if error is not None and bound is not None and error > bound
    ]


def _chance(error: float, n: int, bound: float, *, grouped: bool) -> float:
    """Probability of a mean error of at least this if the true error equals the bound; an upper bound for groups."""
    if grouped:
        return math.exp(-n * float(kl_bernoulli(error, bound)))
    return float(binom.sf(round(error * n) - 1, n, bound))


def _agreement(certificate: Certificate) -> dict[str, Any]:
    """The names of a panel's voters, and for each two of them the field with their agreement; empty if too many."""
    panel = certificate.figures.get("panel", {"voters": (), "pairs": ()})
    names = [own["name"] for own in panel["voters"]]
    if not 2 <= len(names) <= _PANEL:
        return {}
    fields = {
        (pair["first"], pair["second"]): f"figures.panel.pairs.{k}.agreement"
        for k, pair in enumerate(panel["pairs"])
        if pair["n"]
    }
    rows = [(name, [fields.get((name, other), "") for other in names[1:]]) for name in names[:-1]]
    return {"names": names, "rows": rows, "worth": panel["worth"]}


def _voters(clf: Any) -> str:
    """The number of voters, in words."""
    counts = [voters.n_voters for voters in clf.voters_]
    if len(counts) == 1:
        return f"{counts[0]:,} voters" if counts[0] != 1 else "1 voter"
    if len(set(counts)) == 1:
        return f"{len(counts)} folds of {counts[0]:,} voters"
    return f"{len(counts)} folds of {min(counts):,} to {max(counts):,} voters"


def _class_shares(data: DataSummary) -> list[tuple[str, int, float]]:
    """Name, examples and share of each class; if there are very many, the largest ones and the rest combined."""
    total = sum(data.class_counts.values()) or 1
    counts = list(data.class_counts.items())
    if len(counts) > _CLASSES:
        counts.sort(key=lambda named: -named[1])
        others = counts[_CLASSES:]
        counts = [*counts[:_CLASSES], (f"{len(others)} further classes", sum(count for _, count in others))]
    return [(name, count, count / total) for name, count in counts]


def _digests(certificate: Certificate) -> list[tuple[str, str, str]]:
    """Name, field and SHA-256 of the evidence, as `stocmv verify` compares it: one, or one for each fold."""
    if isinstance(certificate.evidence, str):
        return [("evidence", "evidence", certificate.evidence)]
    several = len(certificate.evidence) > 1
    names = (f"evidence of fold {k + 1}" if several else "evidence" for k in range(len(certificate.evidence)))
    return [
        (name, f"evidence.{k}", digest)
        for k, (name, digest) in enumerate(zip(names, certificate.evidence, strict=True))
    ]


def _unaccounted(certificate: Certificate, data: DataSummary) -> int:
    """Number of rows that neither made nor judged the vote; 0 if that is not known, as with groups."""
    known = certificate.n_used and not certificate.grouped
    return data.n_rows - certificate.n_used if known else 0


def _seconds(seconds: float) -> str:
    digits = 2 if seconds < 10 else 1 if seconds < 100 else 0
    return f"{seconds:,.{digits}f}\u00a0s"
