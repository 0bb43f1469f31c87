"""How a posterior depends on the entries of one table.

References
----------
E. Castillo, J. M. Gutierrez and A. S. Hadi. Sensitivity analysis in discrete Bayesian networks. IEEE Transactions on
Systems, Man and Cybernetics A 27, 1997.
V. M. H. Coupe and L. C. van der Gaag. Properties of sensitivity analysis of Bayesian belief networks. Annals of
Mathematics and Artificial Intelligence 36, 2002.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.frames import make_frame
from bayleaf.data import Variable

from .evidence import Evidence
from .junction import JunctionTree


def linear_in_entries(
    table: NDArray[np.float64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and intercept of sum(table * rest) in each entry of the table, the rest of its row co-varying.

    Examples
    --------
    The sum is 2 x + 6 (1 - x) for the first entry x.

    >>> linear_in_entries(np.array([0.25, 0.75]), np.array([2.0, 6.0]))
    (array([-4.,  4.]), array([6., 2.]))
    """
    arity = table.shape[-1]
    products = table * rest
    others = products.sum(axis=-1, keepdims=True) - products
    # What the other entries of the row contribute when they sum to one together.
    left = 1.0 - table
    evenly = (rest.sum(axis=-1, keepdims=True) - rest) / max(1, arity - 1)
    certain = left <= 0
    shared = np.where(certain, evenly, others / np.where(certain, 1.0, left))
    constant = products.sum() - products.sum(axis=-1, keepdims=True)
    return rest - shared, shared + constant


def sensitivity_frame(
    tree: JunctionTree,
    known: Evidence,
    variables: Sequence[Variable],
    table: NDArray[np.float64],
    family: Sequence[int],
    asked: int,
    code: int,
    backend: str | None,
) -> Any:
    """Return the frame of `BayesNet.sensitivity`, for the table of a family of nodes."""
    targets = [*family, *([] if asked in family else [asked])]
    rest = tree.without_table(known.softened(family, tree.arities), targets, family[-1])
    if asked in family:
        hit = np.zeros(rest.shape[family.index(asked)])
        hit[code] = 1.0
        with_state = rest * hit.reshape([-1 if member == asked else 1 for member in family])
    else:
        with_state, rest = rest[..., code], rest.sum(axis=-1)
    now = (table * rest).sum()
    if not now > 0:
        if np.isneginf(tree.log_evidence(known)):
            raise known.impossible()
        raise ValueError(
            f"The evidence is so improbable that the table of '{variables[family[-1]].name}' cannot be varied within "
            "the range of a float."
        )
    alpha, beta = linear_in_entries(table, with_state / now)
    gamma, delta = linear_in_entries(table, rest / now)
    below = gamma * table + delta
    members = [variables[node] for node in family]
    rows = list(product(*(variable.states for variable in members)))
    columns: dict[str, list[Any]] = {
        variable.name: [row[k] for row in rows] for k, variable in enumerate(members)
    }
    figures = {
        "probability": table,
        "posterior": (alpha * table + beta) / below,
        "derivative": (alpha * delta - beta * gamma) / below**2,
        "alpha": alpha,
        "beta": beta,
        "gamma": gamma,
        "delta": delta,
    }
    for name, values in figures.items():
        while name in columns:  # a variable may have this very name
            name += "_"
        columns[name] = values.ravel().tolist()
    return make_frame(columns, backend)
