"""Tables to the power of a weight per feature, as the tables of a network again."""

from collections.abc import Sequence

import numpy as np

from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters import Laplace, ParameterLearner, Tables
from bayleaf.parameters.closed_form import is_parameter_learner

from .folds import FloatArray
from .normalise import normalised, unconnected_parents


def check_start(owner: object, start: object) -> None:
    """Refuse anything but a parameter learner for the tables that are weighed; None stands for the default."""
    if start is not None and not is_parameter_learner(start):
        raise TypeError(
            f"The 'start' parameter of {type(owner).__name__} must be a parameter learner, such as Laplace(), or "
            f"None. Got {start!r} instead."
        )


def start_tables(owner: object, start: ParameterLearner | None, table: Table, dag: DAG) -> Tables:
    """Return the tables that are weighed; refuse rows and graphs that cannot be, in one sentence."""
    name = type(owner).__name__
    if table.target is None:
        raise ValueError(f"{name} needs a class: the table has no target column.")
    if table.n_rows and table.has_missing[table.target]:
        raise ValueError(
            f"{name} needs the class of every row: the target has missing values. Leave such rows out."
        )
    if parents := dag.parent_indices[table.target]:
        raise ValueError(
            f"{name} needs a class without parents; '{dag.nodes[parents[0]]}' is a parent of "
            f"'{dag.nodes[table.target]}' here."
        )
    if found := unconnected_parents(dag):
        node, one, other = found
        raise ValueError(
            f"{name} needs a graph in which the parents of each node are connected; '{one}' and '{other}', parents "
            f"of '{node}', are not: use NaiveBayes(), TAN() or KDB(k=1)."
        )
    tables = (start or Laplace()).fit(table, dag)
    if any((part == 0).any() for part in tables):
        raise ValueError(
            f"The tables that {name} weighs have zeros: start from an estimate that leaves none."
        )
    return tables


def weighted_tables(dag: DAG, tables: Tables, weights: Sequence[float] | FloatArray) -> Tables:
    """Return the network whose distribution is proportional to the product of theta^w over all families.

    The families are normalised from the leaves upwards; what is left over goes to the parents, and at last to the
    class. So the network gives exactly the class probabilities of the weighed product.

    Parameters
    ----------
    dag : DAG
        In which the parents of each node are connected.
    tables : tuple of arrays
        Without zeros.
    weights : sequence of float
        One per node.

    Examples
    --------
    >>> dag = DAG(["x", "class"], [("class", "x")])
    >>> tables = np.array([[0.9, 0.1], [0.5, 0.5]]), np.array([0.5, 0.5])
    >>> x, c = weighted_tables(dag, tables, [2.0, 1.0])
    >>> x.round(3), c.round(3)  # 0.82 of 1.32 is what 0.9^2 + 0.1^2 leaves to the first class
    (array([[0.988, 0.012],
           [0.5  , 0.5  ]]), array([0.621, 0.379]))
    """
    return normalised(dag, [weight * np.log(part) for weight, part in zip(weights, tables, strict=True)])
