"""Draw the pictures of the guides: what graphs look like, where numbers are cut, what missing values and costs do.

python docs/make_guide_pictures.py
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib import rc_context
from sklearn.datasets import load_breast_cancer

import bayleaf as bl
from bayleaf.benchmark.figures import COLOURS, GREY, house_style, new_figure

IMAGES = Path(__file__).parent / "images"
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "bayleaf"}


@contextmanager
def drawn(name: str, width: float, height: float, columns: int = 1) -> Iterator[list[Any]]:
    """Make a figure with axes side by side, and save it; its letters stay text."""
    with house_style(), rc_context(STYLE):
        figure, axes = new_figure(width, height, 1, columns)
        yield list(axes[0])
        figure.savefig(IMAGES / name, metadata={"Date": None})


def tumours() -> tuple[pl.DataFrame, pl.Series]:
    """Ten measurements of cell nuclei, and the diagnosis."""
    bunch = load_breast_cancer()
    features = pl.DataFrame(bunch.data[:, :10], schema=list(bunch.feature_names[:10]))
    return features, pl.Series("diagnosis", bunch.target_names[bunch.target])


def structures() -> None:
    """The same five features under four learners; arcs from the class to all features are pale."""
    X, y = tumours()
    X = X.select(X.columns[:5]).rename(lambda name: name.removeprefix("mean "))
    learners = {
        "NaiveBayes()": bl.NaiveBayes(),
        "TAN()": bl.TAN(),
        "FAN()": bl.FAN(),
        "KDB(k=2)": bl.KDB(k=2),
    }
    with drawn("structures.svg", 10.0, 2.6, len(learners)) as axes:
        for each, (title, learner) in zip(axes, learners.items(), strict=True):
            network = bl.BayesNetClassifier(learner, bl.Shrinkage()).fit(X, y).network_
            angles = np.pi * (0.5 + 2 * np.arange(5) / 5)
            places = {name: (np.cos(a), np.sin(a)) for name, a in zip(X.columns, angles, strict=True)}
            places["diagnosis"] = (0.0, 0.0)
            for parent, child in network.arcs:
                of_class = parent == "diagnosis"
                look = {"color": "#c9d3cd" if of_class else COLOURS[0], "lw": 1.0 if of_class else 1.8}
                arrow = {"arrowstyle": "->", "shrinkA": 16, "shrinkB": 16, **look}
                each.annotate("", places[child], places[parent], arrowprops=arrow)
            for name, (x, y_) in places.items():
                weight = "bold" if name == "diagnosis" else "normal"
                box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
                each.text(x, y_, name, ha="center", va="center", fontsize=8, fontweight=weight, bbox=box)
            each.set(title=title, xlim=(-1.4, 1.4), ylim=(-1.15, 1.25))
            each.axis("off")


def cuts() -> None:
    """Where the default cuts a number, above how its values lie."""
    X, y = tumours()
    model = bl.BayesNetClassifier().fit(X, y)
    variable = next(each for each in model.schema_.features if each.name == "mean radius")
    with drawn("cuts.svg", 6.5, 2.6) as (axes,):
        parts = [X["mean radius"].filter(y == label).to_list() for label in model.classes_]
        axes.hist(
            parts, bins=40, stacked=True, color=COLOURS[:2], label=[str(each) for each in model.classes_]
        )
        for cut in variable.cuts or ():
            axes.axvline(cut, color=GREY, lw=0.9, ls="--")
        axes.set(xlabel="mean radius; dashed: cut points", ylabel="rows")
        axes.legend()


def missing() -> None:
    """Log-loss of the default on new rows with a growing share of their values taken away."""
    X, y = tumours()
    model = bl.BayesNetClassifier().fit(X[::2], y[::2])
    new, labels = X[1::2].to_numpy(), y[1::2].to_numpy()
    column = np.searchsorted(model.classes_, labels)
    shares, losses = np.linspace(0.0, 1.0, 11), []
    for share in shares:
        rng = np.random.default_rng(0)
        found = []
        for _ in range(4):
            values = np.where(rng.random(new.shape) < share, np.nan, new)
            rows = pl.DataFrame(values, schema=X.columns).fill_nan(None)
            found.append(-np.log(model.predict_proba(rows)[np.arange(len(column)), column]).mean())
        losses.append(float(np.mean(found)))
    frequencies = np.array(model.training_.class_weights) / sum(model.training_.class_weights)
    alone = float(-np.log(frequencies[column]).mean())
    with drawn("missing.svg", 6.0, 2.8) as (axes,):
        axes.plot(shares, losses, color=COLOURS[0], marker="o", label="BayesNetClassifier()")
        axes.axhline(alone, color=GREY, ls="--", label="class frequencies alone")
        axes.set(xlabel="share of the values of new rows that are missing", ylabel="log-loss", ylim=(0, None))
        axes.legend()


def costs() -> None:
    """The mean cost of decisions by their threshold, where a miss costs as much as twenty false alarms."""
    rng = np.random.default_rng(0)
    sick = rng.random(4000) < 0.05
    fever = rng.random(4000) < np.where(sick, 0.7, 0.1)
    X = pl.DataFrame({"fever": fever, "age": rng.normal(50 + 12 * sick, 15, 4000)})
    model = bl.BayesNetClassifier().fit(X[:2000], np.where(sick, "sick", "well")[:2000])
    chance = model.predict_proba(X[2000:])[:, model.classes_.tolist().index("sick")]
    grid = np.linspace(0.0, 0.6, 121)
    paid = [np.mean(np.where(sick[2000:], 20.0 * (chance < t), 1.0 * (chance >= t))) for t in grid]
    with drawn("costs.svg", 6.0, 2.8) as (axes,):
        axes.plot(grid, paid, color=COLOURS[0])
        axes.axvline(1 / 21, color=COLOURS[1], ls="--", label="what loss= decides by: 1 / (1 + 20)")
        axes.axvline(0.5, color=GREY, ls=":", label="the most probable class: 1 / 2")
        axes.set(xlabel="threshold on P(sick)", ylabel="mean cost of a decision", ylim=(0, None))
        axes.legend()


def knowing_little() -> None:
    """The probability of one case as its values become known, one after the other."""
    X, y = tumours()
    model = bl.BayesNetClassifier().fit(X[::2], y[::2])
    new = X[1::2]
    row = new[[int(np.abs(model.predict_proba(new)[:, 1] - 0.9).argmin())]]
    known = [
        row.with_columns(pl.lit(None, dtype=pl.Float64).alias(name) for name in X.columns[k:])
        for k in range(X.width + 1)
    ]
    chance = [float(model.predict_proba(each)[0, 1]) for each in known]
    names = ["(nothing)", *(f"+ {name.removeprefix('mean ')}" for name in X.columns)]
    with drawn("knowing-little.svg", 6.5, 3.2) as (axes,):
        axes.barh(range(len(names)), chance, color=COLOURS[0])
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set(xlabel=f"P({model.classes_[1]}) given what is known so far", xlim=(0, 1))


def shrinking() -> None:
    """How far an estimate trusts its own rows: a share of 0.9 in a cell, 0.5 with one parent fewer."""
    rows = np.array([10, 20, 50, 100, 200, 500])
    learners = {
        "Laplace()": bl.Laplace(),
        "Dirichlet(ess=1)": bl.Dirichlet(1.0),
        "Shrinkage()": bl.Shrinkage(),
    }
    with drawn("shrinking.svg", 6.0, 2.8) as (axes,):
        for number, (name, learner) in enumerate(learners.items()):
            found = [_estimate(learner, int(n)) for n in rows]
            axes.plot(rows, found, color=COLOURS[number], marker="o", label=name)
        axes.axhline(0.9, color=GREY, ls="--", label="share among the rows of the cell")
        axes.set(xscale="log", xlabel="rows of the cell", ylabel="estimate", ylim=(0.45, 1.0))
        axes.set_xticks(rows, [str(each) for each in rows.tolist()])
        axes.minorticks_off()
        axes.legend(fontsize=8)


def _estimate(learner: Any, n: int) -> float:
    """Estimate P(x = 1 | class, parent = a) where nine of ten of n rows say so, and of 1,000 others every second."""
    right = max(round(0.9 * n), 1)
    x = [1] * right + [0] * (n - right) + [0, 1] * 500
    X = pl.DataFrame({"x": ["on" if each else "off" for each in x], "parent": ["a"] * n + ["b"] * 1000})
    y = ["c"] * (n + 1000)
    graph = bl.FixedStructure([("class", "x"), ("class", "parent"), ("parent", "x")])
    model = bl.BayesNetClassifier(graph, learner).fit(pl.concat([X, X[-4:]]), [*y, *["d"] * 4])
    table = model.network_.cpt("x")
    order = model.network_.parents("x")
    at = tuple(
        model.network_.variable(name).states.index({"class": "c", "parent": "a"}[name]) for name in order
    )
    return float(table[at][model.network_.variable("x").states.index("on")])


def drift() -> None:
    """The temperatures of the page about monitoring: training rows, and new rows of a thermometer gone wrong."""
    rng = np.random.default_rng(0)
    ill, ill_now = rng.random(2000) < 0.3, rng.random(500) < 0.3
    before, now = rng.normal(36.8 + 1.6 * ill, 0.5), rng.normal(37.4 + 1.6 * ill_now, 0.5)
    with drawn("drift.svg", 6.0, 2.6) as (axes,):
        bins = np.linspace(35, 41, 49)
        for values, label, colour in ((before, "training rows", COLOURS[0]), (now, "new rows", COLOURS[1])):
            axes.hist(values, bins=bins, density=True, histtype="step", lw=1.8, color=colour, label=label)
        axes.set(xlabel="temperature", ylabel="share of rows", yticks=[])
        axes.legend()


def beliefs() -> None:
    """The garden of the page about questions: what is believed before and after the grass is seen wet."""
    variables = [
        bl.data.Variable("rain", ("no", "yes")),
        bl.data.Variable("sprinkler", ("off", "on")),
        bl.data.Variable("wet", ("no", "yes")),
    ]
    dag = bl.DAG(["rain", "sprinkler", "wet"], [("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")])
    tables = [[0.8, 0.2], [[0.6, 0.4], [0.99, 0.01]], [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]]]
    garden = bl.BayesNet(variables, dag, tables)
    cases = {
        "nothing known": {},
        "wet": {"wet": "yes"},
        "wet, sprinkler on": {"wet": "yes", "sprinkler": "on"},
    }
    with drawn("beliefs.svg", 7.5, 2.2, len(cases)) as axes:
        for each, (title, known) in zip(axes, cases.items(), strict=True):
            for place, (node, state) in enumerate((("rain", "yes"), ("sprinkler", "on"))):
                chance = 1.0 if node in known else garden.posterior(node, known)[state]
                each.barh(place, chance, color=GREY if node in known else COLOURS[0])
                each.text(min(chance + 0.03, 0.82), place, f"{chance:.2f}", va="center", fontsize=8)
            each.set_yticks([0, 1], ["rain", "sprinkler on"])
            each.set(title=title, xlim=(0, 1.0))


PICTURES: tuple[Callable[[], None], ...] = (
    structures,
    cuts,
    missing,
    costs,
    knowing_little,
    shrinking,
    drift,
    beliefs,
)

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    IMAGES.mkdir(exist_ok=True)
    for draw in PICTURES:
        draw()
