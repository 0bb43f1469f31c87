"""Learners: of graphs, of tables, of both by what they predict; scores, searches and selectors they are made of."""

from importlib import import_module as _import_module
from typing import Any as _Any

_ROOMS = (
    "discovery",
    "parameters",
    "register",
    "scores",
    "search",
    "selection",
    "structure",
    "tuning",
)


def __getattr__(name: str) -> _Any:
    """Import a room when it is first asked for."""
    if name in _ROOMS:
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_ROOMS]
