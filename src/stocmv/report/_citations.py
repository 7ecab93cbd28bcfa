"""Figures in the page that come from a certificate's file, each with its field there and its full value."""

import json
from collections.abc import Callable
from typing import Any

from ..certificate import FORMS as FORMS_OF_TABLES, Certificate

FORMS: dict[str, Callable[[Any], str]] = {
    **FORMS_OF_TABLES,
    "as it is": str,
    "chance": lambda value: f"{100 * value:g} %",
    "whole": lambda value: f"{value:,}",
    "nats": lambda value: f"{value:.2f} nats",
    "short": lambda value: f"{value:.4g}",
}


class Citations:
    """The content of a certificate's file, cited by field: ``"figures.error.bound"``, ``"figures.classes.0.n"``."""

    def __init__(self, certificate: Certificate) -> None:
        self._content: Any = json.loads(certificate.to_json())

    def value(self, place: str) -> Any:
        """The value of a field."""
        value = self._content
        for step in place.split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        return value

    def has(self, place: str) -> bool:
        """Whether there is such a field."""
        try:
            self.value(place)
        except (LookupError, TypeError):
            return False
        return True

    def __call__(self, place: str, form: str = "as it is") -> str:
        """The figure as an element whose attributes hold its field and its full value."""
        from markupsafe import Markup

        value = self.value(place)
        shown = FORMS[form](value).replace(" ", "\u00a0") if form != "as it is" else str(value)
        element = Markup('<span class="cited" data-field="{}" data-value="{}">{}</span>')
        return element.format(place, json.dumps(value), shown)
