"""Tables 3 to 5: recovery of known networks, and the search for parents and children."""

import csv
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from networks import asia, cancer, from_file

import bayleaf as bl
from bayleaf.graph import smallest_augmented_map

RESULTS = Path(__file__).parent / "results"
SIZES = [100, 500, 1000, 5000, 10_000, 50_000, 100_000]
NETWORKS = ["asia", "sachs", "child", "water", "alarm", "barley"]
SELECTORS = {
    "MMPC": bl.MMPC(),
    "HITON-PC": bl.HITONPC(),
    "PCMB": bl.PCMB(),
    "S2TMB": bl.S2TMB(spouses=False),
    "Bayes factor": bl.BayesFactorSelector(ess=1.0, delta=3.0),
}


def asymptotics(seeds: int = 10) -> None:
    """Table 3: distance to the smallest augmented map, divergence from the true structure's posterior."""
    lines = []
    for label, network in (("ASIA", asia()), ("CANCER", cancer())):
        target = network.target
        best = smallest_augmented_map(network.dag, target, [2] * len(network.nodes))
        for rows in SIZES:
            shd, kl = [], []
            for seed in range(seeds):
                table = network.sample_table(rows, seed)
                dag = bl.Exact(augmented=True).learn(table, np.random.default_rng(0))
                learned, true = (
                    bl.BayesNet(table.variables, graph, bl.Dirichlet().fit(table, graph), target)
                    for graph in (dag, network.dag)
                )
                shd.append(dag.cpdag().shd(best.cpdag()))
                kl.append(bl.posterior_divergence(true, learned, target))
            lines.append(
                {
                    "network": label,
                    "rows": rows,
                    "shd_median": float(np.median(shd)),
                    "shd_mean": f"{np.mean(shd):.2f}",
                    "shd_zero_of_10": sum(value == 0 for value in shd),
                    "kl_median": f"{np.median(kl):.3g}",
                }
            )
            print(lines[-1], flush=True)
    _write("table3.csv", lines)


def discovery(rows: int = 10_000) -> None:
    """Table 4: missing and extra neighbours over all variables of each network, milliseconds per variable."""
    lines = []
    for name in NETWORKS:
        network = from_file(name)
        if network is None:
            print(f"{name}: no BIF file; set BAYLEAF_DATA", flush=True)
            continue
        table = network.sample_table(rows, 0)
        for label, selector in SELECTORS.items():
            missing, extra, seconds, failures = 0, 0, 0.0, 0
            for node, variable in enumerate(network.nodes):
                start = time.perf_counter()
                try:
                    found = selector.select(replace(table, target=node), np.random.default_rng(0))
                except ValueError as error:
                    failures += 1
                    print(f"{name} {label} {variable}: {error}", flush=True)
                    continue
                seconds += time.perf_counter() - start
                names = {network.nodes[j] for j in found}
                true = {*network.parents(variable), *network.children(variable)}
                missing, extra = missing + len(true - names), extra + len(names - true)
            done = len(network.nodes) - failures
            lines.append(
                {
                    "network": name.upper(),
                    "variables": len(network.nodes),
                    "method": label,
                    "missing": f"{missing / done:.2f}",
                    "extra": f"{extra / done:.2f}",
                    "milliseconds": f"{1000 * seconds / done:.1f}",
                    "refused": failures,
                }
            )
            print(lines[-1], flush=True)
            _write("table4.csv", lines)


def _write(file: str, lines: list[dict[str, object]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / file).open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
