"""Parts whose claim may or may not have a proof."""

from typing import Any, ClassVar


class Provable:
    """A part of a certificate that rests on a proof.

    Attributes
    ----------
    proven : bool
        Whether its claim is proven. A class has to say so itself: the proof of a base class is not about what a
        subclass changes, so this is False unless it stands in the class's own body.
    """

    proven: ClassVar[bool] = False

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.proven = cls.__dict__.get("proven", False)
