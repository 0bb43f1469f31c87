"""How fit learns a schema from the columns, and how prediction reads the same columns by it again.

Where missingness is informative about the class, missing values have a state of their own.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from bayleaf._util.params import thread_count
from bayleaf._util.words import counted, listing, warn
from bayleaf.data.discretize.discretizer import Discretizer, TrainingRows

from .categories import (
    LEFT_OUT,
    NONE_RARE,
    REPEATS,
    Identifiers,
    KnownBy,
    RareValues,
    Unknown,
    as_labels,
    encode_column,
    identifier_variable,
    learn_categorical,
    why_left_out,
)
from .categories import identifiers as identifiers_of
from .columns import (
    BYTE_MISSING,
    WIDE_MISSING,
    Columns,
    ColumnType,
    as_frame,
    given_marks,
    pack_categories,
    pack_known,
    read_columns,
)
from .dates import MOMENTS
from .discretize import Cuts
from .numbers import (
    MAX_STATES,
    Mark,
    as_dates,
    as_numbers,
    code_numbers,
    dates_of_texts,
    encode_part,
    find_marks,
    learn_numbers,
    learn_parts,
    mark_warning,
    marks_text,
    read_once,
    refuse_infinite,
    settled,
    taken_out,
    text_as_numbers,
    without_marks,
)
from .raw_columns import Column, LabelColumn, NumberColumn, SignedCodes, refuse_mixture
from .schema import SAYS_THE_SAME, Schema
from .table import Codes, OwnCodes, Table
from .text_values import TextNumbers
from .text_words import FREE_TEXT, MOST_WORDS, learn_words, word_codes
from .variable import Variable

# What learning a schema does about missing values; rows that are dropped for theirs do not come here.
Gaps = Literal["auto", "available", "state", "impute"]
# Features that may be made from one column.
MOST_PARTS = 3
# Fewer values than this are cut faster than threads are started.
PARALLEL_VALUES = 200_000
# Rows by which columns that say the same are looked for, and the fewest of them.
_PATTERN_ROWS, _FEWEST_ROWS = 1000, 30
_NO_CODES = np.empty(0, dtype=np.int8)


def learn_schema(
    X: Any,
    y: NDArray[np.int64],
    target: Variable,
    *,
    discretizer: Discretizer,
    categorical: NDArray[np.bool_],
    names: Sequence[str],
    keys: Sequence[str | int] | None = None,
    types: Sequence[ColumnType | None] | None = None,
    weights: NDArray[np.float64] | None = None,
    identifiers: Identifiers = "keep",
    missing: Gaps = "available",
    missing_values: Collection[Mark] | None = None,
    rare: RareValues = NONE_RARE,
    auto: bool = False,
    n_jobs: int | None = None,
) -> Table:
    """Learn the variables of X from its values and return the encoded table, the class as its last column.

    Parameters
    ----------
    X : DataFrame, array or Columns
    y : ndarray of int
        Class codes.
    target : Variable
        The class.
    discretizer : discretiser
        Cuts numeric columns; your own discretiser needs only ``cut_points``. Columns of large tables are cut
        in several threads at once, by the same object: ``cut_points`` must not change it.
    categorical : ndarray of bool
        Numeric columns to take as categories instead of cutting them.
    names : sequence of str
        Column names.
    keys : sequence of str or int, optional
        What the discretiser knows the columns by: positions, where they have no names.
    types : sequence of str or None, optional
        What the user says that columns are (`resolve_column_types`), which counts more than what they look like.
    weights : ndarray, optional
    identifiers : {"drop", "keep"}
        Whether columns that look like identifiers get one state and the type "identifier". Those of another type by
        ``types`` do not, nor do numbers where no other column would be left.
    missing : {"available", "auto", "state", "impute"}
        Missing values stay so; or have a state of their own, in columns where they tell about the class or in every
        column that has some; or are replaced by the mean (numbers) or the most frequent category.
    rare : RareValues
        Which categories are pooled into one state.
    auto : bool
        Let the values of a column decide how it is read: texts that are numbers become numbers, and whole numbers of
        few values keep one state each, unless ``types`` or `Cuts` say otherwise.
    n_jobs : int, optional
    """
    wanted = np.array([None] * len(names) if types is None else types, dtype=object)
    categorical = (categorical | (wanted == "category")) & ~np.isin(wanted, ["number", "date", "text"])
    if categorical.all() and missing != "impute" and not rare and not missing_values:
        packed = pack_categories(X, names, y, target, weights, n_jobs)
        if packed is not None and (identifiers == "keep" or not identifiers_of(packed)):
            return packed
    columns = X if isinstance(X, Columns) else Columns(X)
    learner = ColumnLearner(
        columns,
        names,
        names if keys is None else keys,
        wanted,
        categorical,
        TrainingRows(y, weights),
        discretizer,
        missing,
        None if missing_values is None else given_marks(missing_values),
        rare,
        auto,
        len(y),
    )
    # Room for parts of dates, which costs nothing unless it is written to.
    most = len(names) + 1 + MOST_PARTS * sum(not columns.holds_numbers(j) for j in range(len(names)))
    most += MOST_WORDS * int((wanted == "text").sum())
    buffer = CodeBuffer(len(y), most)

    def learn(j: int, drops: bool = identifiers == "drop") -> LearnedColumn:
        found = learner.learn(j, drops)
        buffer.put(j, found.codes, found.variable.arity)
        return replace(found, codes=_NO_CODES)  # they are in the buffer now

    # Columns do not depend on each other, and sorting them lets other threads run.
    with ThreadPoolExecutor(thread_count(n_jobs) if len(y) * len(names) > PARALLEL_VALUES else 1) as pool:
        learned = list(pool.map(learn, range(len(names))))
    if all(each.variable.dtype == "identifier" and not each.parts for each in learned):
        learned = [learn(j, drops=not learner.holds_numbers(j)) for j in range(len(names))]
    variables = _with_twins_noted(learned, learner)
    parts = [part for each in learned for part in each.parts]
    for part, (_, codes) in zip(with_new_names([part for part, _ in parts], names), parts, strict=True):
        buffer.put(len(variables), codes, part.arity)
        variables.append(part)
    _refuse_identifiers(variables)
    buffer.put(len(variables), y, target.arity)
    # Warned here: a warning from a thread could not name the caller's line.
    for each in learned:
        if each.is_empty:
            warn_of_empty(each.variable.name, len(y))
    found = {each.variable.name: marks_text(each.marks) for each in learned if each.marks}
    if found and missing_values is None:
        warn(mark_warning(found))
    table_codes = buffer.codes(len(variables) + 1)
    return Table((*variables, target), table_codes, weights, len(variables), n_jobs, own=OwnCodes())


def with_new_names(parts: Sequence[Variable], names: Sequence[str]) -> list[Variable]:
    """Give features that were made from columns names that no column has."""
    taken, named = set(names), []
    for variable in parts:
        name = variable.name
        while name in taken:
            name += "_"
        taken.add(name)
        named.append(replace(variable, name=name))
    return named


def _refuse_identifiers(variables: Sequence[Variable]) -> None:
    """Raise if no column is left to learn from."""
    if all(variable.dtype == "identifier" for variable in variables):
        names = listing([f"'{variable.name}'" for variable in variables], most=5)
        texts = [f"'{each.name}'" for each in variables if each.states == (FREE_TEXT,) and each.note]
        if texts:  # whose words were asked for
            others = ", and the other columns look like identifiers" if len(texts) < len(variables) else ""
            raise ValueError(
                f"There is nothing to learn from: no word of the free text ({listing(texts, most=5)}) tells enough "
                f"about the class{others}. Give more rows, or other columns too."
            )
        raise ValueError(
            f"There is nothing to learn from: each column ({names}) looks like an identifier, with a value of its "
            "own in nearly every row. identifiers='keep' keeps them."
        )


def _with_twins_noted(learned: "Sequence[LearnedColumn]", learner: "ColumnLearner") -> list[Variable]:
    """Return the variables; of columns that say the same one to one, all but the first have a note."""
    variables: list[Variable] = []
    first: dict[bytes, int] = {}
    for j, each in enumerate(learned):
        variable = each.variable
        other = j if each.pattern is None else first.setdefault(each.pattern, j)
        if other != j and learner.is_same(other, j):
            note = f"{SAYS_THE_SAME} '{learner.names[other]}', one to one"
            variable = replace(variable, note="; ".join(filter(None, (variable.note, note))))
        variables.append(variable)
    return variables


def _pattern(column: Column, rows: int = _PATTERN_ROWS) -> bytes | None:
    """Return which of the first rows have equal values: columns say the same one to one if they agree in this.

    Numbers that differ in most rows are compared by their order, which may also be the opposite one. None for columns
    that are too short, constant, or texts of which most differ.
    """
    values = (column.values if isinstance(column, NumberColumn) else column.codes)[:rows]
    if len(values) < _FEWEST_ROWS:
        return None
    different, firsts, numbers = np.unique(values, return_index=True, return_inverse=True)
    most = len(different) - 1
    if 2 * len(different) <= len(values):
        rank = np.empty_like(firsts)
        rank[np.argsort(firsts)] = np.arange(len(firsts))
        numbers = rank[numbers]
    elif isinstance(column, LabelColumn):
        return None
    elif 2 * numbers[0] > most:
        numbers = most - numbers
    return numbers.astype(np.int32).tobytes() if most else None


@dataclass(frozen=True)
class LearnedColumn:
    """What was learned from a column, with the codes of its rows and the features made from it."""

    variable: Variable
    codes: NDArray[np.integer[Any]]
    is_empty: bool = False
    marks: Mapping[Mark, int] = field(default_factory=dict)  # what was read as missing, and in how many rows
    parts: Sequence[tuple[Variable, SignedCodes]] = ()
    pattern: bytes | None = None  # of its first rows; see `_pattern`


@dataclass
class ColumnLearner:
    """Learns the columns of a table one by one; several threads may ask at once. Fields are as in `learn_schema`."""

    columns: Columns
    names: Sequence[str]
    keys: Sequence[str | int]
    types: NDArray[np.object_]
    categorical: NDArray[np.bool_]
    rows: TrainingRows  # classes and weights
    discretizer: Discretizer
    missing: Gaps
    missing_values: Collection[Mark] | None  # those that are said by hand
    rare: RareValues
    auto: bool
    n_rows: int
    given_cuts: Collection[Any] = field(init=False, default=())

    def __post_init__(self) -> None:
        # Others do not know columns by name, and reading all takes time.
        if isinstance(self.discretizer, Cuts):
            self.given_cuts = self.discretizer.cuts or ()
            numeric = [self.holds_numbers(j) and not self.categorical[j] for j in range(len(self.columns))]
            self.discretizer.check_names([self.keys[j] for j in np.flatnonzero(numeric).tolist()])

    def holds_numbers(self, j: int) -> bool:
        """Tell whether a column is read as numbers."""
        return isinstance(self._read(j)[0], NumberColumn)

    def learn(self, j: int, drops_identifiers: bool) -> LearnedColumn:
        """Learn a column; one that is, or looks like, an identifier gets a single state."""
        column, text, marks = self._read(j)
        name, said = self.names[j], self.types[j]
        if said != "identifier" and isinstance(column, LabelColumn) and column.mixture:
            refuse_mixture(column)
        if self.categorical[j]:
            refuse_infinite(column, name)
            column = as_labels(column)
        if said == "text":
            return self._learn_text(name, column)
        left_out, hint = why_left_out(column, name) if drops_identifiers and said is None else ("", "")
        if said == "identifier" or left_out:
            return LearnedColumn(identifier_variable(name, left_out or LEFT_OUT), self._no_codes())
        if isinstance(column, NumberColumn):
            learned = self._learn_numbers(j, settled(column, name))
        else:
            learned = self._learn_categories(name, column)
        # Streams, which keep identifiers, learn labels from counts: equal values stand together there in any case.
        blocks = togetherness(column, name) if drops_identifiers else ""
        note = "; ".join(filter(None, (text.note, learned.variable.note, hint, blocks)))
        kept = tuple(marks) if self.missing_values is None else tuple(self.missing_values)
        variable = replace(learned.variable, reading=text.reading, note=note, marks=kept)
        codes = learned.codes
        if not learned.is_empty:
            variable, codes = settle_gaps(variable, codes, self.missing, self.rows)
        return replace(learned, variable=variable, codes=codes, marks=marks, pattern=_pattern(column))

    def is_same(self, i: int, j: int) -> bool:
        """Tell whether two columns say the same one to one in all rows."""
        return _pattern(self._read(i)[0], self.n_rows) == _pattern(self._read(j)[0], self.n_rows)

    def _no_codes(self) -> NDArray[np.int8]:
        return np.zeros(self.n_rows, dtype=np.int8)

    def _learn_text(self, name: str, column: Column) -> LearnedColumn:
        """Learn the telling words of a column of texts; the column itself enters no network."""
        if isinstance(column, NumberColumn) and column.dtype != "untyped":
            raise ValueError(f"Column '{name}' is said to hold text, but holds {column.dtype} values.")
        parts = learn_words(column, name, self.rows) if isinstance(column, LabelColumn) else []
        if self.missing == "impute":  # a word that is in half of the texts is rare
            parts = [replace(part, fill=0) for part in parts]
        nothing = "no word tells enough about the class"
        if not np.any(self.rows.target):  # as where columns are inspected without a class
            nothing = "words are chosen when the class is known"
        note = f"{counted(len(parts), 'word')} of it" if parts else nothing
        variable = identifier_variable(name, FREE_TEXT, note)
        return LearnedColumn(
            variable, self._no_codes(), parts=list(zip(parts, word_codes(parts, column), strict=True))
        )

    def _read(self, j: int) -> tuple[Column, TextNumbers, Mapping[Mark, int]]:
        """Return a column as what the user says it holds, or as what its values look like, and its marks."""
        column, said = self.columns[j], self.types[j]
        is_read = self.auto and not self.categorical[j]
        given = marks_of(column, said, is_read, self.missing_values)
        column, marks = taken_out(column, given, self.columns.times)
        column, text = self._typed(j, column)
        return column, text, marks

    def _typed(self, j: int, column: Column) -> tuple[Column, TextNumbers]:
        said = self.types[j]
        if said == "number":
            return as_numbers(column, self.names[j])
        if said == "date":
            column, note = as_dates(column, self.names[j])
            return column, TextNumbers(note=note)
        if said is not None or self.categorical[j]:
            return column, TextNumbers()
        if isinstance(column, LabelColumn) and column.is_whole:
            if self.keys[j] in self.given_cuts:
                return as_numbers(column, self.names[j])
            return column, TextNumbers(note="whole numbers beyond 2^53, taken as categories")
        if not self.auto:
            return column, TextNumbers()
        column, text = text_as_numbers(column, self.rows.weights)
        if isinstance(column, LabelColumn):
            column, note = dates_of_texts(column)
            text = TextNumbers(note=note) if note else text
        return column, text

    def _learn_numbers(self, j: int, column: NumberColumn) -> LearnedColumn:
        impute = self.missing == "impute"
        whole = self.auto and self.types[j] is None and self.keys[j] not in self.given_cuts
        variable, codes, is_empty = learn_numbers(
            column, self.names[j], self.keys[j], self.discretizer, self.rows, impute, whole
        )
        if column.dtype not in MOMENTS:
            return LearnedColumn(variable, codes, is_empty)
        variable = replace(variable, zone=column.zone, spelling=column.spelling)
        return LearnedColumn(
            variable, codes, is_empty, parts=list(learn_parts(column, variable, self.rows, impute))
        )

    def _learn_categories(self, name: str, column: LabelColumn) -> LearnedColumn:
        weights = self.rows.weights
        if weights is None:
            weights = np.broadcast_to(1.0, self.n_rows)  # takes no memory
        variable, codes = learn_categorical(column, name, weights, self.missing == "impute", self.rare)
        return LearnedColumn(variable, codes, column.is_empty)


# Words in the names of columns that say to whom or to what rows belong.
GROUP_WORDS = frozenset(
    {
        "id",
        "subject",
        "patient",
        "person",
        "customer",
        "client",
        "user",
        "household",
        "family",
        "animal",
        "machine",
    }
    | {"device", "sensor", "session", "case", "plot", "batch", "school", "class", "site", "hospital", "group"}
)
SEE_GROUPS, SEE_TIME = "see groups=", "see time="
# As many different values, and as many rows for each on average, are groups of rows or shared times.
FEWEST_BLOCKS, ROWS_OF_BLOCK = 10, 2
FEWEST_TIMES, ROWS_OF_TIME = 3, 5


def togetherness(column: Column, name: str) -> str:
    """Say where the values of a column look as if rows belonged together, which folds must not part; else nothing.

    Whole numbers and texts do whose values each stand in one block of rows (numbers in ascending order only if the
    name says whose rows they are: a file may be sorted by a measurement), and times that rows share.

    Examples
    --------
    >>> from bayleaf.data.raw_columns import object_column
    >>> visits = object_column("patient", [8, 8, 8, 3, 3, 5, 5, 1, 1, 9, 9, 7, 7, 2, 2, 6, 6, 4, 4, 0, 0])
    >>> togetherness(visits, "patient")
    'in blocks of rows: 2.1 rows for each of 10 values, see groups='
    """
    if isinstance(column, NumberColumn):
        values = column.values
        if column.dtype == "float" or not len(values):
            return ""
    elif column.dtype in ("string", "integer") and not column.by_type:
        values = column.codes
    else:
        return ""
    starts = np.flatnonzero(values[1:] != values[:-1]) + 1
    if isinstance(column, NumberColumn) and column.dtype in MOMENTS:
        different = np.unique(values[values == values])
        if len(different) >= FEWEST_TIMES and len(values) >= ROWS_OF_TIME * len(different):
            return f"{len(values) / len(different):.3g} rows at each time, {SEE_TIME}"
        return ""
    n_blocks = len(starts) + 1
    if n_blocks < FEWEST_BLOCKS or len(values) < ROWS_OF_BLOCK * n_blocks:
        return ""
    firsts = values[np.concatenate([[0], starts])]
    n_short = np.count_nonzero(np.diff(starts, prepend=0, append=len(values)) < ROWS_OF_BLOCK)
    if 2 * n_short > n_blocks or len(np.unique(firsts)) < n_blocks:
        return ""
    in_order = isinstance(column, NumberColumn) and bool((firsts[1:] > firsts[:-1]).all())
    if in_order and not GROUP_WORDS.intersection(re.findall("[a-z]+", name.lower())):
        return ""
    return f"in blocks of rows: {len(values) / n_blocks:.3g} rows for each of {n_blocks} values, {SEE_GROUPS}"


def without_counts(note: str) -> str:
    """Return the notes on a column without what they count in rows, and without groups: for rows in batches.

    Examples
    --------
    >>> without_counts("one way; in blocks of rows: 2.1 rows for each of 10 values, see groups=")
    'one way; in blocks of rows'
    """
    parts = note.split("; ")
    for k, part in enumerate(parts):
        if part.endswith(SEE_GROUPS):
            parts[k] = part.partition(":")[0]
        elif part.endswith(SEE_TIME):
            parts[k] = f"several rows at each time, {SEE_TIME}"
        elif part.startswith(REPEATS):
            parts[k] = f"{REPEATS}:{part.partition('):')[2]}"
    return "; ".join(parts)


def marks_of(
    column: Column, said: ColumnType | None, is_read: bool, given: Collection[Mark] | None
) -> Collection[Mark]:
    """Return what marks missing values in a column: what is given, or what is found.

    It is looked for where values may decide how a column is read (``is_read``), or where it is ``said`` to hold
    numbers or dates.
    """
    if given is not None:
        return given
    looked_at = said in ("number", "date") or (said is None and is_read)
    return find_marks(column, said=said == "number") if looked_at else ()


def settle_gaps(
    variable: Variable, codes: NDArray[np.integer[Any]], gaps: Gaps, rows: TrainingRows
) -> tuple[Variable, NDArray[np.integer[Any]]]:
    """Give the gaps of a column a state of their own if the user wants that, or if they tell about the class.

    In the codes, -1 of a signed type means missing, or the greatest number of an unsigned one.
    """
    if gaps not in ("auto", "state") or not variable.n_missing or variable.arity == MAX_STATES:
        return variable, codes
    kind = codes.dtype
    absent = codes == (np.iinfo(kind).max if kind.kind == "u" else -1)
    if gaps == "auto" and not gap_tells(absent, rows):
        return variable, codes
    with_gap = variable.with_gap()
    return with_gap, np.where(absent, with_gap.arity - 1, codes.astype(np.int32, copy=False))


def gap_tells(absent: NDArray[np.bool_], rows: TrainingRows) -> bool:
    """Tell whether gaps in a column tell about the class: 2 N I(gap; C) > (r - 1) ln N, as BIC asks.

    N is the weight of all rows, r the number of classes.
    """
    assert rows.target is not None
    totals, weights = rows.class_weights, rows.weights
    gaps = np.bincount(
        rows.target[absent], None if weights is None else weights[absent], minlength=len(totals)
    )
    return gap_counts_tell(gaps, totals)


def gap_counts_tell(gaps: NDArray[Any], totals: NDArray[Any]) -> bool:
    """Tell the same by the weight of the rows of each class that have a gap, and of all its rows."""
    counts = np.stack([gaps, totals - gaps])
    share = counts.sum(axis=1, keepdims=True) / totals.sum()
    expected = share * totals
    information = xlogy(counts, np.divide(counts, expected, where=expected > 0, out=np.ones_like(expected)))
    classes = np.count_nonzero(totals)
    return bool(2 * information.sum() > (classes - 1) * np.log(totals.sum()))


def encode(
    schema: Schema,
    X: Any,
    *,
    unknown: Unknown = "missing",
    known_by: KnownBy = "fit",
    n_jobs: int | None = None,
) -> Table:
    """Encode the feature columns of X by a schema learned before; the table has no class column.

    Unknown categories become missing, with a warning that names them, or raise an error. The warning calls the others
    known from ``known_by``.
    """
    packed = pack_known(X, schema.features, n_jobs)
    if packed is not None:
        return packed
    columns = Columns(X)
    # Of a network each node is a column, also one that was made from another.
    given = schema.features if known_by == "network" else schema.columns
    if len(columns) != len(given):
        raise ValueError(f"X has {len(columns)} columns; the schema has {len(given)} features.")
    if not given:
        raise ValueError("The schema has no features: there is nothing to encode.")
    buffer = CodeBuffer(columns.n_rows, len(schema.features))
    parts = [(k, schema.features[k]) for k in range(len(given), len(schema.features))]
    for j, variable in enumerate(given):
        codes: NDArray[np.integer[Any]]
        if variable.dtype == "identifier":
            buffer.put(j, np.zeros(columns.n_rows, dtype=np.int8), 1)
            words = [(k, part) for k, part in parts if part.source == variable.name]
            if words:  # others are not even read
                places, of_text = zip(*words, strict=True)
                for k, codes in zip(places, word_codes(of_text, columns[j]), strict=True):
                    buffer.put(k, codes, of_text[0].arity)
            continue
        column = columns[j]
        if variable.marks or isinstance(column, LabelColumn):
            column = without_marks(variable, column)
        column = read_once(variable, column) if variable.dtype in MOMENTS else column
        is_number = variable.cuts is not None and variable.dtype not in ("untyped", *MOMENTS)
        if is_number and isinstance(column, NumberColumn) and column.dtype not in MOMENTS:
            codes = code_numbers(variable, column)
        else:
            codes = encode_column(variable, column, unknown, known_by)
        buffer.put(j, codes, variable.arity)
        for k, part in parts:
            if part.source == variable.name:
                buffer.put(k, encode_part(part, variable, column), part.arity)
    return Table(schema.features, buffer.codes(), n_jobs=n_jobs, own=OwnCodes())


class CodeBuffer:
    """Codes of a table under construction: one byte per value, two where a column has more than 255 states."""

    def __init__(self, rows: int, columns: int) -> None:
        self._bytes = np.empty((rows, columns), dtype=np.uint8, order="F")
        self._wide: dict[int, NDArray[np.uint16]] = {}

    def put(self, j: int, codes: NDArray[np.integer[Any]], arity: int) -> None:
        """Store a column of codes in which -1, or the greatest number of the type it is stored in, means missing."""
        if arity <= BYTE_MISSING:
            self._bytes[:, j] = codes  # -1 becomes 255
        else:
            self._wide[j] = codes.astype(np.uint16, copy=False)  # -1 becomes 65535

    def codes(self, columns: int | None = None) -> Codes:
        """Return all columns, or the first ones, in the narrowest type that holds them."""
        filled = self._bytes[:, :columns]
        if not self._wide:
            return filled
        wide = filled.astype(np.uint16, order="F")
        wide[wide == BYTE_MISSING] = WIDE_MISSING
        for j, column in self._wide.items():
            wide[:, j] = column
        return wide


def warn_of_empty(name: str, rows: int) -> None:
    """Say that a column has no values."""
    warn(
        f"Column '{name}' has no values at all ({rows} rows, all missing); it carries no information and is ignored."
    )


def categorical_table(data: Any, names: Sequence[str] | None = None) -> Table:
    """Encode columns of a DataFrame as categories, numbers too; the table has no class.

    Parameters
    ----------
    data : DataFrame
    names : sequence of str, optional
        Columns to take; all by default.

    Examples
    --------
    >>> import polars as pl
    >>> table = categorical_table(pl.DataFrame({"a": [3, 1, None], "b": ["x", "x", "y"]}))
    >>> [variable.states for variable in table.variables]
    [(1, 3), ('x', 'y')]
    """
    frame = as_frame(data)
    if frame is None:
        raise TypeError(
            f"A Table or a DataFrame with named columns is needed here. Got {type(data).__name__} instead."
        )
    lacking = [name for name in names or () if name not in frame.columns]
    if lacking:
        shown = ", ".join(f"'{name}'" for name in frame.columns[:10])
        raise ValueError(f"There is no column '{lacking[0]}'; there are {shown}.")
    chosen = list(frame.columns if names is None else names)
    columns = read_columns(frame.select(chosen).to_native())
    ones = np.ones(len(frame))
    variables, codes = [], []
    for name, column in zip(chosen, columns, strict=True):
        if column.is_empty:
            warn_of_empty(name, len(frame))
        if isinstance(column, LabelColumn) and column.mixture:
            refuse_mixture(column)
        variable, column_codes = learn_categorical(as_labels(column), name, ones, impute=False)
        variables.append(variable)
        codes.append(column_codes)
    return assemble(tuple(variables), codes)


def assemble(
    variables: tuple[Variable, ...], columns: Sequence[SignedCodes], target: int | None = None
) -> Table:
    """Put encoded columns (-1 for missing) together as a table."""
    buffer = CodeBuffer(len(columns[0]), len(variables))
    for j, (variable, codes) in enumerate(zip(variables, columns, strict=True)):
        buffer.put(j, codes, variable.arity)
    return Table(variables, buffer.codes(), target=target, own=OwnCodes())
