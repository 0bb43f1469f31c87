"""Feed the library hostile input for a given time: ``make fuzz``.

PYTHONPATH=tests python -m fuzz.run --seconds 60               # all kinds of input
PYTHONPATH=tests python -m fuzz.run --kind texts --one 1234    # one input again, with its traceback

A worker makes inputs from numbered seeds and hands them in; this process watches it. A finding is an input on which
the worker dies, takes longer than ten seconds, lets an error escape that is no refusal of ours, or gives results that
contradict each other. Its kind and seed are printed, and belong into ``seeds.json`` once the cause is mended.
"""

import argparse
import csv
import json
import multiprocessing
import os
import sys
import time
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Kinds of input, the module of each, and how many of one kind come in a round: quick ones more often.
KINDS = {"fits": 4, "documents": 60, "network_files": 900, "texts": 30, "streams": 300, "together": 1}
# Inputs that are findings on purpose, each in another way: a watcher that misses one of them finds nothing.
PLANTED = "planted"
PLANTED_FINDINGS = {"contradictory": 1, "dies with exit code": 2, "takes too long": 3}
MOST_SECONDS = 10.0  # of work on one input
MOST_WAITING = 60.0  # by the clock, where the machine is busy or the worker waits for itself
SEEDS = Path(__file__).with_name("seeds.json")
COLUMNS = ["kind", "inputs", "taken", "refused", "findings"]


def generator(kind: str, seed: int) -> Any:
    """Return the random numbers of one input."""
    import numpy as np

    return np.random.default_rng([zlib.crc32(kind.encode()), seed])


def one(kind: str, seed: int) -> bool:
    """Run one input; True if it was taken, False if it was refused. An error is a finding."""
    from importlib import import_module

    return bool(import_module(f"fuzz.{kind}").one(generator(kind, seed)))


class Board:
    """What worker and watcher share: where the worker is, since when, and its counts."""

    def __init__(self, kinds: list[str]) -> None:
        self.kinds = kinds
        self.place = multiprocessing.RawArray("q", [0, 0])  # the kind and its seed
        self.since = multiprocessing.RawValue("d", 0.0)  # by the clock; 0 between inputs
        self.worked = multiprocessing.RawValue("d", 0.0)  # CPU time of the worker before the input
        self.next_seed = multiprocessing.RawArray("q", len(kinds))
        self.taken = multiprocessing.RawArray("q", len(kinds))
        self.refused = multiprocessing.RawArray("q", len(kinds))
        self.findings = multiprocessing.RawArray("q", len(kinds))


def work(board: Board, until: float, found: str) -> None:
    """Run rounds of inputs until the time is over."""
    for threads in ("OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ.setdefault(threads, "1")
    for kind in KINDS.keys() & set(board.kinds):
        one(kind, 0)  # imports, and models that are made once, are no part of an input's time
    while time.time() < until:
        for number, kind in enumerate(board.kinds):
            for _ in range(KINDS.get(kind, 1)):
                seed = board.next_seed[number]
                board.next_seed[number] = seed + 1
                board.place[:] = [number, seed]
                board.worked.value = time.process_time()
                board.since.value = time.monotonic()
                try:
                    if one(kind, seed):
                        board.taken[number] += 1
                    else:
                        board.refused[number] += 1
                except Exception:
                    board.findings[number] += 1
                    note(found, kind, seed, traceback.format_exc())
                board.since.value = 0.0
                if time.time() > until:
                    return


def note(found: str, kind: str, seed: int, what: str) -> None:
    """Add a finding to the file of findings, and print its last line."""
    with open(found, "a") as file:
        file.write(json.dumps({"kind": kind, "seed": seed, "what": what}) + "\n")
    print(f"{kind} {seed}: {what.strip().splitlines()[-1][:200]}", flush=True)


def watch(
    board: Board,
    seconds: float,
    found: str,
    most_seconds: float = MOST_SECONDS,
    done: Callable[[], bool] = lambda: False,
) -> None:
    """Keep a worker running until the time is over; what it dies of or hangs in is a finding."""
    until = time.time() + seconds
    context = multiprocessing.get_context("spawn")
    while time.time() < until and not done():
        worker = context.Process(target=work, args=(board, until, found))
        worker.start()
        while worker.is_alive():
            worker.join(0.5)
            since = board.since.value
            waited = time.monotonic() - since if since else 0.0
            if waited > most_seconds and (waited > MOST_WAITING or _worked(worker.pid, board) > most_seconds):
                worker.kill()
                worker.join()
        if worker.exitcode != 0:
            number, seed = board.place
            board.findings[number] += 1
            board.since.value = 0.0
            how = "takes too long" if worker.exitcode == -9 else f"dies with exit code {worker.exitcode}"
            note(found, board.kinds[number], seed, how)


def _worked(process: int | None, board: Board) -> float:
    """Return the CPU time that a worker has spent on its input."""
    if not sys.platform.startswith("linux"):
        return float("inf")  # the clock alone decides
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:  # it has just died
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") - board.worked.value


def control(found: Path, seconds: float = 60.0) -> list[str]:
    """Run planted findings until each was found, and return those that were missed."""
    found.unlink(missing_ok=True)

    def missed() -> list[str]:
        noted = found.read_text() if found.exists() else ""
        return [words for words in PLANTED_FINDINGS if words not in noted]

    watch(Board([PLANTED]), seconds, str(found), most_seconds=0.3, done=lambda: not missed())
    return missed()


def add_counts(board: Board, path: Path) -> None:
    """Add the counts of this run to those of runs before."""
    before = {}
    if path.exists():
        with path.open(newline="") as file:
            before = {row["kind"]: row for row in csv.DictReader(file)}
    for number, kind in enumerate(board.kinds):
        new = [board.taken[number], board.refused[number], board.findings[number]]
        old = [int(before[kind][name]) for name in COLUMNS[2:]] if kind in before else [0, 0, 0]
        counts = [a + b for a, b in zip(old, new, strict=True)]
        before[kind] = dict(zip(COLUMNS, [kind, sum(counts), *counts], strict=True))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(before.values())


def main() -> int:
    """Run as the command line says; exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument(
        "--first", type=int, default=int(time.time()) * 1000, help="first seed; by default new ones"
    )
    parser.add_argument("--one", type=int, metavar="SEED", help="run this input of --kind in this process")
    parser.add_argument("--counts", type=Path, help="a CSV file to which the counts are added")
    parser.add_argument("--found", default="build/fuzz-findings.jsonl", help="where findings are written")
    parser.add_argument(
        "--control", action="store_true", help="whether planted findings are found, nothing else"
    )
    asked = parser.parse_args()
    if asked.control:
        Path(asked.found).parent.mkdir(parents=True, exist_ok=True)
        missed = control(Path(asked.found).with_name("fuzz-planted.jsonl"))
        print(
            f"Planted findings that were missed: {', '.join(missed)}."
            if missed
            else "All planted findings are found."
        )
        return 3 if missed else 0
    kinds = asked.kind or list(KINDS)
    if asked.one is not None:
        print("taken" if one(kinds[0], asked.one) else "refused")
        return 0
    Path(asked.found).parent.mkdir(parents=True, exist_ok=True)
    board = Board(kinds)
    board.next_seed[:] = [asked.first] * len(kinds)
    watch(board, asked.seconds, asked.found)
    if asked.counts is not None:
        add_counts(board, asked.counts)
    for number, kind in enumerate(kinds):
        taken, refused, findings = board.taken[number], board.refused[number], board.findings[number]
        total = taken + refused + findings
        print(f"{kind:14}{total:9,} inputs: {taken:,} taken, {refused:,} refused, {findings:,} findings")
    return 1 if sum(board.findings) else 0


if __name__ == "__main__":
    sys.exit(main())
