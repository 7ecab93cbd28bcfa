"""From a table to a certified vote, and the files about it."""

import warnings
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from .. import MajorityVoteClassifier, OrderWarning, RepeatedRowsWarning
from .._files import sha256, whole_file
from .._memory import free_memory
from ..certificate import Judgments
from ..cluster import is_dask
from ..decisions import ClassSelectiveCertificate, NotCertified, SelectiveCertificate, ThresholdCertificate
from ..persistence import save, save_evidence
from ..report import DataSummary, TestErrors, render
from ..tables import DataOverview, Table
from ..voters import Answers, Encoded, Ensemble, Models, Stumps, VoterSource, as_source
from ..votes import group_names
from ._predict import REFER

_EMPTY = "Which columns have no value, and were left out, does not depend on the examples drawn."
_TARGETS = ("min_recall", "min_precision", "max_false_positive_rate", "max_cost")
_FORESTS = {"forest": RandomForestClassifier, "extra-trees": ExtraTreesClassifier}


@dataclass(frozen=True)
class Settings:
    """The options of ``stocmv certify``."""

    voters: str
    trees: int
    delta: float
    holdout: Any
    folds: int | None
    bound: str
    prior: Any
    seed: int
    jobs: int
    per_class: bool
    stochastic: bool
    cost: Any
    categories: Any
    calibration: bool = False
    max_error: float | dict[str, float] | None = None
    min_coverage: float | None = None
    pos_label: str | None = None
    threshold: float | None = None
    min_recall: float | None = None
    min_precision: float | None = None
    max_false_positive_rate: float | None = None
    max_cost: float | None = None
    votes: bool = False
    abstain: str | None = None
    default: str | None = None
    device: str | None = None
    panel: bool = False

    @property
    def threshold_target(self) -> dict[str, float]:
        """What a threshold is to achieve; empty if none was requested."""
        given = {name: getattr(self, name) for name in _TARGETS} | {"at": self.threshold}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True)
class Audit:
    """A certified vote, and what was found about it."""

    model: MajorityVoteClassifier
    test: TestErrors | None = None
    selective: SelectiveCertificate | ClassSelectiveCertificate | None = None
    threshold: ThresholdCertificate | None = None
    not_certified: str = ""  # why there is no selective vote although one was requested


def check_classes(settings: Settings, classes: Collection[str]) -> None:
    """Refuse options that name no class of the data, or leave open which one is meant."""
    names = ", ".join(map(repr, classes))
    if settings.threshold_target and settings.pos_label not in classes:
        which = "" if settings.pos_label is None else f"{settings.pos_label!r} is no class of the data. "
        raise ValueError(f"{which}Name the class that the threshold is for with --pos-label, one of {names}.")
    if isinstance(settings.max_error, dict) and set(settings.max_error) != set(classes):
        got = ", ".join(map(repr, settings.max_error))
        raise ValueError(f"--max-error must name each of the classes {names} once, got {got}.")
    if REFER in classes and (settings.max_error is not None or settings.min_coverage is not None):
        raise ValueError(f"A class is called {REFER!r}, which is what predict says of unanswered rows: rename it.")


def as_options(text: str) -> str:
    """The text with the options of the command in place of the arguments in Python."""
    for name in (*_TARGETS, "max_error", "min_coverage"):
        option = f"--{name.replace('_', '-')}"
        text = text.replace(f"{name}=", f"{option} ").replace(name, option)
    return text


def certify_table(table: Table, settings: Settings) -> Audit:
    """Fit the vote to the table."""
    _check_suits(table, settings)
    source = _source(table, settings)
    model = MajorityVoteClassifier(
        source,
        prior=settings.prior,
        bound=settings.bound,
        delta=settings.delta,
        holdout=settings.holdout,
        n_folds=settings.folds,
        stochastic=settings.stochastic,
        per_class=settings.per_class,
        calibration=settings.calibration,
        panel=settings.panel,
        cost=settings.cost,
        n_jobs=settings.jobs,
        device=settings.device,
        random_state=settings.seed,
    )
    with warnings.catch_warnings():
        for kind in (RepeatedRowsWarning, OrderWarning):  # the certificate shows these itself
            warnings.simplefilter("ignore", kind)
        model.fit(table.X, table.y, table.groups, table.times, subgroups=table.subgroups or None)
    if not isinstance(model.evidence_, Judgments):
        model.evidence_ = [votes.collect() for votes in model.evidence_]
    certificate = model.certificate_
    model.certificate_ = replace(
        certificate,
        further_assumptions=(*certificate.further_assumptions, *([_EMPTY] if table.empty else [])),
        context={**certificate.context, "data": _origin(table, settings)},
    )
    return _decided(Audit(model), settings)


def _decided(audit: Audit, settings: Settings) -> Audit:
    """Add the certificate of a threshold, or of the vote that answers only when it is sure, if one is requested."""
    if not settings.threshold_target:
        return _selected(audit, settings)
    labels = {str(label): label for label in audit.model.classes_.tolist()}
    try:
        found = audit.model.threshold(labels[settings.pos_label], **settings.threshold_target)  # type: ignore[index]
    except NotCertified as error:
        raise ValueError(as_options(str(error))) from error
    return replace(audit, threshold=found.certificate_)


def _selected(audit: Audit, settings: Settings) -> Audit:
    """Add the certificate of the vote that answers only when it is sure, or the reason why there is none."""
    if settings.max_error is None and settings.min_coverage is None:
        return audit
    max_error: Any = settings.max_error
    if isinstance(max_error, dict):
        max_error = {label: max_error[str(label)] for label in audit.model.classes_.tolist()}
    try:
        sure = audit.model.selective(max_error, min_coverage=settings.min_coverage)
    except NotCertified as error:
        return replace(audit, not_certified=str(error))
    return replace(audit, selective=sure.certificate_)


def _origin(table: Table, settings: Settings) -> dict[str, Any]:
    """Where the examples come from, and how their columns were read."""
    origin: dict[str, Any] = {"name": table.name, "sha256": table.sha256, "target": table.target, "rows": table.n_rows}
    origin |= {role: name for role, name in (("group", table.group), ("time", table.time)) if name is not None}
    origin |= {"subgroups": list(table.subgroups)} if table.subgroups else {}
    if settings.votes:
        silence = _label(settings.abstain, table)
        answers = {name: int((column.notna() & (column != silence)).sum()) for name, column in table.X.items()}
        origin |= {"answers": answers, "abstain": settings.abstain, "default": settings.default}
        return origin | {"encoding": table.encoding}
    return origin | {
        "categorical": list(table.categorical),
        "categories": settings.categories if table.categorical else None,
        "dates": list(table.dates) if table.kinds else None,
        "encoding": table.encoding,
        "unseen": table.unseen,
    }


def _label(text: str | None, table: Table) -> str | int | None:
    """The typed text as a label of the table's kind."""
    is_number = text is not None and np.asarray(table.y).dtype.kind in "iu" and text.lstrip("+-").isdecimal()
    return int(text) if is_number else text  # type: ignore[arg-type]


def _check_suits(table: Table, settings: Settings) -> None:
    """Refuse data that the voters cannot be trained on."""
    if settings.votes:
        return
    if settings.voters == "stumps" and table.missing_values:
        raise ValueError(
            f"{table.missing_values:,} values are missing, which stumps cannot handle: use --voters forest."
        )
    if table.categorical and settings.categories == "onehot" and not is_dask(table.X):
        n_columns = table.X.shape[1] + sum(table.X[name].nunique() - 1 for name in table.categorical)
        if table.X.shape[0] * n_columns * 8 > free_memory() // 2:
            raise ValueError(
                f"{n_columns:,} columns of one category each do not fit into memory: use --categories ordinal."
            )


def _source(table: Table, settings: Settings) -> VoterSource:
    if settings.votes:
        return Answers(_label(settings.abstain, table), _label(settings.default, table))
    if settings.voters == "models":
        return Models(table.categorical)
    forest = _FORESTS.get(settings.voters)
    source: VoterSource = Stumps() if forest is None else Ensemble(forest(settings.trees))
    return Encoded(source, table.categorical, settings.categories) if table.categorical else source


def test_errors(audit: Audit, test: Table) -> Audit:
    """Add the errors of the certified votes on new examples; with groups, averaged within each group."""
    model, covered = audit.model, audit.model.certificate_.has_stochastic_vote
    names = np.arange(test.n_rows) if test.groups is None else group_names(test.groups, test.n_rows)
    place = np.unique(names, return_inverse=True)[1]
    sizes = np.bincount(place)

    def share(answers: Any) -> float:
        return float(np.mean(np.bincount(place, answers != test.y) / sizes))

    drawn = share(model.predict_stochastic(test.X, random_state=0)) if covered else None
    return replace(audit, test=TestErrors(len(sizes), share(model.predict(test.X)), drawn, test.name))


def write_folder(audit: Audit, table: Table, overview: DataOverview, folder: Path) -> None:
    """Write the model, the certificate, its evidence, and the page about them."""
    model = audit.model
    with ThreadPoolExecutor(1) as meanwhile:
        saved = meanwhile.submit(_write_certified, audit, folder)
        save_evidence(folder / "evidence.npz", model.evidence_)

        def hashes() -> dict[str, str]:
            saved.result()
            return {path.name: sha256(path) for path in sorted(folder.iterdir())}

        page = render(
            model,
            data=_summary(table, overview, as_source(model.voters).by_name),
            test=audit.test,
            selective=audit.selective,
            threshold=audit.threshold,
            not_certified=audit.not_certified,
            hashes=hashes,
        )
        saved.result()
    with whole_file(folder / "report.html") as file:
        file.write(page.encode())


def _write_certified(audit: Audit, folder: Path) -> None:
    """Write the model, and the certificates, which contain its hash."""
    save(audit.model, folder / "model.skops")
    named = {"model": {"sha256": sha256(folder / "model.skops")}}
    certificate = audit.model.certificate_
    context = {**certificate.context, **named}
    replace(certificate, context=context).to_json(folder / "certificate.json")
    for decision, name in ((audit.selective, "selective.json"), (audit.threshold, "threshold.json")):
        if decision is not None:
            replace(decision, context=context).to_json(folder / name)


def _summary(table: Table, overview: DataOverview, votes: bool) -> DataSummary:
    kinds = {"numeric": table.X.shape[1] - len(table.categorical), "categorical": len(table.categorical)}
    if votes:
        kinds = {"voters' answers": table.X.shape[1]}
    return DataSummary(
        name=table.name,
        n_rows=table.n_rows,
        n_features=table.X.shape[1],
        class_counts=table.class_counts,
        feature_kinds={kind: count for kind, count in kinds.items() if count},
        missing_values=table.missing_values,
        duplicate_rows=table.duplicate_rows,
        columns=overview.columns,
        findings=tuple((finding.sentence, finding.cure) for finding in overview.findings),
    )
