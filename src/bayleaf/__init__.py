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


def __getattr__(name: str) -> "Any":
    """Load the library when a name is first asked for: ``import bayleaf`` and the command's help stay quick."""
    from importlib import import_module

    if name == "__version__":
        return import_module("importlib.metadata").version("bayleaf")
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'bayleaf' has no attribute '{name}'")
    names = import_module("bayleaf._names")  # brings the rooms, which then are attributes of this module
    if name == "__all__":
        return names.public_names()
    found = globals()[name] if name in globals() else getattr(names, name)
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    from ._names import all_names

    return list(all_names())
