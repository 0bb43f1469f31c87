"""Whether new rows still look like the training rows: what was compared, what has changed, and how sure that is.

The log-evidence of a row is a sum with one term per family of the network, so a change can be named: the values of a
column, or how a column depends on its parents. Each is compared with the counts of the training rows (see
`bayleaf.quality.two_samples`), and p-values are corrected for the number of comparisons.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bayleaf._util.kinds import TableLike
from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf._util.words import counted, listing, short

from .drift_answers import compare_answers
from .drift_columns import FEWEST_ROWS, Finding, compare_columns, family_pairs
from .drift_sums import DriftSums
from .two_samples import holm, same_shares

# What is compared, in the order of the table.
KINDS = ("rows", "column", "dependence", "new values", "gaps", "classes", "answers", "quality")
HEADINGS = ("compared", "name", "training", "new rows", "p", "corrected")
MOST_LINES = 20  # of those without an alarm, in print


@dataclass(frozen=True)
class DriftLine:
    """One comparison of new rows with the training rows.

    Attributes
    ----------
    kind : str
        "rows" (how typical they are), "column", "dependence", "new values", "gaps", "classes", "answers" (without
        labels: mean probabilities, and how sure they are) or "quality".
    name : str
        What is compared: a column, a column given its parents, a measure.
    before, now : str
        What it was in training, and what it is in the new rows.
    size : float
        How large the change is: for a column or the classes, the share of rows whose value would have to be another
        for the shares to be as in training; for a dependence, the mean log-evidence gained (below zero: lost) per
        row; for gaps and unusual rows, the difference of the shares; for new values, the share of rows that have
        one; for answers and quality, the difference of the measures.
    p_value, corrected : float
        Before and after the correction for the number of comparisons. That of a dependence in a learned graph is
        multiplied by the number of parents there were to choose from.
    alarm : bool
    follows : str
        The column whose own change explains this one; empty where none does.

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
    follows: str = ""


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
    >>> [(line.kind, line.name, line.follows) for line in found.changed]
    [('column', 'x1', ''), ('new values', 'x1', ''), ('dependence', 'x1 given x0', 'x1')]
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
        own = [line for line in self.changed if not line.follows]
        names = listing(dict.fromkeys(f"{line.kind} {line.name}" for line in own), most=4)
        following = len(self.changed) - len(own)
        more = f" {following:,} more follow{'s' * (following == 1)} from these." if following else ""
        return f"{of}: {len(own):,} changed: {names}.{more}"

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
            name = short(line.name) + (f" (follows from {short(line.follows)})" if line.follows else "")
            cells = [line.kind, name, line.before, line.now]
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
    >>> [line.now for line in compare_rows(clf, [["b"]] * 50).changed if line.kind == "column"]
    ['a: 0%']
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
    found = [*compare_columns(sums), *compare_answers(sums)]
    corrected = _corrected(found)
    alarms = [each for each, p in zip(found, corrected, strict=True) if p <= level]
    causes = _causes(sums, alarms) if alarms else {}
    lines = [
        DriftLine(*each[:6], round(p, 12), p <= level, causes.get(each, ""))
        for each, p in zip(found, corrected, strict=True)
    ]
    lines.sort(key=lambda line: (not line.alarm, bool(line.follows), line.p_value, KINDS.index(line.kind)))
    return Drift(sums.rows, sums.labelled, level, tuple(lines), tuple(_notes(sums)))


# Comparisons of answers and labels: there are few, and each of many columns would take from their power.
OVERALL = ("classes", "answers", "quality")


def _corrected(found: Sequence[Finding]) -> list[float]:
    """Return p-values corrected by Holm's method: half of the risk is for answers and labels, half for others."""
    corrected = [0.0] * len(found)
    overall = [k for k, line in enumerate(found) if line.kind in OVERALL]
    single = [k for k, line in enumerate(found) if line.kind not in OVERALL]
    halves = 2 if overall and single else 1
    for group in (overall, single):
        p_values = [min(1.0, halves * found[k].p_value) for k in group]
        for k, p in zip(group, holm(p_values), strict=True):
            corrected[k] = p
    return corrected


# A p-value above it says that a column given another is as it was: then the other explains what has changed.
UNCHANGED = 0.01


def _causes(sums: DriftSums, alarms: Sequence[Finding]) -> dict[Finding, str]:
    """Return the alarms that another column explains, and which.

    A dependence in which a column with an alarm of its own takes part has changed with this column. A column has
    changed with another one, or with the class, if it depends on it as before: then its shares have changed less.
    """
    moved = {each.column: each for each in alarms if each.kind in ("column", "gaps", "new values")}
    shares = {each.column: each for each in alarms if each.kind in ("column", "classes")}
    causes: dict[Finding, str] = {}
    for each in alarms:
        inside = [name for name in (each.column, *each.given) if name in moved]
        if each.kind == "dependence" and inside:
            causes[each] = max(inside, key=lambda name: abs(moved[name].size))
    for effect, cause in _unchanged_links(sums, set(shares)):
        found = shares[effect]
        if found.kind == "column" and found.size < shares[cause].size and found not in causes:
            causes[found] = cause
    return causes


def _unchanged_links(sums: DriftSums, names: set[str]) -> Iterator[tuple[str, str]]:
    """Return pairs of neighbours in the network, the first of which depends on the second as before."""
    network = sums.network
    if network is None:
        return
    for node, parents, before, now in family_pairs(sums):
        family = [network.nodes[j] for j in (*parents, node)]
        for axis, parent in enumerate(family[:-1]):
            if not {parent, family[-1]} <= names:
                continue
            for effect, cause, place in ((family[-1], parent, -1), (parent, family[-1], axis)):
                old, new = (np.moveaxis(each, place, -1) for each in (before, now[..., :-1]))
                p = same_shares(old.reshape(-1, old.shape[-1]), new.reshape(-1, old.shape[-1]))
                if p is None or p > UNCHANGED:
                    yield effect, cause


def _notes(sums: DriftSums) -> Iterator[str]:
    if not sums.rows:
        yield "There are no rows to compare."
        return
    if sums.left_out:
        yield f"Left out {counted(sums.left_out, 'row')} with gaps, as fit did (missing='drop')."
    if sums.network is None:
        yield "Neither dependences nor how typical rows are is compared: there is no single network with its counts."
    elif sums.kept.typical is None:
        yield "How typical rows are is not compared: that needs tables made of counts, and rows in memory in fit."
    if sums.rows < FEWEST_ROWS:
        yield f"Means are not compared: there are fewer than {FEWEST_ROWS} rows."
    if sums.training_rows:
        yield (
            f"{sums.training_rows_said}: a model is surer of these than of new rows, so answers and quality are not "
            "compared."
        )
    elif sums.held_out is None:
        what = "Quality is" if sums.labelled else "Answers are"
        yield f"{what} not compared: there are no figures on held-out training rows of the same population."
