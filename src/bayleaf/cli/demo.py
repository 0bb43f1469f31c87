"""``bayleaf demo``: the main job from start to end, on data that comes with scikit-learn.

First what is printed, step by step; then what is computed; then the pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.words import counted, listing
from bayleaf.benchmark import CrossValidation, Results, ResultTable, evaluate, reliability_diagram
from bayleaf.benchmark.figures import house_style, new_figure
from bayleaf.benchmark.result_tables import value_cells
from bayleaf.network import BayesNet
from bayleaf.quality import Outcome, accuracy, log_loss, out_of_fold
from bayleaf.tables import prediction_frame, write_table

from .explain import chances, evidence_table, heading
from .fit import FittedTable, summary
from .inputs import LabelledData
from .measured_methods import as_markdown, light, method_table, protocol_text, save_figure
from .output import ACCENT, light_table, note, out, probability, seconds, section, shown, working
from .show import anchor, tree_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLE = "bayleaf demo --out demo"
NEW_ROWS = 114
REMOVED = (0.0, 0.3, 0.5, 0.7, 0.9)
NOT_TAKEN = "worst"  # measurements whose names begin like this are missing in all rows of another line
PROTOCOL = CrossValidation(folds=5, stratified=True)
ONE, POOL = "One network", "Pool"
CLASS_COLOUR, LINE_COLOUR = "#CC79A7", "#767676"
# Down from the parent, then right to the child.
ARROW = {"arrowstyle": "-|>", "color": LINE_COLOUR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
ARROW |= {"connectionstyle": "angle,angleA=-90,angleB=0,rad=0"}
# Of the outline, in inches.
INDENT, LABEL_WIDTH, LINE_HEIGHT = 0.4, 2.2, 0.3


@dataclass(frozen=True, eq=False)
class DemoData:
    """All rows, and the same rows as known ones and new ones."""

    features: pl.DataFrame
    labels: pl.Series
    known: LabelledData
    new: LabelledData


@dataclass(frozen=True, eq=False)
class Experiment:
    """What cross-validation found."""

    results: Results
    protocol: CrossValidation
    outcomes: dict[str, Outcome]
    reading: str


def run(
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write to.")] = Path(
        "demo"
    ),
) -> None:
    """Show the main job on real data: fit, measure, predict with reasons, handle missing values."""
    if output.exists() and not output.is_dir():
        raise ValueError(f"Cannot write the demo to '{output}': it is a file.")
    output.mkdir(parents=True, exist_ok=True)
    start = perf_counter()
    console = out()
    data = load_data()
    _introduce(console, data)
    model = _fit(console, data, output)
    experiment = _evaluate(console, data, output)
    row = _predict(console, data, model, output)
    _remove(console, data, model, row)
    with working("Drawing ..."):
        draw(output, model, data, row, experiment)
    with working("Writing the model page ..."):
        try:
            model.report(data.new.features, data.new.target, output / "report.html")
        except ImportError as error:
            note(f"no model page: {error}")
    _finish(console, output, perf_counter() - start)


def _introduce(console: Console, data: DemoData) -> None:
    _title(console, "The question")
    console.print(
        "Is a breast tumour malignant? The data: 30 measurements of cell nuclei from each of "
        f"{counted(len(data.labels), 'patient')} (Street, Wolberg & Mangasarian 1993; it comes with scikit-learn). "
        f"{counted(len(data.new.target), 'row')} are set aside as new patients."
    )


def _fit(console: Console, data: DemoData, output: Path) -> bayleaf.BayesNetClassifier:
    _title(console, "Fit")
    start = perf_counter()
    model = bayleaf.BayesNetClassifier().fit(data.known.features, data.known.target)
    duration = perf_counter() - start
    model.save(output / "model.bayleaf.json")
    write_table(data.known.features.with_columns(data.known.target), output / "known.csv")
    write_table(data.new.features.with_columns(data.new.target), output / "new.csv")
    console.print(
        Text.assemble((ONE, "bold"), f" (a tree-augmented naive Bayes network) in {seconds(duration)}:")
    )
    console.print(summary(model, FittedTable.in_memory(data.known, model)))
    console.print("\nWhat depends on what; every measurement also depends on the diagnosis:")
    lines = tree_lines(model.network_)
    for line in lines[:10]:
        console.print(Text("  ").append(line), no_wrap=True, overflow="ellipsis")
    console.print(f"  ... and {counted(len(lines) - 10, 'more node')}", style="dim")
    return model


def _evaluate(console: Console, data: DemoData, output: Path) -> Experiment:
    _title(console, "Measure, on rows that were not used to fit")
    experiment = measure(data)
    shown(console, light(method_table(experiment.results)))
    console.print(Text(f"{protocol_text(experiment.protocol)}\n", style="dim"))
    as_markdown(experiment.results, experiment.protocol, None, output / "evaluation.md")
    console.print(experiment.reading)
    return experiment


def _predict(console: Console, data: DemoData, model: bayleaf.BayesNetClassifier, output: Path) -> int:
    _title(console, "Predict, with probabilities and reasons")
    rows = data.new.features
    probabilities = model.predict_proba(rows)
    predicted = model.predict(rows)
    write_table(
        prediction_frame(model.classes_.tolist(), predicted, probabilities), output / "predictions.csv"
    )
    doubtful = most_doubtful(probabilities)
    table = light_table()
    for name in ("row", "prediction", "probability", "actual"):
        table.add_column(name, justify="right" if name in ("row", "probability") else "left")
    for row in sorted({0, 1, 2, doubtful}):
        actual, chance = data.new.target[row], probability(float(probabilities[row].max()))
        shown_class = Text(actual, style="green" if actual == predicted[row] else "red")
        table.add_row(str(row + 1), predicted[row], chance, shown_class)
    shown(console, table)
    right = int((predicted == data.new.target.to_numpy()).sum())
    console.print(
        f"{right} of {counted(len(predicted), 'new row')} are classified correctly. The least certain one:\n"
    )
    explanation = model.explain(rows[[doubtful]])
    console.print(heading(explanation, 0, f"Row {doubtful + 1} of new.csv"))
    console.print(chances(model, probabilities[doubtful], data.new.target[doubtful]))
    console.print()
    console.print(evidence_table(model, explanation, 0, rows.row(doubtful), most=7))
    return doubtful


def _remove(console: Console, data: DemoData, model: bayleaf.BayesNetClassifier, row: int) -> None:
    _title(console, "Missing values: nothing to impute, they are summed out")
    table = light_table(f"Row {row + 1} with more and more values unknown")
    table.add_column("unknown")
    for label in model.classes_:
        table.add_column(f"P({label})", justify="right")
    for removed, chance in without(model, data.new.features[[row]], most=4):
        table.add_row(removed, *(probability(float(value)) for value in chance))
    shown(console, table)
    with working("Removing values ..."):
        removal, reading = remove_values(data)
    shown(console, light(removal))
    console.print(
        "The network needs no imputation; for logistic regression, means of the training rows are imputed.\n",
        style="dim",
    )
    console.print(reading)


def _finish(console: Console, output: Path, duration: float) -> None:
    _title(console, f"Written to {output}")
    purposes = {
        "report.html": "the model page, to open in a browser",
        "model.bayleaf.json": "the fitted classifier",
        "known.csv": "the rows it was fitted to",
        "new.csv": "the rows set aside",
        "predictions.csv": "class and probabilities of the new rows",
        "evaluation.md": "the table above",
        "evidence.png": "reasons for the least certain row",
        "reliability.png": "are the probabilities calibrated?",
        "network.png": "the network",
    }
    table = light_table()
    table.show_header = False
    for name, purpose in purposes.items():
        if (output / name).exists():
            table.add_row(Text(name, style=ACCENT), purpose)
    shown(console, table)
    console.print(f"Done in {seconds(duration)}. Next, for example:")
    model, new = output / "model.bayleaf.json", output / "new.csv"
    command = "bayleaf" if which("bayleaf") else sys.argv[0]
    hints = f"  {command} show {model}\n  {command} explain {model} {new} --row 5"
    console.print(hints, style="bold", soft_wrap=True)


def _title(console: Console, text: str) -> None:
    console.print()
    section(console, text)


def load_data() -> DemoData:
    """Load the breast cancer data and set a fifth of the rows aside."""
    bunch = load_breast_cancer()
    features = pl.DataFrame(bunch.data, schema=[str(name) for name in bunch.feature_names], orient="row")
    labels = pl.Series("diagnosis", np.array(bunch.target_names)[bunch.target])
    order = np.random.default_rng(0).permutation(len(labels))
    parts = {}
    for name, rows in (("new", order[:NEW_ROWS]), ("known", order[NEW_ROWS:])):
        parts[name] = LabelledData(name, Path(f"{name}.csv"), features[rows], labels[rows])
    return DemoData(features, labels, **parts)


def measure(data: DemoData) -> Experiment:
    """Cross-validate one network, the pool and three methods of scikit-learn, all on the same folds."""
    methods = {
        ONE: bayleaf.BayesNetClassifier(),
        POOL: bayleaf.NetworkPool(),
        "Logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "RandomForest": RandomForestClassifier(random_state=0),
        "HistGradientBoosting": HistGradientBoostingClassifier(random_state=0),
    }
    with threadpool_limits(1):  # on so few rows, boosting in many threads takes many times longer
        results = evaluate(methods, {"breast cancer": (data.features, data.labels)}, PROTOCOL)
        outcomes = {
            name: out_of_fold(methods[name], data.features, data.labels, PROTOCOL)
            for name in (ONE, "Logistic", "RandomForest")
        }
    return Experiment(results, PROTOCOL, outcomes, _reading(results))


def most_doubtful(probabilities: NDArray[np.float64]) -> int:
    """Row whose two most probable classes are nearest to each other."""
    ordered = np.sort(probabilities, axis=1)
    return int((ordered[:, -1] - ordered[:, -2]).argmin())


def without(
    model: bayleaf.BayesNetClassifier, row: pl.DataFrame, most: int
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Probabilities of one row while its strongest features become unknown one after the other."""
    yield "nothing", model.predict_proba(row)[0]
    explanation = model.explain(row)
    for feature in np.argsort(-np.abs(explanation.evidence[0]))[:most]:
        name = explanation.features[feature]
        row = row.with_columns(pl.lit(None, dtype=pl.Float64).alias(name))
        yield f"+ {name}", model.predict_proba(row)[0]
    yield "+ everything else", model.predict_proba(row.clear(1))[0]


def remove_values(data: DemoData) -> tuple[ResultTable, str]:
    """Measure rows from which values were removed, at random or whole columns; say which method is better where."""
    X, y = data.features.to_numpy(), data.labels.to_numpy()
    methods = {
        ONE: bayleaf.BayesNetClassifier(),
        "Logistic": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    }
    protocol = CrossValidation(folds=5, stratified=True)
    chance = np.random.default_rng(0).random(X.shape)
    gaps = {f"{share:.0%}": chance < share for share in REMOVED}
    not_taken = np.array([name.startswith(NOT_TAKEN) for name in data.features.columns])
    if not_taken.any():
        gaps[f"the {not_taken.sum()} '{NOT_TAKEN}' columns"] = np.broadcast_to(not_taken, X.shape)
    by_method = [_with_removed(method, X, y, list(gaps.values()), protocol) for method in methods.values()]
    rows, losses = [], {}
    for removed, *outcomes in zip(gaps, *by_method, strict=True):
        right = value_cells(np.array([accuracy(each) for each in outcomes]), None, True, 3)
        losses[removed] = np.array([log_loss(each) for each in outcomes])
        rows.append((removed, (*right, *value_cells(losses[removed], None, False, 3))))
    header = ("removed", *(f"{m} {what}" for what in ("accuracy", "log-loss") for m in methods))
    title = "All rows (5-fold cross-validation), some of their values removed at random, or whole columns"
    return ResultTable(title, header, tuple(rows)), _where_better(losses)


def _where_better(losses: dict[str, NDArray[np.float64]]) -> str:
    """Say at which gaps the network has the lower log-loss, and at which imputed means are as good or better."""
    pays = [removed for removed, (one, other) in losses.items() if round(one, 3) < round(other, 3)]
    as_good = [removed for removed in losses if removed not in pays]
    parts = []
    if as_good:
        parts.append(f"logistic regression with imputed means is as good or better at {listing(as_good)}")
    if pays:
        parts.append(f"the network's way pays at {listing(pays)}")
    return f"By log-loss, {'; '.join(parts)}."


def _with_removed(
    method: Any,
    X: NDArray[np.float64],
    y: NDArray[Any],
    gaps: Sequence[NDArray[np.bool_]],
    protocol: CrossValidation,
) -> list[Outcome]:
    """Fit on complete rows, predict them with each of the gaps; the folds are put together."""
    truth: list[NDArray[Any]] = []
    tables: list[list[NDArray[np.float64]]] = [[] for _ in gaps]
    for repeat, fold in protocol.cells:
        split = protocol.split(y, repeat, fold)
        method.fit(X[split.train], y[split.train])
        truth.append(y[split.test])
        for removed, table in zip(gaps, tables, strict=True):
            table.append(method.predict_proba(np.where(removed, np.nan, X)[split.test]))
    return [Outcome.of(np.concatenate(truth), method.classes_, np.concatenate(table)) for table in tables]


def _reading(results: Results) -> str:
    """Say what the table shows, from its own numbers."""
    (dataset,) = results.datasets
    losses = {method: float(results.values("log_loss", dataset, method).mean()) for method in results.methods}
    order = sorted(losses, key=losses.__getitem__)
    listed = ", ".join(f"{method} {losses[method]:.3f}" for method in order)
    return (
        f"By log-loss, the best first: {listed}. One network can be read, the pool adds many up; "
        "after 'bayleaf fit', --pool learns the other."
    )


def draw(
    folder: Path, model: bayleaf.BayesNetClassifier, data: DemoData, row: int, experiment: Experiment
) -> None:
    """Draw all pictures into a folder; without matplotlib say so and draw none."""
    if find_spec("matplotlib") is None:
        note("no pictures, since matplotlib is not installed: pip install 'bayleaf[plot]'.")
        return
    with house_style():
        save_figure(model.explain(data.new.features[[row]]).plot().figure, folder / "evidence.png")
    save_figure(reliability_diagram(experiment.outcomes, bins=10), folder / "reliability.png")
    save_figure(network_figure(model.network_), folder / "network.png")


def network_figure(network: BayesNet) -> Figure:
    """Draw a network as an outline: each node once, on a line of its own, below and right of one of its parents."""
    depth = _outline(network)
    line = {name: k for k, name in enumerate(depth)}
    with house_style():
        width = INDENT * max(depth.values()) + LABEL_WIDTH
        figure, grid = new_figure(width, 0.6 + LINE_HEIGHT * len(depth))
        axes: Any = grid[0, 0]
        axes.axis("off")
        axes.set_xlim(0, width)
        axes.set_ylim(len(depth) - 0.4, -0.6)
        left = {name: INDENT * level for name, level in depth.items()}
        boxes = {
            name: _box(axes, left[name], line[name], name, is_class=name == network.target) for name in depth
        }
        axes.set_title(f"Every feature also depends on {network.target}", color=CLASS_COLOUR, loc="left")
        figure.draw_without_rendering()  # boxes get their sizes, so that arrows can end at them
        for name in depth:
            parent = anchor(network, name)
            if parent is not None:
                arrow = ARROW | {"patchA": boxes[parent], "patchB": boxes[name]}
                start = (left[name] - INDENT / 2, line[parent])
                axes.annotate("", xy=(left[name], line[name]), xytext=start, arrowprops=arrow)
    return figure


def _outline(network: BayesNet) -> dict[str, int]:
    """Return how far each node is from the root, in the order of the lines: a node, then all below it."""
    below: dict[str | None, list[str]] = {}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    depth: dict[str, int] = {}
    waiting = [(name, 0) for name in reversed(below[None])]
    while waiting:
        name, level = waiting.pop()
        depth[name] = level
        waiting += [(child, level + 1) for child in reversed(below.get(name, []))]
    return depth


def _box(axes: Any, x: float, y: float, text: str, *, is_class: bool) -> Any:
    back, ink, weight = (CLASS_COLOUR, "white", "bold") if is_class else ("white", "#222222", "normal")
    box = {"boxstyle": "round,pad=0.3", "facecolor": back, "edgecolor": LINE_COLOUR, "linewidth": 0.8}
    style = {"ha": "left", "va": "center", "fontsize": 8, "fontweight": weight, "color": ink, "bbox": box}
    return axes.text(x, y, text, **style).get_bbox_patch()
