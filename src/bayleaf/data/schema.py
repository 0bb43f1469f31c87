"""The schema: what fit learned about the columns."""

from dataclasses import astuple, dataclass, field
from typing import Any

from bayleaf._util.frames import make_frame

from .columns import AbsentColumns
from .schema_table import HEADINGS, SchemaLine, as_html, as_text, schema_lines
from .variable import Variable


@dataclass(frozen=True, repr=False)
class Schema:
    """The variables of a table: the features and, usually, the class. It prints as a table.

    Parameters
    ----------
    features : tuple of Variable
    target : Variable, optional
        The class.
    rows : int, optional
        Rows that it was learned from; None where that is not known. Schemas that differ in this alone are equal.

    Examples
    --------
    >>> schema = Schema((Variable("x", ("a", "b"), n_missing=3),), Variable("class", ("no", "yes")), rows=12)
    >>> print(schema)
    column   read as    states                  gaps   note
    ───────────────────────────────────────────────────────
    x        category   2 categories: a, b   3 (25%)
    class    class      2 classes: no, yes
    """

    features: tuple[Variable, ...]
    target: Variable | None = None
    rows: int | None = field(default=None, compare=False)

    def lines(self) -> list[SchemaLine]:
        """Describe each column in words: what it was read as, its states, its gaps, and what there is to note."""
        return list(schema_lines(self.features, self.target, self.rows))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the printed table as a DataFrame.

        Examples
        --------
        >>> Schema((Variable("x", ("a", "b")),)).to_frame().row(0)
        ('x', 'category', '2 categories: a, b', '', '')
        """
        cells = zip(*map(astuple, self.lines()), strict=True)
        return make_frame({name: list(column) for name, column in zip(HEADINGS, cells, strict=True)}, backend)

    def __repr__(self) -> str:
        return as_text(self.lines())

    def _repr_html_(self) -> str:
        return as_html(self.lines())

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables, the class last."""
        return self.features if self.target is None else (*self.features, self.target)

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The features that are columns of the data; those made from a column come after all of these."""
        return tuple(variable for variable in self.features if variable.source is None)

    @property
    def used(self) -> list[int]:
        """Positions of the features that may enter a network: all but identifiers, which are left out."""
        return [j for j, variable in enumerate(self.features) if variable.dtype != "identifier"]

    def may_lack(self, absent_columns: AbsentColumns) -> list[str]:
        """Return the columns that new rows may lack: identifiers, and all if they count as missing then."""
        return [
            variable.name
            for variable in self.columns
            if absent_columns == "missing" or variable.dtype == "identifier"
        ]
