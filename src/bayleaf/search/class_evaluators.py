"""From a class-focused score to an evaluator of networks, by what the score declares."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.decision import most_probable, posteriors
from bayleaf.parameters import ParameterLearner
from bayleaf.parameters.closed_form import is_parameter_learner
from bayleaf.scores import ClassFocusedScore, Folds, Holdout, RowsBefore
from bayleaf.scores.class_focused import check_classes

from .evaluator import Change, Evaluator
from .log_joint import FreshHoldoutEvaluator, LogJointEvaluator
from .samples import Smoothing, holdout, stratified_folds

# Scores that are equal on paper, as those of equivalent graphs, differ by rounding errors: to so many digits they are
# ties, whatever rows weigh.
DIGITS = 11


class OwnEvaluator(Protocol):
    """A class-focused score of a user that brings its own evaluator, with the methods of `Evaluator`."""

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Any:
        """Start at a graph."""
        ...


def is_class_focused(score: object) -> bool:
    """Return whether a score looks at the classifier that a graph makes: bayleaf's own, or one with an evaluator.

    Examples
    --------
    >>> from bayleaf.scores import BDeu, CMDL
    >>> is_class_focused(CMDL()), is_class_focused(BDeu())
    (True, False)
    """
    return isinstance(score, ClassFocusedScore) or hasattr(score, "evaluator")


def evaluator_at(
    score: ClassFocusedScore | OwnEvaluator, table: Table, dag: DAG, rng: np.random.Generator
) -> Evaluator:
    """Start to evaluate networks by a class-focused score, at a graph.

    Parameters
    ----------
    score : class-focused score
        One of bayleaf's, or any object with ``evaluator(table, dag, rng)`` that returns something with the methods of
        `Evaluator`.
    table : Table
        With a class that is known in every row.
    dag : DAG
        Over the variables of the table.
    rng : Generator
        Draws folds, hold-outs or an order of the rows, where the score asks for them.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.scores import ClassificationRate
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 1], [1, 0]], target=1)
    >>> network = evaluator_at(ClassificationRate(), table, DAG(table.names), np.random.default_rng(0))
    >>> network.value, network.scores(0, [(), (1,)]).tolist()
    (0.5, [0.5, 0.75])
    """
    own = getattr(score, "evaluator", None)
    if own is not None or not isinstance(score, ClassFocusedScore):  # derived from one of bayleaf's or not
        found: Evaluator = score.evaluator(table, dag, rng)
        return found
    score.check_params()
    criterion = score.criterion(check_classes(table))
    parameters, loss, split = criterion.parameters, criterion.loss, criterion.split
    if criterion.any_learner and not isinstance(parameters, Smoothing):
        return RefitEvaluator(table, dag, parameters, loss.kind)
    if isinstance(split, Holdout) and not split.fixed:
        return FreshHoldoutEvaluator(
            table, dag, parameters, loss, lambda: holdout(table, split.fraction, rng)
        )
    fold = None
    if isinstance(split, Folds):
        fold = stratified_folds(table, split.number, rng, type(score).__name__)
    elif isinstance(split, Holdout):
        fold = holdout(table, split.fraction, rng)
    elif isinstance(split, RowsBefore) and split.shuffle:
        table = table.take(rng.permutation(table.n_rows))
    return LogJointEvaluator(
        table,
        dag,
        parameters,
        loss,
        fold=fold,
        rows_before=isinstance(split, RowsBefore),
        mean=criterion.mean,
        offset=criterion.offset,
        price=criterion.price,
    )


class RefitEvaluator(Evaluator):
    """Training accuracy ("error") or CLL ("log_loss") of networks whose parameters need an optimiser.

    Every candidate is fitted from scratch. A family in which a row has a missing value contributes nothing to that
    row, as in `LogJointEvaluator`.
    """

    def __init__(self, table: Table, dag: DAG, parameters: ParameterLearner, kind: str) -> None:
        if not is_parameter_learner(parameters):
            raise TypeError(
                f"A class-focused score cannot fit {parameters!r}: its 'parameters' must be a parameter learner, "
                "such as MaximumLikelihood() or ConditionalLikelihood()."
            )
        self._table = check_classes(table)
        self._learner = parameters
        self._kind = kind
        self._parents = list(dag.parent_indices)
        self._value = self._score({})

    @property
    def value(self) -> float:
        """The score now."""
        return self._value

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        return np.array([self._score(change) for change in changes])

    def commit(self, change: Change) -> None:
        """Make a change."""
        self._value = self._score(change)
        self._parents = [tuple(sorted(parents)) for parents in self.parents_after(change)]

    def _score(self, change: Change) -> float:
        table, target = self._table, self._table.target
        assert target is not None
        dag = DAG.from_parents(table.names, self.parents_after(change))
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
