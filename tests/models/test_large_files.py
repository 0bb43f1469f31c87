"""A model that makes a large file says which column is the reason, before the file is written."""

import json
import warnings

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.models import model_file
from bayleaf.models.model_file import foreseen_size, why_large

ROWS = 3_000
RNG = np.random.default_rng(0)
CODES = np.stack([RNG.integers(0, states, ROWS) for states in (400, 60, 3)], axis=1)
Y = CODES[:, 1] % 3  # so that something is learned
X = np.char.add("c", CODES.astype(str))
MODELS = {
    "network": bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage()),
    "averaged": bl.AveragedClassifier(),
    "bagged": bl.BaggedClassifier(n_estimators=2, random_state=0),
    "pool": bl.NetworkPool(cycles=1, seeds=1),
}
# Files of these models have some hundred kilobytes.
LIMITS = {"LARGE_FILE": 80_000, "SMALL_FILE": 75_000}


@pytest.fixture
def small_limits(monkeypatch):
    for name, value in LIMITS.items():
        monkeypatch.setattr(model_file, name, value)


@pytest.mark.parametrize("name", MODELS)
def test_the_size_is_foreseen(name, tmp_path, small_limits):
    model, path = MODELS[name].fit(X, Y), tmp_path / "model.json"
    with pytest.warns(
        UserWarning, match=r"model\.json' will be large: about .* The column 'x0' has 4\d\d states: leave"
    ):
        model.save(path)
    assert 0.6 < foreseen_size(model)[0] / path.stat().st_size < 1.6


def test_what_it_says(small_limits):
    model = MODELS["network"].fit(X, Y)
    cells = sum(table.size for table in model.network_.tables)
    assert why_large(model).endswith(
        f"with {cells:,} numbers, 1,200 of them in the table of 'x0'. The column 'x0' has 400 states: leave it out, "
        "pool rare categories (max_categories), or use fewer parents or networks."
    )


def test_usual_models_say_nothing(tmp_path):
    for model in MODELS.values():
        assert why_large(model.fit(X, Y)) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["format"] == "bayleaf"


def test_it_is_said_before_the_file_is_written(tmp_path, small_limits):
    """Whoever turns warnings into errors gets no file."""
    model = MODELS["network"].fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="will be large"):
            model.save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_ten_times_the_training_table(monkeypatch):
    monkeypatch.setattr(model_file, "SMALL_FILE", 75_000)
    model = MODELS["network"].fit(X[:200], Y[:200])
    table = 200 * 3 * 8
    found = why_large(model)
    times = float(found.split(" times its training table")[0].split()[-1].replace(",", ""))
    assert times * table == pytest.approx(foreseen_size(model)[0], rel=0.1)
    monkeypatch.setattr(model_file, "MOST_TABLES", times * 1.1)
    assert why_large(model) is None
