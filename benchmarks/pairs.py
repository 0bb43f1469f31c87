"""All pairwise I(X_i; X_j | C) in one kernel call: updates per second, the machine's limit, and memory.

An update is one row counted into the table of one pair. The limit is a bare loop that ANDs and counts bit sets in the
first-level cache (popcount_floor.cpp, compiled for this machine): for s states each, (s - 1)^2 rows / 64 words per
pair. Processor time is what a loaded machine still measures well.

    python benchmarks/pairs.py
"""

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from common import PROBLEMS, report

import bayleaf as bl
from bayleaf.counts import PairInformation

HERE = Path(__file__).parent


def make_table(rows: int, features: int, states: int, classes: int) -> bl.data.Table:
    rng = np.random.default_rng(0)
    codes = np.asfortranarray(rng.integers(0, states, (rows, features + 1)).astype(np.uint8))
    codes[:, -1] = rng.integers(0, classes, rows)
    variables = [bl.data.Variable(f"x{j}", tuple(range(states)), None, "integer") for j in range(features)]
    target = bl.data.Variable("class", tuple(range(classes)), None, "integer")
    return bl.data.Table((*variables, target), codes, None, features)


def best_of(action: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Shortest wall time and shortest processor time of several runs."""
    times = []
    for _ in range(repeats):
        wall, busy = time.perf_counter(), time.process_time()
        action()
        times.append((time.perf_counter() - wall, time.process_time() - busy))
    return min(wall for wall, _ in times), min(busy for _, busy in times)


def words_per_second() -> float:
    """AND + popcount of one core at its best; 0 where there is no compiler to find out."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return 0.0
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        source = str(HERE / "popcount_floor.cpp")
        command = [compiler, "-O3", "-march=native", "-std=c++20", source, "-o", str(program)]
        subprocess.run(command, check=True)
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()[0])


def peak_mebibytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    rows, features, states, classes = PROBLEMS["A4"]
    pairs = features * (features - 1) // 2
    plain = make_table(rows, features, states, classes)
    rng = np.random.default_rng(1)
    drawn = np.bincount(rng.integers(0, rows, rows), minlength=rows).astype(np.float64)
    cases = {
        "plain": (plain, 0.0, 9),
        "smoothed": (plain, 1.0, 5),
        "bootstrap weights": (replace(plain.take(drawn > 0), weights=drawn[drawn > 0]), 0.0, 5),
        "real weights": (replace(plain, weights=rng.random(rows)), 0.0, 2),
        "20 features of 12 states": (make_table(rows, 20, 12, classes), 0.0, 5),
    }
    before = peak_mebibytes()
    PairInformation.of(plain)
    grown = peak_mebibytes() - before
    floor = pairs * (states - 1) ** 2 * rows / 64 / (words_per_second() or float("nan"))
    lines: list[list[object]] = []
    for name, (table, smoothing, repeats) in cases.items():
        updates = len(table.features) * (len(table.features) - 1) / 2 * rows
        for threads in (1, 2):
            use = replace(table, n_jobs=threads)
            wall, busy = best_of(lambda use=use, s=smoothing: PairInformation.of(use, smoothing=s), repeats)
            share = f"{100 * floor / busy:.0f} %" if name == "plain" else ""
            lines.append([name, threads, 1e3 * wall, 1e3 * busy, updates / wall / 1e9, share])
    title = (
        f"{features} features x {rows:,} rows x {states} states, {classes} classes: {pairs:,} pairs at once"
    )
    header = ["case", "threads", "wall ms", "processor ms", "G updates/s", "of the limit"]
    report(title, header, lines, "pairs.csv")
    print(
        f"Limit: {1e3 * floor:.1f} ms of processor time. Peak memory grew by {grown:.0f} MiB; the codes are "
        f"{plain.codes.nbytes / 2**20:.0f} MiB, all tables at once {pairs * classes * states**2 * 8 / 2**20:.0f} MiB."
    )


if __name__ == "__main__":
    main()
