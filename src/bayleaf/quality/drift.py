"""Whether new rows still look like the training rows: what was compared, what has changed, and how sure that is.

The log-evidence of a row is a sum with one term per family of the network, so a change can be named: the values of a
column, or how a column depends on its parents. Each is compared with the counts of the training rows (see
`bayleaf.quality.two_samples`), and p-values are corrected for the number of comparisons.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.kinds import TableLike
from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf._util.words import counted, listing, short
from bayleaf.classify.record import UNUSUAL
from bayleaf.data import Variable
from bayleaf.data.target import unknown_labels
from bayleaf.learn.structure import FixedStructure

from .drift_sums import DriftSums, Moments
from .two_samples import (
    Shape,
    higher_mean,
    higher_share,
    holm,
    more_below,
    new_values,
    same_share,
    same_shares,
)

FloatArray = NDArray[np.float64]
# What is compared, in the order of the table.
KINDS = ("rows", "column", "dependence", "new values", "gaps", "classes", "quality")
HEADINGS = ("compared", "name", "training", "new rows", "p", "corrected")
FEWEST_ROWS = 20  # of which a mean says anything
MOST_LINES = 20  # of those without an alarm, in print


@dataclass(frozen=True)
class DriftLine:
    """One comparison of new rows with the training rows.

    Attributes
    ----------
    kind : str
        "rows" (how typical they are), "column", "dependence", "new values", "gaps", "classes" or "quality".
    name : str
        What is compared: a column, a column given its parents, a measure.
    before, now : str
        What it was in training, and what it is in the new rows.
    size : float
        How large the change is: for a column or the classes, the share of rows whose value would have to be another
        for the shares to be as in training; for a dependence, the mean log-evidence gained (below zero: lost) per
        row; for gaps and unusual rows, the difference of the shares; for new values, the share of rows that have
        one; for quality, the difference of the measures.
    p_value, corrected : float
        Before and after the correction for the number of comparisons. That of a dependence in a learned graph is
        multiplied by the number of parents there were to choose from.
    alarm : bool

    Examples
    --------
    >>> DriftLine("gaps", "age", "1%", "30%", 0.29, 1e-6, 1e-5, True).name
    'age'
    """

    kind: str
    name: str
    before: str
    now: str
    size: float
    p_value: float
    corrected: float
    alarm: bool


@dataclass(frozen=True, repr=False)
class Drift:
    """What a comparison of new rows with the training rows has found. It prints as a table.

    Attributes
    ----------
    rows, labelled : int
        New rows that were compared, and those of them with a class.
    level : float
        The most probable a false alarm may be, over all comparisons together.
    lines : tuple of DriftLine
        All comparisons: alarms first, then by p-value.
    notes : tuple of str
        What could not be compared, and why.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]] * 50
    >>> y = ["no", "no", "yes", "no"] * 50
    >>> clf = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X, y)
    >>> clf.drift(X[:100], y[:100]).alarm
    False
    >>> found = clf.drift([["a", "w"], ["b", "v"]] * 50)
    >>> [(line.kind, line.name, line.now) for line in found.changed][:2]
    [('dependence', 'x1 given x0', '100%'), ('column', 'x1', 'u: 0%')]
    """

    rows: int
    labelled: int
    level: float
    lines: tuple[DriftLine, ...]
    notes: tuple[str, ...] = ()

    @property
    def alarm(self) -> bool:
        """Whether anything has changed."""
        return bool(self.changed)

    @property
    def changed(self) -> tuple[DriftLine, ...]:
        """The comparisons that raise an alarm."""
        return tuple(line for line in self.lines if line.alarm)

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        of = f"{counted(self.rows, 'new row')}, {counted(len(self.lines), 'comparison')}"
        if not self.lines:
            return f"{of}: nothing could be compared."
        if not self.alarm:
            return f"{of}: no sign that anything has changed."
        names = listing(dict.fromkeys(f"{line.kind} {line.name}" for line in self.changed), most=4)
        return f"{of}: {len(self.changed):,} changed: {names}."

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, for JSON."""
        lines = [asdict(line) for line in self.lines]
        head = {"alarm": self.alarm, "rows": self.rows, "labelled": self.labelled, "level": self.level}
        return {**head, "correction": "Holm", "lines": lines, "notes": list(self.notes)}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the comparisons as a DataFrame of the named library, a line for each."""
        lines = [asdict(line) for line in self.lines]
        return make_frame(
            {name: [line[name] for line in lines] for name in DriftLine.__annotations__}, backend
        )

    def rich_table(self) -> Any:
        """Lay out the comparisons for a terminal: the alarms, and the least probable of the others."""
        from rich import box  # only here: most who compare rows print nothing
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for heading in HEADINGS:
            right = heading in ("p", "corrected")
            table.add_column(heading, justify="right" if right else "left", no_wrap=right, overflow="fold")
        for cells, alarm in self._cells():
            table.add_row(*map(Text, cells), style="bold red" if alarm else "")
        return table

    def _cells(self) -> Iterator[tuple[list[str], bool]]:
        for line in (*self.changed, *[line for line in self.lines if not line.alarm][:MOST_LINES]):
            cells = [line.kind, short(line.name), line.before, line.now]
            yield [*cells, _p_text(line.p_value), _p_text(line.corrected)], line.alarm

    def __repr__(self) -> str:
        from rich.console import Console

        console = Console(width=120, color_system=None, force_jupyter=False, force_terminal=False)
        with console.capture() as capture:
            console.print(self.verdict, markup=False, highlight=False, soft_wrap=True)
            if self.lines:
                console.print(self.rich_table())
            for note in self.remarks:
                console.print(note, markup=False, highlight=False, soft_wrap=True)
        return "\n".join(line.rstrip() for line in capture.get().splitlines())

    @property
    def remarks(self) -> list[str]:
        """What the printed table leaves out, and the notes."""
        hidden = len(self.lines) - len(self.changed) - MOST_LINES
        more = [f"{counted(hidden, 'more comparison')} without an alarm."] if hidden > 0 else []
        return [*more, *self.notes]

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{heading}</th>" for heading in (*HEADINGS, ""))
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in [*cells, 'changed' * alarm])}</tr>"
            for cells, alarm in self._cells()
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.remarks)
        return f"<p>{html.escape(self.verdict)}</p><table><tr>{head}</tr>{body}</table>{notes}"


def _p_text(p_value: float) -> str:
    return "<0.0001" if p_value < 0.00005 else f"{p_value:.4f}"


def compare_rows(model: Any, X: TableLike, y: Any = None, *, level: float = 0.05) -> Drift:
    """Compare new rows with the training rows of a fitted model: see `bayleaf.BayesNetClassifier.drift`.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.BayesNetClassifier().fit([["a"], ["b"]] * 50, ["no", "yes"] * 50)
    >>> compare_rows(clf, [["b"]] * 50).changed[0].now
    'a: 0%'
    """
    sums = DriftSums(model)
    sums.add(X, y)
    return judged(sums, level)


def judged(sums: DriftSums, level: float = 0.05) -> Drift:
    """Say what new rows, which have been counted, tell.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.BayesNetClassifier().fit([["a"], ["b"]] * 50, ["no", "yes"] * 50)
    >>> sums = DriftSums(clf)
    >>> for batch in ([["a"], ["b"]] * 20, [["a"], ["a"]] * 20):
    ...     sums.add(batch)
    >>> judged(sums).rows
    80
    """
    check_param("drift", "level", level, float, low=0, high=1, low_open=True, high_open=True)
    found = [*_typical(sums), *_columns(sums), *_dependences(sums), *_new_values(sums), *_gaps(sums)]
    found += [*_classes(sums), *_quality(sums)]
    corrected = _corrected(found)
    lines = [DriftLine(*line, round(p, 12), p <= level) for line, p in zip(found, corrected, strict=True)]
    lines.sort(key=lambda line: (not line.alarm, line.p_value, KINDS.index(line.kind)))
    return Drift(sums.rows, sums.labelled, level, tuple(lines), tuple(_notes(sums)))


# Comparisons of labels: there are few, and each of many columns would take from their power.
OVERALL = ("classes", "quality")


def _corrected(found: Sequence[tuple[str, str, str, str, float, float]]) -> list[float]:
    """Return p-values corrected by Holm's method: half of the risk is for those of labels, half for others."""
    corrected = [0.0] * len(found)
    overall = [k for k, line in enumerate(found) if line[0] in OVERALL]
    single = [k for k, line in enumerate(found) if line[0] not in OVERALL]
    halves = 2 if overall and single else 1
    for group in (overall, single):
        p_values = [min(1.0, halves * found[k][-1]) for k in group]
        for k, p in zip(group, holm(p_values), strict=True):
            corrected[k] = p
    return corrected


# A line before its p-value is corrected: kind, name, before, now, size, p-value.
Found = Iterator[tuple[str, str, str, str, float, float]]


def _typical(sums: DriftSums) -> Found:
    """Compare how many rows are unusual: less probable than nearly all held-out training rows."""
    typical = sums.kept.typical
    if sums.network is None or typical is None or not sums.rows:
        return
    share = sums.unusual / sums.rows
    p = more_below(typical.rows, UNUSUAL, sums.unusual, sums.rows)
    means = [typical.evidence, float(sums.evidence.shape[0][0])]
    before, now = (
        f"{_percent(each)} (mean log-evidence {mean:.2f})"
        for each, mean in zip((UNUSUAL, share), means, strict=True)
    )
    yield "rows", "unusual rows", before, now, share - UNUSUAL, p


def _columns(sums: DriftSums) -> Found:
    """Compare the shares of the values of each column."""
    for variable, now, strange in zip(sums.features, sums.columns, sums.new_values, strict=True):
        groups = _groups(sums, variable)
        old, new = (_summed(counts, groups) for counts in (_before(sums, variable), now))
        if strange:
            old = np.concatenate([old, np.zeros(len(strange))])
            new = np.concatenate([new, np.array(list(strange.values()), dtype=np.float64)])
        p = same_shares(old, new)
        if p is not None:
            states = [*_labels(variable, groups), *strange]
            yield ("column", variable.name, *_most_changed(states, old, new), p)


FEWEST_IN_GROUP = 5.0


def _groups(sums: DriftSums, variable: Variable) -> list[tuple[int, int]]:
    """Return which states of a column are compared as one: first and last of each group, but for a state of gaps.

    Intervals were cut where the training rows are, so how many of these an interval has is no matter of chance, and
    short intervals without new rows must not be singled out afterwards. Intervals are joined to their neighbours
    until enough training rows are in them, and new ones to be expected, whatever the new rows are.
    """
    values = variable.arity - variable.gap
    if variable.cuts is None:
        return [(state, state) for state in range(values)]
    before = _before(sums, variable)[:values]
    least = FEWEST_IN_GROUP * max(1.0, float(before.sum()) / max(sums.rows, 1))
    groups: list[tuple[int, int]] = []
    start, rows = 0, 0.0
    for state, more in enumerate(before.tolist()):
        rows += more
        if rows >= least:
            groups.append((start, state))
            start, rows = state + 1, 0.0
    if start < values:  # what is left joins the last group
        groups[-1:] = [(groups[-1][0] if groups else 0, values - 1)]
    return groups


def _summed(counts: FloatArray, groups: list[tuple[int, int]]) -> FloatArray:
    """Add up the counts of the states of each group, which are on the last axis."""
    return np.stack([counts[..., first : last + 1].sum(axis=-1) for first, last in groups], axis=-1)


def _labels(variable: Variable, groups: list[tuple[int, int]]) -> list[Any]:
    """Name the groups: intervals from the lowest to the highest cut."""
    found: list[Any] = []
    for first, last in groups:
        low, high = variable.states[first], variable.states[last]
        found.append(
            low if first == last else f"{str(low).partition(', ')[0]}, {str(high).partition(', ')[2]}"
        )
    return found


def _dependences(sums: DriftSums) -> Found:
    """Compare the shares of the values of each column given its parents in the network."""
    network, with_class = sums.network, bool(sums.with_labels)
    if network is None or not sums.families:
        return
    target = len(network.nodes) - 1
    for node, (parents, now) in enumerate(zip(network.dag.parent_indices, sums.families, strict=False)):
        given = [j for j in parents if with_class or j != target]
        if not given or node == target:
            continue
        before = sums.kept.family(node, network.tables[node].shape)
        if not with_class and target in parents:
            before = before.sum(axis=parents.index(target))
        variable = sums.features[node]
        yield from _given(sums, variable, [network.variables[j] for j in given], before, now)
        if (
            target in given and len(given) > 1
        ):  # fewer strata show a change of what tells the class more clearly
            axes = tuple(axis for axis, j in enumerate(given) if j != target)
            by_class = before.sum(axis=axes), now.sum(axis=axes)
            yield from _given(sums, variable, [network.variables[target]], *by_class)


def _given(
    sums: DriftSums, variable: Variable, given: list[Variable], before: FloatArray, now: FloatArray
) -> Found:
    """Compare the shares of the values of a column given others."""
    groups = _groups(sums, variable)
    if variable.gap:  # a gap is a value here
        groups = [*groups, (variable.arity - 1, variable.arity - 1)]
    states = [*_labels(variable, groups), "a new value"]
    groups = [*groups, (variable.arity, variable.arity)]  # the last is a value that fit has not seen
    old = _summed(np.pad(before.reshape(-1, variable.arity), ((0, 0), (0, 1))), groups)
    new = _summed(now.reshape(-1, variable.arity + 1), groups)
    p = same_shares(old, new, last_is_rare=True)
    if p is not None:
        name = f"{variable.name} given {' and '.join(each.name for each in given)}"
        choices = _choices(sums, sum(each.name != sums.model.schema_.target.name for each in given))
        yield ("dependence", name, *_most_changed_given(given, states, old, new), min(1.0, choices * p))


def _choices(sums: DriftSums, parents: int) -> int:
    """Return how many comparisons the one of a column given so many features stands for.

    A learned graph has the dependences that the training rows show most clearly, by chance too: new rows of the same
    source show them less. So a dependence counts as often as there were parents to choose from.
    """
    fixed = isinstance(getattr(sums.model, "structure_", None), FixedStructure)
    return 1 if fixed else math.comb(max(len(sums.features) - 1, parents), parents)


def _new_values(sums: DriftSums) -> Found:
    """Count the categories that fit has not seen, where it has seen all others."""
    for variable, strange, now in zip(sums.features, sums.new_values, sums.columns, strict=True):
        if (
            variable.cuts is not None
            or variable.other is not None
            or variable.dtype in ("untyped", "identifier")
        ):
            continue
        values = variable.arity - variable.gap
        before = np.concatenate([_before(sums, variable)[:values], np.zeros(len(strange))])
        new = np.concatenate([now[:values], np.array(list(strange.values()), dtype=np.float64)])
        found, expected, p = new_values(before, new)
        if p is None:
            continue
        unseen = [
            state
            for state, old, n in zip(variable.states[:values], before, new, strict=False)
            if n and not old
        ]
        rows = int(new[before <= 0].sum())
        names = listing(map(repr, [*unseen, *strange]), most=3)
        said = f"{found:,} ({names}), in {rows:,} of {counted(sums.rows, 'row')}" if found else "none"
        share = rows / max(sums.rows, 1)
        yield "new values", variable.name, f"{expected:.1f} expected", said, share, p


def _gaps(sums: DriftSums) -> Found:
    """Compare the share of missing values of each column."""
    total = sums.kept.weight * sums.kept.scale
    for variable, missing in zip(sums.features, sums.missing, strict=True):
        if variable.source is not None or variable.dtype == "identifier":
            continue
        counts = _before(sums, variable)
        if variable.gap:
            before = float(counts[-1])
        elif variable.fill is not None:
            before = float(variable.n_missing or 0)
        else:
            before = max(0.0, total - float(counts.sum()))
        p = same_share(before, total, missing, sums.rows)
        if p is not None:
            old, now = before / total, missing / sums.rows
            yield "gaps", variable.name, _percent(old), _percent(now), now - old, p


def _classes(sums: DriftSums) -> Found:
    """Compare how frequent the classes are."""
    if not sums.labelled:
        return
    target, known = sums.model.schema_.target, sums.model.classes_.tolist()
    unknown_labels(list(sums.labels), known)  # refuses them where none is a class of the model
    labels = [*known, *(label for label in sums.labels if label not in set(known))]
    before = np.zeros(len(labels))
    before[: len(known)] = np.array(sums.kept.classes) * sums.kept.scale
    now = np.array([sums.labels[label] for label in labels], dtype=np.float64)
    p = same_shares(before, now)
    if p is not None:
        yield ("classes", target.name, *_most_changed(labels, before, now), p)


def _shapes(seen: Moments) -> list[Shape]:
    """Return mean, standard deviation and skewness of each of several numbers."""
    return [(float(a), float(b), float(c)) for a, b, c in zip(*seen.shape, strict=True)]


def _quality(sums: DriftSums) -> Found:
    """Compare accuracy, log-loss and calibration with those on held-out training rows."""
    held_out = _yardstick(sums)
    n = sums.loss.n
    if held_out is None or n < FEWEST_ROWS:
        return
    rows = _effective_rows(sums, held_out.rows)
    right, p = sums.right / n, None
    if not isnan(held_out.accuracy):  # as where the costs of decisions were changed after fit
        p = higher_share(rows * (1 - held_out.accuracy), rows, n - sums.right, n)
    if p is not None:
        before, now = (_percent(each) for each in (held_out.accuracy, right))
        yield "quality", "accuracy", before, now, right - held_out.accuracy, p
    if None in (held_out.expected_log_loss, held_out.loss_shape, held_out.surprise_shape):
        return  # the model file does not say
    loss, surprise = _shapes(sums.loss)[0], _shapes(sums.surprise)[0]
    p = higher_mean((held_out.log_loss, *held_out.loss_shape), rows, loss, n)
    before, now = f"{held_out.log_loss:.3f}", f"{loss[0]:.3f}"
    yield "quality", "log-loss", before, now, loss[0] - held_out.log_loss, p
    excess = held_out.log_loss - held_out.expected_log_loss
    p = higher_mean((excess, *held_out.surprise_shape), rows, surprise, n)
    before, now = (
        f"log-loss {abs(each):.3f} {'above' if each >= 0 else 'below'} what the model expects"
        for each in (excess, surprise[0])
    )
    yield "quality", "calibration", before, now, surprise[0] - excess, p


def _effective_rows(sums: DriftSums, rows: int) -> float:
    """Return how many rows without weights say as much as the held-out rows with theirs."""
    share = sums.kept.scale * sums.kept.weight / max(int(sums.model.training_.rows), 1)
    return rows * min(float(share), 1.0)


def _yardstick(sums: DriftSums) -> Any:
    """Return how good the model is on held-out training rows, where that can be compared."""
    settings = sums.model._settings()
    if settings.class_weight is not None:
        return None
    return sums.model.out_of_sample_


def _notes(sums: DriftSums) -> Iterator[str]:
    if not sums.rows:
        yield "There are no rows to compare."
        return
    if sums.left_out:
        yield f"Left out {counted(sums.left_out, 'row')} with gaps, as fit did (missing='drop')."
    if sums.network is None:
        yield "Only columns, gaps, classes and quality are compared: there is no single network with its counts."
    elif sums.kept.typical is None:
        yield "How typical rows are is not compared: that needs one set of tables made of counts, as by Shrinkage()."
    if sums.rows < FEWEST_ROWS:
        yield f"Means are not compared: there are fewer than {FEWEST_ROWS} rows."
    if sums.labelled and _yardstick(sums) is None:
        yield "Quality is not compared: there are no figures on held-out training rows of the same population."


def _before(sums: DriftSums, variable: Variable) -> FloatArray:
    """Return the training rows by state of a feature."""
    return np.array(sums.kept.columns[variable.name], dtype=np.float64) * sums.kept.scale


def _most_changed(states: Sequence[Any], before: FloatArray, now: FloatArray) -> tuple[str, str, float]:
    """Say which value has changed most, and which share of the rows would have to have another."""
    old, new = before / max(before.sum(), 1e-300), now / max(now.sum(), 1e-300)
    place = int(np.argmax(np.abs(new - old)))
    name = short(states[place])
    return (
        f"{name}: {_percent(old[place])}",
        f"{name}: {_percent(new[place])}",
        float(np.abs(new - old).sum() / 2),
    )


def _most_changed_given(
    given: list[Variable], states: Sequence[Any], before: FloatArray, now: FloatArray
) -> tuple[str, str, float]:
    """Say which value has changed most given which of the parents, and what that does to the log-evidence."""
    rows_before, rows = before.sum(axis=1, keepdims=True), now.sum(axis=1, keepdims=True)
    old, new = before / np.maximum(rows_before, 1e-300), now / np.maximum(rows, 1e-300)
    both = (rows_before > 0) & (rows > 0)
    weight = np.where(both, rows_before * rows / np.maximum(rows_before + rows, 1e-300), 0.0)
    line, place = divmod(int(np.argmax(weight * (new - old) ** 2)), old.shape[1])
    codes = np.unravel_index(line, [each.arity for each in given])
    where = " and ".join(
        f"{each.name} = {each.states[code]}" for each, code in zip(given, codes, strict=True)
    )
    name = short(f"{states[place]} where {where}")
    table = (before + 0.5) / (rows_before + before.shape[1] / 2)
    lost = np.where(both, rows * (new - old) * np.log(table), 0.0).sum() / max(float(rows.sum()), 1.0)
    return f"{name}: {_percent(old[line, place])}", _percent(new[line, place]), float(lost)


def _percent(share: float) -> str:
    """Write a share; one that is neither none nor all never looks like it.

    Examples
    --------
    >>> _percent(0.314), _percent(0.0004), _percent(0.012)
    ('31%', '<0.1%', '1.2%')
    """
    percent = 100 * share
    if 0 < percent < 0.05:
        return "<0.1%"
    return f"{percent:.1f}%" if 0 < percent < 9.95 or 90.05 < percent < 100 else f"{percent:.0f}%"
