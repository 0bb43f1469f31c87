"""Exact structure search: seconds and peak memory on published data sets, and against the number of variables.

    python benchmarks/exact.py sets      # the 43 data sets of Sugahara & Ueno 2021 (needs BAYLEAF_DATA)
    python benchmarks/exact.py growth    # 5,000 rows, 2 and 4 states, more and more variables; then `peers`
    python benchmarks/exact.py bic       # 2,000 rows, 3 states, BIC
    python benchmarks/exact.py peers     # the same rows of 2 states for other libraries, where they are installed
    python benchmarks/exact.py plot      # docs/images/exact_growth.svg from the measurements

Every measurement runs in a process of its own, so that its peak memory is its own. Results are kept in
benchmarks/results/ as they come; a measurement that is there already is not repeated.
"""

import argparse
import csv
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common import RESULTS, random_tan

import bayleaf as bl

HERE = Path(__file__).parent
DATA = Path(os.environ.get("BAYLEAF_DATA", HERE.parents[1] / "shared" / "data"))
EXPECTED = HERE.parent / "experiments" / "expected" / "sugahara_ueno_2021_table6_runtime_ms.csv"
TOO_LONG = 900.0  # seconds: the next size up is not tried
PEER_LIMIT = 60.0  # seconds that a library has for one problem


def measure(learner: bl.Exact, table: bl.data.Table) -> dict[str, float]:
    """Seconds, CPU-seconds and peak memory (GiB) of one search."""
    start, cpu = time.perf_counter(), time.process_time()
    learner.learn(table, np.random.default_rng(0))
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu,
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def network_sample(n: int, states: int, rows: int) -> bl.data.Table:
    """Rows of a random tree-augmented network over n variables, the class included."""
    rng = np.random.default_rng(n)
    return random_tan(n - 1, states, states, rng).sample_table(rows, rng)


def run_growth(model: str, states: int, n: int) -> dict[str, float]:
    return measure(bl.Exact(augmented=model == "ANB"), network_sample(n, states, 5000))


def run_bic(n: int) -> dict[str, float]:
    return measure(bl.Exact(bl.BIC()), network_sample(n, 3, 2000))


def run_set(slug: str) -> dict[str, float]:
    sys.path.insert(0, str(HERE.parent / "experiments" / "anb_2021"))
    from data import encoded

    table = encoded(slug)
    result = {f"GBN_{key}": value for key, value in measure(bl.Exact(), table).items()}
    anb = measure(bl.Exact(augmented=True), table)
    result |= {f"ANB_{key}": value for key, value in anb.items() if key != "peak_gib"}
    selector = bl.BayesFactorSelector()
    start, cpu = time.perf_counter(), time.process_time()
    kept = [*selector.select(table, np.random.default_rng(0)), table.n_variables - 1]
    bl.Exact(augmented=True).learn(table.select(kept), np.random.default_rng(0))
    result["fsANB_seconds"] = time.perf_counter() - start
    result["fsANB_cpu_seconds"] = time.process_time() - cpu
    return result


def in_own_process(function: str, *arguments: object, limit: float | None = None) -> dict[str, float]:
    call = [sys.executable, __file__, "--call", function, json.dumps(arguments)]
    # A session of its own, so that a run beyond its limit ends with all its children.
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, call)
    result: dict[str, float] = json.loads(output.splitlines()[-1])
    return result


class Results:
    """A CSV file that grows by one row per measurement."""

    def __init__(self, file: str, keys: list[str]) -> None:
        self.path = RESULTS / file
        self.keys = keys
        self.rows: list[dict[str, str]] = []
        if self.path.exists():
            with self.path.open() as handle:
                self.rows = list(csv.DictReader(handle))

    def find(self, key: dict[str, object]) -> dict[str, str] | None:
        """Return the row of an earlier measurement."""
        return next((row for row in self.rows if all(row[k] == str(v) for k, v in key.items())), None)

    def get(self, key: dict[str, object], make: Callable[[], dict[str, float]]) -> dict[str, str]:
        """Return the row of a measurement, made now if it is not there yet."""
        known = self.find(key)
        if known is not None:
            return known
        row = {k: str(v) for k, v in key.items()} | {k: f"{v:.4g}" for k, v in make().items()}
        print(row, flush=True)
        self.rows.append(row)
        RESULTS.mkdir(exist_ok=True)
        with self.path.open("w", newline="") as handle:
            writer = csv.DictWriter(handle, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
        return row


def sets() -> None:
    sys.path.insert(0, str(HERE.parent / "experiments" / "anb_2021"))
    from data import SETS

    results = Results("exact_sets.csv", ["slug"])
    with EXPECTED.open() as handle:
        published = {int(row["no"]): row for row in csv.DictReader(handle)}
    for number, slug in SETS.items():

        def make(number: int = number, slug: str = slug) -> dict[str, float]:
            found = in_own_process("run_set", slug)
            paper = published[number]
            for ours, theirs in (("GBN", "GBN-BDeu"), ("fsANB", "fsANB-BDeu")):
                found[f"{ours}_paper_seconds"] = float(paper[theirs]) / 1000
                found[f"{ours}_times_faster"] = float(paper[theirs]) / 1000 / found[f"{ours}_seconds"]
            return found

        results.get({"no": number, "slug": slug}, make)
    for column in (
        "GBN_seconds",
        "GBN_cpu_seconds",
        "GBN_paper_seconds",
        "fsANB_seconds",
        "fsANB_paper_seconds",
    ):
        print(column, f"{sum(float(row[column]) for row in results.rows):.1f}")


def growth(largest: int) -> None:
    results = Results("exact_growth.csv", ["model", "states", "n"])
    for model, states in (("GBN", 2), ("GBN", 4), ("ANB", 2), ("ANB", 4)):
        for n in [*range(10, 25, 2), *range(25, largest + (model == "ANB") * 2 + 1)]:
            key: dict[str, object] = {"model": model, "states": states, "n": n}
            row = results.get(key, lambda key=key: in_own_process("run_growth", *key.values()))
            if float(row["seconds"]) > TOO_LONG:
                break


def bic() -> None:
    results = Results("exact_bic.csv", ["n"])
    for n in (10, 14, 17, 20, 22, 25):
        results.get({"n": n}, lambda n=n: in_own_process("run_bic", n))


def run_peer(library: str, n: int) -> dict[str, float]:
    from exact_peers import PEERS

    table = network_sample(n, 2, 5000)
    seconds = PEERS[library](table)
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {"seconds": seconds, "peak_gib": max(used) / 2**20}


def peers() -> None:
    """Larger and larger problems for every library, until one takes longer than the limit (written as inf)."""
    from exact_peers import PEERS

    results = Results("exact_peers.csv", ["library", "n"])
    too_long = dict.fromkeys(("seconds", "peak_gib"), math.inf)
    for library in PEERS:
        for n in range(4, 25):

            def make(library: str = library, n: int = n) -> dict[str, float]:
                try:
                    return in_own_process("run_peer", library, n, limit=PEER_LIMIT)
                except subprocess.TimeoutExpired:
                    return too_long

            row = results.get({"library": library, "n": n}, make)
            if float(row["seconds"]) == math.inf:
                break


def plot() -> None:
    """Time and peak memory against the number of variables, on logarithmic axes; other libraries in grey."""
    import matplotlib.pyplot as plt

    figure, (time_axes, memory_axes) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    rows = Results("exact_growth.csv", ["model", "states", "n"]).rows
    for model, style in (("GBN", "-"), ("ANB", "--")):
        for states, colour in (("2", "tab:blue"), ("4", "tab:orange")):
            own = sorted(
                (row for row in rows if (row["model"], row["states"]) == (model, states)),
                key=lambda row: int(row["n"]),
            )
            label = f"{'any graph' if model == 'GBN' else 'augmented'}, {states} states"
            for axes, column in ((time_axes, "cpu_seconds"), (memory_axes, "peak_gib")):
                sizes, values = [int(row["n"]) for row in own], [float(row[column]) for row in own]
                axes.plot(sizes, values, style, marker="o", ms=3, color=colour, label=label)
    others = Results("exact_peers.csv", ["library", "n"]).rows
    for library in dict.fromkeys(row["library"] for row in others if row["library"] != "bayleaf"):
        points = [
            (int(row["n"]), float(row["seconds"]))
            for row in others
            if row["library"] == library and math.isfinite(float(row["seconds"]))
        ]
        time_axes.plot(*zip(*points, strict=True), color="0.6", marker=".", ms=3, lw=1)
        time_axes.annotate(
            library, points[-1], xytext=(4, 0), textcoords="offset points", fontsize=7, color="0.4"
        )
    time_axes.set(yscale="log", xlabel="variables, the class included", ylabel="CPU-seconds")
    memory_axes.set(yscale="log", xlabel="variables, the class included", ylabel="peak memory, GiB")
    time_axes.set_title("Exact search, 5,000 rows", loc="left")
    memory_axes.legend(frameon=False)
    for axes in (time_axes, memory_axes):
        axes.spines[["top", "right"]].set_visible(False)
    with plt.rc_context({"svg.hashsalt": "exact growth"}):  # the same file from the same figures
        figure.savefig(HERE.parent / "docs" / "images" / "exact_growth.svg", metadata={"Date": None})


def main() -> None:
    if sys.argv[1:2] == ["--call"]:
        print(json.dumps(globals()[sys.argv[2]](*json.loads(sys.argv[3]))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["sets", "growth", "bic", "peers", "plot"])
    parser.add_argument("--largest", type=int, default=28, help="most variables (GBN; ANB has two more)")
    options = parser.parse_args()
    if options.what == "growth":
        growth(options.largest)
        peers()
    else:
        {"sets": sets, "bic": bic, "peers": peers, "plot": plot}[options.what]()


if __name__ == "__main__":
    main()
