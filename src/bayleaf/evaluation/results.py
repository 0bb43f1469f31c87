"""The finished result table and what can be read off it."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bayleaf._util.words import listing, plural

from .measures import MEASURES, Measure, find_measure
from .paired_tests import zero_one_loss_ratio
from .scoreboard import Scoreboard
from .store import COUNT_COLUMNS, LEADING_COLUMNS, TEXT_COLUMNS, read_lines, result_columns
from .tables import Cell, ResultTable, total_rows, value_cells


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
    >>> from bayleaf.evaluation import TrainTest, evaluate
    >>> data = (np.array([[0.0], [1.0], [0.1], [0.9]]), np.array(["low", "high", "low", "high"]))
    >>> results = evaluate({"NB": GaussianNB()}, {"toy": data}, TrainTest(train_rows=2))
    >>> results.values("zero_one_loss", "toy", "NB")
    array([0.])
    """

    frame: pl.DataFrame
    measures: tuple[Measure, ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, extra_measures: Sequence[Measure] = ()) -> "Results":
        """Read a result file, finished or not; ``extra_measures`` are those that bayleaf does not know.

        A fold that was run again counts once, with its last line.
        """
        header, lines = read_lines(Path(path))
        known = (*MEASURES, *extra_measures)
        names = [name for name in header if name not in (*LEADING_COLUMNS, "error")]
        unique = {(line["dataset"], line["method"], line["repeat"], line["fold"]): line for line in lines}
        return cls.from_lines(unique.values(), tuple(find_measure(name, known) for name in names))

    @classmethod
    def from_lines(cls, lines: Iterable[dict[str, Any]], measures: tuple[Measure, ...]) -> "Results":
        """Make a table of typed lines."""
        schema: dict[str, Any] = {}
        for name in result_columns(measures):
            schema[name] = (
                pl.String if name in TEXT_COLUMNS else pl.Int64 if name in COUNT_COLUMNS else pl.Float64
            )
        complete = [{"data": "", **line} for line in lines]  # older files have no digests of the data
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
        return self.frame.filter(pl.col("error") != "").select(*LEADING_COLUMNS[:4], "error")

    def select(
        self, *, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None
    ) -> "Results":
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
                raise ValueError(f"There is no {kind} '{name}' in these results. Known: {listing(known)}.")

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
        """Mean and standard deviation (n - 1) over the folds, number of folds planned and usable.

        A fold whose value is undefined (an AUC with one class only) is left out of mean and deviation.
        """
        name = self.measure(measure).name
        usable = pl.col(name).is_not_nan() & (pl.col("error") == "")
        return self.frame.group_by("dataset", "method", maintain_order=True).agg(
            mean=pl.col(name).filter(usable).mean(),
            deviation=pl.col(name).filter(usable).std(),
            rows=pl.col("rows").max(),
            folds=pl.len(),
            failed=(pl.col("error") != "").sum(),
        )

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
            hint = f" ({listing(bad)} on none)" if bad else ""
            raise ValueError(f"No data set has complete values of '{chosen.name}' for all methods{hint}.")
        names = np.array(self.datasets, dtype=object)
        return Scoreboard(
            means[usable],
            self.methods,
            tuple(names[usable]),
            chosen.higher_is_better,
            chosen.title,
            tuple(names[~usable]),
        )

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
                    f"Mean and rank leave out {listing(board.left_out)}: not complete for all methods."
                )
        if self.errors.height:
            notes.append(f"{plural(self.errors.height, 'fold')} failed.")
        return ResultTable(chosen.title, ("dataset", *self.methods), tuple(rows), totals, tuple(notes))

    def zero_one_ratios(self, first: str, second: str) -> dict[str, float]:
        """Total zero-one loss of one method over that of another, for every data set complete for both."""
        both = self.select(methods=[first, second])
        datasets = both.scoreboard("zero_one_loss").datasets
        # Losses times rows are whole numbers; rounding removes what the division left behind.
        wrong = (pl.col("zero_one_loss") * pl.col("test_rows")).sum().round()
        totals = {
            (d, m): count for d, m, count in both.frame.group_by("dataset", "method").agg(wrong).iter_rows()
        }
        ratios = zero_one_loss_ratio(
            [totals[dataset, first] for dataset in datasets],
            [totals[dataset, second] for dataset in datasets],
        )
        return dict(zip(datasets, ratios.tolist(), strict=True))

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
        done = line["folds"] - line["failed"]
        if line["mean"] is None:
            return Cell("failed" if done == 0 else "–")
        return Cell(f"{line['mean']:.{digits}f} ({done}/{planned})", value=line["mean"])
