"""Whether rows, columns, dependences, categories and gaps are still what they were in training, from counts alone."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import counted, listing, short
from bayleaf.classify.record import UNUSUAL
from bayleaf.data import Variable
from bayleaf.learn.structure import FixedStructure

from .drift_sums import DriftSums
from .two_samples import less_told, more_below, new_values, same_share, same_shares

FloatArray = NDArray[np.float64]
FEWEST_ROWS = 20  # of which a mean says anything


class Finding(NamedTuple):
    """A comparison before its p-value is corrected; ``column`` and ``given`` say which columns it is about."""

    kind: str
    name: str
    before: str
    now: str
    size: float
    p_value: float
    column: str = ""
    given: tuple[str, ...] = ()


def compare_columns(sums: DriftSums) -> Iterator[Finding]:
    """Compare what can be told without the class of the new rows, and columns given the class where it is known."""
    yield from _typical(sums)
    yield from _columns(sums)
    yield from _dependences(sums)
    yield from _new_values(sums)
    yield from _gaps(sums)


def _typical(sums: DriftSums) -> Iterator[Finding]:
    """Compare how many rows are unusual: less probable than nearly all held-out training rows."""
    typical = sums.kept.typical
    if sums.network is None or typical is None or not sums.rows:
        return
    share = sums.unusual / sums.rows
    p = more_below(typical.rows, UNUSUAL, sums.unusual, sums.rows)
    means = [typical.evidence, float(sums.evidence.shape[0][0])]
    before, now = (
        f"{percent(each)} (mean log-evidence {mean:.2f})"
        for each, mean in zip((UNUSUAL, share), means, strict=True)
    )
    yield Finding("rows", "unusual rows", before, now, share - UNUSUAL, p)


def _columns(sums: DriftSums) -> Iterator[Finding]:
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
            yield Finding("column", variable.name, *most_changed(states, old, new), p, variable.name)


# Rows of an interval: new ones to be expected, and training rows. Intervals end at training rows, so their number of
# training rows is given, and their number of new rows spreads more widely than if all rows were dealt out at random.
FEWEST_EXPECTED, FEWEST_IN_GROUP = 5.0, 25.0


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
    least = max(FEWEST_IN_GROUP, FEWEST_EXPECTED * float(before.sum()) / max(sums.rows, 1))
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


def _dependences(sums: DriftSums) -> Iterator[Finding]:
    """Compare the shares of the values of each column given its parents in the network."""
    network = sums.network
    if network is None:
        return
    target = len(network.nodes) - 1
    for node, given, before, now in family_pairs(sums):
        variable, parents = sums.features[node], [network.variables[j] for j in given]
        yield from _given(sums, variable, parents, before, now)
        # Fewer strata show a change of what tells the class more clearly.
        if target in given and len(given) > 1:
            axes = tuple(axis for axis, j in enumerate(given) if j != target)
            by_class = before.sum(axis=axes), now.sum(axis=axes)
            yield from _given(sums, variable, [network.variables[target]], *by_class)


def family_pairs(sums: DriftSums) -> Iterator[tuple[int, list[int], FloatArray, FloatArray]]:
    """Return each feature that has parents, these, and its counts in training and now; the class only with labels.

    The new rows have one more state of the feature, for values that fit has not seen.
    """
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
        yield node, given, before, now


def _given(
    sums: DriftSums, variable: Variable, given: list[Variable], before: FloatArray, now: FloatArray
) -> Iterator[Finding]:
    """Compare the shares of the values of a column given others, and how well these tell it.

    Two p-values are looked at: of any change at all, and of the one that costs most, that the others tell less about
    the column than before. The smaller one counts twice.
    """
    groups = _groups(sums, variable)
    if variable.gap:  # a gap is a value here
        groups = [*groups, (variable.arity - 1, variable.arity - 1)]
    states = [*_labels(variable, groups), "a new value"]
    groups = [*groups, (variable.arity, variable.arity)]  # the last is a value that fit has not seen
    old = _summed(np.pad(before.reshape(-1, variable.arity), ((0, 0), (0, 1))), groups)
    new = _summed(now.reshape(-1, variable.arity + 1), groups)
    names = tuple(each.name for each in given)
    choices = _choices(sums, sum(each != sums.model.schema_.target.name for each in names))
    p_values = [same_shares(old, new, last_is_rare=True), less_told(old[:, :-1], new[:, :-1], choices)]
    known = [p for p in p_values if p is not None]
    if p_values[0] is not None:
        p = min(known) * len(known)
        name = f"{variable.name} given {' and '.join(names)}"
        said = _most_changed_given(given, states, old, new)
        yield Finding("dependence", name, *said, min(1.0, choices * p), variable.name, names)


def _choices(sums: DriftSums, parents: int) -> int:
    """Return how many comparisons the one of a column given so many features stands for.

    A learned graph has the dependences that the training rows show most clearly, by chance too: new rows of the same
    source show them less. So a dependence counts as often as there were parents to choose from.
    """
    fixed = isinstance(getattr(sums.model, "structure_", None), FixedStructure)
    return 1 if fixed else math.comb(max(len(sums.features) - 1, parents), parents)


def _new_values(sums: DriftSums) -> Iterator[Finding]:
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
        expected_text = f"{expected:.1f} expected"
        yield Finding("new values", variable.name, expected_text, said, share, p, variable.name)


def _gaps(sums: DriftSums) -> Iterator[Finding]:
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
            yield Finding("gaps", variable.name, percent(old), percent(now), now - old, p, variable.name)


def _before(sums: DriftSums, variable: Variable) -> FloatArray:
    """Return the training rows by state of a feature."""
    return np.array(sums.kept.columns[variable.name], dtype=np.float64) * sums.kept.scale


def most_changed(states: Sequence[Any], before: FloatArray, now: FloatArray) -> tuple[str, str, float]:
    """Say which value has changed most, and which share of the rows would have to have another."""
    old, new = before / max(before.sum(), 1e-300), now / max(now.sum(), 1e-300)
    place = int(np.argmax(np.abs(new - old)))
    name = short(states[place])
    return (
        f"{name}: {percent(old[place])}",
        f"{name}: {percent(new[place])}",
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
    return f"{name}: {percent(old[line, place])}", percent(new[line, place]), float(lost)


def percent(share: float) -> str:
    """Write a share; one that is neither none nor all never looks like it.

    Examples
    --------
    >>> percent(0.314), percent(0.0004), percent(0.012)
    ('31%', '<0.1%', '1.2%')
    """
    percent = 100 * share
    if 0 < percent < 0.05:
        return "<0.1%"
    return f"{percent:.1f}%" if 0 < percent < 9.95 or 90.05 < percent < 100 else f"{percent:.0f}%"
