"""The record of the training data, kept with the model so that it can be assessed later without the data.

It also says whether the model has learned anything at all.
"""

import getpass
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, xlogy

from bayleaf._util.kinds import check_fields
from bayleaf._util.words import counted
from bayleaf.counts.contingency import Countable, Counts, count
from bayleaf.data import Table
from bayleaf.data.raw_rows import RowDigest
from bayleaf.learn.search import SearchTrace
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.network import BayesNet


def versions() -> dict[str, str]:
    """Return the versions of bayleaf, of Python and of the libraries that decide what is learned, by name.

    Examples
    --------
    >>> list(versions())
    ['bayleaf', 'Python', 'numpy', 'scipy', 'scikit-learn', 'polars']
    """
    found = {name: _installed(name) for name in ("bayleaf", "numpy", "scipy", "scikit-learn", "polars")}
    known = {"bayleaf": found.pop("bayleaf"), "Python": platform.python_version(), **found}
    return {name: text for name, text in known.items() if text is not None}


@cache  # looked up in files, and the same for as long as the process lives
def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:  # polars, where no files are read
        return None


def user_name() -> str | None:
    """Return who is to be named as the maker of a model, if anybody is.

    Examples
    --------
    >>> import os
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, BAYLEAF_MADE_BY="the risk team"):
    ...     user_name()
    'the risk team'
    """
    named = os.environ.get("BAYLEAF_MADE_BY")
    if named is not None:
        return named.strip() or None
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # in a container, a number may be all there is
        return None


FloatArray = NDArray[np.float64]
# Cells of families that are kept: what a file holds of the counts of partial_fit, too.
MOST_CELLS = 4_000_000
MOST_SCORED = 2_000  # rows that say how typical rows are
UNUSUAL = 0.05  # the share of training rows that are called unusual
FEWEST_SCORED = 20


def row_scores(
    network: BayesNet, table: Table, left_out: Sequence[Sequence[FloatArray]] | None = None
) -> FloatArray:
    """Return log P(class, known values) of each row and class, as far as the families are known: [row, class].

    The score is the sum of the logarithms of the table entries of all families whose values are known. For rows
    without gaps it is the log-joint. Sums over what is missing are left to `BayesNet.log_joint`: rows are compared
    with rows here, which are scored in the same way.

    Parameters
    ----------
    network : BayesNet
        The class is its last node.
    table : Table
        A column for each node, the class last.
    left_out : two sequences of ndarray, optional
        Instead of the network's tables: for the own class of a row, and for the other classes.
    """
    target = len(network.nodes) - 1
    classes, codes = network.variables[target].arity, table.codes.astype(np.int64)
    rows, absent = np.arange(table.n_rows), codes == table.missing_code
    scores = np.zeros((table.n_rows, classes))
    of_own, of_others = (network.tables, network.tables) if left_out is None else left_out
    for node, parents in enumerate(network.dag.parent_indices):
        family = (*parents, node)
        known = ~absent[:, [j for j in family if j != target]].any(axis=1)
        own: list[Any] = [codes[known, j] for j in family]
        every = [values[:, None] for values in own]
        if target in family:
            every[family.index(target)] = np.arange(classes)
        with np.errstate(divide="ignore"):
            said = np.broadcast_to(np.log(of_others[node][tuple(every)]), (len(own[0]), classes)).copy()
            if left_out is not None:
                said[np.arange(len(said)), codes[known, target]] = np.log(of_own[node][tuple(own)])
        scores[rows[known]] += said
    return scores


@dataclass(frozen=True)
class TypicalRows:
    """How typical held-out training rows are to the network: each is judged by tables that it was left out of.

    Attributes
    ----------
    rows : float
        How many rows were judged; weighted rows are as many as their effective number.
    evidence : float
        Mean of log P(known values), as `row_scores` has it.
    unusual : float
        The share ``UNUSUAL`` of rows has less than this.
    """

    rows: float
    evidence: float
    unusual: float

    @classmethod
    def of(
        cls, network: BayesNet, rows: Table, left_out: Sequence[Sequence[FloatArray]]
    ) -> "TypicalRows | None":
        """Judge training rows; None where too few can be judged."""
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        evidence = logsumexp(row_scores(network, rows, left_out), axis=1)
        judged = np.isfinite(evidence) & (weights > 0)
        if judged.sum() < FEWEST_SCORED:
            return None
        evidence, weights = evidence[judged], weights[judged]
        order = np.argsort(evidence, kind="stable")
        heavy = np.searchsorted(weights[order].cumsum(), UNUSUAL * weights.sum())
        return cls(
            float(weights.sum() ** 2 / (weights**2).sum()),
            float(np.average(evidence, weights=weights)),
            float(evidence[order[heavy]]),
        )


@dataclass(frozen=True, eq=False)
class RowsToJudge:
    """Training rows that are judged when somebody asks how typical they are: few do, and fit shall not wait for it.

    Whoever saves or pickles it keeps what was found, not the rows, and it equals what was found.
    """

    judge: Callable[[], TypicalRows | None]

    @cached_property
    def judged(self) -> TypicalRows | None:
        """How typical the rows are."""
        return self.judge()

    def __eq__(self, other: object) -> bool:
        return self.judged == (other.judged if isinstance(other, RowsToJudge) else other)

    def __hash__(self) -> int:
        return hash(self.judged)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.judged,)


def _same(item: Any) -> Any:
    return item


@dataclass(frozen=True)
class RowCounts:
    """What is kept of the training rows in order to compare new rows with them: counts, and how typical they were.

    Attributes
    ----------
    scale : float
        How many rows a unit of weight is worth: (sum w) / (sum w^2), one without weights.
    weight : float
        The weight of all rows.
    columns : dict
        The weight of each state, by feature.
    classes : tuple of float
        The weight of each class.
    families : tuple of str
        The weight of each cell of each node's table, in the order of the nodes, as text: "3 0 2". Empty for a model
        of several networks, and where there are more than ``MOST_CELLS``.
    judged : TypicalRows, RowsToJudge or None
        None where no row can be left out of the tables: tables that are not made of counts, rows that were not kept.
    """

    scale: float
    weight: float
    columns: dict[str, list[float]]
    classes: tuple[float, ...]
    families: tuple[str, ...] = ()
    judged: TypicalRows | RowsToJudge | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Keep what was found of the rows, not the rows: skops asks for the state of each object, pickle too."""
        return {**self.__dict__, "judged": self.typical}

    @property
    def typical(self) -> TypicalRows | None:
        """How typical held-out training rows are to the network."""
        return self.judged.judged if isinstance(self.judged, RowsToJudge) else self.judged

    @classmethod
    def of(
        cls, table: Countable, families: Sequence[Counts] = (), judged: RowsToJudge | None = None
    ) -> "RowCounts":
        """Count the columns of a table whose last column is the class; the families have been counted already."""
        weights = table.weights if isinstance(table, Table) else None
        scale = 1.0 if weights is None else float(weights.sum() / (weights**2).sum())
        if not isinstance(table, Table) and table.total_weight > table.n_rows:
            scale = table.n_rows / table.total_weight
        *by_column, classes = map(_short, count(table, [[j] for j in range(table.n_variables)]))
        columns = dict(zip(table.names[:-1], by_column, strict=True))
        kept = families if sum(each.size for each in families) <= MOST_CELLS else ()
        texts = tuple(" ".join(f"{value:.10g}" for value in each.ravel().tolist()) for each in kept)
        return cls(scale, float(table.total_weight), columns, tuple(classes), texts, judged)

    def family(self, node: int, shape: tuple[int, ...]) -> FloatArray:
        """Return how many rows each cell of a node's table has."""
        cells = np.array(self.families[node].split(), dtype=np.float64)
        if cells.shape != (np.prod(shape),) or not (cells >= 0).all():
            raise ValueError("The counts of the training rows are not those of the model's tables.")
        return cells.reshape(shape) * self.scale

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, how typical the rows are in place of the rows."""
        known = asdict(replace(self, judged=self.typical))
        return {**known, "typical": known.pop("judged")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "RowCounts":
        """Rebuild it from plain data."""
        typical = None if data.get("typical") is None else TypicalRows(**data["typical"])
        classes, families = (tuple(data[name]) for name in ("classes", "families"))
        return cls(data["scale"], data["weight"], data["columns"], classes, families, typical)


def _short(counts: Counts) -> list[float]:
    return [float(f"{value:.10g}") for value in counts.tolist()]


@dataclass(frozen=True, repr=False)
class TrainingRecord:
    """A summary of the training data and of how well it filled the tables.

    Attributes
    ----------
    rows : int
        Training rows.
    weight : float
        Their total weight.
    class_weights : tuple of float
        Weight of each class, in the order of the class's states.
    missing : dict
        Share of missing values of each feature, features that were not selected included.
    unseen : dict
        Of each node that has some: parent configurations without a training row.
    log_likelihood : float or None
        Of the training data, natural logarithm; rows with a missing value in a family are left out of its term.
        None for an ensemble.
    date : str
        Day of fit, UTC.
    search : SearchTrace or None
        The steps of the structure learner, where it keeps them; of very many the first and the last.
    cross_validated : Quality or None
        How good models like this are on training rows they have not seen (`BayesNetClassifier.cross_validate`).
    learned_with : dict or None
        Versions of what fit ran with, by name; None where a model file does not say.
    table_read : dict or None
        How the command line read the table: the columns dropped and those taken as categories, the delimiter, the
        decimal mark and the spellings of a missing value that were asked for. None for data that did not come from a
        file.
    method : PublishedMethod or None
        The published method by whose name the model was built (`bayleaf.classifier`).
    min_count : int or None
        The smallest number of rows behind any probability of the saved file. None where it was saved without.
    made_by : str or None
        Who fitted it: ``BAYLEAF_MADE_BY`` in the environment where that is set (empty: nobody is named), otherwise
        the user's name on the machine. None where a model file does not say.
    command : tuple of str or None
        The options with which ``bayleaf fit`` was called, without the names of files. None for models of Python.
    out_of_sample : OutOfSample or None
        How good the model is on training rows, each judged by what was learned without it, where fit knows that.
    sampled : dict or None
        What was learned from a uniform sample of the rows, and of how many ("cut points", "graph", "tables"), where
        there were too many rows for all of it (`BayesNetClassifier.fit_from`). None where all rows were used.
    digest : RowDigest or None
        Hashes that recognise training rows without storing them.
    ranges : dict or None
        Smallest and largest number of each numeric column.
    counts : RowCounts or None
        What new rows are compared with (`drift`).
    misfit : dict or None
        How far the network may be off for other reasons than few rows (`predict_interval`). It is measured on the
        rows of fit when it is first needed: for an interval, an explanation, a model file or a pickled model.

    Examples
    --------
    >>> import numpy as np
    >>> from bayleaf.counts import family_counts
    >>> from bayleaf.data import Table, Variable
    >>> from bayleaf.graph import DAG
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> table = Table.from_codes((x, c), [[0, 1], [1, 1]], target=1)
    >>> dag = DAG(["x", "c"], [("c", "x")])
    >>> network = BayesNet((x, c), dag, (np.full((2, 2), 0.5), np.array([0.5, 0.5])), "c")
    >>> record = TrainingRecord.of(table, network, family_counts(table, dag), {"x": 0.0})
    >>> record.class_weights, record.unseen
    ((0.0, 2.0), {'x': 1})
    """

    rows: int
    weight: float
    class_weights: tuple[float, ...]
    missing: dict[str, float]
    unseen: dict[str, int]
    log_likelihood: float | None
    date: str
    search: SearchTrace | None = None
    cross_validated: "Quality | None" = None
    learned_with: dict[str, str] | None = None
    table_read: dict[str, Any] | None = None
    method: "PublishedMethod | None" = None
    command: tuple[str, ...] | None = None
    out_of_sample: OutOfSample | None = None
    sampled: dict[str, int] | None = None
    digest: RowDigest | None = None
    ranges: dict[str, list[float]] | None = None
    made_by: str | None = None
    min_count: int | None = None
    counts: RowCounts | None = None
    misfit: dict[str, Any] | None = None

    @classmethod
    def of(
        cls,
        table: Countable,
        network: BayesNet,
        families: Sequence[Counts],
        missing: dict[str, float],
        search: SearchTrace | None = None,
        method: "PublishedMethod | None" = None,
        out_of_sample: OutOfSample | None = None,
        typical: RowsToJudge | None = None,
    ) -> "TrainingRecord":
        """Summarise the table that a network was learned from, and the counts of its families."""
        empty = [int((counts.sum(axis=-1) == 0).sum()) for counts in families]
        return cls(
            rows=table.n_rows,
            weight=table.total_weight,
            class_weights=_class_weights(table),
            missing=missing,
            unseen={name: cells for name, cells in zip(network.nodes, empty, strict=True) if cells},
            log_likelihood=float(
                sum(xlogy(n, theta).sum() for n, theta in zip(families, network.tables, strict=True))
            ),
            date=datetime.now(UTC).date().isoformat(),
            search=None if search is None else search.shortened(),
            learned_with=versions(),
            method=method,
            made_by=user_name(),
            out_of_sample=out_of_sample,
            counts=RowCounts.of(table, families, typical),
        )

    @classmethod
    def of_ensemble(cls, table: Countable, method: "PublishedMethod | None" = None) -> "TrainingRecord":
        """Summarise the table that several networks were learned from, all features in it."""
        return cls(
            rows=table.n_rows,
            weight=table.total_weight,
            class_weights=_class_weights(table),
            missing=dict(zip(table.names[:-1], table.missing_shares()[:-1], strict=True)),
            unseen={},
            log_likelihood=None,
            date=datetime.now(UTC).date().isoformat(),
            learned_with=versions(),
            method=method,
            made_by=user_name(),
            counts=RowCounts.of(table),
        )

    def __repr__(self) -> str:
        parts = [f"rows={self.rows}", f"classes={len(self.class_weights)}", f"date={self.date!r}"]
        if self.search is not None:
            trace, steps = self.search, len(self.search.steps) + self.search.left_out
            found = f"{trace.measure} from {trace.start_score:.6g} to {trace.score:.6g}"
            parts.append(f"search=<{steps} step{'s' * (steps != 1)}, {found}>")
        if self.out_of_sample is not None:
            parts.append(f"out_of_sample=<{self.out_of_sample}>")
        if self.cross_validated is not None:
            parts.append(f"cross_validated=<{self.cross_validated.folds} folds>")
        return f"<TrainingRecord {' '.join(parts)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, for a model file."""
        return {
            **self.__dict__,
            "class_weights": list(self.class_weights),
            "search": None if self.search is None else self.search.to_dict(),
            "cross_validated": None if self.cross_validated is None else self.cross_validated.to_dict(),
            "method": None if self.method is None else asdict(self.method),
            "command": None if self.command is None else list(self.command),
            "out_of_sample": None if self.out_of_sample is None else asdict(self.out_of_sample),
            "digest": None if self.digest is None else asdict(self.digest),
            "counts": None if self.counts is None else self.counts.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TrainingRecord":
        """Rebuild a record from plain data; what is absent there has its default."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        known["class_weights"] = tuple(known["class_weights"])
        if known.get("search") is not None:
            known["search"] = SearchTrace.from_dict(known["search"])
        if known.get("cross_validated") is not None:
            known["cross_validated"] = Quality.from_dict(known["cross_validated"])
        if known.get("method") is not None:
            given = known["method"]
            known["method"] = PublishedMethod(given["name"], given["settings"], given["reference"])
        if known.get("command") is not None:
            known["command"] = tuple(known["command"])
        if known.get("out_of_sample") is not None:
            known["out_of_sample"] = OutOfSample.from_dict(known["out_of_sample"])
        if known.get("digest") is not None:
            known["digest"] = RowDigest(**known["digest"])
        if known.get("counts") is not None:
            known["counts"] = RowCounts.from_dict(known["counts"])
        record = cls(**known)
        check_fields(record, "the training record")
        return record


@dataclass(frozen=True)
class PublishedMethod:
    """The published method that a model is.

    Attributes
    ----------
    name : str
        As its paper spells it.
    settings : dict
        Settings of the method itself that are not the usual ones, spelled as code.
    reference : str
        The paper.

    Examples
    --------
    >>> print(PublishedMethod("KDB", {"k": "3"}, "Sahami 1996"))
    KDB(k=3)
    """

    name: str
    settings: dict[str, str]
    reference: str

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        return f"{self.name}({given})" if given else self.name


# What makes a classifier, or an ensemble of classifiers, the method that its name says; the rest are circumstances.
LEARNED = ("structure", "parameters", "selector")
METHOD_SETTINGS = (
    *LEARNED,
    "structures",
    *(f"estimator__{name}" for name in LEARNED),
    "n_estimators",
    "vote",
)


def method_learners(estimator: Any) -> dict[str, Any]:
    """Describe what makes an estimator the method it is: its learners, and how many members vote how.

    Examples
    --------
    >>> import bayleaf as bl
    >>> method_learners(bl.BayesNetClassifier(bl.KDB(k=3)))["parameters"] is None
    True
    >>> method_learners(bl.classifier("KDB", k=3)) == method_learners(bl.classifier("KDB", k=2))
    False
    """
    settings = estimator.get_params()
    return {name: _comparable(settings[name]) for name in METHOD_SETTINGS if name in settings}


def _comparable(value: Any) -> Any:
    """Describe a setting so that equal settings are equal: learners by class and settings, arrays by their values."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        settings = value.get_params(deep=False)
        return type(value), {name: _comparable(item) for name, item in settings.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_comparable(item) for item in value]
    return value if isinstance(value, bool | int | float | str | None) else repr(value)


@dataclass(frozen=True)
class Quality:
    """How good a model is on rows whose class is known, summed up.

    Attributes
    ----------
    rows : int
    folds : int or None
        Of the cross-validation that predicted them; None where the model itself did.
    classes : tuple of str
        Labels, in the order of the confusion matrix.
    measures : list of dict
        Accuracy, log-loss, Brier score (with 95% intervals), AUC and calibration error: name, value, low, high.
    confusion : list of lists of int
        Rows by true class (lines) and predicted class (columns).
    curves : list of dict
        ROC and precision-recall curves of the classes, as points.
    reliability : dict
        Confidence and accuracy by bin of confidence, and the expected calibration error.
    missing : list of dict
        Accuracy by the number of missing features.
    costs : list of lists of float, optional
        What decisions cost, [true class, decision], where the model weighed costs: then there is a mean cost among
        the measures, and accuracy and confusion matrix are those of the decisions of smallest expected cost.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayleaf as bl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> quality = bl.BayesNetClassifier().fit(X, y).cross_validate(X, y, cv=5)
    >>> quality.rows, quality.folds, round(quality.value("Accuracy"), 2)
    (150, 5, 0.94)
    """

    rows: int
    folds: int | None
    classes: tuple[str, ...]
    measures: list[dict[str, Any]]
    confusion: list[list[int]]
    curves: list[dict[str, Any]]
    reliability: dict[str, Any]
    missing: list[dict[str, Any]]
    costs: list[list[float]] | None = None

    def value(self, name: str) -> float:
        """Return a measure by its name."""
        found = {str(each["name"]): float(each["value"]) for each in self.measures}
        if name not in found:
            raise ValueError(f"There is no measure '{name}'; there are {', '.join(found)}.")
        return found[name]

    def shortfall(self, *, by_costs: bool = False) -> str | None:
        """Say that the model is no better than the class frequencies, if that is so; None if it is better.

        It is better if its accuracy is higher than that of always deciding for the most frequent class, or its
        log-loss lower than that of the frequencies as probabilities. Where decisions were made by their costs, the
        mean cost counts instead of the accuracy; where these are not the costs of now (``by_costs``), the log-loss
        counts alone.

        Examples
        --------
        >>> measures = [{"name": "Accuracy", "value": 0.5}, {"name": "Log-loss", "value": 0.75}]
        >>> Quality(10, 5, ("no", "yes"), measures, [[4, 2], [3, 1]], [], {}, []).shortfall()
        "no better than the class frequencies: accuracy 0.500 (always 'no': 0.600), log-loss 0.750 (frequencies: ...)"
        """
        counts = np.sum(self.confusion, axis=1)
        shares = counts / counts.sum()
        accuracy, log_loss = self.value("Accuracy"), self.value("Log-loss")
        frequent, entropy = int(shares.argmax()), float(-xlogy(shares, shares).sum())
        better = accuracy > shares[frequent]
        told = f"accuracy {accuracy:.3f} (always '{self.classes[frequent]}': {shares[frequent]:.3f})"
        for line in self.measures:  # of classes without costs there is none
            if line["name"] == "Mean cost":
                better = line["value"] < line["baseline"]
                told = f"mean cost {line['value']:.3f} (always the cheapest: {line['baseline']:.3f})"
        if log_loss < entropy or (better and not by_costs):
            return None
        return f"no better than the class frequencies: {told}, log-loss {log_loss:.3f} (frequencies: {entropy:.3f})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file; curves become text, which takes a tenth of the lines."""
        curves = [{**curve, **{key: _to_text(curve[key]) for key in CURVES}} for curve in self.curves]
        confusion = [" ".join(map(str, row)) for row in self.confusion]
        return {**self.__dict__, "classes": list(self.classes), "curves": curves, "confusion": confusion}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Quality":
        """Rebuild it from plain data."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name != "costs"}
        known["costs"] = data.get("costs")
        curves = [{**curve, **{key: _from_text(curve[key]) for key in CURVES}} for curve in data["curves"]]
        confusion = [[int(count) for count in row.split()] for row in data["confusion"]]
        return cls(**{**known, "classes": tuple(data["classes"]), "curves": curves, "confusion": confusion})


CURVES = ("roc", "pr")


def _to_text(points: list[list[float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _from_text(text: str) -> list[list[float]]:
    return [[float(number) for number in point.split(",")] for point in text.split()]


def _class_weights(table: Countable) -> tuple[float, ...]:
    return tuple(count(table, [[table.n_variables - 1]])[0].astype(float).tolist())


def sample_note(sampled: dict[str, int]) -> str:
    """Say what was learned from a sample.

    Examples
    --------
    >>> sample_note({"rows read": 10_000_000, "cut points": 200_000, "tables": 200_000})
    'cut points and tables from a uniform sample of 200,000 of 10,000,000 rows'
    """
    parts = [what for what in sampled if what != "rows read"]
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return (
        f"{listed} from a uniform sample of {sampled[parts[0]]:,} of {counted(sampled['rows read'], 'row')}"
    )


class NothingLearnedWarning(UserWarning):
    """A model that knows no more than the class frequencies.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", NothingLearnedWarning)
    ...     # fit here
    """


def nothing_learned(model: Any, quality: Quality | None = None) -> str | None:
    """Say in a sentence that a fitted model has learned nothing, if that is so; None otherwise.

    Either no feature is informative about the class, or it is no better than the class frequencies on the rows of
    ``quality``, by default on those that `cross_validate` has predicted, else on those held out in fit.
    """
    target, settings = model.schema_.target.name, model._settings()
    if not model.has_evidence():
        return (
            f"The model has learned nothing: no feature is informative about '{target}', so each row gets "
            "the class frequencies. Its schema shows how the columns were read."
        )
    record = getattr(model, "training_", None)
    quality = getattr(record, "cross_validated", None) if quality is None else quality
    if quality is None:
        return _held_out_shortfall(model.out_of_sample_)
    # Weighted classes make the probabilities those of another population than the rows.
    if settings.class_weight is not None:
        return None
    found = quality.shortfall(by_costs=not decides_as(model, quality))
    if found is None:
        return None
    where = "On the rows given" if quality.folds is None else f"Cross-validated in {quality.folds} folds"
    return f"{where}, the model is {found}."


def decides_as(model: Any, quality: Quality) -> bool:
    """Whether decisions were measured by the costs that they have now: ``loss`` may be set after fit.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X, y = [["a"], ["b"]] * 10, ["no", "yes"] * 10
    >>> clf = bl.BayesNetClassifier().fit(X, y)
    >>> quality = clf.cross_validate(X, y, cv=2)
    >>> decides_as(clf, quality), decides_as(clf.set_params(loss=[[0, 1], [5, 0]]), quality)
    (True, False)
    """
    costs = model._costs()
    now: list[list[float]] | None = None if costs is None else costs.tolist()
    return quality.costs == now


def _held_out_shortfall(held_out: OutOfSample | None) -> str | None:
    if held_out is None or (found := held_out.shortfall()) is None:
        return None
    return f"By {counted(held_out.rows, 'row')} held out in fit, the model is {found}."
