"""Learning from files: CPU seconds, memory and time per row, from a million rows on.

The rows are generated: 30 columns of texts (5 of them with 2 % gaps), 10 of numbers, and a class of 4 labels that
they depend on, in Parquet files of a million rows each, in a folder that is removed in the end. Each way runs in a
process of its own, which reports its CPU seconds (all threads, without the imports) and the largest memory it had.
Figures of other numbers of rows stay in the results.

    python benchmarks/scale.py 1 10 50         # millions of rows to learn from
    python benchmarks/scale.py --predict 1 5   # millions of rows to predict and to measure a model on
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import polars as pl
from common import RESULTS, report

FEATURES, TEXTS, STATES = 40, 30, 4
LABELS = ["alpha", "beta", "gamma", "delta"]
CLASSES = ["no", "perhaps", "probably", "yes"]
MILLION = 1_000_000
# Ways that hold the whole table in memory are measured up to so many million rows.
MOST_IN_MEMORY = 1


def generate(millions: int, folder: Path) -> Path:
    """Write the files that are not there yet."""
    target = folder / f"{millions}m"
    target.mkdir(parents=True, exist_ok=True)
    rule = np.random.default_rng(7)
    parents = [0, *(int(rule.integers(max(0, j - 5), j)) for j in range(1, FEATURES))]
    tables = [rule.dirichlet(np.full(STATES, 0.8), size=(len(CLASSES), STATES)) for _ in range(FEATURES)]
    for part in range(millions):
        path = target / f"part-{part:04d}.parquet"
        if not path.exists():
            rows(part, parents, tables).write_parquet(path, row_group_size=250_000)
    return target


def rows(part: int, parents: list[int], tables: list[np.ndarray]) -> pl.DataFrame:
    """Draw a million rows from the network that the tables describe."""
    rng = np.random.default_rng([1, part])
    y = rng.choice(len(CLASSES), MILLION, p=[0.4, 0.3, 0.2, 0.1])
    codes = np.zeros((FEATURES, MILLION), dtype=np.uint8)
    for j in range(FEATURES):
        limits = tables[j].cumsum(axis=-1)[y, codes[parents[j]]][:, : STATES - 1]
        codes[j] = (rng.random(MILLION)[:, None] > limits).sum(axis=1)
    columns: dict[str, pl.Series] = {}
    for j in range(FEATURES):
        if j >= TEXTS:
            columns[f"x{j}"] = pl.Series(codes[j] * 10.0 + rng.random(MILLION).round(6) * 9.0)
            continue
        texts = pl.Series(LABELS).gather(pl.Series(codes[j]))
        known = pl.Series(rng.random(MILLION) >= 0.02) if j < 5 else pl.Series(np.ones(MILLION, dtype=bool))
        columns[f"x{j}"] = pl.select(pl.when(known).then(texts)).to_series()
    columns["y"] = pl.Series(CLASSES).gather(pl.Series(y))
    return pl.DataFrame(columns)


def fit_from(folder: Path) -> None:
    import bayleaf as bl

    bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1).fit_from(folder, target="y")


def fit_from_default(folder: Path) -> None:
    import bayleaf as bl

    bl.BayesNetClassifier(n_jobs=1).fit_from(folder, target="y")


def fit(folder: Path) -> None:
    import bayleaf as bl

    table = pl.read_parquet(folder / "*.parquet")
    bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1).fit(table.drop("y"), table["y"])


def light_gbm(folder: Path) -> None:
    import lightgbm

    table = pl.read_parquet(folder / "*.parquet").with_columns(pl.col(pl.String).cast(pl.Categorical))
    X, y = table.drop("y").to_pandas(), table["y"].to_physical().to_numpy()
    lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, verbose=-1).fit(X, y)


def scan_duckdb(folder: Path) -> None:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    columns = ", ".join(f"count(distinct x{j})" if j < TEXTS else f"sum(x{j})" for j in range(FEATURES))
    connection.sql(f"select y, {columns} from '{folder}/*.parquet' group by y").fetchall()


def scan_polars(folder: Path) -> None:
    for path in sorted(folder.glob("part-*.parquet")):
        for start in range(0, MILLION, 65_536):
            pl.scan_parquet(path).slice(start, 65_536).collect()


def model_file(folder: Path) -> Path:
    """Return a model of a million rows, which is made once."""
    import bayleaf as bl

    path = folder / "model.bayleaf.json"
    if not path.exists():
        rows = folder / "part-0000.parquet"
        bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1).fit_from(rows, target="y").save(path)
    return path


def write_repeated(folder: Path, times: int) -> None:
    """Write the rows so many times into one text file and one Parquet file: to predict, no others are needed."""
    rows = pl.read_parquet(folder / "part-0000.parquet")
    with (folder / "all.csv").open("wb") as file:
        for number in range(times):
            rows.write_csv(file, include_header=number == 0)
    pl.concat([rows.lazy()] * times).sink_parquet(folder / "all.parquet", row_group_size=250_000)
    model_file(folder)


def command(*arguments: object) -> None:
    """Run a command of bayleaf in this process, without what it prints."""
    from bayleaf.cli.app import app

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        try:
            app([str(each) for each in arguments])
        except SystemExit as end:
            if end.code:
                raise


def predict_csv(folder: Path) -> None:
    command("predict", folder / "model.bayleaf.json", folder / "all.csv", "-o", folder / "out.csv")


def predict_parquet(folder: Path) -> None:
    command("predict", folder / "model.bayleaf.json", folder / "all.parquet", "-o", folder / "out.parquet")


def evaluate_csv(folder: Path) -> None:
    command("evaluate", folder / "model.bayleaf.json", folder / "all.csv", "--json")


PREDICTING = {
    "bayleaf predict: CSV to CSV": predict_csv,
    "bayleaf predict: Parquet to Parquet": predict_parquet,
    "bayleaf evaluate: CSV": evaluate_csv,
}
LEARNING = {
    "fit_from: TAN, Shrinkage": fit_from,
    "fit_from: default classifier": fit_from_default,
    "fit in memory: TAN, Shrinkage": fit,
    "LightGBM in memory, 100 trees": light_gbm,
    "DuckDB: one group-by of all columns": scan_duckdb,
    "polars: reading all columns once": scan_polars,
}
WAYS = {**LEARNING, **PREDICTING}
IN_MEMORY = ("fit in memory: TAN, Shrinkage", "LightGBM in memory, 100 trees")


def peak_megabytes() -> float:
    """Return the largest memory that this process had; getrusage would count that of the one that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measure(way: str, folder: Path) -> None:
    """Run one way in this process and print what it took."""
    warnings.simplefilter("ignore")
    import sklearn.utils.validation  # noqa: F401  # what is loaded once does not count

    import bayleaf.streams  # noqa: F401

    before, start = time.process_time(), time.perf_counter()
    WAYS[way](folder)
    figures = {
        "cpu": time.process_time() - before,
        "wall": time.perf_counter() - start,
        "peak": peak_megabytes(),
    }
    print(json.dumps(figures))


def known_figures() -> dict[tuple[str, int], list[object]]:
    """Return what was measured before, by way and millions of rows."""
    path = RESULTS / "scale.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return {(way, int(millions)): [way, int(millions), *map(float, rest)] for way, millions, *rest in rows}


def run_way(way: str, folder: Path, millions: int) -> list[object] | None:
    """Run one way in a process of its own; None, and a line that says why, where it fails."""
    call = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
    done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "POLARS_MAX_THREADS": "1"})
    if done.returncode:
        print(f"{way}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    found = json.loads(done.stdout)
    print(f"{millions}m {way}: {found}", file=sys.stderr)
    return [way, millions, found["cpu"], found["peak"], 1e6 * found["cpu"] / (millions * MILLION)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", nargs="*", type=int)
    parser.add_argument("--predict", nargs="*", type=int, default=[])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", choices=WAYS)
    options = parser.parse_args()
    if options.way is not None:
        measure(options.way, options.folder)
        return
    figures = known_figures()
    jobs = [(LEARNING, millions) for millions in options.millions]
    jobs += [(PREDICTING, millions) for millions in options.predict]
    for ways, millions in jobs:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            made = generate(millions if ways is LEARNING else 1, Path(folder))
            if ways is PREDICTING:
                write_repeated(made, millions)
            for way in ways:
                if way in IN_MEMORY and millions > MOST_IN_MEMORY:
                    continue
                line = run_way(way, made, millions)
                if line is not None:
                    figures[way, millions] = line
    lines = sorted(figures.values(), key=lambda line: (line[1], list(WAYS).index(str(line[0]))))
    headings = ["way", "million rows", "CPU s", "peak MB", "microseconds per row"]
    report("Learning from Parquet files, 40 columns", headings, lines, "scale.csv")


if __name__ == "__main__":
    main()
