"""What fit saw, kept with the model so that a reader can judge it later without the data."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from .counts import count, family_counts
from .graph import DAG, SearchTrace
from .table import Table


@dataclass(frozen=True)
class TrainingRecord:
    """A summary of the training data and of how well it filled the tables.

    Attributes
    ----------
    rows : int
        Training rows.
    weight : float
        Their total weight.
    class_weights : tuple of float
        Weight of each class, in the order of the class's states.
    missing : dict
        Share of missing values of each feature, features that were not selected included.
    unseen : dict
        Of each node that has some: parent configurations without a training row.
    log_likelihood : float
        Of the training data, natural logarithm; rows with a missing value in a family are left out of its term.
    date : str
        Day of fit, UTC.
    search : SearchTrace or None
        The steps of the structure learner, where it keeps them; of very many the first and the last.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> table = Table.from_codes((x, c), [[0, 1], [1, 1]], target=1)
    >>> dag = DAG(["x", "c"], [("c", "x")])
    >>> record = TrainingRecord.of(table, dag, (np.full((2, 2), 0.5), np.array([0.5, 0.5])), {"x": 0.0})
    >>> record.class_weights, record.unseen
    ((0.0, 2.0), {'x': 1})
    """

    rows: int
    weight: float
    class_weights: tuple[float, ...]
    missing: dict[str, float]
    unseen: dict[str, int]
    log_likelihood: float
    date: str
    search: SearchTrace | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        dag: DAG,
        tables: tuple[NDArray[np.float64], ...],
        missing: dict[str, float],
        search: SearchTrace | None = None,
    ) -> "TrainingRecord":
        """Summarise the table that a network was learned from."""
        families = family_counts(table, dag)
        empty = [int((counts.sum(axis=-1) == 0).sum()) for counts in families]
        return cls(
            rows=table.n_rows,
            weight=table.total_weight,
            class_weights=tuple(count(table, [[table.n_variables - 1]])[0].astype(float).tolist()),
            missing=missing,
            unseen={name: cells for name, cells in zip(dag.nodes, empty, strict=True) if cells},
            log_likelihood=float(
                sum(xlogy(n, theta).sum() for n, theta in zip(families, tables, strict=True))
            ),
            date=datetime.now(UTC).date().isoformat(),
            search=None if search is None else search.shortened(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, for a model file."""
        search = None if self.search is None else self.search.to_dict()
        return {**self.__dict__, "class_weights": list(self.class_weights), "search": search}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TrainingRecord":
        """Rebuild a record from plain data; what older versions did not write is absent, and stays so."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        search = None if known.get("search") is None else SearchTrace.from_dict(known["search"])
        return cls(**{**known, "class_weights": tuple(data["class_weights"]), "search": search})


def missing_shares(table: Table) -> list[float]:
    """Share of missing values in each column.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> missing_shares(Table.from_codes((Variable("x", ("a", "b")),), [[0], [-1]]))
    [0.5]
    """
    return [
        float((table.codes[:, j] == table.missing_code).mean()) if incomplete else 0.0
        for j, incomplete in enumerate(table.has_missing)
    ]


__all__ = ["TrainingRecord", "missing_shares"]
