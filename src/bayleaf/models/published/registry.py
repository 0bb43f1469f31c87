"""Every published method by the name its paper uses."""

from importlib.metadata import version
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable

from bayleaf._util.optional import make_frame
from bayleaf._util.words import unknown_name
from bayleaf.classify.record import PublishedMethod
from bayleaf.learn.register import name_and_settings, set_by_name

from . import field, grossman_domingos_2004, kelner_lerner_2012, sugahara_ueno_2021, wang_zhao_2015
from .grossman_domingos_2004 import most_parents_method
from .papers import Method
from .pernkopf_bilmes_2010 import PUBLISHED, four_tag_method

METHODS: tuple[Method, ...] = (
    *wang_zhao_2015.METHODS,
    *field.METHODS,
    *sugahara_ueno_2021.METHODS,
    *kelner_lerner_2012.METHODS,
    *grossman_domingos_2004.METHODS,
)

MOST_DESCRIBED = 200  # characters of a setting, in the record of a model

# Other spellings in print, and what is meant where a paper names a family of methods.
OTHER_NAMES = {
    "ANB": "ANB-BDeu",
    "BNC2P": "BNC-2P",
    "FKDB-FD": "FKDB",
    "fsANB": "fsANB-BDeu",
    "ML-nP": "ML-2P",
    "RMCV": "RMCV(NBC)",
    "RMHO": "RMHO(NBC)",
    "RMHO-f": "RMHO-f(NBC)",
    "RMHO-ar": "RMHO-ar(NBC)",
}


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

    def to_frame(self, backend: str | None = None) -> Any:
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
    four_tags = (four_tag_method(name) for name in PUBLISHED)
    return MethodTable((*METHODS, *(method for method in four_tags if method is not None)))


def classifier(name: str, **settings: Any) -> Any:
    """Build a published method by the name its paper uses.

    Parameters
    ----------
    name : str
        See `methods`; with settings if needed, ``KDB(k=3)``. Upper and lower case are the same, and short forms are
        understood where one form of a method is the usual one (``fsANB``, ``RMCV``, ``BNC2P``). Names of
        the scheme structure-order-score-parameters (``TAN-OMI-CR-CL``, ``3-tree-OCR-CR-ML``) are understood in every
        combination.
    **settings
        Settings of the method itself (such as ``k``), or of the classifier (``discretizer``, ``missing``, ...).

    Notes
    -----
    A method comes with the discretiser and the parameter learner of its paper: ``classifier("TAN")`` has `MDLP` and
    `Laplace`, while ``BayesNetClassifier()``, also a TAN, has `AdaptiveQuantiles`, `TunedTables` and ``shrunk=True``.

    Examples
    --------
    >>> classifier("NB", missing="drop")
    BayesNetClassifier(discretizer=MDLP(), missing='drop', parameters=Laplace(), structure=NaiveBayes())
    >>> classifier("KDB(k=3)")
    BayesNetClassifier(discretizer=MDLP(), parameters=Laplace(), structure=KDB(k=3, smoothing=1.0))
    >>> classifier("TAN-OMI-CR-CL")
    BayesNetClassifier(discretizer=MDLP(), parameters=ConditionalLikelihood(), structure=OrderBased())
    """
    if isinstance(name, str):
        name, given = name_and_settings(name)
        settings = {**given, **settings}
    method = find_method(name)
    own = {key: value for key, value in settings.items() if key in method.settings}
    rest = {key: value for key, value in settings.items() if key not in own}
    built = method.build(**own)
    unusual = {key: value for key, value in own.items() if repr(value) != repr(method.settings[key])}
    described = {key: " ".join(repr(value).split())[:MOST_DESCRIBED] for key, value in unusual.items()}
    built.name_method(PublishedMethod(method.name, described, method.reference))
    set_by_name(built, rest, f"'{method.name}'", method.settings)
    return built


def find_method(name: str) -> Method:
    """Return a method by its name, registered or of the scheme structure-order-score-parameters, in any case."""
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
    parsed = four_tag_method(name) or most_parents_method(name)
    if parsed is not None:
        return parsed
    raise ValueError(unknown_name(name, [method.name for method in methods()], "bl.methods()"))


def cite(method: Any = None) -> str:
    """Return BibTeX of the paper behind a method; of bayleaf itself without one.

    Parameters
    ----------
    method : str or classifier, optional
        A name that `classifier` understands, or a classifier that was built by name.

    Examples
    --------
    >>> print(cite("TAN"))
    @article{friedman1997,
      author = {Friedman, Nir and Geiger, Dan and Goldszmidt, Moises},
      title = {{Bayesian network classifiers}},
      journal = {Machine Learning},
      volume = {29},
      year = {1997},
    }
    >>> cite("KDB").splitlines()[0]
    '@inproceedings{sahami1996,'
    """
    if method is None:
        return (
            "@software{bayleaf,\n  author = {{The bayleaf developers}},\n"
            "  title = {{bayleaf: Bayesian network classifiers for Python}},\n"
            f"  version = {{{version('bayleaf')}}},\n}}"
        )
    if not isinstance(method, str) and hasattr(method, "published_method"):
        named = method.published_method
        if named is None:
            raise ValueError(
                "This classifier is not a published method: bl.methods() lists the names that cite knows."
            )
        method = named.name
    name = name_and_settings(method)[0] if isinstance(method, str) else method
    return find_method(name).bibtex
