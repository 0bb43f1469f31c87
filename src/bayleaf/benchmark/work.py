"""One unit of work: one method on one fold of one data set.

Classifiers of scikit-learn that see what a Bayesian network classifier sees, to compare with.
"""

import hashlib
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.params import check_param
from bayleaf.classify import NetworkPool
from bayleaf.classify.base import NothingLearnedWarning
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.counts import ChangedDataError
from bayleaf.data import Table
from bayleaf.data.columns import read_columns, take_rows
from bayleaf.data.raw_columns import NumberColumn
from bayleaf.learn.parameters import Laplace
from bayleaf.learn.structure import NaiveBayes
from bayleaf.quality.measures import Measure
from bayleaf.quality.outcome import Outcome

from .protocol import SplitProtocol, data_digest

Data = tuple[Any, Any]
Loader = Callable[[], Data]
ERROR_LENGTH = 500
# Parameters of scikit-learn's estimators, and ours, that change how results are computed but not what they are.
WITHOUT_EFFECT = frozenset({"n_jobs", "verbose"})


@dataclass(frozen=True)
class WorkUnit:
    """Names one unit of work and the settings it is run with; plain text and numbers only.

    ``protocol`` is the signature of the protocol and ``method_settings`` describes the estimator with all its
    parameters, so a unit found in an old result file can be told from one with the same names but other
    settings.

    Examples
    --------
    >>> unit = WorkUnit("iris", "NB", 0, 3, "10-fold, seed 0", "GaussianNB()")
    >>> unit.key
    ('iris', 'NB', 0, 3)
    >>> unit.fingerprint
    'da6b1feb122cb0dc'
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    protocol: str
    method_settings: str

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What makes the unit unique within a result table."""
        return (self.dataset, self.method, self.repeat, self.fold)

    @property
    def fingerprint(self) -> str:
        """Digest of names and settings."""
        text = "\n".join(f"{name}={value}" for name, value in sorted(asdict(self).items()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def seed(self) -> int:
        """Random state for estimators that leave theirs open; the same for all methods on a fold."""
        text = f"{self.protocol}\n{self.dataset}\n{self.repeat}\n{self.fold}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") // 2


@dataclass(frozen=True)
class DataSource:
    """Where a worker gets a data set from. Equal when the key is equal, so that a worker can keep one.

    ``expected`` is what the result file knows of the data already. ``digest`` is that of the data where it is known
    before they are loaded; None where the worker is to compute it, empty where it is not needed.

    Examples
    --------
    >>> DataSource("run 1, iris", loader=lambda: ([[1.0]], ["a"])).loader()
    ([[1.0]], ['a'])
    """

    key: str
    loader: Loader = field(compare=False)
    expected: "Known | None" = field(default=None, compare=False)
    digest: str | None = field(default="", compare=False)


@dataclass(frozen=True)
class Known:
    """What a result file says about a data set: its rows, and its digest where the file has one.

    Examples
    --------
    >>> Known(rows=150).digest
    ''
    """

    rows: int | None = None
    digest: str = ""


def describe(value: Any) -> str:
    """Text that tells two parameter objects apart: class and every parameter, nested ones included.

    Unlike ``repr`` it never abbreviates and never contains memory addresses. What changes no result is left out, so
    that a run can go on with another number of workers.

    Examples
    --------
    >>> from sklearn.naive_bayes import CategoricalNB
    >>> describe(CategoricalNB(alpha=0.5))
    'sklearn.naive_bayes.CategoricalNB(alpha=0.5, class_prior=None, fit_prior=True, force_alpha=True,
    min_categories=None)'
    """
    if hasattr(value, "get_params") and not isinstance(value, type):
        kind = type(value)
        inner = ", ".join(f"{name}={describe(each)}" for name, each in sorted(_parameters(value).items()))
        return f"{kind.__module__}.{kind.__qualname__}({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{describe(k)}: {describe(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(describe(each) for each in value) + "]"
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()).encode() if value.dtype.hasobject else value.tobytes()
        digest = hashlib.sha256(content)
        return f"array({value.dtype}, {value.shape}, {digest.hexdigest()[:12]})"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _parameters(value: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = value.get_params(deep=False)
    # Settings that came later count where they are set: results from before they came stay those of the default.
    later = {name for name in getattr(value, "added_settings", ()) if parameters.get(name) is None}
    return {name: each for name, each in parameters.items() if name not in WITHOUT_EFFECT | later}


@lru_cache(maxsize=1)
def load_data(source: DataSource) -> Data:
    """Load a data set; every process keeps the last one, since units come grouped by data set.

    Examples
    --------
    >>> load_data(DataSource("example", loader=lambda: ([[1.0], [2.0]], ["a", "b"])))
    ([[1.0], [2.0]], ['a', 'b'])
    """
    X, y = source.loader()
    return X, y


@lru_cache(maxsize=1)
def _loaded_digest(source: DataSource) -> str:
    return data_digest(*load_data(source)) if source.digest is None else source.digest


def forget_data() -> None:
    """Let go of the data set that this process keeps.

    Examples
    --------
    >>> forget_data()
    """
    load_data.cache_clear()
    _loaded_digest.cache_clear()


def row_count(data: Any) -> int:
    """Count the rows of an array, frame, series or list.

    Examples
    --------
    >>> row_count(np.zeros((3, 2))), row_count(["a", "b"])
    (3, 2)
    """
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def check_unchanged(dataset: str, rows: int, digest: str, expected: Known) -> None:
    """Refuse a data set whose number of rows or digest differs from the one in the result file.

    Examples
    --------
    >>> check_unchanged("iris", 149, "", Known(150))
    Traceback (most recent call last):
    bayleaf.counts.source.ChangedDataError: The data set 'iris' has 149 rows, but the result file was made
    with 150. Use another result file, or another name for the data set.
    """
    what = ""
    if expected.rows is not None and rows != expected.rows:
        what = f"has {rows} rows, but the result file was made with {expected.rows}"
    elif digest and expected.digest and digest != expected.digest:
        what = "has other columns, types or values than those that the result file was made with"
    if what:
        raise ChangedDataError(
            f"The data set '{dataset}' {what}. Use another result file, or another name for the data set."
        )


def run_unit(
    unit: WorkUnit, estimator: Any, source: DataSource, protocol: SplitProtocol, measures: Sequence[Measure]
) -> dict[str, Any]:
    """Run one unit and return its line of the result table.

    Anything the classifier raises becomes the text in column ``error``; only a data set that changed since
    the run began stops the run.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from bayleaf.quality import MEASURES
    >>> from bayleaf.benchmark import TrainTest
    >>> unit = WorkUnit("toy", "majority", 0, 0, "first 3 rows train", "DummyClassifier()")
    >>> source = DataSource("toy", loader=lambda: (np.zeros((4, 1)), np.array([0, 0, 1, 1])))
    >>> line = run_unit(unit, DummyClassifier(), source, TrainTest(train_rows=3), MEASURES)
    >>> line["zero_one_loss"], line["error"]
    (1.0, '')
    """
    line: dict[str, Any] = {
        "dataset": unit.dataset,
        "method": unit.method,
        "repeat": unit.repeat,
        "fold": unit.fold,
        "rows": None,
        "train_rows": None,
        "test_rows": None,
        "protocol": unit.protocol,
        "fingerprint": unit.fingerprint,
        "data": "",
        **{measure.name: math.nan for measure in measures},
        "error": "",
    }
    try:
        X, y = load_data(source)
        line["rows"] = row_count(y)
        _check_rows(unit, row_count(X), line["rows"])
        line["data"] = _loaded_digest(source)
        if source.expected is not None:
            check_unchanged(unit.dataset, line["rows"], line["data"], source.expected)
        split = protocol.split(target_array(y), unit.repeat, unit.fold)
        line["train_rows"], line["test_rows"] = split.train.size, split.test.size
        outcome = fit_and_predict(_seeded(estimator, unit.seed), X, y, split.train, split.test)
        line.update({measure.name: measure(outcome) for measure in measures})
    except ChangedDataError:
        raise
    except Exception as error:
        line["error"] = _one_line(error)
    return line


def fit_and_predict(
    estimator: Any, X: Any, y: Any, train: NDArray[np.intp], test: NDArray[np.intp]
) -> Outcome:
    """Fit a fresh copy of an estimator on the training rows and ask it about the test rows once.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> outcome = fit_and_predict(DummyClassifier(), np.zeros((3, 1)), np.array(["a", "a", "b"]), [0, 1], [2])
    >>> outcome.labels, outcome.probabilities
    (('a', 'b'), array([[1., 0.]]))
    """
    model = clone(estimator)
    train, test = np.asarray(train), np.asarray(test)
    X_train, y_train, X_test = (take_rows(part, rows) for part, rows in ((X, train), (y, train), (X, test)))
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingLearnedWarning)  # the measures say it
        model.fit(X_train, y_train)
    fitted = perf_counter()
    probabilities = model.predict_proba(X_test) if hasattr(model, "predict_proba") else None
    done = perf_counter()
    predicted = decisions(model, X_test, probabilities)
    if probabilities is None:
        done = perf_counter()
    return Outcome.of(
        target_array(y)[test],
        model.classes_,
        probabilities,
        predicted,
        fit_seconds=fitted - start,
        predict_seconds=done - fitted,
        prior=_class_sizes(y_train, model.classes_),
        n_parameters=model_size(model),
    )


def _class_sizes(y: Any, classes: Any) -> list[int] | None:
    """Count the training rows of each class; None where the model has other labels than the rows."""
    found = Counter(target_array(y).tolist())
    sizes = [found[label] for label in np.asarray(classes).tolist()]
    return sizes if any(sizes) else None


def decisions(model: Any, X: Any, probabilities: Any) -> Any:
    """Return the classes that the model itself predicts; ties, thresholds and costs are up to the model.

    Models that can decide from their probabilities (``decide``) are not asked twice.
    """
    if probabilities is not None and hasattr(model, "decide"):
        return model.decide(probabilities)
    return model.predict(X) if hasattr(model, "predict") else None


def target_array(y: Any) -> NDArray[Any]:
    """Labels as a one-dimensional array, whatever they came as.

    Examples
    --------
    >>> import polars as pl
    >>> target_array(pl.Series(["a", "b"]))
    array(['a', 'b'], dtype='<U1')
    """
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"The target must be one column. Got shape {array.shape}.")
    return array


def model_size(model: Any) -> float:
    """Count parameters: ``n_parameters_`` of a fitted model, its last step or best estimator, else NaN.

    Examples
    --------
    >>> model_size(object())
    nan
    """
    if hasattr(model, "n_parameters_"):
        return float(model.n_parameters_)
    if hasattr(model, "best_estimator_"):
        return model_size(model.best_estimator_)
    if getattr(model, "steps", None):
        return model_size(model.steps[-1][1])
    return math.nan


def _seeded(estimator: Any, seed: int) -> Any:
    """Fill every ``random_state`` that was left open, so that a resumed run repeats an uninterrupted one."""
    model = clone(estimator)
    is_open = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**is_open)


def _check_rows(unit: WorkUnit, feature_rows: int, rows: int) -> None:
    if feature_rows != rows:
        raise ValueError(
            f"The data set '{unit.dataset}' has {feature_rows} rows of features, {rows} of the target."
        )


def _one_line(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= ERROR_LENGTH else text[: ERROR_LENGTH - 3] + "..."


class Peer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of scikit-learn on the columns as bayleaf reads them: categories, intervals, missing values.

    Every category becomes a column of zeros and ones; a missing value has zeros in all of its own. So methods can be
    compared that differ in how they learn and not in how the table was prepared.

    Parameters
    ----------
    estimator : classifier
        Takes sparse matrices.
    numbers : {"intervals", "values"}, default="intervals"
        Numbers as the intervals that the discretiser finds, each a category; or as they are, standardised, their
        missing values as the mean.
    discretizer, missing
        As for `BayesNetClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> round(Peer(LogisticRegression()).fit(X, y).score(X, y), 2)
    0.98
    """

    def __init__(
        self,
        estimator: Any,
        *,
        numbers: Literal["intervals", "values"] = "intervals",
        discretizer: Any = None,
        missing: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.numbers = numbers
        self.discretizer = discretizer
        self.missing = missing

    def fit(self, X: Any, y: Any) -> Self:
        """Read the table, then fit the estimator."""
        check_param("Peer", "numbers", self.numbers, str, options=("intervals", "values"))
        reader = BayesNetClassifier(
            NaiveBayes(), Laplace(), discretizer=self.discretizer, missing=self.missing
        )
        self.reader_ = reader.fit(X, y)
        numeric = [variable.name for variable in reader.encode(X).variables if variable.kind == "numeric"]
        self._scales: dict[str, tuple[float, float]] = {}
        if self.numbers == "values":
            self._scales = {name: _scale(values) for name, values in self._values(X, set(numeric)).items()}
        self.estimator_ = clone(self.estimator).fit(self._matrix(X), y)
        self.classes_ = self.estimator_.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class."""
        check_is_fitted(self)
        chances: NDArray[np.float64] = self.estimator_.predict_proba(self._matrix(X))
        return chances

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        decided: NDArray[Any] = self.estimator_.predict(self._matrix(X))
        return decided

    def _values(self, X: Any, names: set[str]) -> dict[str, NDArray[np.float64]]:
        return {
            column.name: column.values.astype(np.float64)
            for column in read_columns(X)
            if column.name in names and isinstance(column, NumberColumn)
        }

    def _matrix(self, X: Any) -> csr_matrix:
        table = self.reader_.encode(X)
        categories = [j for j, name in enumerate(table.names) if name not in self._scales]
        parts = [_indicators(table.select(categories))] if categories else []
        if self._scales:
            values = self._values(X, set(self._scales))
            columns = [(values[name] - mean) / scale for name, (mean, scale) in self._scales.items()]
            parts.append(csr_matrix(np.nan_to_num(np.column_stack(columns))))
        return hstack(parts).tocsr()


def _scale(values: NDArray[np.float64]) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return 0.0, 1.0
    return float(known.mean()), float(known.std()) or 1.0


def _indicators(table: Table) -> csr_matrix:
    """Return a column of zeros and ones for every state of every variable."""
    codes = table.codes.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum([variable.arity for variable in table.variables])])
    rows, columns = np.nonzero(table.codes != table.missing_code)
    places = starts[columns] + codes[rows, columns]
    return csr_matrix((np.ones(len(rows)), (rows, places)), shape=(table.n_rows, int(starts[-1])))


def peer(name: str, **settings: Any) -> Peer | NetworkPool:
    """Build a peer by its name: "logistic" (regression), "forest" (random forest of 300 trees) or "pool".

    The pool (`bayleaf.NetworkPool`) reads columns itself: of the settings it takes ``missing``.

    Examples
    --------
    >>> peer("forest", numbers="values").numbers
    'values'
    >>> peer("pool", missing="available")
    NetworkPool(missing='available')
    """
    if name not in PEERS:
        raise ValueError(f"There is no peer '{name}'; there are {', '.join(PEERS)}.")
    estimator = clone(PEERS[name])
    if isinstance(estimator, NetworkPool):
        estimator.set_params(missing=settings.get("missing", "auto"))
        return estimator
    return Peer(estimator, **settings)


PEERS: dict[str, Any] = {
    "logistic": LogisticRegression(max_iter=2000),
    "forest": RandomForestClassifier(n_estimators=300),
    "pool": NetworkPool(),
}
"""Classifiers by the names that `peer` knows."""
