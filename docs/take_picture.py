"""Take a picture of the top of a report: ``python docs/take_picture.py report.html picture.png`` (needs chromium)."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(page: Path, picture: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"There is no browser to take the picture with: install one of {', '.join(BROWSERS)}.")
    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        view = window.new_page(viewport={"width": 1100, "height": 660}, device_scale_factor=1.5)
        view.goto(page.resolve().as_uri())
        view.screenshot(path=picture)
        window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
