"""``bayleaf compare``: methods on one table, with intervals and tests of their differences."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from bayleaf import benchmark
from bayleaf._util.whole_files import write_text
from bayleaf.benchmark import PEERS, Peer, Results
from bayleaf.learn.parameters import Shrinkage
from bayleaf.learn.parameters.closed_form import ClosedForm
from bayleaf.learn.register import split_methods
from bayleaf.quality import Measure
from bayleaf.quality.cross_validation import FoldsOfRows
from bayleaf.quality.measures import known_measure

from . import measured_methods as measured
from . import options
from .options import DISCRETIZERS, MissingWay, build, read_method
from .output import light_table, note, out, probability, shown, wrote

EXAMPLE = "bayleaf compare iris.csv --target species --methods tan,kdb,logistic,forest"
SHOWN_TOO = ("accuracy", "log_loss")


def run(
    data: options.DataFile,
    target: Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the class.")],
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            metavar="NAMES",
            help="Methods separated by commas: those of 'bayleaf methods', and logistic (regression), forest, pool.",
        ),
    ] = "default,NB,TAN,logistic,forest",
    measure: Annotated[
        str,
        typer.Option(metavar="NAME", help="Measure whose differences are tested, such as log_loss or mcc."),
    ] = "accuracy",
    against: Annotated[
        str | None,
        options.optional("METHOD", "Method that the others are tested against; the best by default."),
    ] = None,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="Each method with the tables of its own paper, logistic and forest on the numbers themselves; by "
            "default all have the same intervals and the same tables.",
        ),
    ] = False,
    cv: options.Folds = 5,
    repeats: options.Repeats = 2,
    groups: options.Groups = None,
    time: options.Time = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for results, table and figure; repeating the call resumes where it stopped.",
        ),
    ] = None,
    print_json: options.PrintJson = False,
    categorical: options.Categorical = None,
    discretizer: options.Discretizer = None,
    missing: options.Missing = options.MissingWay.AUTO,
    drop: options.Drop = None,
    require_class: options.RequireClass = False,
    bins: options.Bins = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Compare methods on one table: the same folds, intervals, and a test of every difference.

    Methods differ in what their names say and in nothing else, unless --as-published is given. Intervals and tests
    are corrected for the training rows that folds share.
    """
    chosen = known_measure(measure)
    learners = competitors(methods, as_published=as_published, discretizer=discretizer, missing=missing)
    if against is not None and against not in learners:
        raise ValueError(f"'{against}' is not among the methods of this call: {', '.join(learners)}.")
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    how = {"require_class": require_class, "bins": bins, **reading}
    many_classes = measured.takes_many(learners)
    table = measured.read_for_folds(data, target, dropped, categories, cv, how, many_classes, (groups, time))
    file = None
    if output is not None:
        costs = measured.costs_text(learners) or None
        kept = {
            "drop": dropped,
            "categorical": categories,
            **reading,
            "costs": costs,
            "groups": groups,
            "time": time,
        }
        kept |= {} if bins is None else {"bins": bins}
        file = measured.prepare_folder(output, [table], kept)
    protocol = measured.folds_for(table, cv, repeats, seed)
    measures = measured.measures_for(learners, [chosen])
    chosen = next(each for each in measures if each.name == chosen.name)
    datasets = {table.name: (table.features, table.target)}
    results = benchmark.evaluate(learners, datasets, protocol, measures, out=file, n_jobs=jobs)
    measured.check_some_worked(results)
    lines = differences(results, chosen, against)
    written = [] if output is None else _write(results, chosen, lines, output)
    if print_json:
        document = json.loads(measured.as_json(results, protocol))
        document["differences"] = {"measure": chosen.name, "lines": [line.__dict__ for line in lines]}
        out().print(json.dumps(document, indent=2, ensure_ascii=False), soft_wrap=True)
        return
    _print(results, chosen, lines, protocol, measured.costs_text(learners))
    others = [name for name in learners if isinstance(learners[name], Peer)]
    if others and not as_published:
        sees = "sees" if len(others) == 1 else "see"
        note(f"{' and '.join(others)} {sees} the intervals of the networks; with --as-published the numbers.")
    if "pool" in learners and not as_published:
        note("pool cuts numbers into finer intervals of its own, whatever the others see.")
    if output is not None:
        wrote(output, f": {', '.join(written)}")


def competitors(
    text: str, *, as_published: bool, discretizer: str | None, missing: MissingWay
) -> dict[str, Any]:
    """Build the methods that a text names; without ``as_published`` they share discretiser and tables."""
    made: dict[str, Any] = {}
    for label, learner in _built(text, as_published, discretizer, missing):
        if label in made:
            raise ValueError(f"The method '{label}' is named twice.")
        made[label] = learner
    if len(made) < 2:
        raise ValueError("Name at least two methods to compare, such as --methods NB,TAN.")
    return made


def _built(
    text: str, as_published: bool, discretizer: str | None, missing: MissingWay
) -> Iterator[tuple[str, Any]]:
    way = None if discretizer is None else DISCRETIZERS[discretizer]()
    for part in split_methods(text):
        name = part.strip().lower()
        if name in PEERS:
            numbers = "values" if as_published else "intervals"
            yield name, benchmark.peer(name, numbers=numbers, discretizer=way, missing=missing.value)
            continue
        spec = read_method(part, PEERS)
        built = build(spec, discretizer=discretizer, missing=missing)
        if not as_published:
            given = {*spec.settings} | ({"discretizer"} if discretizer is not None else set())
            built = with_usual_tables(built, given)
        yield spec.label, built


def with_usual_tables(classifier: Any, given: Collection[str]) -> Any:
    """Give a method the discretiser and the tables that all have, but for what its name, its brackets or options say.

    Tables that are not counted alone are what the names of their methods say (-CL, WANBIA, AWNB, default).
    """
    settings = classifier.get_params()
    for place in ("parameters", "estimator__parameters"):
        own = settings.get(place)
        if place in settings and "parameters" not in given and isinstance(own, ClosedForm):
            classifier.set_params(**{place: Shrinkage()})
    for place in ("discretizer", "estimator__discretizer"):
        if place in settings and "discretizer" not in given:
            classifier.set_params(**{place: None})
    return classifier


@dataclass(frozen=True)
class Difference:
    """How much another method is behind (or ahead of) the one that all are tested against.

    Of a method that failed in a fold nothing is told but its name.
    """

    method: str
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None


def differences(results: Results, measure: Measure, against: str | None) -> list[Difference]:
    """Summarise every method, best first: its mean, and its difference to the best or given one, with intervals.

    P-values are those of the corrected resampled t-test, adjusted by Holm's procedure for testing several. Methods
    that failed in a fold come last, without figures: the folds that are left may be the easy ones.
    """
    (dataset,) = results.datasets
    share = float((results.frame["test_rows"] / results.frame["train_rows"]).mean() or 0.0)  # type: ignore[arg-type]
    failed = set(results.errors["method"])
    if against in failed:
        raise ValueError(f"There is nothing to compare with: {why_failed(results, against)}")
    values = {
        method: results.values(measure, dataset, method) for method in results.methods if method not in failed
    }
    if len(values) < 2:
        reason = why_failed(results, next(iter(failed), None))
        raise ValueError(f"Fewer than two methods are left to compare: {reason}")
    usable = np.all([np.isfinite(each) for each in values.values()], axis=0)
    if usable.sum() < 2:
        raise ValueError(f"Fewer than two folds have a value of {measure.title} for all methods.")
    values = {method: each[usable] for method, each in values.items()}
    order = sorted(values, key=lambda name: values[name].mean() * (-1 if measure.higher_is_better else 1))
    control = against or order[0]
    tests = {
        name: benchmark.corrected_t_test(values[name], values[control], test_share=share).p_value
        for name in order
        if name != control
    }
    adjusted = benchmark.adjust_p_values(tests)
    lines = []
    for name in order:
        low, high = benchmark.corrected_interval(values[name], test_share=share)
        line = {"method": name, "mean": float(values[name].mean()), "low": low, "high": high}
        if name != control:
            gap = values[name] - values[control]
            ends = benchmark.corrected_interval(gap, test_share=share)
            line |= {"difference": float(gap.mean()), "difference_low": ends[0], "difference_high": ends[1]}
            line |= {"p_value": tests[name], "adjusted_p_value": float(adjusted[name])}
        lines.append(Difference(**line))  # type: ignore[arg-type]
    return [*lines, *(Difference(method) for method in results.methods if method in failed)]


def why_failed(results: Results, method: str | None) -> str:
    """Say in how many folds a method failed, and why."""
    return " ".join(results.select(methods=None if method is None else [method]).failures())


def _print(
    results: Results, measure: Measure, lines: list[Difference], protocol: FoldsOfRows, costs: str
) -> None:
    console = out()
    (dataset,) = results.datasets
    console.print(Text(f"{dataset} ({results.dataset_rows()[dataset]:,} rows)", style="bold"))
    console.print()
    shown(console, comparison_table(results, measure, lines))
    for failure in results.failures():
        console.print(Text(failure, style="yellow"), soft_wrap=True)
    how = (
        f"Means over {len(protocol.cells)} test folds ({measured.split_text(protocol)}). Brackets: 95% intervals. "
        f"Differences: corrected resampled t-test, p by Holm.{costs}"
    )
    console.print(Text(how, style="dim"))


def _columns(
    results: Results, measure: Measure, lines: list[Difference]
) -> tuple[list[str], list[list[str]]]:
    (dataset,) = results.datasets
    others = [known_measure(name) for name in SHOWN_TOO if name != measure.name][-1:]
    others += [each for each in results.measures if each.name == measured.COST != measure.name]
    control = next(line.method for line in lines if line.difference is None)
    heads = ["method", measure.title, f"against {control}", "p", *(each.title for each in others)]
    rows = []
    for line in lines:
        if line.mean is None:
            rows.append([line.method, "failed", "", "", *[""] * len(others)])
            continue
        gap = p_value = ""
        if line.difference is not None:
            gap = f"{line.difference:+.3f} [{line.difference_low:+.3f}, {line.difference_high:+.3f}]"
        if line.adjusted_p_value is not None:
            p_value = probability(line.adjusted_p_value)
        means = [f"{np.nanmean(results.values(each, dataset, line.method)):.3f}" for each in others]
        rows.append([line.method, f"{line.mean:.3f} [{line.low:.3f}, {line.high:.3f}]", gap, p_value, *means])
    return heads, rows


def comparison_table(results: Results, measure: Measure, lines: list[Difference]) -> Any:
    """Tabulate methods, best first: the measure, the difference with its test, and another measure."""
    heads, rows = _columns(results, measure, lines)
    table = light_table()
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def _write(results: Results, measure: Measure, lines: list[Difference], folder: Path) -> list[str]:
    heads, rows = _columns(results, measure, lines)
    parts = [heads, [":---", *["---:"] * (len(heads) - 1)], *rows]
    write_text(folder / "comparison.md", "".join(f"| {' | '.join(part)} |\n" for part in parts))
    names = [measured.RESULTS, "comparison.md"]
    if find_spec("matplotlib") is not None:
        intervals = {
            line.method: (line.mean, line.low, line.high)
            for line in lines
            if line.mean is not None and line.low is not None and line.high is not None
        }
        figure = benchmark.interval_plot(intervals, measure.title, higher_is_better=measure.higher_is_better)
        measured.save_figure(figure, folder / "comparison.png")
        names.append("comparison.png")
    return names
