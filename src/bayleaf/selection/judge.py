"""How well a choice of features classifies rows held out: exact augmented naive Bayes, trained and tested."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.parameters import Dirichlet
from bayleaf.scores import BDeu
from bayleaf.search import Limits, optimal_parents
from bayleaf.table import Table


@dataclass
class AugmentedJudge:
    """One training and one test table; each choice of features is judged once.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> variables = tuple(Variable(name, (0, 1), None, "integer") for name in ("a", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1]] * 20, target=1)
    >>> [judge.correct([0]) for judge in AugmentedJudge.folds(table, 2, np.random.default_rng(0))]
    [20.0, 20.0]
    """

    train: Table
    test: Table
    _known: dict[tuple[int, ...], float] = field(default_factory=dict)

    @classmethod
    def folds(cls, table: Table, folds: int, rng: np.random.Generator) -> "Iterator[AugmentedJudge]":
        """Iterate over the folds of a stratified, shuffled cross-validation."""
        shuffled = rng.permutation(table.n_rows)
        by_class = shuffled[np.argsort(table.codes[shuffled, table.target], kind="stable")]
        fold = np.empty(table.n_rows, dtype=np.int64)
        fold[by_class] = np.arange(table.n_rows) % folds
        for k in range(min(folds, table.n_rows)):
            yield cls(table.take(fold != k), table.take(fold == k))

    def correct(self, features: list[int]) -> float:
        """Return the weight of the test rows classified right with these features."""
        key = tuple(features)
        if key not in self._known:
            self._known[key] = self._classify(features)
        return self._known[key]

    def _classify(self, features: list[int]) -> float:
        assert self.train.target is not None  # the caller has checked
        columns = [*features, self.train.target]
        train, test = self.train.select(columns), self.test.select(columns)
        if not train.complete_rows().any():
            train, test = train.select([len(features)]), test.select([len(features)])
        dag = DAG.from_parents(train.names, optimal_parents(train, BDeu(1.0), Limits(augmented=True)))
        network = BayesNet(train.variables, dag, Dirichlet(1.0).fit(train, dag))
        target = train.n_variables - 1
        guesses = network.log_joint(test.codes, target, train.n_jobs).argmax(axis=1)
        weights = np.ones(test.n_rows) if test.weights is None else test.weights
        return float(weights[guesses == test.codes[:, target]].sum())
