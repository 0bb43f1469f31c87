"""What could make our figures differ from the paper's, each measured on the sets that have a test set."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from compared import TRAINED_INSIDE, classifiers
from data_sets import BY_NAME, FIXED, Data
from encoding import training_table
from steps import Line, run_steps

import bayleaf as bl
from bayleaf.benchmark import CrossValidation
from bayleaf.counts import ClassPartition
from bayleaf.learn.structure.order_based import omi

METHODS = ("NB-ML", "TAN-CMI-ML", "TAN-OMI-CR-ML", "TAN-CR-ML")
SUPERPARENTS = ("TAN-SuperParent-ML", "TAN-SuperParent-CL", "2-tree-SuperParent-ML")
ORDERS = ("TAN-RO-CR-ML", "TAN-OMISP-CR-ML", "TAN-OCR-CR-ML")
SPLITS = 20
FOLDS = 10
SEEDS = 10
# Cross-validated sets on which figures are furthest from the paper's.
SMALL = ("GLASS", "GLASS2", "HEPATITIS", "LYMPHOGRAPHY")
TAILS = 20
ITERATIONS = (0, 1, 2, 5, 10, 20, 50, 100, 200)
ITERATIONS_INSIDE = (0, 1, 3, 10, 30)  # 30 is what the method has
SMOOTHING = {
    "epsilon 1e-3": bl.MaximumLikelihood(1e-3),
    "epsilon 1e-5 (the paper)": bl.MaximumLikelihood(1e-5),
    "epsilon 1e-8": bl.MaximumLikelihood(1e-8),
    "Laplace": bl.Laplace(),
    "Dirichlet(1)": bl.Dirichlet(1.0),
}
CUTS = {
    "MDLP (the paper)": bl.MDLP(),
    "equal width, 10": bl.EqualWidth(10),
    "quantiles, 5": bl.Quantiles(5),
    "quantiles, 10": bl.Quantiles(10),
}


def run_checks(results: Path, only: tuple[str, ...] = (), first: int | None = None) -> None:
    """Measure every variant; a line says over how many runs, and how far they lie apart."""

    def work(check: str, dataset: str, variant: str, method: str) -> list[Line]:
        accuracy = np.array(list(CHECKS[check](dataset, variant, method)))
        deviation = accuracy.std(ddof=1) if len(accuracy) > 1 else 0.0
        values = {
            "accuracy": accuracy.mean(),
            "deviation": deviation,
            "lowest": accuracy.min(),
            "highest": accuracy.max(),
        }
        return [{"runs": len(accuracy), **{name: round(float(value), 5) for name, value in values.items()}}]

    steps = [step for step in _steps() if not only or step["dataset"] in only]
    run_steps(results / "checks.csv", "Checks", steps, work, first)


def _steps() -> Iterator[dict[str, str]]:
    numeric = [name for name in FIXED if name != "CHESS"]
    for check, datasets, variants, methods in (
        ("split", FIXED, (f"{SPLITS} random splits",), METHODS),
        ("split", ("CHESS", "SATIMAGE", "SEGMENT"), (f"{SPLITS} random splits",), ("NB-CL",)),
        ("split", ("CHESS", "SEGMENT"), (f"{SPLITS} random splits",), SUPERPARENTS),
        ("split", ("CHESS",), (f"{SPLITS} random splits",), ORDERS),
        ("seeds", ("CHESS", "SEGMENT"), (f"{SEEDS} seeds",), ("2-tree-SuperParent-ML", "2-tree-OMI-CR-ML")),
        ("folds", SMALL, (f"{FOLDS} times other folds", f"{FOLDS} times other folds, Laplace"), METHODS[:3]),
        ("smoothing", FIXED, tuple(SMOOTHING), METHODS[:3]),
        ("cuts", numeric, tuple(CUTS), METHODS[:3]),
        ("ties", FIXED, (f"{TAILS} orders of equals",), ("TAN-OMI-CR-ML",)),
        ("first arc", FIXED, ("always (the paper)", "tested"), ("TAN-OMI-CR-ML",)),
        ("iterations", FIXED, tuple(str(n) for n in ITERATIONS), ("NB-CL",)),
        ("iterations inside", FIXED, tuple(str(n) for n in ITERATIONS_INSIDE), TRAINED_INSIDE),
    ):
        for dataset in datasets:
            for variant in variants:
                for method in methods:
                    yield {"check": check, "dataset": dataset, "variant": variant, "method": method}


@cache
def _load(dataset: str) -> Data:
    return BY_NAME[dataset].load()


def _accuracy(dataset: str, model: Any, order: np.ndarray | None = None) -> float:
    """Test accuracy on the split of the experiment, or on one of the rows in another order."""
    X, y = _load(dataset)
    if order is not None:
        X, y = X[order], y[order]
    training = BY_NAME[dataset].training
    return float(model.fit(X[:training], y[:training]).score(X[training:], y[training:]))


def _classifier(method: str, random_state: int = 0, **settings: Any) -> Any:
    (model,) = classifiers((method,), random_state=random_state, n_jobs=1, **settings).values()
    return model


def _splits(dataset: str, variant: str, method: str) -> Iterator[float]:
    """Other rows for training, as many as before; a random order of the features is another one each time."""
    rows = len(_load(dataset)[1])
    for seed in range(SPLITS):
        model = _classifier(method, random_state=seed if "-RO-" in method else 0)
        yield _accuracy(dataset, model, np.random.default_rng([1, seed]).permutation(rows))


def _seeds(dataset: str, variant: str, method: str) -> Iterator[float]:
    """Divide the training rows otherwise, for the cross-validation inside the search."""
    for seed in range(SEEDS):
        yield _accuracy(dataset, _classifier(method, random_state=seed))


def _folds(dataset: str, variant: str, method: str) -> Iterator[float]:
    """Repeat the cross-validation with other folds."""
    X, y = _load(dataset)
    settings = {"parameters": bl.Laplace()} if "Laplace" in variant else {}
    for seed in range(FOLDS):
        protocol = CrossValidation(folds=5, stratified=True, seed=seed)
        splits = [protocol.split(np.asarray(y), *cell) for cell in protocol.cells]
        models = [_classifier(method, **settings).fit(X[split.train], y[split.train]) for split in splits]
        pairs = zip(models, splits, strict=True)
        yield float(np.mean([model.score(X[split.test], y[split.test]) for model, split in pairs]))


def _smoothing(dataset: str, variant: str, method: str) -> Iterator[float]:
    yield _accuracy(dataset, _classifier(method, parameters=SMOOTHING[variant]))


def _cuts(dataset: str, variant: str, method: str) -> Iterator[float]:
    yield _accuracy(dataset, _classifier(method, discretizer=CUTS[variant]))


def _ties(dataset: str, variant: str, method: str) -> Iterator[float]:
    """Shuffle the end of the OMI order, where no feature tells anything more about the class."""
    X, y = _load(dataset)
    training = BY_NAME[dataset].training
    order, told = omi_order(training_table(X[:training], y[:training]))
    for seed in range(TAILS):
        tail = np.random.default_rng(seed).permutation(order[told:]).tolist()
        learner = bl.OrderBased([*order[:told], *tail])
        yield _accuracy(dataset, _classifier(method, structure=learner))


def omi_order(table: bl.data.Table) -> tuple[list[str], int]:
    """Return the order, and how many features come before the first that tells nothing more about the class."""
    order = [table.features[k] for k in omi(table, np.random.default_rng(0))]
    partition = ClassPartition(table)
    told = 0
    while told < len(order) and partition.information([order[told]])[0] > 1e-12:
        partition.divide(order[told])
        told += 1
    return [table.names[j] for j in order], told


def _first_arc(dataset: str, variant: str, method: str) -> Iterator[float]:
    yield _accuracy(dataset, _classifier(method, structure__first_arc=variant.split()[0]))


def _iterations(dataset: str, variant: str, method: str) -> Iterator[float]:
    learner = bl.ConditionalLikelihood(max_iter=int(variant), stopping="converged")
    yield _accuracy(dataset, _classifier(method, parameters=learner))


def _iterations_inside(dataset: str, variant: str, method: str) -> Iterator[float]:
    """Train each candidate of the search for a longer or a shorter time."""
    yield _accuracy(dataset, _classifier(method, structure__score__parameters__max_iter=int(variant)))


CHECKS: dict[str, Callable[[str, str, str], Iterator[float]]] = {
    "split": _splits,
    "seeds": _seeds,
    "folds": _folds,
    "smoothing": _smoothing,
    "cuts": _cuts,
    "ties": _ties,
    "first arc": _first_arc,
    "iterations": _iterations,
    "iterations inside": _iterations_inside,
}
