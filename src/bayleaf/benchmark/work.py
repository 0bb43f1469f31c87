"""One unit of work: one method on one fold of one data set, and whether its data are still the same."""

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from bayleaf.counts import ChangedDataError
from bayleaf.data.raw_columns import declared_categories
from bayleaf.quality.measures import Measure
from bayleaf.quality.outcome import fit_and_predict, target_array
from bayleaf.quality.protocol import SplitProtocol

Data = tuple[Any, Any]
Loader = Callable[[], Data]
ERROR_LENGTH = 500
# Parameters of scikit-learn's estimators, and ours, that change how results are computed but not what they are.
WITHOUT_EFFECT = frozenset({"n_jobs", "verbose"})


@dataclass(frozen=True)
class WorkUnit:
    """Names one unit of work and the settings it is run with; plain text and numbers only.

    ``protocol`` is the signature of the protocol and ``method_settings`` describes the estimator with all its
    parameters, so that a unit in an old result file differs from one with the same names but other settings.

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
    """

    key: str
    loader: Loader = field(compare=False)
    expected: "RecordedData | None" = field(default=None, compare=False)
    digest: str | None = field(default="", compare=False)


@dataclass(frozen=True)
class RecordedData:
    """What a result file says about a data set: its rows, and its digest where the file has one."""

    rows: int | None = None
    digest: str = ""


def describe(value: Any) -> str:
    """Text that identifies a parameter object: its class and every parameter, nested ones included.

    Unlike ``repr`` it never abbreviates and never contains memory addresses. What changes no result is left out, so
    that a run can go on with another number of workers.
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
    return {name: each for name, each in value.get_params(deep=False).items() if name not in WITHOUT_EFFECT}


@lru_cache(maxsize=1)
def load_data(source: DataSource) -> Data:
    """Load a data set; every process keeps the last one, since units come grouped by data set."""
    X, y = source.loader()
    return X, y


@lru_cache(maxsize=1)
def _loaded_digest(source: DataSource) -> str:
    return data_digest(*load_data(source)) if source.digest is None else source.digest


def forget_data() -> None:
    """Drop the data set that this process keeps."""
    load_data.cache_clear()
    _loaded_digest.cache_clear()


def row_count(data: Any) -> int:
    """Count the rows of an array, frame, series or list."""
    return int(data.shape[0]) if hasattr(data, "shape") else len(data)


def check_rows(dataset: str, X: Any, y: Any) -> None:
    """Refuse features and a target of different lengths."""
    if row_count(X) != row_count(y):
        raise ValueError(
            f"The data set '{dataset}' has {row_count(X)} rows of features, {row_count(y)} of the target."
        )


def data_digest(X: Any, y: Any) -> str:
    """Digest of features and target: names and types of the columns, and every value.

    Frames of another library with the same types and values, and another index, make no difference.
    """
    digest = hashlib.blake2b(digest_size=8)
    for part in (X, y):
        for piece in _pieces(part):
            digest.update(len(piece).to_bytes(8, "little"))
            digest.update(piece)
    return digest.hexdigest()


def _pieces(part: Any) -> Iterable[Any]:
    """All that makes up a frame, a series, an array, a sparse matrix or a list, as bytes."""
    if issparse(part):
        rows = part.tocsr()
        yield str(rows.shape).encode()
        for array in (rows.data, rows.indices, rows.indptr):
            yield from _array_pieces(array)
        return
    frame = nw.from_native(part, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        for column in frame.iter_columns():
            yield from _column_pieces(column)
    elif isinstance(frame, nw.Series):
        yield from _column_pieces(frame)
    else:
        yield from _array_pieces(_as_array(part))


def _as_array(part: Any) -> NDArray[Any]:
    try:
        return np.asarray(part)
    except ValueError:  # rows of different lengths, which some estimators take
        return np.asarray(part, dtype=object)


def _column_pieces(column: Any) -> Iterable[Any]:
    yield f"{column.name} {column.dtype}".encode()
    yield _text(list(declared_categories(column) or ()))
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        yield from _array_pieces(column.to_numpy())
    else:
        yield np.packbits(column.is_null().to_numpy()).tobytes()
        yield _text(column.drop_nulls().to_list())


def _array_pieces(array: NDArray[Any]) -> Iterable[Any]:
    yield f"{array.dtype.str} {array.shape}".encode()
    yield _text(array.ravel().tolist()) if array.dtype.hasobject else np.ascontiguousarray(array).tobytes()


def _text(values: list[Any]) -> bytes:
    # The lengths keep ("ab", "c") and ("a", "bc") apart.
    words = [value if isinstance(value, str) else repr(value) for value in values]
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    return lengths.tobytes() + "".join(words).encode(errors="surrogatepass")


def check_unchanged(dataset: str, rows: int, digest: str, expected: RecordedData) -> None:
    """Refuse a data set whose number of rows or digest differs from the one in the result file."""
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
        check_rows(unit.dataset, X, y)
        line["data"] = _loaded_digest(source)
        if source.expected is not None:
            check_unchanged(unit.dataset, line["rows"], line["data"], source.expected)
        split = protocol.split(target_array(y), unit.repeat, unit.fold)
        line["train_rows"], line["test_rows"] = split.train.size, split.test.size
        model = _seeded(estimator, unit.seed)
        outcome = fit_and_predict(model, X, y, split.train, split.test, split.groups)
        line.update({measure.name: measure(outcome) for measure in measures})
    except ChangedDataError:
        raise
    except Exception as error:
        line["error"] = _one_line(error)
    return line


def _seeded(estimator: Any, seed: int) -> Any:
    """Fill every ``random_state`` that was left open, so that a resumed run repeats an uninterrupted one."""
    model = clone(estimator)
    is_open = {
        name: seed
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**is_open)


def _one_line(error: Exception) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= ERROR_LENGTH else text[: ERROR_LENGTH - 3] + "..."
