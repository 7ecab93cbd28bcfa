"""Sheets as Excel and others write them, and sheets that nobody would write in good faith."""

import datetime
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from stocmv.tables import read_table, read_texts
from stocmv.tables._excel import read_excel
from tables.sheets import SHEETS, row, write_sheet


@pytest.fixture
def book(tmp_path):
    return tmp_path / "data.xlsx"


def test_the_same_as_pandas(book):
    pytest.importorskip("openpyxl")
    n = 20
    frame = pd.DataFrame(
        {
            "number": np.random.default_rng(0).normal(size=n),
            "word": ["plain", "a,b", 'a "quote"', "two\nlines", "größer 漢字"] * 4,
            "count": range(n),
            "flag": [True, False] * 10,
            "moment": pd.date_range("2020-01-01 05:30", periods=n, freq="7h"),
            "day": [datetime.date(1900, 1, 5), datetime.date(2030, 2, 28)] * 10,
            "mixed": [1, "x", 2.5, None, datetime.datetime(2020, 1, 1)] * 4,
            "digits": ["007", "12"] * 10,
            "length": pd.to_timedelta(range(n), unit="h"),
        }
    )
    frame.loc[3, ["number", "word"]] = None
    pd.concat([frame[:5], frame[:0].reindex([99]), frame[5:]]).to_excel(book, index=False)
    ours, theirs = read_excel(book), pd.read_excel(book)
    assert list(ours.columns) == list(theirs.columns)
    assert len(ours) == len(theirs) == n + 1  # an empty row within is a row
    for name in theirs:
        alike = [
            (pd.isna(one) and pd.isna(other)) or one == other or str(one) == str(other)
            for one, other in zip(ours[name], theirs[name], strict=True)
        ]
        assert all(alike), (name, ours[name], theirs[name])


def test_how_else_sheets_are_written(book):
    """Prefixes, cells with and without references, rich text, formulas, errors, how words are pronounced."""
    rows = (
        '<x:row xmlns:x="urn:x" r="3"><x:c r="B3" t="s"><x:v>0</x:v></x:c><c r="D3" t="s"><v>1</v></c></x:row>'
        '<row r="4"><c r="B4"><f>1+1</f><v>2.0</v></c><c t="str"><v>word</v></c><c t="e"><v>#DIV/0!</v></c></row>'
        '<row><c/><c><v>1E-2</v></c><c t="b"><v>1</v></c><c><v>5</v></c></row><row r="9"><c r="B9" s="1"/></row>'
    )
    strings = "<si><r><t>si</t></r><r><t>ze</t></r></si><si><t>字</t><rPh><t>ji</t></rPh></si>"
    frame = read_excel(write_sheet(book, rows, strings=strings))
    assert list(frame.columns) == ["Unnamed: 0", "size", "Unnamed: 2", "字"]
    assert frame["size"].tolist() == [2, 0.01]
    assert frame["Unnamed: 2"].tolist() == ["word", "True"]
    assert frame["字"].isna().tolist() == [True, False]


STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="[h]:mm"/>'
    '<numFmt numFmtId="166" formatCode="0.0 &quot;days&quot;"/><numFmt numFmtId="167" formatCode="[Red]0;[$-409]d"/>'
    "</numFmts><cellStyleXfs><xf/><xf/></cellStyleXfs><cellXfs>"
    + "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 164, 165, 166, 167))
    + "</cellXfs>"
)


@pytest.mark.parametrize(
    ("style", "book_settings", "expected"),
    [
        (0, "", 43831.25),
        (1, "", pd.Timestamp("2020-01-01 06:00")),
        (2, "", pd.Timestamp("2020-01-01 06:00")),
        (2, '<workbookPr date1904="1"/>', pd.Timestamp("2024-01-02 06:00")),
        (3, "", 43831.25),
        (4, "", 43831.25),
        (5, "", 43831.25),
        (99, "", 43831.25),
    ],
)
def test_numbers_that_are_dates(style, book_settings, expected, book):
    rows = f'{row("when")}<row><c s="{style}"><v>43831.25</v></c></row>'
    assert read_excel(write_sheet(book, rows, styles=STYLES, book=book_settings))["when"][0] == expected


def test_the_first_sheet_is_read_however_many_there_are(book):
    more = "".join(f'<sheet name="{number}" sheetId="{number}" r:id="rId2"/>' for number in range(2, 1000))
    chart = '<sheet name="chart" sheetId="0" r:id="rId3"/>'
    frame = read_excel(write_sheet(book, row("a") + row("1"), sheets=chart + SHEETS + more))
    assert frame["a"].tolist() == [1]


def test_words_that_mean_missing_are_kept_verbatim(book):
    write_sheet(book, row("id", "note") + row("1", "NA") + row("2", "x"))
    assert read_texts(book, ["note"]) == {"note": ["NA", "x"]}


FREE = 2 << 20  # bytes of memory that are left
MANY = 15_000
FIRST = row("a", "kind")
HOSTILE = {
    "a cell at the far corner": ({"rows": FIRST + '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'}, "columns"),
    "a far cell in every row": ({"rows": FIRST + '<row><c r="XFD1"><v>1</v></c></row>' * MANY}, "16,384 columns"),
    "a row beyond the last": ({"rows": FIRST + '<row r="9999999"><c><v>1</v></c></row>'}, "row 9,999,999"),
    "a column beyond the last": ({"rows": FIRST + '<row><c r="ZZZ2"><v>1</v></c></row>'}, "16,384 columns"),
    "one row of many cells": (
        {"rows": f"{FIRST}<row>{'<c/>' * 2 * MANY}</row>"},
        "16,384 columns",
    ),
    "rows in the wrong order": ({"rows": FIRST + '<row r="5"><c><v>1</v></c></row>' * 2}, "after row 5 comes row 5"),
    "many texts": ({"rows": FIRST, "strings": "<si/>" * 2 * MANY}, "The texts of data.xlsx"),
    "a long text in many cells": (
        {"rows": FIRST + '<row><c t="s"><v>0</v></c></row>' * MANY, "strings": f"<si><t>{'x' * 1000}</t></si>"},
        "half of the free memory",
    ),
    "a long text in many cells of one row": (
        {"rows": "<row>" + '<c t="s"><v>0</v></c>' * 9999 + "</row>", "strings": f"<si><t>{'x' * 100_000}</t></si>"},
        "half of the free memory",
    ),
    "a cell of many texts": ({"rows": f"{FIRST}<row><c>{'<v>1</v>' * 3 * MANY}</c></row>"}, "too many parts"),
    "elements within elements": ({"rows": FIRST + "<z>" * MANY + "</z>" * MANY}, "nested too deeply"),
    "entities that multiply": (
        {"rows": FIRST + row("&b;"), "before": f'<!DOCTYPE z [<!ENTITY a "{"x" * 1000}"><!ENTITY b "{"&a;" * 999}">]>'},
        "defines entities",
    ),
    "much of nothing": ({"rows": FIRST + " " * FREE}, "half of the free memory"),
    "many elements that mean nothing": ({"rows": "<z/>" * MANY}, "first sheet of data.xlsx is empty"),
    "many styles": ({"rows": FIRST, "styles": f"<cellXfs>{'<xf/>' * MANY}</cellXfs>"}, "no rows"),
    "many sheets": ({"rows": FIRST, "sheets": SHEETS * MANY}, "no rows"),
    "a text that is not there": ({"rows": FIRST + '<row><c t="s"><v>7</v></c></row>'}, "not an Excel file"),
    "no sheet": ({"rows": FIRST, "sheets": ""}, "no worksheet"),
    "half of the XML": ({"rows": FIRST + "<row>"}, "mismatched tag"),
}


@pytest.mark.parametrize(("parts", "word"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_sheets_take_little_memory(parts, word, book, monkeypatch):
    write_sheet(book, **parts)
    assert book.stat().st_size < FREE / 20
    for module in ("_memory", "tables._excel"):
        monkeypatch.setattr(f"stocmv.{module}.free_memory", lambda: FREE)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=word):
            read_table(book, "kind")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2 * FREE
