"""Smallest sufficient reasons: feature values that alone guarantee a decision.

For class c against class c' the log-odds of a complete row is a sum of family terms,

    log P(c, x) - log P(c', x) = sum of  log P(x_i | pa_i, c) - log P(x_i | pa_i, c')  over families with the class,

so the worst case over the features that are left free is a min-sum, solved exactly by eliminating the free features
one after the other: linear for naive Bayes and trees, exponential only in the tree-width otherwise. A set of values
guarantees the decision if the worst case stays above zero for every other class. With two classes and costs of
decisions, the limit is not zero but the log-odds at which both decisions cost the same. Values are left out one at a
time, first those that cost least, as long as the guarantee holds; none of those that remain can be left out.
For naive Bayes with two classes it is also the smallest such set.

References
----------
A. Shih, A. Choi and A. Darwiche. A symbolic approach to explaining Bayesian network classifiers. IJCAI, 2018.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.cards import card, facts, sentence
from bayleaf.data import Table
from bayleaf.graph import min_fill_order
from bayleaf.network import BayesNet
from bayleaf.network.decisions import PRIOR_DECIMALS
from bayleaf.network.member import TwoReadings
from bayleaf.network.predictors import how_it_predicts

# Used as the logarithm of zero: far below any sum of others, but finite, so that a row that is
# impossible under both classes counts as a possible objection rather than as undefined.
LOG_ZERO = -1e6
# Log-odds closer to zero than this are a tie; sums of logarithms are not exact to the last bit.
TIE = 1e-9
LARGEST_FACTOR = 2**24


@dataclass(frozen=True)
class SufficientReason:
    """Feature values that alone guarantee a decision.

    Attributes
    ----------
    decision : class label
        The predicted class.
    values : dict
        Feature name to state. Whatever values all other features take, the decision stays.
    margin : float
        Log-odds of the decision against the strongest other class, in the worst case.
    guaranteed : bool
        False when features are missing that could overturn the decision even with all known values kept; then
        ``values`` holds all of them.
    """

    decision: Any
    values: dict[str, Any]
    margin: float
    guaranteed: bool

    def __str__(self) -> str:
        if not self.guaranteed:
            return f"No set of the known values guarantees '{self.decision}': missing features could overturn it."
        if not self.values:
            return f"Always '{self.decision}', whatever the features."
        shown = " and ".join(f"{name} = {state}" for name, state in self.values.items())
        return f"'{self.decision}' because {shown}, whatever the other features."

    def _repr_html_(self) -> str:
        if not self.guaranteed or not self.values:
            return card(str(self))
        known = ((name, str(state)) for name, state in self.values.items())
        worst = sentence(f"In the worst case its log-odds are still {self.margin:+.3f}.")
        return card(f"'{self.decision}', whatever the other features, because", facts(known), worst)


@dataclass(frozen=True, eq=False)
class _Term:
    """Log-odds of one family by the states of its features: one axis per feature, then one per other class."""

    features: tuple[int, ...]
    values: NDArray[np.float64]

    def given(self, feature: int, state: int) -> "_Term":
        axis = self.features.index(feature)
        rest = self.features[:axis] + self.features[axis + 1 :]
        return _Term(rest, np.asarray(np.take(self.values, state, axis=axis)))


def check_single_network(network: BayesNet, predictor: object, what: str) -> None:
    """Refuse a model that does not predict by one graph for all rows; ``what`` is asked of it."""
    if predictor is not network and not isinstance(predictor, TwoReadings):
        raise ValueError(f"{what} needs one network for all rows; this model {how_it_predicts(predictor)}.")


def sufficient_reason(
    network: BayesNet,
    table: Table,
    predicted: NDArray[Any],
    classes: NDArray[Any],
    prior: NDArray[np.float64],
    costs: NDArray[np.float64] | None = None,
) -> SufficientReason:
    """Find a subset-minimal set of values of one encoded row (without the class) that guarantees its decision.

    Ties go to the class with the larger ``prior``, then to the first, as in prediction. ``costs``
    is [true class, decision] where decisions are chosen by their expected cost.
    """
    if table.n_rows != 1:
        raise ValueError(f"A sufficient reason is for one row at a time. Got {table.n_rows} rows instead.")
    codes = {i: int(code) for i, code in enumerate(table.codes[0]) if code != table.missing_code}
    decision = int(np.flatnonzero(classes == predicted[0])[0])
    return reason_for(network, codes, decision, predicted[0], prior, costs)


def reason_for(
    network: BayesNet,
    codes: dict[int, int],
    decision: int,
    label: Any,
    prior: NDArray[np.float64],
    costs: NDArray[np.float64] | None = None,
) -> SufficientReason:
    """Find a subset-minimal set of the known codes (by node) that guarantees the class with code ``decision``."""
    floor = _smallest_margins(decision, prior, costs)
    worst = WorstCase(network, decision)

    def holds(margins: NDArray[np.float64]) -> bool:
        return bool((margins >= floor).all())

    kept = {i: codes[i] for i in worst.features if i in codes}
    margins = worst.margins(kept)
    guaranteed = holds(margins)
    if guaranteed:
        for feature in _cheapest_first(worst, kept):
            fewer = {i: state for i, state in kept.items() if i != feature}
            if holds(left := worst.margins(fewer)):
                kept, margins = fewer, left
    return SufficientReason(
        decision=label,
        values={network.nodes[i]: network.variables[i].states[state] for i, state in kept.items()},
        margin=float(margins.min()) if len(margins) else np.inf,
        guaranteed=guaranteed,
    )


def _smallest_margins(
    decision: int, prior: NDArray[np.float64], costs: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Log-odds that a decision needs against each other class, ties included where it wins them."""
    frequency = prior.round(PRIOR_DECIMALS)  # as prediction compares them
    others = np.delete(np.arange(len(prior)), decision)
    wins_tie = np.where(
        others < decision, frequency[decision] > frequency[others], frequency[decision] >= frequency[others]
    )
    at_least: NDArray[np.float64] = np.where(wins_tie, -TIE, TIE)
    if costs is not None and len(others):
        at_least += _equal_cost(decision, costs)
    return at_least


def _equal_cost(decision: int, costs: NDArray[np.float64]) -> float:
    """Log-odds of a decision against the only other class at which both decisions cost the same."""
    if len(costs) > 2:
        raise ValueError(
            f"With a loss, a sufficient reason needs two classes; the model has {len(costs)}. Fit without the loss, "
            "or ask explain for the weight of each value."
        )
    other = 1 - decision
    saved = costs[decision, other] - costs[decision, decision]  # by this decision where it is right
    lost = costs[other, decision] - costs[other, other]  # by this decision where it is wrong
    if lost == 0:  # never costs more than the other; where the class itself is impossible it costs the same
        return LOG_ZERO / 2
    return float(np.log(lost / saved)) if saved > 0 else np.inf


def _cheapest_first(worst: "WorstCase", kept: dict[int, int]) -> list[int]:
    """Features by the margin that is left when each alone is left out, largest first (ties by position)."""
    left = {
        feature: float(worst.margins({i: s for i, s in kept.items() if i != feature}).min(initial=np.inf))
        for feature in kept
    }
    # Rounded, so that values that cost the same are left out in column order.
    return sorted(kept, key=lambda feature: (-round(left[feature], 9), feature))


class WorstCase:
    """Smallest log-odds of a class against each other class, over all values of the features left free.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> net = BayesNet([x, c], DAG(["x", "c"], [("c", "x")]), [[[0.9, 0.1], [0.5, 0.5]], [0.5, 0.5]], "c")
    >>> worst = WorstCase(net, decision=0)
    >>> worst.margins({0: 0}).round(3), worst.margins({}).round(3)
    (array([0.588]), array([-1.609]))
    """

    def __init__(self, network: BayesNet, decision: int) -> None:
        if network.target is None:
            raise ValueError("A sufficient reason needs a class: this network has no target.")
        self._target = network.dag.index(network.target)
        self._terms = list(_family_terms(network, self._target, decision))
        self.features = sorted({i for term in self._terms for i in term.features})
        self._n_others = network.variables[self._target].arity - 1
        self._order = min_fill_order(_only(network.dag.moral_matrix, self.features), self.features)
        self._rank = {feature: position for position, feature in enumerate(self._order)}

    def margins(self, kept: dict[int, int]) -> NDArray[np.float64]:
        """Worst-case log-odds per other class when the kept features have their states and the rest may vary."""
        total = np.zeros(self._n_others)
        # Each term waits with the first of its free features to be eliminated.
        waiting: dict[int, list[_Term]] = {feature: [] for feature in self._order if feature not in kept}
        for term in self._terms:
            total += self._place(self._restrict(term, kept), waiting)
        for feature, terms in waiting.items():
            total += self._place(_minimise(terms, feature), waiting)
        return total

    def _place(self, term: _Term, waiting: dict[int, list[_Term]]) -> NDArray[np.float64] | float:
        """Let a term wait with its next feature; return the value of one that has none left."""
        if not term.features:
            return term.values
        waiting[min(term.features, key=self._rank.__getitem__)].append(term)
        return 0.0

    @staticmethod
    def _restrict(term: _Term, kept: dict[int, int]) -> _Term:
        for feature in term.features:
            if feature in kept:
                term = term.given(feature, kept[feature])
        return term


def _family_terms(network: BayesNet, target: int, decision: int) -> Iterator[_Term]:
    """Families without the class are the same for every class and drop out."""
    for node, parents in enumerate(network.dag.parent_indices):
        family = (*parents, node)
        if target not in family:
            continue
        with np.errstate(divide="ignore"):
            logarithms = np.maximum(np.log(network.tables[node]), LOG_ZERO)
        by_class = np.moveaxis(logarithms, family.index(target), -1)
        others = np.delete(by_class, decision, axis=-1)
        yield _Term(tuple(i for i in family if i != target), by_class[..., [decision]] - others)


def _minimise(terms: Sequence[_Term], feature: int) -> _Term:
    """Add terms up and take the smallest sum over the states of one feature."""
    scope = (*sorted({i for term in terms for i in term.features} - {feature}), feature)
    total: Any = 0.0
    for term in terms:
        order = sorted(range(len(term.features)), key=lambda axis: scope.index(term.features[axis]))
        arranged = term.values.transpose(*order, len(term.features))
        sizes = dict(zip((term.features[axis] for axis in order), arranged.shape, strict=False))
        total = total + arranged.reshape([sizes.get(i, 1) for i in scope] + [arranged.shape[-1]])
        if total.size > LARGEST_FACTOR:
            raise ValueError(
                f"A sufficient reason would need a table of {total.size:,} entries: the network joins too many "
                "features with one another."
            )
    return _Term(scope[:-1], total.min(axis=-2))


def _only(adjacency: NDArray[np.bool_], nodes: Sequence[int]) -> NDArray[np.bool_]:
    inside = np.zeros(len(adjacency), dtype=bool)
    inside[list(nodes)] = True
    return adjacency & inside & inside[:, None]
