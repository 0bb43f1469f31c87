"""Discriminative structure and parameters: searches in seconds beside their floors, kernel rates, CL training.

Floor of a search: candidates x rows x classes over the rate of a bare add-and-argmax loop over the same memory, on
all cores. (The kernel can go below it: rows that no candidate can turn are decided without looking at every class.)

Floor of a candidate in the kernel, per row: counting reads one code per column of the family and writes a cell number
(4 bytes) that judging reads again. Errors read a margin (8 bytes) and one number of the table; the log-joint only
where these leave the row open. Log-losses read 8 bytes per class, as the bare loops do, for one multiplication;
exponentials are taken once per row and class for all candidates of a node, and once per cell of each table.

    python benchmarks/discriminative.py [kernel] [search] [search-mnist] [greedy-mnist] [parameters]
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from common import best_seconds, report
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import bayleaf as bl
from bayleaf.learn.parameters.conditional_objective import Objective
from bayleaf.learn.search import evaluator_at

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[2] / "shared" / "data"))
TRAINING_ROWS = {"letter": 15_000, "satimage": 4435}
CORES = len(os.sched_getaffinity(0))
LETTER_SEARCHES = [
    "TAN-CMI",
    "TAN-OMI-CR",
    "TAN-OMI-CR-Ext",
    "TAN-SuperParent",
    "TAN-CR",
    "2-tree-OMI-CR",
    "2-tree-CR",
]
# Relative run-times of Table 4 of Pernkopf & Bilmes 2010 (MNIST; UCI mean), in per cent of TAN-CR.
PUBLISHED = {"TAN-CMI": "0.21 / 0.649", "TAN-OMI-CR": "2.23 / 3.155", "TAN-CR": "100"}


def encoded(name: str) -> bl.data.Table:
    """Training rows of a data set, cut by MDLP as every classifier would."""
    if name == "mnist14":
        arrays = np.load(DATA / "mnist14.npz")
        X, y = arrays["X"][:60_000].astype(np.float64), arrays["y"][:60_000].astype(np.int64)
    else:
        frame = pl.read_csv(DATA / f"{name}.csv.gz", infer_schema_length=None).head(TRAINING_ROWS[name])
        X, y = frame[:, :-1].to_numpy().astype(np.float64), frame[:, -1].cast(pl.String).to_numpy()
    labels, codes = np.unique(y, return_inverse=True)
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet(), bl.MDLP()).fit(X, y)
    features = model.encode(X)
    variables = (*features.variables, model.schema_.target)
    assert len(labels) == variables[-1].arity
    return bl.data.Table.from_codes(
        variables, np.column_stack([features.codes, codes]), target=len(features.variables)
    )


def naive(table: bl.data.Table) -> bl.DAG:
    target = table.names[-1]
    return bl.DAG(table.names, [(target, name) for name in table.names[:-1]])


def best_cpu_seconds(action: Callable[[], object], repeats: int) -> float:
    """Like best_seconds, in processor time: other work on the machine does not count."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def bare_loop(*options: str) -> ctypes.CDLL:
    source = Path(__file__).with_name("bare_loop.cpp")
    library = Path(tempfile.mkdtemp()) / "bare_loop.so"
    command = ["g++", "-O3", "-march=native", *options, "-shared", "-fPIC", "-o", library, source, "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def bare_rate(table: bl.data.Table, parent: int, node: int, *, exponentials: bool = False) -> float:
    """(row x class) exchanges per second of a bare loop on one core."""
    classes, rows = int(table.arities[-1]), table.n_rows
    log_joint = np.random.default_rng(0).normal(size=(rows, classes))
    position = (
        table.codes[:, parent].astype(np.uint32) * int(table.arities[node]) + table.codes[:, node]
    ).astype(np.uint32)
    terms = np.random.default_rng(1).normal(size=(int(position.max()) + 1, classes))
    truth = np.ascontiguousarray(table.codes[:, -1]).astype(np.uint8)
    function = bare_loop("-ffast-math").add_and_logsumexp if exponentials else bare_loop().add_and_argmax
    arguments = [ctypes.c_void_p(a.ctypes.data) for a in (log_joint, terms, position, truth)]

    def forty_times() -> None:
        for _ in range(40):
            function(*arguments, ctypes.c_size_t(rows), ctypes.c_size_t(classes))

    return 40 * rows * classes / best_cpu_seconds(forty_times, 7)


def kernel_rows(name: str) -> list[list[object]]:
    table = replace(encoded(name), n_jobs=1)
    target, node = table.n_variables - 1, int(np.argmax(table.arities[:-1] > 1))
    parents = [j for j in range(target) if j != node and table.arities[j] > 1][:40]
    sets = [(parent, target) for parent in parents]
    bare, bare_sums = (bare_rate(table, parents[0], node, exponentials=some) for some in (False, True))
    rows: list[list[object]] = []
    for label, score in (
        ("CR", bl.ClassificationRate()),
        ("5-fold risk", bl.CrossValidatedRisk(folds=5)),
        ("CLL", bl.ConditionalLogLikelihood()),
    ):
        evaluator = evaluator_at(score, table, naive(table), np.random.default_rng(0))
        # As many calls as take a tenth of a second, or so.
        calls = max(1, int(2e8 / (len(sets) * table.n_rows * int(table.arities[-1]))))

        def some_calls(evaluator: Any = evaluator, calls: int = calls) -> None:
            for _ in range(calls):
                evaluator.scores(node, sets)

        seconds = best_cpu_seconds(some_calls, 7) / calls
        rate = len(sets) * table.n_rows * int(table.arities[-1]) / seconds
        sums = [bare_sums / 1e9, rate / bare_sums] if label == "CLL" else ["", ""]
        rows.append([name, label, rate / 1e9, bare / 1e9, rate / bare, *sums])
    return rows


def run_kernel() -> None:
    rows = [row for name in ("letter", "satimage", "mnist14") for row in kernel_rows(name)]
    header = [
        "data",
        "score",
        "1e9 exchanges/s/core",
        "bare add-and-argmax",
        "ratio",
        "bare add-and-logsumexp",
        "its ratio",
    ]
    report(
        "Candidates kernel, no early abandonment, counting included",
        header,
        rows,
        "discriminative_kernel.csv",
    )


def candidates(method: str, features: int) -> int:
    """Families that a search judges at most, on a table with so many features."""
    n = features
    if method.startswith("TAN-OMI"):
        return n * (n - 1) // 2 * (3 if method.endswith("Ext") else 1)
    if method == "2-tree-OMI-CR":
        return sum(j + j * (j - 1) // 2 for j in range(1, n))
    if method == "TAN-CR":
        return n * (n - 1) * (n - 1) // 2
    return 0


def search_rows(name: str, methods: list[str]) -> list[list[object]]:
    table = encoded(name)
    features, classes = table.n_variables - 1, int(table.arities[-1])
    rate = bare_rate(table, 0 if table.arities[0] > 1 else features // 2, features // 2 + 1) * CORES
    seconds: dict[str, float] = {}
    rows: list[list[object]] = []
    for method in methods:
        learner = bl.classifier(method).structure
        runs = [timed(learner, table) for _ in range(1 if name == "mnist14" else 3)]
        seconds[method], cpu, dag = min(runs, key=lambda run: run[0])
        accuracy = evaluator_at(bl.ClassificationRate(), table, dag, np.random.default_rng(0)).value
        count = candidates(method, features)
        floor = count * table.n_rows * classes / rate if count else ""
        greedy = seconds.get("TAN-CR")
        share = f"{100 * seconds[method] / greedy:.3g}" if greedy else ""
        published = PUBLISHED.get(method, "")
        rows.append([name, method, seconds[method], cpu, floor, share, published, accuracy])
        print(rows[-1], flush=True)
    return rows


def timed(learner: Any, table: bl.data.Table) -> tuple[float, float, bl.DAG]:
    """Return the seconds and the CPU seconds of a search, and what it found."""
    start, cpu = time.perf_counter(), time.process_time()
    dag = learner.learn(table, np.random.default_rng(0))
    return time.perf_counter() - start, time.process_time() - cpu, dag


HEADER = [
    "data",
    "search",
    "seconds",
    "CPU s",
    "floor s",
    "% of TAN-CR",
    "paper: MNIST / UCI",
    "training accuracy",
]


def run_search() -> None:
    methods = ["TAN-CR", *(m for m in LETTER_SEARCHES if m != "TAN-CR")]
    rows = [row for name in ("letter", "satimage") for row in search_rows(name, methods)]
    report("Structure search on encoded data", HEADER, rows, "discriminative_search.csv")


def run_search_mnist() -> None:
    rows = search_rows("mnist14", ["TAN-CMI", "TAN-OMI-CR"])
    report("Structure search on encoded data: MNIST-14", HEADER, rows, "discriminative_search_mnist.csv")


def run_greedy_mnist() -> None:
    rows = search_rows("mnist14", ["TAN-CR", "TAN-CMI", "TAN-OMI-CR"])
    report("Structure search on encoded data: MNIST-14", HEADER, rows, "discriminative_greedy_mnist.csv")


def one_hot(table: bl.data.Table) -> csr_matrix:
    starts = np.concatenate([[0], np.cumsum(table.arities[:-1])])
    columns = table.codes[:, :-1].astype(np.int64) + starts[:-1]
    rows = np.repeat(np.arange(table.n_rows), columns.shape[1])
    return csr_matrix((np.ones(columns.size), (rows, columns.ravel())), shape=(table.n_rows, int(starts[-1])))


def run_parameters() -> None:
    """NB-CL on MNIST-14 against logistic regression on the same one-hot features, at equal log-loss."""
    table = encoded("mnist14")
    X, y = one_hot(table), table.codes[:, -1].astype(np.int64)
    start = time.perf_counter()
    peer = LogisticRegression(C=np.inf, max_iter=100, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer.fit(X, y)
    peer_seconds = time.perf_counter() - start
    peer_loss = -float(np.log(peer.predict_proba(X)[np.arange(len(y)), y]).mean())
    start = time.perf_counter()
    dag = naive(table)
    objective = Objective.of(table, dag, bl.MaximumLikelihood().fit(table, dag))
    preparation = time.perf_counter() - start
    evaluation = best_seconds(lambda: objective(objective.start), 5)
    passed: list[tuple[float, float]] = []
    learner = bl.ConditionalLikelihood(stopping="converged", max_iter=400, tol=1e-9)
    start = time.perf_counter() - preparation

    def watch(b: np.ndarray) -> None:
        passed.append((time.perf_counter() - start, -objective.value(b) / table.n_rows))
        if passed[-1][1] <= peer_loss:
            raise StopIteration

    learner._maximise(objective, 400, watch)
    ours_seconds, ours_loss = passed[-1]
    rows: list[list[object]] = [
        ["LogisticRegression, 100 iterations", peer_seconds, peer_loss, "", 1.0],
        [
            f"NB-CL, {len(passed)} iterations",
            ours_seconds,
            ours_loss,
            1 / evaluation,
            peer_seconds / ours_seconds,
        ],
    ]
    header = ["method", "seconds", "training log-loss", "gradients per second", "times faster"]
    report(
        "CL training of naive Bayes on MNIST-14 (60000 x 196, 10 classes)",
        header,
        rows,
        "discriminative_parameters.csv",
    )


PARTS = {
    "kernel": run_kernel,
    "search": run_search,
    "search-mnist": run_search_mnist,
    "greedy-mnist": run_greedy_mnist,
    "parameters": run_parameters,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or ["kernel", "search", "search-mnist", "parameters"]:
        PARTS[part]()
