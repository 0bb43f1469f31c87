"""HITON parents and children, semi-interleaved."""

import numpy as np

from bayleaf.data import Table

from .association import NeighbourSelector, Tests, subsets
from .mmpc import shrink


class HITONPC(NeighbourSelector):
    """HITON parents and children of the class, semi-interleaved.

    Features join in the order of their association with the class, and each newcomer must stay dependent given all
    subsets of those found; a full backward pass comes at the end.

    Parameters
    ----------
    test : association test, optional
        `G2` (the default) or `BayesFactor`.
    max_conditioning : int, default=3
        Largest conditioning set.
    symmetric : bool, default=False
        Whether a feature is kept only if the class is found from it as well.
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

    References
    ----------
    C. F. Aliferis, I. Tsamardinos and A. Statnikov. HITON: a novel Markov blanket algorithm for optimal variable
    selection. AMIA Annual Symposium, 2003.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, (0, 1), None, "integer") for name in ("a", "noise", "class"))
    >>> rows = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 20
    >>> table = Table.from_codes(variables, rows, target=2)
    >>> HITONPC().select(table, np.random.default_rng(0))
    [0]
    """

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        return self.neighbours_of_class(table, interleaved)


def interleaved(tests: Tests, target: int, most: int) -> list[int]:
    """Return the candidate parents and children of a variable."""
    others = [x for x in range(tests.table.n_variables) if x != target]
    marginal = {x: tests.between(x, target, ()) for x in others}
    ranked = sorted(
        (x for x in others if not marginal[x].independent), key=lambda x: (-marginal[x].strength, x)
    )
    found: list[int] = []
    for x in ranked:
        if not tests.weakest(x, target, subsets(found, most)).independent:
            found.append(x)
    return shrink(tests, target, found, most)
