"""The page in a real browser: on a telephone and a desk, by day and by night, and on paper."""

import re
import shutil
from pathlib import Path

import pytest

from report.fitted import page

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright, of stocmv[dev]")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason="needs an installed chromium, chromium-browser or google-chrome"),
]

MEASURE = (Path(__file__).parent / "measure.js").read_text()
BAD = """<!doctype html><body style='background: white; color: #999'><main>
<p>pale and <b style='font-size: 8px'>small</b></p>
<div style='width: 900px'>wide</div>
<div style='overflow: hidden; width: 20px'><i>incomprehensible</i></div>
<svg viewBox='0 0 100 100' style='width: 100px'><text x='80' y='50'>outside</text><text x='84' y='52'>over</text></svg>
</main></body>"""
NAMES = ("binary", "digits", "unproven", "frozen")
WIDTHS = (360, 1440)
SCHEMES = ("light", "dark")
screens = pytest.mark.parametrize(
    ("name", "width", "scheme"), [(n, w, s) for n in NAMES for w in WIDTHS for s in SCHEMES], scope="module"
)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        (made / f"{name}.html").write_text(page(name), encoding="utf-8")
    return made


class OpenPage:
    """A page as opened, with whatever it did besides being shown."""

    def __init__(self, browser, file, width, scheme):
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said, self.requested = [], []
        for event in ("console", "pageerror", "dialog"):
            self.page.on(event, lambda what, event=event: self.said.append((event, str(what))))
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.goto(file.as_uri())

    def measure(self, what):
        return self.page.evaluate(f"() => {{ {MEASURE}\n return {what}; }}")


@pytest.fixture(scope="module")
def opened(browser, folder, name, width, scheme):
    opened = OpenPage(browser, folder / f"{name}.html", width, scheme)
    yield opened
    opened.context.close()


@screens
def test_it_opens_in_silence(opened, folder, name):
    assert opened.said == []
    assert [url for url in opened.requested if not url.startswith("data:")] == [(folder / f"{name}.html").as_uri()]


@screens
def test_nothing_is_cut_off(opened, width):
    assert opened.measure("document.documentElement.scrollWidth") <= width
    assert opened.measure("beyondTheScreen()") == []
    assert opened.measure("cutOff()") == []


@screens
def test_letters_in_figures_stay_inside_and_apart(opened):
    assert opened.measure("outsideTheirFigure()") == []
    assert opened.measure("overlappingLetters()") == []


@screens
def test_letters_are_large_enough(opened):
    assert opened.measure("smallest('main :not(svg *)')") >= 12
    assert opened.measure("smallest('svg text')") >= 8.5


@screens
def test_every_text_can_be_read(opened):
    measured = opened.measure("contrasts()")
    assert len(measured) > 150
    assert [entry for entry in measured if entry["ratio"] < 4.5] == []


@screens
def test_every_mark_can_be_seen(opened):
    ratios = opened.measure("markContrasts()")
    assert set(ratios) == {"--blue", "--vermilion", "--green", "--orange", "--purple", "--sky", "--axis"}
    assert min(ratios.values()) >= 3


@screens
def test_night_is_dark_and_day_is_light(opened, scheme):
    grounds = opened.measure("luminances(['html', 'section', 'header'])")
    assert max(grounds) < 0.05 if scheme == "dark" else min(grounds) > 0.8


@pytest.mark.parametrize("name", NAMES)
def test_it_prints_light_on_any_screen(browser, folder, name):
    opened = OpenPage(browser, folder / f"{name}.html", 794, "dark")
    opened.page.emulate_media(media="print")
    assert min(opened.measure("luminances(['html', 'section', 'header'])")) == 1
    assert [entry for entry in opened.measure("contrasts()") if entry["ratio"] < 4.5] == []
    assert opened.measure("beyondTheScreen()") == []
    printed = opened.page.pdf(format="A4")
    opened.context.close()
    assert printed.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 10


def test_the_measures_find_what_they_look_for(browser, tmp_path):
    file = tmp_path / "bad.html"
    file.write_text(BAD)
    opened = OpenPage(browser, file, 360, "light")
    assert any("wide" in text for text in opened.measure("beyondTheScreen()"))
    assert any("incomprehensible" in text for text in opened.measure("cutOff()"))
    assert "outside" in opened.measure("outsideTheirFigure()")
    assert opened.measure("overlappingLetters()") == ["outside / over"]
    assert opened.measure("smallest('main :not(svg *)')") == 8
    assert [round(e["ratio"], 1) for e in opened.measure("contrasts()") if e["text"].startswith("pale")] == [2.8]
    opened.context.close()
