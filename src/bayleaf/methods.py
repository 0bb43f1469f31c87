"""Every published method by the name its paper uses."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable

from ._util.frames import DEFAULT_BACKEND, make_frame
from .classifier import BayesNetClassifier
from .ensemble import BaggedClassifier
from .parameters import Dirichlet, Laplace, MaximumLikelihood
from .scores import BDeu
from .selection import BayesFactorSelector
from .structure import FAN, FKDB, KDB, MCDAG, TAN, Exact, NaiveBayes, TANaCLL
from .table import MedianSplit


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


FRIEDMAN = "Friedman, Geiger & Goldszmidt 1997"
SAHAMI = "Sahami 1996"
WANG = "Wang & Zhao 2015"


def _rtan(n_estimators: int = 10, vote: Literal["majority", "average"] = "majority") -> BaggedClassifier:
    return BaggedClassifier(BayesNetClassifier(TAN(), Laplace()), n_estimators, vote)


def _kdb(k: int = 2) -> BayesNetClassifier:
    return BayesNetClassifier(KDB(k), Laplace())


def _fkdb(k: int = 2) -> BayesNetClassifier:
    return BayesNetClassifier(FKDB(k), Laplace())


def _kdb_fd(k: int = 2, min_count: float = 100) -> BayesNetClassifier:
    return BayesNetClassifier(KDB(k, functional_dependencies=True, min_count=min_count), Laplace())


def _fkdb_fd(k: int = 2, min_count: float = 100) -> BayesNetClassifier:
    return BayesNetClassifier(FKDB(k, functional_dependencies=True, min_count=min_count), Laplace())


SUGAHARA = "Sugahara & Ueno 2021"


def _exact(ess: float, *, augmented: bool, selector: Any = None) -> BayesNetClassifier:
    return BayesNetClassifier(Exact(BDeu(ess), augmented), Dirichlet(), MedianSplit(), selector)


METHODS: tuple[Method, ...] = (
    Method(
        "NB",
        lambda: BayesNetClassifier(NaiveBayes(), Laplace()),
        "Duda & Hart 1973",
        "naive Bayes",
        "Laplace",
        "Features independent given the class.",
    ),
    Method(
        "TAN",
        lambda: BayesNetClassifier(TAN(), Laplace()),
        FRIEDMAN,
        "maximum spanning tree on I(X;Y|C)",
        "Laplace",
        "Each feature depends on the class and one other feature.",
    ),
    Method(
        "FAN",
        lambda: BayesNetClassifier(FAN(), Laplace()),
        "Lucas 2004",
        "maximum spanning forest on I(X;Y|C)",
        "Laplace",
        "Like TAN, with only the dependences that pay for their parameters.",
    ),
    Method(
        "RTAN",
        _rtan,
        "Ma & Shi 2004",
        "bagged TANs",
        "Laplace",
        "TANs of bootstrap samples vote.",
    ),
    Method(
        "KDB",
        _kdb,
        SAHAMI,
        "ordered by I(X;C), k strongest I(X;Y|C) before",
        "Laplace",
        "Each feature depends on the class and up to k features that tell more about it.",
    ),
    Method(
        "FKDB",
        _fkdb,
        WANG,
        "order and k parents by I(X;C) + sum of I(X;Y|C)",
        "Laplace",
        "Like KDB, with an order that leaves the strongest dependences possible.",
    ),
    Method(
        "KDB-FD",
        _kdb_fd,
        WANG,
        "as KDB; parents vary with functional dependencies",
        "Laplace",
        "KDB in which parents that others determine are replaced, row by row.",
    ),
    Method(
        "FKDB-FD",
        _fkdb_fd,
        WANG,
        "as FKDB; parents vary with functional dependencies",
        "Laplace",
        "FKDB in which parents that others determine are replaced, row by row.",
    ),
    Method(
        "GBN-BDeu",
        lambda ess=1.0: _exact(ess, augmented=False),
        SUGAHARA,
        "the best graph of all (exact search)",
        "expected a posteriori, ESS 1",
        "The most probable network over all variables, the class among them.",
    ),
    Method(
        "ANB-BDeu",
        lambda ess=1.0: _exact(ess, augmented=True),
        SUGAHARA,
        "the best augmented naive Bayes (exact search)",
        "expected a posteriori, ESS 1",
        "The most probable network in which the class is a parent of every feature.",
    ),
    Method(
        "fsANB-BDeu",
        lambda ess=1.0: _exact(ess, augmented=True, selector=BayesFactorSelector()),
        SUGAHARA,
        "Bayes factor selection, then the best augmented naive Bayes",
        "expected a posteriori, ESS 1",
        "As ANB-BDeu, over the features that depend on the class.",
    ),
    Method(
        "TAN-aCLL",
        lambda: BayesNetClassifier(TANaCLL(), Dirichlet(), MedianSplit()),
        "Carvalho, Adao & Mateus 2013",
        "maximum directed spanning tree on the approximate conditional log-likelihood",
        "expected a posteriori, ESS 1",
        "A tree chosen for the class posterior instead of the joint distribution.",
    ),
    Method(
        "MC-DAG",
        lambda price=0.0: BayesNetClassifier(MCDAG(price=price), MaximumLikelihood(), MedianSplit()),
        "Mihaljevic, Bielza & Larranaga 2018",
        "greedy over minimal class-focused graphs, conditional log-likelihood",
        "maximum likelihood",
        "Every arc ends in a child of the class; for small data.",
    ),
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
    return MethodTable(METHODS)


def classifier(name: str, **settings: Any) -> Any:
    """Build a published method by the name its paper uses.

    Parameters
    ----------
    name : str
        See `methods`; upper and lower case are the same.
    **settings
        Settings of the method itself (such as ``k``), or of the classifier (``discretizer``, ``missing``, ...).

    Examples
    --------
    >>> classifier("NB", missing="drop")
    BayesNetClassifier(missing='drop', parameters=Laplace(), structure=NaiveBayes())
    """
    method = _find(name)
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
            raise ValueError(f"'{method.name}' has no setting {unknown}; it has {shown}.")
        built.set_params(**{places[key]: value for key, value in part.items()})
    return built


def _find(name: str) -> Method:
    for method in METHODS:
        if method.name.lower() == str(name).lower():
            return method
    raise ValueError(f"There is no method '{name}'; there are {', '.join(_names())}.")


def _names() -> Iterator[str]:
    return (method.name for method in METHODS)
