"""Unrestricted search: risk minimisation beside its paper's run times, hill-climbing against peers, memory.

    python benchmarks/unrestricted.py [rmcv | climbing | memory] [--peers] [--data DIR]

Each run of a peer and each memory measurement has a process of its own.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from common import report

import bayleaf as bl

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[2] / "shared" / "data"))
# Data set, training rows, the limit we set ourselves, Kelner & Lerner 2012 Table 12: plain and optimised code.
RISK = {
    "letter": (16_000, 30.0, 805_094.0, 1_601_337.0),
    "kr-vs-kp": (2_557, 3.0, 5_444_150.0, 41_152.0),
    "vehicle": (677, 2.0, 111_961.0, 1_506.0),
}
CLIMBS = {"10k x 20": (10_000, 20), "50k x 40": (50_000, 40)}
STATES = 4
# Searches with a tabu list go on through some worse graphs: ours for ten moves, pyAgrum's for two.
LIBRARIES = ("bayleaf", "bayleaf, tabu=10", "pyagrum", "pyagrum, tabu list", "pgmpy")
BASE = "bayleaf, tabu=10"
SCORES = {"BDeu(1)": bl.BDeu(1.0), "BIC": bl.BIC()}


def read(data: Path, name: str) -> tuple[pl.DataFrame, np.ndarray]:
    frame = pl.read_csv(data / f"{name}.csv.gz")
    rows = np.random.default_rng(0).permutation(len(frame))
    frame = frame[rows.tolist()]
    return frame[:, :-1], frame[:, -1].to_numpy()


def encoded(data: Path, name: str, rows: int) -> bl.data.Table:
    """Return the training rows of a data set as the search sees them."""
    X, y = read(data, name)
    seen: list[bl.data.Table] = []

    class Keep:
        def learn(self, table: bl.data.Table, rng: np.random.Generator) -> bl.DAG:
            seen.append(table)
            return bl.DAG(table.names)

    bl.BayesNetClassifier(Keep(), bl.Dirichlet(), bl.MDLP()).fit(X[:rows], y[:rows])
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
        naive = bl.classifier("NBC").fit(X[:train], y[:train])
        naive_accuracy = float((naive.predict(X[train:]) == y[train:]).mean())
        speedup = optimised / seconds
        rows.append([name, train, seconds, limit, plain, optimised, round(speedup), accuracy, naive_accuracy])
    header = [
        "data",
        "training rows",
        "bayleaf s",
        "limit s",
        "paper s",
        "paper optimised s",
        "speed-up",
        "accuracy",
        "naive Bayes",
    ]
    report("RMCV (K = 4, from naive Bayes)", header, rows, "unrestricted_rmcv.csv")


def random_table(rows: int, nodes: int, seed: int = 0) -> bl.data.Table:
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
    variables = tuple(bl.data.Variable(f"v{j}", tuple(range(STATES)), None, "integer") for j in range(nodes))
    return bl.data.Table.from_codes(variables, codes[:, rng.permutation(nodes)])


def climb_once(library: str, problem: str, score: str, threads: int) -> dict[str, object]:
    """Hill-climb from no arcs, up to three times: least seconds of search and of reading the frame, CPU seconds."""
    import pandas as pd

    table = random_table(*CLIMBS[problem])
    frame = pd.DataFrame(table.codes.astype(str), columns=list(table.names))
    prepare = {"bayleaf": bayleaf_search, "pyagrum": pyagrum_search, "pgmpy": pgmpy_search}[
        library.split(",")[0]
    ]
    prepare(frame.iloc[:500], library, score, threads)()  # loads what is loaded once
    runs: list[tuple[float, float, float, object]] = []
    while len(runs) < 3 and sum(run[0] for run in runs) < 5:
        read = time.perf_counter()
        climb = prepare(frame, library, score, threads)  # anew: a learner may remember
        start, cpu = time.perf_counter(), time.process_time()
        arcs = climb()
        runs.append((time.perf_counter() - start, time.process_time() - cpu, start - read, arcs))
    seconds, cpu, _, arcs = min(runs, key=lambda run: run[0])
    return {"seconds": seconds, "cpu": cpu, "read": min(run[2] for run in runs), "arcs": arcs}


def bayleaf_search(frame: Any, library: str, score: str, threads: int) -> Callable[[], object]:
    seen: list[bl.data.Table] = []

    class Keep:
        def learn(self, table: bl.data.Table, rng: np.random.Generator) -> bl.DAG:
            seen.append(table)
            return bl.DAG(table.names)

    bl.BayesNetClassifier(Keep(), bl.Dirichlet(), bl.MDLP(), n_jobs=threads).fit(
        frame.iloc[:, :-1], frame.iloc[:, -1]
    )
    learner = bl.HillClimbing(SCORES[score], tabu=10 if library.endswith("10") else 0)
    return lambda: learner.learn(seen[0], np.random.default_rng(0)).arcs


def pyagrum_search(frame: Any, library: str, score: str, threads: int) -> Callable[[], object]:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(threads)
    if score == "BIC":
        learner.useScoreBIC()
    else:
        learner.useScoreBDeu()
    if library.endswith("list"):
        learner.useLocalSearchWithTabuList()
    else:
        learner.useGreedyHillClimbing()
    return lambda: [[frame.columns[a], frame.columns[b]] for a, b in learner.learnDAG().arcs()]


def pgmpy_search(frame: Any, library: str, score: str, threads: int) -> Callable[[], object]:
    warnings.simplefilter("ignore")
    from pgmpy.estimators import BIC, BDeu, HillClimbSearch

    judge = BIC(frame) if score == "BIC" else BDeu(frame, equivalent_sample_size=1)
    search = HillClimbSearch(frame)
    return lambda: [list(arc) for arc in search.estimate(judge, show_progress=False).edges()]


def climbing(peers: bool, patience: float, problems: list[str], score: str, threads: list[int]) -> None:
    rows: list[list[object]] = []
    for problem, n in [(problem, n) for problem in problems for n in threads]:
        table = random_table(*CLIMBS[problem])
        found: dict[str, dict[str, Any]] = {}
        for library in LIBRARIES if peers else LIBRARIES[:2]:
            if library == "pgmpy" and n > 1:
                continue  # has no threads
            command = [sys.executable, __file__, "--once", library, problem, score, str(n)]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=patience)
            except subprocess.TimeoutExpired:
                rows.append([problem, n, library, f"> {patience:.0f}", *["-"] * 6])
                continue
            found[library] = json.loads(answer.stdout.splitlines()[-1])
        for library, run in found.items():
            # One function values the graphs of all libraries.
            dag = bl.DAG(table.names, [tuple(arc) for arc in run["arcs"]])
            value = SCORES[score].score(table, dag)
            ratios = [run[what] / found[BASE][what] for what in ("seconds", "cpu")]
            figures = [run["seconds"], run["cpu"], run["read"], *ratios, len(run["arcs"]), f"{value:.1f}"]
            rows.append([problem, n, library, *figures])
    header = [
        "rows x nodes",
        "threads",
        "library",
        "seconds",
        "CPU s",
        "reading s",
        f"times {BASE}",
        "times its CPU",
        "arcs",
        score,
    ]
    file = f"unrestricted_climbing_{score.split('(')[0].lower()}.csv"
    report(f"Hill-climbing from no arcs with {score}, 4 states", header, rows, file)


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
    parser.add_argument("--problems", nargs="+", default=list(CLIMBS), help="of hill-climbing")
    parser.add_argument("--threads", nargs="+", type=int, default=[1], help="of hill-climbing")
    parser.add_argument("--scores", nargs="+", default=list(SCORES), help="of hill-climbing")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--once", nargs=4, help=argparse.SUPPRESS)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        print(json.dumps(climb_once(*given.once[:3], int(given.once[3]))))
    elif given.memory_of:
        print(json.dumps(memory_once(given.data, given.memory_of)))
    else:
        if "rmcv" in given.what:
            risk(given.data)
        if "climbing" in given.what:
            for score in given.scores:
                climbing(given.peers, given.patience, given.problems, score, given.threads)
        if "memory" in given.what:
            memory(given.data)


if __name__ == "__main__":
    main()
