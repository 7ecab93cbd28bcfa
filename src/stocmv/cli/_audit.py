"""From a table to a certified vote, and the files about it."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from .. import MajorityVoteClassifier, OrderWarning, RepeatedRowsWarning
from .._files import sha256, whole_file
from .._memory import free_memory
from ..certificate import Judgments
from ..cluster import is_dask
from ..persistence import save, save_evidence
from ..report import DataSummary, TestErrors, render
from ..tables import DataOverview, Table
from ..voters import Answers, Encoded, Ensemble, Models, Stumps, VoterSource, as_source
from ..votes import group_names
from ._decision import Decision, DecisionTarget, decide, positive_class, write_decision

_EMPTY = "Which columns have no value, and were left out, does not depend on the examples drawn."
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
    wanted: DecisionTarget = field(default_factory=DecisionTarget)
    votes: bool = False
    abstain: str | None = None
    default: str | None = None
    device: str | None = None
    panel: bool = False


@dataclass(frozen=True)
class Audit:
    """A certified vote, and what was found about it."""

    model: MajorityVoteClassifier
    test: TestErrors | None = None
    decision: Decision = field(default_factory=Decision)


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
        context={
            **certificate.context,
            **positive_class(model.classes_.tolist(), settings.wanted),
            "data": _origin(table, settings),
        },
    )
    return Audit(model, decision=decide(model.certificate_, model.evidence_, settings.wanted))


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
            **audit.decision._asdict(),
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
    write_decision(audit.decision, folder, context)


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
