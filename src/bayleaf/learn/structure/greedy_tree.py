"""Greedy discriminative structure learning: add the arc that helps the classifier most."""

from collections.abc import Sequence

import numpy as np

from bayleaf._util.progress import track
from bayleaf.data import Table
from bayleaf.graph.parents import children_of, closure
from bayleaf.learn.search import Evaluator, Search

from .structure_learner import ArcConstraints, DiscriminativeLearner, require_target

Step = tuple[int, tuple[int, ...], float]


class GreedyTree(DiscriminativeLearner):
    """Start from naive Bayes; add the best arc between features as long as one improves the score (TAN-CR).

    Each feature gets at most ``k`` feature parents; the graph stays acyclic. Of equally good arcs the first in
    (child, parent) order is taken.

    Parameters
    ----------
    k : int, default=1
        Feature parents per feature at most.
    score : class-focused score, optional
        `ClassificationRate` for k = 1, `CrossValidatedRisk` with five folds for k >= 2.
    required, forbidden : list of (parent, child), optional
        Arcs between features that the graph must or must not have.

    References
    ----------
    E. J. Keogh and M. J. Pazzani. Learning augmented Bayesian classifiers. AISTATS 1999. D. Grossman and
    P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood. ICML 2004.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, target=2)
    >>> GreedyTree().learn(xor, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        require_target(table)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k).by_column(table)
        network, diary = self.begin(table, rng, constraints.required)
        most = len(table.features) * min(self.k, len(table.features))
        for _ in track(range(most), "Adding arcs"):
            step, considered = self._best_arc(network, table.features, constraints)
            if step is None:
                break
            child, parents, _ = step
            network.commit({child: parents})
            diary.now(network.parents, network.value, considered)
        return diary.search()

    def _best_arc(
        self, network: Evaluator, features: Sequence[int], constraints: ArcConstraints
    ) -> tuple[Step | None, int]:
        """Return the best arc, if one improves the score, and how many were tried."""
        best: Step | None = None
        considered = 0
        for child in features:
            own = network.parents[child]
            if len(own) > self.k:  # the class is one of them
                continue
            below = closure(children_of(network.parents), [child])
            candidates = [
                tuple(sorted((*own, parent)))
                for parent in features
                if parent not in own and parent not in below and constraints.allows(parent, child)
            ]
            considered += len(candidates)
            found = network.best(child, candidates, above=network.value if best is None else best[2])
            if found is not None:
                best = (child, candidates[found[0]], found[1])
        return best, considered
