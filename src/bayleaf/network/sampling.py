"""Ancestral sampling: every node is drawn after its parents."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.graph import DAG
from bayleaf.table import Variable
from bayleaf.table.table import Codes, empty_codes


def sample_codes(
    dag: DAG,
    tables: Sequence[NDArray[np.float64]],
    variables: tuple[Variable, ...],
    n: int,
    rng: np.random.Generator,
) -> Codes:
    """Draw n rows of codes from a network."""
    codes = empty_codes(n, variables)
    for node in dag.topological_indices:
        parents = dag.parent_indices[node]
        table = tables[node]
        cumulative = np.cumsum(table.reshape(-1, table.shape[-1]), axis=1)
        configuration = np.zeros(n, dtype=np.int64)
        for parent in parents:
            configuration = configuration * variables[parent].arity + codes[:, parent]
        # Inverse transform, parent configuration by parent configuration: one sorted search in all tables at once.
        starts = np.arange(len(cumulative))
        staircase = (cumulative / cumulative[:, -1:] + starts[:, None]).ravel()
        # Adding may round up to the next configuration's first step, whose state could be an impossible one.
        uniform = np.minimum(rng.random(n) + configuration, np.nextafter(configuration + 1.0, 0.0))
        codes[:, node] = np.searchsorted(staircase, uniform, side="right") - configuration * table.shape[-1]
    return codes
