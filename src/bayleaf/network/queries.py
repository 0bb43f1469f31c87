"""Questions that a network answers: posteriors, explanations, interventions, sensitivity, information.

How a posterior depends on the entries of one table.

References
----------
E. Castillo, J. M. Gutierrez and A. S. Hadi. Sensitivity analysis in discrete Bayesian networks. IEEE Transactions on
Systems, Man and Cybernetics A 27, 1997.
V. M. H. Coupe and L. C. van der Gaag. Properties of sensitivity analysis of Bayesian belief networks. Annals of
Mathematics and Artificial Intelligence 36, 2002.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data import Variable
from bayleaf.graph import DAG

from .factors import JunctionTree, QueryCost, most_probable
from .known_states import UNKNOWN, Evidence, read_evidence
from .weighting import WeightedRows, weighted_rows

if TYPE_CHECKING:
    from .bayesnet import BayesNet
    from .compiled import CompiledNetwork


def linear_in_entries(
    table: NDArray[np.float64], rest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slope and intercept of sum(table * rest) in each entry of the table, the rest of its row co-varying.

    Examples
    --------
    The sum is 2 x + 6 (1 - x) for the first entry x.

    >>> linear_in_entries(np.array([0.25, 0.75]), np.array([2.0, 6.0]))
    (array([-4.,  4.]), array([6., 2.]))
    """
    arity = table.shape[-1]
    products = table * rest
    others = products.sum(axis=-1, keepdims=True) - products
    # What the other entries of the row contribute when they sum to one together.
    left = 1.0 - table
    evenly = (rest.sum(axis=-1, keepdims=True) - rest) / max(1, arity - 1)
    certain = left <= 0
    shared = np.where(certain, evenly, others / np.where(certain, 1.0, left))
    constant = products.sum() - products.sum(axis=-1, keepdims=True)
    return rest - shared, shared + constant


def sensitivity_frame(
    tree: JunctionTree,
    known: Evidence,
    variables: Sequence[Variable],
    table: NDArray[np.float64],
    family: Sequence[int],
    asked: int,
    code: int,
    backend: str | None,
) -> Any:
    """Return the frame of `BayesNet.sensitivity`, for the table of a family of nodes."""
    targets = [*family, *([] if asked in family else [asked])]
    rest = tree.without_table(known.softened(family, tree.arities), targets, family[-1])
    if asked in family:
        hit = np.zeros(rest.shape[family.index(asked)])
        hit[code] = 1.0
        with_state = rest * hit.reshape([-1 if member == asked else 1 for member in family])
    else:
        with_state, rest = rest[..., code], rest.sum(axis=-1)
    now = (table * rest).sum()
    if not now > 0:
        if np.isneginf(tree.log_evidence(known)):
            raise known.impossible()
        raise ValueError(
            f"The evidence is so improbable that the table of '{variables[family[-1]].name}' cannot be varied within "
            "the range of a float."
        )
    alpha, beta = linear_in_entries(table, with_state / now)
    gamma, delta = linear_in_entries(table, rest / now)
    below = gamma * table + delta
    members = [variables[node] for node in family]
    rows = list(product(*(variable.states for variable in members)))
    columns: dict[str, list[Any]] = {
        variable.name: [row[k] for row in rows] for k, variable in enumerate(members)
    }
    figures = {
        "probability": table,
        "posterior": (alpha * table + beta) / below,
        "derivative": (alpha * delta - beta * gamma) / below**2,
        "alpha": alpha,
        "beta": beta,
        "gamma": gamma,
        "delta": delta,
    }
    for name, values in figures.items():
        while name in columns:  # a variable may have this very name
            name += "_"
        columns[name] = values.ravel().tolist()
    return make_frame(columns, backend)


Known = Mapping[str, object] | None
Soft = Mapping[str, Any] | None


class MostProbable(NamedTuple):
    """States that are most probable together, and how probable they are given the evidence."""

    states: dict[str, Any]
    probability: float


class Queries(ABC):
    """What can be asked of a network. `BayesNet` is the only class that derives from it.

    In all methods ``evidence`` maps names to states: labels, or numbers for numeric variables; what is missing (None,
    NaN, pandas.NA) is unknown. ``soft`` maps names to weights of their states, as many as there are, by label or in
    order: evidence that speaks for a state more than for others (virtual evidence; only the ratios matter).
    """

    # These are BayesNet's own.

    @property
    @abstractmethod
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in node order."""

    @property
    @abstractmethod
    def dag(self) -> DAG:
        """The graph."""

    @property
    @abstractmethod
    def tables(self) -> tuple[NDArray[np.float64], ...]:
        """The conditional probability tables, in node order."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names."""

    @property
    @abstractmethod
    def target(self) -> str | None:
        """The class, or None."""

    @abstractmethod
    def compiled(self, query: int | None) -> "CompiledNetwork":
        """Return the network laid out for the kernels."""

    def _tree(self) -> JunctionTree:
        return JunctionTree(self.dag, self.tables, self.compiled(None))

    def _evidence(self, caller: str, evidence: Known, soft: Soft, asked: Sequence[str] = ()) -> Evidence:
        return read_evidence(caller, self.variables, self.dag, evidence, soft, asked)

    def posterior(
        self,
        v: str,
        evidence: Known = None,
        *,
        soft: Soft = None,
        approximate: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[Any, float]:
        """Exact distribution of one variable given the states of any others.

        Parameters
        ----------
        v : str
            The variable asked for.
        evidence : mapping from names to states, optional
            States by label; a numeric variable also takes a number. Variables that are left out, or missing (None,
            NaN, pandas.NA), are unknown and summed over.
        soft : mapping from names to weights of states, optional
            Evidence that is not certain: how much it speaks for each state.
        approximate : int, optional
            Estimate by likelihood weighting with this many rows instead, where the exact answer is refused for its
            cost; see `weighted_sample` for how good the estimate is.
        random_state : int or numpy Generator, optional
            For an estimate only.

        Returns
        -------
        dict
            State to probability.
        """
        node = self.dag.index(v)
        known = self._evidence("posterior", evidence, soft, [v])
        if approximate is not None:
            values = self._weighted(known, approximate, random_state).joint([node])
        else:
            values = self._tree().joint(known, [node])
        return dict(zip(self.variables[node].states, values.tolist(), strict=True))

    def posteriors(
        self,
        evidence: Known = None,
        *,
        soft: Soft = None,
        approximate: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[str, dict[Any, float]]:
        """Distribution of every variable that the evidence leaves open, all in one pass; see `posterior`.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> {name: round(found["yes"], 2) for name, found in net.posteriors().items()}
        {'rain': 0.2, 'wet': 0.24}
        """
        known = self._evidence("posteriors", evidence, soft)
        asked = np.flatnonzero(known.codes == UNKNOWN).tolist()
        if approximate is not None:
            rows = self._weighted(known, approximate, random_state)
            found = {node: rows.joint([node]) for node in asked}
        else:
            everything = self._tree().posteriors(known)
            found = {node: everything[node] for node in asked}
        return {
            self.nodes[node]: dict(zip(self.variables[node].states, found[node].tolist(), strict=True))
            for node in asked
        }

    def joint_posterior(
        self,
        names: Sequence[str],
        evidence: Known = None,
        *,
        soft: Soft = None,
        approximate: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[tuple[Any, ...], float]:
        """Joint distribution of several variables: tuples of states, in the order of the names, to probabilities.

        See `posterior` for the other parameters.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> round(net.joint_posterior(["wet", "rain"])["yes", "no"], 4)
        0.08
        """
        asked = self._asked("joint_posterior", names)
        known = self._evidence("joint_posterior", evidence, soft, names)
        if approximate is not None:
            values = self._weighted(known, approximate, random_state).joint(asked)
        else:
            values = self._tree().joint(known, asked)
        states = product(*(self.variables[node].states for node in asked))
        return dict(zip(states, values.ravel().tolist(), strict=True))

    def log_evidence(self, evidence: Known = None, *, soft: Soft = None) -> float:
        """Log P(evidence), natural logarithm; ``-inf`` where the evidence is impossible.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> coin = Variable("coin", ("heads", "tails"))
        >>> net = BayesNet([coin], DAG(["coin"]), [[0.25, 0.75]])
        >>> round(net.log_evidence({"coin": "heads"}), 4)
        -1.3863
        """
        return self._tree().log_evidence(self._evidence("log_evidence", evidence, soft))

    def query_cost(self, evidence: Known = None, names: Sequence[str] | None = None) -> QueryCost:
        """Say beforehand what an exact answer needs: entries of the largest table, and of all tables.

        Parameters
        ----------
        evidence : mapping from names to states, optional
        names : sequence of str, optional
            Nodes that are asked for together; by default all of them, one by one.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> coin = Variable("coin", ("heads", "tails"))
        >>> BayesNet([coin], DAG(["coin"]), [[0.25, 0.75]]).query_cost()
        QueryCost(largest=2.0, total=2.0)
        """
        asked = None if names is None else self._asked("query_cost", names)
        return self._tree().cost(self._evidence("query_cost", evidence, None, names or ()), asked)

    def mpe(self, evidence: Known = None, *, soft: Soft = None) -> MostProbable:
        """Most probable explanation: the states of all other nodes that are most probable together.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> net.mpe({"wet": "yes"}).states
        {'rain': 'yes'}
        """
        known = self._evidence("mpe", evidence, soft)
        asked = np.flatnonzero(known.codes == UNKNOWN).tolist()
        return self._most_probable(known, asked)

    def map(self, names: Sequence[str], evidence: Known = None, *, soft: Soft = None) -> MostProbable:
        """States of some nodes that are most probable together; all others are summed over.

        These may differ from the states that `mpe` gives the same nodes, and from the most probable of each node.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> net.map(["rain"])
        MostProbable(states={'rain': 'no'}, probability=0.8)
        """
        asked = self._asked("map", names)
        return self._most_probable(self._evidence("map", evidence, soft, names), asked)

    def _most_probable(self, known: Evidence, asked: Sequence[int]) -> MostProbable:
        codes, log_joint = most_probable(self.dag, self.tables, known, asked)
        states = {self.nodes[node]: self.variables[node].states[codes[node]] for node in asked}
        return MostProbable(states, float(np.exp(log_joint - self._tree().log_evidence(known))))

    def do(self, states: Mapping[str, object]) -> "BayesNet":
        """Return the network after an intervention: nodes set to states from outside, whatever their parents say.

        The arcs into those nodes are cut, and their tables say that the states are certain.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> net.do({"wet": "yes"}).posterior("rain")
        {'no': 0.8, 'yes': 0.2}
        """
        from .bayesnet import BayesNet

        check_param("do", "states", states, Mapping)
        codes = self._evidence("do", states, None).codes
        parents = [() if codes[k] != UNKNOWN else family for k, family in enumerate(self.dag.parent_indices)]
        tables = [
            table if code == UNKNOWN else np.eye(table.shape[-1])[code]
            for table, code in zip(self.tables, codes, strict=True)
        ]
        return BayesNet(self.variables, DAG.from_parents(self.nodes, parents), tables, self.target)

    def weighted_sample(
        self,
        n: int,
        evidence: Known = None,
        *,
        soft: Soft = None,
        random_state: int | np.random.Generator | None = None,
    ) -> WeightedRows:
        """Draw rows by likelihood weighting, where exact answers are refused for their cost.

        Nodes are drawn from the top, those of the evidence keep their states, and each row weighs as much as the
        evidence is probable given its other values.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> rows = net.weighted_sample(10_000, {"wet": "yes"}, random_state=0)
        >>> round(rows.effective_sample_size), round(rows.posterior("rain")["yes"], 2)
        (4246, 0.67)
        """
        return self._weighted(self._evidence("weighted_sample", evidence, soft), n, random_state)

    def _weighted(
        self, known: Evidence, n: int, random_state: int | np.random.Generator | None
    ) -> WeightedRows:
        check_param("likelihood weighting", "n", n, int, low=1)
        return weighted_rows(
            self.variables, self.dag, self.tables, known, n, np.random.default_rng(random_state)
        )

    def mutual_information(self, a: str, b: str | None = None, evidence: Known = None) -> Any:
        """Mutual information of two nodes given the evidence, in nats; where b is None, of a with every other.

        Returns
        -------
        float or dict
            The information, or a dict from the name of each other open node to it, the largest first.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> round(net.mutual_information("rain", "wet"), 4)
        0.1909
        """
        node = self.dag.index(a)
        if b is not None:
            self._asked("mutual_information", [a, b])
        known = self._evidence("mutual_information", evidence, None, [a] if b is None else [a, b])
        tree = self._tree()
        own = tree.joint(known, [node])
        states = np.flatnonzero(own > 0).tolist()
        if b is not None:
            joint = tree.joint(known, [node, self.dag.index(b)])
            return _information(own[states], joint[states] / own[states, None])
        open_nodes = [k for k in np.flatnonzero(known.codes == UNKNOWN).tolist() if k != node]
        given = [tree.posteriors(known.with_state(node, state)) for state in states]
        found = {
            self.nodes[k]: _information(own[states], np.array([each[k] for each in given]))
            for k in open_nodes
        }
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def sensitivity(
        self, v: str, state: object, node: str, evidence: Known = None, *, backend: str | None = None
    ) -> Any:
        """How P(v = state | evidence) depends on each entry of a node's table.

        An entry x moves and the others of its row keep their proportions (those of a row with x = 1 share the rest
        evenly). Then the posterior is (alpha x + beta) / (gamma x + delta); the denominator is P(evidence) relative
        to what it is now.

        Parameters
        ----------
        v : str
            The node asked for.
        state : object
            Its state.
        node : str
            The node whose table is varied.
        evidence : mapping from names to states, optional
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Returns
        -------
        DataFrame
            One line per entry: the states of the parents and of the node, ``probability`` (the entry), ``posterior``,
            ``derivative`` of the posterior at the entry, and ``alpha``, ``beta``, ``gamma``, ``delta``.

        References
        ----------
        E. Castillo, J. M. Gutierrez and A. S. Hadi. Sensitivity analysis in discrete Bayesian networks. IEEE
        Transactions on Systems, Man and Cybernetics A 27, 1997.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> frame = net.sensitivity("rain", "yes", "wet", {"wet": "yes"})
        >>> frame.select("rain", "wet", "probability", "derivative").row(1)
        ('no', 'yes', 0.1, -2.22...)
        """
        asked, varied = self.dag.index(v), self.dag.index(node)
        known = self._evidence("sensitivity", evidence, None, [v])
        family = [*self.dag.parent_indices[varied], varied]
        code = self.variables[asked].code(state)
        return sensitivity_frame(
            self._tree(),
            known,
            self.variables,
            self.tables[varied],
            family,
            asked,
            code,
            backend,
        )

    def d_separated(
        self, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()
    ) -> bool:
        """Whether the graph makes nodes independent of others, given a third set, whatever the tables say.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> from bayleaf.network import BayesNet
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
        >>> BayesNet([rain, wet], DAG(["rain", "wet"]), [[0.8, 0.2], [0.5, 0.5]]).d_separated("rain", "wet")
        True
        """
        return self.dag.d_separated(a, b, given)

    def _asked(self, caller: str, names: Sequence[str]) -> list[int]:
        """Return nodes that are asked for, by number, each once and at least one."""
        if isinstance(names, str):
            names = [names]
        asked = [self.dag.index(name) for name in names]
        if not asked or len(set(asked)) < len(asked):
            raise ValueError(
                f"{caller} needs the names of one or more different nodes. Got {list(names)!r} instead."
            )
        return asked


def _information(own: NDArray[np.float64], given: NDArray[np.float64]) -> float:
    """Return I(A; B) from P(A) and P(B | A), one row per state of A that is possible."""
    mixed = own @ given
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(given > 0, given * np.log(given / mixed), 0.0)
    return max(0.0, float(own @ terms.sum(axis=1)))
