"""A page as a tree, read with the standard library."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "wbr", "img", "input", "hr"}


@dataclass(eq=False)
class Element:
    tag: str
    attributes: dict[str, str]
    children: list = field(default_factory=list)

    def walk(self):
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def find(self, tag=None, **attributes):
        """All elements inside of this tag, with these attributes; ``cls`` is a word of the class."""
        cls = attributes.pop("cls", None)
        return [
            e
            for e in self.walk()
            if (tag is None or e.tag == tag)
            and all(e.attributes.get(k) == v for k, v in attributes.items())
            and (cls is None or cls in e.attributes.get("class", "").split())
        ]

    @property
    def text(self):
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def words(self):
        """The text with single spaces, non-breaking ones included."""
        return " ".join(self.text.split())


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data):
        self.open[-1].children.append(data)


def parse(page):
    parser = _Parser()
    parser.feed(page)
    parser.close()
    assert parser.open == [parser.root], f"never closed: {[e.tag for e in parser.open[1:]]}"
    return parser.root
