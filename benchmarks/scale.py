"""Learning from files: CPU seconds, memory and time per row, from a million rows on.

The rows are generated: 30 columns of texts (5 of them with 2 % gaps), 10 of numbers, and a class of 4 labels that
they depend on, in Parquet files of a million rows each, in a folder that is removed in the end; in one that is given,
files that are there are taken as they are, and stay. Each way runs in a process of its own, which reports its CPU
seconds (all threads, without the imports) and the largest memory it had. The results hold what this run has measured,
and are written after each way.

    python benchmarks/scale.py 1 10 50    # millions of rows
"""

import argparse
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
from common import report

FEATURES, TEXTS, WITH_GAPS, STATES = 40, 30, 5, 4
LABELS = ["alpha", "beta", "gamma", "delta"]
CLASSES = ["no", "perhaps", "probably", "yes"]
CLASS_SHARES = [0.4, 0.3, 0.2, 0.1]
DRAWS = 1 << 16  # states are drawn by whole numbers below this
MILLION = 1_000_000


def generate(millions: int, folder: Path) -> None:
    """Write the files that are not there yet, a million rows each: each file is whole or not there."""
    rule = np.random.default_rng(7)
    parents = [0, *(int(rule.integers(max(0, j - 5), j)) for j in range(1, FEATURES))]
    tables = [rule.dirichlet(np.full(STATES, 0.8), size=len(CLASSES) * STATES) for _ in range(FEATURES)]
    limits = [(DRAWS * table.cumsum(axis=1)[:, :-1]).clip(0, DRAWS - 1).astype(np.uint16) for table in tables]
    for part in range(millions):
        path = folder / f"part-{part:04d}.parquet"
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            rows(part, parents, limits).write_parquet(unfinished, row_group_size=250_000)
            unfinished.rename(path)


def rows(part: int, parents: list[int], limits: list[np.ndarray]) -> pl.DataFrame:
    """Draw a million rows from a network: the state of a column given its parent and the class by these limits."""
    rng = np.random.default_rng([1, part])
    y = np.searchsorted(np.cumsum(CLASS_SHARES[:-1]), rng.random(MILLION)).astype(np.uint8)
    codes = np.zeros((FEATURES, MILLION), dtype=np.uint8)
    for j in range(FEATURES):
        given, drawn = STATES * y + codes[parents[j]], rng.integers(0, DRAWS, MILLION, dtype=np.uint16)
        for limit in limits[j].T:
            codes[j] += drawn >= limit[given]
    columns: dict[str, pl.Series] = {}
    for j in range(FEATURES):
        if j >= TEXTS:
            columns[f"x{j}"] = pl.Series(codes[j] * 10.0 + rng.integers(0, 900_000, MILLION) / 1e5)
            continue
        columns[f"x{j}"] = pl.Series(LABELS).gather(pl.Series(codes[j]))
        if j < WITH_GAPS:
            known = pl.Series(rng.random(MILLION) >= 0.02)
            columns[f"x{j}"] = pl.select(pl.when(known).then(columns[f"x{j}"])).to_series()
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

    path = folder.parent / "model.bayleaf.json"
    if not path.exists():
        rows = folder / "part-0000.parquet"
        bl.BayesNetClassifier(bl.TAN(), bl.Shrinkage(), n_jobs=1).fit_from(rows, target="y").save(path)
    return path


def text_file(folder: Path) -> Path:
    """Return all rows in one text file, which is made once."""
    path = folder.with_suffix(".csv")
    if not path.exists():
        with path.open("wb") as file:
            for number, part in enumerate(sorted(folder.glob("part-*.parquet"))):
                pl.read_parquet(part).write_csv(file, include_header=number == 0)
    return path


def command(*arguments: object) -> None:
    """Run a command of bayleaf in this process, without what it prints."""
    from bayleaf.cli.app import app

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        try:
            app([str(each) for each in arguments])
        except SystemExit as end:
            if end.code:
                raise


def predict_parquet(folder: Path) -> None:
    command("predict", model_file(folder), folder, "-o", folder.with_suffix(".parquet"))


def evaluate_parquet(folder: Path) -> None:
    command("evaluate", model_file(folder), folder, "--json")


def evaluate_page(folder: Path) -> None:
    command("evaluate", model_file(folder), folder, "--json", "--out", folder.with_suffix(".html"))


def predict_csv(folder: Path) -> None:
    command("predict", model_file(folder), folder.with_suffix(".csv"), "-o", folder.with_suffix(".out.csv"))


def evaluate_csv(folder: Path) -> None:
    command("evaluate", model_file(folder), folder.with_suffix(".csv"), "--json")


# What each way is, and up to how many million rows it is measured: tables in memory, text on the disk, and time have
# their limits.
NO_LIMIT = 10**6
WAYS = {
    "fit_from: TAN, Shrinkage": (fit_from, NO_LIMIT),
    "DuckDB: one group-by of all columns": (scan_duckdb, NO_LIMIT),
    "polars: reading all columns once": (scan_polars, NO_LIMIT),
    "fit in memory: TAN, Shrinkage": (fit, 10),
    "LightGBM in memory, 100 trees": (light_gbm, 1),
    "fit_from: default classifier": (fit_from_default, 10),
    "bayleaf predict: Parquet to Parquet": (predict_parquet, 10),
    "bayleaf evaluate: Parquet": (evaluate_parquet, 10),
    "bayleaf evaluate --out: Parquet, with the page": (evaluate_page, 10),
    "bayleaf predict: CSV to CSV": (predict_csv, 1),
    "bayleaf evaluate: CSV": (evaluate_csv, 1),
}


def peak_megabytes() -> float:
    """Return the largest memory that this process had; getrusage would count that of the one that started it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measure(way: str, folder: Path) -> None:
    """Run one way in this process and print what it took."""
    warnings.simplefilter("ignore")
    import sklearn.utils.validation  # noqa: F401  # what is loaded once does not count

    before, start = time.process_time(), time.perf_counter()
    WAYS[way][0](folder)
    figures = {
        "cpu": time.process_time() - before,
        "wall": time.perf_counter() - start,
        "peak": peak_megabytes(),
    }
    print(json.dumps(figures))


def run_way(way: str, folder: Path, millions: int) -> list[object] | None:
    """Run one way in a process of its own; None, and a line that says why, where it fails."""
    call = [sys.executable, __file__, "--way", way, "--folder", str(folder)]
    done = subprocess.run(call, capture_output=True, text=True, env={**os.environ, "POLARS_MAX_THREADS": "1"})
    if done.returncode:
        reason = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        print(f"{way}: {reason[-1]}", file=sys.stderr)
        return None
    found = json.loads(done.stdout)
    print(f"{millions}m {way}: {found}", file=sys.stderr)
    return [way, millions, found["cpu"], round(found["peak"]), 1e6 * found["cpu"] / (millions * MILLION)]


def linked(folder: Path, millions: int, target: Path) -> Path:
    """Return a folder that has so many of the files, by links."""
    target.mkdir()
    for part in sorted(folder.glob("part-*.parquet"))[:millions]:
        (target / part.name).symlink_to(part.resolve())
    return target


def run_all(sizes: list[int], folder: Path) -> None:
    """Run all ways, and write what was measured after each of them."""
    lines: list[list[object]] = []
    headings = ["way", "million rows", "CPU s", "peak MB", "microseconds per row"]
    with tempfile.TemporaryDirectory(dir=folder) as work:
        tables = {millions: linked(folder, millions, Path(work) / f"{millions}m") for millions in sizes}
        model_file(tables[sizes[0]])
        for way, (_, most) in WAYS.items():
            for millions in sizes:
                if millions > most:
                    continue
                if "CSV" in way:
                    text_file(tables[millions])
                line = run_way(way, tables[millions], millions)
                if line is not None:
                    lines.append(line)
                    report("Learning from Parquet files, 40 columns", headings, lines, "scale.csv")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("millions", nargs="*", type=int, default=[1, 10])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", choices=WAYS)
    options = parser.parse_args()
    if options.way is not None:
        measure(options.way, options.folder)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if options.folder is None else options.folder
        generate(max(options.millions), folder)
        run_all(sorted(options.millions), folder)


if __name__ == "__main__":
    main()
