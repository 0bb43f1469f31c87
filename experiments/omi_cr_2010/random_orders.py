"""Table 8 and Figure 7: the OMI order against random orders."""

from pathlib import Path

import numpy as np
from compared import RANDOM_ORDER, classifiers
from data_sets import BY_COST, BY_NAME
from steps import Line, run_steps

import bayleaf as bl
import datafolder

ORDERS = 100


def run_random_orders(results: Path, only: tuple[str, ...], orders: int = ORDERS) -> None:
    """Training and test accuracy of TAN-RO-CR-ML for a number of orders per fold."""

    def work(dataset: str) -> list[Line]:
        data = BY_NAME[dataset]
        X, y = data.load()
        labels = np.asarray(y)
        lines: list[Line] = []
        for fold, cell in enumerate(data.protocol.cells):
            split = data.protocol.split(labels, *cell)
            for order in range(orders):
                (model,) = classifiers((RANDOM_ORDER,), random_state=order, n_jobs=1).values()
                model.fit(X[split.train], y[split.train])
                right = [
                    int((model.predict(X[rows]) == labels[rows]).sum()) for rows in (split.train, split.test)
                ]
                lines.append(
                    {
                        "fold": fold,
                        "order": order,
                        "training_right": right[0],
                        "test_right": right[1],
                        "test_rows": len(split.test),
                    }
                )
        return lines

    chosen = [{"dataset": each.paper} for each in BY_COST if not only or each.paper in only]
    run_steps(results / "random_orders.csv", "Random orders", chosen, work)


def run_figure_7(results: Path, only: tuple[str, ...], orders: int = ORDERS) -> None:
    """Training CLL of trees by the OMI order, the least order and random ones; parents by CL, tables by ML.

    The rows are the training rows of the split, of cross-validated sets those of the first fold.
    """

    def work(dataset: str) -> list[Line]:
        data = BY_NAME[dataset]
        X, y = data.load()
        train = data.protocol.split(np.asarray(y), *data.protocol.cells[0]).train
        X, y = X[train], y[train]
        classes = np.unique(np.asarray(y), return_inverse=True)[1]
        lines: list[Line] = []
        for kind, seed in (("omi", 0), ("least", 0), *(("random", seed) for seed in range(orders))):
            model = bl.BayesNetClassifier(
                bl.OrderBased(kind, score=bl.ConditionalLogLikelihood()),
                bl.MaximumLikelihood(),
                random_state=seed,
                n_jobs=1,
                **datafolder.BY_MDLP,
            ).fit(X, y)
            cll = model.predict_log_proba(X)[np.arange(len(classes)), classes].sum()
            lines.append({"rows": len(classes), "order": kind, "seed": seed, "cll": round(float(cll), 3)})
        return lines

    chosen = [{"dataset": each.paper} for each in BY_COST if not only or each.paper in only]
    run_steps(results / "figure7.csv", "Figure 7", chosen, work)
