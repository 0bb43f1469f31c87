"""The computations and pictures of the demo."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bayleaf
from bayleaf.evaluation import (
    CrossValidation,
    Outcome,
    Results,
    ResultTable,
    accuracy,
    evaluate,
    log_loss,
    out_of_fold,
    reliability_diagram,
)
from bayleaf.evaluation.figures import house_style, new_figure
from bayleaf.evaluation.tables import value_cells
from bayleaf.network import BayesNet

from .inputs import LabelledData
from .output import note
from .views import anchor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEW_ROWS = 114
REMOVED = (0.0, 0.3, 0.5, 0.7, 0.9)


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


def load_data() -> DemoData:
    """Load the breast cancer data and put a fifth of the rows aside."""
    bunch = load_breast_cancer()
    features = pl.DataFrame(bunch.data, schema=[str(name) for name in bunch.feature_names], orient="row")
    labels = pl.Series("diagnosis", np.array(bunch.target_names)[bunch.target])
    order = np.random.default_rng(0).permutation(len(labels))
    parts = {}
    for name, rows in (("new", order[:NEW_ROWS]), ("known", order[NEW_ROWS:])):
        parts[name] = LabelledData(name, Path(f"{name}.csv"), features[rows], labels[rows])
    return DemoData(features, labels, **parts)


def competitors() -> dict[str, Any]:
    """Two methods of bayleaf and two of scikit-learn."""
    return {
        "NB": bayleaf.classifier("NB"),
        "TAN": bayleaf.classifier("TAN"),
        "GaussianNB": GaussianNB(),
        "Logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }


def measure(data: DemoData) -> Experiment:
    """Cross-validate the methods, all on the same folds."""
    protocol = CrossValidation(folds=5, repeats=4, stratified=True)
    methods = competitors()
    results = evaluate(methods, {"breast cancer": (data.features, data.labels)}, protocol)
    outcomes = {
        name: out_of_fold(methods[name], data.features, data.labels, protocol)
        for name in ("NB", "TAN", "Logistic")
    }
    return Experiment(results, protocol, outcomes, _reading(results))


def most_doubtful(probabilities: NDArray[np.float64]) -> int:
    """Row whose two most probable classes are nearest to each other.

    Examples
    --------
    >>> most_doubtful(np.array([[0.9, 0.1], [0.4, 0.6]]))
    1
    """
    ordered = np.sort(probabilities, axis=1)
    return int((ordered[:, -1] - ordered[:, -2]).argmin())


def without(
    model: bayleaf.BayesNetClassifier, row: pl.DataFrame, most: int
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Probabilities of one row while its strongest features become unknown one after the other."""
    yield "nothing", model.predict_proba(row)[0]
    explanation = model.explain(row)
    strongest = np.argsort(-np.abs(explanation.evidence[0]))[:most]
    for feature in strongest:
        name = explanation.features[feature]
        row = row.with_columns(pl.lit(None, dtype=pl.Float64).alias(name))
        yield f"+ {name}", model.predict_proba(row)[0]
    nothing = row.select(pl.lit(None, dtype=pl.Float64).alias(name) for name in row.columns)
    yield "+ everything else", model.predict_proba(nothing)[0]


def remove_values(data: DemoData) -> ResultTable:
    """Accuracy and log-loss on folds from which a share of the values was removed at random."""
    X, y = data.features.to_numpy(), data.labels.to_numpy()
    methods = {
        "TAN": bayleaf.classifier("TAN"),
        "Logistic": make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
    }
    protocol = CrossValidation(folds=5, stratified=True)
    rng = np.random.default_rng(0)
    chance = rng.random(X.shape)
    rows = []
    for share in REMOVED:
        outcomes = [_with_removed(method, X, y, chance < share, protocol) for method in methods.values()]
        right = value_cells(np.array([accuracy(each) for each in outcomes]), None, True, 3)
        loss = value_cells(np.array([log_loss(each) for each in outcomes]), None, False, 3)
        rows.append((f"{share:.0%}", (*right, *loss)))
    header = ("removed", *(f"{m} {what}" for what in ("accuracy", "log-loss") for m in methods))
    return ResultTable(
        "All rows (5-fold cross-validation), some of their values removed at random", header, tuple(rows)
    )


def _with_removed(
    method: Any,
    X: NDArray[np.float64],
    y: NDArray[Any],
    removed: NDArray[np.bool_],
    protocol: CrossValidation,
) -> Outcome:
    """Fit on complete rows, predict rows with holes; the folds are put together."""
    truth, tables = [], []
    for repeat, fold in protocol.cells:
        split = protocol.split(y, repeat, fold)
        method.fit(X[split.train], y[split.train])
        tables.append(method.predict_proba(np.where(removed, np.nan, X)[split.test]))
        truth.append(y[split.test])
    return Outcome.of(np.concatenate(truth), method.classes_, np.concatenate(tables))


def _reading(results: Results) -> str:
    """Say what the table shows, from its own numbers."""
    (dataset,) = results.datasets
    losses = {method: float(results.values("log_loss", dataset, method).mean()) for method in results.methods}
    best = min(losses, key=losses.__getitem__)
    ratio = losses["NB"] / losses["TAN"]
    text = (
        "Naive Bayes denies that the measurements depend on each other. "
        f"TAN does not: its log-loss is {ratio:.1f} times smaller."
    )
    return text if best == "TAN" else f"{text} The best here, with all values known, is {best}."


CLASS_COLOUR, LINE_COLOUR = "#CC79A7", "#767676"
ARROW = {"arrowstyle": "-|>", "color": LINE_COLOUR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}


def draw(
    folder: Path, model: bayleaf.BayesNetClassifier, data: DemoData, row: int, experiment: Experiment
) -> None:
    """Draw all pictures into a folder; without matplotlib say so and draw none."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        note("no pictures, since matplotlib is not installed: pip install 'bayleaf[plot]'.")
        return
    with house_style():
        axes = model.explain(data.new.features[[row]]).plot()
        axes.figure.savefig(folder / "evidence.png", dpi=150)
    reliability_diagram(experiment.outcomes, bins=10).savefig(folder / "reliability.png")
    network_figure(model.network_).savefig(folder / "network.png")


def network_figure(network: BayesNet) -> "Figure":
    """Draw a network as a tree from left to right, each node once, beside one of its parents."""
    depth, height = _places(network)
    with house_style():
        figure, grid = new_figure(1.75 * (1 + max(depth.values())), 0.6 + 0.29 * (1 + max(height.values())))
        axes: Any = grid[0, 0]
        axes.axis("off")
        axes.set_xlim(-0.5, max(depth.values()) + 0.5)
        axes.set_ylim(max(height.values()) + 0.6, -0.6)
        boxes = {
            name: _box(axes, depth[name], height[name], name, is_class=name == network.target)
            for name in network.nodes
        }
        axes.set_title(f"Every feature also depends on {network.target}", color=CLASS_COLOUR, loc="left")
        figure.draw_without_rendering()  # boxes get their sizes, so that arrows can end at them
        for name in network.nodes:
            parent = anchor(network, name)
            if parent is not None:
                axes.annotate(
                    "",
                    xy=(depth[name], height[name]),
                    xytext=(depth[parent], height[parent]),
                    arrowprops=ARROW | {"patchA": boxes[parent], "patchB": boxes[name]},
                )
    return figure


def _places(network: BayesNet) -> tuple[dict[str, int], dict[str, float]]:
    """Depth of every node, and a height at which no two nodes of the tree meet: leaves one below the other."""
    below: dict[str | None, list[str]] = {}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    depth: dict[str, int] = {}
    height: dict[str, float] = {}
    leaves = 0

    def place(name: str, level: int) -> None:
        nonlocal leaves
        depth[name] = level
        children = below.get(name, [])
        for child in children:
            place(child, level + 1)
        if children:
            height[name] = (height[children[0]] + height[children[-1]]) / 2
        else:
            height[name] = leaves
            leaves += 1

    for root in below[None]:
        place(root, 0)
    return depth, height


def _box(axes: Any, x: float, y: float, text: str, *, is_class: bool) -> Any:
    label = axes.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=8,
        fontweight="bold" if is_class else "normal",
        color="white" if is_class else "#222222",
        bbox={
            "boxstyle": "round,pad=0.3",
            "facecolor": CLASS_COLOUR if is_class else "white",
            "edgecolor": LINE_COLOUR,
            "linewidth": 0.8,
        },
    )
    return label.get_bbox_patch()
