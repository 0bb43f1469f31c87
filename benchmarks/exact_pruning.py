"""How many sets of variables a bound on BDeu could leave uncounted.

    python benchmarks/exact_pruning.py

However many parents are added to P, the BDeu score of X is at most -(observed cells of P + X) ln(states of X) (de
Campos and Ji 2011). A set S need not be counted if, for every X in S, that bound is no better than the best score of
X. The share of such sets is measured with the best score over *all* parents, which a search does not know in advance:
no search can leave out more by this bound. Beside it: the share when a bound is as sharp as can be, that is, when S
contains no family that beats its own subfamilies, and none of its supersets does.
"""

import sys
from pathlib import Path

import numpy as np
from common import report
from exact import network_sample
from numpy.typing import NDArray

import bayleaf as bl

VARIABLES = 13


def observed_cells(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the number of different rows of every set of columns."""
    n = codes.shape[1]
    cells = np.ones(1 << n, dtype=np.int64)
    groups = {0: np.zeros(len(codes), dtype=np.int64)}
    for s in range(1, 1 << n):
        low = (s & -s).bit_length() - 1
        _, groups[s] = np.unique(groups[s & (s - 1)] * 256 + codes[:, low], return_inverse=True)
        cells[s] = groups[s].max() + 1
        if low == 0:  # no later set builds on this one
            del groups[s]
    return cells


def shares(table: bl.data.Table) -> tuple[float, float]:
    n = table.n_variables
    sets = np.arange(1 << n)
    cells = observed_cells(np.asarray(table.codes))
    by_bound, by_any = np.ones(1 << n, dtype=bool), np.ones(1 << n, dtype=bool)
    for x in range(n):
        without = sets[sets >> x & 1 == 0]
        families = [(x, tuple(j for j in range(n) if p >> j & 1)) for p in without.tolist()]
        scores = np.full(1 << n, -np.inf)
        scores[without] = bl.BDeu(1.0).families(table, families)
        below = np.full(1 << n, -np.inf)  # the best of the proper subsets of P
        for bit in (1 << j for j in range(n) if j != x):
            larger = without[without & bit > 0]
            below[larger] = np.maximum.reduce([below[larger], below[larger ^ bit], scores[larger ^ bit]])
        wins = np.zeros(1 << n, dtype=bool)  # P or a superset of it beats all its subsets
        wins[without] = scores[without] > below[without]
        for bit in (1 << j for j in range(n) if j != x):
            smaller = without[without & bit == 0]
            wins[smaller] |= wins[smaller | bit]
        own = sets >> x & 1 == 1
        by_bound[own] &= -cells[own] * np.log(table.arities[x]) <= scores.max()
        by_any[own] &= ~wins[sets[own] ^ 1 << x]
    return float(by_bound[1:].mean()), float(by_any[1:].mean())


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "experiments" / "anb_2021"))
    from data import encoded

    tables = {f"random network, {s} states": network_sample(VARIABLES, s, 5000) for s in (2, 4)}
    for slug in ("letter", "segment", "mushroom", "waveform-21", "bank", "spect"):
        table = encoded(slug)
        tables[slug] = table.select(list(range(table.n_variables - VARIABLES, table.n_variables)))
    rows = []
    for name, table in tables.items():
        bound, anything = shares(table)
        rows.append([name, table.n_rows, 100 * bound, 100 * anything])
        print(rows[-1], flush=True)
    header = ["data", "rows", "sets ruled out by the bound, %", "by a perfect bound, %"]
    report(f"Sets of the last {VARIABLES} variables", header, rows, "exact_pruning.csv")


if __name__ == "__main__":
    main()
