"""Questions to a classifier that has a joint distribution: what to measure next, what matters, how usual a row is.

- What to measure next: an unknown feature X is expected to tell I(C; X | e) bits about the class, given the known
  values e. It is exact.
- What matters: alone, a feature tells I(C; X) bits. Given all others it adds, in a row, the divergence of the class
  probabilities with its value from those without it, sum over c of P(c | row) log2 (P(c | row) / P(c | row without
  X)); the mean over rows drawn from the model tends to I(C; X | all others).
- How usual: how many rows drawn from the model are no more probable, and how well the values of a row go together,
  the conflict measure of Jensen et al.

References
----------
F. V. Jensen, B. Chamberlain, T. Nordahl and F. Jensen. Analysis in HUGIN of data conflict. UAI, 1990.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, logsumexp
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import Frame, RowLike, TableLike
from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data import Schema, Table
from bayleaf.network.decisions import best_class, posteriors
from bayleaf.network.predictors import Predictor

from .evidence import lines_frame

# Sums of logarithms of the same factors in another order are not equal to the last bit.
TIE = 1e-9


@dataclass(frozen=True, eq=False)
class JointModel:
    """What can be asked of a classifier that has a joint distribution.

    How probable values are, the network says; of which class a row is, what answers for rows.
    """

    network: Predictor  # one, or several whose joint probabilities are averaged
    draw: Callable[[int, np.random.Generator], Table]  # draws so many rows of the features
    classes: NDArray[np.object_]
    prior: NDArray[np.float64]
    costs: NDArray[np.float64] | None = None  # [true class, decision] where there are costs
    answer: Callable[[Table], NDArray[np.float64]] | None = (
        None  # class probabilities; by default the network's
    )

    def class_probabilities(self, rows: Table) -> NDArray[np.float64]:
        """Return the class probabilities of rows, as they are predicted."""
        return self.posteriors(self.log_joint(rows)) if self.answer is None else self.answer(rows)

    def log_joint(self, table: Table) -> NDArray[np.float64]:
        """Log P(class, known values) of each row; missing values are summed out."""
        return self.network.log_joint(table, len(self.network.nodes) - 1, table.n_jobs)

    def log_evidence(self, table: Table) -> NDArray[np.float64]:
        """Log P(known values) of each row."""
        total: NDArray[np.float64] = logsumexp(self.log_joint(table), axis=1)
        return total

    def posteriors(self, log_joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class probabilities of rows; those of an impossible row are the prior."""
        return posteriors(log_joint, self.prior)

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that is decided for in each row."""
        return best_class(posterior, self.prior, self.costs)

    def of_each_value(self, row: Table, features: Sequence[int]) -> list[NDArray[np.float64]]:
        """Log P(class, row) for each value that each of some features of a row can have, feature by feature."""
        rows, ends = with_each_value(row, features)
        return np.split(self.log_joint(rows), ends)[: len(features)]


def with_each_value(row: Table, features: Sequence[int]) -> tuple[Table, NDArray[np.int64]]:
    """Return a row with each value that each of some features can have, and where those of a feature end."""
    counts = [_n_values(row, j) for j in features]
    starts = np.cumsum([0, *counts])
    codes = np.repeat(row.codes, starts[-1], axis=0)
    for j, start, count in zip(features, starts, counts, strict=False):
        codes[start : start + count, j] = np.arange(count)
    return replace(row, codes=np.asfortranarray(codes), weights=None), starts[1:-1]


def _n_values(table: Table, feature: int) -> int:
    """Return how many values of a feature can be measured: the state of missing values is none."""
    variable = table.variables[feature]
    return variable.arity - variable.gap


def _empty_row(table: Table) -> Table:
    codes = np.full((1, table.n_variables), table.missing_code, dtype=table.codes.dtype, order="F")
    return replace(table, codes=codes, weights=None)


def information(joint: NDArray[np.float64]) -> float:
    """Return the mutual information of rows and columns of a table of probabilities, in bits.

    Examples
    --------
    >>> information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    possible = joint > 0
    total = joint[possible] @ np.log2(joint[possible] / apart[possible])
    return max(0.0, float(total))


NEXT_VALUE_COLUMNS = ("feature", "information", "lowest", "highest", "change")


def _next_values(model: JointModel, row: Table) -> list[tuple[Any, ...]]:
    """Return a line for each feature that a row lacks, the most telling first (see `NEXT_VALUE_COLUMNS`)."""
    unknown = [j for j in range(row.n_variables) if row.gaps(j)[0] and _n_values(row, j) > 1]
    if not unknown:
        return []
    now = int(model.decide(model.class_probabilities(row))[0])
    rows, ends = with_each_value(row, unknown)
    evidence, answers = (
        np.split(model.log_evidence(rows), ends),
        np.split(model.class_probabilities(rows), ends),
    )
    lines: list[tuple[Any, ...]] = []
    for j, of_value, answer in zip(unknown, evidence, answers, strict=True):
        total = logsumexp(of_value)
        if np.isneginf(total):  # the known values are impossible: nothing can be said
            lines.append((row.names[j], 0.0, None, None, 0.0))
            continue
        share = np.exp(of_value - total)
        possible = share > 0
        share, posterior = share[possible], answer[possible]
        change = float(share @ (model.decide(posterior) != now))
        of_now = posterior[:, now]
        told = information(share[:, None] * posterior)
        lines.append((row.names[j], told, float(of_now.min()), float(of_now.max()), change))
    return sorted(lines, key=lambda line: -round(line[1], 12))


IMPORTANCE_COLUMNS = ("feature", "information", "added")
STATE_COLUMNS = ("feature", "state", "class", "share", "rows", "log_odds")


def _importance(model: JointModel, rows: Table) -> list[tuple[Any, ...]]:
    """Return a line for each feature, the most telling first (see `IMPORTANCE_COLUMNS`)."""
    by_value = model.of_each_value(_empty_row(rows), range(rows.n_variables))
    alone = [information(np.exp(each - logsumexp(each))) for each in by_value]
    lines = list(zip(rows.names, alone, information_added(model, rows).tolist(), strict=True))
    return sorted(lines, key=lambda line: -round(line[1], 12))


def information_added(model: JointModel, rows: Table) -> NDArray[np.float64]:
    """Return what each feature adds to all others, in bits, on average over rows."""
    with_all = model.class_probabilities(rows)
    added = np.zeros(rows.n_variables)
    for j in range(rows.n_variables):
        if _n_values(rows, j) < 2:
            continue
        without = model.class_probabilities(rows.hide([j]))
        possible = (with_all > 0) & (without > 0)  # an impossible row has the prior, which may differ
        ratio = np.divide(with_all, without, out=np.ones_like(without), where=possible)
        added[j] = (with_all * np.log2(ratio)).sum() / rows.n_rows
    return added.clip(min=0.0)


def _state_effects(model: JointModel, table: Table, rows: Table | None) -> list[tuple[Any, ...]]:
    """Return a line for each value of each feature and each class (see `STATE_COLUMNS`).

    ``rows`` are counted; without them the counts are null.
    """
    empty = _empty_row(table)
    mean = logit(model.posteriors(model.log_joint(empty))[0])
    lines: list[tuple[Any, ...]] = []
    for j, log_joint in enumerate(model.of_each_value(empty, range(table.n_variables))):
        evidence = logsumexp(log_joint, axis=1)
        share = np.exp(evidence - logsumexp(evidence))
        with np.errstate(divide="ignore", invalid="ignore"):
            effects = logit(model.posteriors(log_joint)) - mean
        counts: list[Any] = [None] * len(share)
        if rows is not None:
            counts = np.bincount(rows.codes[:, j], minlength=len(share))[: len(share)].tolist()
        lines += [
            (table.names[j], str(state), label, float(share[s]), counts[s], float(effects[s, c]))
            for s, state in enumerate(table.variables[j].states[: len(share)])
            for c, label in enumerate(model.classes)
        ]
    return lines


TYPICALITY_COLUMNS = ("log_evidence", "typicality", "conflict")


def _typicality(model: JointModel, table: Table, drawn: Table) -> dict[str, list[float]]:
    """Return log P(known values), the share of drawn rows that are no more probable, and the conflict, row by row.

    Drawn rows are compared with a row as if they lacked the values that it lacks.
    """
    log_evidence = model.log_evidence(table)
    shares = np.empty(table.n_rows)
    patterns, which = np.unique(table.codes == table.missing_code, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        unknown = np.flatnonzero(pattern).tolist()
        usual = np.sort(model.log_evidence(drawn.hide(unknown) if unknown else drawn))
        same = which.reshape(-1) == k
        shares[same] = np.searchsorted(usual, log_evidence[same] + TIE, side="right") / len(usual)
    columns = (log_evidence, shares, _conflict(model, table, log_evidence))
    return {name: values.tolist() for name, values in zip(TYPICALITY_COLUMNS, columns, strict=True)}


def _conflict(model: JointModel, table: Table, log_evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log of (product of the probabilities of the values alone / P(values together)), row by row.

    Above zero, the values are less probable together than if they had nothing to do with one another.
    """
    expected = np.zeros(table.n_rows)
    for j in range(table.n_variables):
        arity = table.variables[j].arity
        codes = np.full((arity, table.n_variables), table.missing_code, dtype=table.codes.dtype, order="F")
        codes[:, j] = np.arange(arity)
        alone = model.log_evidence(replace(table, codes=codes, weights=None))
        known = table.codes[:, j] != table.missing_code
        expected[known] += alone[table.codes[known, j]]
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = expected - log_evidence
    return np.where(np.isneginf(log_evidence), np.inf, result)


class JointQuestions:
    """What can be asked of a classifier whose networks have one joint distribution over features and class."""

    schema_: Schema

    @abstractmethod
    def _used_rows(self, X: TableLike) -> Table:
        """Encode new rows: the features of the joint distribution."""

    @abstractmethod
    def _joint_model(self) -> JointModel:
        """Return the joint distribution, or say why there is none."""

    def value_of_information(self, row: RowLike, *, backend: str | None = None) -> Frame:
        """Say what to measure next: how much each unknown value is expected to tell about the class. Exact.

        Parameters
        ----------
        row : dict, DataFrame or array with one row
            What is known. A dict names columns; what it does not name is unknown.
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Returns
        -------
        DataFrame
            A line for each feature that is missing, the most telling first: ``feature``; ``information``, the
            expected information about the class given what is known, in bits; ``lowest`` and ``highest``, between
            which the probability of the present decision will be once the feature is known; ``change``, how probable
            it is that the decision becomes another. That a value can be measured is taken for granted, also where
            missing values have a state of their own.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier().fit(X, y)
        >>> clf.value_of_information({"sepal length (cm)": 5.0})["feature"].to_list()[0]
        'petal length (cm)'
        """
        lines = _next_values(self._joint_model(), self._one_row(row))
        return lines_frame(NEXT_VALUE_COLUMNS, lines, backend)

    def importance(
        self,
        X: TableLike | None = None,
        *,
        states: bool = False,
        draws: int = 1000,
        random_state: int | np.random.Generator = 0,
        backend: str | None = None,
    ) -> Frame:
        """Rank the features by their information about the class: alone, and given all others.

        Parameters
        ----------
        X : DataFrame or array, optional
            Rows over which ``added`` is averaged, and whose values are counted. By default rows are drawn from the
            model.
        states : bool, default=False
            Return the effect of each value instead.
        draws : int, default=1000
            How many rows are drawn.
        random_state : int or numpy Generator, default=0
        backend : {"polars", "pandas", "pyarrow"}, optional
            As in `value_of_information`.

        Returns
        -------
        DataFrame
            A line for each feature, the most informative first: ``feature``; ``information`` about the class that it
            has alone, in bits; ``added``, its information given all others, in bits: small if they are redundant.
            With ``states``, a line for each feature, ``state`` and ``class``: the ``share`` of the state in the
            model, its ``rows`` in X, and ``log_odds``, by which it changes the log-odds of the class when nothing
            else is known.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier().fit(X, y)
        >>> clf.importance(X).columns
        ['feature', 'information', 'added']
        >>> effects = clf.importance(X, states=True)
        >>> effects["feature", "state", "rows"].row(0)
        ('sepal length (cm)', '(-inf, 4.95]', 22)
        """
        check_param("importance", "draws", draws, int, low=1)
        model = self._joint_model()
        rows = None if X is None else self._used_rows(X)
        if states:
            table = model.draw(1, np.random.default_rng(0)) if rows is None else rows
            return lines_frame(STATE_COLUMNS, _state_effects(model, table, rows), backend)
        used = model.draw(draws, np.random.default_rng(random_state)) if rows is None else rows
        return lines_frame(IMPORTANCE_COLUMNS, _importance(model, used), backend)

    def log_evidence(self, X: TableLike) -> NDArray[np.float64]:
        """Log-probability of each row's known values, natural logarithm; the class and missing values are summed out.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a"], ["a"], ["b"]], [0, 1, 1])
        >>> bool(abs(np.exp(clf.log_evidence([["a"], ["b"]])).sum() - 1.0) < 1e-9)
        True
        """
        table = self._used_rows(X)
        return self._joint_model().log_evidence(table)

    def typicality(
        self,
        X: TableLike,
        *,
        draws: int = 1000,
        random_state: int | np.random.Generator = 0,
        backend: str | None = None,
    ) -> Frame:
        """Say how typical rows are of what the model knows.

        Parameters
        ----------
        X : DataFrame or array
        draws : int, default=1000
            Rows that are drawn from the model to compare with.
        random_state : int or numpy Generator, default=0
        backend : {"polars", "pandas", "pyarrow"}, optional
            As in `value_of_information`.

        Returns
        -------
        DataFrame
            A line for each row: ``log_evidence``, as above; ``typicality``, the share of drawn rows that are no more
            probable (of rows drawn from the model, 1% are below 0.01); ``conflict``, the logarithm of how much less
            probable the values are together than they would be if independent, above zero where they contradict one
            another.

        Examples
        --------
        >>> import bayleaf as bl
        >>> X = [["a", "a"], ["a", "a"], ["b", "b"]] * 10
        >>> clf = bl.BayesNetClassifier().fit(X, [0, 0, 1] * 10)
        >>> usual, odd = clf.typicality([["a", "a"], ["a", "b"]])["typicality"]
        >>> usual > 0.9, odd < 0.1
        (True, True)
        """
        check_param("typicality", "draws", draws, int, low=1)
        table, model = self._used_rows(X), self._joint_model()
        drawn = model.draw(draws, np.random.default_rng(random_state))
        return make_frame(_typicality(model, table, drawn), backend)

    def _one_row(self, row: Any) -> Table:
        """Encode one row; a dict may leave out columns."""
        check_is_fitted(self)
        if isinstance(row, Mapping):
            row = self._as_row(row)
        table = self._used_rows(row)
        if table.n_rows != 1:
            raise ValueError(f"value_of_information takes one row. Got {table.n_rows:,} rows.")
        return table

    def _as_row(self, values: Mapping[str, Any]) -> Any:
        names = [variable.name for variable in self.schema_.columns]
        strange = [name for name in values if name not in names]
        if strange:
            raise ValueError(
                f"The model has no column {strange[0]!r}; its columns are {', '.join(names[:10])}."
            )
        if hasattr(self, "feature_names_in_"):
            return make_frame({name: [values.get(name)] for name in names})
        cells = np.empty((1, len(names)), dtype=object)
        cells[0] = [values.get(name) for name in names]
        return cells
