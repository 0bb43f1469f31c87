"""Versioned JSON documents: networks as plain data, and errors that say what is wrong with a file."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.whole_files import FilePath, atomic_write, brief_errors, read_text
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

# What a file of each format holds, and what reads it.
_CONTENTS = {
    "bayleaf": ("a fitted classifier", "bayleaf.load"),
    "bayleaf-network": ("a network", "bayleaf.load_network"),
}


def write_document(document: dict[str, Any], path: FilePath) -> None:
    """Write a JSON document, all or nothing; compressed where the name ends in ``.gz``."""
    with atomic_write(path) as file:
        json.dump(document, file, indent=1)  # in ASCII: a lone surrogate has no UTF-8


def read_document(path: FilePath, expected_format: str, newest_version: int) -> dict[str, Any]:
    """Read a JSON document of a known format and version."""
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


def families_to_dict(network: BayesNet) -> dict[str, Any]:
    """Return the graph and the tables of a network whose variables are written elsewhere."""
    return {
        "parents": {name: list(network.parents(name)) for name in network.nodes},
        "tables": [table.tolist() for table in network.tables],
    }


def families_from_dict(data: dict[str, Any], variables: Sequence[Variable], target: str | None) -> BayesNet:
    """Rebuild a network over its variables, which are in the order of its nodes."""
    for child, parents in data["parents"].items():
        if len(set(parents)) < len(parents):
            raise ValueError(f"a parent of '{child}' is listed twice")
    arcs = [(parent, child) for child, parents in data["parents"].items() for parent in parents]
    dag = DAG([variable.name for variable in variables], arcs)
    tables = [np.array(table, dtype=np.float64) for table in data["tables"]]
    return BayesNet(variables, dag, tables, target)


def tables_to_text(network: BayesNet) -> list[str]:
    """Return each table as one text, row by row: many small networks then make a file of few lines."""
    return [" ".join(map(repr, table.ravel().tolist())) for table in network.tables]


def tables_from_text(
    texts: Sequence[str], variables: Sequence[Variable], dag: DAG
) -> list[NDArray[np.float64]]:
    """Return the tables of a graph's nodes, restored to the last bit."""
    return [
        np.array(text.split(), dtype=np.float64).reshape([variables[k].arity for k in (*parents, node)])
        for node, (parents, text) in enumerate(zip(dag.parent_indices, texts, strict=True))
    ]


def write_network(network: BayesNet, path: FilePath) -> None:
    """Write a network as a JSON file, all or nothing; compressed where its name ends in ``.gz``."""
    content = {
        "variables": [variable.to_dict() for variable in network.variables],
        **families_to_dict(network),
        "target": network.target,
    }
    write_document({"format": FORMAT, "version": VERSION, **content}, path)


@brief_errors()
def load_network(path: FilePath) -> BayesNet:
    """Read a network that `BayesNet.save` wrote; numbers are restored to the last bit."""
    document = read_document(path, FORMAT, VERSION)
    try:
        variables = [Variable.from_dict(item) for item in document["variables"]]
        return families_from_dict(document, variables, document["target"])
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"'{path}' is damaged: its {FORMAT} content is incomplete ({error}).") from error
    except ValueError as error:
        raise ValueError(f"'{path}' is damaged: {error}") from error
