"""matplotlib figures as inline SVG: small, reproducible, coloured by the page's style sheet."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from ..displays import BLUE, FAINT, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 4.7  # inches: the width of a phone, so that text is readable there; wider screens enlarge it
_STYLE: Any = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a class may have dollars in its name
    "font.size": 10.5,
    "axes.labelsize": 10.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}
# the variables of page.css
COLOURS = {
    BLUE: "--blue",
    VERMILION: "--vermilion",
    GREEN: "--green",
    ORANGE: "--orange",
    PURPLE: "--purple",
    SKY: "--sky",
    INK: "--ink",
    GREY: "--axis",
    FAINT: "--faint",
    "#ffffff": "--card",
    "#000000": "--ink",
}
_NUMBER = re.compile(r"-?\d+\.\d+")
_FONT = re.compile(r"font(?:-size)?: (?:[^;]*? )?([\d.]+px)[^;]*(?:; font-family: [^;]*)?")  # the page has its own
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")


@contextmanager
def drawing(name: str) -> Iterator[None]:
    """Draw in the page's style, whatever the user's settings; ``name`` keeps the ids of figures distinct."""
    pyplot()  # its error says how to install matplotlib
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "svg.hashsalt": f"stocmv {name}"})
        # the browser has its own fonts
        warnings.filterwarnings("ignore", r"Glyph .* missing from", UserWarning)
        yield


def new_axes(height: float) -> "Axes":
    """Axes in a figure that is not registered with pyplot."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=0.02, h_pad=0.02)).subplots()


def inline_svg(figure: "Figure", name: str, title: str, description: str) -> str:
    """The figure as an element of the page, with its message in words."""
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", transparent=True)
    drawn = ET.fromstring(buffer.getvalue())
    for element in list(drawn):
        # drop metadata, and a style sheet that would affect the whole page
        if _tag(element) == "metadata" or any(_tag(child) == "style" for child in element):
            drawn.remove(element)
    used = {href[1:] for e in drawn.iter() for key, href in e.attrib.items() if key.endswith("href")}
    used |= set(re.findall(r"url\(#([^)]+)\)", buffer.getvalue().decode()))
    _tidy(drawn, used)
    root = ET.Element("svg", viewBox=drawn.attrib["viewBox"], role="img")
    root.set("aria-labelledby", f"{name}-title {name}-message")
    ET.SubElement(root, "title", id=f"{name}-title").text = title
    ET.SubElement(root, "desc", id=f"{name}-message").text = description
    root.extend(drawn)
    return ET.tostring(root, encoding="unicode")


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _tidy(element: ET.Element, used: set[str]) -> None:
    """Keep only what a browser needs: no namespaces, no unused ids, short numbers, the page's colours."""
    element.tag = _tag(element)
    for key, value in list(element.attrib.items()):
        del element.attrib[key]
        name = key.rpartition("}")[2]
        if name == "id" and value not in used:
            continue
        if name == "style":
            value = _recoloured(value, element.tag)
        elif name not in ("id", "href", "clip-path"):
            value = _NUMBER.sub(lambda number: f"{round(float(number[0]), 2):g}", value)
        element.set(name, value)
    element.tail = None
    if element.tag != "text":
        element.text = None
    for child in element:
        _tidy(child, used)
    _merge_paths(element)


def _recoloured(style: str, tag: str) -> str:
    if tag == "text":
        style = _FONT.sub(r"font-size: \1", style).replace(GREY, "var(--muted)")
    return _COLOUR.sub(lambda colour: f"var({COLOURS[colour[0]]})", style)


def _merge_paths(element: ET.Element) -> None:
    """Merge neighbouring paths that differ only in position: one bar for each of many voters takes much space."""
    last: ET.Element | None = None
    for child in list(element):
        alike = last is not None and child.tag == last.tag == "path" and "id" not in {**child.attrib, **last.attrib}
        if last is not None and alike and {**child.attrib, "d": ""} == {**last.attrib, "d": ""}:
            last.set("d", f"{last.attrib['d'].strip()} {child.attrib['d'].strip()}")
            element.remove(child)
        else:
            last = child
