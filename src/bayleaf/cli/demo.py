"""``bayleaf demo``: the main job from start to end, on data that comes with scikit-learn."""

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

import bayleaf
from bayleaf.files import prediction_frame, write_table

from .demo_steps import DemoData, Experiment, draw, load_data, measure, most_doubtful, remove_values, without
from .explain import chances, evidence_table, heading
from .fit import summary
from .output import ACCENT, counted, light_table, note, out, probability, seconds, shown, working
from .views import as_markdown, light, method_table, protocol_text, tree_lines

NAME = "demo"
EXAMPLE = "bayleaf demo --out demo"


def run(
    output: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write to.")] = Path(
        "demo"
    ),
) -> None:
    """Show the main job on real data: fit, measure, predict with reasons, live with missing values."""
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
        _page(model, data, output)
    _finish(console, output, perf_counter() - start)


def _introduce(console: Console, data: DemoData) -> None:
    _title(console, "The question")
    console.print(
        "Is a breast tumour malignant? The data: 30 measurements of cell nuclei from each of "
        f"{counted(len(data.labels), 'patient')} (Street, Wolberg & Mangasarian 1993; it comes with scikit-learn). "
        f"{counted(len(data.new.target), 'row')} are put aside as new patients."
    )


def _fit(console: Console, data: DemoData, output: Path) -> bayleaf.BayesNetClassifier:
    _title(console, "Fit")
    start = perf_counter()
    model: bayleaf.BayesNetClassifier = bayleaf.classifier("TAN").fit(data.known.features, data.known.target)
    duration = perf_counter() - start
    model.save(output / "model.bayleaf.json")
    write_table(data.known.features.with_columns(data.known.target), output / "known.csv")
    write_table(data.new.features.with_columns(data.new.target), output / "new.csv")
    console.print(
        Text.assemble(("TAN", "bold"), f" (a tree-augmented naive Bayes network) in {seconds(duration)}:")
    )
    console.print(summary(model, data.known))
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
        actual = data.new.target[row]
        table.add_row(
            str(row + 1),
            predicted[row],
            probability(float(probabilities[row].max())),
            Text(actual, style="green" if actual == predicted[row] else "red"),
        )
    shown(console, table)
    right = int((predicted == data.new.target.to_numpy()).sum())
    console.print(
        f"{right} of {counted(len(predicted), 'new row')} are right. Why that class? The least certain row:\n"
    )
    explanation = model.explain(rows[[doubtful]])
    console.print(heading(explanation, 0, f"Row {doubtful + 1} of new.csv"))
    console.print(chances(model, probabilities[doubtful], data.new.target[doubtful]))
    console.print()
    console.print(evidence_table(explanation, 0, rows.row(doubtful), most=7))
    return doubtful


def _remove(console: Console, data: DemoData, model: bayleaf.BayesNetClassifier, row: int) -> None:
    _title(console, "Missing values: nothing to impute, they are summed out")
    table = light_table(f"Row {row + 1} with more and more unknown")
    table.add_column("unknown")
    for label in model.classes_:
        table.add_column(f"P({label})", justify="right")
    for removed, chance in without(model, data.new.features[[row]], most=4):
        table.add_row(removed, *(probability(float(value)) for value in chance))
    shown(console, table)
    with working("Removing values ..."):
        removal = remove_values(data)
    shown(console, light(removal))
    console.print(
        "TAN needs no imputation; logistic regression gets the mean of the training rows.", style="dim"
    )


def _page(model: bayleaf.BayesNetClassifier, data: DemoData, output: Path) -> None:
    try:
        model.report(data.new.features, data.new.target, output / "report.html")
    except ImportError as error:
        note(f"no model page: {error}")


def _finish(console: Console, output: Path, duration: float) -> None:
    _title(console, f"Written to {output}")
    purposes = {
        "report.html": "the model page: open it in a browser, ask it what if and why",
        "model.bayleaf.json": "the fitted classifier",
        "known.csv": "the rows it was fitted to",
        "new.csv": "the rows put aside",
        "predictions.csv": "class and probabilities of the new rows",
        "evaluation.md": "the table above",
        "evidence.png": "reasons for the least certain row",
        "reliability.png": "are the probabilities honest?",
        "network.png": "the network",
    }
    table = light_table()
    table.show_header = False
    for name, purpose in purposes.items():
        if (output / name).exists():
            table.add_row(Text(name, style=ACCENT), purpose)
    shown(console, table)
    console.print(f"Done in {seconds(duration)}. Go on with, for example:")
    model, new = output / "model.bayleaf.json", output / "new.csv"
    console.print(
        f"  bayleaf show {model}\n  bayleaf explain {model} {new} --row 5", style="bold", soft_wrap=True
    )


def _title(console: Console, text: str) -> None:
    console.print()
    console.rule(Text(text, style="bold"), align="left", style="cyan")
