"""Excel files written by hand: what their XML says is up to the test."""

import zipfile
from pathlib import Path

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
SHEETS = '<sheet name="one" sheetId="1" r:id="rId1"/>'


def write_sheet(
    path: Path,
    rows: str,
    *,
    strings: str = "",
    styles: str = "",
    sheets: str = SHEETS,
    before: str = "",
    book: str = "",
) -> Path:
    """A file whose first sheet has these rows.

    Parameters
    ----------
    path : Path
        The file.
    rows, strings, styles, sheets : str
        What is within ``sheetData``, ``sst``, ``styleSheet`` and ``sheets``.
    before, book : str
        What goes before the sheet's first element, and before the list of sheets.
    """
    parts = {
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{book}<sheets>{sheets}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations(
            ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "/xl/strings.xml"), ("styles", "styles.xml")
        ),
        "xl/worksheets/sheet1.xml": f'{before}<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>',
        "xl/strings.xml": f'<sst xmlns="{_MAIN}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">{styles}</styleSheet>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


def _relations(*parts: tuple[str, str]) -> str:
    listed = (
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{path}"/>'
        for number, (kind, path) in enumerate(parts, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}">{"".join(listed)}</Relationships>'


def row(*cells: str) -> str:
    """A row of texts and numbers."""
    return f"<row>{''.join(_cell(cell) for cell in cells)}</row>"


def _cell(text: str) -> str:
    if text.replace(".", "", 1).isdecimal():
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'
