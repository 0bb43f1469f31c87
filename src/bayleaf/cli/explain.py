"""``bayleaf explain``: why rows get their class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.padding import Padding
from rich.text import Text

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.words import counted, listing
from bayleaf.data.dates import MOMENTS
from bayleaf.data.variable import Variable, number_text, value_in_state
from bayleaf.tables.table_files import label_text

from . import options
from .inputs import class_label, explainable
from .model_tables import columns_for, read_for
from .output import CLASS_STYLE, diverging_bar, light_table, out, probability

EXAMPLE = "bayleaf explain iris.bayleaf.json new.csv --row 3"
MOST_FEATURES = 12


def run(
    model: options.ModelFile,
    data: options.DataFile,
    row: Annotated[
        list[int] | None,
        options.optional("N", "Row to explain, counted from 1 (the default); may be repeated.", min=1),
    ] = None,
    target_class: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Class to explain; by default the predicted one.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Class to compare it with; by default the next most probable."),
    ] = None,
    next_values: Annotated[
        bool,
        typer.Option(
            "--next", help="Show what to measure next: the expected information of each missing value."
        ),
    ] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Show every feature, not only the strongest.")
    ] = False,
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Show why rows get their class: the evidence of each feature, strongest first."""
    classifier = explainable(bayleaf.load(model))
    if next_values and not hasattr(classifier, "value_of_information"):
        raise ValueError("What to measure next is asked of a network, and a pool has none: leave --next out.")
    target, other = class_label(classifier, target_class), class_label(classifier, against)
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    frame = read_for(classifier, data, **reading)
    wanted = row or [1]
    if max(wanted) > frame.height:
        raise ValueError(f"There is no row {max(wanted)}: '{data}' has {counted(frame.height, 'row')}.")
    positions = [number - 1 for number in wanted]
    rows = columns_for(classifier, frame, data, absent_missing=absent_missing)[positions]
    explanation = classifier.explain(rows, target=target, against=other)
    probabilities = classifier.predict_proba(rows)
    console = out()
    for index, number in enumerate(wanted):
        if index:
            console.print()
        console.print(heading(explanation, index, f"Row {number} of {data.name}"))
        console.print(chances(classifier, probabilities[index], _actual(classifier, frame, positions[index])))
        if sure := explanation.interval_sentence(index):
            console.print(Padding(Text(sure), (0, 0, 0, 2)))
        if explanation.expected_cost is not None:
            console.print(Padding(Text(explanation.cost_sentence(index)), (0, 0, 0, 2)))
        console.print()
        raw = raw_values(classifier, frame, positions[index], explanation, index)
        most = len(raw) if show_all else MOST_FEATURES
        console.print(evidence_table(classifier, explanation, index, raw, most))
        if known := explanation.known_sentence(index):
            console.print(Padding(Text(known), (0, 0, 0, 2)))
        if next_values:
            console.print()
            decision = classifier.decide(probabilities[[index]])[0]
            console.print(next_table(classifier, rows[index], decision, most))


def heading(explanation: Any, index: int, where: str) -> Text:
    """Say in one line which class is argued for against which."""
    target, against = (label_text(each[index]) for each in (explanation.target, explanation.against))
    return Text.assemble((where, "bold"), ": evidence for ", (target, CLASS_STYLE), f" against {against}")


def chances(classifier: Any, probabilities: Any, actual: object = None) -> Padding:
    """List the probability of each class, the most probable first, and the actual class where it is known."""
    ordered = sorted(zip(probabilities.tolist(), classifier.classes_, strict=True), key=lambda pair: -pair[0])
    text = listing([f"P({label_text(label)}) = {probability(value)}" for value, label in ordered], most=6)
    known = ""
    if actual is not None:
        strange = label_text(actual) not in map(label_text, classifier.classes_)
        known = f"\nThe data says {label_text(actual)}{', which is not a class of the model' * strange}."
    return Padding(Text(text + known), (0, 0, 0, 2))


def evidence_table(classifier: Any, explanation: Any, index: int, raw: Sequence[Any], most: int) -> Padding:
    """Tabulate the evidence of one row, strongest feature first, with bars; of many features only the strongest."""
    weights = [float(weight) for weight in explanation.evidence[index]]
    prior = float(explanation.prior[index])
    order = sorted(range(len(weights)), key=lambda feature: -abs(weights[feature]))
    variables = {variable.name: variable for variable in classifier.schema_.features}
    names, states = explanation.features, explanation.values[index]
    lines = [
        (names[k], value_text(raw[k], states[k], variables.get(names[k])), weights[k]) for k in order[:most]
    ]
    if len(order) > most:
        lines.append((counted(len(order) - most, "other feature"), "", sum(weights[k] for k in order[most:])))
    lines.append(("(prior)", "", prior))
    scale = max((abs(weight) for weight in [*weights, prior] if math.isfinite(weight)), default=0.0) or 1.0
    table = light_table(words=("feature", "value"))
    table.add_column("log-odds", justify="right", no_wrap=True, min_width=8)
    table.add_column("against│for", no_wrap=True, min_width=15)
    for name, value, weight in lines:
        table.add_row(Text(name), Text(value), f"{weight:+.2f}", diverging_bar(weight, scale))
    table.add_section()
    table.add_row("total", "", f"{explanation.log_odds[index]:+.2f}", "", style="bold")
    hint = Text("\nLog-odds add up to the total; +1 makes the odds 2.7 times larger.", style="dim")
    return Padding(Group(table, hint), (0, 0, 0, 2), expand=False)


def next_table(classifier: Any, row: Any, decision: object, most: int) -> Padding:
    """Tabulate what each missing value of a row is expected to tell, the most telling first."""
    found = classifier.value_of_information(row)
    if found.height == 0:
        return Padding(Text("No value is missing: there is nothing more to measure."), (0, 0, 0, 2))
    numbers = ("bits", f"P({label_text(decision)}) will be", "other class")
    table = light_table("What to measure next", words=("feature",), numbers=numbers)
    for feature, information, lowest, highest, change in found.head(most).rows():
        span = "" if lowest is None else f"{probability(lowest)} to {probability(highest)}"
        table.add_row(Text(feature), f"{information:.3f}", span, probability(change))
    hint = "\nBits: expected information about the class. Other class: how probable another decision is then."
    return Padding(Group(table, Text(hint, style="dim")), (0, 0, 0, 2), expand=False)


def value_text(value: object, state: str, variable: Variable | None = None) -> str:
    """Write a value of the data, and the state that the network sees where that is not the same.

    Examples
    --------
    >>> value_text("red", "red"), value_text(None, ""), value_text("mauve", ""), value_text(None, "red")
    ('red', 'missing', 'mauve, not seen in fit', 'missing, taken as red')
    >>> from bayleaf.data import Variable
    >>> age = Variable.numeric("age", [17.5, 64.5], "integer")
    >>> value_text(30, "(17.5, 64.5]", age), value_text(70, "(64.5, inf)", age)
    ('30 in 18 to 64', '70 (≥ 65)')
    """
    if value is None or value != value:
        return f"missing, taken as {state}" if state else "missing"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text, interval = number_text(value) if is_number else label_text(value), state  # type: ignore[arg-type]
    if not state:
        return f"{text}, not seen in fit"
    if variable is None or not variable.cuts or state not in variable.states[: len(variable.cuts) + 1]:
        return text
    if is_number and variable.dtype not in MOMENTS:
        text, interval = value_in_state(variable, value)  # type: ignore[arg-type]
    return (
        text
        if text == interval
        else f"{text} ({interval})"
        if interval[0] in "≤≥"
        else f"{text} in {interval}"
    )


def raw_values(
    classifier: Any, frame: pl.DataFrame, position: int, explanation: Any, index: int
) -> list[object]:
    """Return the values of the features as the table has them; None where it has no such column.

    What is made from a column, such as a weekday, is what the network sees.
    """
    made = {variable.name for variable in classifier.schema_.features if variable.source is not None}
    return [
        (state or None) if name in made else frame[name][position] if name in frame.columns else None
        for name, state in zip(explanation.features, explanation.values[index], strict=True)
    ]


def _actual(classifier: Any, frame: pl.DataFrame, position: int) -> object:
    """Class that the data itself gives for a row, where it has the column."""
    name = classifier.schema_.target.name
    return frame[name][position] if name in frame.columns else None
