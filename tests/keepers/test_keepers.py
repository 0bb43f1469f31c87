"""Where people keep models: skops files and MLflow give back the same probabilities (``make test-keepers``)."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.models import trusted_types

X, Y = load_iris(return_X_y=True)
MODELS = [
    bl.BayesNetClassifier(),
    bl.BayesNetClassifier(bl.KDB(k=2), bl.Laplace(), bl.MDLP()),
    bl.NetworkPool(cycles=1, seeds=1),
    bl.AveragedClassifier(),
    bl.BaggedClassifier(n_estimators=2, random_state=0),
]


def gapped() -> np.ndarray:
    rows = X.copy()
    rows[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return rows


def double(x: float) -> float:
    return 2 * x


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_skops_file_gives_back_the_model(model: Any, tmp_path: Path) -> None:
    skops = pytest.importorskip("skops.io", reason="skops is not installed: make test-keepers")
    model.fit(gapped(), Y)
    skops.dump(model, tmp_path / "model.skops")
    types = trusted_types(tmp_path / "model.skops")
    assert types == trusted_types(model)
    with pytest.raises(Exception, match="Untrusted types"):
        skops.load(tmp_path / "model.skops")
    back = skops.load(tmp_path / "model.skops", trusted=types)
    assert (back.predict_proba(gapped()) == model.predict_proba(gapped())).all()
    assert (back.scorer()(X[0].tolist()) == model.scorer()(X[0].tolist())).all()


def test_what_is_not_of_bayleaf_is_not_trusted() -> None:
    pytest.importorskip("skops.io", reason="skops is not installed: make test-keepers")
    model = bl.BayesNetClassifier().fit(X, Y)
    model.helper = double
    with pytest.raises(ValueError, match=r"Not of bayleaf: .*double"):
        trusted_types(model)


@pytest.mark.parametrize("model", MODELS[:3], ids=lambda model: type(model).__name__)
def test_mlflow_gives_back_the_model(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-keepers")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    model.fit(X, Y)
    with mlflow.start_run():
        logged = mlflow.sklearn.log_model(model, name="model", skops_trusted_types=trusted_types(model))
    back = mlflow.sklearn.load_model(logged.model_uri)
    assert (back.predict_proba(X) == model.predict_proba(X)).all()
    assert (mlflow.pyfunc.load_model(logged.model_uri).predict(X) == model.predict(X)).all()
