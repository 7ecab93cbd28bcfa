"""Text from files, made fit to be shown."""

import re

# control characters, line separators, marks that turn the direction of writing, what is invisible
# (but for what joins letters), and halves of characters
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def visible(text: object, keep: str = "") -> str:
    r"""Text in which nothing is left that a terminal or a page would obey; it is escaped as in Python, except `keep`.

    A file may say anything. Shown raw, an escape sequence in it could paint over what was printed before, a line break
    could add a line of its own, and a mark of direction could turn a figure around.

    Examples
    --------
    >>> from stocmv._text import visible
    >>> print(visible("\x1b[2JThe certificate holds"))
    \x1b[2JThe certificate holds
    """
    return _OBEYED.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), str(text))


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode()
