"""A query in steps: each adds columns to those of the step before, and forgets what nobody needs any more."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .dialects import Dialect

# Stands for the logarithm of zero: no sum of real ones is as small.
LOG_ZERO = -1e6
# Below this, PostgreSQL refuses to take the exponential.
LEAST_EXPONENT = -700


@dataclass(frozen=True)
class Added:
    """A column that a step adds: an expression, and the columns of earlier steps that it needs."""

    name: str
    expression: str
    needs: frozenset[str] = frozenset()


@dataclass
class Steps:
    """The steps of a query, in order.

    Examples
    --------
    >>> from bayleaf.export.dialects import DIALECTS
    >>> steps = Steps(DIALECTS["postgres"], "FROM t")
    >>> steps.add([Added("a", "x + 1"), Added("b", "y")])
    >>> steps.add([Added("c", "a * a", frozenset({"a"}))])
    >>> print(steps.query(["c"], "s", "c AS square"))
    WITH s0 AS MATERIALIZED (SELECT
      x + 1 AS a
    FROM t),
    s1 AS MATERIALIZED (SELECT
      a * a AS c
    FROM s0)
    SELECT
      c AS square
    FROM s1
    """

    dialect: Dialect
    source: str
    _steps: list[list[Added]] = field(default_factory=list)

    def add(self, columns: Iterable[Added]) -> None:
        """Add a step."""
        self._steps.append(list(columns))

    def query(self, needed: Sequence[str], prefix: str, body: str) -> str:
        """Return the query whose last step has the columns that are needed; ``body`` is what it selects of them."""
        wanted = set(needed)
        used: list[tuple[list[str], list[Added]]] = []  # the last step first
        for number in range(len(self._steps) - 1, -1, -1):
            own = [column for column in self._steps[number] if column.name in wanted]
            kept = sorted(wanted.difference(column.name for column in own))
            wanted = set(kept).union(*(column.needs for column in own))
            if own or not number:
                self._check_width(len(kept) + len(own))
                used.append((kept, own))
        texts, source = [], self.source
        for number, (kept, own) in enumerate(reversed(used)):
            columns = [*kept, *(f"{column.expression} AS {column.name}" for column in own)]
            lines = ",\n  ".join(columns or ["0 AS nothing"])  # of a network without features
            texts.append(f"{prefix}{number} AS {self.dialect.barrier}(SELECT\n  {lines}\n{source})")
            source = f"FROM {prefix}{number}"
        common = ",\n".join(texts)
        return f"WITH {common}\nSELECT\n  {body}\n{source}\n"

    def _check_width(self, columns: int) -> None:
        if columns > self.dialect.most_columns:
            raise ValueError(
                f"The model needs {columns:,} columns in one step of the query; {self.dialect.title} has "
                f"{self.dialect.most_columns:,} at most. Select features, or use coarser categories."
            )


def total(terms: Sequence[str]) -> str:
    """Add up terms in a balanced way: long chains are too deep for some databases.

    Examples
    --------
    >>> total(["a", "b", "c"]), total([])
    ('((a + b) + c)', '0')
    """
    if not terms:
        return "0"
    while len(terms) > 1:
        pairs = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, terms[-1]] if len(terms) % 2 else pairs
    return terms[0]


def exponential(difference: str) -> str:
    """Return the exponential of a number that is not above zero; zero where that is too small, or unknown.

    Examples
    --------
    >>> exponential("a - b")
    'CASE WHEN a - b > -700 THEN EXP(a - b) ELSE 0 END'
    """
    return f"CASE WHEN {difference} > {LEAST_EXPONENT} THEN EXP({difference}) ELSE 0 END"
