"""The base of all selectors: from data to a selection, whatever the algorithm."""

from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.params import WAYS_WITH_GAPS, check_param, generator
from bayleaf.data import Schema, Table, TableReader
from bayleaf.data.identifiers import without_identifiers
from bayleaf.graph.parents import Arc, listed_arcs


class Selector(SelectorMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of the feature selectors, which are transformers of scikit-learn: a subclass selects from a table.

    Parameters
    ----------
    discretizer : discretiser, optional
        Cuts numeric columns when the selector is fitted on its own: `MDLP` by default.
    categorical_features : {"auto", "from_dtype"}, mask, positions or names, default="auto"
        Numeric columns to take as categories, when the selector is fitted on its own.
    column_types : dict, optional
        What columns are, where that is not what they look like, when the selector is fitted on its own: see
        `BayesNetClassifier`.
    identifiers : {"drop", "keep"}, default="drop"
        Whether columns that look like identifiers are left out, when the selector is fitted on its own.
    missing : {"auto", "available", "state", "drop", "impute"}, default="auto"
        What missing values mean, when the selector is fitted on its own: see `BayesNetClassifier`.
    min_frequency, max_categories : optional
        Which categories are pooled into one state, when the selector is fitted on its own: see `BayesNetClassifier`.
    random_state : int, RandomState or Generator, optional

    Attributes
    ----------
    support_ : ndarray of bool
        Which features are kept.

    Examples
    --------
    >>> class FirstTwo(Selector):
    ...     def select(self, table, rng):
    ...         return table.features[:2]
    >>> FirstTwo().fit_transform([[1, 2, 3], [4, 5, 6]], ["no", "yes"])
    array([[1, 2], [4, 5]])
    """

    def __init__(
        self,
        *,
        discretizer: Any = None,
        categorical_features: Any = "auto",
        column_types: Any = None,
        identifiers: Literal["drop", "keep"] = "drop",
        missing: Literal["auto", "available", "state", "drop", "impute"] = "auto",
        min_frequency: float | None = None,
        max_categories: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.discretizer = discretizer
        self.categorical_features = categorical_features
        self.column_types = column_types
        self.identifiers = identifiers
        self.missing = missing
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.random_state = random_state

    @abstractmethod
    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features to keep, ascending."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select features of a DataFrame or array; `get_support` and `transform` then work as in scikit-learn."""
        check_param(self, "identifiers", self.identifiers, str, options=("drop", "keep"))
        check_param(self, "missing", self.missing, str, options=WAYS_WITH_GAPS)
        reader = TableReader.of(self, class_weight=None, n_jobs=None)
        table = reader.learn(self, X, y, sample_weight)
        used = without_identifiers(table)
        chosen = self.select(used, generator(self.random_state))
        # What is made from a column is of no use without it.
        kept = {used.variables[j].source or used.names[j] for j in chosen}
        columns = Schema(table.variables[:-1]).columns
        self.support_ = np.array([variable.name in kept for variable in columns])
        return self

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags


def require_class(table: Table) -> int:
    """Return the class column of a table, or say that it has none."""
    if table.target is None:
        raise ValueError("A feature selector needs a class: the table has no target column.")
    return table.target


def keep_selected(selector: Any, structure: Any, table: Table, rng: np.random.Generator) -> Table:
    """Return the table with the features that a selector keeps; refuse arcs that name one of the others.

    Examples
    --------
    >>> from bayleaf import BayesFactorSelector, HillClimbing
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "noise", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 20, target=2)
    >>> selector, rng = BayesFactorSelector(ess=1.0, delta=3.0), np.random.default_rng(0)
    >>> keep_selected(selector, HillClimbing(), table, rng).names
    ('a', 'class')
    """
    kept = table.select([*selector.select(table, rng), table.n_variables - 1])
    removed = set(table.names) - set(kept.names)
    for what in ("required", "forbidden"):
        for arc in _arcs(structure, what):
            for name in removed.intersection(arc):
                raise ValueError(
                    f"The {what} arc '{arc[0]}' -> '{arc[1]}' names '{name}', which {selector!r} has left out: drop "
                    "the arc, or learn without this selector."
                )
    return kept


def _arcs(structure: Any, what: str) -> list[Arc]:
    """Return the required or forbidden arcs of a structure learner, if that is what it has."""
    try:
        return listed_arcs(getattr(structure, what, ()), "The arcs")
    except (TypeError, ValueError):  # None, or something to which the learner itself will say a word
        return []
