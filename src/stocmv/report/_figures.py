"""The figures of the page: drawn by `stocmv.displays`, with a legend and a message in words."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..certificate import Certificate, percent, percent_down
from ..decisions import RocBand, ThresholdCertificate
from ..displays import (
    BLUE,
    INK,
    CertificateDisplay,
    ErrorDistributionDisplay,
    HistoryDisplay,
    OrderDisplay,
    PanelDisplay,
    PosteriorDisplay,
    RocDisplay,
)
from ._svg import drawing, inline_svg, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VOTERS = 600  # more cannot be distinguished on a page
_CLASSES = 30
_LETTERS = 20  # longest class name in a figure


class Key(NamedTuple):
    """One line of a legend: a name, the mark's class in page.css and the variable of its colour."""

    label: str
    mark: str
    colour: str


@dataclass(frozen=True)
class Plate:
    """A figure as the page shows it."""

    title: str
    message: str  # what the figure shows, in numbers; also the alternative text
    svg: str
    keys: tuple[Key, ...]
    note: str  # how to read it


def draw_history(clf: Any) -> Plate | None:
    """The objective over the iterations; None if there were none."""
    history, certificate = clf.history_, clf.certificate_
    if len(history) == 0:
        return None
    with drawing("history"):
        display = HistoryDisplay.from_estimator(clf, ax=new_axes(2.8))
        _without_legend(display.ax_)
        display.kl_ax_.set_ylabel("KL (nats)")
        display.ax_.locator_params(axis="x", nbins=6)
        stages = _hide_short_stages(display)
        title = "Learning the weights"
        bound = certificate.stochastic_bound
        end = "" if bound is None else f" The bound on the stochastic vote is {percent(bound)}."
        message = (
            f"{_counted(len(history), 'iteration')}: the objective started at {percent(history.objective[0])} and "
            f"fell to {percent(history.objective.min())}.{end}"
        )
        svg = inline_svg(display.figure_, "history", title, message)
    keys = [
        Key("objective while learning", "solid", "--vermilion"),
        Key("mean loss while learning", "solid", "--blue"),
        Key("KL from the prior (right axis)", "dotted", "--green"),
    ]
    if bound is not None:
        name = "bound on the stochastic vote" if certificate.proven else "bound in the end (not proven)"
        keys.insert(1, Key(name, "dashed", "--vermilion"))
    note = "The certificate does not depend on how the weights were found. " * certificate.proven
    named = f"The stages of the search: {'; '.join(stages)}." if stages else ""
    return Plate(title, message, svg, tuple(keys), note + named)


def draw_posterior(clf: Any) -> Plate | None:
    """The weights, fold by fold (a selection if there are very many); None if all voters have the same."""
    means = [posterior.mean for posterior in clf.posterior_]
    if all(np.ptp(mean) <= 1e-9 * mean.max() for mean in means):
        return None
    orders = [np.argsort(-mean, kind="stable") for mean in means]
    shown = [order[_spread(len(order), _VOTERS // len(orders))] for order in orders]
    priors = clf.certificate_.paid_priors()
    with drawing("posterior"):
        deviations = [posterior.deviation for posterior in clf.posterior_]
        display = PosteriorDisplay(
            [mean[some] for mean, some in zip(means, shown, strict=True)],
            [deviation[some] for deviation, some in zip(deviations, shown, strict=True)],
            [p.mean[some] for p, some in zip(priors, shown, strict=True)] if priors else None,
        ).plot(new_axes(2.8), color=BLUE)
        _without_legend(display.ax_)
        _name_folds(display.ax_, len(means))
        title = "The weights of the voters"
        weights = np.concatenate(means)
        message = (
            f"{_counted(len(weights), 'voter')}{_in_folds(len(means))}: the heaviest has the mean weight "
            f"{_weight(weights.max())}, the lightest {_weight(weights.min())}."
        )
        svg = inline_svg(display.figure_, "posterior", title, message)
    keys = [Key("mean weight", "circle", "--blue")]
    if priors:
        keys.append(Key("prior mean", "dashed", "--ink"))
    if any(deviation.any() for deviation in deviations):
        keys.insert(1, Key("± one standard deviation", "bar", "--blue"))
    note = "The heaviest voter of each fold comes first." if len(means) > 1 else "The heaviest voter comes first."
    names = clf.voters_[0].names
    if names and len(means) == 1:
        note += f" In this order: {', '.join(f'{names[j]} ({_weight(means[0][j])})' for j in orders[0])}."
    if sum(map(len, shown)) < len(weights):
        note += f" Of {len(weights):,} voters, {sum(map(len, shown)):,} are drawn, evenly spaced along the ranking."
    return Plate(title, message, svg, tuple(keys), note)


def draw_error_distribution(clf: Any) -> Plate | None:
    """How the errors of the stochastic vote are distributed; None without such a vote, or without a closed form."""
    certificate, risk = clf.certificate_, clf.certificate_.stochastic_risk
    if not certificate.has_stochastic_vote or any(posterior.law == "drawn" for posterior in clf.posterior_):
        return None
    with drawing("errors"):
        display = ErrorDistributionDisplay.from_estimator(clf, ax=new_axes(2.8))
        _without_legend(display.ax_)
        title = "Where the errors are"
        often = int(display.counts[display.probabilities > 0.5].sum())
        never = int(display.counts[display.probabilities < 0.01].sum())
        message = (
            f"On {never:,} of the {int(display.counts.sum()):,} judging examples, the stochastic vote errs with "
            f"probability below 1 %, and on {often:,} above 50 %. The mean is {percent(risk)}."
        )
        svg = inline_svg(display.figure_, "errors", title, message)
    keys = (
        Key("examples", "block", "--sky"),
        Key(
            "mean, as it counts in the bound" if len(clf.voters_) > 1 or certificate.grouped else "mean",
            "solid",
            "--blue",
        ),
        Key(f"bound, stochastic vote{'' if certificate.proven else ' (not proven)'}", "dashed", "--vermilion"),
    )
    unit = "groups" if certificate.grouped else "examples"
    note = f"The bound is on the mean over {unit}; on a single hard example the error can be far larger."
    return Plate(title, message, svg, keys, note)


def draw_comparison(certificate: Certificate, test_error: float | None) -> Plate:
    """Measured errors and bounds, side by side."""
    extra = (certificate.has_stochastic_vote, test_error is not None)
    with drawing("comparison"):
        display = CertificateDisplay.from_certificate(
            _with_figures(certificate, classes=()),
            test_error=test_error,
            ax=new_axes(0.75 + 0.42 * (3 + sum(map(bool, extra)))),
        )
        display.ax_.set_xlabel("error")
        title = "Promised and measured" if certificate.proven else "Computed and measured"
        rows = [label.get_text() for label in display.ax_.get_yticklabels()]
        values = [float(np.asarray(point.get_xdata())[0]) for point in display.points_.values()]
        named = "; ".join(f"{row} {percent(value)}" for row, value in zip(rows, values, strict=True))
        message = f"{named[0].upper()}{named[1:]}."
        svg = inline_svg(display.figure_, "comparison", title, message)
    note = "The gap between the measured error and the bound is the price of not knowing the distribution."
    return Plate(title, message, svg, (), note * certificate.proven)


def draw_classes(certificate: Certificate) -> Plate | None:
    """The bounds on the classes; if there are very many, the highest ones."""
    entries = certificate.per_class
    if not entries:
        return None
    hardest = sorted(entries, key=lambda entry: -entry["bound"])[:_CLASSES]
    shown = tuple(entry for entry in entries if entry in hardest)
    with drawing("classes"):
        axes = new_axes(0.9 + 0.3 * (len(shown) + 3 + certificate.has_stochastic_vote))
        display = CertificateDisplay.from_certificate(_with_figures(certificate, classes=shown, baseline={}), ax=axes)
        display.ax_.set_xlabel("error")
        labels = [label.get_text() for label in display.ax_.get_yticklabels()][: len(display.points_)]
        names = [_short(str(entry["label"])) for entry in shown]
        display.ax_.set_yticks(display.ax_.get_yticks(), [*labels, *names])
        title = "The classes side by side"
        low, high = min(entries, key=lambda e: e["bound"]), hardest[0]
        message = (
            f"The bound on {certificate.subject} is lowest for class {low['label']}, {percent(low['bound'])}, and "
            f"highest for class {high['label']}, {percent(high['bound'])}."
        )
        svg = inline_svg(display.figure_, "classes", title, message)
    note = "The rows at the top are for all classes together; the marks below are the same."
    if len(shown) < len(entries):
        note += f" Of {len(entries)} classes, the {len(shown)} with the highest bounds are drawn."
    keys = [Key(f"bound, {certificate.subject}", "diamond", "--vermilion")]
    if certificate.has_stochastic_vote:
        keys.append(Key("bound, stochastic vote", "square", "--purple"))
    keys.append(Key(certificate.measured_name, "circle", "--blue"))
    return Plate(title, message, svg, tuple(keys), note)


def draw_panel(certificate: Any) -> Plate | None:
    """Each voter of a panel and their votes; None if there is no panel, or if it is too large for a figure."""
    panel = certificate.figures.get("panel")
    if panel is None or len(panel["voters"]) > _CLASSES:
        return None
    with drawing("panel"):
        display = PanelDisplay(certificate).plot(new_axes(0.9 + 0.3 * (len(panel["voters"]) + 2)))
        _without_legend(display.ax_)
        title = "Each voter alone"
        best = min(panel["voters"], key=lambda own: own["bound"])
        message = (
            f"predict errs on at most {percent(certificate.bound)}, the vote with equal weights on at most "
            f"{percent(panel['equal']['bound'])}, and {best['name']} on at most {percent(best['bound'])} of what it "
            "answers."
        )
        svg = inline_svg(display.figure_, "panel", title, message)
    keys = (Key("bound", "diamond", "--vermilion"), Key("measured", "circle", "--blue"))
    note = "The bounds of the voters and of the vote with equal weights hold all at once, that of predict on its own."
    return Plate(title, message, svg, keys, note)


def draw_order(clf: Any) -> Plate | None:
    """Errors and a class along the rows; None if their order looks random or is not known."""
    test = clf.order_test_
    if test is None or test.doubt is None:
        return None
    with drawing("order"):
        display = OrderDisplay(test).plot(new_axes(2.4))
        _without_legend(display.ax_)
        title = "Over time" if test.by == "time" else "Along the rows"
        message = (
            f"Errors of predict: {percent(test.error_rates[0])} in the first of {len(test.sizes)} blocks, "
            f"{percent(test.error_rates[-1])} in the last. Examples of class {test.label}: "
            f"{percent(test.label_shares[0])} and {percent(test.label_shares[-1])}."
        )
        svg = inline_svg(display.figure_, "order", title, message)
    keys = (
        Key("errors of predict", "solid", "--vermilion"),
        Key(f"examples of class {_short(str(test.label))}", "solid", "--blue"),
        Key("means", "dashed", "--ink"),
    )
    note = f"p-values: errors {test.errors:.2g}, class frequencies {test.classes:.2g}, over all orders of the rows."
    return Plate(title, message, svg, keys, note)


def draw_roc(band: RocBand, threshold: ThresholdCertificate) -> Plate:
    """Recall and false-positive rate at every threshold, and at the one that was chosen."""
    label = str(threshold.positive)
    rate, recall = threshold.figures["false_positive_rate"], threshold.figures["recall"]
    with drawing("roc"):
        display = RocDisplay(band).plot(new_axes(3.6))
        _without_legend(display.ax_)
        display.ax_.plot(rate["measured"], recall["measured"], "D", color=INK, markersize=6, clip_on=False)
        display.ax_.set_ylabel(f"{_short(label)}: share that is found")
        display.ax_.set_xlabel(f"others that are answered {_short(label)}")
        title = "All thresholds"
        message = (
            f"The score of an example of class {label} exceeds that of another with probability at least "
            f"{percent_down(band.auc_bound)} (area under the curve; {percent_down(band.auc)} measured)."
        )
        svg = inline_svg(display.figure_, "roc", title, message)
    keys = (
        Key("measured", "solid", "--blue"),
        Key("certified, for all thresholds at once", "solid", "--vermilion"),
        Key("the threshold above, as measured", "diamond", "--ink"),
    )
    note = "The certified curve holds for all thresholds at once, so it is below what is certified for a single one."
    return Plate(title, message, svg, keys, note)


def _with_figures(certificate: Certificate, **figures: Any) -> Certificate:
    """The certificate with some figures in place of its own, to draw it."""
    return replace(certificate, figures={**certificate.figures, **figures})


def _without_legend(axes: "Axes") -> None:
    """Remove the legend: the page has it beside the figure, where it can wrap and be read aloud."""
    legend = axes.get_legend()
    if legend is not None:
        legend.remove()


def _hide_short_stages(display: HistoryDisplay) -> list[str]:
    """Remove the names of stages too short for them; if there are any, return all names in order."""
    names = display.ax_.texts
    widths = [span.get_extents().width / display.ax_.bbox.width for span in display.stage_spans_]
    short = [name for name, width in zip(names, widths, strict=True) if 60 * width < len(name.get_text())]
    for name in short:
        name.set_visible(False)
    return [name.get_text() for name in names] if short else []


def _name_folds(axes: "Axes", n_folds: int) -> None:
    if n_folds == 1:
        return
    ticks = axes.get_xticks()
    every = -(-n_folds // 12)
    names = [f"fold {k + 1}" if n_folds <= 4 else str(k + 1) for k in range(n_folds)]
    axes.set_xticks(ticks[::every], names[::every])
    axes.set_xlabel("voters, the heaviest first" if n_folds <= 4 else "folds; in each, voters, the heaviest first")


def _spread(count: int, at_most: int) -> Any:
    """At most ``at_most`` of the integers below ``count``, evenly spaced, including both ends."""
    return np.unique(np.linspace(0, count - 1, min(count, max(at_most, 2))).round().astype(int))


def _short(name: str) -> str:
    """A name short enough for a figure, without characters that XML forbids."""
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return printable if len(printable) <= _LETTERS else printable[: _LETTERS - 1] + "…"


def _weight(value: float) -> str:
    return f"{100 * value:.3g} %"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _in_folds(n_folds: int) -> str:
    return f" in {n_folds} folds" if n_folds > 1 else ""
