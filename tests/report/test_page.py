"""The page without a browser: its structure, its figures, and what it must not contain."""

import copy
import itertools
import json
import re
import sys
from dataclasses import replace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

from report.document import parse
from report.fitted import (
    FITS,
    HASHES,
    HOSTILE,
    TROUBLE,
    binary,
    digits,
    frozen,
    grouped,
    moons,
    page,
    paid,
    summary,
    unproven,
)
from stocmv import MajorityVoteClassifier, certify_predictions, report
from stocmv.certificate import percent, percent_down
from stocmv.report._figures import Plate

every_fit = pytest.mark.parametrize("name", FITS)


@pytest.fixture
def document(name):
    return parse(page(name))


@every_fit
def test_the_outline_has_one_title_and_skips_no_level(document):
    levels = [int(e.tag[1]) for e in document.walk() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert document.find("html")[0].attributes["lang"] == "en"
    assert all(e.words for e in document.walk() if re.fullmatch("h[1-6]", e.tag))


@every_fit
def test_nothing_is_loaded_and_nothing_runs(document, name):
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", page(name))
    assert not {e.tag for e in document.walk()} & {"script", "img", "iframe", "object", "embed", "form", "image"}
    assert not [a for e in document.walk() for a in e.attributes if a.startswith("on")]
    references = [v for e in document.walk() for a, v in e.attributes.items() if a in ("href", "src", "xlink:href")]
    assert all(reference.startswith("#") or reference == "data:," for reference in references)
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)\)", page(name)))


@every_fit
def test_every_id_is_unique_and_every_reference_has_its_target(document, name):
    ids = [e.attributes["id"] for e in document.walk() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    named = [word for e in document.walk() for word in e.attributes.get("aria-labelledby", "").split()]
    linked = [e.attributes["href"][1:] for e in document.walk() if e.attributes.get("href", "").startswith("#")]
    clipped = re.findall(r"url\(#([^)]*)\)", page(name))
    assert {*named, *linked, *clipped} <= set(ids)


def cited_in(element):
    return [e for e in element.walk() if "data-field" in e.attributes]


def assert_cited(elements, content):
    """Each element shows the value of the field that it names."""
    for element in elements:
        value = content
        for step in element.attributes["data-field"].split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert json.loads(element.attributes["data-value"]) == value
        if isinstance(value, float) and element.words.endswith("%") and element.attributes["data-field"] != "delta":
            assert element.words in (percent(value), percent_down(value))
        elif isinstance(value, int):
            assert element.words == f"{value:,}"


PAC_BAYES = ("paid", "unproven", "weighted", "drawn_normal")


@every_fit
def test_every_figure_of_the_certificate_is_as_in_the_json(document, name, tmp_path):
    certificate = FITS[name]().certificate_
    certificate.to_json(tmp_path / "certificate.json")
    of_selective = [e for section in document.find(**{"data-file": "selective.json"}) for e in cited_in(section)]
    cited = [e for e in cited_in(document) if e not in of_selective]
    assert_cited(cited, json.loads((tmp_path / "certificate.json").read_text()))
    expected = {"n", "delta", "context.weights", "context.voters"}
    for table in certificate.tables():
        expected |= {row.place for row in table.rows}
        expected |= {row.measured_place for row in table.rows if row.measured is not None}
    if name in PAC_BAYES:
        of_learning = {
            "figures.error.moments.0",
            "figures.error.kl",
            "alternatives",
            "posterior",
            "bound_settings.name",
        }
        expected |= of_learning | {f"evidence.{k}" for k in range(len(certificate.evidence))}
    else:
        expected |= {"evidence"}
    if len(certificate.fold_sizes) > 1:
        kinds = ["fold_sizes", "fold_shares", *(["fold_test.slope"] if name not in PAC_BAYES else [])]
        expected |= {f"{kind}.{k}" for kind in kinds for k in range(len(certificate.fold_sizes))}
    expected |= {f"claims.{k}.delta" for k, claim in enumerate(certificate.claims) if claim.is_shared}
    assert expected <= {e.attributes["data-field"] for e in cited}


@pytest.mark.parametrize("name", ["binary"])
def test_every_figure_of_the_selective_vote_is_as_in_its_json(document):
    certificate = binary().selective(min_coverage=0.5).certificate_
    (section,) = document.find("section", id="selective")
    cited = cited_in(section)
    assert_cited(cited, json.loads(certificate.to_json()))
    assert [e.attributes["data-field"] for e in cited] == [
        "figures.error.bound",
        "figures.error.empirical_risk",
        "figures.coverage.bound",
        "figures.coverage.measured",
    ]
    assert certificate.statement() in section.words


@every_fit
def test_the_tables_are_those_of_the_certificate(document, name):
    certificate = FITS[name]().certificate_
    tables = document.find("section", id="bounds")[0].find("table", cls="bounds")
    shown = [
        [tuple(cell.words for cell in row.find()[1:] if cell.tag in ("th", "td")) for row in t.find("tr")[1:]]
        for t in tables
    ]
    assert shown == [[tuple(" ".join(text.split()) for text in line) for line in t.lines] for t in certificate.tables()]
    hows = {t.how if certificate.proven else "computed" for t in certificate.tables()}
    assert {t.find("th")[0].words for t in tables} == hows


@every_fit
def test_the_headline_is_the_bound(document, name):
    certificate = FITS[name]().certificate_
    assert document.find("strong", cls="number")[0].words == percent(certificate.bound)
    assert certificate.statement() in document.find("header")[0].words
    assert certificate.made_and_judged in document.find("header")[0].words
    assert f"always answering {certificate.baseline['label']}" in document.find("header")[0].words


@every_fit
def test_all_assumptions_are_listed(document, name):
    assert [e.words for e in document.find("ul", cls="assumptions")[0].find("li")] == list(
        FITS[name]().certificate_.assumptions
    )


@every_fit
def test_the_figures_say_their_message(document, name):
    figures = document.find("svg")
    clf = FITS[name]()
    alike = all(np.ptp(posterior.mean) < 1e-9 for posterior in clf.posterior_)  # nothing to see of the weights
    has_errors = clf.certificate_.has_stochastic_vote and name != "drawn_normal"
    assert len(figures) == 2 - alike + bool(len(clf.history_)) + bool(clf.certificate_.per_class) + has_errors
    for figure in figures:
        assert figure.attributes["role"] == "img"
        title, message = figure.children[:2]
        assert (title.tag, message.tag) == ("title", "desc")
        assert figure.attributes["aria-labelledby"].split() == [title.attributes["id"], message.attributes["id"]]
        assert re.search(r"\d", message.text)
        assert not re.search("#[0-9a-f]{3}", "".join(e.attributes.get("style", "") for e in figure.walk()))
    assert {f.children[0].text for f in figures} <= {e.words for e in document.find("h3")}


@pytest.fixture
def without_figures(monkeypatch):
    """Pages that are about their words."""
    for name in ("draw_classes", "draw_error_distribution", "draw_history"):
        monkeypatch.setattr(f"stocmv.report._page.{name}", lambda *_: None)
    blank = Plate("a figure", "of nothing", "<svg></svg>", (), "")
    for name in ("draw_comparison", "draw_posterior"):
        monkeypatch.setattr(f"stocmv.report._page.{name}", lambda *_: blank)


def message_of(name, figure):
    (found,) = parse(page(name)).find("desc", id=f"{figure}-message")
    return found.text


def test_the_messages_are_those_of_the_fit():
    clf = binary()
    weights = np.concatenate([p.mean for p in paid().posterior_])
    assert f"36 voters in 3 folds: the heaviest has the mean weight {100 * weights.max():.3g} %" in message_of(
        "paid", "posterior"
    )
    assert "All voters of a fold have the same mean weight: 3 folds of 12 voters." in parse(page("binary")).words
    assert percent(clf.certificate_.bound) in message_of("binary", "comparison")
    assert "test error, predict 5.00 %" in message_of("binary", "comparison")
    assert f"one answer to all {percent(clf.certificate_.baseline['bound'])}" in message_of("binary", "comparison")
    highest = max(digits().certificate_.per_class, key=lambda entry: entry["bound"])
    assert f"highest for class {highest['label']}, {percent(highest['bound'])}" in message_of("digits", "classes")
    assert message_of("paid", "history").startswith(f"{len(paid().history_)} iterations")
    assert "The stages of the search: prior: lbfgs; " in parse(page("frozen")).words
    assert " of the 150 judging examples, the stochastic vote errs" in message_of("binary", "errors")


@every_fit
def test_tables_have_headers_with_a_scope(document):
    for table in document.find("table"):
        assert len(table.find("caption")) == 1
        assert table.find("th")
        assert all(th.attributes.get("scope") in ("row", "col") for th in table.find("th"))
        rows = [[cell for cell in row.children if not isinstance(cell, str)] for row in table.find("tr")]
        assert len({len(row) for row in rows}) == 1
        assert all(row[0].tag == "th" or not row[0].words for row in rows)  # only a corner is empty


@pytest.mark.parametrize("name", ["binary"])
def test_names_from_the_data_are_text(document):
    whole = document.text
    assert HOSTILE in whole
    assert TROUBLE[0] in whole
    assert f"{HOSTILE}.csv" in document.find("title")[0].text
    assert {*TROUBLE} <= {e.text for e in document.find("bdi")}
    in_figure = [e.text for e in document.find("svg")[2].find("text")]
    assert any(text.startswith('"><img src') for text in in_figure)


def test_names_in_any_script_and_no_script_at_all():
    clf = binary()
    renamed = [{**entry, "label": label} for entry, label in zip(clf.certificate_.per_class, "漢\x07", strict=True)]
    page = report.render(with_figures(clf, classes=renamed), data=summary(clf, name="caf\udce9.csv"))
    assert "漢" in page
    assert page.encode() == page.encode("utf-8", "strict")


def with_figures(clf, **figures):
    """The same vote, some figures of its certificate changed."""
    other = copy.copy(clf)
    other.certificate_ = replace(clf.certificate_, figures={**clf.certificate_.figures, **figures})
    return other


@pytest.mark.parametrize("name", ["unproven"])
def test_what_is_not_proven_says_so_before_its_figure(document):
    header = document.find("header")[0]
    assert header.find("h1")[0].words == "Not a certificate"
    warning, _ = header.find(cls="warning")  # the other is about the data
    assert warning.words.startswith("These figures are not proven.")
    end = header.words.index(warning.words) + len(warning.words)
    assert end < header.words.rindex(header.find(cls="number")[0].words)
    assert "at most" not in header.words
    assert "not a certificate" in document.find("title")[0].words
    assert "holds with probability" not in document.words


@pytest.mark.parametrize("name", ["binary", "paid", "grouped", "weighted", "frozen"])
def test_what_is_proven_does_not_doubt(document):
    assert "not proven" not in document.words.lower()
    assert "at most" in document.find("header")[0].words


@pytest.mark.parametrize("name", ["weighted"])
def test_a_vote_without_drawn_weights_is_predict_alone(document):
    assert "predict: at most" in document.words
    assert "stochastic vote" not in document.find(id="promise")[0].words


@pytest.mark.parametrize("name", ["digits", "grouped", "frozen"])
def test_a_stochastic_vote_that_is_not_certified_is_not_mentioned(document):
    assert "stochastic" not in document.words.lower()


@every_fit
def test_only_words_that_occur_are_explained(document, name):
    words = {e.words for e in document.find("dl", cls="words")[0].find("dt")}
    assert {"Voter", "Bound", "Delta", "Judge", "Evidence"} <= words
    assert ("Empirical risk" in words) == (name in PAC_BAYES)
    assert ("KL" in words) == (name in (*PAC_BAYES, "frozen"))  # where weights were learned
    assert ("Fold" in words) == (len(FITS[name]().certificate_.fold_sizes) > 1)
    assert ("Group" in words) == (name == "grouped")
    assert ("Stochastic vote" in words) == (name in ("binary", *PAC_BAYES))


@pytest.mark.parametrize("name", ["grouped"])
def test_groups_are_called_so(document):
    certificate = grouped().certificate_
    header = document.find("header")[0].words
    assert "of rows of new groups, with confidence" in header
    assert f"groups that judge{certificate.n}" in header
    assert "The rows of a group stay together" in document.words
    assert [t.find("caption")[0].words for t in document.find("table", cls="bounds")] == [
        "Error on new groups",
        "Error on class",
        "Right among the answers of predict, group by group",
        "Mean cost, group by group",
    ]


def test_a_certificate_no_better_than_one_answer_says_so(without_figures):
    clf = frozen()
    low = {**clf.certificate_.baseline, "label": "maybe", "bound": clf.certificate_.bound}
    header = parse(report.render(with_figures(clf, baseline=low), data=summary(clf))).find("header")[0].words
    assert "The bound on predict is no better than that of always answering 'maybe', at most" in header
    assert "no better than" not in parse(page("frozen")).words


def test_a_class_that_is_mostly_missed_follows_the_headline(without_figures):
    clf = frozen()
    recalls = ({"label": "rare", "n": 30, "measured": 0.0712}, {"label": "usual", "n": 70, "measured": 0.9})
    missed = with_figures(clf, recalls=recalls)
    header = parse(report.render(missed, data=summary(clf))).find("header")[0].words
    said = "On the examples that judge it, it finds 7.12 % of class 'rare'."
    assert header.index("predict errs on at most") < header.index(said) < header.rindex(said)  # and in the statement


@pytest.mark.parametrize(
    ("name", "commands"),
    [("binary", "stocmv verify DIR\nstocmv verify DIR --data FILE"), ("paid", "stocmv verify DIR")],
)
def test_the_commands_and_the_hashes(document, name, commands):
    assert [e.text for e in document.find("pre")] == [commands]
    assert ("by hashes of their features" in document.words) == ("--data" in commands)
    (table,) = document.find("table", cls="hashes")
    shown = {row.find("th")[0].words: row.find("code")[0].text for row in table.find("tr")}
    digests = FITS[name]().certificate_.evidence
    if name == "paid":
        assert shown == {**HASHES, **{f"evidence of fold {k + 1}": digest for k, digest in enumerate(digests)}}
    else:
        assert shown == {**HASHES, "evidence": digests}
    assert HASHES["certificate.json"] in document.find("header")[0].text


def test_without_anything_to_compare_with():
    clf = frozen()
    document = parse(report.render(clf, data=summary(clf)))
    assert "There is no test file." in document.words
    assert not document.find(cls="seal")
    assert "test error" not in document.find("desc", id="comparison-message")[0].text


def test_errors_above_the_bound_are_not_passed_over(without_figures):
    clf = frozen()
    bound = clf.certificate_.bound
    honest = report.render(clf, data=summary(clf), test=report.TestErrors(1000, bound / 2, None, "near.csv"))
    drifted = report.render(clf, data=summary(clf), test=report.TestErrors(1000, 1.0, None, "far.csv"))
    assert "more often than" not in parse(honest).words
    document = parse(drifted)
    assert "On the test file the vote erred more often than is promised." in document.find("header")[0].words
    assert "by chance with probability 0 (predict)" in document.find(id="comparison")[0].words.replace("0.0", "0")


def test_errors_of_groups_above_the_bound(without_figures):
    clf = grouped()
    bound = clf.certificate_.bound
    drifted = report.render(clf, data=summary(clf), test=report.TestErrors(50, 0.9, None, "far.csv"))
    words = parse(drifted).find(id="comparison")[0].words
    chance = np.exp(-50 * (0.9 * np.log(0.9 / bound) + 0.1 * np.log(0.1 / (1 - bound))))
    assert f"with probability at most {chance:.2g} (predict)" in words
    assert "On the 50 groups of far.csv" in words


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"duplicate_rows": 7}, "Some rows repeat others"),
        ({"duplicate_rows": None}, "not counted"),
        (
            {"findings": (("It leaks.", "Drop it."),)},
            "One thing in the data needs a look before you read the figures. It leaks.",
        ),
        ({"findings": (("It leaks.", "Drop it."),) * 103}, "and 3 more like these."),
        ({"columns": {"dates": ("seen", "born")}}, "seen, born"),
        ({"columns": {"numbers": tuple("abc" * 70)}}, "c, a, b and 10 more"),
        ({"n_rows": 999}, "899 of the 999 rows neither made the vote nor judged it."),
        ({"feature_kinds": {"numeric": 1, "categorical (ordinal)": 1}}, "2: 1 numeric, 1 categorical (ordinal)"),
        ({"class_counts": {str(k): 1 + k for k in range(50)}}, "10 further classes"),
    ],
)
def test_the_data_as_they_are(changes, sentence, without_figures):
    clf = frozen()
    plain = parse(report.render(clf, data=summary(clf))).words
    assert sentence not in plain
    assert sentence in parse(report.render(clf, data=summary(clf, **changes))).words


def test_the_same_fit_gives_the_same_page_whatever_the_user_has_set():
    clf = digits()
    before = dict(matplotlib.rcParams)
    figures = plt.get_fignums()
    ours = report.render(clf, data=summary(clf))
    assert (dict(matplotlib.rcParams), plt.get_fignums()) == (before, figures)
    with plt.style.context("dark_background"), matplotlib.rc_context({"font.size": 30, "text.usetex": True}):
        theirs = report.render(clf, data=summary(clf))
    assert ours == theirs


def test_a_page_of_many_voters_classes_and_folds_stays_small():
    assert len(page("digits").encode()) < 150_000
    clf = digits()
    rng = np.random.default_rng(0)
    other = with_figures(clf, classes=[{**clf.certificate_.per_class[0], "label": k} for k in range(200)])
    dirichlet = type(clf.posterior_[0])
    other.posterior_ = [dirichlet(rng.gamma(2.0, size=2000)) for _ in range(20)]
    large = report.render(other, data=summary(clf))
    assert "Of 40,000 voters, 600 are drawn" in parse(large).words
    assert "Of 200 classes, the 30 with the highest bounds are drawn." in parse(large).words
    assert len(large.encode()) < 600_000


@pytest.mark.parametrize(("missing", "cure"), [("jinja2", r"stocmv\[cli\]"), ("matplotlib.pyplot", r"stocmv\[plot\]")])
def test_what_is_not_installed_is_named_with_its_cure(monkeypatch, missing, cure):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=cure):
        report.render(frozen(), data=summary(frozen()))


def test_an_unfitted_vote_is_refused():
    with pytest.raises(NotFittedError):
        report.render(MajorityVoteClassifier(), data=summary(binary()))


def test_a_threshold_is_shown_with_its_class_and_its_curve():
    X, y = moons()
    clf = MajorityVoteClassifier(RandomForestClassifier(12), calibration=True, random_state=0)
    clf.fit(X, np.array(TROUBLE)[y])
    assert clf.certificate_.calibration
    assert clf.certificate_.verify(clf.evidence_)
    label = clf.classes_[1].item()
    threshold = clf.threshold(label, at=0.4).certificate_
    page = report.render(clf, data=summary(clf), threshold=threshold)
    (section,) = parse(page).find("section", id="threshold")
    cited = {e.attributes["data-field"]: json.loads(e.attributes["data-value"]) for e in cited_in(section)}
    assert cited["figures.recall.bound"] == threshold.recall_bound
    assert cited["figures.precision.bound"] == threshold.precision_bound
    assert "All thresholds" in page
    with pytest.raises(ValueError, match="threshold is about another vote"):
        report.render(digits(), data=summary(digits()), threshold=threshold)


def test_a_selective_vote_of_another_vote_is_refused():
    with pytest.raises(ValueError, match="selective is about another vote"):
        report.render(digits(), data=summary(digits()), selective=binary().selective(min_coverage=0.5).certificate_)


def test_a_selective_vote_that_could_not_be_certified_is_named():
    clf = binary()
    shown = parse(report.render(clf, data=summary(clf), not_certified="max_error=0.0001 & less cannot be certified."))
    (section,) = [e for e in shown.find("section") if e.attributes.get("id") == "selective"]
    assert "max_error=0.0001 & less cannot be certified." in section.words


class TestOfACertificateAlone:
    """`certificate.report`."""

    @pytest.mark.parametrize("fit", [grouped, digits, paid])
    def test_of_a_fitted_vote(self, fit, tmp_path):
        certificate = fit().certificate_
        certificate.report(tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text()
        assert "predict errs on at most" in text
        assert certificate.assumptions[0] in text
        assert "the model" not in text.split("</header>")[0]

    @pytest.mark.parametrize(
        "decide",
        [
            lambda clf: clf.selective(max_error=0.2),
            lambda clf: clf.selective(max_error=dict.fromkeys(clf.classes_.tolist(), 0.3)),
            lambda clf: clf.threshold(clf.classes_[1], at=0.5),
        ],
        ids=["when sure", "when sure, by class", "threshold"],
    )
    def test_of_a_decision_rule_does_not_speak_of_all_examples(self, decide, tmp_path):
        X, y = make_moons(400, noise=0.2, random_state=0)
        clf = MajorityVoteClassifier(RandomForestClassifier(20), random_state=0).fit(X, y)
        certificate = decide(clf).certificate_
        certificate.report(tmp_path / "page.html")
        shown = parse((tmp_path / "page.html").read_text())
        (header,) = shown.find("header")
        assert certificate.statement() in header.words
        assert "errs on at most" not in header.words.replace(certificate.statement(), "")
        assert not [e for e in shown.find("strong") if e.attributes.get("class") == "number"]

    @pytest.mark.parametrize(
        ("context", "words", "title"),
        [
            ({}, "from its answers", "the model errs"),
            ({"file": "may.csv", "model": "v2"}, "from its answers in may.csv", "may.csv: the model errs"),
            ({"model": "v2"}, "from the answers of v2", "v2: the model errs"),
        ],
    )
    def test_of_given_answers(self, context, words, title, tmp_path):
        certificate = certify_predictions([0, 1, 1], [0, 1, 0], context=context)
        certificate.report(tmp_path / "page.html")
        shown = parse((tmp_path / "page.html").read_text())
        (header,) = shown.find("header")
        assert "the model errs on at most" in header.words
        assert [e.words for e in shown.find("p") if e.attributes.get("class") == "subject"] == [words]
        assert shown.find("title")[0].words.startswith(title)

    def test_what_is_not_proven_says_so(self, tmp_path):
        unproven().certificate_.report(tmp_path / "page.html")
        text = (tmp_path / "page.html").read_text()
        assert "<h1>Not a certificate</h1>" in text
        assert "errs on at most" not in text
        assert "with confidence" not in text
