"""Reading a network from any file that has one."""

import json
from pathlib import Path
from typing import Any

import bayleaf
from bayleaf.network import BayesNet, load_network


def read_network(path: Path) -> BayesNet:
    """Read the network of a model file, a network file or a BIF file."""
    network = read_model_or_network(path)
    return network if isinstance(network, BayesNet) else network.network_


def read_model_or_network(path: Path) -> Any:
    """Read a fitted classifier from a model file, or a network from a network file or a BIF file."""
    if path.suffix.lower() == ".bif":
        from bayleaf.network.bif import read_bif

        return read_bif(path)
    return load_network(path) if _format(path) == "bayleaf-network" else bayleaf.load(path)


def _format(path: Path) -> object:
    """Return what a JSON document says it is, or None (the reader of model files will say what is wrong)."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, IsADirectoryError):
        return None
    return document.get("format") if isinstance(document, dict) else None
