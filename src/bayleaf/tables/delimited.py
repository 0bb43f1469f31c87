"""CSV, TSV and their relatives.

Python's csv module decides what the rows and fields are, so that a ragged line is reported with its number;
polars then reads the checked rows at once.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, read_bytes
from bayleaf._util.words import counted, listing, short, warn

from . import column_text
from .column_text import MISSING_VALUES

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
LOOK = 1000  # rows that tell whether the first line is one
LONGEST_FIELD = 2**31 - 1  # what every platform can be told
ANNOUNCEMENT = re.compile(r'"?sep=(?P<mark>[^"\r\n])"?[ \t]*(?=[\r\n]|$)', re.IGNORECASE)
SPELLED_OUT = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|"}


def read_delimited(
    path: Path,
    *,
    usual: str,
    delimiter: str | None = None,
    decimal: str | None = None,
    missing: Collection[str] = MISSING_VALUES,
    as_text: Container[str] = (),
    categorical: Container[str] = (),
    encoding: str | None = None,
    header: bool = True,
    content: bytes | None = None,
    skipped: int = 0,
    deciding: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Read a text file with one row per line; its first line names the columns.

    ``usual`` is the delimiter that files of this kind have; another one is looked for where the header lacks it. The
    other parameters are those of `bayleaf.tables.table_files.read_content`.
    """
    found = read_bytes(path) if content is None else content
    text, announced = announced_delimiter(decode(path, found, encoding, skipped).rstrip("\r\n"))
    chosen = choose_delimiter(path, text, usual, delimiter or announced)
    frame = _fields(path, text, chosen, header, skipped)
    cleaned = column_text.blank_out(frame, missing)
    if header and deciding is None and looks_like_a_row(cleaned.head(LOOK)):
        warn(
            f"The first line of '{path}' looks like a row, not like names of columns ({listing(frame.columns, 4)}): "
            "if it is one, read the file with header=False (--no-header)."
        )
    texts = cleaned.select([name for name in cleaned.columns if name not in as_text])
    if deciding is not None:
        texts = pl.concat([deciding.select(texts.columns), texts])
    labels = [column_text.as_labels(texts[name]) for name in texts.columns if name in categorical]
    typed = type_columns(texts.drop(column.name for column in labels), path, chosen, decimal)
    if deciding is None:  # else whoever knows the whole column warns of it
        commas = commas_are_decimal(chosen, decimal)
        column_text.warn_of_mixed_columns(typed, path, decimal=decimal, commas=commas)
    return cleaned.with_columns(column.tail(cleaned.height) for column in [*typed.get_columns(), *labels])


def looks_like_a_row(frame: pl.DataFrame) -> bool:
    """Tell whether the names of columns of text are values like those below them.

    They are if each is a number above numbers, or a text that occurs again; only above texts that all differ it need
    not. Whole numbers in ascending order, such as years, are names nevertheless.

    Examples
    --------
    >>> looks_like_a_row(pl.DataFrame({"5.1": ["4.9", "4.7"], "setosa": ["setosa", "other"]}))
    True
    >>> looks_like_a_row(pl.DataFrame({"country": ["Chad", "Mali"], "1990": ["1.5", "2"], "1991": ["3", "2.5"]}))
    False
    """
    numbers = [name for name in frame.columns if _number(name) is not None]
    values = [_number(name) or 0.0 for name in numbers]
    are_whole = all(value % 1 == 0 for value in values)
    if len(values) > 1 and are_whole and values == sorted(set(values)):
        return False
    alike = 0
    for number, column in enumerate(frame.get_columns(), start=1):
        known = column.drop_nulls()
        if column.name == f"column_{number}" or not len(known):  # without a name, or without values
            continue
        if column.name in numbers:
            again = not known.cast(pl.Float64, strict=False).has_nulls()
        else:
            again = bool((known == column.name).any())
            if not again and len(known) > 1 and known.n_unique() == len(known):
                continue  # names of the rows: the first is another one
        if not again:
            return False
        alike += 1
    return alike > 0 and frame.height > 1


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _fields(path: Path, text: str, delimiter: str, header: bool, skipped: int) -> pl.DataFrame:
    """Split a text into rows and columns of text."""
    with _fields_of_any_length(text):
        rows = _rows(path, text, delimiter, skipped)
        first = next(rows, None)
        if first is None:
            raise DataFileError(f"'{path}' has neither a header nor rows.")
        width = len(first[1])
        names = _column_names(path, first[1]) if header else [f"column_{k + 1}" for k in range(width)]
        if is_plain(text, delimiter, width):
            frame = pl.read_csv(
                text.encode(), separator=delimiter, quote_char=None, infer_schema=False, has_header=header
            )
        else:
            body = rows if header else chain([first], rows)
            checked = _checked(path, body, width, delimiter, "header" if header else "first line")
            frame = pl.read_csv(_canonical(checked, width), infer_schema=False)
    if frame.height == 0:
        raise DataFileError(f"'{path}' has a header but no rows.")
    frame.columns = names
    return frame


def type_columns(frame: pl.DataFrame, path: Path, delimiter: str, decimal: str | None) -> pl.DataFrame:
    """Give every column of text the narrowest type that all its values have.

    Without a decimal mark, files that are separated by semicolons may have decimal commas, and others have points.
    """
    if decimal == ",":
        return column_text.by_decimal_comma(frame)
    if decimal == ".":
        return column_text.by_decimal_point(frame)
    if decimal is None and delimiter == ";":
        return column_text.by_either_mark(frame, path)
    return frame.with_columns(column_text.narrowest(column) for column in frame.get_columns())


def commas_are_decimal(delimiter: str, decimal: str | None) -> bool:
    """Tell whether decimal commas are looked for."""
    return decimal == "," or (decimal is None and delimiter == ";")


def delimited_text(frame: pl.DataFrame, delimiter: str) -> str:
    """Return a table as text that `read_delimited` reads again: names with any mark that may separate are quoted."""
    special = {*DELIMITERS, '"', "\n", "\r"}
    names = ['"' + name.replace('"', '""') + '"' if special & {*name} else name for name in frame.columns]
    return delimiter.join(names) + "\n" + frame.write_csv(separator=delimiter, include_header=False)


def delimiter_of(
    path: Path, first_line: bytes, usual: str, delimiter: str | None = None, encoding: str | None = None
) -> str:
    r"""Return the delimiter of a text file by its first line and what stands before it; see `read_delimited`."""
    text, announced = announced_delimiter(decode(path, first_line, encoding))
    return choose_delimiter(path, text, usual, delimiter or announced)


def announced_delimiter(text: str) -> tuple[str, str | None]:
    r"""Take off the line in which Excel names a delimiter; its end stays, so that lines keep their numbers."""
    found = ANNOUNCEMENT.match(text)
    return (text[found.end() :], found["mark"]) if found else (text, None)


def decode(path: Path, content: bytes, encoding: str | None = None, skipped: int = 0) -> str:
    """Decode a text file, UTF-8 by default, with or without a byte order mark; raise where it is not that.

    Line numbers in messages count from the beginning of the file, including ``skipped`` lines before the content.
    """
    if encoding is None and content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataFileError(f"'{path}' is UTF-16 text: save it as UTF-8, or name the encoding utf-16.")
    try:
        text = content.decode(encoding or "utf-8-sig").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1 + skipped
        what, way = (
            ("UTF-8", "Save the file as UTF-8, or name its encoding")
            if encoding is None
            else (encoding, "Name another encoding")
        )
        raise DataFileError(
            f"'{path}' is not {what} text: line {line} has the byte 0x{content[error.start]:02x}. {way}."
        ) from None
    except LookupError:
        raise DataFileError(
            f"There is no encoding '{encoding}'; usual ones are utf-8, latin-1, cp1252 and utf-16."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1 + skipped
        raise DataFileError(
            f"'{path}' has a NUL character in line {line}: it is damaged, no text file, or in another encoding."
        )
    if not text.strip():
        raise DataFileError(f"'{path}' is empty.")
    return text


def choose_delimiter(path: Path, text: str, usual: str, given: str | None) -> str:
    """Return the delimiter of a text, by its header."""
    header = text.lstrip("\r\n").split("\n", 1)[0]
    likely = _likely_delimiter(header)
    if given is None:
        return usual if usual in _outside_quotes(header) else (likely or usual)
    delimiter = SPELLED_OUT.get(given.lower(), given)
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n':
        raise DataFileError(
            f"The delimiter must be one character, such as ',' or ';' or 'tab'. Got {given!r}."
        )
    if delimiter not in header and likely is not None:
        raise DataFileError(
            f"With the delimiter {_shown(delimiter)}, the whole header of '{path}' is one column; it seems to be "
            f"separated by {DELIMITERS[likely]}."
        )
    return delimiter


def is_plain(text: str, delimiter: str, width: int) -> bool:
    """Tell whether lines are rows and delimiters separate fields, without quotes, in text that ends with a field."""
    if width < 2 or '"' in text or text.count("\r") != text.count("\r\n"):
        return False
    content = np.frombuffer(f"{text}\n".encode(), dtype=np.uint8)
    ends = np.flatnonzero(content == ord("\n"))
    marks = np.flatnonzero(content == ord(delimiter))
    per_line = np.diff(np.searchsorted(marks, ends), prepend=0)
    return bool((per_line == width - 1).all())


def _canonical(rows: Iterable[list[str]], width: int) -> bytes:
    """Write rows in the plainest CSV; the header only numbers the columns, since names need not be unique yet."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(range(width))
    writer.writerows(rows)
    return file.getvalue().encode()


def _likely_delimiter(header: str) -> str | None:
    outside = _outside_quotes(header)
    found = [mark for mark in DELIMITERS if mark in outside]
    return max(found, key=outside.count) if found else None


def _outside_quotes(header: str) -> str:
    return "".join(header.split('"')[::2])


def _shown(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, repr(delimiter))


@contextmanager
def _fields_of_any_length(text: str) -> Iterator[None]:
    """Let Python's csv module read fields as long as the text; its limit holds for the whole process."""
    before = csv.field_size_limit()
    csv.field_size_limit(max(before, min(len(text), LONGEST_FIELD)))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _rows(path: Path, text: str, delimiter: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row that is not blank; lines are skipped after the first."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1 + (skipped if reader.line_num else 0)
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "a quote is never closed" if "end of data" in str(error) else str(error)
            raise DataFileError(f"'{path}', the row that starts in line {line}: {reason}.") from None
        if fields:
            yield line, fields


def _checked(
    path: Path, rows: Iterable[tuple[int, list[str]]], width: int, delimiter: str, by: str
) -> Iterator[list[str]]:
    for line, fields in rows:
        if len(fields) != width:
            raise DataFileError(
                f"'{path}', line {line} has {counted(len(fields), 'field')} separated by {_shown(delimiter)}; the "
                f"{by} has {width}."
            )
        yield fields


def _column_names(path: Path, header: list[str]) -> list[str]:
    names = [name.strip() or f"column_{number}" for number, name in enumerate(header, start=1)]
    nameless = [name for name, given in zip(names, header, strict=True) if not given.strip()]
    if nameless:
        warn(
            f"'{path}' has a column without a name, called '{nameless[0]}' here; drop it if it only numbers the "
            "rows.",
        )
    refuse_same_names(path, names)
    return names


def refuse_same_names(path: Path, names: Sequence[str]) -> None:
    """Raise if two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(f"'{short(name)}'" for name in twice[:5]) + (", ..." if len(twice) > 5 else "")
        is_row = any(_number(name) is not None for name in names) or 2 * len(set(names)) <= len(names)
        hint = (
            ", or read the file with header=False (--no-header) if its first line is a row" if is_row else ""
        )
        raise DataFileError(f"'{path}' has more than one column named {shown}: give each its own name{hint}.")
