"""Put the numbers of benchmarks/results/*.csv into README.md and the pages of docs/, between their markers.

python docs/measured_tables.py           # after `make bench`
python docs/measured_tables.py --check   # exit code 1 if a page shows other numbers
"""

import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
MARKED = re.compile(
    r"(?P<start><!-- measured: (?P<name>[\w-]+), written by docs/measured_tables.py -->\n)"
    r".*?"
    r"(?P<end><!-- end of measured -->)",
    re.DOTALL,
)
Row = list[str]


def tan_seconds(problem: str, method: str, column: str) -> float:
    """One cell of tan.csv."""
    for row in rows_of("tan.csv"):
        if (row["problem"], row["method"]) == (problem, method):
            return float(row[column])
    raise ValueError(f"tan.csv has no row '{problem}', '{method}': run benchmarks/tan.py --peers again.")


def rows_of(file: str) -> list[dict[str, str]]:
    """Return the rows of one result file."""
    with (RESULTS / file).open(newline="") as lines:
        return list(csv.DictReader(lines))


def summary() -> str:
    """Make the table of the README: one line per job, the script beside it."""
    lines = [
        _compared("A3", "fit s", "fit TAN: 1,000,000 rows, 40 features", "CategoricalNB (scikit-learn)"),
        _compared("A3", "predict_proba s", "predict_proba of the same rows", "CategoricalNB (scikit-learn)"),
        _compared("A1", "fit s", "fit TAN: 10,000 rows, 20 features", "pyAgrum TAN"),
        _compared("A1", "fit s", "fit TAN: 10,000 rows, 20 features", "pgmpy TAN (fit only)"),
    ]
    missing = [row for row in rows_of("missing.csv") if row["figure"] == "microseconds per row"][-1]
    features = missing["features x states x classes"].split(" x ")[0]
    ours, theirs = float(missing["bayleaf"]) / 1e6, float(missing["pgmpy row by row"]) / 1e6
    lines.append(
        [
            f"exact posterior of a row, {features} features, 30 % missing",
            duration(ours),
            "pgmpy, row by row",
            duration(theirs),
            times(theirs / ours),
            "`benchmarks/missing.py`",
        ]
    )
    lines += [_climbed("pyagrum", "pyAgrum"), _climbed("pgmpy", "pgmpy")]
    return table(["job", "bayleaf", "compared with", "its time", "times faster", "script"], lines)


def _climbed(peer: str, name: str) -> Row:
    seconds = {
        row["library"]: float(row["seconds"])
        for row in rows_of("unrestricted_climbing_bdeu.csv")
        if row["rows x nodes"] == "50k x 40"
    }
    ours, theirs = seconds["bayleaf, tabu=10"], seconds[peer]
    job = "hill-climb by BDeu: 50,000 rows, 40 variables"
    return [job, duration(ours), name, duration(theirs), times(theirs / ours), "`benchmarks/unrestricted.py`"]


def _compared(problem: str, column: str, job: str, peer: str) -> Row:
    ours, theirs = tan_seconds(problem, "bayleaf TAN", column), tan_seconds(problem, peer, column)
    name = peer.removesuffix(" (fit only)")
    return [job, duration(ours), name, duration(theirs), times(theirs / ours), "`benchmarks/tan.py`"]


def whole(file: str) -> str:
    """Make a table of a whole result file."""
    rows = rows_of(file)
    return table(list(rows[0]), [list(row.values()) for row in rows])


def table(header: Row, rows: list[Row]) -> str:
    """Lay out a Markdown table: text to the left, numbers to the right."""
    numeric = [all(re.match(r"[\d.]|$", row[k]) for row in rows) for k in range(len(header))]
    rule = ["---:" if right else ":---" for right in numeric]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [header, rule, *rows])


def duration(seconds: float) -> str:
    """Write a duration in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return (
                f"{seconds / size:.3g} {unit}" if seconds / size < 1000 else f"{seconds / size:,.0f} {unit}"
            )
    raise AssertionError


def times(ratio: float) -> str:
    """Write a ratio with two digits that count."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def exact_growth() -> str:
    """Make the table of the exact search: time and peak memory against the number of variables."""
    rows = {(row["model"], row["states"], int(row["n"])): row for row in rows_of("exact_growth.csv")}
    kinds = [("GBN", "2"), ("GBN", "4"), ("ANB", "2"), ("ANB", "4")]
    lines = []
    for n in sorted({key[2] for key in rows if key[2] >= 20}):
        found = [rows.get((*kind, n)) for kind in kinds]
        memory = [
            max((float(row["peak_gib"]) for row in pair if row), default=None)
            for pair in (found[:2], found[2:])
        ]
        lines.append(
            [
                str(n),
                *(
                    f"{duration(float(row['seconds']))} ({float(row['cpu_seconds']):.3g})" if row else ""
                    for row in found
                ),
                *(f"{size:.1f} GiB" if size else "" for size in memory),
            ]
        )
    header = ["variables"]
    header += [f"{name}, {states} states" for name in ("any graph", "augmented") for states in (2, 4)]
    return table([*header, "memory, any graph", "memory, augmented"], lines)


def exact_sets() -> str:
    """Make the table of the largest of the 43 data sets, and of all together."""
    rows = rows_of("exact_sets.csv")
    lines = [
        [
            row["slug"],
            *(
                f"{duration(float(row[f'{kind}_seconds']))} ({float(row[f'{kind}_cpu_seconds']):.2g})"
                for kind in ("GBN", "ANB")
            ),
            f"{float(row['GBN_cpu_seconds']) / float(row['ANB_cpu_seconds']):.2f}",
            duration(float(row["GBN_paper_seconds"])),
            duration(float(row["fsANB_seconds"])),
            duration(float(row["fsANB_paper_seconds"])),
        ]
        for row in rows
        if float(row["GBN_cpu_seconds"]) >= 0.1
    ]

    def total(column: str) -> float:
        return sum(float(row[column]) for row in rows)

    lines.append(
        [
            "all 43",
            *(
                f"{duration(total(f'{kind}_seconds'))} ({total(f'{kind}_cpu_seconds'):.2g})"
                for kind in ("GBN", "ANB")
            ),
            f"{total('GBN_cpu_seconds') / total('ANB_cpu_seconds'):.2f}",
            *(
                duration(total(column))
                for column in ("GBN_paper_seconds", "fsANB_seconds", "fsANB_paper_seconds")
            ),
        ]
    )
    header = ["data set", "any graph", "augmented", "ratio of CPU time", "any graph, paper"]
    return table([*header, "selected features, augmented", "the same, paper"], lines)


def exact_peers() -> str:
    """Make the table of other libraries: seconds against the number of variables, until one passes its limit."""
    rows = rows_of("exact_peers.csv")
    sizes = sorted({int(row["n"]) for row in rows})
    lines = []
    for library in dict.fromkeys(row["library"] for row in rows):
        known = {int(row["n"]): float(row["seconds"]) for row in rows if row["library"] == library}
        cells = [
            "" if n not in known else "> 60 s" if known[n] == float("inf") else duration(known[n])
            for n in sizes
        ]
        lines.append([library, *cells])
    shown = [k for k, n in enumerate(sizes) if n % 2 == 0 or any(line[k + 1] == "> 60 s" for line in lines)]
    return table(
        ["library", *(str(sizes[k]) for k in shown)],
        [[line[0], *(line[k + 1] for k in shown)] for line in lines],
    )


INPUTS = {
    "fits": "tables: fitted by every method, predicted, saved, loaded",
    "documents": "damaged model files",
    "network_files": "BIF, XMLBIF, DSC and JSON networks, damaged",
    "texts": "CSV, TSV and ARFF files, read or fitted by the command",
    "streams": "Arrow streams, valid and invalid",
    "together": "four threads on one model",
}


def fuzz_counts() -> str:
    """Make the table of random inputs that were run, and their sum."""
    rows = rows_of("fuzz.csv")
    columns = ("inputs", "taken", "refused", "findings")
    lines = [[INPUTS[row["kind"]], *(f"{int(row[name]):,}" for name in columns)] for row in rows]
    total = ["total", *(f"{sum(int(row[name]) for row in rows):,}" for name in columns)]
    return table(["input", "run", "accepted", "rejected", "failed"], [*lines, total])


def scale(*ways: str) -> str:
    """Make a table of what learning from files takes: a line per way, in this order, a column per number of rows."""
    found = rows_of("scale.csv")
    rows = [row for way in ways for row in found if row["way"].startswith(way)]
    sizes = sorted({int(row["million rows"]) for row in rows})
    cells = {
        (row["way"], int(row["million rows"])): f"{float(row['CPU s']):.3g} s, {float(row['peak MB']):.0f} MB"
        for row in rows
    }
    names = list(dict.fromkeys(row["way"] for row in rows))
    heads = [f"{size} million rows" for size in sizes]
    return table(["", *heads], [[name, *(cells.get((name, size), "") for size in sizes)] for name in names])


TABLES = {
    "exact-growth": exact_growth,
    "exact-sets": exact_sets,
    "exact-peers": exact_peers,
    "exact-bic": lambda: whole("exact_bic.csv"),
    "exact-pruning": lambda: whole("exact_pruning.csv"),
    "exact-cells": lambda: whole("exact_cells.csv"),
    "summary": summary,
    "tan": lambda: whole("tan.csv"),
    "climbing-bdeu": lambda: whole("unrestricted_climbing_bdeu.csv"),
    "climbing-bic": lambda: whole("unrestricted_climbing_bic.csv"),
    "missing": lambda: whole("missing.csv"),
    "memory": lambda: whole("memory.csv"),
    "startup": lambda: whole("startup.csv"),
    "candidates": lambda: whole("discriminative_kernel.csv"),
    "searches": lambda: whole("discriminative_search.csv"),
    "cl-training": lambda: whole("discriminative_parameters.csv"),
    "searches-mnist": lambda: whole("discriminative_greedy_mnist.csv"),
    "service": lambda: whole("service.csv"),
    "fuzz": fuzz_counts,
    "install": lambda: whole("install_size.csv"),
    "scale": lambda: scale("fit_from", "fit in", "LightGBM", "DuckDB", "polars"),
    "scale-predicting": lambda: scale("bayleaf"),
    "sampled-cuts": lambda: whole("sampled_cuts.csv"),
    "databases": lambda: whole("databases.csv"),
    "spark": lambda: whole("spark.csv"),
    "spark-computed": lambda: whole("spark_computed.csv"),
    "search-memory": lambda: whole("unrestricted_memory.csv"),
}


def filled(text: str) -> str:
    """Return a page with every marked table written anew."""
    return MARKED.sub(lambda mark: f"{mark['start']}\n{TABLES[mark['name']]()}\n{mark['end']}", text)


def main() -> int:
    stale = []
    names = ("speed.md", "exact.md", "deploy.md", "reliability.md", "scale.md", "spark.md")
    for page in (ROOT / "README.md", *(ROOT / "docs" / name for name in names)):
        old = page.read_text(encoding="utf-8")
        if filled(old) != old:
            stale.append(page.name)
            if "--check" not in sys.argv:
                page.write_text(filled(old), encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"{', '.join(stale)}: run python docs/measured_tables.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
