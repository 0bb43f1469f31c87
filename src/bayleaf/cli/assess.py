"""A saved model on rows whose class is known: figures, classes and confusions."""

import json
from pathlib import Path
from typing import Any

from rich.text import Text

import bayleaf
from bayleaf._util.words import counted
from bayleaf.evaluation.intervals import class_figures
from bayleaf.record import Quality

from .assess_batches import assessed, class_name
from .inputs import check_writable
from .output import light_table, out, probability, shown, working, wrote

MOST_CLASSES = 10  # of a confusion matrix that a terminal has room for
MOST_CONFUSIONS = 10


def assess(
    path: Path,
    data: Path,
    page: Path | None,
    target: list[str] | None,
    reading: dict[str, Any],
    *,
    absent_missing: bool = False,
    print_json: bool = False,
) -> None:
    """Measure the model in a file on the rows of a table; write the model page where one is asked for."""
    from bayleaf.report import write_report

    if page is not None:
        check_writable(page, path, data)
    model = bayleaf.load(path)
    _check_target(model, target)
    found = assessed(model, data, reading, absent_missing=absent_missing, for_page=page is not None)
    if page is not None:
        with working("Writing the page ..."):
            write_report(
                model, page, found.rows, found.labels, row_numbers=found.numbers, measured=found.measured
            )
    if print_json:
        out().print(as_json(found.quality, path, data, found.seen), soft_wrap=True)
        return
    _print(found.quality, path, data, found.seen)
    if page is not None:
        wrote(page, " (open it in a browser; it needs nothing else)")


def _check_target(model: Any, target: list[str] | None) -> None:
    name = class_name(model)
    if target and target != [name]:
        raise ValueError(f"The model predicts '{name}': it cannot be measured on '{target[0]}'.")


def as_json(quality: Quality, path: Path, data: Path, caution: str | None = None) -> str:
    """Return all figures as JSON."""
    kept = ("name", "value", "low", "high", "baseline")
    document = {
        "model": str(path),
        "data": str(data),
        "rows": quality.rows,
        "caution": caution,
        "measures": [{key: line.get(key) for key in kept} for line in quality.measures],
        "classes": class_figures(quality.classes, quality.confusion),
        "confusion": {"classes": list(quality.classes), "counts": quality.confusion},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _print(quality: Quality, path: Path, data: Path, caution: str | None) -> None:
    console = out()
    console.print(f"{path} on {counted(quality.rows, 'row')} of {data}", style="bold", soft_wrap=True)
    if caution is not None:
        console.print(caution, style="bold red", soft_wrap=True)
    console.print()
    shown(console, measure_table(quality))
    shown(console, class_view(quality))
    shown(console, confusion_view(quality))
    console.print(
        Text("Brackets: 95% intervals. Class frequencies: what they alone would reach.", style="dim")
    )


def measure_table(quality: Quality) -> Any:
    """Tabulate every figure with its interval, and what the class frequencies reach."""
    table = light_table()
    table.add_column("measure")
    for name in ("model", "95% interval", "class frequencies"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in quality.measures:
        interval = f"[{line['low']:.3f}, {line['high']:.3f}]" if "low" in line else ""
        baseline = line.get("baseline")
        table.add_row(
            line["name"], f"{line['value']:.3f}", interval, "" if baseline is None else f"{baseline:.3f}"
        )
    return table


def class_view(quality: Quality) -> Any:
    """Tabulate precision, recall and F1 of each class."""
    table = light_table(title="Classes")
    table.add_column("class", overflow="ellipsis", no_wrap=True)
    for name in ("rows", "precision", "recall", "F1"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in class_figures(quality.classes, quality.confusion):
        figures = [_with_interval(line, name) for name in ("precision", "recall", "f1")]
        table.add_row(line["class"], f"{line['rows']:,}", *figures)
    return table


def _with_interval(line: dict[str, Any], name: str) -> str:
    if line[name] is None:
        return ""
    return f"{line[name]:.3f} [{line[f'{name}_low']:.2f}, {line[f'{name}_high']:.2f}]"


def confusion_view(quality: Quality) -> Any:
    """Tabulate true against predicted classes; of many classes, the most frequent confusions."""
    if len(quality.classes) > MOST_CLASSES:
        return _largest_confusions(quality)
    table = light_table(title="Confusion matrix")
    table.add_column("true / predicted", overflow="ellipsis", no_wrap=True)
    for label in quality.classes:
        table.add_column(label, justify="right", overflow="ellipsis", no_wrap=True)
    for label, counts in zip(quality.classes, quality.confusion, strict=True):
        table.add_row(label, *(f"{count:,}" for count in counts))
    return table


def _largest_confusions(quality: Quality) -> Any:
    pairs = [
        (count, true, predicted)
        for true, counts in enumerate(quality.confusion)
        for predicted, count in enumerate(counts)
        if count and true != predicted
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    table = light_table(title="Most frequent confusions")
    for name in ("true class", "predicted"):
        table.add_column(name, overflow="ellipsis", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("of the true class", justify="right")
    for count, true, predicted in pairs[:MOST_CONFUSIONS]:
        share = count / sum(quality.confusion[true])
        table.add_row(quality.classes[true], quality.classes[predicted], f"{count:,}", probability(share))
    return table
