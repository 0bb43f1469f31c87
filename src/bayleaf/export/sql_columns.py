"""Columns of a database as codes: what `bayleaf.data.encode` does with the columns of a table, in SQL."""

from collections.abc import Collection

from bayleaf.data import Schema, Variable
from bayleaf.data.dates import MOMENTS

from .dialects import LARGEST, Dialect

# What the table is called within the query: SQLite takes a quoted name without a column for a text.
SOURCE = "src"


def may_be_missing(variable: Variable) -> bool:
    """Tell whether new rows can lack a state of a variable: whether a gap, or an unknown category, has none.

    Examples
    --------
    >>> may_be_missing(Variable("x", ("a", "b"))), may_be_missing(Variable("x", ("a", "b"), fill=0))
    (True, False)
    """
    if variable.fill is None:
        return True
    return variable.gap and variable.cuts is None and variable.part is None and variable.other is None


class ColumnWriter:
    """Writes the code of each feature of a schema as an expression over the columns of a table."""

    def __init__(self, schema: Schema, dialect: Dialect, absent: Collection[str]) -> None:
        self._sources = {variable.name: variable for variable in schema.columns}
        self._dialect = dialect
        self._absent = frozenset(absent)

    def code(self, variable: Variable) -> str:
        """Return the expression of a feature's code, NULL where it is missing."""
        source = self._sources[variable.source or variable.name]
        column = f"{SOURCE}.{self._dialect.identifier(source.name)}"
        if variable.dtype == "untyped" or source.name in self._absent:
            return f"CAST({_code(variable.fill)} AS INTEGER)"
        if source.dtype in MOMENTS and source.cuts is not None:
            self._check_moments(source)
        if variable.part is not None:
            return self._part(variable, column)
        if variable.cuts is not None:
            return self._interval(variable, column)
        return self._category(variable, column)

    def _check_moments(self, variable: Variable) -> None:
        if variable.dtype not in self._dialect.moments:
            raise ValueError(
                f"Column '{variable.name}' holds {variable.dtype} values, which {self._dialect.title} does not have: "
                "use seconds."
            )
        if variable.zone is not None:
            raise ValueError(
                f"Column '{variable.name}' has the time zone {variable.zone}, and a query would show its times by "
                "the clock of the session: fit the model to times without a time zone."
            )

    def _interval(self, variable: Variable, column: str) -> str:
        assert variable.cuts is not None
        if variable.reading is not None:
            raise ValueError(
                f"Column '{variable.name}' was read from texts such as 1.234,50 ({variable.reading}), which a query "
                "cannot read: fit the model to numbers."
            )
        number, missing = self._dialect.number, _code(variable.fill)
        reading = self._dialect.moments.get(variable.dtype, self._dialect.reading)
        column = reading.format(x=column)
        steps = "".join(f" WHEN {column} <= {number(cut)} THEN {k}" for k, cut in enumerate(variable.cuts))
        return (
            f"CASE WHEN {column} < {number(-LARGEST)} THEN {missing}{steps} "
            f"WHEN {column} <= {number(LARGEST)} THEN {len(variable.cuts)} ELSE {missing} END"
        )

    def _part(self, variable: Variable, column: str) -> str:
        assert variable.part is not None
        code = self._dialect.parts[variable.part].format(x=column)
        return code if variable.fill is None else f"COALESCE({code}, {variable.fill})"

    def _category(self, variable: Variable, column: str) -> str:
        literal = self._dialect.literal
        # A label such as (missing) is a text: among numbers there is none to compare with.
        states = variable.states if variable.dtype == "string" else variable.value_states
        unknown = None if variable.gap else variable.fill
        if variable.other is not None:
            unknown = variable.other
        known = "".join(f" WHEN {column} = {literal(state)} THEN {k}" for k, state in enumerate(states))
        missing = ""
        if unknown != variable.fill:
            missing = f" WHEN {self._is_missing(variable, column)} THEN {_code(variable.fill)}"
        return f"CASE{missing}{known} ELSE {_code(unknown)} END"

    def _is_missing(self, variable: Variable, column: str) -> str:
        is_null = f"{column} IS NULL"
        if variable.dtype not in ("integer", "float"):
            return is_null
        number = self._dialect.number
        return (
            f"{is_null} OR {column} > {number(LARGEST)} OR {column} < {number(-LARGEST)}"  # the first for NaN
        )


def _code(code: int | None) -> str:
    return "NULL" if code is None else str(code)
