"""The protocol of the studies of probabilities: which sets, which rows, which folds, which measures.

Stratified five-fold cross-validation (shuffled, seed 0) of at most 10,000 rows of a set, drawn with seed 0 (6,000 of
letter and pendigits). Columns whose values are all numbers are numbers, others are categories; constant columns and
classes with fewer than five rows are left out. Data sets are found through BAYLEAF_DATA.
"""

import csv
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

sys.path.insert(0, str(Path(__file__).parents[1]))  # datafolder, shared by all experiments

import datafolder

DEVELOPED_ON = [
    "vote",
    "car",
    "tic-tac-toe",
    "breast-cancer-wisconsin",
    "pima",
    "australian",
    "german",
    "vehicle",
    "soybean",
    "kr-vs-kp",
    "segment",
    "mushroom",
    "satimage",
]
OTHERS = [
    "zoo",
    "lymphography",
    "hepatitis",
    "wine",
    "glass",
    "breast-cancer",
    "cleve",
    "haberman",
    "primary-tumor",
    "balance-scale",
    "anneal",
    "vowel",
    "flare",
    "banknote",
    "cmc",
    "yeast",
    "led7",
    "hypothyroid",
    "abalone",
    "spambase",
    "waveform-21",
    "pendigits",
    "letter",
    "nursery",
    "magic",
    "adult",
    "bank",
    "connect-4",
]
GROUPS = {"13": DEVELOPED_ON, "others": OTHERS}
MOST_ROWS, FEWER_ROWS = 10_000, {"letter": 6000, "pendigits": 6000}
FOLDS = 5


@dataclass(frozen=True)
class Set:
    """A data set: features, class codes, the fold of every row, the number of classes."""

    X: pd.DataFrame
    y: np.ndarray
    fold: np.ndarray
    classes: int


@dataclass(frozen=True)
class Line:
    """What a model reaches on a set."""

    dataset: str
    model: str
    rows: int
    log_loss: float
    accuracy: float
    brier: float
    fit_cpu_seconds: float
    predict_cpu_seconds: float
    date: str


def load(name: str, most: int | None = None) -> Set:
    """Read a set, with ``most`` rows where the protocol's number is not meant."""
    path = datafolder.folder() / f"{name}.csv.gz"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=["", "?"])
    frame = frame[frame.iloc[:, -1].notna()].reset_index(drop=True)
    most = FEWER_ROWS.get(name, MOST_ROWS) if most is None else most
    if len(frame) > most:
        chosen = np.random.RandomState(0).permutation(len(frame))[:most]
        frame = frame.iloc[np.sort(chosen)].reset_index(drop=True)
    X, y = frame.iloc[:, :-1].copy(), frame.iloc[:, -1]
    for column in X:
        numbers = pd.to_numeric(X[column], errors="coerce")
        known = X[column].notna()
        all_numbers = known.any() and numbers.notna().sum() == known.sum()
        X[column] = numbers.astype(float) if all_numbers else X[column].astype(object)
    X = X.loc[:, X.nunique() > 1]
    sizes = y.value_counts()
    kept = y.isin(sizes[sizes >= FOLDS].index).to_numpy()
    X, y = X[kept].reset_index(drop=True), y[kept]
    labels, codes = np.unique(y.to_numpy().astype(str), return_inverse=True)
    return Set(X, codes, fold_of(codes), len(labels))


def cross_validated(data: Set, make: Callable[[], Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return what is said of every row by a model fitted without its fold, and the CPU-s of fit and of predict."""
    posterior, spent = np.zeros((len(data.y), data.classes)), np.zeros(2)
    for fold in range(FOLDS):
        train = data.fold != fold
        clf, start = make(), time.process_time()
        clf.fit(data.X[train], data.y[train])
        fitted = time.process_time()
        posterior[np.ix_(~train, clf.classes_)] = clf.predict_proba(data.X[~train])
        spent += fitted - start, time.process_time() - fitted
    return posterior, spent / FOLDS


def fold_of(y: np.ndarray, seed: int = 0) -> np.ndarray:
    """Deal rows out to stratified folds."""
    fold = np.zeros(len(y), dtype=int)
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y)
    for number, (_, test) in enumerate(splits):
        fold[test] = number
    return fold


def measures(posterior: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return log-loss, accuracy and Brier score."""
    own = np.clip(posterior[np.arange(len(y)), y], 1e-15, 1)
    brier = ((posterior - np.eye(posterior.shape[1])[y]) ** 2).sum(axis=1)
    return -float(np.log(own).mean()), float((posterior.argmax(axis=1) == y).mean()), float(brier.mean())


def append(path: Path, line: Mapping[str, object]) -> None:
    """Add a line to a file of results, and its header to a new one."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(line))
        if new:
            writer.writeheader()
        writer.writerow(line)


def printed(line: Any) -> dict[str, object]:
    """Return the fields of a line as they are kept, numbers with five decimals."""
    values = asdict(line).items()
    return {key: f"{value:.5f}" if isinstance(value, float) else value for key, value in values}
