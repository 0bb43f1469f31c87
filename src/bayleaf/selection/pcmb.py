"""Parents and children by the PCMB algorithm."""

from typing import Any, Literal

import numpy as np

from bayleaf.data import Table

from .association import AssociationTest, NeighbourSelector, Tests, subsets


class PCMB(NeighbourSelector):
    """Parents and children of the class by the first two procedures of PCMB.

    GetPCD: drop what is independent given some subset of those found, add the feature with the strongest weakest
    association, drop those found that have become independent, and repeat until nothing is left to add. GetPC keeps a
    feature only if the class is found from it as well.

    Parameters
    ----------
    test : association test, optional
        `G2` (the default) or `BayesFactor`.
    max_conditioning : int, default=3
        Largest conditioning set.
    symmetric : bool, default=True
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
    J. M. Pena, R. Nilsson, J. Bjorkegren and J. Tegner. Towards scalable and data efficient learning of Markov
    boundaries. International Journal of Approximate Reasoning 45, 2007.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, (0, 1), None, "integer") for name in ("a", "noise", "class"))
    >>> rows = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 20
    >>> table = Table.from_codes(variables, rows, target=2)
    >>> PCMB().select(table, np.random.default_rng(0))
    [0]
    """

    def __init__(
        self,
        test: AssociationTest | None = None,
        max_conditioning: int = 3,
        symmetric: bool = True,
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
        super().__init__(
            test,
            max_conditioning,
            symmetric,
            discretizer=discretizer,
            categorical_features=categorical_features,
            column_types=column_types,
            identifiers=identifiers,
            missing=missing,
            min_frequency=min_frequency,
            max_categories=max_categories,
            random_state=random_state,
        )

    def select(self, table: Table, rng: np.random.Generator) -> list[int]:
        """Return the columns of the features found, ascending."""
        return self.neighbours_of_class(table, parents_children_descendants)


def parents_children_descendants(tests: Tests, target: int, most: int) -> list[int]:
    """Return the parents, children and perhaps some descendants of a variable (GetPCD)."""
    found: list[int] = []
    candidates = [x for x in range(tests.table.n_variables) if x != target]
    while True:
        weakest = {x: tests.weakest(x, target, subsets(found, most)) for x in candidates}
        candidates = [x for x in candidates if not weakest[x].independent]
        if not candidates:
            return found
        best = max(candidates, key=lambda x: (weakest[x].strength, -x))
        candidates.remove(best)
        found.append(best)
        found = [
            x
            for x in found
            if not tests.weakest(x, target, subsets([y for y in found if y != x], most)).independent
        ]
