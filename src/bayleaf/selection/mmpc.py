"""Max-min parents and children."""

import numpy as np

from bayleaf.data import Table

from .association import NeighbourSelector, Tests, subsets


class MMPC(NeighbourSelector):
    """Max-min parents and children of the class.

    Forward: add the feature whose weakest association with the class, over subsets of those found, is strongest; one
    that is independent given some subset is dropped permanently. Backward: drop those independent given a subset of
    the others.

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
    I. Tsamardinos, L. E. Brown and C. F. Aliferis. The max-min hill-climbing Bayesian network structure learning
    algorithm. Machine Learning 65, 2006.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, (0, 1), None, "integer") for name in ("a", "noise", "class"))
    >>> rows = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 20
    >>> table = Table.from_codes(variables, rows, target=2)
    >>> MMPC().select(table, np.random.default_rng(0))
    [0]
    """

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        return self.neighbours_of_class(table, max_min)


def max_min(tests: Tests, target: int, most: int) -> list[int]:
    """Return the candidate parents and children of a variable."""
    found: list[int] = []
    weakest: dict[int, float] = {}
    for x in range(tests.table.n_variables):
        if x != target and not (marginal := tests.between(x, target, ())).independent:
            weakest[x] = marginal.strength
    while weakest:
        best = max(weakest, key=lambda x: (weakest[x], -x))
        del weakest[best]
        # Subsets without the newcomer were tested before.
        fresh = [(*given, best) for given in subsets(found, most - 1)] if most > 0 else []
        found.append(best)
        for x in list(weakest):
            association = tests.weakest(x, target, fresh)
            if association.independent:
                del weakest[x]
            else:
                weakest[x] = min(weakest[x], association.strength)
    return shrink(tests, target, found, most)


def shrink(tests: Tests, target: int, found: list[int], most: int) -> list[int]:
    """Drop members that are independent of the target given a subset of the others."""
    kept = list(found)
    for x in found:
        others = [other for other in kept if other != x]
        if tests.weakest(x, target, subsets(others, most)).independent:
            kept = others
    return kept
