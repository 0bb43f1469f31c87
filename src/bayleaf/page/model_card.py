"""The model card: what a model was learned from and for what, how good it is and for whom, and its limits.

Markdown with the front matter that model hubs read. Everything comes from the model, and so from its file; only
figures by group need rows.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bayleaf._util.whole_files import write_text
from bayleaf._util.words import counted, guesses, warn
from bayleaf.classify.record import Quality
from bayleaf.data import Variable
from bayleaf.data.columns import as_frame, take_rows
from bayleaf.data.reader import labelled_rows
from bayleaf.data.schema import states_text
from bayleaf.network.decisions import costs_in_words
from bayleaf.quality.cross_validation import predicted_outcome
from bayleaf.quality.intervals import class_figures, group_table, rarest_class
from bayleaf.quality.outcome import Outcome
from bayleaf.quality.quality_record import missing_values, quality_of

from .learned import how_learned
from .shown_rows import used_to_fit

# Columns with more groups are no groups of people or places, but measurements.
MOST_GROUPS = 50
MOST_COLUMNS = 200
# Of new rows, this share may equal a training row by chance; with more, the figures are not those of new rows.
MOST_SEEN = 0.05
TASK = "tabular-classification"


def write_card(
    model: Any,
    path: str | os.PathLike[str],
    X: Any = None,
    y: Any = None,
    *,
    by: Sequence[str] = (),
    title: str | None = None,
) -> None:
    """Write the card of a fitted classifier: see `card_text`."""
    write_text(Path(path), card_text(model, X, y, by=by, title=title))


def card_text(
    model: Any, X: Any = None, y: Any = None, *, by: Sequence[str] = (), title: str | None = None
) -> str:
    """Return the card of a fitted classifier as Markdown.

    Parameters
    ----------
    model : classifier
    X, y : table and its classes, optional
        Rows that fit has not seen, to measure the model on.
    by : sequence of str
        Columns of ``X``: how good the model is for each of their values. They need not be features.
    title : str, optional
        By default that of `describe`, or what is predicted.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> card = card_text(bl.BayesNetClassifier().fit(X, y))
    >>> [line for line in card.splitlines() if line.startswith("## ")][:3]
    ['## What it is for', '## What it was learned from', '## How good it is']
    """
    if isinstance(by, str):
        raise TypeError(f"by must be a list of columns, such as [{by!r}]. Got the text {by!r}.")
    if by and (X is None or y is None):
        raise ValueError("Figures by group need rows: pass X and y with the columns of 'by'.")
    groups = {name: _groups(X, name) for name in by}
    measured = None if y is None else _measured(model, X, y, by)
    if measured is not None and measured.seen is not None and not measured.is_new:
        warn(f"{measured.seen} Give rows that fit has not seen.")
    heading = title or model.meaning_.title or f"Which {_shown(model, model.schema_.target.name)}?"
    sections = [
        _front_matter(model, heading, measured),
        f"# {_text(heading)}",
        *_purpose(model),
        *_rows(model),
        *_quality(model, measured, groups),
        *_limits(model),
        *_learned(model),
        *_use(model),
    ]
    return "\n\n".join(sections) + "\n"


class _Measured:
    """How good a model is on given rows: those with a class."""

    def __init__(self, model: Any, X: Any, y: Any) -> None:
        known = labelled_rows(y)
        self.rows = np.arange(len(y)) if known is None else known
        X, y = take_rows(X, self.rows), take_rows(y, self.rows)
        self.outcome: Outcome = predicted_outcome(model, X, y)
        self.quality = quality_of(self.outcome, missing_values(model._used_rows(X)))
        self.seen, share = used_to_fit(model, X, y)
        self.is_new = share <= MOST_SEEN


def _measured(model: Any, X: Any, y: Any, by: Sequence[str]) -> _Measured:
    if X is None:
        raise ValueError("y has the classes of rows, and X is missing: pass both or neither.")
    known = {variable.name for variable in model.schema_.columns}
    others = [name for name in by if name not in known]
    frame = as_frame(X)
    return _Measured(model, X if frame is None or not others else frame.drop(others).to_native(), y)


def _groups(X: Any, name: str) -> list[Any]:
    """Return the group of each row, None where it is not known."""
    frame = as_frame(X)
    columns = [] if frame is None else list(frame.columns)
    if frame is None or name not in columns:
        near = guesses(name, columns)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise ValueError(f"X has no column '{name}' to group by.{hint}")
    values = [None if value != value else value for value in frame[name].to_list()]
    if len(set(values)) > MOST_GROUPS:
        raise ValueError(
            f"Column '{name}' has {len(set(values)):,} values, more than {MOST_GROUPS} groups: cut it into a few."
        )
    return values


def _front_matter(model: Any, heading: str, measured: _Measured | None) -> str:
    """Return what model hubs read: JSON is YAML, so that texts need no rules of their own."""
    figures, rows = _best_figures(model, measured)
    dataset = {"type": "tabular", "name": rows}
    metrics = [
        {"type": name.lower().replace("-", "_").replace(" ", "_"), "name": name, "value": round(value, 4)}
        for name, value in figures
    ]
    results = [{"task": {"type": TASK}, "dataset": dataset, "metrics": metrics}] if metrics else []
    head = {
        "library_name": "bayleaf",
        "pipeline_tag": TASK,
        "tags": ["bayleaf", TASK, "bayesian-network", "interpretable"],
        "model-index": [{"name": heading, "results": results}],
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    return "\n".join(["---", *lines, "---"])


def _best_figures(model: Any, measured: _Measured | None) -> tuple[list[tuple[str, float]], str]:
    """Return the figures on the rows that say most about new ones, and which rows these are."""
    record = getattr(model, "training_", None)
    quality, told = (
        measured.quality if measured is not None and measured.is_new else None,
        "rows that were given",
    )
    if quality is None and record is not None and record.cross_validated is not None:
        quality, told = record.cross_validated, "training rows, cross-validated"
    if quality is not None:
        return [(str(line["name"]), float(line["value"])) for line in quality.measures], told
    held_out = model.out_of_sample_
    if held_out is None:
        return [], told
    figures = [(name.capitalize(), own) for name, own, _ in held_out.figures()]
    return figures, "training rows, held out in fit"


def _purpose(model: Any) -> Iterator[str]:
    target = model.schema_.target
    yield "## What it is for"
    name, told = _shown(model, target.name), model.meaning_.descriptions.get(target.name)
    states = ", ".join(_text(_state(model, target.name, state)) for state in target.states)
    about = f" {_text(told)}" if told else ""
    yield f"It gives the probability of each value of **{_text(name)}** ({states}).{about}"
    costs = model._costs()
    if costs is not None:
        yield f"It decides by the smallest expected cost: {_text(costs_in_words(costs, model.classes_.tolist()))}."
    yield "Values may be missing. It was not made for other questions, nor for rows of another kind than those below."


def _rows(model: Any) -> Iterator[str]:
    record = getattr(model, "training_", None)
    yield "## What it was learned from"
    if record is None:
        yield "The model has no record of its training rows."
        return
    by = "" if record.made_by is None else f" by {_text(record.made_by)}"
    yield f"{counted(record.rows, 'row')} on {record.date}{by}."
    classes = zip(model.schema_.target.states, record.class_weights, strict=True)
    total = max(sum(record.class_weights), 1e-300)
    yield _table(
        ("class", "rows", "share"),
        [
            (
                _text(_state(model, model.schema_.target.name, state)),
                f"{weight:,.10g}",
                f"{weight / total:.1%}",
            )
            for state, weight in classes
        ],
    )
    columns = model.schema_.columns[:MOST_COLUMNS]
    yield _table(
        ("column", "read as", "values", "missing", "meaning"),
        [
            (
                _text(variable.name),
                variable.dtype if variable.cuts is None else "number",
                _text(states_text(variable)),
                f"{record.missing.get(variable.name, 0.0):.1%}",
                _text(_meaning(model, variable)),
            )
            for variable in columns
        ],
    )
    if len(model.schema_.columns) > MOST_COLUMNS:
        yield f"And {len(model.schema_.columns) - MOST_COLUMNS:,} more columns."


def _quality(model: Any, measured: _Measured | None, groups: Mapping[str, list[Any]]) -> Iterator[str]:
    yield "## How good it is"
    record = getattr(model, "training_", None)
    told = False
    if measured is not None:
        yield f"On {counted(measured.quality.rows, 'row')} that were given for this card:"
        if measured.seen is not None:
            yield measured.seen
        yield from _figures(measured.quality)
        told = True
    found = None if record is None else record.cross_validated
    if found is not None:
        yield f"Cross-validated on {counted(found.rows, 'training row')}, {found.folds} folds:"
        yield from _figures(found)
        told = True
    held_out = model.out_of_sample_
    if held_out is not None:
        yield f"On {counted(held_out.rows, 'training row')}, each judged by what was learned without it:"
        lines = [(name, f"{own:.3f}", f"{theirs:.3f}") for name, own, theirs in held_out.figures()]
        yield _table(("figure", "model", "class frequencies"), lines)
        told = True
    if not told:
        yield "Not known: its learners hold out no rows, and it was neither cross-validated nor measured here."
    if measured is not None:
        for name, values in groups.items():
            yield from _by_group(model, measured, name, [values[row] for row in measured.rows.tolist()])


def _figures(quality: Quality) -> Iterator[str]:
    """Tabulate all figures with their intervals, then the classes."""
    lines = []
    for line in quality.measures:
        interval = f"{line['low']:.3f} to {line['high']:.3f}" if "low" in line else ""
        baseline = line.get("baseline")
        own = f"{line['value']:.3f}"
        lines.append((line["name"], own, interval, "" if baseline is None else f"{baseline:.3f}"))
    yield _table(("figure", "model", "95% interval", "class frequencies"), lines)
    classes = class_figures(quality.classes, quality.confusion)
    yield _table(
        ("class", "rows", "precision", "recall"),
        [
            (
                _text(line["class"]),
                f"{line['rows']:,}",
                _interval(line, "precision"),
                _interval(line, "recall"),
            )
            for line in classes
        ],
    )


def _by_group(model: Any, measured: _Measured, name: str, values: Sequence[Any]) -> Iterator[str]:
    rarest = measured.outcome.labels[rarest_class(measured.outcome)]
    yield f"By {_text(_shown(model, name))}; recall and false alarms are those of {_text(rarest)}:"
    yield _table(
        ("group", "rows", "accuracy", "recall", "false alarms"),
        [
            (
                _text(_state(model, name, line["group"])),
                f"{line['rows']:,}",
                *(_interval(line, each) for each in ("accuracy", "recall", "false_alarms")),
            )
            for line in group_table(measured.outcome, values).to_dicts()
        ],
    )


def _limits(model: Any) -> Iterator[str]:
    yield "## Limits"
    record = getattr(model, "training_", None)
    points = [_text(each) for each in how_learned(model)["warnings"]]
    shortfall = None if model.out_of_sample_ is None else model.out_of_sample_.shortfall()
    if shortfall is not None:
        points.insert(0, f"On held-out rows it is {_text(shortfall)}.")
    if record is not None and record.sampled is not None:
        points.append("Some of it was learned from a sample of the rows.")
    if record is not None and record.ranges:
        points.append(
            "Numbers outside the range of the training rows are answered like the nearest interval."
        )
    points += [
        "It describes how columns went together in the training rows, not what causes what.",
        "If new rows come from elsewhere or from another time, its probabilities may be wrong; `model.drift(X)` "
        "compares them with the training rows.",
        "How good it is for groups of people is known only as far as it is told above.",
    ]
    yield "\n".join(f"- {point}" for point in points)


def _learned(model: Any) -> Iterator[str]:
    found = how_learned(model)
    yield "## How it was learned"
    if found["method"]:
        yield f"Method: {_text(found['method'])}."
    yield _table(
        ("setting", "value"), [(_text(name), f"`{_code(value)}`") for name, value in found["settings"]]
    )
    if found["references"]:
        yield "\n".join(f"- {_text(part)}: {_text(paper)}" for part, paper in found["references"])
    yield _table(("", ""), [(name, _text(said)) for name, said in found["versions"][:1]])


def _use(model: Any) -> Iterator[str]:
    yield "## How to use it"
    code = ("import bayleaf as bl", "", 'model = bl.load("model.bayleaf.json")  # executes nothing')
    yield "\n".join(["```python", *code, "model.predict_proba(rows)", "```"])


def _shown(model: Any, name: str) -> str:
    return str(model.meaning_.labels.get(name, name))


def _state(model: Any, name: str, state: Any) -> str:
    return str(model.meaning_.states.get(name, {}).get(str(state), state))


def _meaning(model: Any, variable: Variable) -> str:
    meaning, name = model.meaning_, variable.name
    parts = [meaning.labels.get(name), meaning.units.get(name), meaning.descriptions.get(name)]
    return ", ".join(filter(None, parts))


def _interval(line: dict[str, Any], name: str) -> str:
    if line[name] is None:
        return ""
    return f"{line[name]:.3f} ({line[f'{name}_low']:.2f} to {line[f'{name}_high']:.2f})"


def _text(value: object) -> str:
    r"""Return a text as Markdown shows it: names and values from data are no marks, no links and no HTML.

    Examples
    --------
    >>> _text("a|b <i>")
    'a\\|b \\<i\\>'
    """
    line = " ".join(str(value).split())
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", line)


def _code(value: object) -> str:
    return " ".join(str(value).split()).replace("`", "'").replace("|", "\\|")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
