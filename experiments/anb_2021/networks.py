"""The networks of the simulations. CANCER and ASIA are here; larger ones are read from BIF files where present."""

import gzip
import os
import tempfile
from pathlib import Path

import numpy as np

import bayleaf as bl
from bayleaf.networks import read_bif

# Folder with asia.bif(.gz), sachs.bif(.gz), ... from the Bayesian network repository.
FOLDER = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[3] / "shared" / "data")) / "networks"


def _network(
    names: list[str], arcs: list[tuple[str, str]], yes: dict[str, object], target: str
) -> bl.BayesNet:
    """Make a network of yes/no variables from the probabilities of yes, per parent configuration (no first)."""
    dag = bl.DAG(names, arcs)
    tables = []
    for name in names:
        given = yes[name]
        shape = (2,) * len(dag.parents(name))
        flat = [given] if not isinstance(given, list) else given
        rows = [[1 - p, p] for p in flat]
        tables.append(np.array(rows).reshape(*shape, 2))
    return bl.BayesNet([bl.data.Variable(name, ("no", "yes")) for name in names], dag, tables, target)


def cancer() -> bl.BayesNet:
    """Korb and Nicholson (2010): pollution "yes" is high."""
    return _network(
        ["Pollution", "Smoker", "Cancer", "Xray", "Dyspnoea"],
        [("Pollution", "Cancer"), ("Smoker", "Cancer"), ("Cancer", "Xray"), ("Cancer", "Dyspnoea")],
        {
            "Pollution": 0.1,
            "Smoker": 0.3,
            "Cancer": [0.001, 0.03, 0.02, 0.05],
            "Xray": [0.2, 0.9],
            "Dyspnoea": [0.3, 0.65],
        },
        "Cancer",
    )


def asia() -> bl.BayesNet:
    """Lauritzen and Spiegelhalter (1988)."""
    return _network(
        ["asia", "tub", "smoke", "lung", "bronc", "either", "xray", "dysp"],
        [
            ("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc"), ("tub", "either"), ("lung", "either"),
            ("either", "xray"), ("bronc", "dysp"), ("either", "dysp"),
        ],
        {
            "asia": 0.01,
            "tub": [0.01, 0.05],
            "smoke": 0.5,
            "lung": [0.01, 0.1],
            "bronc": [0.3, 0.6],
            "either": [0.0, 1.0, 1.0, 1.0],
            "xray": [0.05, 0.98],
            "dysp": [0.1, 0.7, 0.8, 0.9],
        },
        "either",
    )  # fmt: skip


def from_file(name: str) -> bl.BayesNet | None:
    """Read a network of the repository, or None where there is no file."""
    for path in (FOLDER / f"{name}.bif", FOLDER / f"{name}.bif.gz"):
        if path.exists():
            data = path.read_bytes()
            with tempfile.TemporaryDirectory() as folder:
                plain = Path(folder) / f"{name}.bif"
                plain.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
                return read_bif(plain)
    return asia() if name == "asia" else cancer() if name == "cancer" else None
