"""Augmented naive Bayes graphs: the class is a parent of every feature, and features may have feature parents."""

from collections.abc import Iterable, Sequence

from bayleaf.graph import DAG
from bayleaf.table import Table

Arc = tuple[str, str]


def augment(table: Table, feature_parents: Sequence[Iterable[int | None]]) -> DAG:
    """Superimpose the class on a graph over the features.

    Parameters
    ----------
    table : Table
        With a class.
    feature_parents : sequence of iterables of int
        For each feature (in the order of ``table.features``) the numbers of its feature parents; None is skipped.
    """
    target = require_target(table)
    features = table.features
    parents: list[list[int]] = [[] for _ in range(table.n_variables)]
    for feature, chosen in zip(features, feature_parents, strict=True):
        parents[feature] = [target, *(features[k] for k in chosen if k is not None)]
    return DAG.from_parents(table.names, parents)


def require_target(table: Table) -> int:
    """Return the class column of a table, or say that it has none."""
    if table.target is None:
        raise ValueError("This structure learner needs a class: the table has no target column.")
    return table.target


def feature_number(table: Table, name: str, what: str) -> int:
    """Return the number of a feature among the features of a table, by its name."""
    names = [table.names[j] for j in table.features]
    if name not in names:
        raise ValueError(f"{what} '{name}' is not a feature; the features are {_shown(names)}.")
    return names.index(name)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (", ..." if len(names) > 10 else "")
