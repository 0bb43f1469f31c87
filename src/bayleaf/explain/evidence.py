"""Why a class was chosen: the weight of evidence of each feature, in log-odds.

For class c against class c' the log-odds of a row is log P(c, x) - log P(c', x). Features are taken in topological
order of the network (ties by column order), and each contributes what it changes:

    evidence(i) = log-odds(x_1 .. x_i) - log-odds(x_1 .. x_{i-1}),

all features not yet taken being summed out. The terms add up to the posterior log-odds exactly, whatever the graph.
Where the class has no parents and nothing is missing, the features before X_i contain its parents, and the term is
the weight of evidence log P(x_i | pa_i, c) - log P(x_i | pa_i, c'). Missing features contribute nothing themselves;
what they leave open is in the terms of the features that depend on them.

Tables may hold zeros (``MaximumLikelihood(epsilon=0)``). The feature that first makes one of the two classes
impossible has infinite evidence, and features after it have none: nothing can bring the class back. A row that is
impossible under every class has the prior as its posterior, so no feature contributes. A row that is impossible under
just the two classes compared has no log-odds, and is refused.

References
----------
I. J. Good. Probability and the Weighing of Evidence. Griffin, 1950.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from bayleaf._util.cards import bars, card, sentence
from bayleaf._util.optional import make_frame
from bayleaf._util.params import require
from bayleaf._util.words import counted
from bayleaf.data import Table
from bayleaf.network import BayesNet
from bayleaf.network.decisions import best_class, most_probable, posteriors
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import Predictor

from .known import Known


@dataclass(frozen=True)
class Pair:
    """The two classes that are compared in each row."""

    chosen: NDArray[np.int64]
    other: NDArray[np.int64]

    def odds(self, joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the two, from log-joints of every row and class."""
        rows = np.arange(len(joint))
        with np.errstate(invalid="ignore"):  # rows of no class, which get no evidence
            difference: NDArray[np.float64] = joint[rows, self.chosen] - joint[rows, self.other]
        return difference

    def between(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores [row, feature, class but the first] of the chosen class less those of the other.

        The first class has zeros.
        """
        rows = np.arange(len(scores))
        padded = np.concatenate([np.zeros((*scores.shape[:-1], 1)), scores], axis=-1)
        between: NDArray[np.float64] = padded[rows, :, self.chosen] - padded[rows, :, self.other]
        return between

    def impossible(self, joint: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows have probability zero under both."""
        rows = np.arange(len(joint))
        both: NDArray[np.bool_] = np.isneginf(joint[rows, self.chosen]) & np.isneginf(joint[rows, self.other])
        return both

    def take(self, rows: NDArray[np.bool_]) -> "Pair":
        """Return the pairs of some rows."""
        return Pair(self.chosen[rows], self.other[rows])


def weigh(
    network: Predictor, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Evidence of every row and feature, and the log-odds before any feature is seen."""
    query = len(network.nodes) - 1
    if isinstance(network, TwoReadings):
        return _weigh_two_readings(network, table, pair)
    if not isinstance(network, BayesNet) or network.dag.parent_indices[query]:
        return _weigh_by_hiding(network, table, pair, no_class)
    complete = table.complete_rows()
    if complete.all():
        return _weigh_by_tables(network, table, pair, no_class)
    evidence, before_any = np.empty((table.n_rows, query)), np.empty(table.n_rows)
    for rows, weigh in ((complete, _weigh_by_tables), (~complete, _weigh_by_hiding)):
        if rows.any():
            found = weigh(network, table.take(rows), pair.take(rows), no_class[rows])
            evidence[rows], before_any[rows] = found
    return evidence, before_any


def _weigh_two_readings(
    readings: TwoReadings, table: Table, pair: Pair
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add up what each reading says of a value, as much as it counts in the row."""
    rows, query = np.arange(table.n_rows), len(readings.nodes) - 1
    of_evidence, of_network = readings.weights(table)
    table = readings.as_read(table, of_evidence, of_network)
    odds = pair.odds(np.tile(readings.evidence.log_prior, (table.n_rows, 1)))
    before_any = of_evidence * odds
    evidence = np.zeros((table.n_rows, query))
    for node in range(query):
        entries = readings.evidence.entries(table, node)
        evidence[:, node] = of_evidence * (entries[rows, pair.chosen] - entries[rows, pair.other])
    odds = pair.odds(np.tile(np.log(readings.prior), (table.n_rows, 1)))
    before_any += (1.0 - of_evidence) * odds  # the network's own prior is this too
    joint = np.flatnonzero(of_network)
    if len(joint):
        part, some = table.take(joint), Pair(pair.chosen[joint], pair.other[joint])
        found, _ = _weigh_by_hiding(readings.network, part, some, np.zeros(len(joint), dtype=bool))
        evidence[joint] += of_network[joint, None] * found
    return evidence, before_any


def _weigh_by_tables(
    network: BayesNet, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Complete rows of a network whose class has no parents: the tables hold the weights of evidence."""
    query = len(network.nodes) - 1
    compiled = network.compiled(query)
    logs, first = compiled.log_tables, compiled.table_offsets
    before_any = logs[first[query] + pair.chosen] - logs[first[query] + pair.other]
    evidence = np.zeros((table.n_rows, query), order="F")
    open_rows = np.isfinite(before_any) & ~no_class if np.isneginf(logs).any() or no_class.any() else None
    for node in network.dag.topological_indices:
        if node == query or not compiled.has_query[node]:
            continue
        entries = compiled.positions(node, table.codes)
        with np.errstate(invalid="ignore"):  # rows that are not open any more
            weights = logs[entries + pair.chosen] - logs[entries + pair.other]
        if open_rows is None:
            evidence[:, node] = weights
        else:
            evidence[open_rows, node] = weights[open_rows]
            open_rows &= np.isfinite(weights)
    return evidence, before_any


def _weigh_by_hiding(
    network: Predictor, table: Table, pair: Pair, no_class: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Any rows of any network: features are shown one by one, and all others summed out."""
    query = len(network.nodes) - 1
    evidence = np.zeros((table.n_rows, query))
    unseen = list(range(query))
    before = before_any = pair.odds(network.log_joint(table.hide(unseen), query, table.n_jobs))
    for node in network.dag.topological_indices:
        if node == query:
            continue
        unseen.remove(node)
        after = pair.odds(network.log_joint(table.hide(unseen), query, table.n_jobs))
        open_rows = np.isfinite(before) & ~no_class
        evidence[open_rows, node] = after[open_rows] - before[open_rows]
        before = after
    return evidence, before_any


BAR_WIDTH = 24
MOST_ROWS, MOST_FEATURES = 5, 15  # that are shown
PRIOR = "(prior)"
# Evidence [row, feature], the log-odds before any feature is seen, and the log-odds.
Weighed = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
# The posteriors of rows, and what weighs their evidence.
Weighing = tuple[NDArray[np.float64], Callable[[Pair], Weighed]]


class RowValues(Sequence[list[str]]):
    """The state of each feature in each row, "" where missing; a row is written out when it is asked for."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return self._table.n_rows

    @overload
    def __getitem__(self, row: int) -> list[str]: ...

    @overload
    def __getitem__(self, row: slice) -> list[list[str]]: ...

    def __getitem__(self, row: int | slice) -> list[str] | list[list[str]]:
        if isinstance(row, slice):
            return [self[each] for each in range(len(self))[row]]
        missing = self._table.missing_code
        return [
            "" if code == missing else str(variable.states[code])
            for variable, code in zip(self._table.variables, self._table.codes[row].tolist(), strict=True)
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<RowValues rows={len(self)} features={self._table.n_variables}>"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Evidence per feature and row. It prints as a table, exports to a DataFrame and plots as a bar chart.

    Attributes
    ----------
    evidence : ndarray of shape (rows, features)
        Log-odds that each feature contributes for `target` against `against`; infinite where the feature alone
        makes one of the two impossible.
    prior : ndarray of shape (rows,)
        Log-odds of the classes before any feature is seen.
    log_odds : ndarray of shape (rows,)
        Log-odds of the posterior; equal to ``prior + evidence.sum(axis=1)``.
    target, against : ndarray of shape (rows,)
        The two classes compared.
    probability : ndarray of shape (rows,)
        Posterior probability of `target` among all classes.
    features : tuple of str
    values : sequence of list of str
        The state of each feature in each row; "" where missing.
    expected_cost : ndarray of shape (rows, 2) or None
        Where decisions have costs (``loss``): what deciding for `target` and for `against` costs on average. The
        decision is the class of smallest expected cost, so evidence may point to another class.
    how_much : Known or None
        How much is known of each row; `known` and `information` are its figures.
    interval : ndarray of shape (rows, 2) or None
        The 90 % interval of `probability` (`predict_interval`); None for a model that has none.
    """

    evidence: NDArray[np.float64]
    prior: NDArray[np.float64]
    log_odds: NDArray[np.float64]
    target: NDArray[Any]
    against: NDArray[Any]
    probability: NDArray[np.float64]
    features: tuple[str, ...]
    values: Sequence[list[str]]
    expected_cost: NDArray[np.float64] | None = None
    how_much: Known | None = None
    interval: NDArray[np.float64] | None = None

    @property
    def known(self) -> NDArray[np.int64] | None:
        """How many values are known in each row, of the features that can tell something.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a", "u"], ["b", "u"], ["b", "v"]] * 9, [0, 1, 1] * 9)
        >>> clf.explain([["a", None], ["b", "v"]]).known.tolist()
        [1, 2]
        """
        return None if self.how_much is None else self.how_much.values

    @property
    def information(self) -> NDArray[np.float64] | None:
        """How large a share of the information about the class the known values have; None where that is not known.

        The sum of I(feature; class), beyond what chance explains, over the known features, divided by that over all;
        of a pool, the sum of how large their evidence is on average.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a", "u"], ["b", "u"], ["b", "v"]] * 9, [0, 1, 1] * 9)
        >>> clf.explain([["a", None], [None, "u"], ["b", "v"]]).information.round(2).tolist()
        [0.76, 0.24, 1.0]
        """
        return None if self.how_much is None else self.how_much.information

    def known_sentence(self, row: int) -> str:
        """Say how much is known of a row; nothing where all is.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a", "u"], ["b", "u"], ["b", "v"]] * 9, [0, 1, 1] * 9)
        >>> clf.explain([["a", None]]).known_sentence(0)
        '1 of 2 values known, 76% of the information.'
        """
        return "" if self.how_much is None else self.how_much.sentence(row)

    def interval_sentence(self, row: int) -> str:
        """Say how sure the probability of a row is; nothing where that is not known.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a", "u"], ["b", "u"], ["b", "v"]] * 9, [0, 1, 1] * 9)
        >>> clf.explain([["a", None]]).interval_sentence(0)
        'P(0) is 94.1% (43.7-99.9%), 90% interval.'
        """
        if self.interval is None:
            return ""
        low, high = self.interval[row].tolist()
        return f"P({self.target[row]}) is {percent_interval(float(self.probability[row]), low, high)}, 90% interval."

    @property
    def total(self) -> NDArray[np.float64]:
        """Prior and evidence added up."""
        result: NDArray[np.float64] = self.prior + self.evidence.sum(axis=1)
        return result

    def __len__(self) -> int:
        return len(self.prior)

    def cost_sentence(self, row: int) -> str:
        """Say what the two decisions cost in a row; nothing where decisions have no costs.

        Examples
        --------
        >>> import bayleaf as bl
        >>> X, y = [["a"], ["a"], ["a"], ["b"]], ["no", "no", "yes", "no"]
        >>> careful = bl.BayesNetClassifier(loss=[[0, 1], [9, 0]]).fit(X, y)
        >>> careful.explain([["a"]]).cost_sentence(0)
        'The decision minimises expected cost: yes costs 0.7, no 2.7.'
        """
        if self.expected_cost is None:
            return ""
        first, second = self.expected_cost[row]
        costs = f"{self.target[row]} costs {first:.3g}, {self.against[row]} {second:.3g}"
        return f"The decision minimises expected cost: {costs}."

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one line per row and feature as a DataFrame: row, target, against, feature, value, evidence."""
        rows = [
            (i, self.target[i], self.against[i], name, value, weight)
            for i in range(len(self))
            for name, value, weight in self._terms(i)
        ]
        return lines_frame(("row", "target", "against", "feature", "value", "evidence"), rows, backend)

    def _terms(self, row: int) -> Iterator[tuple[str, str, float]]:
        yield PRIOR, "", float(self.prior[row])
        for name, value, weight in zip(self.features, self.values[row], self.evidence[row], strict=True):
            yield name, value, float(weight)

    def _strongest(self, row: int, most: int) -> list[tuple[str, str, float]]:
        """Return the strongest features of a row, and one line for all others together."""
        by_strength = sorted(list(self._terms(row))[1:], key=lambda term: -abs(term[2]))
        shown, rest = by_strength[:most], by_strength[most:]
        if rest:
            shown.append((f"{len(rest)} other features", "", sum(weight for _, _, weight in rest)))
        return shown

    def __repr__(self) -> str:
        if len(self) == 0:
            return f"<Explanation rows=0 features={len(self.features)}>"
        first = f"{self.target[0]} against {self.against[0]}, log-odds {self.log_odds[0]:+.3f}"
        more = ", ..." if len(self) > 1 else ""
        return f"<Explanation rows={len(self)} features={len(self.features)}: {first}{more}>"

    def _repr_html_(self) -> str:
        shown = min(len(self), MOST_ROWS)
        tables = "".join(card(self._title(row), *self._html_parts(row)) for row in range(shown))
        return tables + (sentence(self._more_rows(shown)) if shown < len(self) else "")

    def _html_parts(self, row: int) -> Iterator[str]:
        terms = [(PRIOR, "", float(self.prior[row])), *self._strongest(row, MOST_FEATURES)]
        lines = [((name, value), weight) for name, value, weight in terms]
        yield bars(
            ("feature", "value", "log-odds"),
            lines,
            ("total", "", f"{self.log_odds[row]:+.3f}"),
            scale=_scale(weight for _, weight in lines),
        )
        yield from (sentence(text) for text in self._sentences(row))

    def __str__(self) -> str:
        console = Console(width=100, color_system=None, force_jupyter=False)
        with console.capture() as capture:
            console.print(self)
        return capture.get()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = min(len(self), MOST_ROWS)
        for row in range(shown):
            yield self._row_table(row)
            yield from map(Text, self._sentences(row))
        if shown < len(self):
            yield Text(self._more_rows(shown))

    def _sentences(self, row: int) -> Iterator[str]:
        """Say what stands below the table of a row."""
        said = (self.interval_sentence(row), self.cost_sentence(row), self.known_sentence(row))
        yield from filter(None, said)

    def _more_rows(self, shown: int) -> str:
        return f"... and {counted(len(self) - shown, 'more row')}"

    def _title(self, row: int) -> str:
        # Counted from 0, as rows of X are; one row needs no number.
        which = f"Row {row}: " if len(self) > 1 else ""
        classes = f"{self.target[row]} against {self.against[row]}"
        return f"{which}{classes}, P({self.target[row]}) = {self.probability[row]:.4f}"

    def _row_table(self, row: int) -> RichTable:
        table = RichTable(title=Text(self._title(row)), title_justify="left", show_footer=True)
        table.add_column("feature", footer="total")
        table.add_column("value")
        table.add_column("log-odds", justify="right", footer=f"{self.log_odds[row]:+.3f}")
        table.add_column("evidence")
        terms = list(self._terms(row))
        scale = _scale(weight for _, _, weight in terms)
        strongest_first = sorted(terms[1:], key=lambda term: -abs(term[2]))
        for name, value, weight in [terms[0], *strongest_first]:
            bar = ("█" if weight >= 0 else "░") * round(BAR_WIDTH * min(abs(weight) / scale, 1.0))
            table.add_row(
                Text(name), Text(value), f"{weight:+.3f}", Text(bar, style="green" if weight >= 0 else "red")
            )
        return table

    def plot(self, row: int = 0, ax: Any = None, *, most: int = MOST_FEATURES) -> Any:
        """Draw the evidence of one row as a bar chart and return the matplotlib axes.

        The ``most`` strongest features get a bar each, the others one bar together. Without ``ax`` a figure of a
        fitting size is made; axes of your own keep theirs. Infinite evidence is drawn a little longer than the
        longest finite bar.
        """
        if not 0 <= row < len(self):
            raise ValueError(f"row must be in the range [0, {len(self) - 1}]. Got {row} instead.")
        strongest_last = [*reversed(self._strongest(row, most)), (PRIOR, "", float(self.prior[row]))]
        labels = [
            (f"{name} = {value}" if value else name) + (" (infinite)" if math.isinf(weight) else "")
            for name, value, weight in strongest_last
        ]
        if ax is None:
            size = (7, 1.2 + 0.32 * len(labels))
            figure = require("matplotlib.figure", extra="plot").Figure(figsize=size, layout="constrained")
            ax = figure.subplots()
        longest = 1.2 * _scale(weight for _, _, weight in strongest_last)
        weights = [min(max(weight, -longest), longest) for _, _, weight in strongest_last]
        ax.barh(labels, weights, color=["#1b7837" if weight >= 0 else "#b2182b" for weight in weights])
        ax.axvline(0, color="black", linewidth=0.8)
        ax.margins(y=0.5 / len(labels))  # no empty bands above and below many bars
        ax.set_xlabel(f"evidence for {self.target[row]} against {self.against[row]} (log-odds)")
        ax.set_title(f"P({self.target[row]}) = {self.probability[row]:.3f}")
        return ax


def weighing(network: Predictor, table: Table, prior: NDArray[np.float64]) -> Weighing:
    """Return the posteriors of encoded rows, and what weighs their evidence between two classes.

    Rows have features only; the class is the network's last node.
    """
    query = len(network.nodes) - 1
    log_joint = network.log_joint(table, query, table.n_jobs)
    no_class = np.all(np.isneginf(log_joint), axis=1)

    def weigh_pair(pair: Pair) -> Weighed:
        _refuse_impossible(pair.impossible(log_joint) & ~no_class)
        evidence, before_any = weigh(network, table, pair, no_class)
        return evidence, before_any, np.where(no_class, before_any, pair.odds(log_joint))

    return posteriors(log_joint, prior, table.n_jobs), weigh_pair


def explain_rows(
    posterior: NDArray[np.float64],
    table: Table,
    classes: NDArray[Any],
    prior: NDArray[np.float64],
    weigh_pair: Callable[[Pair], Weighed],
    how_much: Known | None = None,
    limits: NDArray[np.float64] | None = None,
    *,
    costs: NDArray[np.float64] | None = None,
    target: Any = None,
    against: Any = None,
) -> Explanation:
    """Choose two classes for each row of features, and let ``weigh_pair`` find the evidence between them.

    ``costs`` is [true class, decision] where decisions are chosen by their expected cost, and ``limits`` are the
    intervals of the posteriors.
    """
    decided = best_class(posterior, prior, costs)
    chosen, other = _contrast(posterior, prior, decided, classes, target, against)
    rows = np.arange(table.n_rows)
    evidence, before_any, log_odds = weigh_pair(Pair(chosen, other))
    expected = None if costs is None else posterior @ costs
    return Explanation(
        evidence=evidence,
        prior=before_any,
        log_odds=log_odds,
        target=classes[chosen],
        against=classes[other],
        probability=posterior[rows, chosen],
        features=table.names,
        values=RowValues(table),
        expected_cost=None
        if expected is None
        else np.column_stack([expected[rows, chosen], expected[rows, other]]),
        how_much=how_much,
        interval=None if limits is None else limits[rows, chosen],
    )


def percent_interval(p: float, low: float, high: float) -> str:
    """Write a probability with its interval; if it is not 0 or 1 itself, no end looks like that.

    Examples
    --------
    >>> percent_interval(0.85, 0.714, 0.93)
    '85% (71-93%)'
    >>> percent_interval(0.9981, 0.9, 1.0)
    '99.8% (90.0-99.9%)'
    """
    digits = 0 if min(p, low) >= 0.01 and max(p, high) <= 0.99 else 1

    def text(share: float) -> str:
        least, most = 0.0 if p == 0.0 else 0.1, 100.0 if p == 1.0 else 99.9
        return f"{min(max(100.0 * share, least), most):.{digits}f}"

    return f"{text(p)}% ({text(low)}-{text(high)}%)"


def lines_frame(names: Sequence[str], lines: Sequence[tuple[Any, ...]], backend: str | None) -> Any:
    """Return a DataFrame of lines of values, in the types of Python."""
    columns = zip(*lines, strict=True) if lines else [()] * len(names)
    plain = ([v.item() if isinstance(v, np.generic) else v for v in column] for column in columns)
    return make_frame(dict(zip(names, plain, strict=True)), backend)


def _refuse_impossible(both: NDArray[np.bool_]) -> None:
    found = np.flatnonzero(both)
    if len(found):
        which = "The row" if len(both) == 1 else f"Row {found[0]}, counted from 0 ({len(found)} in all),"
        raise ValueError(
            f"{which} has probability zero under both classes "
            "compared: there are no odds to explain. Compare with the predicted class, or fit with a parameter "
            "learner that leaves no zeros, such as Laplace()."
        )


def _scale(weights: Iterable[float]) -> float:
    """Return the largest finite weight, by absolute value, for a bar of full length."""
    return max((abs(weight) for weight in weights if math.isfinite(weight)), default=0.0) or 1.0


def _contrast(
    posterior: NDArray[np.float64],
    prior: NDArray[np.float64],
    decided: NDArray[np.int64],
    classes: NDArray[Any],
    target: Any,
    against: Any,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which two classes to compare in each row: by default the decision and the most probable other."""
    chosen = _class_codes(classes, target, "target", len(posterior))
    other = _class_codes(classes, against, "against", len(posterior))
    rows = np.arange(len(posterior))
    if chosen is None:
        chosen = decided
        if other is not None:
            open_classes = posterior.copy()
            open_classes[rows, other] = -1.0
            chosen = np.where(decided == other, most_probable(open_classes, prior), decided)
    if other is None:
        open_classes = posterior.copy()
        open_classes[rows, chosen] = -1.0
        other = most_probable(open_classes, prior)
    if (chosen == other).any():
        raise ValueError("target and against are the same class: there is nothing to compare.")
    return chosen, other


def _class_codes(classes: NDArray[Any], label: Any, what: str, rows: int) -> NDArray[np.int64] | None:
    if label is None:
        return None
    found = np.flatnonzero(classes == label)
    if len(found) == 0:
        raise ValueError(f"{what}={label!r} is not a class; the classes are {classes.tolist()}.")
    return np.full(rows, found[0], dtype=np.int64)
