"""Detect numbers and dates that were read as words because of how they are written."""

import re
from typing import NamedTuple

from numpy.typing import NDArray

_NEARLY_ALL = 0.95
_MOST = 0.8  # share of numbers or dates from which the rest counts as a few words such as "unknown"
_FEW_WORDS = 5
_SEVERAL = 5  # with fewer different values, numbers may well be codes
_MANY = 20

_UNIT = r"(?:\s?(?:%|€|\$|£|EUR|USD|GBP|CHF))?"
_SIGN = r"(?:[€$£]\s?)?[+-]?(?:[€$£]\s?)?"
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_CODE = re.compile(r"0\d+")  # a number would lose the leading zeros
_COMMA = re.compile(rf"{_SIGN}(?:\d{{1,3}}(?:[. '\u00a0\u202f]\d{{3}})+|\d+)?(?:,\d+)?{_UNIT}")
_POINT = re.compile(rf"{_SIGN}(?:\d{{1,3}}(?:[, '\u00a0\u202f]\d{{3}})+|\d+)?(?:\.\d+)?{_UNIT}")
_TIME = r"(?:[ T,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[AaPp][Mm])?)?"
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\.?"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}|\d{{2}}){_TIME}")
_NAMED_MONTH = re.compile(
    rf"\d{{1,2}}\.?[ -]{_MONTH}[ ,-]+\d{{2,4}}{_TIME}|{_MONTH} \d{{1,2}},? \d{{4}}{_TIME}", re.IGNORECASE
)


class Spelling(NamedTuple):
    """What a column of words seems to hold: the kind of finding, the share of such values, sentence and cure."""

    kind: str
    share: float
    said: str
    cure: str


def badly_written(values: NDArray) -> Spelling | None:
    """What the words of a column would be if written differently; None if they are really words."""
    different = set(values)
    if len(different) < _SEVERAL:
        return None
    dates = {value for value in different if is_date(value)}
    if (found := _judged(values, dates)) is not None:
        return _dates(found, [value for value in values if value in dates])
    numbers = {value for value in different if is_number(value)}
    if (found := _judged(values, numbers)) is not None:
        return _numbers(found, [value for value in values if value in numbers])
    return None


class _Share(NamedTuple):
    share: float
    others: list[str]


def _judged(values: NDArray, found: set[str]) -> _Share | None:
    """The share of values that are among those found, and the remaining words; None if these are too many."""
    if len(found) < _SEVERAL:
        return None
    share = sum(value in found for value in values) / len(values)
    others = sorted(set(values) - found)
    if share >= _NEARLY_ALL or (share >= _MOST and len(others) <= _FEW_WORDS and len(found) > _MANY):
        return _Share(share, others)
    return None


def _dates(found: _Share, dates: list[str]) -> Spelling:
    strange = [value for value in dates if not _YEAR_FIRST.fullmatch(value.strip()) or "-" not in value]
    cure = "Leave these other cells empty." if found.others else "Turn them into numbers, such as days."
    if strange:
        written = as_iso(strange[0], dates)
        cure = f"Write them as year-month-day{f', {strange[0]!r} as {written}' if written else ''}."
    return Spelling("date as category", found.share, _sentence("dates", found, strange or dates), cure)


def _numbers(found: _Share, numbers: list[str]) -> Spelling | None:
    strange = [value for value in numbers if not _PLAIN.fullmatch(value.strip())]
    if strange:
        written = as_number(strange[0], strange)
        example = f", {strange[0]!r} as {written}" if written else ""
        cure = f"Write them with a decimal point and without separators or units{example}."
        return Spelling("number as category", found.share, _sentence("numbers", found, strange), cure)
    if found.others:
        cure = "Leave these cells empty, and all others become numbers."
        return Spelling("number as category", found.share, _sentence("numbers", found, numbers), cure)
    if len(set(numbers)) <= _MANY or not any("." in value for value in numbers):
        return None  # whole numbers deliberately stored as text may be codes
    return Spelling("number as category", found.share, _sentence("numbers", found, numbers), "Store them as numbers.")


def _sentence(what: str, found: _Share, such: list[str]) -> str:
    if not found.others:
        return f"holds {what} that were read as categories (100.0 % of its values), such as {such[0]!r}."
    words = ", ".join(repr(word[:40]) for word in found.others[:3]) + (", ..." if len(found.others) > 3 else "")
    return (
        f"was read as categories, although {100 * found.share:.1f} % of its values are {what}, such as {such[0]!r}; "
        f"the others are {words}."
    )


def is_date(text: str) -> bool:
    """Whether a word is a date, in any order of day, month and year."""
    text = text.strip()
    if match := _YEAR_FIRST.fullmatch(text):
        return int(match[3]) <= 12 and int(match[4]) <= 31
    if match := _YEAR_LAST.fullmatch(text):
        return min(int(match[1]), int(match[3])) <= 12 and max(int(match[1]), int(match[3])) <= 31
    return bool(_NAMED_MONTH.fullmatch(text))


def as_iso(text: str, column: list[str]) -> str | None:
    """A date as year-month-day; None if the column does not show which number is the month."""
    if match := _YEAR_FIRST.fullmatch(text.strip()):
        return f"{match[1]}-{int(match[3]):02}-{int(match[4]):02}"
    if not (match := _YEAR_LAST.fullmatch(text.strip())) or len(match[4]) == 2:
        return None
    pairs = [(int(m[1]), int(m[3])) for value in column if (m := _YEAR_LAST.fullmatch(value.strip()))]
    day_first, month_first = any(one > 12 for one, _ in pairs), any(two > 12 for _, two in pairs)
    if day_first == month_first and match[2] != ".":  # dates with dots start with the day
        return None
    day, month = (match[3], match[1]) if month_first else (match[1], match[3])
    return f"{match[4]}-{int(month):02}-{int(day):02}"


def is_number(text: str) -> bool:
    """Whether a word is a number, with decimal comma or point, with or without thousands separators and unit."""
    text = text.strip()
    if _CODE.fullmatch(text) or not re.search(r"\d", text):
        return False
    return any(pattern.fullmatch(text) for pattern in (_PLAIN, _COMMA, _POINT))


def as_number(text: str, column: list[str]) -> str | None:
    """A number with a decimal point; None if the column does not show what its commas and points mean."""
    styles = [
        mark for mark, pattern in ((",", _COMMA), (".", _POINT)) if all(pattern.fullmatch(v.strip()) for v in column)
    ]
    if len(styles) != 1 and re.search("[,.]", text):
        return None
    kept = re.sub(r"[^\d,.+-]", "", text)
    return kept.replace(",", "") if styles == ["."] else kept.replace(".", "").replace(",", ".")
