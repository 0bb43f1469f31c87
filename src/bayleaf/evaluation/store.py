"""The append-only result table: one line per finished unit of work, safe against interruption.

A line counts only when its line feed is there. Whatever follows the last line feed was cut off by a crash
and is dropped when the file is opened again.
"""

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from .measures import Measure
from .work import Known, WorkUnit

TEXT_COLUMNS = ("dataset", "method", "protocol", "fingerprint", "data", "error")
COUNT_COLUMNS = ("repeat", "fold", "rows", "train_rows", "test_rows")
LEADING_COLUMNS = (
    "dataset",
    "method",
    "repeat",
    "fold",
    "rows",
    "train_rows",
    "test_rows",
    "protocol",
    "fingerprint",
    "data",
)
Line = dict[str, Any]
Key = tuple[str, str, int, int]


def result_columns(measures: Sequence[Measure]) -> tuple[str, ...]:
    """Columns of a result table.

    Examples
    --------
    >>> from bayleaf.evaluation.measures import MEASURES
    >>> result_columns(MEASURES)[-2:]
    ('n_parameters', 'error')
    """
    return (*LEADING_COLUMNS, *(measure.name for measure in measures), "error")


class ResultFile:
    """Append finished units to a CSV file, or keep them in memory when ``path`` is None.

    Parameters
    ----------
    path : path or None
        File to append to; made when absent.
    columns : sequence of str
        Columns of the table. A file with other columns is refused; one without ``data``, as they were made before
        there were digests of the data, stays without.

    Examples
    --------
    >>> with ResultFile(None, ["dataset", "method", "repeat", "fold", "error"]) as file:
    ...     file.append({"dataset": "iris", "method": "NB", "repeat": 0, "fold": 0, "error": ""})
    >>> list(file.lines)
    [('iris', 'NB', 0, 0)]
    """

    def __init__(self, path: str | os.PathLike[str] | None, columns: Sequence[str]) -> None:
        self.path = None if path is None else Path(path)
        self.columns = tuple(columns)
        self.lines: dict[Key, Line] = {}
        self._file: IO[str] | None = None

    def __enter__(self) -> "ResultFile":
        if self.path is not None:
            if not self.path.parent.is_dir():
                folder = self.path.parent
                raise FileNotFoundError(f"Cannot write '{self.path}': the folder '{folder}' does not exist.")
            drop_cut_line(self.path)
            is_new = not self.path.exists() or self.path.stat().st_size == 0
            if not is_new:
                self._take_over(self.path)
            self._file = self.path.open("a", encoding="utf-8", newline="")
            if is_new:
                self._write(self.columns)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def append(self, line: Line) -> None:
        """Add one finished unit and hand it to the operating system at once."""
        self.lines[_key(line)] = line
        if self._file is not None:
            self._write([line[column] for column in self.columns])

    def finished(self, units: Iterable[WorkUnit], *, retry_failed: bool) -> dict[Key, Line]:
        """Lines of the units that need not run again; refuses lines made with other settings."""
        found = {}
        for unit in units:
            line = self.lines.get(unit.key)
            if line is None:
                continue
            if line["fingerprint"] != unit.fingerprint:
                raise ValueError(self._mismatch(unit, line))
            if not (retry_failed and line["error"]):
                found[unit.key] = line
        return found

    @property
    def keeps_digests(self) -> bool:
        """Whether lines of this file tell which data they were made with."""
        return self.path is not None and "data" in self.columns

    def known_data(self) -> dict[str, Known]:
        """Return what the lines tell of each data set, whichever method they are of."""
        rows, digests = (
            {line["dataset"]: line[column] for line in self.lines.values() if line.get(column)}
            for column in ("rows", "data")
        )
        return {name: Known(rows.get(name), digests.get(name, "")) for name in {*rows, *digests}}

    def _mismatch(self, unit: WorkUnit, line: Line) -> str:
        if line["protocol"] != unit.protocol:
            what = f"the protocol '{line['protocol']}', this run asks for '{unit.protocol}'"
        else:
            what = f"other parameters than {unit.method_settings}"
        return (
            f"'{self.path}' already holds results of '{unit.method}' on '{unit.dataset}' made with {what}. "
            "Use another file, or another name for the method."
        )

    def _take_over(self, path: Path) -> None:
        header, lines = read_lines(path)
        if header == tuple(column for column in self.columns if column != "data"):
            self.columns = header
        if header != self.columns:
            raise ValueError(
                f"'{path}' has the columns {', '.join(header)}, "
                f"but this run writes {', '.join(self.columns)}. "
                "Use another file or the same measures."
            )
        self.lines = {_key(line): line for line in lines}

    def _write(self, values: Iterable[Any]) -> None:
        assert self._file is not None
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(["" if value is None else value for value in values])
        self._file.write(text.getvalue())
        self._file.flush()


def drop_cut_line(path: Path) -> None:
    r"""Cut off what follows the last line feed of a file.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("a,b\n1,2\n3,")
    >>> drop_cut_line(path)
    >>> path.read_text()
    'a,b\n1,2\n'
    """
    if not path.exists():
        return
    with path.open("rb+") as file:
        content = file.read()
        keep = content.rfind(b"\n") + 1
        if keep < len(content):
            file.truncate(keep)


def read_lines(path: Path) -> tuple[tuple[str, ...], list[Line]]:
    r"""Header and typed lines of a result file; a cut last line is skipped.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.csv"
    >>> _ = path.write_text("dataset,method,repeat,fold,auc,error\niris,NB,0,1,0.98,\niris,NB,0,2,0.")
    >>> read_lines(path)[1]
    [{'dataset': 'iris', 'method': 'NB', 'repeat': 0, 'fold': 1, 'auc': 0.98, 'error': ''}]
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"'{path}' is not a result table of bayleaf: it is not UTF-8 text.") from error
    complete = text[: text.rfind("\n") + 1]
    rows = list(csv.reader(io.StringIO(complete, newline="")))
    header = tuple(rows[0]) if rows else ()
    missing = [name for name in ("dataset", "method", "repeat", "fold", "error") if name not in header]
    if missing:
        raise ValueError(f"'{path}' is not a result table of bayleaf: it lacks the column '{missing[0]}'.")
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        try:
            lines.append({name: _typed(name, text) for name, text in zip(header, row, strict=True)})
        except ValueError as error:
            raise ValueError(
                f"Line {number} of '{path}' is damaged ({error}). Remove it and go on."
            ) from error
    return header, lines


def _typed(name: str, text: str) -> Any:
    if name in TEXT_COLUMNS:
        return text
    if name in COUNT_COLUMNS:
        return int(text) if text else None
    return float(text)


def _key(line: Mapping[str, Any]) -> Key:
    return (line["dataset"], line["method"], line["repeat"], line["fold"])
