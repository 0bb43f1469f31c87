"""Tables 11 to 13: processor seconds of five fits each, one per fold of a division, on one thread."""

import csv
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from data_sets import DataSet
from sklearn.base import clone

from bayleaf.benchmark import CrossValidation

FOLDS = 5
COLUMNS = ("dataset", "method", "rows", "folds", "fit_seconds")


def measure(classifiers: Mapping[str, Any], data_sets: list[DataSet], path: Path) -> int:
    """Add the seconds of what the file does not have yet, in the form of ``kept``; return how many fits were made.

    The processor's time, not the clock's: other programs on the machine change it little.
    """
    lines: dict[tuple[str, str], dict[str, object]] = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            lines = {(line["dataset"], line["method"]): dict(line) for line in csv.DictReader(file)}
    fits = 0
    for data in data_sets:
        missing = [
            name for name in classifiers if str(lines.get((data.paper, name), {}).get("folds")) != str(FOLDS)
        ]
        if not missing:
            continue
        X, y = data.load()
        splits = [CrossValidation(folds=FOLDS).split(np.asarray(y), 0, fold) for fold in range(FOLDS)]
        for name in missing:
            seconds = []
            for split in splits:
                model = clone(classifiers[name])
                begun = time.process_time()
                model.fit(X[split.train], y[split.train])
                seconds.append(f"{time.process_time() - begun:.4f}")
            values = (data.paper, name, X.height, FOLDS, " ".join(seconds))
            lines[data.paper, name] = dict(zip(COLUMNS, values, strict=True))
            fits += FOLDS
            _replace(path, lines)
    return fits


def _replace(path: Path, lines: Mapping[tuple[str, str], Mapping[str, object]]) -> None:
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines.values())
    part.replace(path)
