"""Make text from files safe to show, and guess which name was meant."""

import difflib
import re
from collections.abc import Iterable

# control characters, line separators, direction marks, invisible characters (except joiners), and lone surrogates
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)

_LONGEST = 100  # letters of a name that is compared


def visible(text: object, keep: str = "") -> str:
    r"""Text with everything that a terminal or a page would interpret escaped as in Python, except `keep`.

    A file may contain anything. Shown raw, an escape sequence could overwrite what was printed before, a line break
    could add a line, and a direction mark could reverse a figure.

    Examples
    --------
    >>> from stocmv._text import visible
    >>> print(visible("\x1b[2JThe certificate holds"))
    \x1b[2JThe certificate holds
    """
    return _OBEYED.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), str(text))


def did_you_mean(name: str, names: Iterable[str], question: str = "did you mean") -> str:
    """The most similar of some names, as a question in brackets; empty if none is similar.

    Examples
    --------
    >>> from stocmv._text import did_you_mean
    >>> did_you_mean("Defalt", ["age", "default"])
    " (did you mean 'default'?)"
    """
    known = {each.casefold(): each for each in names if len(each) <= _LONGEST}
    close = difflib.get_close_matches(name[:_LONGEST].casefold(), known, n=1)
    return f" ({question} {known[close[0]]!r}?)" if close else ""


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
