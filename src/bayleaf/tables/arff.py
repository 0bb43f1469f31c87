"""ARFF, the format of Weka: a header that declares the attributes, then rows separated by commas.

SciPy has a reader too, but it takes no quoted values (``'male single'``) unless the first row has some, no text
beyond ASCII and no string attributes, and its messages name no line.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, read_bytes
from bayleaf._util.words import counted

from .column_text import blank_out, booleans, narrowest
from .delimited import decode, refuse_same_names

NUMBERS = ("numeric", "real", "integer")
TEXTS = ("string", "date")
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+(?P<name>{_QUOTED}|[^\s{{]+)\s*(?P<type>.+)$", re.IGNORECASE)
_FIELD = re.compile(rf"\s*(?P<field>{_QUOTED}|[^,\t'\"]*?)\s*(?:[,\t]|$)")


@dataclass(frozen=True)
class Attribute:
    """A column as the header declares it: of numbers, of text, or of one of some labels."""

    name: str
    kind: str
    labels: frozenset[str] = frozenset()


def read_arff(
    path: Path, missing: Collection[str], encoding: str | None = None, content: bytes | None = None
) -> pl.DataFrame:
    """Read an ARFF file: numbers as numbers, nominal and string attributes as text, "?" as null."""
    lines = _lines(decode(path, read_bytes(path) if content is None else content, encoding))
    attributes = list(_header(path, lines))
    if not attributes:
        raise DataFileError(f"'{path}' is not an ARFF file: it declares no @attribute.")
    refuse_same_names(path, [attribute.name for attribute in attributes])
    numbers, rows = [], []
    for number, line in lines:
        numbers.append(number)
        rows.append(_row(path, number, line, len(attributes)))
    if not rows:
        raise DataFileError(f"'{path}' has a header but no rows.")
    names = [attribute.name for attribute in attributes]
    frame = blank_out(
        pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row"), ["?", *missing]
    )
    columns = zip(attributes, frame.get_columns(), strict=True)
    return pl.DataFrame([_typed(path, attribute, column, numbers) for attribute, column in columns])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Give number and content of the lines that are neither blank nor a comment."""
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if content and not content.startswith("%"):
            yield number, content


def _header(path: Path, lines: Iterator[tuple[int, str]]) -> Iterator[Attribute]:
    """Attributes up to the line that says @data."""
    for number, line in lines:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            return
        if keyword == "@attribute":
            found = _ATTRIBUTE.match(line)
            if found is None:
                raise DataFileError(
                    f"'{path}', line {number} is not an attribute of an ARFF file: {line[:60]}."
                )
            yield _attribute(path, number, _plain(found["name"]), found["type"].strip())
        elif keyword != "@relation":
            raise DataFileError(
                f"'{path}' is not an ARFF file: line {number} is neither @attribute nor @data."
            )
    raise DataFileError(f"'{path}' is not a complete ARFF file: it has no @data section.")


def _attribute(path: Path, line: int, name: str, kind: str) -> Attribute:
    if kind.startswith("{") and kind.endswith("}"):
        labels = _fields(kind[1:-1])
        if labels is None:
            raise DataFileError(f"'{path}', line {line} declares '{name}' with a quote that is never closed.")
        return Attribute(name, "nominal", frozenset(labels))
    word = kind.split()[0].lower()
    if word not in (*NUMBERS, *TEXTS):
        raise DataFileError(
            f"'{path}', line {line} declares '{name}' of type '{kind[:40]}', which is not supported."
        )
    return Attribute(name, "number" if word in NUMBERS else "text")


def _row(path: Path, number: int, line: str, width: int) -> list[str]:
    if line.startswith("{"):
        raise DataFileError(
            f"'{path}', line {number} is a sparse row, which is not supported: write all its values."
        )
    fields = _fields(line)
    if fields is None:
        raise DataFileError(
            f"'{path}', line {number} has a quote that is never closed or follows other text."
        )
    if len(fields) != width:
        raise DataFileError(
            f"'{path}', line {number} has {counted(len(fields), 'field')}; the header declares {width}."
        )
    return fields


def _fields(line: str) -> list[str] | None:
    """Split at commas and tabs outside quotes; None where quotes are out of order."""
    if "'" not in line and '"' not in line:
        return [field.strip() for field in re.split("[,\t]", line)]
    fields = []
    position = 0
    while position <= len(line):
        found = _FIELD.match(line, position)
        if found is None:
            return None
        fields.append(_plain(found["field"]))
        if found.end() == len(line) and line[-1] not in ",\t":
            break
        position = max(found.end(), position + 1)
    return fields


def _plain(text: str) -> str:
    """Take off quotes and the backslashes inside them."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


def _typed(path: Path, attribute: Attribute, column: pl.Series, lines: list[int]) -> pl.Series:
    if attribute.kind == "text":
        return column
    if attribute.kind == "number":
        typed = narrowest(column)
        wrong = column.cast(pl.Float64, strict=False).is_null() & column.is_not_null()
        problem = "is not a number"
    else:
        typed = booleans(column)
        wrong = ~column.is_in(list(attribute.labels)) & column.is_not_null()
        problem = "is not among the labels that the header declares"
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataFileError(f"'{path}', line {lines[row]}: '{column[row]}' of '{attribute.name}' {problem}.")
    return (
        typed.cast(pl.Float64) if typed.null_count() == len(typed) and attribute.kind == "number" else typed
    )
