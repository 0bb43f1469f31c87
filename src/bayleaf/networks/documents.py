"""Versioned JSON documents: networks as plain data, and errors that say what is wrong with a file."""

import json
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.whole_files import FilePath, atomic_write, brief_errors, read_text
from bayleaf.counts import Dependency, FunctionalDependencies
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet
from bayleaf.network.instance import InstanceNetwork, StoredFamilies

# What a file of each format holds, and what reads it.
_CONTENTS = {
    "bayleaf": ("a fitted classifier", "bayleaf.load"),
    "bayleaf-network": ("a network", "bayleaf.load_network"),
}


def write_document(document: dict[str, Any], path: FilePath) -> None:
    """Write a JSON document, all or nothing; compressed where the name ends in ``.gz``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json.gz"
    >>> write_document({"x": 2}, path)
    >>> json.loads(read_text(path, "a model file"))
    {'x': 2}
    """
    with atomic_write(path) as file:
        json.dump(document, file, indent=1)  # in ASCII: a lone surrogate has no UTF-8


def read_document(path: FilePath, expected_format: str, newest_version: int) -> dict[str, Any]:
    """Read a JSON document of a known format and version.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = path.write_text('{"format": "bayleaf", "version": 1, "x": 2}')
    >>> read_document(path, "bayleaf", 1)["x"]
    2
    """
    text = read_text(path, f"a {expected_format} file")
    try:
        document = json.loads(text, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError) as error:
        looks_cut = text.lstrip().startswith("{") and f'"{expected_format}"' in text[:200]
        if looks_cut:
            raise ValueError(f"'{path}' is truncated or damaged: {error}.") from None
        raise ValueError(
            f"'{path}' is not a {expected_format} file: give a model or a network that bayleaf saved."
        ) from None
    if not isinstance(document, dict) or document.get("format") != expected_format:
        found = document.get("format") if isinstance(document, dict) else None
        if expected_format in _CONTENTS and isinstance(found, str) and found in _CONTENTS:
            what, reader = _CONTENTS[found]
            raise ValueError(
                f"'{path}' holds {what}, not {_CONTENTS[expected_format][0]}: read it with {reader}."
            )
        hint = f"; its format says {found!r}" if found is not None else ""
        raise ValueError(f"'{path}' is not a {expected_format} file{hint}.")
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"'{path}' is damaged: it has no version number.")
    if version > newest_version:
        raise ValueError(
            f"'{path}' was written by a newer bayleaf (format version {version}; this one reads up to "
            f"{newest_version}): upgrade bayleaf to read it."
        )
    return document


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict, as JSON's reader does, but refuse a key that is there twice: only one of the two would count."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:60]!r} is there twice")
    return made


FORMAT = "bayleaf-network"
VERSION = 1
# More than this would make a model file of some hundred megabytes.
MAX_FAMILIES = 100_000
MAX_FAMILY_CELLS = 10_000_000


def network_to_dict(network: BayesNet) -> dict[str, Any]:
    """Return a network as plain data.

    Examples
    --------
    >>> net = BayesNet([Variable("a", ("x", "y"))], DAG(["a"]), [[0.5, 0.5]])
    >>> network_to_dict(net)["tables"]
    [[0.5, 0.5]]
    """
    return {
        "variables": [variable.to_dict() for variable in network.variables],
        "parents": {name: list(network.parents(name)) for name in network.nodes},
        "tables": [table.tolist() for table in network.tables],
        "target": network.target,
    }


def network_from_dict(data: dict[str, Any]) -> BayesNet:
    """Rebuild a network from plain data; numbers are restored to the last bit."""
    variables = [Variable.from_dict(item) for item in data["variables"]]
    for child, parents in data["parents"].items():
        if len(set(parents)) < len(parents):
            raise ValueError(f"a parent of '{child}' is listed twice")
    arcs = [(parent, child) for child, parents in data["parents"].items() for parent in parents]
    dag = DAG([variable.name for variable in variables], arcs)
    tables = [np.array(table, dtype=np.float64) for table in data["tables"]]
    return BayesNet(variables, dag, tables, data.get("target"))


def tables_to_text(network: BayesNet) -> list[str]:
    """Return each table as one text, row by row: many small networks then make a file of few lines.

    Examples
    --------
    >>> tables_to_text(BayesNet([Variable("a", ("x", "y"))], DAG(["a"]), [[0.25, 0.75]]))
    ['0.25 0.75']
    """
    return [" ".join(map(repr, table.ravel().tolist())) for table in network.tables]


def tables_from_text(
    texts: Sequence[str], variables: Sequence[Variable], dag: DAG
) -> list[NDArray[np.float64]]:
    """Return the tables of a graph's nodes, restored to the last bit.

    Examples
    --------
    >>> tables_from_text(["0.25 0.75"], [Variable("a", ("x", "y"))], DAG(["a"]))
    [array([0.25, 0.75])]
    """
    return [
        np.array(text.split(), dtype=np.float64).reshape([variables[k].arity for k in (*parents, node)])
        for node, (parents, text) in enumerate(zip(dag.parent_indices, texts, strict=True))
    ]


def instance_network_to_dict(model: InstanceNetwork) -> dict[str, Any]:
    """Return what an instance network adds to its network as plain data, the table of every possible family."""
    nodes = model.nodes
    families = model.possible_families(MAX_FAMILIES)
    shapes = [
        [model.network.variables[j].arity for j in (*parents, node)] for node, parents in families or ()
    ]
    if families is None or sum(prod(shape) for shape in shapes) > MAX_FAMILY_CELLS:
        raise ValueError(
            "This model is too large for a model file: its functional dependencies allow more than "
            f"{MAX_FAMILIES:,} families or {MAX_FAMILY_CELLS:,} table cells. Pickle it instead, fit with a larger "
            "min_count, or with functional_dependencies=False."
        )
    return {
        "k": model.k,
        "candidates": {nodes[i]: [nodes[j] for j in ranked] for i, ranked in enumerate(model.candidates)},
        "min_count": model.dependencies.min_count,
        "dependencies": [list(each) for each in model.dependencies],
        "families": [
            {
                "node": nodes[node],
                "parents": [nodes[j] for j in parents],
                "table": model.families((node, parents)).tolist(),
            }
            for node, parents in families
        ],
    }


def instance_network_from_dict(data: dict[str, Any], network: BayesNet) -> InstanceNetwork:
    """Rebuild an instance network from its network and plain data."""
    index = network.dag.index
    families = {
        (index(item["node"]), tuple(map(index, item["parents"]))): np.array(item["table"], dtype=np.float64)
        for item in data["families"]
    }
    dependencies = FunctionalDependencies.from_list(
        network.variables, [Dependency(*item) for item in data["dependencies"]], data["min_count"]
    )
    candidates = [[index(name) for name in data["candidates"][node]] for node in network.nodes]
    return InstanceNetwork(network, dependencies, candidates, data["k"], StoredFamilies(families))


def write_network(network: BayesNet, path: FilePath) -> None:
    """Write a network as a JSON file, all or nothing; compressed where its name ends in ``.gz``."""
    write_document({"format": FORMAT, "version": VERSION, **network_to_dict(network)}, path)


@brief_errors()
def load_network(path: FilePath) -> BayesNet:
    """Read a network that `BayesNet.save` wrote.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.json"
    >>> BayesNet([Variable("a", ("x", "y"))], DAG(["a"]), [[0.5, 0.5]]).save(path)
    >>> load_network(path).nodes
    ('a',)
    """
    document = read_document(path, FORMAT, VERSION)
    try:
        return network_from_dict(document)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"'{path}' is damaged: its {FORMAT} content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' is damaged: {error}") from error
