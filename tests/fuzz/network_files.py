"""Network files with mistakes in them, in each format: refused, or a network whose tables are probabilities."""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import bayleaf as bl
from bayleaf.networks import (
    load_network,
    read_dsc,
    read_xmlbif,
    write_bif,
    write_dsc,
    write_network,
    write_xmlbif,
)

from .outcome import FindingError, attempt, scratch
from .spoiling import spoiled

Format = tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]
FORMATS: dict[str, Format] = {
    ".bif": (bl.read_bif, write_bif),
    ".xml": (read_xmlbif, write_xmlbif),
    ".dsc": (read_dsc, write_dsc),
    ".json": (load_network, write_network),
}


@cache
def _files() -> list[tuple[str, bytes]]:
    """Return a small network in every format."""
    a, b, c = (
        bl.data.Variable(n, s) for n, s in (("a", ("x", "y")), ("b", ("0", "1", "2")), ("c", ("no", "yes")))
    )
    dag = bl.DAG(["a", "b", "c"], [("a", "b"), ("a", "c"), ("b", "c")])
    rng = np.random.default_rng(0)
    tables = [rng.dirichlet(np.ones(k), shape) for k, shape in ((2, ()), (3, (2,)), (2, (2, 3)))]
    networks = [
        bl.BayesNet([a, b, c], dag, tables, "c"),
        bl.BayesNet([bl.data.Variable("only", ("1",))], bl.DAG(["only"]), [[1.0]]),
    ]
    found = []
    with tempfile.TemporaryDirectory(prefix="bayleaf-fuzz-") as folder:
        for suffix, (_, write) in FORMATS.items():
            for network in networks:
                path = Path(folder) / f"n{suffix}"
                write(network, path)
                found.append((suffix, path.read_bytes()))
    return found


def one(rng: np.random.Generator) -> bool:
    """Read one spoiled network file; True if it was read."""
    files = _files()
    suffix, content = files[rng.integers(len(files))]
    read, write = FORMATS[suffix]
    folder = scratch()
    path = folder / f"n{suffix}"
    path.write_bytes(spoiled(rng, content))
    network = attempt(lambda: read(path))
    if network is None:
        return False
    for table in network.tables:
        if not np.isfinite(table).all() or (table < 0).any() or abs(table.sum(axis=-1) - 1).max() > 1e-6:
            raise FindingError(f"a table that holds no probabilities: {table}")
    node = network.nodes[rng.integers(len(network.nodes))]
    total = sum(network.posterior(node).values())
    if abs(total - 1) > 1e-6:
        raise FindingError(f"a posterior that sums to {total}")
    again = folder / f"again{suffix}"
    attempt(lambda: write(network, again))
    if again.exists():
        second = attempt(lambda: read(again))
        if second is None:
            raise FindingError("a file that we wrote was refused")
        if second.nodes != network.nodes or second.dag != network.dag:
            raise FindingError("a network that we wrote is another one")
    return True
