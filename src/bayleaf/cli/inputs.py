"""Data files and model files as the commands need them."""

import difflib
import hashlib
import json
import re
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import bayleaf
from bayleaf._util.words import counted, listing
from bayleaf.data import Variable
from bayleaf.data.number_text import read_numbers
from bayleaf.evaluation.results import begins_header, read_lines
from bayleaf.files import (
    DataFileError,
    check_output,
    load_network,
    read_bif,
    read_data,
    read_dsc,
    read_xmlbif,
)
from bayleaf.files.column_text import MixedColumnWarning, with_points
from bayleaf.files.table_batches import read_batches
from bayleaf.files.table_files import dataset_name, label_text
from bayleaf.files.whole_files import format_suffix, read_text, write_text
from bayleaf.network import BayesNet
from bayleaf.network.costs import class_costs
from bayleaf.streams.file_reader import open_files

from .output import note
from .streamed import reads_in_batches


@dataclass(frozen=True, eq=False)
class LabelledData:
    """A data set: its name, its features and the class of each row."""

    name: str
    path: Path
    features: pl.DataFrame
    target: pl.Series

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of each class, the classes in their order."""
        counts = self.target.value_counts().sort(self.target.name)
        return {label_text(label): int(count) for label, count in counts.iter_rows()}


def read_labelled(
    path: Path,
    target: str,
    *,
    drop: Collection[str] = (),
    categorical: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    require_class: bool = False,
    **reading: Any,
) -> LabelledData:
    """Read a data set whose class is in the column ``target``; refuse it where no classifier could be fitted.

    Columns to be taken as categories keep the way their values are written; ``reading`` goes to `read_data`. Rows
    without a class are left out, or refused with ``require_class``.
    """
    types = types or {}
    categories = _AllBut(target) if list(categorical) == ["all"] else _written(categorical, types)
    with warnings.catch_warnings():  # a class is categories in any case
        about_class = re.escape(f"Column '{target}' of ")
        warnings.filterwarnings("ignore", message=about_class, category=MixedColumnWarning)
        frame = read_data(path, as_text=drop, categorical=categories, **reading)
    check_columns(path, [target], frame.columns)
    check_columns(path, [*drop, *types], frame.columns)
    if target in types:
        raise DataFileError(f"'{target}' is the class, which is always categories: leave it out of --types.")
    if target in drop:
        raise DataFileError(f"'{target}' is the class: it cannot be dropped as well.")
    frame = _with_class(path, frame, target, require=require_class)
    labels = frame[target]
    _check_labels(path, labels)
    features = frame.drop(target, *drop)
    if features.width == 0:
        raise DataFileError(
            f"'{path}' has no column besides the class '{target}': there is nothing to learn from."
        )
    return LabelledData(dataset_name(path), path, features, labels)


def read_unlabelled(
    path: Path,
    *,
    drop: Collection[str] = (),
    categorical: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    **reading: Any,
) -> pl.DataFrame:
    """Read the columns of a data set as `read_labelled` does, without asking for a class."""
    types = types or {}
    categories = _AllBut("") if list(categorical) == ["all"] else _written(categorical, types)
    frame = read_data(path, as_text=drop, categorical=categories, **reading)
    check_columns(path, [*drop, *types], frame.columns)
    return frame.drop(*drop)


def _written(categorical: Sequence[str], types: Mapping[str, str]) -> list[str]:
    """Columns that keep the way their values are written."""
    return [*categorical, *(name for name, kind in types.items() if kind == "category")]


@dataclass(frozen=True)
class _AllBut:
    """Every column but one, whatever their names."""

    name: str

    def __contains__(self, name: object) -> bool:
        return name != self.name


def categorical_names(path: Path, wanted: Sequence[str], features: pl.DataFrame) -> list[str]:
    """Resolve the names of columns to take as categories; "all" means every one."""
    if list(wanted) == ["all"] and "all" not in features.columns:
        return features.columns
    check_columns(path, wanted, features.columns)
    return list(wanted)


def check_columns(path: Path, names: Collection[str], columns: Sequence[str]) -> None:
    """Refuse names that are not columns, and suggest the nearest ones.

    Examples
    --------
    >>> check_columns(Path("iris.csv"), ["Specis"], ["petal width", "species"])
    Traceback (most recent call last):
    bayleaf.files.whole_files.DataFileError: 'iris.csv' has no column 'Specis'. Did you mean 'species'?
    """
    for name in names:
        if name not in columns:
            raise DataFileError(f"'{path}' has no column '{name}'. {suggestion(name, columns)}")


def suggestion(name: str, known: Sequence[str]) -> str:
    """Suggest what a misspelt name may have meant.

    Examples
    --------
    >>> suggestion("xyz", ["a", "b"])
    'There are a, b.'
    """
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(repr(by_lower[each]) for each in close)}?"
    return f"There are {listing(known, most=12)}."


def feature_names(classifier: Any) -> list[str]:
    """Names of the columns a fitted classifier expects, in its order."""
    return [variable.name for variable in classifier.schema_.columns]


def text_columns(classifier: Any) -> list[str]:
    """Columns that held text in fit, and must stay text however they look in new data."""
    return [variable.name for variable in classifier.schema_.columns if variable.dtype == "string"]


STANDARD_INPUT = Path("-")


def read_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> pl.DataFrame:
    """Read a table for a fitted classifier: what held text in fit stays text, also the class if that is asked for.

    Columns that are kept for the result, and are not the model's own, stay as they are written. Without a header, a
    table with as many columns as the model has the model's, in that order. The path "-" is standard input.

    Columns that are nearly numbers get no warning here: those of the model are refused, others are not used.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        frame = read_data(_opened(path), as_text=_as_text(classifier, with_class, keep, reading), **reading)
    return _with_names(classifier, frame, reading)


def batches_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> Iterator[pl.DataFrame]:
    """Read a table for a fitted classifier as `read_for` does, in batches: only one is in memory at a time."""
    if reads_in_batches(path) and not any(reading.values()):
        reader = open_files(path)
        yield from reader.read(reader.names)
        return
    as_text = _as_text(classifier, with_class, keep, reading)
    batches = read_batches(_opened(path), as_text=as_text, **reading)
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MixedColumnWarning)
            frame = next(batches, None)
        if frame is None:
            return
        yield _with_names(classifier, frame, reading)


def _opened(path: Path) -> Any:
    return sys.stdin.buffer if path == STANDARD_INPUT else path


def _as_text(classifier: Any, with_class: bool, keep: Sequence[str], reading: Mapping[str, Any]) -> list[str]:
    """Return the columns that stay text whatever their values look like."""
    target = classifier.schema_.target
    as_text = [*text_columns(classifier), *([target.name] if with_class and target.dtype == "string" else [])]
    names = feature_names(classifier)
    as_text += [name for name in keep if name not in names]
    if reading.get("header") is False:  # the same columns, as they are called before they have names
        as_text += [f"column_{number}" for number, name in enumerate(names, start=1) if name in as_text]
    return as_text


def _with_names(classifier: Any, frame: pl.DataFrame, reading: Mapping[str, Any]) -> pl.DataFrame:
    """Give the columns of a table without a header the names of the model's where there are as many."""
    names = feature_names(classifier)
    if reading.get("header") is False and frame.width == len(names) and set(names).isdisjoint(frame.columns):
        frame.columns = names
    return frame


def columns_for(
    classifier: Any, frame: pl.DataFrame, path: Path, *, absent_missing: bool = False, rows_before: int = 0
) -> Any:
    """Select the columns that a fitted classifier expects, by name and in its order.

    Columns that are not there are refused, unless the model or ``absent_missing`` says that they count as missing.
    Rows of which something is said are numbered from the beginning of the table, ``rows_before`` included.
    """
    variables = classifier.schema_.columns
    setting = "missing" if absent_missing else getattr(classifier, "_encoder", classifier).absent_columns
    may_lack = classifier.schema_.may_lack(setting)
    absent = [variable.name for variable in variables if variable.name not in frame.columns]
    lacking = [name for name in absent if name not in may_lack]
    if absent and not lacking and len(absent) == len(variables):
        raise DataFileError(
            f"'{path}' has none of the columns of the model; it has {listing(frame.columns)}."
        )
    if lacking:
        # Columns that the model uses are not misspellings of another one.
        close = suggestion(lacking[0], extra_columns(classifier, frame.columns)) if len(lacking) == 1 else ""
        hint = f" {close}" if close.startswith("Did") else ""
        names = listing([f"'{name}'" for name in lacking])
        raise DataFileError(f"'{path}' lacks {counted(len(lacking), 'column')} of the model: {names}.{hint}")
    frame = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    chosen = pl.DataFrame(
        [_as_in_fit(variable, frame[variable.name], path, rows_before) for variable in variables]
    )
    return chosen if hasattr(classifier, "feature_names_in_") else chosen.to_numpy()


def extra_columns(classifier: Any, columns: Sequence[str]) -> list[str]:
    """Columns of the data that the model does not use."""
    known = set(feature_names(classifier))
    return [name for name in columns if name not in known]


def class_label(classifier: Any, text: str | None) -> Any:
    """Find the class label that a text means.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> class_label(SimpleNamespace(classes_=[0, 1]), "1")
    1
    """
    if text is None:
        return None
    labels = list(classifier.classes_)
    for label in labels:
        if label_text(label) == text or str(label) == text:
            return label
    raise ValueError(
        f"'{text}' is not a class of the model; there are {listing([label_text(x) for x in labels])}."
    )


def _with_class(path: Path, frame: pl.DataFrame, target: str, *, require: bool) -> pl.DataFrame:
    """Leave out the rows without a class, with a note that counts them; refuse them where every row must have one."""
    labels = frame[target]
    known = labels.is_not_null() & (labels.is_not_nan() if labels.dtype.is_float() else True)
    absent = len(labels) - int(known.sum())
    if not absent:
        return frame
    rows = f"{absent:,} of {counted(len(labels), 'row')}"
    if absent == len(labels):
        raise DataFileError(f"The class '{target}' is missing in all rows of '{path}'.")
    if require:
        raise DataFileError(
            f"The class '{target}' is missing in {rows} of '{path}': fill it in, or leave those rows out (without "
            "--require-class)."
        )
    note(f"left out {rows} of '{path}', which {'has' if absent == 1 else 'have'} no class ('{target}').")
    return frame.filter(known)


def _check_labels(path: Path, labels: pl.Series) -> None:
    if labels.n_unique() == 1:
        if len(labels) == 1:
            raise DataFileError(
                f"'{path}' has only one row with a class: a classifier needs rows of at least two classes."
            )
        only = label_text(labels[0])
        raise DataFileError(
            f"The class '{labels.name}' is '{only}' in all {counted(len(labels), 'row')} of '{path}': a "
            "classifier needs at least two classes."
        )
    if labels.dtype.is_float() and (labels != labels.round()).any():
        raise DataFileError(
            f"The class '{labels.name}' of '{path}' has {counted(labels.n_unique(), 'different number')} such as "
            f"{labels[0]}: classes must be categories or whole numbers."
        )


def _as_in_fit(variable: Variable, column: pl.Series, path: Path, rows_before: int) -> pl.Series:
    """Give a column the type it had in fit where its values allow it; say which value does not."""
    is_number = variable.dtype in ("integer", "float")
    if not is_number or column.dtype != pl.String:
        return column
    texts = column.drop_nulls().unique().to_list()
    read = pl.Series(read_numbers(texts, variable.reading), nan_to_null=True)
    as_read = column.replace_strict(texts, read, return_dtype=pl.Float64)
    if as_read.null_count() == column.null_count():
        return as_read
    by_commas = with_points(column).cast(pl.Float64, strict=False)
    # Where commas would do for all, the first of them is what is wrong; else a value that is no number at all.
    numbers = min(as_read, by_commas, key=lambda each: each.null_count())
    wrong = (as_read if numbers.null_count() == column.null_count() else numbers).is_null()
    row = int((wrong & column.is_not_null()).arg_max() or 0)
    hint = "; see --decimal" if by_commas[row] is not None else ""
    raise DataFileError(
        f"Column '{variable.name}' holds numbers in the model, but '{column[row]}' in row {rows_before + row + 1} of "
        f"'{path}' is not one{hint}."
    )


def check_writable(output: Path, *sources: Path) -> None:
    """Refuse a file that cannot be written, or that is itself one of those that are read."""
    check_output(output)
    for source in sources:
        if source.exists() and output.exists() and source.samefile(output):
            raise ValueError(f"'{output}' is the input: writing there would destroy it.")


# What reads the formats of other tools.
NETWORK_READERS = {
    ".bif": read_bif,
    ".xmlbif": read_xmlbif,
    ".bifxml": read_xmlbif,
    ".xml": read_xmlbif,
    ".dsc": read_dsc,
}


def read_network(path: Path) -> BayesNet:
    """Read the network of a model file, a network file or a BIF file."""
    return only_network(read_model_or_network(path))


def only_network(found: Any) -> BayesNet:
    """Return the network of a classifier, or the network itself."""
    network: BayesNet = found if isinstance(found, BayesNet) else single(found).network_
    return network


def single(classifier: Any) -> bayleaf.BayesNetClassifier:
    """Return a classifier that is one network; refuse an ensemble and a pool."""
    if isinstance(classifier, bayleaf.BayesNetClassifier):
        return classifier
    if isinstance(classifier, bayleaf.NetworkPool):
        raise ValueError(
            "The model is a pool of networks in one score: it can predict and explain, and 'bayleaf report' shows "
            "what each feature says, but there is no network to ask or convert."
        )
    done = "shown or converted" if hasattr(type(classifier), "explain") else "shown, explained or converted"
    raise ValueError(
        f"The model is an ensemble of {len(classifier.estimators_)} networks: it can predict, and 'bayleaf report' "
        f"shows all of them, but it cannot be {done} as one."
    )


def explainable(classifier: Any) -> Any:
    """Return a classifier that weighs evidence as one: a network, a pool, or networks whose answers are averaged."""
    as_one = isinstance(classifier, bayleaf.AveragedClassifier | bayleaf.NetworkPool)
    return classifier if as_one else single(classifier)


def costs_of(classifier: Any) -> Any:
    """Return the costs [true class, decision] by which a classifier, or each member of an ensemble, decides, if any.

    Examples
    --------
    >>> clf = bayleaf.BayesNetClassifier(loss=[[0, 1], [9, 0]]).fit([["a"], ["b"]], ["no", "yes"])
    >>> costs_of(clf)
    array([[0., 1.], [9., 0.]])
    """
    loss = getattr(classifier, "estimator", classifier).loss
    return None if loss is None else class_costs(loss, classifier.classes_.tolist(), "the model")


def read_model_or_network(path: Path) -> Any:
    """Read a fitted classifier from a model file, or a network from a network file, BIF, XMLBIF or DSC."""
    read = NETWORK_READERS.get(format_suffix(path))
    if read is not None:
        return read(path)
    return load_network(path) if _format(path) == "bayleaf-network" else bayleaf.load(path)


def _format(path: Path) -> object:
    """Return what a JSON document says it is, or None (the reader of model files will say what is wrong)."""
    try:
        document = json.loads(read_text(path, "a model file"))
    except (ValueError, RecursionError):
        return None
    return document.get("format") if isinstance(document, dict) else None


RESULTS, RECORD = "results.csv", "data.json"


def prepare_folder(folder: Path, tables: Sequence[LabelledData], options: Mapping[str, Any]) -> Path:
    """Make the folder where it is not there, and return the path of its result file.

    Results that were made from other data, or with other options that change the data, are refused rather than
    mixed with new ones. So is a call without a table that has results here: they would vanish from the report.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"Cannot keep results in '{folder}': it is a file.")
    results, record_file = folder / RESULTS, folder / RECORD
    if results.exists() and not begins_header(results):
        read_lines(results)  # refuses a file of somebody else's before anything is written here
    known = _read_record(record_file) if record_file.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    current = {table.name: _signature(table, options) for table in tables}
    for name, signature in current.items():
        if known.get(name, signature) != signature:
            raise ValueError(
                f"'{folder}' holds results of '{name}' from other data, another target or other columns: use another "
                "folder for --out."
            )
    left_out = [name for name in known if name not in current]
    if left_out:
        raise ValueError(
            f"'{folder}' holds results of '{left_out[0]}', which is not among the tables of this call: name all "
            "tables again together with the new ones, or use another folder for --out."
        )
    write_text(record_file, json.dumps({**known, **current}, indent=1, ensure_ascii=False))
    return results


def _read_record(path: Path) -> dict[str, Any]:
    try:
        known = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        known = None
    if not (isinstance(known, dict) and all(isinstance(each, dict) for each in known.values())):
        raise ValueError(
            f"'{path}' is damaged, or not a file of bayleaf: it should say which data the results beside it are "
            "from. Use another folder for --out, or remove it if you are sure of the data."
        )
    return known


def _signature(table: LabelledData, options: Mapping[str, Any]) -> dict[str, Any]:
    digest = hashlib.sha256(table.path.read_bytes()).hexdigest()[:16]
    return {"sha256": digest, "target": table.target.name, "features": table.features.columns, **options}
