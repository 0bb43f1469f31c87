"""How numbers are written as text: the decimal mark, what separates thousands, and a unit beside them."""

from dataclasses import dataclass
from typing import Any

MARKS = {".": "point", ",": "comma", " ": "blank", "'": "apostrophe"}


@dataclass(frozen=True)
class NumberFormat:
    """How the texts of a column are read as numbers.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal mark.
    thousands : {"", ".", ",", " ", "'"}
        What separates groups of three digits; empty where nothing does.
    unit : str
        What stands beside the numbers: a sign of a currency, or ``%``. The number itself is read as it is written:
        ``12 %`` is 12.

    Examples
    --------
    >>> print(NumberFormat(",", ".", "€"))
    decimal comma, thousands point, €
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        if (
            self.decimal not in (".", ",")
            or self.thousands not in ("", *MARKS)
            or self.decimal == self.thousands
        ):
            raise ValueError(
                f"Numbers cannot be read by the decimal mark {self.decimal!r} with {self.thousands!r} between "
                "thousands."
            )

    def __str__(self) -> str:
        parts = [f"decimal {MARKS[self.decimal]}"]
        if self.thousands:
            parts.append(f"thousands {MARKS[self.thousands]}")
        if self.unit:
            parts.append(self.unit)
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the format as plain data, for a model file."""
        return {"decimal": self.decimal, "thousands": self.thousands, "unit": self.unit}
