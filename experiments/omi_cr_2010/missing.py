"""Figures 11 to 13: accuracy when features are missing at prediction."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from compared import MISSING_METHODS, classifiers
from data_sets import BY_NAME
from steps import Line, run_steps

from bayleaf.quality import accuracy_with_missing_features

# Number of missing features and how often they are drawn.
NUMBERS = {
    "SATIMAGE": (0, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 34),
    "LETTER": (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 15),
    "MNIST": (0, 10, 20, 30, 40, 60, 80, 100, 120, 140, 160, 180),
}
REPEATS = {"SATIMAGE": 100, "LETTER": 100, "MNIST": 5}


def run_missing(results: Path, only: tuple[str, ...], first: int | None = None) -> None:
    """Classify the test rows with the same cells missing for all classifiers."""

    @cache
    def fitted(dataset: str) -> tuple[dict[str, Any], Any, np.ndarray]:
        data = BY_NAME[dataset]
        X, y = data.load()
        models = classifiers(MISSING_METHODS, random_state=0)
        return (
            {name: model.fit(X[: data.training], y[: data.training]) for name, model in models.items()},
            X[data.training :],
            np.asarray(y[data.training :]),
        )

    def work(dataset: str, missing: int) -> list[Line]:
        repeats = 1 if missing == 0 else REPEATS[dataset]
        frame = accuracy_with_missing_features(*fitted(dataset), [missing], repeats=repeats)
        lines: list[Line] = []
        for name in MISSING_METHODS:
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
    run_steps(results / "missing.csv", "Missing features", steps, work, first)
