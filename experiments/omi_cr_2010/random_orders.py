"""Table 8: the OMI order against random orders."""

from pathlib import Path

import numpy as np
from compared import RANDOM_ORDER, classifiers
from data_sets import BY_COST, BY_NAME
from steps import Line, run_steps

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
