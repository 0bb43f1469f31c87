"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values.

A Bayesian network classifier is a graph plus tables; a learner is a structure learner times a parameter learner;
data reaches both only as counts or as per-row log-joints.

At the top level are the classifiers and what they are made of. Everything else is in a subpackage: ``bl.data``,
``bl.counts``, ``bl.graph``, ``bl.learn``, ``bl.network``, ``bl.tables``, ``bl.explain``, ``bl.quality``, ...
"""

# Nothing is imported here, not even typing: a command is to be ready for Ctrl-C at once.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._names import *  # noqa: F403

ROOMS = (
    "benchmark",
    "classify",
    "counts",
    "data",
    "explain",
    "graph",
    "learn",
    "models",
    "network",
    "networks",
    "page",
    "pool",
    "quality",
    "spark",
    "streams",
    "studio",
    "tables",
)


def __getattr__(name: str) -> "Any":
    """Load the library when a name is first asked for: ``import bayleaf`` and the command's help stay quick."""
    from importlib import import_module

    if name == "__version__":
        return import_module("importlib.metadata").version("bayleaf")
    if name in ROOMS:
        return import_module(f"bayleaf.{name}")
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'bayleaf' has no attribute '{name}'")
    names = import_module("bayleaf._names")
    if name == "__all__":
        return names.public_names()
    return globals().setdefault(name, names.named(name))


def __dir__() -> list[str]:
    from ._names import all_names

    return list(all_names())
