"""``bayleaf explain``: why rows get their class."""

from typing import Annotated, Any

import polars as pl
import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

import bayleaf
from bayleaf.io import read_data
from bayleaf.io.output import label_text

from . import options
from .data import class_label, columns_for, text_columns
from .output import CLASS_STYLE, counted, diverging_bar, light_table, out, probability

NAME = "explain"
EXAMPLE = "bayleaf explain iris.bayleaf.json new.csv --row 3"
MOST_FEATURES = 12


def run(
    model: options.ModelFile,
    data: options.DataFile,
    row: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Row to explain, the first one being 1; may be repeated.", show_default="1"),
    ] = None,
    target_class: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Class to argue for. By default the predicted one.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Class to argue against. By default the next most probable."),
    ] = None,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every feature, not only the strongest.")
    ] = False,
    delimiter: options.Delimiter = None,
    missing_values: options.MissingValues = None,
) -> None:
    """Show why rows get their class: the evidence of each feature, strongest first."""
    classifier = bayleaf.load(model)
    target, other = class_label(classifier, target_class), class_label(classifier, against)
    frame = read_data(
        data,
        delimiter=delimiter,
        missing_values=options.spellings(missing_values),
        as_text=text_columns(classifier),
    )
    wanted = row or [1]
    if max(wanted) > frame.height:
        raise ValueError(f"There is no row {max(wanted)}: '{data}' has {counted(frame.height, 'row')}.")
    positions = [number - 1 for number in wanted]
    rows = columns_for(classifier, frame, data)[positions]
    explanation = classifier.explain(rows, target=target, against=other)
    probabilities = classifier.predict_proba(rows)
    console = out()
    for index, number in enumerate(wanted):
        if index:
            console.print()
        console.print(heading(classifier, explanation, index, f"Row {number} of {data.name}"))
        console.print(chances(classifier, probabilities[index], _actual(classifier, frame, positions[index])))
        raw = frame.select(explanation.features).row(positions[index])
        most = len(raw) if show_all else MOST_FEATURES
        console.print(evidence_table(explanation, index, raw, most))


def heading(classifier: Any, explanation: Any, index: int, where: str) -> Text:
    """Say in one line which class is argued for against which."""
    target, against = (label_text(each[index]) for each in (explanation.target, explanation.against))
    return Text.assemble(
        (where, "bold"),
        f": {classifier.schema_.target.name} is ",
        (target, CLASS_STYLE),
        f" rather than {against}",
    )


def chances(classifier: Any, probabilities: Any, actual: object = None) -> Text:
    """List the probability of each class, the most probable first, and the actual class where it is known."""
    ordered = sorted(zip(probabilities.tolist(), classifier.classes_, strict=True), key=lambda pair: -pair[0])
    shown = [f"P({label_text(label)}) = {probability(value)}" for value, label in ordered[:6]]
    more = f" and {len(ordered) - 6} more" if len(ordered) > 6 else ""
    text = Text("  " + ", ".join(shown) + more)
    if actual is not None:
        text.append(f"; actual class: {label_text(actual)}")
    return text


def evidence_table(explanation: Any, index: int, raw: tuple[Any, ...], most: int) -> Group:
    """Tabulate the evidence of one row, strongest feature first, with bars; of many features only the strongest."""
    weights = explanation.evidence[index]
    order = sorted(range(len(weights)), key=lambda feature: -abs(weights[feature]))
    scale = max([abs(float(weight)) for weight in weights] + [abs(float(explanation.prior[index]))])
    table = light_table()
    table.add_column("feature", no_wrap=True, overflow="ellipsis", max_width=36)
    table.add_column("value", justify="right", no_wrap=True, overflow="ellipsis", max_width=12)
    table.add_column("interval", style="dim", no_wrap=True)
    table.add_column("log-odds", justify="right", no_wrap=True)
    table.add_column("against│for", no_wrap=True)
    for feature in order[:most]:
        state = explanation.values[index][feature]
        value = "missing" if not state else value_text(raw[feature])
        _add(table, explanation.features[feature], value, state, weights[feature], scale)
    rest = order[most:]
    if rest:
        _add(
            table,
            f"{counted(len(rest), 'other feature')}",
            "",
            "",
            sum(weights[feature] for feature in rest),
            scale,
        )
    _add(table, "(prior)", "", "", explanation.prior[index], scale)
    table.add_section()
    table.add_row(
        Text("total", style="bold"), "", "", Text(f"{explanation.log_odds[index]:+.2f}", style="bold"), ""
    )
    return Group(
        table, Text("  Log-odds add up to the total; +1 makes the odds 2.7 times larger.", style="dim")
    )


def value_text(value: object) -> str:
    """Write a value of the data as a person would.

    Examples
    --------
    >>> value_text(0.30000000000000004), value_text(1200), value_text(True)
    ('0.3', '1200', 'true')
    """
    return f"{value:.5g}" if isinstance(value, float) else label_text(value)


def _add(table: Table, name: str, value: str, state: str, weight: float, scale: float) -> None:
    interval = state if state.startswith("(") and state != value else ""
    table.add_row(
        Text(name), Text(value), Text(interval), f"{weight:+.2f}", diverging_bar(float(weight), scale)
    )


def _actual(classifier: Any, frame: pl.DataFrame, position: int) -> object:
    """Class that the data itself gives for a row, where it has the column."""
    name = classifier.schema_.target.name
    return frame[name][position] if name in frame.columns else None
