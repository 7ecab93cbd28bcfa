"""The first sheet of an Excel file, as csv text.

An Excel file is a zip file of XML. It is read as a stream and nothing is kept but the text of the sheet, because a few
kilobytes may hold billions of cells, styles or strings, and a single cell may lie a million rows away.
"""

import datetime
import posixpath
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from .._files import DAMAGE, check_packing, reason
from .._memory import TooLarge, check_fits, free_memory
from ._files import CELL, parse_csv

_CHUNK = 1 << 16
_DEEPEST = 50  # levels of XML; Excel writes about ten
_MOST_COLUMNS = 1 << 14  # of a sheet, by definition of the format
_MOST_ROWS = 1 << 20
_MOST_PIECES = 1 << 15  # a text has at most as many letters
_OBJECT = 64  # bytes that Python takes for a text besides its letters
_REFERENCE = re.compile("([A-Z]{1,3})[0-9]{1,7}")
_SPECIAL = re.compile('[,"\r\n]')

_DATES = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}  # formats that every file has
_DURATION = 46
_NOT_FORMAT = re.compile(r'"[^"]*"|\\.|_.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
_IS_DATE = re.compile("[dmyhs]", re.IGNORECASE)
_IS_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)

_Element = tuple[str, dict[str, str], str]  # name, attributes, text
_Convert = Callable[[float], str]


def read_excel(path: Path, text: Collection[str] = (), *, missing_words: bool = True) -> Any:
    """A data frame of the first sheet, whose first row with values has the names; see `read_csv` for the rest."""
    try:
        with zipfile.ZipFile(path) as packed:
            check_packing(packed, path.name)
            content = _as_csv(_Book(packed, path.name), path.name)
    except TooLarge:
        raise
    except (*DAMAGE, expat.ExpatError) as error:
        raise ValueError(f"{path.name} is not an Excel file (.xlsx): {reason(error)}.") from error
    if not content:
        raise ValueError(f"The first sheet of {path.name} is empty.")
    return parse_csv(content, ",", path.name, text, missing_words)


def _as_csv(book: "_Book", file: str) -> bytes:
    """The rows from the first to the last that hold a value, filled up to the same length."""
    limit, size, width, first, last = free_memory() // 2, 0, 0, 0, 0
    names: list[str] = []
    lines: list[tuple[bytes, int]] = []
    for number, cells in book.rows():
        if number <= last or number > _MOST_ROWS:
            raise ValueError(f"after row {last:,} comes row {number:,}")
        size, width = size + sum(map(len, cells)) + _OBJECT, max(width, len(cells))
        if max(size, CELL * (number - first) * width) > limit:
            raise TooLarge(
                f"The first sheet of {file} has {number:,} rows and {width:,} columns, which take more than half of "
                "the free memory: is there a cell by mistake, far below or to the right?"
            )
        if names:
            lines += [*[(b"", 1)] * (number - last - 1), (_line(cells), len(cells))]
        else:
            names, first = cells, number
        last = number
    if not names:
        return b""
    check_fits(size + len(lines) * width, file)
    named = [name or f"Unnamed: {place}" for place, name in enumerate([*names, *[""] * (width - len(names))])]
    filled = (line + b"," * (width - n) or b'""' for line, n in lines)
    return b"\n".join([_line(named), *filled, b""])


def _line(cells: list[str]) -> bytes:
    return ",".join(_quoted(cell) for cell in cells).encode()


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if _SPECIAL.search(cell) else cell


class _Part(NamedTuple):
    kind: str
    path: str


def _first(parts: Iterable[_Part], kind: str) -> str:
    found = next((part.path for part in parts if part.kind == kind), None)
    if found is None:
        raise ValueError(f"it has no {kind}")
    return found


class _Book:
    """The parts of an Excel file that say what the cells of its first sheet hold."""

    def __init__(self, packed: zipfile.ZipFile, file: str) -> None:
        self._packed, self._file = packed, file
        book = _first(self._parts("").values(), "officeDocument")
        parts = self._parts(book)
        sheets, self._epoch = [], datetime.datetime(1899, 12, 30)
        for name, attributes, _ in self._elements(book):
            if name == "sheet":
                sheets += [parts[value] for key, value in attributes.items() if key.endswith(":id")]
            elif name == "workbookPr" and attributes.get("date1904") in ("1", "true"):
                self._epoch = datetime.datetime(1904, 1, 1)
        self._sheet = _first(sheets, "worksheet")
        of_kind = {part.kind: part.path for part in parts.values()}
        self._strings = self._read_strings(of_kind["sharedStrings"]) if "sharedStrings" in of_kind else []
        self._formats = self._read_formats(of_kind["styles"]) if "styles" in of_kind else []

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The number of each row with values, and its cells as text up to the last value."""
        row: dict[int, str] = {}
        column, number = 0, 0
        for name, attributes, text in self._texts(self._sheet, "c", "row"):
            if name == "c":
                column = _column(attributes["r"]) if "r" in attributes else column + 1
                if column > _MOST_COLUMNS:
                    raise ValueError(f"it has more than {_MOST_COLUMNS:,} columns")
                if value := self._value(attributes, text):
                    row[column] = value
            else:
                number = int(attributes.get("r", number + 1))
                if row:
                    yield number, [row.get(place, "") for place in range(1, max(row) + 1)]
                row, column = {}, 0

    def _value(self, attributes: dict[str, str], text: str) -> str:
        kind = attributes.get("t", "n")
        if not text or kind == "e":
            return ""
        if kind == "s":
            return self._strings[int(text)]
        if kind == "b":
            return str(bool(int(text)))
        if kind == "n":
            style = int(attributes.get("s", "0"))
            convert = self._formats[style] if style < len(self._formats) else None
            return _number(text) if convert is None else convert(float(text))
        return text

    def _date(self, days: float) -> str:
        whole, part = divmod(days, 1)
        time = datetime.timedelta(milliseconds=round(part * 86_400_000))
        try:
            if 0 <= days < 1 and not time.days:
                return str((datetime.datetime.min + time).time())
            # Excel believes that 1900 was a leap year
            skipped = 0 < days < 60 and self._epoch.year == 1899
            return str(self._epoch + datetime.timedelta(days=whole + skipped) + time)
        except OverflowError:
            return ""

    def _parts(self, of: str) -> dict[str, _Part]:
        """What a part refers to."""
        folder, name = posixpath.split(of)
        found = {}
        for element, attributes, _ in self._elements(posixpath.join(folder, "_rels", f"{name}.rels")):
            if element == "Relationship" and attributes.get("TargetMode") != "External":
                path = posixpath.normpath(posixpath.join("/", folder, attributes["Target"]))
                found[attributes["Id"]] = _Part(attributes["Type"].rpartition("/")[2], path.lstrip("/"))
        return found

    def _read_strings(self, path: str) -> list[str]:
        """The texts that cells refer to by number."""
        limit, size = free_memory() // 2, 0
        strings = []
        for _, _, text in self._texts(path, "si"):
            strings.append(text.replace("_x005F_", "_"))
            size += _OBJECT + len(text)
            if size > limit:
                raise TooLarge(f"The texts of {self._file} take more than half of the free memory.")
        return strings

    def _read_formats(self, path: str) -> list[_Convert | None]:
        """For each style, how to write its numbers if they are dates or durations."""
        codes: dict[int, str] = {}
        found: list[_Convert | None] = []
        for name, attributes, _ in self._elements(path):
            if name == "numFmt":
                codes[int(attributes["numFmtId"])] = attributes["formatCode"]
            elif name == "cellStyleXfs":  # these are not what cells refer to
                found = []
            elif name == "xf":
                found.append(self._converter(int(attributes.get("numFmtId", "0")), codes))
            elif name == "cellXfs":
                return found
        return []

    def _converter(self, number: int, codes: dict[int, str]) -> _Convert | None:
        code = _NOT_FORMAT.sub("", codes.get(number, "").partition(";")[0])
        if number == _DURATION or _IS_DURATION.search(code):
            return repr  # in days
        return self._date if number in _DATES or _IS_DATE.search(code) else None

    def _texts(self, path: str, *names: str) -> Iterator[_Element]:
        """The elements with these names, each with the text of all values within."""
        texts: list[str] = []
        for name, attributes, text in self._elements(path):
            if name in ("v", "t"):
                texts.append(text)
                if len(texts) > _MOST_PIECES:
                    raise ValueError("a cell has too many parts")
            elif name == "rPh":  # how a text is pronounced
                texts.pop()
            elif name in names:
                yield name, attributes, "".join(texts)
                texts.clear()

    def _elements(self, path: str) -> Iterator[_Element]:
        with self._packed.open(path) as file:
            yield from _elements(file)


def _elements(file: IO[bytes]) -> Iterator[_Element]:
    """The elements of an XML file as they end, without their prefixes; nothing is kept of those before."""
    found: list[_Element] = []
    opened: list[dict[str, str]] = []
    text: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(opened) == _DEEPEST:
            raise ValueError("its XML is nested too deeply")
        opened.append(attributes)
        text.clear()

    def end(name: str) -> None:
        found.append((name.rpartition(":")[2], opened.pop(), "".join(text)))
        text.clear()

    def doctype(*_: object) -> None:
        raise ValueError("its XML defines entities of its own")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text.append, doctype
    while chunk := file.read(_CHUNK):
        parser.Parse(chunk)
        yield from found
        found.clear()
    parser.Parse(b"", True)
    yield from found


def _column(reference: str) -> int:
    """The number of a cell's column, from 1."""
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError(f"{reference[:20]!r} is not a cell")
    number = 0
    for letter in match[1]:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _number(text: str) -> str:
    """A number, without a decimal point if it is whole."""
    if text.lstrip("-").isdecimal():
        return text
    number = float(text)
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
