"""Small tables for searches of trees."""

import numpy as np
from hypothesis import strategies as st

from bayleaf.data import Table, Variable


def make_table(rows, arities, target, weights=None, n_jobs=1):
    """Table of codes; None is a missing value."""
    variables = tuple(Variable(f"v{j}", tuple(range(a))) for j, a in enumerate(arities))
    codes = [[-1 if v is None else v for v in row] for row in rows]
    w = None if weights is None else np.array(weights, dtype=np.float64)
    return Table.from_codes(
        variables, np.array(codes, dtype=np.int64).reshape(len(rows), len(arities)), w, target, n_jobs
    )


@st.composite
def problems(draw):
    n = draw(st.integers(2, 5))
    target = draw(st.sampled_from([n - 1, 0]))
    arities = [draw(st.integers(2, 3)) for _ in range(n)]
    size = draw(st.integers(6, 16))
    rows = [tuple(draw(st.integers(0, a - 1)) for a in arities) for _ in range(size)]
    return rows, arities, target
