"""Results: the append-only file that grows with every finished unit of work, and the table read off it.

A line of the file counts only when its line feed is there. Whatever follows the last line feed was cut off by a crash
and is dropped when the file is opened again.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.machine import format_bytes
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import NO_ROOM, no_room, read_text
from bayleaf._util.words import counted
from bayleaf.quality.measures import Measure, find_measure, known_measure

from .result_tables import Cell, ResultTable, Scoreboard, total_rows, value_cells
from .work import RecordedData, WorkUnit

KEY_COLUMNS = ("dataset", "method", "repeat", "fold")
LEADING_COLUMNS = (*KEY_COLUMNS, "rows", "train_rows", "test_rows", "protocol", "fingerprint", "data")
TEXT_COLUMNS = ("dataset", "method", "protocol", "fingerprint", "data", "error")
COUNT_COLUMNS = ("repeat", "fold", "rows", "train_rows", "test_rows")
# Of more methods and data sets, only their number is told.
MOST_FAILURES = 5
Line = dict[str, Any]
Key = tuple[str, str, int, int]


@dataclass(frozen=True, eq=False)
class Results:
    """Results of `evaluate`: one line per data set, method, repeat and fold.

    Attributes
    ----------
    frame : polars.DataFrame
        All lines, those of failed folds with the message in ``error``.
    measures : tuple of Measure
        What was measured.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bayleaf.benchmark import TrainTest, evaluate
    >>> data = (np.array([[0.0], [1.0], [0.1], [0.9]]), np.array(["low", "high", "low", "high"]))
    >>> results = evaluate({"NB": GaussianNB()}, {"toy": data}, TrainTest(train_rows=2))
    >>> results.values("zero_one_loss", "toy", "NB")
    array([0.])
    """

    frame: pl.DataFrame
    measures: tuple[Measure, ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, extra_measures: Sequence[Measure] = ()) -> Results:
        """Read a result file, finished or not; ``extra_measures`` are those that bayleaf does not know.

        A fold that was run again counts once, with its last line.
        """
        header, lines = read_lines(Path(path))
        names = [name for name in header if name not in (*LEADING_COLUMNS, "error")]
        unique = {_key(line): line for line in lines}
        return cls.from_lines(unique.values(), tuple(known_measure(name, extra_measures) for name in names))

    @classmethod
    def from_lines(cls, lines: Iterable[dict[str, Any]], measures: tuple[Measure, ...]) -> Results:
        """Make a table of typed lines."""
        types = dict.fromkeys(TEXT_COLUMNS, pl.String) | dict.fromkeys(COUNT_COLUMNS, pl.Int64)
        schema = {name: types.get(name, pl.Float64) for name in result_columns(measures)}
        complete = [{"data": "", **line} for line in lines]  # files kept in experiments may lack it
        return cls(pl.DataFrame(complete, schema=schema, orient="row"), measures)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, in order of appearance."""
        return tuple(self.frame["dataset"].unique(maintain_order=True))

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods, in order of appearance."""
        return tuple(self.frame["method"].unique(maintain_order=True))

    @property
    def errors(self) -> pl.DataFrame:
        """Lines of the folds that failed."""
        return self.frame.filter(pl.col("error") != "").select(*KEY_COLUMNS, "error")

    def select(
        self, *, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> Results:
        """Lines of some data sets and methods only."""
        frame = self.frame
        for column, names, known in (("dataset", datasets, self.datasets), ("method", methods, self.methods)):
            if names is not None:
                self._check_known(column, names, known)
                frame = frame.filter(pl.col(column).is_in(list(names)))
        return Results(frame, self.measures)

    @staticmethod
    def _check_known(kind: str, names: Iterable[str], known: Sequence[str]) -> None:
        for name in names:
            if name not in known:
                raise ValueError(
                    f"There is no {kind} '{name}' in these results. Known here: {', '.join(known)}."
                )

    def measure(self, measure: str | Measure) -> Measure:
        """Look up one of the measures of this table."""
        return find_measure(measure if isinstance(measure, str) else measure.name, self.measures)

    def values(self, measure: str | Measure, dataset: str, method: str) -> NDArray[np.float64]:
        """Fold values in order of repeat and fold; NaN where the fold failed or the value is undefined."""
        chosen = self.measure(measure)
        self._check_known("dataset", [dataset], self.datasets)
        self._check_known("method", [method], self.methods)
        lines = self.frame.filter((pl.col("dataset") == dataset) & (pl.col("method") == method))
        return lines.sort("repeat", "fold")[chosen.name].to_numpy()

    def spread(self, measure: str | Measure) -> pl.DataFrame:
        """Mean and standard deviation (n - 1) over the folds, number of folds planned and failed, the first reason.

        A fold whose value is undefined (an AUC with one class only) is left out of mean and deviation. Where a fold
        failed there are none: those that are left may be the easy ones.
        """
        name = self.measure(measure).name
        defined, failed = pl.col(name).filter(pl.col(name).is_not_nan()), pl.col("error") != ""
        return self.frame.group_by("dataset", "method", maintain_order=True).agg(
            mean=pl.when(~failed.any()).then(defined.mean()),
            deviation=pl.when(~failed.any()).then(defined.std()),
            rows=pl.col("rows").max(),
            folds=pl.len(),
            failed=failed.sum(),
            reason=pl.col("error").filter(failed).first(),
        )

    def failures(self) -> list[str]:
        """Say of each method with failed folds on which data set how many failed, and why.

        Examples
        --------
        >>> from bayleaf.quality.measures import MEASURES
        >>> line = {"dataset": "toy", "method": "NB", "repeat": 0, "rows": 9} | {each.name: 0.5 for each in MEASURES}
        >>> lines = [{**line, "fold": 0, "error": ""}, {**line, "fold": 1, "error": "ValueError: No rows."}]
        >>> Results.from_lines(lines, MEASURES).failures()
        ['NB failed in 1 of 2 folds of toy: ValueError: No rows.']
        """
        lines = self.spread(self.measures[0]).filter(pl.col("failed") > 0)
        told = [
            f"{line['method']} failed in {line['failed']} of {counted(line['folds'], 'fold')} of {line['dataset']}: "
            f"{line['reason'].rstrip('.')}."
            for line in lines.head(MOST_FAILURES).iter_rows(named=True)
        ]
        more = lines.height - len(told)
        return [*told, f"{more:,} more such: see errors."] if more else told

    def scoreboard(self, measure: str | Measure) -> Scoreboard:
        """Fold means as data sets times methods, for tests and figures.

        Data sets on which a method lacks folds or failed on one are left out, since their means would not be
        over the same rows; ``left_out`` names them.
        """
        chosen = self.measure(measure)
        means, _, complete = self._grids(chosen)
        usable = complete.all(axis=1)
        if not usable.any():
            bad = [m for column, m in enumerate(self.methods) if not complete[:, column].any()]
            hint = f" ({', '.join(bad)} on none)" if bad else ""
            raise ValueError(f"No data set has complete values of '{chosen.name}' for all methods{hint}.")
        names = np.array(self.datasets, dtype=object)
        kept, left_out = tuple(names[usable]), tuple(names[~usable])
        return Scoreboard(means[usable], self.methods, kept, chosen.higher_is_better, chosen.title, left_out)

    def deviations(self, measure: str | Measure) -> dict[str, NDArray[np.float64]]:
        """Give the standard deviation over the folds per method, in the order of the scoreboard's rows."""
        _, deviations, complete = self._grids(self.measure(measure))
        usable = deviations[complete.all(axis=1)]
        return {method: usable[:, column] for column, method in enumerate(self.methods)}

    def summary(self, measure: str | Measure = "zero_one_loss", *, digits: int = 3) -> ResultTable:
        """Mean ± standard deviation over the folds per data set and method, the best in bold.

        Means over fewer folds than planned show how many, and are never marked as best. The totals are over
        the data sets that are complete for all methods.
        """
        chosen = self.measure(measure)
        means, deviations, complete = self._grids(chosen)
        rows = []
        for number, dataset in enumerate(self.datasets):
            masked = np.where(complete[number], means[number], np.nan)
            cells = list(value_cells(masked, deviations[number], chosen.higher_is_better, digits))
            for column in np.flatnonzero(~complete[number]):
                cells[column] = self._partial_cell(chosen, dataset, self.methods[column], digits)
            rows.append((dataset, tuple(cells)))
        notes: list[str] = []
        totals: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
        if complete.all(axis=1).any():
            board = self.scoreboard(chosen)
            totals = total_rows(board, digits)
            if board.left_out:
                notes.append(
                    f"Mean and rank leave out {', '.join(board.left_out)}: not complete for all methods."
                )
        notes += self.failures()
        return ResultTable(chosen.title, ("dataset", *self.methods), tuple(rows), totals, tuple(notes))

    def dataset_rows(self) -> dict[str, int]:
        """Count the rows of every data set."""
        sizes = self.frame.group_by("dataset", maintain_order=True).agg(pl.col("rows").max())
        return dict(sizes.iter_rows())

    def _grids(self, measure: Measure) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Means, deviations and completeness, data sets times methods."""
        shape = (len(self.datasets), len(self.methods))
        means, deviations = np.full(shape, np.nan), np.full(shape, np.nan)
        complete = np.zeros(shape, dtype=bool)
        table = self.spread(measure)
        planned = dict(table.group_by("dataset").agg(pl.col("folds").max()).iter_rows())
        row = {name: number for number, name in enumerate(self.datasets)}
        column = {name: number for number, name in enumerate(self.methods)}
        for line in table.iter_rows(named=True):
            at = row[line["dataset"]], column[line["method"]]
            if line["mean"] is not None:
                means[at] = line["mean"]
                deviations[at] = np.nan if line["deviation"] is None else line["deviation"]
                complete[at] = line["failed"] == 0 and line["folds"] == planned[line["dataset"]]
        return means, deviations, complete

    def _partial_cell(self, measure: Measure, dataset: str, method: str, digits: int) -> Cell:
        table = self.spread(measure).filter(pl.col("dataset") == dataset)
        planned = int(table["folds"].to_numpy().max())
        own = table.filter(pl.col("method") == method)
        if own.is_empty():
            return Cell("–")
        line = own.row(0, named=True)
        if line["failed"]:
            return Cell("failed")
        if line["mean"] is None:
            return Cell("–")
        return Cell(f"{line['mean']:.{digits}f} ({line['folds']}/{planned})", value=line["mean"])


def result_columns(measures: Sequence[Measure]) -> tuple[str, ...]:
    """Columns of a result table."""
    return (*LEADING_COLUMNS, *(measure.name for measure in measures), "error")


class ResultFile:
    """Append finished units to a CSV file, or keep them in memory when ``path`` is None.

    Parameters
    ----------
    path : path or None
        File to append to; created if missing.
    columns : sequence of str
        Columns of the table. A file with other columns is refused; one without ``data``, as they were made before
        there were digests of the data, stays without.
    """

    def __init__(self, path: str | os.PathLike[str] | None, columns: Sequence[str]) -> None:
        self.path = None if path is None else Path(path)
        self.columns = tuple(columns)
        self.lines: dict[Key, Line] = {}
        self._file: IO[str] | None = None

    def __enter__(self) -> ResultFile:
        if self.path is not None:
            if not self.path.parent.is_dir():
                folder = self.path.parent
                raise FileNotFoundError(f"Cannot write '{self.path}': the folder '{folder}' does not exist.")
            is_new = not self.path.exists() or begins_header(self.path)
            if not is_new:
                self._take_over(self.path)
            # "w" for a file that is empty, or was killed in its first line
            self._file = self.path.open("w" if is_new else "a", encoding="utf-8", newline="")
            if is_new:
                self._write(self.columns)
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # every line that counts was handed over when it came
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

    def known_data(self) -> dict[str, RecordedData]:
        """Return what the lines say about each data set, whichever method they belong to."""
        rows, digests = (
            {line["dataset"]: line[column] for line in self.lines.values() if line.get(column)}
            for column in ("rows", "data")
        )
        return {name: RecordedData(rows.get(name), digests.get(name, "")) for name in {*rows, *digests}}

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
        """Read a file of results, and cut off a last line that was not finished; any other file stays as it is."""
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
        os.truncate(path, path.read_bytes().rfind(b"\n") + 1)

    def _write(self, values: Iterable[Any]) -> None:
        assert self._file is not None
        assert self.path is not None
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(values)
        try:
            self._file.write(line.getvalue())
            self._file.flush()
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            size = self.path.stat().st_size + len(line.getvalue().encode())
            raise no_room(self.path, error, f"more than {format_bytes(size)}") from None


def begins_header(path: Path) -> bool:
    """Whether a file holds nothing but the beginning of a result table's first line, as a killed run leaves it."""
    content, leading = path.read_bytes(), ",".join(LEADING_COLUMNS).encode()
    return b"\n" not in content and (leading.startswith(content) or content.startswith(leading + b","))


def read_lines(path: Path) -> tuple[tuple[str, ...], list[Line]]:
    """Header and typed lines of a result file; a cut last line is skipped."""
    text = read_text(path, "a result table of bayleaf")
    complete = text[: text.rfind("\n") + 1]
    rows = list(csv.reader(io.StringIO(complete, newline="")))
    header = tuple(rows[0]) if rows else ()
    missing = [name for name in (*KEY_COLUMNS, "error") if name not in header]
    if missing:
        raise ValueError(f"'{path}' is not a result table of bayleaf: it lacks the column '{missing[0]}'.")
    lines = []
    for number, row in enumerate(rows[1:], start=2):
        try:
            lines.append({name: _typed(name, text) for name, text in zip(header, row, strict=True)})
        except ValueError as error:
            raise ValueError(
                f"Line {number} of '{path}' is damaged ({error}). Remove the line and run again."
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
