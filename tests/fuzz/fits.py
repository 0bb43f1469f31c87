"""Random tables through every method: what fits predicts, is saved and loaded, and gives the same again."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayleaf as bl
from bayleaf.learn.register import learners, option_words

from . import odd_tables
from .outcome import FindingError, attempt, check_probabilities, check_same


@cache
def _choices() -> dict[str, list[Any]]:
    found = {kind: list(option_words(kind).values()) for kind in ("structure", "parameters", "discretizer")}
    return {**found, "selector": list(learners("selector").values()), "method": _names()}


def _names() -> list[str]:
    return [method.name for method in bl.methods()]


def one(rng: np.random.Generator) -> bool:
    """Fit one random table by one random method; True if it was taken."""
    rows = odd_tables.row_count(rng)
    data = odd_tables.columns(rng, rows)
    X, y = odd_tables.container(rng, data), odd_tables.labels(rng, rows)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], rows) if rng.random() < 0.2 else None
    model = attempt(lambda: _classifier(rng))
    if model is None:
        raise FindingError("a classifier of known names was refused")
    if attempt(lambda: model.fit(X, y, sample_weight=weights)) is None:
        return False
    found = attempt(lambda: model.predict_proba(X))
    if found is None:
        # Rows that fit left out may hold what makes a column unreadable.
        left_out = None in y or (weights is not None and not weights.all())
        if left_out or getattr(model, "missing", "drop") == "drop":
            return True
        raise FindingError("the rows of fit were refused")
    check_probabilities(found, rows, len(model.classes_))
    if not set(attempt(lambda: model.predict(X))) <= set(model.classes_):
        raise FindingError("a class that fit has not seen")
    if isinstance(X, list):
        check_same(np.array([model.scorer()(row) for row in X]), found, "the scorer and predict_proba")
    _other_rows(rng, model, data)
    _kept(model, X, found)
    return True


def _classifier(rng: np.random.Generator) -> Any:
    choices = _choices()
    if rng.random() < 0.05:
        return bl.NetworkPool(random_state=0, n_jobs=1)
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": int(rng.integers(1, 3))}
    settings["missing"] = str(rng.choice(["auto", "available", "state", "drop", "impute"]))
    if rng.random() < 0.3:
        settings["discretizer"] = rng.choice(choices["discretizer"])()
    if rng.random() < 0.2:
        settings["identifiers"] = "keep"
    if rng.random() < 0.2:
        settings |= {"max_categories": int(rng.integers(2, 5))}
    if rng.random() < 0.1:
        settings["class_weight"] = "balanced"
    if rng.random() < 0.6:
        return bl.classifier(str(rng.choice(choices["method"])), **settings)
    if rng.random() < 0.15:
        settings["selector"] = rng.choice(choices["selector"])()
    structure = rng.choice(choices["structure"])() if rng.random() < 0.8 else None
    parameters = rng.choice(choices["parameters"])() if rng.random() < 0.7 else None
    return bl.BayesNetClassifier(structure, parameters, **settings)


def _other_rows(rng: np.random.Generator, model: Any, data: dict[str, list[Any]]) -> None:
    """Rows that fit has not seen: columns exchanged, or of another kind altogether."""
    names = list(data)
    rows = int(rng.integers(1, 6))
    other = {name: odd_tables.column(rng, rows) for name in names}
    X = odd_tables.container(rng, other)
    found = attempt(lambda: model.predict_proba(X))
    if found is not None:
        check_probabilities(found, rows, len(model.classes_))


def _kept(model: Any, X: Any, found: Any) -> None:
    """A saved model predicts the same; one that is too large for a file says so."""
    with tempfile.TemporaryDirectory(prefix="bayleaf-fuzz-") as folder:
        path = Path(folder) / "m.json"
        attempt(lambda: model.save(path))
        if path.exists():
            loaded = attempt(lambda: bl.load(path))
            if loaded is None:
                raise FindingError("a model file that save wrote was refused")
            again = attempt(lambda: loaded.predict_proba(X))
            check_same(again, found, "before and after the model file")
        if list(Path(folder).glob(".*")):
            raise FindingError("a temporary file was left behind")
