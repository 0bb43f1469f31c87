"""Data files and model files as the commands need them."""

from __future__ import annotations

import difflib
import json
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, check_output, format_suffix, read_text
from bayleaf._util.words import counted, listing
from bayleaf.data import Quantiles, Variable
from bayleaf.data.discretize import apply_cuts
from bayleaf.data.text_values import find_numbers
from bayleaf.data.variable import state_texts
from bayleaf.explain.reasons import check_single_network
from bayleaf.network import BayesNet
from bayleaf.network.predictors import caution_about
from bayleaf.networks import load_network
from bayleaf.networks.network_files import FORMATS
from bayleaf.tables import read_data
from bayleaf.tables.column_text import MixedColumnWarning
from bayleaf.tables.table_files import dataset_name, label_text

from .output import note


@dataclass(frozen=True, eq=False)
class LabelledData:
    """A data set: its name, its features and the class of each row."""

    name: str
    path: Path
    features: pl.DataFrame
    target: pl.Series
    groups: pl.Series | None = None
    time: pl.Series | None = None

    def with_groups(self, groups: str | None, time: str | None) -> LabelledData:
        """Take the groups of the rows out of the features, and say when the rows were; that stays a feature."""
        named = [name for name in (groups, time) if name is not None]
        check_columns(self.path, named, self.features.columns)
        if len(named) == 2:
            raise ValueError("Folds keep groups together or go by time, not both: give --groups or --time.")
        if groups is not None and self.features.width == 1:
            raise DataFileError(f"'{self.path}' has no column besides the class and '{groups}'.")
        return replace(
            self,
            features=self.features if groups is None else self.features.drop(groups),
            groups=None if groups is None else self.features[groups],
            time=None if time is None else self.features[time],
        )

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
    bins: int | None = None,
    **reading: Any,
) -> LabelledData:
    """Read a data set whose class is in the column ``target``; refuse it where no classifier could be fitted.

    Columns to be taken as categories keep the way their values are written; ``reading`` goes to `read_data`. Rows
    without a class are left out, or refused with ``require_class``. A class of numbers is cut into so many ``bins``.
    """
    types = types or {}
    categories = _EveryNameBut(target) if list(categorical) == ["all"] else _written(categorical, types)
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
    labels = frame[target] if bins is None else binned(path, frame[target], bins)
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
    categories = _EveryNameBut("") if list(categorical) == ["all"] else _written(categorical, types)
    frame = read_data(path, as_text=drop, categorical=categories, **reading)
    check_columns(path, [*drop, *types], frame.columns)
    return frame.drop(*drop)


def _written(categorical: Sequence[str], types: Mapping[str, str]) -> list[str]:
    """Columns that keep the way their values are written."""
    return [*categorical, *(name for name, kind in types.items() if kind == "category")]


@dataclass(frozen=True)
class _EveryNameBut:
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
    """Refuse names that are not columns, and suggest the nearest ones."""
    for name in names:
        if name not in columns:
            raise DataFileError(f"'{path}' has no column '{name}'. {suggestion(name, columns)}")


def check_node(network: BayesNet, name: str) -> None:
    """Refuse a name that is not of a node, and suggest the nearest ones."""
    if name not in network.nodes:
        raise ValueError(f"The network has no node '{name}'. {suggestion(name, network.nodes)}")


def suggestion(name: str, known: Sequence[str]) -> str:
    """Suggest what a misspelt name may have meant."""
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.6)
    if close:
        return f"Did you mean {' or '.join(repr(by_lower[each]) for each in close)}?"
    return f"There are {listing(known, most=12)}."


def class_label(classifier: Any, text: str | None) -> Any:
    """Find the class label that a text means."""
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


def binned(path: Path, labels: pl.Series, bins: int) -> pl.Series:
    """Cut a class of numbers into classes with about as many rows in each, named by their numbers."""
    numbers, reading = labels, None
    if not labels.dtype.is_numeric():
        texts = labels.cast(pl.String).unique().to_list()
        found = find_numbers(texts)
        if found.values is None:
            raise DataFileError(
                f"The class '{labels.name}' of '{path}' holds no numbers, but {labels[0]!r}: --bins is for numbers."
            )
        numbers, reading = labels.cast(pl.String).replace_strict(texts, found.values.tolist()), found.reading
    values = numbers.cast(pl.Float64).to_numpy()
    whole = bool((values == np.floor(values)).all())
    cuts = Quantiles(bins).cut_points(values)
    variable = Variable.numeric(labels.name, cuts.tolist(), "integer" if whole else "float")
    names = state_texts(replace(variable, reading=reading))
    return pl.Series(labels.name, names).gather(apply_cuts(values, variable.cuts or ()).tolist())


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
            f"{labels[0]}: classes must be categories or whole numbers. --bins 4 cuts numbers into classes."
        )


def check_writable(output: Path, *sources: Path) -> None:
    """Refuse a file that cannot be written, or that is itself one of those that are read."""
    check_output(output)
    for source in sources:
        if source.exists() and output.exists() and source.samefile(output):
            raise ValueError(f"'{output}' is the input: writing there would destroy it.")


def read_asked(path: Path) -> tuple[BayesNet, bayleaf.BayesNetClassifier | None]:
    """Read the network of a model file, a network file or a BIF file, and the model, which answers for its class."""
    found = read_model_or_network(path)
    if isinstance(found, BayesNet):
        return found, None
    model = single(found)
    check_single_network(model.network_, model._predictor, "'bayleaf ask'")
    return model.network_, model


def only_network(found: Any) -> BayesNet:
    """Return the network of a classifier, with a note where it is not what predicts, or the network itself."""
    if isinstance(found, BayesNet):
        return found
    model = single(found)
    if (caution := caution_about(model)) is not None:
        note(caution)
    return model.network_


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
    """Return a classifier that can explain its evidence: a network, a pool, or averaged networks."""
    as_one = isinstance(classifier, bayleaf.AveragedClassifier | bayleaf.NetworkPool)
    return classifier if as_one else single(classifier)


def read_model_or_network(path: Path) -> Any:
    """Read a fitted classifier from a model file, or a network from a network file, BIF, XMLBIF or DSC."""
    of_other_tools = format_suffix(path) in FORMATS and format_suffix(path) != ".json"
    if of_other_tools or _format(path) == "bayleaf-network":
        return load_network(path)
    return bayleaf.load(path)


def _format(path: Path) -> object:
    """Return what a JSON document says it is, or None (the reader of model files will say what is wrong)."""
    try:
        document = json.loads(read_text(path, "a model file"))
    except (ValueError, RecursionError):
        return None
    return document.get("format") if isinstance(document, dict) else None
