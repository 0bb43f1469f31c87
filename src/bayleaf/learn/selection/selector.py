"""The base of all selectors: from data to a selection, whatever the algorithm."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import Seed
from bayleaf._util.params import Needs, WithSettings, check_settings, declared, generator, seeding
from bayleaf.data import Schema, Table, TableReader
from bayleaf.data.categories import without_identifiers
from bayleaf.graph.parents import Arc, listed_arcs

# Who needs a class, in messages.
FEATURE_SELECTOR = "A feature selector"


class Selector(SelectorMixin, WithSettings, ABC):  # type: ignore[misc]
    """Base class of the feature selectors, which are transformers of scikit-learn: a subclass selects from a table.

    Inside a classifier a selector gets the encoded rows. On its own it reads columns as a classifier does by default,
    and cuts numbers by `MDLP`.

    Parameters
    ----------
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

    settings = declared(random_state=seeding)
    random_state: Seed = None  # of a subclass whose constructor has none

    def __init__(self, *, random_state: Seed = None) -> None:
        self.random_state = random_state

    @property
    def needs(self) -> Needs:
        """What the selector needs of the rows: "pairs", "counts", "distinct rows" or "rows"."""
        return "rows"

    @abstractmethod
    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features to keep, ascending."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select features of a DataFrame or array; `get_support` and `transform` then work as in scikit-learn."""
        check_settings(self)
        table = TableReader().learn(self, X, y, sample_weight)
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


def keep_selected(selector: Any, structure: Any, table: Table, rng: np.random.Generator) -> Table:
    """Return the table with the features that a selector keeps; refuse arcs that name one of the others."""
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
