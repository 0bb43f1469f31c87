"""Everything in one table: bayleaf's two defaults and the classifiers of others, on every set of the folder.

    python experiments/probabilities/everything.py             # runs what has no line yet, the named sets first
    python experiments/probabilities/everything.py --sets car,pima --models "pool;LightGBM"
    python experiments/probabilities/everything.py --page      # writes docs/probabilities.md and means in README.md

Stratified five-fold cross-validation of at most 10,000 rows of a set by the rules of protocol.py, every model with
its defaults on one thread. A line per set and model is added to results/everything.csv, which is never rewritten; of
several lines for the same set and model the last counts. A model that fails has a line without figures, and its
error.
"""

import argparse
import os
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before anything starts threads

import numpy as np
import polars as pl
import protocol
from peers import PEERS, SLOW_PEERS

import bayleaf as bl
from bayleaf.benchmark import Scoreboard, critical_difference_diagram, friedman, nemenyi
from bayleaf.quality import Outcome, auc, expected_calibration_error

RESULTS = Path(__file__).parent / "results" / "everything.csv"
PAGE = Path(__file__).parents[2] / "docs" / "probabilities.md"
README = PAGE.parents[1] / "README.md"
FIGURE = PAGE.parent / "images" / "probabilities.svg"
MODELS: dict[str, Callable[[], Any]] = {
    "pool": lambda: bl.NetworkPool(n_jobs=1),
    "one network": lambda: bl.BayesNetClassifier(n_jobs=1),
    **PEERS,
    **SLOW_PEERS,
}
OWN = ["pool", "one network"]
NAMED = [*protocol.DEVELOPED_ON, *protocol.OTHERS]
# More classes or fewer rows are no sets for five folds; pictures are not tables.
FEWEST_ROWS = 50
MOST_CLASSES = 60
# Figures are shown with so many decimals, and differences below are none.
DECIMALS = 3


@dataclass(frozen=True)
class Line:
    """What a model reaches on a set; no figures where it failed."""

    dataset: str
    model: str
    rows: int
    columns: int
    classes: int
    log_loss: float | None
    accuracy: float | None
    auc: float | None
    brier: float | None
    calibration_error: float | None
    fit_cpu_seconds: float | None
    predict_cpu_seconds: float | None
    date: str
    error: str


def run(name: str, model: str) -> Line:
    """Cross-validate a model on a set."""
    data = protocol.load(name)
    figures: list[float | None] = [None] * 7
    error = ""
    try:
        posterior, spent = protocol.cross_validated(data, MODELS[model])
        log_loss, accuracy, brier = protocol.measures(posterior, data.y)
        outcome = Outcome.of(data.y, classes=np.arange(data.classes), probabilities=posterior)
        figures = [log_loss, accuracy, auc(outcome), brier, expected_calibration_error(outcome)]
        figures += spent.tolist()
    except Exception as problem:  # a peer's, on a set that it does not take
        error = " ".join(f"{type(problem).__name__}: {problem}".split())[:200]
    today = datetime.now(UTC).date().isoformat()
    return Line(name, model, len(data.y), data.X.shape[1], data.classes, *figures, today, error)


def sets() -> list[str]:
    """Return all sets of the folder, those with names in protocol.py first."""
    found = sorted(
        path.name.removesuffix(".csv.gz") for path in protocol.datafolder.folder().glob("*.csv.gz")
    )
    return [*NAMED, *(name for name in found if name not in NAMED)]


def fits(name: str) -> bool:
    """Whether a set has enough rows and not too many classes."""
    data = protocol.load(name)
    return len(data.y) >= FEWEST_ROWS and 2 <= data.classes <= MOST_CLASSES and data.X.shape[1] > 0


def results() -> pl.DataFrame:
    """Return the last line of every set and model."""
    lines = pl.read_csv(RESULTS, schema_overrides={"error": pl.String})
    return lines.group_by("model", "dataset", maintain_order=True).last()


def complete(lines: pl.DataFrame) -> pl.DataFrame:
    """Keep the sets that all models of the table have."""
    models = lines["model"].n_unique()
    whole = (
        lines.filter(pl.col("log_loss").is_not_null())
        .group_by("dataset")
        .len()
        .filter(pl.col("len") == models)
    )
    return lines.filter(pl.col("dataset").is_in(whole["dataset"].implode()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", help="names separated by commas; all by default")
    parser.add_argument("--models", help=f"of {', '.join(MODELS)}; separated by semicolons; all by default")
    parser.add_argument(
        "--page",
        action="store_true",
        help="write tables and figure into docs/probabilities.md, and the means into README.md",
    )
    given = parser.parse_args()
    if given.page:
        write_page()
        return
    warnings.simplefilter("ignore")
    done = set(results().select("dataset", "model").iter_rows()) if RESULTS.exists() else set()
    for name in given.sets.split(",") if given.sets else filter(fits, sets()):
        for model in given.models.split(";") if given.models else MODELS:
            if given.sets or ((name, model) not in done and (name in NAMED or model not in SLOW_PEERS)):
                line = run(name, model)
                protocol.append(RESULTS, protocol.printed(line))
                print(*asdict(line).values(), flush=True)


BEGIN, END = "<!-- everything.py writes from here -->", "<!-- to here -->"


def write_page() -> None:
    """Write the tables and the figure from the results."""
    slow = pl.col("model").is_in(list(SLOW_PEERS))
    lines = complete(results().filter(~slow))
    models = [name for name in MODELS if name in lines["model"].to_list()]
    wide = lines.pivot(on="model", index="dataset", values="log_loss").sort("dataset")
    values = wide.select(models).to_numpy()
    board = Scoreboard(values, methods=models, datasets=wide["dataset"].to_list())
    test, equal = nemenyi(board), friedman(board)
    FIGURE.parent.mkdir(exist_ok=True)
    critical_difference_diagram(test).savefig(FIGURE, metadata={"Date": None})
    parts = [
        f"Means over all {len(values)} data sets, ordered by log-loss:",
        means(lines, models, values),
        f"Friedman's test of equal ranks in log-loss: p = {equal.p_value:.2g}. Nemenyi's critical difference of "
        f"average ranks at 5 %: {test.critical_difference:.2f}.",
        f"![Average ranks in log-loss]({FIGURE.relative_to(PAGE.parent)})",
        losses(wide, models),
        *slow_tables(results()),
        "Log-loss on every data set, the lowest in bold:",
        each_set(lines, wide, models),
    ]
    put(PAGE, parts)
    put(README, [f"Means over {len(values)} data sets:", means(lines, models, values)])


def slow_tables(lines: pl.DataFrame) -> list[str]:
    """Tabulate what the slow models reach on the sets that they have: the means, where they win, and every set."""
    slow = [name for name in SLOW_PEERS if name in lines["model"].to_list()]
    parts = []
    for model in slow:
        known = complete(lines.filter(~pl.col("model").is_in([name for name in slow if name != model])))
        models = [name for name in MODELS if name in known["model"].to_list()]
        wide = known.pivot(on="model", index="dataset", values="log_loss").sort("dataset")
        named = f"the {len(NAMED)}" if len(wide) == len(NAMED) else f"{len(wide)} of the {len(NAMED)}"
        text = f"{model} takes longer and was run only on {named} named data sets. Means over these:"
        parts += [text, means(known, models, wide.select(models).to_numpy())]
        parts.append(losses(wide, [*OWN, model]))
    if slow:
        parts += ["Log-loss on these data sets, the lowest of all models in bold:", slow_sets(lines, slow)]
    return parts


def slow_sets(lines: pl.DataFrame, slow: list[str]) -> str:
    """Tabulate the log-loss of the sets that a slow model has, and the lowest of all others."""
    wide = lines.pivot(on="model", index="dataset", values="log_loss").sort("dataset")
    wide = wide.filter(pl.any_horizontal(pl.col(slow).is_not_null()))
    others = [name for name in PEERS if name in wide.columns]
    shown = [*OWN, *slow]
    table = [f"| set | {' | '.join(shown)} | best other |", "|:---|" + "---:|" * (len(shown) + 1)]
    for row in wide.iter_rows(named=True):
        best = min((name for name in others if row[name] is not None), key=lambda name: row[name])
        values = [row[name] for name in (*shown, best)]
        least = min(round(value, DECIMALS) for value in values if value is not None)
        cells = [figure(value, least) for value in values]
        table.append(f"| {row['dataset']} | {' | '.join(cells)} {best} |")
    return "\n".join(table)


def figure(value: float | None, least: float) -> str:
    """Write a figure, the least in bold, and nothing for one that is not known."""
    if value is None:
        return ""
    text = f"{value:.{DECIMALS}f}"
    return f"**{text}**" if float(text) == least else text


def put(page: Path, parts: list[str]) -> None:
    """Write paragraphs between the marks of a page."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{after}")


def means(lines: pl.DataFrame, models: list[str], values: np.ndarray) -> str:
    """Tabulate the means of each model, and on how many sets its log-loss is above the pool's."""
    columns = [
        "log_loss",
        "accuracy",
        "auc",
        "brier",
        "calibration_error",
        "fit_cpu_seconds",
        "predict_cpu_seconds",
    ]
    by_model = {row["model"]: row for row in lines.group_by("model").agg(pl.col(columns).mean()).to_dicts()}
    heads = [
        "model",
        "log-loss",
        "accuracy",
        "AUC",
        "Brier",
        "calibration error",
        "fit, CPU-s",
        "predict, CPU-s",
    ]
    table = [f"| {' | '.join(heads)} | pool's log-loss is lower on |"]
    table.append("|:---|" + "---:|" * 8)
    pool = values[:, models.index("pool")]
    for model in sorted(models, key=lambda name: by_model[name]["log_loss"]):
        row, own = by_model[model], values[:, models.index(model)]
        figures = [f"{row[name]:.{DECIMALS}f}" for name in columns]
        against = "" if model == "pool" else f"{int((pool < own).sum())} of {len(own)}"
        table.append(f"| {model} | {' | '.join(figures)} | {against} |")
    return "\n".join(table)


def losses(wide: pl.DataFrame, models: list[str]) -> str:
    """Name the sets on which a classifier of others has the lowest log-loss."""
    own, others = ([name for name in models if (name in OWN) == ours] for ours in (True, False))
    found = []
    for row in wide.iter_rows(named=True):
        ours, best = min(row[name] for name in own), min(others, key=lambda name: row[name])
        if round(row[best], DECIMALS) < round(ours, DECIMALS):
            theirs = f"{row[best]:.3f}" if len(others) == 1 else f"{best} {row[best]:.3f}"
            found.append((ours - row[best], f"{row['dataset']} ({ours:.3f}; {theirs})"))
    listed = ", ".join(text for _, text in sorted(found, reverse=True))
    better = others[0] if len(others) == 1 else "another library's classifier"
    count = f"On {len(found)} of the {len(wide)} data sets {better} has a lower log-loss than bayleaf's"
    return f"{count}: {listed or 'none'}."


def each_set(lines: pl.DataFrame, wide: pl.DataFrame, models: list[str]) -> str:
    """Tabulate the log-loss of every set."""
    size = {row["dataset"]: row for row in lines.filter(pl.col("model") == "pool").to_dicts()}
    table = [
        f"| set | rows | columns | classes | {' | '.join(models)} |",
        "|:---|" + "---:|" * (3 + len(models)),
    ]
    for row in wide.iter_rows(named=True):
        least = min(round(row[name], DECIMALS) for name in models)
        cells = [figure(row[name], least) for name in models]
        one = size[row["dataset"]]
        table.append(
            f"| {row['dataset']} | {one['rows']:,} | {one['columns']} | {one['classes']} | {' | '.join(cells)} |"
        )
    return "\n".join(table)


if __name__ == "__main__":
    main()
