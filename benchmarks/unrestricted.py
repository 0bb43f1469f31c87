"""Unrestricted search: risk minimisation beside its paper's run times, hill-climbing against peers, memory.

    python benchmarks/unrestricted.py [rmcv | climbing | memory] [--peers] [--data DIR]

Each run of a peer and each memory measurement has a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from common import report

import bayleaf as bl

DATA = Path(__file__).parents[2] / "shared" / "data"
# Data set, training rows, the limit we set ourselves, Kelner & Lerner 2012 Table 12: plain and optimised code.
RISK = {
    "letter": (16_000, 30.0, 805_094.0, 1_601_337.0),
    "kr-vs-kp": (2_557, 3.0, 5_444_150.0, 41_152.0),
    "vehicle": (677, 2.0, 111_961.0, 1_506.0),
}
CLIMBS = {"10k x 20": (10_000, 20), "50k x 40": (50_000, 40)}
STATES = 4


def read(data: Path, name: str) -> tuple[pl.DataFrame, np.ndarray]:
    frame = pl.read_csv(data / f"{name}.csv.gz")
    rows = np.random.default_rng(0).permutation(len(frame))
    frame = frame[rows.tolist()]
    return frame[:, :-1], frame[:, -1].to_numpy()


def encoded(data: Path, name: str, rows: int) -> bl.Table:
    """Return the training rows of a data set as the search sees them."""
    X, y = read(data, name)
    seen: list[bl.Table] = []

    class Keep:
        def learn(self, table: bl.Table, rng: np.random.Generator) -> bl.DAG:
            seen.append(table)
            return bl.DAG(table.names)

    bl.BayesNetClassifier(Keep()).fit(X[:rows], y[:rows])
    return seen[0]


def risk(data: Path) -> None:
    rows: list[list[object]] = []
    for name, (train, limit, plain, optimised) in RISK.items():
        X, y = read(data, name)
        clf = bl.classifier("RMCV(NBC)", random_state=0)
        start = time.perf_counter()
        clf.fit(X[:train], y[:train])
        seconds = time.perf_counter() - start
        accuracy = float((clf.predict(X[train:]) == y[train:]).mean())
        speedup = optimised / seconds
        rows.append([name, train, seconds, limit, plain, optimised, round(speedup), accuracy])
    header = [
        "data",
        "training rows",
        "bayleaf s",
        "limit s",
        "paper s",
        "paper optimised s",
        "speed-up",
        "accuracy",
    ]
    report("RMCV (K = 4, from naive Bayes)", header, rows, "unrestricted_rmcv.csv")


def random_table(rows: int, nodes: int, seed: int = 0) -> bl.Table:
    """Rows of a random network with up to three parents per node, columns shuffled."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, nodes), dtype=np.int64)
    for j in range(nodes):
        parents = rng.choice(j, min(j, int(rng.integers(0, 4))), replace=False) if j else []
        cells = np.zeros(rows, dtype=np.int64)
        for p in parents:
            cells = cells * STATES + codes[:, p]
        steps = rng.dirichlet(np.full(STATES, 0.5), size=STATES ** len(parents)).cumsum(axis=1)[cells]
        codes[:, j] = np.minimum((rng.random(rows)[:, None] > steps).sum(axis=1), STATES - 1)
    variables = tuple(bl.Variable(f"v{j}", tuple(range(STATES)), None, "integer") for j in range(nodes))
    return bl.Table.from_codes(variables, codes[:, rng.permutation(nodes)])


def climb_once(library: str, problem: str) -> dict[str, object]:
    """Hill-climb once from no arcs with BDeu(1); seconds without reading data, and arcs."""
    table = random_table(*CLIMBS[problem])
    if library == "bayleaf":
        learner = bl.HillClimbing(bl.BDeu(1.0))
        learner.learn(table.take(np.arange(200)), np.random.default_rng(0))  # loads what is loaded once
        start = time.perf_counter()
        arcs = learner.learn(table, np.random.default_rng(0)).arcs
        return {"seconds": time.perf_counter() - start, "arcs": arcs}
    import pandas as pd

    frame = pd.DataFrame(table.codes.astype(str), columns=list(table.names))
    if library == "pyagrum":
        import pyagrum

        learner = pyagrum.BNLearner(frame)
        learner.useScoreBDeu()
        learner.useGreedyHillClimbing()
        start = time.perf_counter()
        found = learner.learnDAG()
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "arcs": [[table.names[a], table.names[b]] for a, b in found.arcs()]}
    warnings.simplefilter("ignore")
    from pgmpy.estimators import BDeu, HillClimbSearch

    search = HillClimbSearch(frame)
    start = time.perf_counter()
    found = search.estimate(BDeu(frame, equivalent_sample_size=1), show_progress=False)
    return {"seconds": time.perf_counter() - start, "arcs": [list(arc) for arc in found.edges()]}


def climbing(peers: bool, patience: float) -> None:
    rows: list[list[object]] = []
    for problem, size in CLIMBS.items():
        table = random_table(*size)
        ours: float | None = None
        for library in ("bayleaf", "pyagrum", "pgmpy") if peers else ("bayleaf",):
            command = [sys.executable, __file__, "--once", library, problem]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
            except subprocess.TimeoutExpired:
                rows.append([problem, library, f"> {patience:.0f}", f"> {patience / ours:.0f}", "-", "-"])
                continue
            found = json.loads(answer.stdout.splitlines()[-1])
            ours = found["seconds"] if library == "bayleaf" else ours
            score = bl.BDeu(1.0).score(table, bl.DAG(table.names, [tuple(arc) for arc in found["arcs"]]))
            rows.append(
                [
                    problem,
                    library,
                    found["seconds"],
                    found["seconds"] / ours,
                    len(found["arcs"]),
                    f"{score:.1f}",
                ]
            )
    header = ["rows x nodes", "library", "seconds", "times bayleaf", "arcs", "BDeu(1)"]
    report("Hill-climbing with BDeu, 4 states", header, rows, "unrestricted_climbing.csv")


def memory_once(data: Path, name: str) -> dict[str, float]:
    table = encoded(data, name, RISK[name][0])
    learner = bl.HillClimbing(bl.CrossValidatedRisk(), "naive")
    learner.learn(table.take(np.arange(500)), np.random.default_rng(0))
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    learner.learn(table, np.random.default_rng(0))
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
    log_joint = 8 * table.n_rows * int(table.arities[table.target])
    return {"extra": peak - before, "log_joint": log_joint, "table": table.codes.nbytes}


def memory(data: Path) -> None:
    rows: list[list[object]] = []
    for name in RISK:
        command = [sys.executable, __file__, "--memory-of", name, "--data", str(data)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = json.loads(answer.splitlines()[-1])
        limit = 2 * found["log_joint"] + found["table"]
        rows.append(
            [
                name,
                found["extra"] / 1e6,
                found["log_joint"] / 1e6,
                found["table"] / 1e6,
                found["extra"] / limit,
            ]
        )
    header = ["data", "peak MB", "log-joint MB", "table MB", "peak / (2 x log-joint + table)"]
    report("Peak memory of an RMCV search on top of its table", header, rows, "unrestricted_memory.csv")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", default=["rmcv", "climbing", "memory"])
    parser.add_argument("--peers", action="store_true", help="run pyAgrum and pgmpy beside bayleaf")
    parser.add_argument("--patience", type=float, default=900.0, help="seconds after which a peer is stopped")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--once", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        print(json.dumps(climb_once(*given.once)))
    elif given.memory_of:
        print(json.dumps(memory_once(given.data, given.memory_of)))
    else:
        if "rmcv" in given.what:
            risk(given.data)
        if "climbing" in given.what:
            climbing(given.peers, given.patience)
        if "memory" in given.what:
            memory(given.data)


if __name__ == "__main__":
    main()
