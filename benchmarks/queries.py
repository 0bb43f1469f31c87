"""Posteriors given random evidence on published networks: bayleaf against pyAgrum, the same questions in one run.

A fifth of the nodes is observed, with the states of a row drawn from the network. Asked are all posteriors at once,
and that of one random node. Times are CPU time, the best of several runs per question and the median over questions;
both libraries start each question from evidence by name and end with numbers. pyAgrum is asked by lazy propagation
and, for one node, also by variable elimination; the faster counts. Answers are compared.

    python benchmarks/queries.py [--networks FOLDER] [--questions 20] [--repeats 3]
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pyagrum as gum
from common import report

import bayleaf as bl
from bayleaf.networks import to_pyagrum

SHARED = Path(__file__).parents[2] / "shared" / "data"


def best_cpu_seconds(action: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


class Peer:
    """pyAgrum's engines, kept from one question to the next."""

    def __init__(self, network: gum.BayesNet) -> None:
        self.nodes = sorted(network.names())
        self.lazy = gum.LazyPropagation(network)
        self.single = gum.LazyPropagation(network)
        self.elimination = gum.VariableElimination(network)

    def all(self, evidence: dict[str, str]) -> dict[str, np.ndarray]:
        """Return all posteriors."""
        self.lazy.setEvidence(evidence)
        self.lazy.makeInference()
        return {name: self.lazy.posterior(name).toarray() for name in self.nodes if name not in evidence}

    @staticmethod
    def one(engine: object, name: str, evidence: dict[str, str]) -> np.ndarray:
        """Return one posterior."""
        engine.eraseAllTargets()
        engine.addTarget(name)
        engine.setEvidence(evidence)
        engine.makeInference()
        return engine.posterior(name).toarray()


def measure(path: Path, questions: int, repeats: int) -> list[object]:
    network = bl.read_bif(path)
    peer = Peer(to_pyagrum(network))
    rng = np.random.default_rng(0)
    nodes = list(network.nodes)
    times: dict[str, list[float]] = {"ours": [], "theirs": [], "our one": [], "their one": []}
    entries, difference = [], 0.0
    for row in network.sample(questions, rng).iter_rows(named=True):
        seen = [str(name) for name in rng.choice(nodes, max(1, len(nodes) // 5), replace=False)]
        evidence = {name: row[name] for name in seen}
        asked = str(rng.choice([name for name in nodes if name not in evidence]))
        found, expected = network.posteriors(evidence), peer.all(evidence)
        difference = max(
            difference, *(abs(np.array([*found[name].values()]) - expected[name]).max() for name in expected)
        )
        entries.append(network.query_cost(evidence).total)
        times["ours"].append(best_cpu_seconds(lambda e=evidence: network.posteriors(e), repeats))
        times["theirs"].append(best_cpu_seconds(lambda e=evidence: peer.all(e), repeats))
        times["our one"].append(
            best_cpu_seconds(lambda e=evidence, a=asked: network.posterior(a, e), repeats)
        )
        engines = (peer.single, peer.elimination)
        times["their one"].append(
            min(
                best_cpu_seconds(lambda e=evidence, a=asked, g=g: peer.one(g, a, e), repeats) for g in engines
            )
        )
    ours, theirs, our_one, their_one = (median(each) * 1000 for each in times.values())
    figures = [ours, theirs, theirs / ours, our_one, their_one, their_one / our_one]
    return [path.name.split(".")[0], len(nodes), f"{median(entries):.2g}", *figures, f"{difference:.0e}"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    folder = Path(os.environ.get("BAYLEAF_DATA", SHARED)) / "networks"
    parser.add_argument("--networks", type=Path, default=folder)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows = [
        measure(path, options.questions, options.repeats)
        for path in sorted(options.networks.glob("*.bif.gz"))
    ]
    header = [
        "network",
        "nodes",
        "entries",
        "all ms",
        "pyAgrum ms",
        "times",
        "one ms",
        "pyAgrum one ms",
        "times one",
    ]
    title = f"posteriors given random evidence (CPU ms; pyAgrum {gum.__version__})"
    report(title, [*header, "largest difference"], rows, "queries.csv")


if __name__ == "__main__":
    main()
