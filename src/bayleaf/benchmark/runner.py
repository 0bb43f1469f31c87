"""Run methods on data sets, on growing parts of one, and on a stream.

Runs over data sets are parallel, show progress and can resume. On a stream each batch is predicted first and learned
from afterwards.
"""

import contextlib
import os
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf._util.progress import Steps
from bayleaf._util.words import counted, warn
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.quality.measures import Measure, known_measure, resolve_measures
from bayleaf.quality.outcome import Outcome
from bayleaf.quality.protocol import CrossValidation, SplitProtocol, check_protocol

from . import work
from .figures import house_style, look, new_figure
from .results import ResultFile, Results, result_columns
from .work import Data, DataSource, Loader, RecordedData, WorkUnit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Protocols = SplitProtocol | Mapping[str, SplitProtocol]


def evaluate(
    methods: Mapping[str, Any],
    datasets: Mapping[str, Data | Loader],
    protocol: Protocols | None = None,
    measures: Sequence[str | Measure] | None = None,
    *,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
    retry_failed: bool = False,
) -> Results:
    """Run every method on every fold of every data set.

    Parameters
    ----------
    methods : mapping of str to classifier
        Scikit-learn classifiers or pipelines, unfitted. A ``random_state`` left None is set from the fold.
    datasets : mapping of str to (X, y) or callable
        Arrays or data frames, or functions without arguments that return them, always the same. A function is
        called in each worker that needs it, so that only the data sets at work are in memory; where all folds of its
        data set are in ``out``, it is not called at all.
    protocol : protocol or mapping of str to protocol
        How to split (ten-fold cross-validation when None); a mapping gives each data set its own.
    measures : sequence of str or Measure
        What to measure; all of ``MEASURES`` when None.
    n_jobs : int or None
        Number of worker processes; None means 1, -1 all cores. Measure run times with one.
    out : path or None
        CSV file that gets a line for every finished fold at once. When it exists, the folds in it are not run
        again; lines with the same names but other settings or other data are refused. The column ``data`` has a
        digest of the data, to tell.
    progress : bool
        Show a progress bar if standard error is a terminal.
    retry_failed : bool
        Whether to run folds again that failed in an earlier run.

    Returns
    -------
    Results
        One line per data set, method, repeat and fold. A fold whose classifier raised has the message in the
        column ``error`` and no values; a warning tells how many there are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> data = {"iris": lambda: load_iris(return_X_y=True)}
    >>> evaluate({"NB": GaussianNB()}, data, CrossValidation(folds=3), ["accuracy"]).frame.height
    3
    """
    _check_given(methods, datasets)
    chosen = resolve_measures(measures)
    protocols = _protocol_of_each(datasets, CrossValidation() if protocol is None else protocol)
    units = _plan(methods, protocols)
    with ResultFile(out, result_columns(chosen)) as file:
        finished = file.finished(units, retry_failed=retry_failed)
        digests = _checked_digests(datasets, file)
        pending = [unit for unit in units if unit.key not in finished]
        with contextlib.ExitStack() as stack:
            sources = _sources(datasets, {unit.dataset for unit in pending}, digests, file, n_jobs, stack)
            tasks = (
                joblib.delayed(work.run_unit)(
                    unit, methods[unit.method], sources[unit.dataset], protocols[unit.dataset], chosen
                )
                for unit in pending
            )
            try:
                running = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
                with (
                    Steps("Evaluating", len(units), shows=progress) as steps,
                    contextlib.closing(running(tasks)) as lines,
                ):
                    for done, line in enumerate(lines, start=len(units) - len(pending) + 1):
                        file.append(line)
                        steps.reach(done, f"{line['method']} on {line['dataset']}")
            except BaseException as error:
                error.add_note(_stopped(units, file))
                raise
    results = Results.from_lines([file.lines[unit.key] for unit in units], chosen)
    if results.errors.height:
        warn(_failure_text(results))
    return results


def _check_given(methods: Any, datasets: Any) -> None:
    for argument, kind, given, example in (
        ("methods", "method", methods, "{'TAN': bl.classifier('TAN')}"),
        ("datasets", "data set", datasets, "{'iris': (X, y)}"),
    ):
        if not isinstance(given, Mapping):
            raise TypeError(f"{argument} must be a dict, such as {example}. Got a {type(given).__name__}.")
        if not given:
            raise ValueError(f"There is no {kind} to evaluate; pass at least one.")
        for name in given:
            if not isinstance(name, str) or not name or any(each in name for each in "\r\n"):
                raise ValueError(f"The name of a {kind} must be a non-empty text of one line. Got {name!r}.")
    for name, method in methods.items():
        if not (hasattr(method, "fit") and hasattr(method, "get_params")) or isinstance(method, type):
            raise TypeError(f"The method '{name}' must be a scikit-learn classifier. Got {method!r}.")
    for name, data in datasets.items():
        if callable(data):
            continue
        if not (isinstance(data, tuple) and len(data) == 2):
            raise TypeError(f"The data set '{name}' must be a pair (X, y) or a function that returns one.")
        work.check_rows(name, *data)


def _protocol_of_each(datasets: Mapping[str, Any], protocol: Protocols) -> dict[str, SplitProtocol]:
    if not isinstance(protocol, Mapping):
        check_protocol(protocol)
        return dict.fromkeys(datasets, protocol)
    missing = [name for name in datasets if name not in protocol]
    if missing:
        raise ValueError(f"There is no protocol for the data set '{missing[0]}'.")
    for each in protocol.values():
        check_protocol(each)
    return {name: protocol[name] for name in datasets}


def _plan(methods: Mapping[str, Any], protocols: Mapping[str, SplitProtocol]) -> list[WorkUnit]:
    """All units, grouped by data set so that workers load each of them as seldom as possible."""
    settings = {name: work.describe(method) for name, method in methods.items()}
    return [
        WorkUnit(dataset, method, repeat, fold, protocol.signature, settings[method])
        for dataset, protocol in protocols.items()
        for method in methods
        for repeat, fold in protocol.cells
    ]


def _sources(
    datasets: Mapping[str, Data | Loader],
    needed: Set[str],
    digests: Mapping[str, str],
    file: ResultFile,
    n_jobs: int | None,
    stack: contextlib.ExitStack,
) -> dict[str, DataSource]:
    """Make the data sets that still have work loadable in a worker, without sending them with every unit."""
    run = uuid.uuid4().hex
    parallel = joblib.effective_n_jobs(n_jobs) > 1
    eager = {name: data for name, data in datasets.items() if not callable(data)}
    loaders: dict[str, Loader] = {name: data for name, data in datasets.items() if callable(data)}
    if parallel and eager:
        # Workers map the arrays of one dump into memory instead of each receiving its own copy per fold.
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="bayleaf-", ignore_cleanup_errors=True)
        )
        for number, name in enumerate(sorted(needed & eager.keys())):
            path = Path(folder) / f"{number}.joblib"
            joblib.dump(eager[name], path)
            loaders[name] = partial(joblib.load, path, mmap_mode="r")
    else:
        loaders.update({name: partial(_identity, data) for name, data in eager.items()})
    stack.callback(work.forget_data)
    known = file.known_data()
    unread = None if file.keeps_digests else ""
    return {
        name: DataSource(f"{run} {name}", loaders[name], known.get(name), digests.get(name, unread))
        for name in needed
    }


def _checked_digests(datasets: Mapping[str, Data | Loader], file: ResultFile) -> dict[str, str]:
    """Digests of the data sets that are at hand, where the file keeps them; refuses data that have changed.

    Functions are not called for this: a worker that has loaded their data compares them.
    """
    digests, known = {}, file.known_data()
    for name, data in datasets.items():
        if not callable(data):
            digests[name] = work.data_digest(*data) if file.keeps_digests else ""
            work.check_unchanged(
                name, work.row_count(data[1]), digests[name], known.get(name, RecordedData())
            )
    return digests


def _identity(data: Data) -> Data:
    return data


def _stopped(units: Sequence[WorkUnit], file: ResultFile) -> str:
    done = sum(unit.key in file.lines for unit in units)
    text = f"The evaluation stopped after {done} of {counted(len(units), 'unit')} of work."
    return text if file.path is None else f"{text} '{file.path}' keeps them; run the same again to go on."


def _failure_text(results: Results) -> str:
    first = results.errors.row(0, named=True)
    return (
        f"{results.errors.height} of {counted(results.frame.height, 'fold')} failed; the first is "
        f"'{first['method']}' on '{first['dataset']}', repeat {first['repeat']}, fold {first['fold']}: "
        f"{first['error'].rstrip('.')}. The results keep the reason for each."
    )


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Result of `learning_curve`.

    Attributes
    ----------
    sizes : int array
        Numbers of training rows.
    means, errors : mapping of method to array
        Mean over the folds and its standard error, one value per size.

    Examples
    --------
    >>> curve = LearningCurve(np.array([10, 20]), {"NB": np.array([0.3, 0.2])}, {"NB": np.zeros(2)}, "loss")
    >>> curve.means["NB"]
    array([0.3, 0.2])
    """

    sizes: NDArray[np.int64]
    means: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    measure: str


def learning_curve(
    methods: Mapping[str, Any],
    data: Data | Loader,
    sizes: Sequence[int],
    protocol: CrossValidation | None = None,
    measure: str | Measure = "zero_one_loss",
    *,
    n_jobs: int | None = None,
    progress: bool = True,
) -> LearningCurve:
    """Cross-validate methods with growing parts of every training fold; the test folds stay the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> curve = learning_curve(
    ...     {"NB": GaussianNB()}, load_iris(return_X_y=True), [20, 40, 100], CrossValidation(folds=3)
    ... )
    >>> curve.means["NB"].round(2)
    array([0.2 , 0.05, 0.04])
    """
    base = CrossValidation(folds=5) if protocol is None else protocol
    check_protocol(base)
    (chosen,) = resolve_measures([measure])
    names = {size: f"{size} training rows" for size in sorted(set(sizes))}
    results = evaluate(
        methods,
        dict.fromkeys(names.values(), data),
        {name: replace(base, train_rows=size) for size, name in names.items()},
        [chosen],
        n_jobs=n_jobs,
        progress=progress,
    )
    means, errors = {}, {}
    for method in methods:
        values = np.stack([results.values(chosen, name, method) for name in names.values()])
        means[method] = values.mean(axis=1)
        errors[method] = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return LearningCurve(np.array(list(names)), means, errors, chosen.title)


@dataclass(frozen=True)
class Prequential:
    """Result of `prequential`.

    Attributes
    ----------
    rows : int array
        Rows that a method had learned from when it predicted a batch: the first batch is learned, not predicted.
    values : mapping of method to array
        The measure in each batch that was predicted.
    seconds : mapping of method to float
        Processor time for predicting and learning all rows.
    measure : Measure

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0]] * 20), np.array([0, 1] * 20)
    >>> result = prequential({"NB": GaussianNB()}, X, y, batch=10)
    >>> result.rows.tolist(), result.mean("NB")
    ([10, 20, 30], 0.0)
    """

    rows: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    seconds: Mapping[str, float]
    measure: Measure

    def mean(self, method: str) -> float:
        """Return the mean of the measure over the batches."""
        return float(np.mean(self.values[method]))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the values as a DataFrame, one row per batch."""
        columns = {method: values.tolist() for method, values in self.values.items()}
        return make_frame({"rows": self.rows.tolist(), **columns}, backend)

    def plot(self, window: int = 5) -> "Figure":
        """Draw each method's mean over the last batches against the rows that it had learned from.

        Parameters
        ----------
        window : int, default=5
            Batches in one mean.
        """
        check_param("plot", "window", window, int, low=1)
        with house_style():
            figure, grid = new_figure(5.0, 3.3)
            axes = grid[0, 0]
            axes.grid(axis="y")
            for number, (method, values) in enumerate(self.values.items()):
                style = look(number) | {"marker": ""}
                axes.plot(self.rows, trailing_means(values, window), label=method, **style)
            axes.set(xlabel="rows learned from", ylabel=self.measure.title)
            axes.legend()
        return figure


def trailing_means(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return the mean of each value and those before it, as many as the window has."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    means: NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    return means


def prequential(
    methods: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    batch: int = 100,
    measure: str | Measure = "zero_one_loss",
) -> Prequential:
    """Evaluate methods on a stream: each batch is predicted by what was learned from all before it, then learned.

    Parameters
    ----------
    methods : mapping of name to classifier
        Classifiers with ``partial_fit``, of bayleaf, scikit-learn or others; they are cloned.
    X : DataFrame or array
        The rows in the order in which they come.
    y : array-like
        Their classes.
    batch : int, default=100
        Rows that come together.
    measure : str or Measure, default="zero_one_loss"
        What is computed of each batch.

    References
    ----------
    A. P. Dawid. Present position and potential developments: some personal views: statistical theory: the prequential
    approach. Journal of the Royal Statistical Society A 147, 1984.

    Examples
    --------
    >>> import bayleaf as bl
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = rng.normal(size=(500, 2)) + 2 * y[:, None]
    >>> result = prequential({"TAN": bl.BayesNetClassifier(bl.TAN())}, X, y, measure="log_loss")
    >>> result.to_frame().shape
    (4, 2)
    """
    check_param("prequential", "batch", batch, int, low=1)
    measured = known_measure(measure)
    X = check_rows(X)
    labels = np.asarray(y)
    for name, method in methods.items():
        if not hasattr(method, "partial_fit"):
            raise TypeError(f"'{name}' has no partial_fit, so it cannot learn from a stream: {method!r}.")
    if len(labels) <= batch:
        raise ValueError(
            f"There are {len(labels)} rows, and the first batch of {batch} is only learned: nothing is left to "
            "predict."
        )
    classes = np.unique(labels)
    starts = range(0, len(labels), batch)
    values, seconds = {}, {}
    for name, method in methods.items():
        learner, found, begun = clone(method), [], time.process_time()
        for start in starts:
            rows = np.arange(start, min(start + batch, len(labels)))
            own, truth = take_rows(X, rows), labels[rows]
            if start:
                found.append(measured(_outcome(learner, own, truth)))
            learner.partial_fit(own, truth, classes=classes)
        values[name], seconds[name] = np.array(found), time.process_time() - begun
    return Prequential(np.array(starts[1:], dtype=np.int64), values, seconds, measured)


def _outcome(learner: Any, X: Any, truth: NDArray[Any]) -> Outcome:
    if not hasattr(learner, "predict_proba"):
        return Outcome.of(truth, learner.classes_, predicted=learner.predict(X))
    probabilities = learner.predict_proba(X)
    decided = learner.decide(probabilities) if hasattr(learner, "decide") else None
    return Outcome.of(truth, learner.classes_, probabilities, decided)
