"""All pairwise I(X_i; X_j | C) in one kernel call: updates per second, the machine's limit, and memory.

Run as ``python benchmarks/pairs.py``. An update is one row counted into the table of one pair. The limit is a bare
loop that ANDs and counts bit sets in the first-level cache (popcount_floor.cpp, compiled for this machine).
"""

import argparse
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import bayleaf as bl
from bayleaf.counts import PairInformation

HERE = Path(__file__).parent


def make_table(rows, features, states, classes, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.empty((rows, features + 1), dtype=np.uint8, order="F")
    for j in range(features):
        codes[:, j] = rng.integers(0, states, rows)
    codes[:, -1] = rng.integers(0, classes, rows)
    variables = [bl.Variable(f"x{j}", tuple(range(states)), None, "integer") for j in range(features)]
    target = bl.Variable("class", tuple(range(classes)), None, "integer")
    return bl.Table((*variables, target), codes, None, features)


def best_of(call, repeats):
    """Shortest wall time and shortest processor time of several calls."""
    times = []
    for _ in range(repeats):
        wall, busy = time.perf_counter(), time.process_time()
        call()
        times.append((time.perf_counter() - wall, time.process_time() - busy))
    return min(wall for wall, _ in times), min(busy for _, busy in times)


def words_per_second():
    """AND + popcount of one core at its best, or None without a compiler."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        source = str(HERE / "popcount_floor.cpp")
        subprocess.run(
            [compiler, "-O3", "-march=native", "-std=c++20", source, "-o", str(program)], check=True
        )
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()[0])


def peak_mebibytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report(name, table, smoothing=0.0, repeats=7):
    rows, features = table.n_rows, len(table.features)
    pairs = features * (features - 1) // 2
    for threads in (1, 2):
        use = replace(table, n_jobs=threads)
        wall, busy = best_of(lambda use=use: PairInformation.of(use, smoothing=smoothing), repeats)
        print(
            f"{name:34s} {threads} thread{'s' * (threads > 1):1s}  {1e3 * wall:8.1f} ms  (processor {1e3 * busy:8.1f} ms)"
            f"  {pairs * rows / wall / 1e9:7.2f} G updates/s"
        )
    return busy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--features", type=int, default=196)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--classes", type=int, default=10)
    args = parser.parse_args()
    table = make_table(args.rows, args.features, args.states, args.classes)
    pairs = args.features * (args.features - 1) // 2
    print(
        f"{args.features} features x {args.rows} rows x {args.states} states, {args.classes} classes: {pairs} pairs"
    )

    before = peak_mebibytes()
    busy = report("plain", table)
    grown = peak_mebibytes() - before
    report("smoothed", table, smoothing=1.0)
    rng = np.random.default_rng(1)
    whole = np.bincount(rng.integers(0, args.rows, args.rows), minlength=args.rows).astype(np.float64)
    drawn = replace(table.take(whole > 0), weights=whole[whole > 0])
    report("bootstrap weights", drawn)
    report("real weights", replace(table, weights=rng.random(args.rows)), repeats=2)
    report("12 states each, 20 features", make_table(args.rows, 20, 12, args.classes))

    tables = pairs * args.classes * args.states**2 * 8 / 2**20
    print(
        f"\npeak memory grew by {grown:.0f} MiB (the codes are {table.codes.nbytes / 2**20:.0f} MiB; "
        f"all tables at once would be {tables:.0f} MiB)"
    )
    words = pairs * (args.states - 1) ** 2 * args.rows / 64
    limit = words_per_second()
    if limit is None:
        print("no C++ compiler found: the machine's limit was not measured")
        return
    floor = words / limit
    print(
        f"limit: {words / 1e6:.1f} M words to AND and count, {limit / 1e9:.2f} G words/s per core: "
        f"{1e3 * floor:.1f} ms of processor time; the plain call uses {1e3 * busy:.1f} ms "
        f"({100 * floor / busy:.0f} % of the limit, packing and reducing included)"
    )


if __name__ == "__main__":
    main()
