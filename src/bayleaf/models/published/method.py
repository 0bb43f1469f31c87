"""What the registry knows of a method."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Method:
    """A named classifier: how to build it and where it comes from."""

    name: str
    build: Callable[..., Any]
    reference: str
    structure: str
    parameters: str
    summary: str

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of its own, with their defaults."""
        signature = inspect.signature(self.build)
        return {name: parameter.default for name, parameter in signature.parameters.items()}
