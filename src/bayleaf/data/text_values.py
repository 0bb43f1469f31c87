"""Texts that are numbers (``1.234,50 €``, ``12 %``, ``(30)``), dates or times, and those that mark a missing one.

How a column writes them is found from its different values, all of which must agree on one way; how many rows there
are does not matter. A few texts among them may say that there is no value: ``-``, ``n.d.``, ``unknown``.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .dates import DAY, FIRST_DAY, ISO, MICRO, STATES, Moment

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
        What accompanies the numbers: a sign of a currency, or ``%``. The number itself is read as it is written:
        ``12 %`` is 12.
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

    def patterns(self) -> tuple[str, str]:
        """Return patterns of the texts that are numbers from zero on, and of those below, for databases.

        Examples
        --------
        >>> below = NumberFormat(",", ".", "€").patterns()[1]
        >>> [re.fullmatch(below, text) is not None for text in ("-1.234,5 €", "(12)", "12-", "-12.34")]
        [True, True, True, False]
        """
        number = f"(?:{_pattern(self.decimal, self.thousands).pattern})".replace("\\ ", " ")
        unit = re.escape(self.unit)
        amount = f"(?:(?:{unit} ?)?{number}|{number} ?{unit})" if unit else number
        inner = f"|{unit} ?SIGN ?{number}" if unit else ""
        positive = rf"(?:\+ ?)?{amount}{inner.replace('SIGN', '[+]')}"
        negative = rf"- ?{amount}{inner.replace('SIGN', '-')}|{amount} ?-|\( ?{amount} ?\)"
        return positive, negative

    def __str__(self) -> str:
        parts = [f"decimal {MARKS[self.decimal]}"]
        if self.thousands:
            parts.append(f"thousands {MARKS[self.thousands]}")
        if self.unit:
            parts.append(self.unit)
        return ", ".join(parts)


# A look at this many values rules out most columns of other texts; if nearly all are numbers, the others are noted.
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
_SIGNED_WHOLE = re.compile("[-+]?[0-9]+")
SPELLED_OTHERWISE, SPELLED = "\u00a0\u2009\u202f\u2212\u2019", "   -'"
_SPELLINGS = str.maketrans(SPELLED_OTHERWISE, SPELLED)
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


# What marks a missing value, without blanks, points and capitals: signs and errors of spreadsheets, and words.
_NO_VALUE_SIGNS = re.compile(
    r"[-\u2013\u2014]{0,3}|\?{1,3}|\*{1,2}|\\n|<?n/?a>?|nan|null|#n/?a|#(null|value|ref|num)!|#div/0!|#name\?"
)
_NO_VALUE_WORDS = re.compile(
    r"n/?d|no(data|value)|[(<]?missing[)>]?|unk(nown)?|undefined|not(available|applicable|known|measured|recorded)|"
    r"k/?a|keine(angaben?|daten)|unbekannt|fehlt|fehlend|inconnu|desconocido|sconosciuto"
)
# What the model page compares such texts with, since it reads files without Python.
MARK_PATTERNS = (_NO_VALUE_SIGNS.pattern, _NO_VALUE_WORDS.pattern)
# Words that say how much: these are values.
_AMOUNTS = re.compile(
    r"\b(none|nil|zero|no|never|free|few|some|several|many|more|less|low|high|over|under|above|below|trace|max|min|all|"
    r"neg(ative)?|pos(itive)?|normal|kein|keine|nie|wenig|viele?|mehr|alle|gratis)\b"
)
# Of more different marks than this, some mean something.
MOST_MARKS = 5
# Among more different numbers than this, words that are not listed are no categories.
_FEW_NUMBERS = 10
# What two states are called where a sign beside them is no third one.
_TRUTHS = (
    {"yes", "no"},
    {"y", "n"},
    {"true", "false"},
    {"t", "f"},
    {"ja", "nein"},
    {"j", "n"},
    {"oui", "non"},
)
_SEXES = ({"m", "f"}, {"male", "female"})


def is_mark(text: str, signs_only: bool = False) -> bool:
    """Tell whether a text usually says that there is no value.

    Examples
    --------
    >>> [is_mark(text) for text in ("-", "n.d.", "k. A.", "Unknown", "none", "5+")]
    [True, True, True, True, False, False]
    """
    if text[:1].isdigit():  # as most texts of a column of numbers
        return False
    bare = text.casefold().replace(".", "").replace(" ", "").replace("\u00a0", "")
    by_words = not signs_only and _NO_VALUE_WORDS.fullmatch(bare) is not None
    return by_words or _NO_VALUE_SIGNS.fullmatch(bare) is not None


def mark_text(mark: str | float) -> str:
    """Write a mark of missing values for people: texts in quotation marks.

    Examples
    --------
    >>> mark_text("-"), mark_text(-99.0)
    ("'-'", '-99')
    """
    return repr(mark) if isinstance(mark, str) else f"{mark:.15g}"


def missing_marks(texts: Sequence[str], *, said: bool = False) -> list[str]:
    """Return the texts that mark missing values among the different texts of a column; none where there is doubt.

    All others must be numbers or dates that are read as such, or the two states of a question. Texts that are not
    listed (see `is_mark`) count among many different numbers only, or where it is ``said`` that the column holds
    numbers; not those with a digit, such as ``5+``, no single letters, and no words that say how much.

    Examples
    --------
    >>> missing_marks(["261", "-", "302"]), missing_marks(["2", "3", "4", "5more"]), missing_marks(["a", "-", "b"])
    (['-'], [], [])
    >>> missing_marks(["yes", "-", "no"]), missing_marks([*map(str, range(20)), "broken"])
    (['-'], ['broken'])
    """
    others = []
    for text in texts:
        if _PLAIN.fullmatch(text) is None and _parts(text) is None:
            others.append(text)
            if len(others) > MOST_MARKS:
                return _marks_among_dates(texts)
    numbers = [text for text in texts if text not in others]
    if not numbers:
        return _marks_beside_states(texts) or _marks_among_dates(texts)
    if not others or len(numbers) + said < 2 or find_numbers(numbers).values is None:
        return []
    many = said or len(numbers) > _FEW_NUMBERS
    return others if all(is_mark(text) or (many and _is_word(text)) for text in others) else []


def _is_word(text: str) -> bool:
    is_amount = _AMOUNTS.search(text.casefold()) is not None
    return len(text) > 1 and not is_amount and not any(map(str.isdigit, text))


def _marks_beside_states(texts: Sequence[str]) -> list[str]:
    states = {text.casefold() for text in texts if not is_mark(text, signs_only=True)}
    marks = [text for text in texts if is_mark(text, signs_only=True)]
    return marks if states in (*_TRUTHS, *_SEXES) else []


def _marks_among_dates(texts: Sequence[str]) -> list[str]:
    if find_dates([text for text in texts[: SAMPLE + MOST_MARKS] if not is_mark(text)][:SAMPLE]) is None:
        return []
    marks = [text for text in texts if is_mark(text)]
    if not 0 < len(marks) <= MOST_MARKS:
        return []
    return marks if find_dates([text for text in texts if not is_mark(text)]) is not None else []


class _Parts(NamedTuple):
    """A text taken apart: its sign, the number without it, and what accompanies it."""

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
    """Return the numbers that texts are by a format (plain numbers without one), NaN where they are none."""
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
    long = next((text for text in texts if len(text) > _MOST_DIGITS and _has_too_many_digits(text)), None)
    if long is not None:
        return TextNumbers(note=_too_long(long))
    numbers = np.array(list(map(float, texts)))
    if np.isinf(numbers).any():
        return TextNumbers(
            note=f"text, since '{texts[int(np.isinf(numbers).argmax())]}' is too large for a number"
        )
    return TextNumbers(numbers)


def _has_too_many_digits(text: str) -> bool:
    return _SIGNED_WHOLE.fullmatch(text) is not None and len(text.lstrip("-+")) > _MOST_DIGITS


def _too_long(text: str) -> str:
    return f"text, since '{text}' has too many digits for a number"


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
    for text, parts in zip(texts, every, strict=True):
        if len(parts.number) > _MOST_DIGITS and _has_too_many_digits(
            parts.number.replace(form.thousands, "")
        ):
            return TextNumbers(note=_too_long(text))
    reading = replace(form, unit=units[0])
    return TextNumbers(found[form], None if reading == NumberFormat() else reading)


def _parts(text: str) -> _Parts | None:
    """Take a text apart; None if it is not a number, however written."""
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


# Ways to write a date: the shape of the text, and what the parts of that shape may mean. Points stand between day,
# month and year in this order only; strokes and hyphens do so in two orders.
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{4}-\d{2}-\d{2}", (ISO,)),
    (r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", ("%Y.%m.%d",)),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"\d{1,2}-[A-Za-z]{3,9}-\d{4}", ("%d-%B-%Y",)),
    (r"\d{1,2} [A-Za-z]{3,9} \d{4}", ("%d %B %Y",)),
    (r"[A-Za-z]{3,9} \d{1,2}, \d{4}", ("%B %d, %Y",)),
)
TIME = "%H:%M"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,9})?))?(?: ?([AaPp])\.?[Mm]\.?)?"
_ZONE = r"(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_TIME_OF_DAY = re.compile(_CLOCK, re.ASCII)
_AFTER_DATE = re.compile(f"[ T]{_CLOCK}{_ZONE}", re.ASCII)
_PART = re.compile(r"\d+|[A-Za-z]+")
# Names of months in full and by their first three letters.
_MONTHS = {
    name.lower()[:length]: number for number, name in enumerate(STATES["month"], 1) for length in (3, 9)
}
# Values that rule out a way quickly.
SAMPLE = 20


@dataclass(frozen=True)
class DateTexts:
    """Texts read as dates or times.

    Attributes
    ----------
    spelling : str
        How they are written, as ``strptime`` spells it; a time of day may follow each date.
    values : ndarray
        Their numbers, NaN where a text is not a date.
    dtype : {"date", "datetime", "time"}
    zone : str or None
        Their time zone.
    rival : str or None
        Another way in which they could be meant, with nothing to decide between the two.
    """

    spelling: str
    values: NDArray[np.float64]
    dtype: Moment
    zone: str | None = None
    rival: str | None = None


def find_dates(texts: Sequence[str]) -> DateTexts | None:
    """Read texts as dates or times, if all of them are such in one way of writing.

    Examples
    --------
    >>> find_dates(["31/12/2023", "1/2/2024"]).spelling, find_dates(["3/4/2024", "1/2/2024"]).rival
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> find_dates(["2024-03-01 08:00", "2024-03-02T09:30Z"]) is None  # with and without a time zone
    True
    """
    sample = texts[:SAMPLE]
    if not sample:
        return None
    ways = [TIME] if _fits(sample, _CLOCK) else []
    for shape, formats in _SHAPES:
        if _fits(sample, f"{shape}(?:[ T]{_CLOCK}{_ZONE})?"):
            ways += formats
    found: list[DateTexts] = []
    for way in ways:
        if _complete(read_dates(sample, way)):
            read = read_dates(texts, way)
            found += [read] if read is not None and _complete(read) else []
    if len(found) > 1:
        first, second = found[:2]
        return DateTexts(first.spelling, first.values, first.dtype, first.zone, second.spelling)
    return found[0] if found else None


def read_dates(texts: Sequence[str | None], spelling: str) -> DateTexts | None:
    """Read texts as dates or times in one way of writing; None where some have a time zone and others none."""
    if spelling == TIME:
        return DateTexts(
            spelling, _each(texts, lambda text: _clock_seconds(_TIME_OF_DAY.fullmatch(text))), "time"
        )
    shape = re.compile(next(shape for shape, formats in _SHAPES if spelling in formats), re.ASCII)
    letters = re.findall("%(.)", spelling)
    dates, clocks = _cut(texts)
    days = _each(dates, lambda date: _day_number(date, letters) if shape.fullmatch(date) else np.nan)
    if not any(clocks):
        return DateTexts(spelling, days, "date")
    found = {clock: _AFTER_DATE.fullmatch(clock) for clock in set(clocks)}
    since_midnight = _each(clocks, lambda clock: _clock_seconds(found[clock]), nothing=0.0)
    micros = np.rint((days * DAY + since_midnight) * MICRO)
    seconds = micros / MICRO  # the same number as from anywhere else
    zones = {clock: match[5] for clock, match in found.items() if match is not None}
    offsets = {_offset(zone) for zone in zones.values() if zone is not None}
    if not offsets:
        return DateTexts(spelling, seconds, "datetime")
    ahead = _each(clocks, lambda clock: _zone_seconds_ahead(zones.get(clock)))
    if (np.isnan(ahead) & ~np.isnan(seconds)).any():
        return None
    only = offsets.pop() if len(offsets) == 1 else "+00:00"
    return DateTexts(spelling, seconds - ahead, "datetime", "UTC" if only[1:] == "00:00" else only)


def _cut(texts: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Cut texts into dates and clocks: of many moments there are few of each, and each is read once."""
    dates, clocks = [], []
    for text in texts:
        whole = text or ""
        place = whole.find(":")
        if place >= 0:
            place -= 3 if whole[max(place - 3, 0)] in " T" else 2
        dates.append(whole[:place] if place >= 0 else whole)
        clocks.append(whole[place:] if place >= 0 else "")
    return dates, clocks


def _offset(zone: str) -> str:
    """Spell an offset from UTC in one way: Z as +00:00, -0330 as -03:30."""
    return "+00:00" if zone in ("Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"


def _zone_seconds_ahead(zone: str | None) -> float:
    """Return how far clocks are ahead of UTC, NaN where that is not said."""
    if zone is None:
        return np.nan
    offset = _offset(zone)
    ahead = int(offset[1:3]) * 3600.0 + int(offset[4:]) * 60.0
    return -ahead if offset[0] == "-" else ahead


def _fits(texts: Sequence[str], pattern: str) -> bool:
    return all(re.fullmatch(pattern, text) for text in texts)


def _complete(read: DateTexts | None) -> bool:
    return read is not None and not np.isnan(read.values).any()


def _each(
    parts: Sequence[str | None], number: Callable[[str], float], nothing: float = np.nan
) -> NDArray[np.float64]:
    """Return the number of each part; equal parts are read once, and empty ones are nothing."""
    numbers = {part: number(part) if part else nothing for part in set(parts)}
    return np.array([numbers[part] for part in parts], dtype=np.float64)


def _day_number(date: str, letters: Sequence[str]) -> float:
    """Return the days since 1970, NaN where there is no such day."""
    parts = dict(zip(letters, _PART.findall(date), strict=True))
    month = _MONTHS.get(parts["B"].lower(), 0) if "B" in parts else int(parts["m"])
    try:
        return float(dt.date(int(parts["Y"]), month, int(parts["d"])).toordinal() - FIRST_DAY)
    except ValueError:
        return np.nan


def _clock_seconds(clock: re.Match[str] | None) -> float:
    """Return the seconds since midnight, NaN where there is no such time."""
    if clock is None:
        return np.nan
    hours, minutes, seconds = int(clock[1]), int(clock[2]), float((clock[3] or "0").replace(",", "."))
    if hours > 23 or minutes > 59 or seconds >= 60 or (clock[4] and not 1 <= hours <= 12):
        return np.nan
    if clock[4]:
        hours = hours % 12 + (12 if clock[4] in "pP" else 0)
    return hours * 3600.0 + minutes * 60.0 + seconds
