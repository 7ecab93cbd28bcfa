"""What a command answered, and what a refusal has to look like."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import stocmv

PACKAGE = str(Path(stocmv.__file__).parent)


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def content(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        return json.loads(self.out)


def assert_refused(answer: Answer, *words: str) -> None:
    """Exit code 2 and one sentence on standard error, in which the words stand."""
    assert answer.code == 2, answer
    assert answer.out == ""
    assert answer.err.startswith("Error: ")
    assert answer.err.endswith("\n")
    assert answer.err.count("\n") == 1, answer.err
    assert len(answer.err) < 700
    for foreign in ("Traceback", PACKAGE, "site-packages"):
        assert foreign not in answer.err
    for word in words:
        assert word in answer.err, answer.err


def assert_found(answer, *words):
    """A certificate that does not hold: exit code 1, and the reason."""
    assert answer.code == 1, answer
    assert answer.err == ""
    assert "The certificate does NOT hold." in answer.out
    reasons = "\n".join(line for line in answer.out.splitlines() if line.startswith("NO"))
    assert reasons
    for word in words:
        assert word in reasons
