"""How one network is learned from rows or from counts: features, graph, tables."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import most_needed
from bayleaf.counts.contingency import Countable, Counts, CountSource, family_counts
from bayleaf.counts.row_samples import SAMPLE_ROWS
from bayleaf.data import Table
from bayleaf.data.categories import without_identifiers
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Dirichlet, ParameterLearner, Shrinkage
from bayleaf.learn.parameters.closed_form import fill_tables
from bayleaf.learn.search import SearchTrace
from bayleaf.learn.selection.selector import Selector, keep_selected
from bayleaf.learn.structure.structure_learner import (
    PredictingLearner,
    StructureLearner,
    graph_learner,
    search_graph,
)
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.learn.tuning.tuned_tables import TunedTables, TuningLearner, can_tune
from bayleaf.network import BayesNet
from bayleaf.network.predictors import Predictor

from .record import MOST_SCORED, RowsToJudge, TrainingRecord, TypicalRows


class RowNeeds:
    """Where learners get rows from that need more than counts: a uniform sample of the source.

    Parameters
    ----------
    sample_rows : int
        The most rows of the sample.

    Attributes
    ----------
    sampled : dict
        What was learned from the sample, and how many rows it had.
    """

    def __init__(self, sample_rows: int = SAMPLE_ROWS) -> None:
        self.sample_rows = sample_rows
        self.sampled: dict[str, int] = {}

    def rows_for(self, what: str, data: Countable, *learners: Any) -> Any:
        """Return what learners take: the data, where counts are enough or they are a table; else a table of rows.

        Parameters
        ----------
        what : str
            What they learn: "graph" or "tables".
        data : Countable
        *learners : learners or None
        """
        given = [learner for learner in learners if learner is not None]
        if not isinstance(data, CountSource):
            return data
        need = most_needed(given)
        if need in ("pairs", "counts"):
            return data
        if need == "distinct rows":
            distinct = data.distinct_rows(self.sample_rows)
            if distinct is not None:
                return distinct
        rows = data.rows(self.sample_rows)
        if rows.n_rows < data.n_rows:
            self.sampled[what] = rows.n_rows
        return rows


@dataclass(frozen=True)
class FittedNetwork:
    """What was learned from rows: a network, from what, and how.

    Attributes
    ----------
    network : BayesNet
    predictor : Predictor or None
        What predicts instead of the network, where the structure learner has such.
    families : list of ndarray
        The counts of each family.
    structure, parameters : learners
        Those that were used.
    table : Countable
        What was counted.
    missing : dict
        Share of missing values of each feature, those that were not selected included.
    search : SearchTrace or None
    out_of_sample : OutOfSample or None
    typical : RowsToJudge or None
    """

    network: BayesNet
    predictor: Predictor | None
    families: list[Counts]
    structure: StructureLearner
    parameters: ParameterLearner
    table: Countable
    missing: dict[str, float]
    search: SearchTrace | None
    out_of_sample: OutOfSample | None
    typical: RowsToJudge | None = None

    def record(self, method: Any) -> TrainingRecord:
        """Return what is to be kept of the training."""
        return TrainingRecord.of(
            self.table,
            self.network,
            self.families,
            self.missing,
            self.search,
            method,
            self.out_of_sample,
            self.typical,
        )


def fit_network(
    table: Countable,
    structure: StructureLearner,
    parameters: ParameterLearner | None,
    selector: Selector | None,
    rng: np.random.Generator,
    needs: RowNeeds | None = None,
    costs: NDArray[np.float64] | None = None,
) -> FittedNetwork:
    """Select features, find the graph, and fill its tables: a structure learner times a parameter learner.

    Parameters
    ----------
    table : Countable
        The class is its target.
    structure : structure learner
    parameters : parameter learner, optional
        By default the one that suits the graph: see `default_parameters`.
    selector : selector, optional
    rng : Generator
    needs : RowNeeds, optional
        Where learners get rows from that need more than counts.
    costs : ndarray of shape (classes, classes), optional
        What decisions about held-out rows cost, [true class, decision].
    """
    needs = RowNeeds() if needs is None else needs
    shares = dict(zip(table.names[:-1], table.missing_shares()[:-1], strict=True))
    used = needs.rows_for("graph", without_identifiers(table), structure, selector)
    if selector is not None:
        used = keep_selected(selector, structure, used, rng)
    found = search_graph(structure, used, rng)
    dag = found.dag
    if parameters is None:
        parameters = default_parameters(structure, dag)
    families, held_out, tuned = family_counts(used, dag), None, None
    rows = needs.rows_for("tables", used, parameters)
    if isinstance(parameters, TuningLearner):
        tuned = parameters.tune(rows, dag, graph_learner(structure, rng))
        tables, held_out = tuned.tables, tuned.out_of_sample(rows, costs)
    else:
        tables = fill_tables(parameters, rows, dag, families)
    network = BayesNet(used.variables, dag, tables, used.names[-1])
    predictor = own_predictor(structure, rows, network, parameters)
    if tuned is not None and predictor is None:
        network, predictor = tuned.readings(network)
    typical = RowsToJudge(partial(typical_rows, network, rows_to_judge(rows), families, parameters))
    return FittedNetwork(
        network, predictor, families, structure, parameters, used, shares, found.trace, held_out, typical
    )


def rows_to_judge(rows: Any) -> Table | None:
    """Return rows that say how typical rows are: a uniform sample of very many; None where there are counts alone."""
    if not isinstance(rows, Table):
        return None
    if rows.n_rows <= MOST_SCORED:
        return rows
    return rows.take(np.random.default_rng(0).choice(rows.n_rows, MOST_SCORED, replace=False))


def typical_rows(
    network: BayesNet, rows: Table | None, families: list[Counts], parameters: ParameterLearner
) -> TypicalRows | None:
    """Judge training rows by the network's tables without them; None where its tables are not made of counts."""
    if rows is None:
        return None
    counting: Any = parameters if hasattr(parameters, "left_out") else Shrinkage()
    tables, *left_out = counting.left_out(network.dag, families, rows.target)
    # The class, which is last, may have its frequencies instead.
    if not all(map(np.allclose, tables[:-1], network.tables[:-1])):
        return None
    return TypicalRows.of(network, rows, left_out)


def own_predictor(structure: Any, rows: Any, network: BayesNet, parameters: Any) -> Predictor | None:
    """Return what predicts instead of a network that was learned, where its structure learner has such."""
    if not isinstance(structure, PredictingLearner):
        return None
    return structure.predictor(rows, network, parameters)


def default_parameters(structure: StructureLearner, dag: DAG) -> ParameterLearner:
    """Return what fills the tables of a graph for a classifier that names no parameter learner.

    Parameters
    ----------
    structure : structure learner
        That found the graph.
    dag : DAG
        The class is its last node.
    """
    if getattr(structure, "functional_dependencies", False):
        return Dirichlet()  # whose tables can be made one by one, as a row's dependencies ask for them
    if getattr(structure, "learned_at_once", False) and can_tune(dag, len(dag.nodes) - 1):
        return TunedTables()
    return Shrinkage()
