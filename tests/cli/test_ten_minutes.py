"""The page of the first ten minutes: its commands print what it says."""

import re
import shlex
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "ten_minutes.md"


def lines(text):
    return [line.rstrip() for line in text.strip().splitlines()]


def test_every_command_prints_what_the_page_says(here, stocmv):
    page = PAGE.read_text()
    (script,) = re.findall(r"(?s)```python\n(.*?)```", page)
    exec(script)
    blocks = re.findall(r"(?s)```console\n\$ stocmv (.*?)\n(.*?)```", page)
    assert len(blocks) == 3
    for command, output in blocks:
        done = stocmv(*shlex.split(command))
        assert (done.code, lines(done.out)) == (0, lines(output)), command
