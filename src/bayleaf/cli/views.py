"""Networks, searches and results as text on a terminal."""

import json
import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from bayleaf._util.whole_files import atomic_write, write_text
from bayleaf._util.words import counted, listing
from bayleaf.benchmark import (
    Comparison,
    CrossValidation,
    Results,
    ResultTable,
    box_plot,
    critical_difference_diagram,
    nemenyi,
)
from bayleaf.benchmark.result_tables import value_cells
from bayleaf.data import Variable
from bayleaf.learn.search import SearchTrace
from bayleaf.network import BayesNet

from .output import ACCENT, CLASS_STYLE, light_table

MOST_CUTS = 4


def tree_lines(network: BayesNet) -> list[Text]:
    """One line per node, the class first.

    Examples
    --------
    >>> from bayleaf import DAG
    >>> graph = DAG(["rain", "wind", "mood"], [("mood", "rain"), ("mood", "wind"), ("rain", "wind")])
    >>> rain, wind = Variable("rain", ("no", "yes")), Variable.numeric("wind", [3.5])
    >>> variables = [rain, wind, Variable("mood", ("bad", "good"))]
    >>> tables = [[[0.9, 0.1]] * 2, [[[0.2, 0.8]] * 2] * 2, [0.5, 0.5]]
    >>> for line in tree_lines(BayesNet(variables, graph, tables, target="mood")):
    ...     print(line.plain)
    ◆ mood  bad, good
    └ rain  no, yes
      └ wind  cut at 3.5
    """
    below: dict[str | None, list[str]] = {None: []}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    roots = sorted(below[None], key=lambda name: name != network.target)
    lines: list[Text] = []
    for root in roots:
        lines.append(_label(network, root))
        _grow(network, below, root, "", lines)
    return lines


def anchor(network: BayesNet, name: str) -> str | None:
    """Return the parent below which a node is shown: another feature rather than the class; None for a root."""
    parents = network.parents(name)
    features = [parent for parent in parents if parent != network.target]
    return (features or list(parents) or [None])[0]  # type: ignore[list-item]


def _grow(
    network: BayesNet, below: dict[str | None, list[str]], node: str, indent: str, lines: list[Text]
) -> None:
    children = below.get(node, [])
    for child in children:
        last = child == children[-1]
        lines.append(Text.assemble((indent + ("└ " if last else "├ "), "dim"), _label(network, child)))
        _grow(network, below, child, indent + ("  " if last else "│ "), lines)


def _label(network: BayesNet, name: str) -> Text:
    is_class = name == network.target
    return Text.assemble(
        (f"◆ {name}" if is_class else name, CLASS_STYLE if is_class else ACCENT),
        (f"  {_states(network.variable(name))}", "dim"),
        (_other_parents(network, name), "yellow"),
    )


def _states(variable: Variable) -> str:
    if variable.arity == 1:
        return "constant"
    if variable.cuts is None:
        return listing(variable.states, most=4)
    gap = "missing or " if variable.gap else ""
    if not variable.cuts:
        return f"{gap}any number"
    return f"{gap}cut at {listing(variable.cut_texts, most=MOST_CUTS)}"


def _other_parents(network: BayesNet, name: str) -> str:
    """Name the parents that the tree does not show; in a classifier, the class is understood to be one."""
    target, shown = network.target, anchor(network, name)
    class_is_root = target is not None and not network.parents(target)
    others = [p for p in network.parents(name) if p != shown and not (class_is_root and p == target)]
    text = f"  and from {listing(others)}" if others else ""
    if class_is_root and name != target and target not in network.parents(name):
        text += f"  not from {target}"
    return text


def search_of(model: Any) -> SearchTrace | None:
    """Return the steps that a model file keeps, if it does."""
    record = getattr(model, "training_", None)
    return None if record is None else record.search


def search_text(search: SearchTrace) -> str:
    """Tell in a line where a search began, how many steps it made and what it ended with.

    Examples
    --------
    >>> from bayleaf.learn.search import SearchStep
    >>> step = SearchStep((("a", "b"),), (), -12.5)
    >>> search_text(SearchTrace(("a", "b"), "BDeu()", (), -20.0, (step,)))
    '1 step: BDeu() from -20 to -12.5'
    """
    steps = counted(len(search.steps) + search.left_out, "step")
    return f"{steps}: {search.measure} from {search.start_score:.6g} to {search.score:.6g}"


def steps_table(search: SearchTrace, most: int) -> Any:
    """Tabulate the steps of a search: what was done, out of how many, and the score after it."""
    half = search.left_out and (len(search.steps) + 1) // 2
    numbered = [
        (k + 1 + (search.left_out if half and k >= half else 0), s) for k, s in enumerate(search.steps)
    ]
    more = len(numbered) + search.left_out - min(most, len(numbered))
    table = light_table(
        caption=f"... {counted(more, 'more step')}; --all shows those kept." if more else None
    )
    table.title = f"Search: {search.measure}"
    counts = any(step.considered is not None for step in search.steps)
    table.add_column("", justify="right", style="dim")
    table.add_column("step", overflow="fold")
    if counts:
        table.add_column("weighed", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    start = f"start with {counted(len(search.start), 'arc')}"
    table.add_row("0", start, *[""] * counts, f"{search.start_score:.6g}")
    for number, step in numbered[:most]:
        considered = "" if step.considered is None else f"{step.considered:,}"
        table.add_row(str(number), Text(str(step)), *[considered] * counts, f"{step.score:.6g}")
    return table


SHOWN = ("accuracy", "log_loss", "brier", "auc")
# Files have room for more than a terminal.
FILED = (*SHOWN, "ece", "fit_seconds", "predict_seconds", "n_parameters")


def result_tables(results: Results) -> list[ResultTable]:
    """One table of methods by measures for a single data set; for several, one per measure."""
    if len(results.datasets) == 1:
        return [method_table(results)]
    return [results.summary(measure) for measure in SHOWN]


def method_table(results: Results, digits: int = 3) -> ResultTable:
    """Tabulate the measures of each method on the only data set, the best in bold.

    Examples
    --------
    >>> import bayleaf
    >>> from bayleaf.benchmark import evaluate
    >>> from sklearn.datasets import load_iris
    >>> methods = {"NB": bayleaf.classifier("NB"), "TAN": bayleaf.classifier("TAN")}
    >>> results = evaluate(methods, {"iris": load_iris(return_X_y=True)}, CrossValidation(folds=2))
    >>> [name for name, _ in method_table(results).rows]
    ['NB', 'TAN']
    """
    (dataset,) = results.datasets
    columns = []
    for name in SHOWN:
        lines = results.spread(name).to_dicts()
        means = np.array([math.nan if line["mean"] is None else line["mean"] for line in lines])
        spreads = np.array([math.nan if line["deviation"] is None else line["deviation"] for line in lines])
        columns.append(value_cells(means, spreads, results.measure(name).higher_is_better, digits))
    rows = tuple(
        (method, tuple(column[number] for column in columns)) for number, method in enumerate(results.methods)
    )
    failed = results.errors.height
    notes = (f"{counted(failed, 'fold')} failed, left out of the means.",) if failed else ()
    titles = [_heading(results, name) for name in SHOWN]
    return ResultTable(
        f"{dataset} ({results.dataset_rows()[dataset]:,} rows)", ("method", *titles), rows, (), notes
    )


def light(table: ResultTable) -> Group:
    """Draw a table of results with little ink, the best values standing out."""
    drawn = table.drawn_into(light_table(caption="\n".join(table.notes) or None), best="bold green")
    return Group(Text(table.title, style="bold"), drawn)


def protocol_text(protocol: CrossValidation) -> str:
    """Say how the numbers came about.

    Examples
    --------
    >>> protocol_text(CrossValidation(folds=5, repeats=2, stratified=True))
    'Mean ± standard deviation over 10 test folds (stratified 5-fold cross-validation, 2 repeats, seed 0).'
    """
    kind = "stratified " if protocol.stratified else ""
    repeats = counted(protocol.repeats, "repeat")
    return (
        f"Mean ± standard deviation over {protocol.folds * protocol.repeats} test folds ({kind}{protocol.folds}-fold "
        f"cross-validation, {repeats}, seed {protocol.seed})."
    )


def as_markdown(
    results: Results, protocol: CrossValidation, comparison: Comparison | None, path: Path
) -> None:
    """Write all tables and the comparison to a Markdown file."""
    parts = ["# Evaluation", protocol_text(protocol)]
    for table in result_tables(results):
        parts += [f"## {table.title}", table.to_markdown()]
    if comparison is not None:
        parts += ["## Comparison", comparison.to_markdown()]
    parts.append("# Calibration, time and size")
    for measure in FILED[len(SHOWN) :]:
        table = results.summary(measure)
        parts += [f"## {table.title}", table.to_markdown()]
    write_text(path, "\n\n".join(parts) + "\n")


def as_latex(results: Results, path: Path) -> None:
    """Write a table per measure to a LaTeX file."""
    write_text(path, "\n\n".join(results.summary(measure).to_latex() for measure in FILED) + "\n")


def draw_figures(results: Results, folder: Path) -> list[str]:
    """Draw box plots and critical differences of accuracy, where there are several data sets and matplotlib."""
    if len(results.datasets) < 2 or len(results.methods) < 2 or find_spec("matplotlib") is None:
        return []
    board = results.scoreboard("accuracy")
    figures = {"accuracy_boxes.png": box_plot(board)}
    if len(results.methods) > 2:
        figures["critical_difference.png"] = critical_difference_diagram(nemenyi(board))
    for name, figure in figures.items():
        save_figure(figure, folder / name)
    return list(figures)


def save_figure(figure: Any, path: Path) -> None:
    """Write a picture, all or nothing."""
    with atomic_write(path, binary=True) as file:
        figure.savefig(file, dpi=150, format="png")


def as_json(results: Results, protocol: CrossValidation) -> str:
    """All measures of all methods on all data sets as JSON; undefined values are null."""
    found: dict[str, Any] = {
        name: {"rows": rows, "methods": {method: {} for method in results.methods}}
        for name, rows in results.dataset_rows().items()
    }
    for measure in results.measures:
        for line in results.spread(measure).iter_rows(named=True):
            found[line["dataset"]]["methods"][line["method"]][measure.name] = {
                "mean": line["mean"],
                "deviation": line["deviation"],
                "folds": line["folds"],
                "failed": line["failed"],
            }
    settings = {
        "folds": protocol.folds,
        "repeats": protocol.repeats,
        "stratified": True,
        "seed": protocol.seed,
    }
    return json.dumps({"protocol": settings, "datasets": found}, indent=2, ensure_ascii=False)


def _heading(results: Results, name: str) -> str:
    measure = results.measure(name)
    return f"{measure.title.removesuffix(' score')} {'↑' if measure.higher_is_better else '↓'}"
