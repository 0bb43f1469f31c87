"""From data to a selection: what all selectors do around their algorithm."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from bayleaf._util.params import generator
from bayleaf.data import MDLP, Table, learn_schema
from bayleaf.data.columns import as_array, as_frame
from bayleaf.data.target import categorical_mask, check_labels, read_target, read_weights, target_name
from bayleaf.graph.checks import Arc, listed_arcs


class Selector(Protocol):
    """What fitting a selector needs to know of it."""

    discretizer: Any
    categorical_features: Any
    random_state: Any

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features to keep, ascending."""
        ...


# The selectors take the next three functions into their class bodies as methods: scikit-learn asks them of every
# selector, and they are the same for all.


def fit_selector(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Select features of a DataFrame or array; `get_support` and `transform` then work as in scikit-learn."""
    table = encode_training_data(self, X, y, sample_weight)
    chosen = self.select(table, generator(self.random_state))
    self.support_ = np.zeros(table.n_variables - 1, dtype=bool)
    self.support_[chosen] = True
    return self


def support_mask(self: Any) -> NDArray[np.bool_]:
    """Return which features a fitted selector keeps."""
    check_is_fitted(self)
    mask: NDArray[np.bool_] = self.support_
    return mask


def selector_tags(self: Any) -> Any:
    """Declare what the selectors accept: missing values, strings, categories; a class is required."""
    tags = SelectorMixin.__sklearn_tags__(self)
    tags.input_tags.allow_nan = True
    tags.input_tags.categorical = True
    tags.input_tags.string = True
    tags.target_tags.required = True
    return tags


def encode_training_data(selector: Any, X: Any, y: Any, sample_weight: Any) -> Table:
    """Check and encode what fit was given; numeric columns are cut by the selector's discretiser."""
    if as_frame(X) is None:
        X = as_array(X)
    validate_data(selector, X, skip_check_array=True)
    check_labels(X, y, selector)
    has_names = hasattr(selector, "feature_names_in_")
    names = (
        [str(name) for name in selector.feature_names_in_]
        if has_names
        else [f"x{j}" for j in range(selector.n_features_in_)]
    )
    target, _, codes = read_target(y, name=target_name(y, names))
    return learn_schema(
        X,
        codes,
        target,
        discretizer=MDLP() if selector.discretizer is None else selector.discretizer,
        categorical=categorical_mask(selector.categorical_features, names, has_names=has_names),
        names=names,
        weights=read_weights(sample_weight, X),
    )


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
