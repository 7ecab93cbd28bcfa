"""What looks wrong in examples: copies, order, leaks; and the row hash they share."""

from ._copies import (
    RepeatedRowsWarning,
    doubt_of_copies as doubt_of_copies,
)
from ._findings import (
    CommandHints as CommandHints,
    Finding,
    PythonHints as PythonHints,
    look as look,
    look_at_new as look_at_new,
)
from ._fingerprints import Fingerprints as Fingerprints, Groups as Groups
from ._order import OrderTest, OrderWarning
from ._row_hash import hash_rows as hash_rows

__all__ = ["Finding", "OrderTest", "OrderWarning", "RepeatedRowsWarning"]
