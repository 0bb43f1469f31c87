"""Every published method by the name its paper uses."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable

from bayleaf._util.frames import DEFAULT_BACKEND, make_frame
from bayleaf._util.words import unknown_name
from bayleaf.estimator import BayesNetClassifier

from . import exact_anb as exact
from . import restricted, unrestricted
from .four_tags import PUBLISHED, FourTags
from .method import Method

METHODS: tuple[Method, ...] = (*restricted.METHODS, *exact.METHODS, *unrestricted.METHODS)

PERNKOPF = "Pernkopf & Bilmes 2010"

# Other spellings in print, and what is meant where a paper names a family of methods.
OTHER_NAMES = {
    "ANB": "ANB-BDeu",
    "BNC2P": "BNC-2P",
    "fsANB": "fsANB-BDeu",
    "ML-nP": "ML-2P",
    "RMCV": "RMCV(NBC)",
    "RMHO": "RMHO(NBC)",
    "RMHO-f": "RMHO-f(NBC)",
    "RMHO-ar": "RMHO-ar(NBC)",
}


def _four_tag_method(name: str) -> Method | None:
    """Build a method from a name such as TAN-OMI-CR-CL; None when it is not such a name."""
    tags = FourTags.parse(name)
    if tags is None:
        return None
    structure = tags.structure_text
    parameters = "maximum likelihood" if tags.parameters == "ML" else "conditional likelihood"
    return Method(
        name,
        lambda: BayesNetClassifier(tags.structure_learner(), tags.parameter_learner()),
        PERNKOPF,
        structure,
        parameters,
        f"{structure[0].upper()}{structure[1:]}; {parameters}.",
    )


def _most_parents_method(name: str) -> Method | None:
    """Build a method from a name such as BNC-3P, ML-3P or BNC-3P-ELR, which says how many parents there may be."""
    found = re.fullmatch(r"(BNC|ML)-([1-9]\d*)P(-ELR)?", name.upper())
    if found is None or found.group(1, 3) == ("ML", "-ELR"):
        return None
    kind, n, elr = found.group(1), int(found.group(2)), found.group(3) or ""
    known = find_method(f"{kind}-2P{elr}")
    return replace(
        known,
        name=f"{kind}-{n}P{elr}",
        build=partial(known.build, n=n),
        summary=f"{known.name} for n = {n}.",
    )


class MethodTable(tuple[Method, ...]):
    """The registered methods; prints as a table and exports to a DataFrame."""

    __slots__ = ()

    def _columns(self) -> dict[str, list[str]]:
        return {
            "name": [method.name for method in self],
            "structure": [method.structure for method in self],
            "parameters": [method.parameters for method in self],
            "settings": [", ".join(f"{k}={v}" for k, v in method.settings.items()) for method in self],
            "reference": [method.reference for method in self],
            "summary": [method.summary for method in self],
        }

    def to_frame(self, backend: str = DEFAULT_BACKEND) -> Any:
        """Return the methods as a DataFrame."""
        return make_frame(self._columns(), backend)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = self._columns()
        table = RichTable(title="Methods")
        for name in columns:
            table.add_column(name, no_wrap=name == "name")
        for row in zip(*columns.values(), strict=True):
            table.add_row(*row)
        yield table

    def __repr__(self) -> str:
        console = Console(width=120, color_system=None)
        with console.capture() as capture:
            console.print(self)
        return capture.get()


def methods() -> MethodTable:
    """Return all registered methods: name, structure, parameters, reference, one line each.

    Examples
    --------
    >>> [method.name for method in methods()][:2]
    ['NB', 'TAN']
    """
    four_tags = (_four_tag_method(name) for name in PUBLISHED)
    return MethodTable((*METHODS, *(method for method in four_tags if method is not None)))


def classifier(name: str, **settings: Any) -> Any:
    """Build a published method by the name its paper uses.

    Parameters
    ----------
    name : str
        See `methods`; upper and lower case are the same, and short forms are understood where one form of a
        method is the usual one (``fsANB``, ``RMCV``, ``BNC2P``). Names of the scheme structure-order-score-parameters
        (``TAN-OMI-CR-CL``, ``3-tree-OCR-CR-ML``) are understood in every combination.
    **settings
        Settings of the method itself (such as ``k``), or of the classifier (``discretizer``, ``missing``, ...).

    Notes
    -----
    A method comes with the parameter learner of its paper: ``classifier("TAN")`` has `Laplace` tables, while
    ``BayesNetClassifier()``, also a TAN, has those of `Dirichlet` with ess 1. Their probabilities differ a little.

    Examples
    --------
    >>> classifier("NB", missing="drop")
    BayesNetClassifier(missing='drop', parameters=Laplace(), structure=NaiveBayes())
    >>> classifier("TAN-OMI-CR-CL")
    BayesNetClassifier(parameters=ConditionalLikelihood(), structure=OrderBased())
    """
    method = find_method(name)
    own = {key: value for key, value in settings.items() if key in method.settings}
    rest = {key: value for key, value in settings.items() if key not in own}
    built = method.build(**own)
    # Learners first, so that settings of a learner given here (parameters__ess) are found.
    for nested in (False, True):
        part = {key: value for key, value in rest.items() if ("__" in key) == nested}
        params = built.get_params()
        # The settings of an ensemble's members are settings of the method too.
        places = {key: key if key in params else f"estimator__{key}" for key in part}
        unknown = sorted(key for key, place in places.items() if place not in params)
        if unknown:
            possible = [*method.settings, *(key.removeprefix("estimator__") for key in params)]
            shown = ", ".join(dict.fromkeys(key for key in possible if "__" not in key))
            raise ValueError(f"'{method.name}' has no setting '{unknown[0]}'; it has {shown}.")
        built.set_params(**{places[key]: value for key, value in part.items()})
    return built


def find_method(name: str) -> Method:
    """Return a method by its name, registered or of the scheme structure-order-score-parameters, in any case.

    Examples
    --------
    >>> find_method("tan").reference
    'Friedman, Geiger & Goldszmidt 1997'
    """
    if not isinstance(name, str):
        raise TypeError(
            f"A method is named by a text such as 'TAN'; see bl.methods() for all. Got {name!r} instead."
        )
    name = name.strip()
    wanted = {other.lower(): meant.lower() for other, meant in OTHER_NAMES.items()}.get(
        name.lower(), name.lower()
    )
    for method in METHODS:
        if method.name.lower() == wanted:
            return method
    parsed = _four_tag_method(name) or _most_parents_method(name)
    if parsed is not None:
        return parsed
    raise ValueError(unknown_name(name, [method.name for method in methods()], "bl.methods()"))
