"""Figures in the page that come from certificate.json, each with its field there and its full value."""

import json
from collections.abc import Callable
from typing import Any

from ..certificate import Certificate, amount, percent, percent_down

FORMS: dict[str, Callable[[Any], str]] = {
    "as it is": str,
    "percent": percent,
    "percent down": percent_down,
    "cost": amount,
    "chance": lambda value: f"{100 * value:g} %",
    "whole": lambda value: f"{value:,}",
    "nats": lambda value: f"{value:.2f} nats",
    "short": lambda value: f"{value:.4g}",
}


class Cited:
    """The content of certificate.json, cited by field: ``"bound"``, ``"per_class.0.n"``."""

    def __init__(self, certificate: Certificate) -> None:
        self._content: Any = json.loads(certificate.to_json())

    def value(self, place: str) -> Any:
        found = self._content
        for step in place.split("."):
            found = found[int(step)] if isinstance(found, list) else found[step]
        return found

    def __call__(self, place: str, form: str = "as it is") -> str:
        """The figure as an element whose attributes hold its field and its full value."""
        from markupsafe import Markup

        value = self.value(place)
        shown = FORMS[form](value).replace(" ", "\u00a0") if form != "as it is" else str(value)
        element = Markup('<span class="cited" data-field="{}" data-value="{}">{}</span>')
        return element.format(place, json.dumps(value), shown)
