"""Texts that are numbers: ``1.234,50 €``, ``12 %``, ``$1,200``, ``(30)``.

How a column writes its numbers is found from its different values, all of which must agree; the number of rows does
not matter.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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


# So many values rule out most columns of other texts; where nearly all are numbers, the others are worth a word.
_LOOK = 100
_NEARLY = 0.9
# Whole numbers of more digits are not kept by a float, and are names of something.
_MOST_DIGITS = 15

_SIGNS = "$€£¥¢₹₽₩₪₫₴₦₺₱฿"
_NAMES = (
    "AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|SGD|TRY|USD|ZAR|kr|zł"
)
_UNIT = rf"[{_SIGNS}%‰]|{_NAMES}"
# Brackets around a number, or a minus on one of its sides, make it negative; a unit is on one of its sides.
_PARTS = re.compile(
    rf"(?P<open>\()? ?(?P<sign>[-+])? ?(?P<before>{_UNIT})? ?(?P<inner>[-+])? ?"
    r"(?P<number>(?=[.,]?[0-9])[0-9.,](?:[0-9.,' ]*[0-9.,])?(?:[eE][-+]?[0-9]+)?)"
    rf" ?(?P<after>{_UNIT})? ?(?P<last>-)? ?(?P<close>\))?"
)
_PLAIN = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WHOLE = re.compile("[0-9]+")
_SPELLINGS = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2212": "-", "\u2019": "'"})
_FORMATS = tuple(
    NumberFormat(decimal, thousands)
    for decimal in (".", ",")
    for thousands in ("", ",", ".", " ", "'")
    if thousands != decimal
)


@dataclass(frozen=True)
class TextNumbers:
    """The numbers that the texts of a column are, and how they are written, if not plainly.

    There are none where the texts stay text, for which ``note`` may give a reason.
    """

    values: NDArray[np.float64] | None = None
    reading: NumberFormat | None = None
    note: str = ""


class _Parts(NamedTuple):
    """A text taken apart: its sign, the number without it, and what stands beside it."""

    sign: float
    number: str
    unit: str


def find_numbers(texts: Sequence[str]) -> TextNumbers:
    """Find out whether the different texts of a column are all numbers, written in one way.

    Examples
    --------
    >>> found = find_numbers(["1.234,50 €", "12 €"])
    >>> found.values, str(found.reading)
    (array([1234.5,   12. ]), 'decimal comma, thousands point, €')
    >>> find_numbers(["1,200", "3,500"]).note
    "text, since '1,200' may be 1200 or 1.2"
    >>> find_numbers(["red", "blue"])
    TextNumbers(values=None, reading=None, note='')
    """
    if not texts or _parts(texts[0]) is None:
        return TextNumbers()
    look = texts[:_LOOK]
    if sum(_parts(text) is not None for text in look) < _NEARLY * len(look):
        return TextNumbers()
    if all(map(_PLAIN.fullmatch, texts)):
        return _plain_numbers(texts)
    return _written_numbers(texts)


def read_numbers(texts: Sequence[str], reading: NumberFormat | None) -> NDArray[np.float64]:
    """Return the numbers that texts are by a format (plain numbers without one), NaN where they are none.

    Examples
    --------
    >>> read_numbers(["$1,200", "(30)", "€5", "much"], NumberFormat(".", ",", "$"))
    array([1200.,  -30.,   nan,   nan])
    """
    form = NumberFormat() if reading is None else reading
    numbers = [np.nan] * len(texts)
    for k, text in enumerate(texts):
        parts = _parts(text)
        if parts is not None and parts.unit in ("", form.unit):
            numbers[k] = _number(parts, form)
    return np.array(numbers, dtype=np.float64)


def _plain_numbers(texts: Sequence[str]) -> TextNumbers:
    """Take texts as numbers that a program would write; codes and names of things are none."""
    whole = [text for text in texts if _WHOLE.fullmatch(text)]
    if len(whole) == len(texts) and len(texts[0]) > 1 and len(set(map(len, texts))) == 1:
        code = next((text for text in texts if text.startswith("0")), None)
        if code is not None:
            return TextNumbers(note=f"text, since '{code}' looks like a code")
    long = next((text for text in whole if len(text) > _MOST_DIGITS), None)
    if long is not None:
        return TextNumbers(note=f"text, since '{long}' has too many digits for a number")
    numbers = np.array(list(map(float, texts)))
    if np.isinf(numbers).any():
        return TextNumbers(
            note=f"text, since '{texts[int(np.isinf(numbers).argmax())]}' is too large for a number"
        )
    return TextNumbers(numbers)


def _written_numbers(texts: Sequence[str]) -> TextNumbers:
    """Take texts as numbers that people write, if all agree on the marks and on the unit."""
    every = []
    for text in texts:
        parts = _parts(text)
        if parts is None:
            return TextNumbers(note=f"text, since '{text}' is not a number")
        every.append(parts)
    units = sorted({parts.unit for parts in every})
    if len(units) > 1:
        return TextNumbers(note=f"text, since units differ: {', '.join(map(repr, units[:3]))}")
    found, marks = {}, set(".").union(*(parts.number for parts in every))
    for form in _FORMATS:
        if not marks.issuperset(form.thousands) or marks.isdisjoint(form.decimal + form.thousands):
            continue  # the same as a format without this mark
        if not np.isnan([_number(parts, form) for parts in every[:_LOOK]]).any():
            numbers = np.array([_number(parts, form) for parts in every])
            if not np.isnan(numbers).any():
                found[form] = numbers
    if not found:
        return TextNumbers(note="text, since its numbers are written in several ways")
    # Of a mark before three digits, money has thousands: nobody writes a third decimal of it.
    money = units[0] not in ("", "%", "‰")
    form = max(found, key=lambda each: float(np.abs(found[each]).sum())) if money else next(iter(found))
    for other in () if money else found.values():
        if (found[form] != other).any():
            k = int((found[form] != other).argmax())
            low, high = sorted((found[form][k], other[k]))
            return TextNumbers(note=f"text, since '{texts[k]}' may be {high:g} or {low:g}")
    reading = replace(form, unit=units[0])
    return TextNumbers(found[form], None if reading == NumberFormat() else reading)


def _parts(text: str) -> _Parts | None:
    """Take a text apart; None if it is no number, however written."""
    found = _PARTS.fullmatch(text.translate(_SPELLINGS).strip())
    if found is None:
        return None
    opened, sign, before, inner, number, after, last, closed = found.groups()
    signs = [mark for mark in (opened, sign, inner, last) if mark is not None]
    if len(signs) > 1 or (opened is None) != (closed is None) or (before and after):
        return None
    return _Parts(1.0 if signs in ([], ["+"]) else -1.0, number, before or after or "")


def _number(parts: _Parts, form: NumberFormat) -> float:
    """Return a number that is written in a format; NaN if it is not."""
    if not _pattern(form.decimal, form.thousands).fullmatch(parts.number):
        return np.nan
    plain = parts.number.replace(form.thousands, "") if form.thousands else parts.number
    number = parts.sign * float(plain.replace(form.decimal, "."))
    return number if abs(number) < np.inf else np.nan


@cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    mark, between = re.escape(decimal), re.escape(thousands)
    grouped = rf"[1-9][0-9]{{0,2}}(?:{between}[0-9]{{3}})+|" if thousands else ""
    return re.compile(rf"(?:(?:{grouped}[0-9]+)(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][-+]?[0-9]+)?")
