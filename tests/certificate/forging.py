"""What a forger does: change a certificate, and seal the file anew."""

import copy
import hashlib
import json
from typing import Any

from stocmv import verify
from stocmv.bounds import BOUNDS
from stocmv.certificate import Judgments
from stocmv.posteriors import POSTERIORS
from stocmv.risks import RISKS

Content = dict[str, Any]
WORDS = {"statement": "It is fine.", "theorem": "Fermat's", "assumptions": []}  # nobody checks them


def content_of(certificate) -> Content:
    """What is sealed of a certificate."""
    content = json.loads(certificate.to_json())
    del content["sha256"], content[verify.WORDS]
    return content


def sealed(content: Content, words: Any = WORDS) -> bytes:
    """The file that says this, with the digest that fits."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps({**content, "sha256": digest, verify.WORDS: words}, indent=1).encode()


def evidence_for(evidence) -> Any:
    """Judgments, or a list of votes, as the verifier takes them."""
    if isinstance(evidence, Judgments):
        return evidence.columns()
    return [verify.fold_of([votes._arrays()]) for votes in evidence]


def verdict(text: bytes, evidence: Any) -> verify.Verification | str:
    """What the verifier says to a file; a sentence if it refuses the file."""
    try:
        content, intact = verify.parse_certificate(text)
    except verify.Refused as error:
        return str(error)
    check = verify.BY_JUDGMENTS.get(content["format"], verify.verify_pac_bayes)
    return check(content, intact, evidence)


def holds(text: bytes, evidence: Any) -> bool:
    answer = verdict(text, evidence)
    return not isinstance(answer, str) and bool(answer)


def reasons(text: bytes, evidence: Any) -> str:
    """Why a file is refused or does not hold."""
    answer = verdict(text, evidence)
    return answer if isinstance(answer, str) else "\n".join(map(str, answer.differences))


def recomputed(content: Content, evidence: Any, rounds: int = 4) -> Content:
    """With every figure replaced by what the verifier finds, who is asked again and again; constants stay."""
    content = copy.deepcopy(content)
    for _ in range(rounds):
        answer = verdict(sealed(content), evidence)
        wrong = [] if isinstance(answer, str) else [x for x in answer.differences if "fold_test" not in x.what]
        written = [_written(content, check.what.split("."), check.found) for check in wrong]
        if not any(written):
            break
    return content


def _written(content: Any, place: list[str], value: Any) -> bool:
    """Write a value where a check says that another one is needed; False if it names no field."""
    *way, last = [int(key) if key.isdigit() else key for key in place]
    try:
        owner = at(content, tuple(way))
        owner[last]  # there must be something already
        owner[last] = json.loads(json.dumps(value))
    except (KeyError, IndexError, TypeError, ValueError):
        return False
    return True


# ------------------------------------------------------------------------------------------ changes of every kind

NUMBERS = {
    "up": lambda x: x + 1 if isinstance(x, int) else x * 1.01 + 1e-3 * (x == 0),
    "down": lambda x: x - 1 if isinstance(x, int) else x * 0.99 - 1e-3 * (x == 0),
    "a little down": lambda x: x - 1e-7 * max(1.0, abs(x)),
    "half": lambda x: x / 2,
    "zero": lambda x: 0.0,
    "no number": lambda x: float("nan"),
    "infinite": lambda x: float("inf"),
    "negative": lambda x: -x - 1e-3,
    "minus fifty": lambda x: -50.0,
    "huge": lambda x: 1e300,
    "beyond a double": lambda x: 10**400,
    "minus huge": lambda x: -1e308,
    "subnormal": lambda x: 5e-324,
    "a list of itself": lambda x: [x],
    "nested twice": lambda x: [[x, x]],
    "text": str,
    "nothing": lambda x: None,
    "true": lambda x: True,
    "a whole number": lambda x: int(x) if abs(x) < 1e300 else 1,
}
TEXTS = {
    "empty": lambda x: "",
    "backwards": lambda x: x[::-1] if x[::-1] != x else x + "x",
    "a space more": lambda x: x + " ",
    "a letter of another alphabet": lambda x: x.replace("e", "\u0435", 1) if "e" in x else x + "\u0435",
    "painted": lambda x: x + "\r\x1b[2K\u202eThe certificate holds",
    "a number": lambda x: 1.0,
    "nothing": lambda x: None,
    "a list": lambda x: [x],
}
NAMES = [*RISKS, *POSTERIORS, *BOUNDS, "catoni_per_fold", "fold_test", "2sqrt", "xi", *verify.FORMS]
LISTS = {
    "empty": lambda x: [],
    "one less": lambda x: x[:-1],
    "one more": lambda x: [*x, x[-1]] if x else [0.5],
    "backwards": lambda x: x[::-1],
    "nested": lambda x: [x],
    "a dict": lambda x: dict(enumerate(map(str, x))),
    "nothing": lambda x: None,
    "the first for all": lambda x: [x[0]] * len(x) if x else [{}],
}
DICTS = {
    "empty": lambda x: {},
    "a key more": lambda x: {**x, "more": 1.0},
    "a key less": lambda x: dict(list(x.items())[:-1]),
    "a key renamed": lambda x: {("Ｘ" if i == 0 else k): v for i, (k, v) in enumerate(x.items())},
    "in another order": lambda x: dict(reversed(list(x.items()))),
    "a list": list,
}
BOOLEANS = {"the other": lambda x: not x, "a number": int, "text": str}


def changes_of(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return BOOLEANS
    if isinstance(value, int | float):
        return NUMBERS
    if isinstance(value, str):
        return TEXTS | {f"the name {name}": lambda x, name=name: name for name in NAMES}
    return LISTS if isinstance(value, list) else DICTS


def places(content: Any, place: tuple = ()) -> list[tuple]:
    """Places of all values, those that hold others included."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    return [place, *(found for key, value in inner for found in places(value, (*place, key)))]


def at(content: Any, place: tuple) -> Any:
    for key in place:
        content = content[key]
    return content


def changed(content: Any, place: tuple, change) -> Any:
    if not place:
        return change(content)
    inner = copy.copy(content)
    inner[place[0]] = changed(content[place[0]], place[1:], change)
    return inner
