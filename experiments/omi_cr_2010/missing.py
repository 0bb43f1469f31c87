"""Figures 11 to 13: accuracy when features are missing at prediction."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from compared import MISSING_METHODS, classifiers
from data_sets import BY_NAME
from steps import Line, run_steps

from bayleaf.evaluation import accuracy_with_missing_features

# Number of missing features and how often they are drawn; of MNIST the first 2000 test rows.
NUMBERS = {
    "SATIMAGE": (0, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 34),
    "LETTER": (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 15),
    "MNIST": (0, 10, 20, 30, 40, 60, 80, 100, 120, 140, 160, 180),
}
TEST_ROWS = {"SATIMAGE": 2000, "LETTER": 5000, "MNIST": 2000}
REPEATS = {"SATIMAGE": 100, "LETTER": 20, "MNIST": 5}
# On MNIST greedy search takes minutes, and CL training of its tree again.
METHODS = dict.fromkeys(NUMBERS, MISSING_METHODS) | {
    "MNIST": tuple(name for name in MISSING_METHODS if not name.startswith("TAN-CR"))
}


def run_missing(results: Path, only: tuple[str, ...]) -> None:
    """Classify the test rows with the same cells missing for all classifiers."""

    @cache
    def fitted(dataset: str) -> tuple[dict[str, Any], Any, np.ndarray]:
        data = BY_NAME[dataset]
        X, y = data.load()
        models = classifiers(METHODS[dataset], random_state=0)
        test = slice(data.training, data.training + TEST_ROWS[dataset])
        return (
            {name: model.fit(X[: data.training], y[: data.training]) for name, model in models.items()},
            X[test],
            np.asarray(y[test]),
        )

    def work(dataset: str, missing: int) -> list[Line]:
        repeats = 1 if missing == 0 else REPEATS[dataset]
        frame = accuracy_with_missing_features(*fitted(dataset), [missing], repeats=repeats)
        lines: list[Line] = []
        for name in METHODS[dataset]:
            values = frame.filter(method=name)["accuracy"].to_numpy()
            deviation = values.std(ddof=1) if repeats > 1 else 0.0
            lines.append(
                {
                    "repeats": repeats,
                    "method": name,
                    "accuracy": round(float(values.mean()), 5),
                    "deviation": round(float(deviation), 5),
                }
            )
        return lines

    steps = [
        {"dataset": name, "missing": number}
        for name, numbers in NUMBERS.items()
        for number in numbers
        if not only or name in only
    ]
    run_steps(results / "missing.csv", "Missing features", steps, work)
