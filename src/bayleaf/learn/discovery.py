"""Networks without a class, learned from data, and how sure their arcs are."""

from typing import Any

import numpy as np

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param, generator
from bayleaf._util.progress import track
from bayleaf.data import Table, TableReader
from bayleaf.graph import DAG
from bayleaf.learn.structure.structure_learner import StructureLearner
from bayleaf.network import BayesNet

from .parameters import Dirichlet
from .register import named_learner
from .structure import Exact, HillClimbing

# Up to this number of columns without gaps, the best graph of all is found in a moment.
FEW_COLUMNS = 12


def learn_network(
    data: Any,
    structure: StructureLearner | str | None = None,
    parameters: Any = None,
    *,
    sample_weight: Any = None,
    discretizer: Any = None,
    categorical_features: Any = "auto",
    column_types: Any = None,
    identifiers: Any = "drop",
    missing: str = "available",
    missing_values: Any = None,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
) -> BayesNet:
    """Learn a network over all columns of a table, none of which is a class.

    Parameters
    ----------
    data : DataFrame, array or Table
        Any input that a classifier reads: categories, numbers, missing values.
    structure : structure learner or str, optional
        `HillClimbing` or `Exact` with a decomposable score, or any learner that needs no class; or its name with
        settings if need be ("hill-climbing"), as with the other learners here. By default
        ``Exact()`` for up to 12 columns without missing values, otherwise ``HillClimbing(tabu=10, restarts=20)``;
        both with `BDeu`.
    parameters : parameter learner or str, optional
        ``Dirichlet(ess=1.0)`` by default, the one that belongs to `BDeu`.
    sample_weight : array-like, optional
    discretizer : discretiser or str, optional
        Cuts numeric columns: `Quantiles` by default, five bins of about as many rows.
    categorical_features, column_types, identifiers, missing_values, n_jobs
        As `BayesNetClassifier` has them.
    missing : {"available", "state", "drop", "impute"}, default="available"
        Missing values are left out of the counts they concern, or have a state of their own, or their rows are
        dropped, or mean and mode take their place.
    random_state : int or numpy Generator, default=0

    Returns
    -------
    BayesNet
        The columns that look like identifiers are not among its nodes.

    Examples
    --------
    >>> import polars as pl
    >>> rain = ["no", "no", "yes", "yes", "no"] * 20
    >>> grass = ["dry", "dry", "wet", "wet", "wet"] * 20
    >>> net = learn_network(pl.DataFrame({"rain": rain, "grass": grass, "coin": [0, 1] * 50}))
    >>> net.arcs
    (('grass', 'rain'),)
    >>> round(net.posterior("rain", {"grass": "wet"})["yes"], 2)
    0.67
    """
    table = _read(
        data,
        sample_weight=sample_weight,
        discretizer=discretizer,
        categorical_features=categorical_features,
        column_types=column_types,
        identifiers=identifiers,
        missing=missing,
        missing_values=missing_values,
        n_jobs=n_jobs,
    )
    dag = _learner(structure, table).learn(table, generator(random_state))
    filler = named_learner("parameters", parameters) or Dirichlet(ess=1.0)
    return BayesNet(table.variables, dag, filler.fit(table, dag))


def arc_strengths(
    data: Any,
    structure: StructureLearner | str | None = None,
    *,
    samples: int = 100,
    random_state: int | np.random.Generator | None = 0,
    backend: str | None = None,
    **reading: Any,
) -> Any:
    """How often arcs are found again in bootstrap samples of the rows.

    Numbers are cut once, for all samples.

    Parameters
    ----------
    samples : int, default=100
        Bootstrap samples, each of as many rows as there are.
    backend : {"polars", "pandas", "pyarrow"}, optional
        Library of the DataFrame that is returned; by default the first of these that is installed.
    data, structure, random_state, **reading
        As in `learn_network`; ``reading`` are its settings for the columns.

    Returns
    -------
    DataFrame
        One line per pair of nodes that any sample joins, in the direction found more often, the strongest first:
        ``parent``, ``child``, ``strength`` (share of the samples that join them) and ``direction`` (share of those
        that point this way; an arc that could as well point the other way, by Markov equivalence, counts half for
        each).

    References
    ----------
    N. Friedman, M. Goldszmidt and A. Wyner. Data analysis with Bayesian networks: a bootstrap approach. Uncertainty
    in Artificial Intelligence, 1999.

    Examples
    --------
    >>> import polars as pl
    >>> rain = ["no", "no", "yes", "yes", "no"] * 20
    >>> grass = ["dry", "dry", "wet", "wet", "wet"] * 20
    >>> arc_strengths(pl.DataFrame({"rain": rain, "grass": grass}), samples=10).row(0)
    ('rain', 'grass', 1.0, 0.5)
    """
    check_param("arc_strengths", "samples", samples, int, low=1)
    table = _read(data, **reading)
    learner, rng = _learner(structure, table), generator(random_state)
    pointing = np.zeros((table.n_variables, table.n_variables))
    for _ in track(range(samples), "Bootstrap samples"):
        rows = table.take(rng.integers(0, table.n_rows, table.n_rows))
        pointing += _pointing(learner.learn(rows, rng))
    joined = pointing + pointing.T
    pairs = []
    for first, second in np.argwhere(np.triu(joined) > 0).tolist():
        turned = pointing[second, first] > pointing[first, second]
        parent, child = (second, first) if turned else (first, second)
        found = joined[first, second]
        pairs.append((parent, child, found / samples, pointing[parent, child] / found))
    pairs.sort(key=lambda pair: (-pair[2], -pair[3], pair[:2]))
    return make_frame(
        {
            "parent": [table.names[parent] for parent, _, _, _ in pairs],
            "child": [table.names[child] for _, child, _, _ in pairs],
            "strength": [float(strength) for _, _, strength, _ in pairs],
            "direction": [float(direction) for _, _, _, direction in pairs],
        },
        backend,
    )


def _pointing(dag: DAG) -> Any:
    """Return a matrix [parent, child] of ones, and of halves for arcs that equivalent graphs have the other way."""
    matrix = np.zeros((len(dag.nodes), len(dag.nodes)))
    pattern = dag.cpdag()
    for parent, child in pattern.directed:
        matrix[dag.index(parent), dag.index(child)] = 1.0
    for first, second in pattern.undirected:
        matrix[dag.index(first), dag.index(second)] = matrix[dag.index(second), dag.index(first)] = 0.5
    return matrix


def _read(data: Any, sample_weight: Any = None, missing: Any = "available", **reading: Any) -> Table:
    if isinstance(data, Table):
        return data
    reading["discretizer"] = named_learner("discretizer", reading.get("discretizer"))
    return TableReader(missing=missing, **reading).learn_without_class(data, sample_weight)


def _learner(structure: Any, table: Table) -> StructureLearner:
    """Return the learner that is asked for, or the one that suits the table."""
    structure = named_learner("structure", structure)
    if structure is not None:
        if not hasattr(structure, "learn"):
            raise TypeError(
                f"structure must be a structure learner, such as bayleaf.HillClimbing(). Got {structure!r} instead."
            )
        learner: StructureLearner = structure
        return learner
    few = table.n_variables <= FEW_COLUMNS and not table.has_missing.any()
    return Exact() if few else HillClimbing(tabu=10, restarts=20)
