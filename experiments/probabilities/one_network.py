"""How good the probabilities of one network are: the default of bayleaf, and what it is made of left out in turn.

    python experiments/probabilities/one_network.py 13              # the sets that the default was chosen on
    python experiments/probabilities/one_network.py others          # 28 others
    python experiments/probabilities/one_network.py pima,car --models "default;NB"
    python experiments/probabilities/one_network.py 13 --table      # what the results say, without a run

Every set is run by the rules of protocol.py. A line per set and model is added to results/one_network.csv, which is
never rewritten; of several lines for the same set and model the last counts. Fits are timed in CPU seconds on one
thread.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import study

import bayleaf as bl

GRID = bl.AdaptiveQuantiles()


def network(structure: Any, parameters: Any, discretizer: Any = GRID) -> Callable[[], bl.BayesNetClassifier]:
    return lambda: bl.BayesNetClassifier(structure, parameters, discretizer, n_jobs=1)


MODELS: dict[str, Callable[[], Any]] = {
    "default": lambda: bl.BayesNetClassifier(n_jobs=1),
    "TAN as published": network(bl.TAN(), bl.TunedTables()),
    "NB": network(bl.NaiveBayes(), bl.TunedTables()),
    "KDB-1": network(bl.KDB(k=1), bl.TunedTables()),
    "FAN": network(bl.FAN(), bl.TunedTables()),
    "shrunk": network(bl.TAN(), bl.Shrinkage()),
    "MDLP": network(bl.TAN(), bl.TunedTables(), bl.MDLP()),
    "10 quantiles": network(bl.TAN(), bl.TunedTables(), bl.Quantiles(10)),
    "TAN, Dirichlet(1), MDLP": network(bl.TAN(), bl.Dirichlet(), bl.MDLP()),
}


if __name__ == "__main__":
    study.main(__doc__, MODELS, Path(__file__).parent / "results" / "one_network.csv")
