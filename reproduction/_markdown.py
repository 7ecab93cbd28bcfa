"""Tables and pictures as Markdown."""

from collections.abc import Sequence

from ._summary import Mean


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table with text in the first column and figures in the others."""
    if not lines:
        return ""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (header, rule, *lines)) + "\n"


def percent(mean: Mean | None, digits: int = 2) -> str:
    """A share with its deviation, in percent; a dash for nothing."""
    if mean is None:
        return "–"
    spread = f" ± {100 * mean.deviation:.{digits}f}" if mean.trials > 1 else ""
    return f"{100 * mean.mean:.{digits}f}{spread}"


def picture(name: str, alt: str) -> str:
    """A picture that links to its SVG version."""
    return f"[![{alt}]({name}.png)]({name}.svg)\n"
