"""The classifiers of the paper, as it describes them, and the variants that explain its figures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

import bayleaf as bl
import datafolder
from bayleaf.counts import Counts, family_counts

# The paper imputes modes and means of the training rows, discretises by MDL and smooths by Laplace, both tables and
# the information that KDB and FKDB go by. So do the registered methods.
SETTINGS: dict[str, Any] = {**datafolder.AS_PUBLISHED, "missing": "impute", "discretizer": bl.MDLP()}
PUBLISHED = ("NB", "TAN", "RTAN", "KDB", "FKDB")
# RTAN decides by votes in the paper, which does not say what its AUC is made of: averaged probabilities fit it.
AVERAGED = "RTAN, average"
METHODS = (*PUBLISHED, AVERAGED, "KDB-FD", "FKDB-plain")


class MEstimate(BaseEstimator):  # type: ignore[misc]
    """(N_ijk + m / r_i) / (N_ij + m): one imaginary row per parent configuration, whatever the number of states.

    References
    ----------
    B. Cestnik. Estimating probabilities: a crucial task in machine learning. ECAI, 1990.
    """

    def __init__(self, m: float = 1.0) -> None:
        self.m = m

    def fit(self, table: bl.data.Table, dag: bl.DAG) -> tuple[NDArray[np.float64], ...]:
        """Estimate the table of every node."""
        return tuple(self.estimate(counts) for counts in family_counts(table, dag))

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table."""
        estimate: NDArray[np.float64] = (counts + self.m / counts.shape[-1]) / (
            counts.sum(axis=-1, keepdims=True) + self.m
        )
        return estimate


def methods() -> dict[str, Any]:
    """Return the paper's five methods, RTAN without votes, and KDB with and FKDB without functional dependencies."""
    found = {name: bl.classifier(name.partition(",")[0], **SETTINGS) for name in METHODS}
    found["RTAN"].set_params(vote="majority")
    return found


def variants() -> dict[str, Any]:
    """Return variants of the five methods: other estimates, plain information."""
    estimates = {"Dirichlet": bl.Dirichlet(ess=1.0), "m-estimate": MEstimate(m=1.0)}
    found = {
        f"{name}, {label}": bl.classifier(name, **SETTINGS, parameters=learner)
        for label, learner in estimates.items()
        for name in PUBLISHED
    }
    for name in ("KDB", "FKDB"):
        found[f"{name}, unsmoothed"] = bl.classifier(name, **SETTINGS, structure__smoothing=0.0)
    for name, model in found.items():
        if name.startswith("RTAN"):
            model.set_params(vote="majority")
    return found


VARIANTS = ("Dirichlet", "m-estimate", "unsmoothed")
