"""How good the probabilities of the pool are, and what they are with parts of it left out.

    python experiments/probabilities/pool.py 13              # the sets that the pool was developed on
    python experiments/probabilities/pool.py others          # 28 others
    python experiments/probabilities/pool.py pima,car --models "pool;one seed"
    python experiments/probabilities/pool.py 13 --table      # what the results say, without a run

A line per set and model is added to results/pool.csv: see study.py.
"""

from pathlib import Path

import study

import bayleaf as bl

MODELS = {
    "pool": lambda: bl.NetworkPool(n_jobs=1),
    "one seed": lambda: bl.NetworkPool(seeds=1, n_jobs=1),
    "three seeds": lambda: bl.NetworkPool(seeds=3, n_jobs=1),
    "one cycle": lambda: bl.NetworkPool(cycles=1, n_jobs=1),
}

if __name__ == "__main__":
    study.main(__doc__, MODELS, Path(__file__).parent / "results" / "pool.csv")
