"""How typical a row is of what the model knows: how probable its values are, and how well they go together.

References
----------
F. V. Jensen, B. Chamberlain, T. Nordahl and F. Jensen. Analysis in HUGIN of data conflict. UAI, 1990.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table

from .joint_model import JointModel

COLUMNS = ("log_evidence", "typicality", "conflict")
# Sums of logarithms of the same factors in another order are not equal to the last bit.
TIE = 1e-9


def typicality(
    model: JointModel, table: Table, drawn: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return log P(known values), the share of drawn rows that are no more probable, and the conflict, row by row.

    Drawn rows are compared with a row as if they lacked the values that it lacks.
    """
    log_evidence = model.log_evidence(table)
    shares = np.empty(table.n_rows)
    patterns, which = np.unique(table.codes == table.missing_code, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        unknown = np.flatnonzero(pattern).tolist()
        usual = np.sort(model.log_evidence(drawn.hide(unknown) if unknown else drawn))
        same = which.reshape(-1) == k
        shares[same] = np.searchsorted(usual, log_evidence[same] + TIE, side="right") / len(usual)
    return log_evidence, shares, conflict(model, table, log_evidence)


def conflict(model: JointModel, table: Table, log_evidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log of (product of the probabilities of the values alone / P(values together)), row by row.

    Above zero, the values are less probable together than if they had nothing to do with one another.
    """
    expected = np.zeros(table.n_rows)
    for j in range(table.n_variables):
        arity = table.variables[j].arity
        codes = np.full((arity, table.n_variables), table.missing_code, dtype=table.codes.dtype, order="F")
        codes[:, j] = np.arange(arity)
        alone = model.log_evidence(replace(table, codes=codes, weights=None))
        known = table.codes[:, j] != table.missing_code
        expected[known] += alone[table.codes[known, j]]
    with np.errstate(invalid="ignore"):
        result: NDArray[np.float64] = expected - log_evidence
    return np.where(np.isneginf(log_evidence), np.inf, result)
