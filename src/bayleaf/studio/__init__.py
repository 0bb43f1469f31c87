"""The server: a service around a model file, and a place to work in a browser, both for one machine."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

if TYPE_CHECKING:
    from .serving import scoring_app

__all__ = ["scoring_app"]


def __getattr__(name: str) -> _Any:
    if name in __all__:  # here, since it needs a web server's libraries
        return getattr(_import_module(".serving", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
