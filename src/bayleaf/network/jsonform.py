"""Networks as plain data, and as JSON files that execute nothing when they are read."""

import json
import os
from typing import Any

import numpy as np

from bayleaf._util.files import atomic_write
from bayleaf._util.jsonfile import read_document
from bayleaf.graph import DAG
from bayleaf.table import Variable

from .bayesnet import BayesNet

FORMAT = "bayleaf-network"
VERSION = 1


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
    arcs = [(parent, child) for child, parents in data["parents"].items() for parent in parents]
    dag = DAG([variable.name for variable in variables], arcs)
    tables = [np.array(table, dtype=np.float64) for table in data["tables"]]
    return BayesNet(variables, dag, tables, data.get("target"))


def write_network(network: BayesNet, path: str | os.PathLike[str]) -> None:
    """Write a network as a JSON file, all or nothing."""
    with atomic_write(path) as file:
        json.dump({"format": FORMAT, "version": VERSION, **network_to_dict(network)}, file, indent=1)


def load_network(path: str | os.PathLike[str]) -> BayesNet:
    """Read a network that `BayesNet.save` wrote.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "net.json"
    >>> BayesNet([Variable("a", ("x", "y"))], DAG(["a"]), [[0.5, 0.5]]).save(path)
    >>> load_network(path).nodes
    ('a',)
    """
    document = read_document(path, FORMAT, VERSION)
    try:
        return network_from_dict(document)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"'{path}' is damaged: its {FORMAT} content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' is damaged: {error}") from error
