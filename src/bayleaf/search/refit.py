"""Scores for parameter learners without a closed form: every candidate network is fitted from scratch."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.decision import most_probable, posteriors
from bayleaf.parameters import Tables
from bayleaf.scores.score import Change, check_judged

# Scores that are equal on paper, as those of equivalent graphs, differ by rounding errors: to so many digits they are
# ties, whatever rows weigh.
DIGITS = 11


class ParameterLearner(Protocol):
    """What a score asks of a parameter learner."""

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Return one table per node."""
        ...


class RefitEvaluator:
    """Training accuracy ("error") or CLL ("log_loss") of networks whose parameters need an optimiser.

    A family in which a row has a missing value contributes nothing to that row, as in `LogJointEvaluator`.
    """

    def __init__(self, table: Table, dag: DAG, parameters: ParameterLearner, kind: str) -> None:
        if isinstance(parameters, type) or not callable(getattr(parameters, "fit", None)):
            raise TypeError(
                f"A class-focused score cannot fit {parameters!r}: its 'parameters' must be a parameter learner, "
                "such as MaximumLikelihood() or ConditionalLikelihood()."
            )
        self._table = check_judged(table)
        self._learner = parameters
        self._kind = kind
        self._parents = [tuple(parents) for parents in dag.parent_indices]
        self._value = self._score({})

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        return tuple(self._parents)

    @property
    def value(self) -> float:
        """The score now."""
        return self._value

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        return self.change_scores([{node: parents} for parents in parent_sets])

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        return self.best_change([{node: parents} for parents in parent_sets], above)

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        return np.array([self._score(change) for change in changes])

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        scores = self.change_scores(changes)
        if len(scores) == 0 or scores.max() <= above:
            return None
        return int(scores.argmax()), float(scores.max())

    def commit(self, change: Change) -> None:
        """Make a change."""
        self._value = self._score(change)
        for node, parents in change.items():
            self._parents[node] = tuple(sorted(parents))

    def _score(self, change: Change) -> float:
        table, target = self._table, self._table.target
        assert target is not None
        parents = [change.get(node, known) for node, known in enumerate(self._parents)]
        dag = DAG.from_parents(table.names, parents)
        network = BayesNet(table.variables, dag, self._learner.fit(table, dag), table.names[target])
        if table.has_missing.any():
            log_joint = _known_families(network, table)
        else:
            log_joint = network.log_joint(table, target, table.n_jobs)
        truth = table.codes[:, target].astype(np.int64)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        if self._kind == "log_loss":
            own = log_joint[np.arange(table.n_rows), truth]
            return _rounded(((own - logsumexp(log_joint, axis=1)) * weights).sum())
        prior = np.bincount(truth, weights, int(table.arities[target])) / weights.sum()
        right = most_probable(posteriors(log_joint, prior, table.n_jobs), prior) == truth
        return _rounded(weights[right].sum() / weights.sum())


def _known_families(network: BayesNet, table: Table) -> NDArray[np.float64]:
    """Return the log-joint of every row and class, up to what all classes share, from the families it has in full."""
    target = table.target
    assert target is not None
    log_joint = np.zeros((table.n_rows, int(table.arities[target])))
    for node, parents in enumerate(network.dag.parent_indices):
        family = [*parents, node]
        if target not in family:
            continue
        with np.errstate(divide="ignore"):
            terms = np.log(np.moveaxis(network.tables[node], family.index(target), -1))
        others = table.codes[:, [j for j in family if j != target]]
        known = (others != table.missing_code).all(axis=1)
        log_joint[known] += terms[tuple(others[known].T)]
    return log_joint


def _rounded(score: float) -> float:
    return float(f"{score:.{DIGITS - 1}e}")
