"""Model files with mistakes in them: refused by name, or read into a model that works."""

import copy
import gzip
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayleaf as bl

from .outcome import FindingError, attempt, check_probabilities, scratch
from .spoiling import spoiled

ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 10**30, 1e308, 0.5, -0.0, float("nan"), float("inf"), "", "x", "1 2 3", "nan",
    [], [[]], [1, 2, 3], ["a"], {}, {"a": 1}, {"list": []}, {"learner": "TAN", "parameters": {}}, {"unsaved": "x"},
]  # fmt: skip
ROWS = [["a", 1.5, "u"], ["b", -2.0, None], [None, 0.0, "v"], ["zz", 9.0, "u"]]


@cache
def _documents() -> list[tuple[str, Any]]:
    """Return model files of several kinds as text and as data."""
    rng = np.random.default_rng(0)
    X = [
        [["a", "b", "c"][i], float(x), ["u", "v", None][j]]
        for i, x, j in zip(rng.integers(0, 3, 60), rng.normal(size=60), rng.integers(0, 3, 60), strict=True)
    ]
    y = ["yes" if row[0] == "a" or row[1] > 0.5 else "no" for row in X]
    models = [
        bl.classifier("TAN").fit(X, y),
        bl.BayesNetClassifier(bl.HillClimbing(), loss=[[0, 1], [5, 0]]).fit(X, y),
        bl.BayesNetClassifier(bl.KDB(functional_dependencies=True), missing="state").fit(X, y),
        bl.classifier("AODE").fit(X, y),
        bl.BaggedClassifier(n_estimators=2, random_state=0).fit(X, y),
    ]  # fmt: skip
    models[0].cross_validate(X, y, 2)
    found = []
    with tempfile.TemporaryDirectory(prefix="bayleaf-fuzz-") as folder:
        for model in models:
            model.save(Path(folder) / "m.json")
            text = (Path(folder) / "m.json").read_text()
            found.append((text, json.loads(text)))
    return found


def one(rng: np.random.Generator) -> bool:
    """Load one spoiled model file; True if it was read."""
    documents = _documents()
    number = rng.integers(len(documents))
    text, data = documents[number]
    if rng.random() < 0.7:
        for change in range(rng.integers(1, 4)):
            places = _places(data) if change else _original_places()[number]
            data = data if change else json.loads(text)
            _change(rng, data, places)
        content = json.dumps(data).encode()
    else:
        content = spoiled(rng, text.encode())
    if rng.random() < 0.05:
        content = gzip.compress(content, 1)
        content = spoiled(rng, content) if rng.random() < 0.5 else content
    file = scratch() / "m.json"
    file.write_bytes(content)
    model = attempt(lambda: bl.load(file))
    if model is None:
        return False
    repr(model), repr(getattr(model, "training_", None)), repr(model.schema_)
    found = attempt(lambda: model.predict_proba([row[: model.n_features_in_] for row in ROWS]))
    if found is not None:
        check_probabilities(found, len(ROWS), len(model.classes_))
    return True


def _places(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [place] if place else []
    if isinstance(data, dict):
        for key, value in data.items():
            found += _places(value, (*place, key))
    elif isinstance(data, list):
        for number, value in enumerate(data[:20]):
            found += _places(value, (*place, number))
    return found


@cache
def _original_places() -> list[list[tuple[Any, ...]]]:
    return [_places(data) for _, data in _documents()]


def _change(rng: np.random.Generator, data: Any, places: list[tuple[Any, ...]]) -> None:
    """Change one of the places of a file: another value, nothing, a part of another file, an item more or less."""
    if not places:
        return
    *way, last = places[rng.integers(len(places))]
    part = data
    for step in way:
        part = part[step]
    kind = rng.integers(6)
    if kind == 0:
        del part[last]
    elif kind == 1:
        other = rng.integers(len(_documents()))
        there = _original_places()[other]
        value = _documents()[other][1]
        for step in there[rng.integers(len(there))]:
            value = value[step]
        part[last] = copy.deepcopy(value)
    elif kind == 2 and isinstance(part, list):
        part.insert(last, copy.deepcopy(part[last]))
    elif kind == 3 and isinstance(part[last], int | float):
        part[last] = part[last] * float(rng.choice([-1, 0, 2, 1e-300, 1e300])) + float(rng.choice([0, 1]))
    else:
        part[last] = copy.deepcopy(ODD_VALUES[rng.integers(len(ODD_VALUES))])


def check_untouched() -> None:
    """Spoiling a copy leaves the original alone."""
    for text, data in _documents():
        if json.loads(text) != data:
            raise FindingError("the original was changed")
