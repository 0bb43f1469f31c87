"""What the SQL of databases differs in: names of types and functions, dates, limits. Quotation is the same in all."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bayleaf.data.variable import State

# The largest double: a model does not take what is beyond, or NaN, for a number.
LARGEST = 1.7976931348623157e308
# The most values that are compared one by one if there are no lists.
FEW = 8


@dataclass(frozen=True)
class Dialect:
    """The SQL of one database; ``{x}`` in a text is a column."""

    name: str  # as ``dialect=`` takes it
    title: str  # in sentences
    double: str  # the type of double-precision numbers
    reading: str  # a column that held numbers, or texts that are plain numbers
    greatest: str  # the function that gives the largest of several numbers
    # Keeps the database from writing the steps of a query into each other, which would make short formulas long.
    barrier: str
    most_columns: int  # of one step
    most_numbers: int  # in the tables of a model: the time to read a query grows faster than their number
    folds_case: bool  # whether names that differ only in upper and lower case are the same
    # How a column of each type of dates and times is counted, as `bayleaf.data.dates` does.
    moments: Mapping[str, str] = field(repr=False)
    parts: Mapping[str, str] = field(repr=False)  # the number of the weekday, month or hour of a date
    # Texts (or such types) as dates and times, those with a time zone by the clock of UTC, where that must be said.
    from_text: Mapping[str, str] = field(repr=False)
    # Whether a text is as a pattern says, the first place that is so, and whether a column holds texts.
    matches: str = ""
    found: str = ""
    is_text: str = ""

    def identifier(self, name: str) -> str:
        """Return a name of a table or column, quoted."""
        return f'"{_storable(self, name).replace(chr(34), chr(34) * 2)}"'

    def text(self, value: str) -> str:
        """Return a text, quoted."""
        return f"'{_storable(self, value).replace(chr(39), chr(39) * 2)}'"

    def number(self, value: float) -> str:
        """Return a double-precision number, exactly."""
        if self.name == "sqlite":
            return _ratio(value)
        return f"CAST({spelled(value)} AS {self.double})"

    def literal(self, state: State) -> str:
        """Return a value of a column."""
        if isinstance(state, bool):
            return "TRUE" if state else "FALSE"
        if isinstance(state, str):
            return self.text(state)
        return self.number(state) if isinstance(state, float) else str(int(state))

    def entry(self, values: Sequence[float], index: str) -> str:
        """Return one of some numbers by an expression from 0 on; NULL where that is."""
        texts = list(map(spelled, values))
        if self.name == "duckdb":
            return f"([{', '.join(texts)}])[1 + {index}]"
        if self.name == "postgres":
            return f"(CAST('{{{','.join(texts)}}}' AS DOUBLE PRECISION[]))[1 + {index}]"
        return _searched(texts, index, 0)

    def check_size(self, numbers: int) -> None:
        """Refuse a model of too many numbers."""
        if numbers > self.most_numbers:
            raise ValueError(
                f"The model has {numbers:,} numbers; a query for {self.title} has {self.most_numbers:,} at most. Use "
                "fewer parents, features or states, a single network instead of a pool, another dialect, or predict."
            )

    def largest(self, terms: Sequence[str]) -> str:
        """Return the largest of some terms."""
        return terms[0] if len(terms) == 1 else f"{self.greatest}({', '.join(terms)})"


def spelled(value: float) -> str:
    """Write a number with all its digits, as one that is not decimal to any database."""
    text = repr(float(value))
    return text if "e" in text else f"{text}e0"


def _ratio(value: float) -> str:
    """Write a number as a ratio of whole numbers: SQLite may read decimals one unit off in the last place."""
    above, below = float(value).as_integer_ratio()
    if max(abs(above), below) < 2**63:
        ratio = f"{above}" if below == 1 else f"CAST({above} AS REAL) / {below}"
        return f"CAST({ratio} AS REAL)"
    # Too large for whole numbers: 53 bits, then powers of two, by which products and ratios are exact.
    share, power = math.frexp(value)
    text, power = f"CAST({int(share * 2**53)} AS REAL)", power - 53
    while power:
        step = min(abs(power), 62)
        text += f" * {2**step}" if power > 0 else f" / {2**step}"
        power += -step if power > 0 else step
    return f"CAST({text} AS REAL)"  # a cast makes columns of any type be compared as numbers


def _searched(texts: Sequence[str], index: str, first: int) -> str:
    """Choose one of some texts by halving their list, for databases that have no lists."""
    if len(texts) <= FEW:
        return f"CASE {index}{''.join(f' WHEN {first + k} THEN {text}' for k, text in enumerate(texts))} END"
    half = len(texts) // 2
    low, high = _searched(texts[:half], index, first), _searched(texts[half:], index, first + half)
    return f"CASE WHEN {index} < {first + half} THEN {low} ELSE {high} END"


def _storable(dialect: Dialect, text: str) -> str:
    """Return a text, or refuse it if no query can hold it."""
    if "\0" in text:
        raise ValueError(
            f"The name or category {text!r} has a NUL character, which {dialect.title} cannot store."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"The name or category {text!r} is not valid Unicode; {dialect.title} cannot store it."
        ) from None
    return text


_SQLITE_MILLIS = "ROUND((JULIANDAY(CASE WHEN TYPEOF({x}) = 'text' THEN {x} END) - %s) * 86400000.0) / 1000.0"
_POSTGRES_SECONDS = "CAST(EXTRACT(EPOCH FROM {x}) AS DOUBLE PRECISION)"

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            name="duckdb",
            title="DuckDB",
            double="DOUBLE",
            reading="TRY_CAST({x} AS DOUBLE)",
            greatest="GREATEST",
            barrier="NOT MATERIALIZED ",
            most_columns=10_000,
            most_numbers=200_000,
            folds_case=True,
            moments={
                "date": "FLOOR(EPOCH_US({x}) / 86400000000.0)",
                **dict.fromkeys(("datetime", "time", "duration"), "EPOCH_US({x}) / 1000000.0"),
            },
            parts={
                "weekday": "EXTRACT(ISODOW FROM {x}) - 1",
                "month": "EXTRACT(MONTH FROM {x}) - 1",
                "hour": "EXTRACT(HOUR FROM {x})",
            },
            from_text={
                "UTC": "(CAST({x} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')",
                **dict.fromkeys(("date", "datetime"), "CAST({x} AS TIMESTAMP)"),
                "time": "CAST({x} AS TIME)",
            },
            matches="REGEXP_FULL_MATCH({x}, {pattern})",
            found="REGEXP_EXTRACT({x}, {pattern})",
            is_text="TYPEOF({x}) = 'VARCHAR'",
        ),
        Dialect(
            name="sqlite",
            title="SQLite",
            double="REAL",
            reading="{x}",
            greatest="MAX",
            barrier="MATERIALIZED ",
            most_columns=2000,
            most_numbers=20_000,
            folds_case=True,
            moments={
                "date": f"FLOOR({_SQLITE_MILLIS % '2440587.5'} / 86400.0)",
                "datetime": _SQLITE_MILLIS % "2440587.5",
                "time": _SQLITE_MILLIS % "JULIANDAY('2000-01-01')",
            },
            parts={
                "weekday": "(CAST(STRFTIME('%w', {x}) AS INTEGER) + 6) % 7",
                "month": "CAST(STRFTIME('%m', {x}) AS INTEGER) - 1",
                "hour": "CAST(STRFTIME('%H', {x}) AS INTEGER)",
            },
            from_text={},
        ),
        Dialect(
            name="postgres",
            title="PostgreSQL",
            double="DOUBLE PRECISION",
            reading="CAST({x} AS DOUBLE PRECISION)",
            greatest="GREATEST",
            barrier="MATERIALIZED ",
            most_columns=1600,
            most_numbers=200_000,
            folds_case=False,
            moments={
                "date": f"FLOOR({_POSTGRES_SECONDS} / 86400)",
                **dict.fromkeys(("datetime", "time", "duration"), _POSTGRES_SECONDS),
            },
            parts={
                "weekday": "CAST(EXTRACT(ISODOW FROM {x}) AS INTEGER) - 1",
                "month": "CAST(EXTRACT(MONTH FROM {x}) AS INTEGER) - 1",
                "hour": "CAST(EXTRACT(HOUR FROM {x}) AS INTEGER)",
            },
            from_text={
                "UTC": "(CAST({x} AS TIMESTAMPTZ) AT TIME ZONE 'UTC')",
                **dict.fromkeys(("date", "datetime"), "CAST({x} AS TIMESTAMP)"),
                "time": "CAST({x} AS TIME)",
            },
            matches="{x} ~ ('^(?:' || {pattern} || ')$')",
            found="SUBSTRING({x} FROM {pattern})",
            is_text="PG_TYPEOF({x})::TEXT IN ('text', 'character varying')",
        ),
    )
}


def dialect_named(name: str) -> Dialect:
    """Return a dialect by its name."""
    if name not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}. Got {name!r} instead.")
    return DIALECTS[name]
