"""What a published method is: a name, how to build it, where it comes from."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Method:
    """A named classifier: how to build it and where it comes from.

    Examples
    --------
    >>> Method("NB", lambda smoothing=1.0: None, "Duda & Hart 1973", "naive Bayes", "Laplace", "Simple.").settings
    {'smoothing': 1.0}
    """

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
