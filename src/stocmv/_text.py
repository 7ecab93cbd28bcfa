"""Make text from files safe to show."""

import re

# control characters, line separators, direction marks, invisible characters (except joiners), and lone surrogates
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


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


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
