"""A published method, and the paper it comes from; ``papers.bib`` has the papers as BibTeX."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
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

    @property
    def bibtex(self) -> str:
        """The entry of its paper for a ``.bib`` file."""
        return papers()[_key(self.reference)]


def papers() -> dict[str, str]:
    """Return the entries of ``papers.bib`` by their keys."""
    text = files(__package__).joinpath("papers.bib").read_text(encoding="utf-8")
    entries = text.strip().split("\n\n")
    return {re.split(r"[{,]", entry)[1]: entry for entry in entries}


def _key(reference: str) -> str:
    """Return the key of a reference such as "after Zaidi et al. 2013": its first author and year, "zaidi2013"."""
    first = re.split(r",| & | et al| \d", reference.removeprefix("after "))[0]
    return first.replace(" ", "").lower() + reference[-4:]
