"""Tables to learn from in memory and in batches, and what it means that the models are the same."""

import datetime as dt
import warnings

import numpy as np
import polars as pl

import bayleaf as bl

ROWS = 400


def labels_frame(seed: int = 0, gaps: float = 0.1) -> pl.DataFrame:
    """Columns of labels that depend on the class; the last one is it."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, ROWS)
    columns = {}
    for j in range(5):
        values = np.where(rng.random(ROWS) < 0.6, y, rng.integers(0, 3, ROWS))
        texts = np.array(["a", "b", "c"], dtype=object)[values]
        texts[rng.random(ROWS) < gaps * (1 + (y == j % 3))] = None
        columns[f"x{j}"] = texts.tolist()
    columns["flag"] = rng.random(ROWS) < 0.3 + 0.2 * y
    columns["ward"] = [f"ward {k}" for k in np.where(rng.random(ROWS) < 0.5, y, rng.integers(0, 40, ROWS))]
    columns["class"] = np.array(["no", "perhaps", "yes"])[y]
    return pl.DataFrame(columns)


def mixed_frame(seed: int = 1) -> pl.DataFrame:
    """Labels, numbers, whole numbers of few values, dates."""
    rng = np.random.default_rng(seed)
    frame = labels_frame(seed)
    y = frame["class"].to_physical().to_numpy()
    y = np.unique(y, return_inverse=True)[1]
    numbers = rng.normal(size=ROWS) + y
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(k)) for k in 100 * y + rng.integers(0, 400, ROWS)]
    return frame.drop("ward").with_columns(
        pl.Series("length", np.where(rng.random(ROWS) < 0.1, np.nan, numbers)).fill_nan(None),
        pl.Series("rooms", rng.integers(1, 5, ROWS)),
        pl.Series("born", days),
    )


def same_model(one, other) -> None:
    assert one.schema_ == other.schema_
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.network_.dag == other.network_.dag
    for found, expected in zip(one.network_.tables, other.network_.tables, strict=True):
        np.testing.assert_array_equal(found, expected)


def counting(structure=None, parameters=None, **settings) -> bl.BayesNetClassifier:
    structure = bl.TAN() if structure is None else structure
    parameters = bl.Shrinkage() if parameters is None else parameters
    return bl.BayesNetClassifier(structure, parameters, n_jobs=1, **settings)


def fitted(frame, clf, weight=None):
    weights = None if weight is None else frame[weight].to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.fit(frame.drop(["class", *([] if weight is None else [weight])]), frame["class"], weights)
