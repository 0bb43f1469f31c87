"""Constraints of the command line: arcs that a network must or must not have, and tiers."""

import inspect
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from bayleaf import register
from bayleaf._util.words import split_names
from bayleaf.graph import Arc, tier_arcs
from bayleaf.structure.tan import default_structure

Forbid = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARCS",
        help="Arcs that the network must not have, such as 'a->b', separated by commas; may be repeated.",
        show_default=False,
    ),
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="ARCS",
        help="Arcs that the network must have, such as 'a->b', separated by commas; may be repeated.",
        show_default=False,
    ),
]
Tiers = Annotated[
    str | None,
    typer.Option(
        metavar="TIERS",
        help="What comes before what, such as 'age, sex < pressure': no arc leads back into an earlier tier.",
        show_default=False,
    ),
]


def read_arcs(texts: Sequence[str] | None, option: str) -> list[Arc]:
    """Read arcs written ``parent->child``, separated by commas.

    Examples
    --------
    >>> read_arcs(["a->b, a -> c"], "--forbid")
    [('a', 'b'), ('a', 'c')]
    """
    arcs = []
    for text in texts or ():
        for part in split_names(text):
            parent, arrow, child = (each.strip() for each in part.partition("->"))
            if not (parent and arrow and child):
                raise ValueError(f"{option} takes arcs such as 'a->b'. Got '{part}'.")
            arcs.append((parent, child))
    return arcs


def read_tiers(text: str | None) -> list[Arc]:
    """Read tiers, and return the arcs that they forbid.

    Examples
    --------
    >>> read_tiers("age, sex < pressure")
    [('pressure', 'age'), ('pressure', 'sex')]
    """
    if text is None:
        return []
    tiers = [split_names(part) for part in text.split("<")]
    if len(tiers) < 2 or not all(tiers):
        raise ValueError(f"--tiers takes names in tiers, such as 'age, sex < pressure'. Got '{text}'.")
    return tier_arcs(tiers)


def constrain(
    classifier: Any, forbid: Sequence[str] | None, require: Sequence[str] | None, tiers: str | None
) -> None:
    """Give the structure learner of a classifier the arcs it must and must not make, or say that it takes none."""
    wanted = {
        "forbidden": [*read_arcs(forbid, "--forbid"), *read_tiers(tiers)],
        "required": read_arcs(require, "--require"),
    }
    wanted = {name: arcs for name, arcs in wanted.items() if arcs}
    if not wanted:
        return
    settings = classifier.get_params(deep=False)
    if "structure" in settings and settings["structure"] is None:
        classifier.set_params(structure=default_structure())
        settings = classifier.get_params(deep=False)
    learner = settings.get("structure")
    if learner is None or any(name not in learner.get_params(deep=False) for name in wanted):
        what = "The ensemble" if "structure" not in settings else type(learner).__name__
        raise ValueError(f"{what} takes no constraints on its arcs; those that do: {', '.join(_able())}.")
    for name, arcs in wanted.items():
        learner.set_params(**{name: [*(getattr(learner, name) or ()), *arcs]})


def _able() -> list[str]:
    return sorted(
        name
        for name, learner in register.learners().items()
        if inspect.isclass(learner) and {"required", "forbidden"} <= {*inspect.signature(learner).parameters}
    )
