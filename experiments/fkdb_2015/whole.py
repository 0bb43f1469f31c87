"""What the paper measures on a whole data set: Sum_MI and Info_ratio, and the AUC of the training rows."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
from compared import AVERAGED, PUBLISHED, methods
from data_sets import DataSet
from sklearn.metrics import roc_auc_score

import bayleaf as bl

SUMS = ("NB", "TAN", "KDB", "FKDB")
COLUMNS = ("dataset", *(f"sum_mi {name}" for name in SUMS), *(f"training auc {name}" for name in PUBLISHED))


def measure_all(data_sets: list[DataSet], folder: Path) -> dict[str, dict[str, float]]:
    """Measure every data set that an interrupted run has not, and write all lines to ``whole.csv``."""
    progress = folder / "whole_progress.csv"
    done = _read(progress)
    _write(progress, done)  # whole lines only, should the last one have been cut off
    for each in data_sets:
        if each.paper not in done:
            done[each.paper] = measure(each)
            _write(progress, done)
    _write(folder / "whole.csv", done)
    return done


def measure(data_set: DataSet) -> dict[str, float]:
    """Fit every method to all rows; AUC only where there are two classes, of RTAN by averaged probabilities."""
    X, y = data_set.load()
    line: dict[str, float] = {}
    for name in PUBLISHED:
        model = methods()[AVERAGED if name == "RTAN" else name].set_params(random_state=0).fit(X, y)
        if name in SUMS:
            line[f"sum_mi {name}"] = bl.network.sum_mi(model.network_, X, y)
        line[f"training auc {name}"] = _training_auc(model, X, y) if len(model.classes_) == 2 else np.nan
    return line


def _training_auc(model: Any, X: Any, y: Any) -> float:
    return float(roc_auc_score(y.to_numpy() == model.classes_[1], model.predict_proba(X)[:, 1]))


def _write(path: Path, lines: dict[str, dict[str, float]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"dataset": name, **line} for name, line in lines.items())


def _read(path: Path) -> dict[str, dict[str, float]]:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        lines = [line for line in csv.DictReader(file) if all(line.values())]
    return {line.pop("dataset"): {name: float(text) for name, text in line.items()} for line in lines}
