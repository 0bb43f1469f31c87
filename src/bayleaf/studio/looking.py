"""The table of a project: read as the commands read it, and shown column by column."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError
from bayleaf._util.words import counted
from bayleaf.classify import BayesNetClassifier, NetworkPool
from bayleaf.data import Variable
from bayleaf.data.columns import COLUMN_TYPES
from bayleaf.data.text_values import is_mark, read_numbers
from bayleaf.learn.structure import TAN
from bayleaf.tables import read_data
from bayleaf.tables.column_text import MixedColumnWarning
from bayleaf.tables.table_files import label_text

from .project import Project, Settings, Wish

MOST_EXAMPLES = 4
MOST_BARS = 12
MOST_CLASSES = 100
LONGEST = 60
MANY_CATEGORIES = 30
MANY_GAPS = 0.5
# Cut points of numbers are found, for a look at the columns, where that takes less than a second.
MOST_VALUES_TO_CUT = 1_000_000


def read_whole(path: Path, settings: Settings) -> tuple[pl.DataFrame, list[str]]:
    """Read a table with all its columns, and return what was noticed."""
    written = [name for name, kind in settings.types.items() if kind == "category"]
    if settings.target is not None:
        written.append(settings.target)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read_data(path, as_text=settings.drop, categorical=written, **settings.reading)
    notes = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    if settings.target is not None:
        about_class = re.escape(f"Column '{settings.target}' of ")
        notes = [note for note in notes if not re.match(about_class, note)]
    return frame, notes


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """The rows of a table that have a class: their features, classes, and numbers in the table."""

    features: pl.DataFrame
    labels: pl.Series
    numbers: NDArray[np.int64]
    groups: pl.Series | None = None  # which rows belong together; no feature
    time: pl.Series | None = None  # when each row was; a feature too


def read_labelled_rows(project: Project) -> LabelledRows:
    """Read the rows that have a class, as ``bayleaf fit`` does."""
    settings = project.settings
    path = project.table_path
    if settings.target is None:
        raise ValueError("There is no target yet: choose one under Question.")
    written = [name for name, kind in settings.types.items() if kind == "category"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        frame = read_data(path, as_text=settings.drop, categorical=written, **settings.reading)
    names = {settings.target, *settings.drop, *settings.types, *filter(None, [settings.split_column])}
    absent = sorted(names - {*frame.columns})
    if absent:
        raise DataFileError(f"The table has no column '{absent[0]}'.")
    labels = frame[settings.target]
    known = labels.is_not_null()
    if labels.dtype.is_float():
        known &= labels.is_not_nan()
    frame = frame.filter(known)
    labels = frame[settings.target]
    problem = class_counts(labels)["problem"]
    if problem is not None:
        raise ValueError(problem)
    column = None if settings.split_column is None else frame[settings.split_column]
    groups = column if settings.split == "group" else None
    left_out = {settings.target, *settings.drop, *([] if groups is None else [groups.name])}
    features = frame.drop(*left_out)
    if features.width == 0:
        raise ValueError(f"There is no column besides the class '{settings.target}': nothing to learn from.")
    numbers = known.arg_true().to_numpy().astype(np.int64) + 1
    time = column if settings.split == "time" else None
    return LabelledRows(features, labels, numbers, groups, time)


def new_classifier(settings: Settings, wishes: list[Wish], model: str) -> Any:
    """Return the classifier that ``bayleaf fit`` makes of the same settings."""
    given: Any = {"random_state": settings.seed}
    if settings.missing != "auto":
        given["missing"] = settings.missing
    if settings.types:
        given["column_types"] = dict(settings.types)
    if settings.loss:
        given["loss"] = settings.loss
    if model == "pool":
        return NetworkPool(**given)
    if wishes:
        arcs = {
            must: [(wish.parent, wish.child) for wish in wishes if wish.must is must]
            for must in (True, False)
        }
        given["structure"] = TAN(shrunk=True, required=arcs[True] or None, forbidden=arcs[False] or None)
    return BayesNetClassifier(**given)


def table_data(project: Project) -> dict[str, Any]:
    """Describe the table: the lines of ``bayleaf inspect``, with examples, a picture and advice for each column."""
    settings = project.settings
    frame, notes = read_whole(project.table_path, settings)
    target = settings.target if settings.target in frame.columns else None
    features = frame.drop(*(name for name in (target, *settings.drop) if name in frame.columns))
    labels = None if target is None else frame[target]
    known_types = {name: kind for name, kind in settings.types.items() if name in features.columns}
    reader = new_classifier(replace(settings, types=known_types, loss=None), [], "network")
    classes = None if labels is None else class_counts(labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the lines
        if (
            labels is None
            or classes is None
            or classes["problem"]
            or frame.height * frame.width > MOST_VALUES_TO_CUT
        ):
            schema = reader.inspect(features)
        else:
            schema = reader.inspect(features.filter(labels.is_not_null()), labels.drop_nulls())
    lines = {line.column: line for line in schema.lines()}
    by_source: dict[str, list[Variable]] = {}
    for variable in schema.features:
        by_source.setdefault(variable.source or variable.name, []).append(variable)
    columns = []
    for name in frame.columns:
        column = frame[name]
        if name in by_source:
            first = by_source[name][0]
            more = [lines[each.name].read_as for each in by_source[name][1:]]
            line = {**asdict(lines[first.name]), "parts": more}
        else:
            line = {
                "column": name,
                "read_as": "class" if name == target else "left out",
                "states": "",
                "gaps": "",
                "note": "",
                "parts": [],
            }
        gaps = column.null_count()
        columns.append(
            {
                **line,
                "why": why_read_so(column),
                "chosen": settings.types.get(name, "leave out" if name in settings.drop else ""),
                "examples": [clip(each) for each in column.drop_nulls().unique(maintain_order=True).head(4)],
                "missing": gaps / max(frame.height, 1),
                "bars": bars(column),
            }
        )
    return {
        "rows": frame.height,
        "columns": columns,
        "types": list(COLUMN_TYPES),
        "notes": notes[:20],
        "classes": classes,
        "advice": advice(frame, schema.features, settings),
    }


def class_counts(labels: pl.Series) -> dict[str, Any]:
    """Count the rows of each class, or say why a column cannot be the class."""
    known = labels.drop_nulls()
    counts = known.value_counts(sort=True)
    shown = [(label_text(label), int(count)) for label, count in counts.head(MOST_CLASSES).iter_rows()]
    problem = None
    if counts.height < 2:
        problem = f"'{labels.name}' has the same value in all rows: choose another target."
    elif known.dtype.is_float() and bool((known != known.round()).any()):
        problem = (
            f"'{labels.name}' holds numbers: classes are categories or whole numbers. Choose another target."
        )
    elif counts.height > MOST_CLASSES or (known.len() > 20 and counts.height > known.len() / 2):
        problem = f"'{labels.name}' has {counted(counts.height, 'different value')}: too many for a class."
    return {"counts": shown, "absent": labels.len() - known.len(), "problem": problem}


def why_read_so(column: pl.Series) -> str:
    """Say in a few words what is in a column."""
    distinct = column.n_unique() - (column.null_count() > 0)
    if column.dtype == pl.String:
        kind = "text"
    elif column.dtype == pl.Boolean:
        kind = "true and false"
    elif column.dtype.is_integer():
        kind = "whole numbers"
    elif column.dtype.is_numeric():
        kind = "numbers"
    else:
        kind = str(column.dtype).lower()
    return f"{kind}, {counted(distinct, 'different value')}"


def bars(column: pl.Series) -> list[list[Any]]:
    """Return a small histogram: of numbers the rows of equal intervals, otherwise of the most frequent values."""
    known = column.drop_nulls()
    if known.dtype.is_numeric() and known.n_unique() > MOST_BARS:
        values = known.cast(pl.Float64).to_numpy()
        values = values[np.isfinite(values)]
        heights, edges = np.histogram(values, bins=MOST_BARS)
        return [
            [f"{low:.4g} to {high:.4g}", int(height)]
            for height, low, high in zip(heights, edges[:-1], edges[1:], strict=True)
        ]
    counts = known.value_counts(sort=True).head(MOST_BARS)
    found = [[clip(value), int(count)] for value, count in counts.iter_rows()]
    return found if known.dtype == pl.String else sorted(found, key=lambda pair: _number(pair[0]))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf


def clip(value: Any) -> str:
    """Return a value as a short text."""
    text = label_text(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def advice(frame: pl.DataFrame, variables: Any, settings: Settings) -> list[dict[str, Any]]:
    """Say which columns deserve a look, each with what one click would change."""
    found: list[dict[str, Any]] = []

    def add(column: str, text: str) -> None:
        found.append({"column": column, "text": text, "do": "leave out"})

    seen: dict[int, str] = {}
    for variable in variables:
        name = variable.name
        if name not in frame.columns or name == settings.target:
            continue
        column = frame[name]
        rows = max(column.len(), 1)
        distinct, gaps = column.n_unique(), column.null_count()
        if variable.cuts is None and variable.dtype == "string" and distinct > MANY_CATEGORIES:
            if distinct > rows / 5:
                add(name, f"{name}: {distinct:,} different texts in {counted(rows, 'row')}. Leave it out?")
        elif gaps > MANY_GAPS * rows:
            add(name, f"{name}: {gaps / rows:.0%} of its values are missing. Leave it out?")
        digest = int(column.hash(1).sum() or 0)
        twin = seen.setdefault(digest, name)
        if twin != name and distinct > 2 and column.equals(frame[twin], check_dtypes=True):
            add(name, f"{name} says the same as {twin} in every row. Leave it out?")
    return found[:10]


def reading_report(model: Any, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Say of each column of a model how the rows of a table are read: read, empty, unknown, not read, absent."""
    report = []
    for variable in model.schema_.columns:
        line: dict[str, Any] = {"column": variable.name, "read": 0, "empty": 0, "unknown": 0, "unread": 0}
        line["examples"] = []
        if variable.name not in frame.columns:
            report.append({**line, "absent": True})
            continue
        column = frame[variable.name]
        line["empty"] = column.null_count()
        known = column.drop_nulls()
        strange = known.head(0)
        if variable.cuts is not None and variable.dtype in ("integer", "float") and known.dtype == pl.String:
            texts = [each for each in known.unique() if each not in variable.marks and not is_mark(each)]
            numbers = read_numbers(texts, variable.reading)
            wrong = [text for text, number in zip(texts, numbers, strict=True) if math.isnan(number)]
            strange = known.filter(known.is_in(wrong))
            line["unread"] = strange.len()
        elif variable.cuts is None and variable.dtype not in ("identifier", "untyped"):
            states = {label_text(state) for state in variable.value_states}
            new = [value for value in known.unique() if label_text(value) not in states]
            if variable.other is None:
                strange = known.filter(known.is_in(new))
                line["unknown"] = strange.len()
        line["examples"] = [clip(each) for each in strange.unique(maintain_order=True).head(MOST_EXAMPLES)]
        line["read"] = column.len() - line["empty"] - line["unknown"] - line["unread"]
        report.append(line)
    return report
