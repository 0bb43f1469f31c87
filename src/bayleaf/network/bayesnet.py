"""The Bayesian network: variables, a graph, and a table per node; and what can be asked of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data import Schema, Table, Variable, encode
from bayleaf.data.columns import as_frame
from bayleaf.data.table import Codes, OwnCodes, empty_codes
from bayleaf.graph import DAG
from bayleaf.graph.parents import Drawable

from . import inference, queries
from .compiled import CompiledNetwork, rows_of_nodes
from .inference import UNKNOWN, Evidence, JunctionTree, KnownStates, QueryCost, StateWeights
from .probability_table import ProbabilityTable
from .queries import MostProbable, WeightedRows


def columns_by_name(X: Any, names: Sequence[str], what: str = "nodes") -> Any:
    """Return the columns of a DataFrame that are named as nodes; an array has them in order already."""
    frame = as_frame(X)
    if frame is not None:
        lacking = [name for name in names if name not in frame.columns]
        if lacking:
            raise ValueError(f"The data has no column for the node{'s' * (len(lacking) > 1)} {lacking}.")
        return frame.select(list(names)).to_native()
    if np.ndim(X) == 2 and np.shape(X)[1] != len(names):
        raise ValueError(f"The data has {np.shape(X)[1]} columns; the network has {len(names)} {what}.")
    return X


# Compiled forms that a network keeps, one per query node: each is as large as the tables.
KEPT_COMPILED = 8


def _values(variable: Variable) -> NDArray[Any]:
    """Return how each state is written in a DataFrame: its label, or a missing value for the state of gaps."""
    return np.array([*variable.value_states, *([None] if variable.gap else [])], dtype=object)


class BayesNet(Drawable):
    """A Bayesian network over discrete variables. It never changes.

    Parameters
    ----------
    variables : sequence of Variable
        One per node, in node order.
    dag : DAG
        The graph, over the variables' names.
    tables : sequence of ndarray
        ``tables[i]`` has one axis per parent of node i (in node order) and a last axis for node i; the last axis
        sums to one.
    target : str, optional
        The class, if the network is a classifier.

    Notes
    -----
    In all questions ``evidence`` maps names to states: labels, or numbers for numeric variables; what is missing
    (None, NaN, pandas.NA) is unknown. ``soft`` maps names to weights of their states, as many as there are, by label
    or in order: evidence that supports a state more than others (virtual evidence; only the ratios matter).

    Examples
    --------
    >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
    >>> net = BayesNet(
    ...     [rain, wet], DAG(["rain", "wet"], [("rain", "wet")]), [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]]
    ... )
    >>> {state: round(p, 4) for state, p in net.posterior("rain", {"wet": "yes"}).items()}
    {'no': 0.3333, 'yes': 0.6667}
    """

    def __init__(
        self, variables: Sequence[Variable], dag: DAG, tables: Sequence[Any], target: str | None = None
    ) -> None:
        self._variables = tuple(variables)
        self._dag = dag
        names = tuple(variable.name for variable in self._variables)
        if names != dag.nodes:
            raise ValueError(f"The variables {list(names)} are not the nodes of the graph {list(dag.nodes)}.")
        self._target = None if target is None else dag.nodes[dag.index(target)]
        if len(tables) != len(names):
            raise ValueError(f"The network has {len(names)} nodes but {len(tables)} tables.")
        self._tables = tuple(self._check_table(node, table) for node, table in enumerate(tables))
        self._compiled: dict[int | None, CompiledNetwork] = {}

    def _check_table(self, node: int, table: Any) -> NDArray[np.float64]:
        name = self._dag.nodes[node]
        checked = np.array(table, dtype=np.float64)
        family = (*self._dag.parent_indices[node], node)
        shape = tuple(self._variables[k].arity for k in family)
        if checked.shape != shape:
            raise ValueError(f"The table of '{name}' has shape {checked.shape}; its family needs {shape}.")
        if not checked.min() >= 0:  # catches NaN too
            raise ValueError(f"The table of '{name}' has entries that are not probabilities.")
        if not abs(checked.sum(axis=-1) - 1.0).max() <= 1e-6:
            raise ValueError(f"The table of '{name}' has rows that do not sum to one.")
        checked.setflags(write=False)
        return checked

    def __repr__(self) -> str:
        target = "" if self._target is None else f", target={self._target!r}"
        return (
            f"<BayesNet nodes={len(self.nodes)} arcs={len(self.arcs)} parameters={self.n_parameters}{target}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        # Compiled forms are made again when they are needed.
        return {**self.__dict__, "_compiled": {}}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in node order."""
        return self._variables

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self._dag

    @property
    def tables(self) -> tuple[NDArray[np.float64], ...]:
        """The conditional probability tables, in node order (read-only)."""
        return self._tables

    @property
    def target(self) -> str | None:
        """The class, or None."""
        return self._target

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names."""
        return self._dag.nodes

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs as (parent, child)."""
        return self._dag.arcs

    @cached_property
    def n_parameters(self) -> int:
        """The number of free parameters: parent configurations times (states - 1), over all nodes."""
        return sum(table.size // table.shape[-1] * (table.shape[-1] - 1) for table in self._tables)

    def parents(self, v: str) -> tuple[str, ...]:
        """Return the parents of a node."""
        return self._dag.parents(v)

    def children(self, v: str) -> tuple[str, ...]:
        """Return the children of a node."""
        return self._dag.children(v)

    def markov_blanket(self, v: str) -> tuple[str, ...]:
        """Return the parents, children and children's other parents of a node."""
        return self._dag.markov_blanket(v)

    def variable(self, v: str) -> Variable:
        """Return the variable of a node."""
        return self._variables[self._dag.index(v)]

    def cpt(self, v: str) -> ProbabilityTable:
        """Return the conditional probability table of a node: axes are its parents in node order, then itself.

        It is an array that prints with names and states; `table` makes a DataFrame of it.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().cpt("wet")
        P(wet | rain)
        rain     no     yes
        no   0.9000  0.1000
        yes  0.2000  0.8000
        """
        axes = [self.variable(name) for name in (*self.parents(v), v)]
        return ProbabilityTable.of(self._tables[self._dag.index(v)], axes)

    def table(self, v: str, backend: str | None = None) -> Any:
        """Return the table of a node as a DataFrame: a line per configuration of its parents, a column per state.

        Parameters
        ----------
        v : str
            The node.
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().table("wet").rows()
        [('no', 0.9, 0.1), ('yes', 0.2, 0.8)]
        """
        return self.cpt(v).to_frame(backend)

    def compiled(self, query: int | None) -> CompiledNetwork:
        """Return the network laid out for the kernels with this query node (kept for the next call)."""
        compiled = self._compiled.pop(query, None)
        if compiled is None:
            arities = [variable.arity for variable in self._variables]
            compiled = CompiledNetwork.compile(self._dag, self._tables, arities, query)
        self._compiled[query] = compiled  # at the end: the first one is the one longest unused
        for unused in list(self._compiled)[:-KEPT_COMPILED]:
            self._compiled.pop(unused, None)
        return compiled

    def encode(self, X: Any) -> Table:
        """Encode rows of data that have a column for every node (DataFrame: by name; array: in node order)."""
        if isinstance(X, Table):
            if X.variables != self._variables:
                raise ValueError("The table's variables are not those of the network.")
            return X
        return encode(Schema(self._variables), columns_by_name(X, self.nodes), known_by="network")

    def log_likelihood(self, X: Any) -> NDArray[np.float64]:
        """Log-probability of each row, natural logarithm; missing values are summed out.

        Examples
        --------
        >>> coin = Variable("coin", ("heads", "tails"))
        >>> net = BayesNet([coin], DAG(["coin"]), [[0.25, 0.75]])
        >>> net.log_likelihood([["heads"], ["tails"]]).round(4)
        array([-1.3863, -0.2877])
        """
        table = self.encode(X)
        return self.log_joint(table, None, table.n_jobs)[:, 0]

    def log_joint(
        self, rows: Table | Codes, query: int | None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Log P(query, observed values) per row and state of the query; missing values are summed out.

        Parameters
        ----------
        rows : Table or ndarray of codes
            One column per node in node order; the query's is not used, and may be absent when it is the last.
        query : int or None
            A node by its number. None asks for the probability of the row alone: one column.
        n_jobs : int, optional
        """
        if query is not None and not 0 <= query < len(self.nodes):
            raise ValueError(
                f"query must be a node in the range [0, {len(self.nodes) - 1}]. Got {query} instead."
            )
        return self.compiled(query).log_joint(rows_of_nodes(rows, self._variables, query, n_jobs), n_jobs)

    def sample(
        self,
        n: int,
        random_state: int | np.random.Generator | None = None,
        *,
        evidence: KnownStates = None,
        soft: StateWeights = None,
        backend: str | None = None,
    ) -> Any:
        """Draw rows from the network, or from what it says given evidence.

        Parameters
        ----------
        n : int
            Number of rows.
        random_state : int or numpy Generator, optional
        evidence, soft : mapping, optional
            As in `posterior`. Rows are drawn exactly from the distribution given the evidence.
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed. Numeric
            variables come as interval labels, and missing values that have a state of their own as missing values.

        Examples
        --------
        >>> coin = Variable("coin", ("heads", "tails"))
        >>> BayesNet([coin], DAG(["coin"]), [[1.0, 0.0]]).sample(2, random_state=0)["coin"].to_list()
        ['heads', 'heads']
        """
        table = self.sample_table(n, random_state, evidence=evidence, soft=soft)
        columns = {
            variable.name: _values(variable)[table.codes[:, j]].tolist()
            for j, variable in enumerate(self._variables)
        }
        if n == 0:  # a column without values has no type: the states have
            typed = {variable.name: list(variable.states[:1]) for variable in self._variables}
            return make_frame(typed, backend)[:0]
        return make_frame(columns, backend)

    def sample_table(
        self,
        n: int,
        random_state: int | np.random.Generator | None = None,
        *,
        evidence: KnownStates = None,
        soft: StateWeights = None,
    ) -> Table:
        """Draw rows from the network as an encoded table; see `sample`."""
        check_param("sample", "n", n, int, low=0)
        rng = np.random.default_rng(random_state)
        codes = empty_codes(n, self._variables)
        inference.draw_rows(self._dag, self._tables, self._evidence("sample", evidence, soft), codes, rng)
        target = None if self._target is None else self._dag.index(self._target)
        return Table(self._variables, codes, None, target, own=OwnCodes())

    def posterior(
        self,
        v: str,
        evidence: KnownStates = None,
        *,
        soft: StateWeights = None,
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
            Evidence that is not certain: how strongly it supports each state.
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
        evidence: KnownStates = None,
        *,
        soft: StateWeights = None,
        approximate: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[str, dict[Any, float]]:
        """Distribution of every variable that the evidence leaves open, all in one pass; see `posterior`.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> {name: round(found["yes"], 2) for name, found in rain_network().posteriors().items()}
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
        evidence: KnownStates = None,
        *,
        soft: StateWeights = None,
        approximate: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[tuple[Any, ...], float]:
        """Joint distribution of several variables: tuples of states, in the order of the names, to probabilities.

        See `posterior` for the other parameters.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> round(rain_network().joint_posterior(["wet", "rain"])["yes", "no"], 4)
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

    def log_evidence(self, evidence: KnownStates = None, *, soft: StateWeights = None) -> float:
        """Log P(evidence), natural logarithm; ``-inf`` where the evidence is impossible.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> round(rain_network().log_evidence({"rain": "no"}), 4)
        -0.2231
        """
        return self._tree().log_evidence(self._evidence("log_evidence", evidence, soft))

    def query_cost(self, evidence: KnownStates = None, names: Sequence[str] | None = None) -> QueryCost:
        """Say beforehand what an exact answer needs: entries of the largest table, and of all tables.

        Parameters
        ----------
        evidence : mapping from names to states, optional
        names : sequence of str, optional
            Nodes that are asked for together; by default all of them, one by one.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().query_cost()
        QueryCost(largest=4.0, total=4.0)
        """
        asked = None if names is None else self._asked("query_cost", names)
        return self._tree().cost(self._evidence("query_cost", evidence, None, names or ()), asked)

    def mpe(self, evidence: KnownStates = None, *, soft: StateWeights = None) -> MostProbable:
        """Most probable explanation: the states of all other nodes that are most probable together.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().mpe({"wet": "yes"}).states
        {'rain': 'yes'}
        """
        known = self._evidence("mpe", evidence, soft)
        asked = np.flatnonzero(known.codes == UNKNOWN).tolist()
        return self._most_probable(known, asked)

    def map(
        self, names: Sequence[str], evidence: KnownStates = None, *, soft: StateWeights = None
    ) -> MostProbable:
        """States of some nodes that are most probable together; all others are summed over.

        These may differ from the states that `mpe` gives the same nodes, and from the most probable of each node.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().map(["rain"])
        MostProbable(states={'rain': 'no'}, probability=0.8)
        """
        asked = self._asked("map", names)
        return self._most_probable(self._evidence("map", evidence, soft, names), asked)

    def do(self, states: Mapping[str, object]) -> BayesNet:
        """Return the network after an intervention: nodes set to states from outside, whatever their parents say.

        The arcs into those nodes are cut, and their tables say that the states are certain.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().do({"wet": "yes"}).posterior("rain")
        {'no': 0.8, 'yes': 0.2}
        """
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
        evidence: KnownStates = None,
        *,
        soft: StateWeights = None,
        random_state: int | np.random.Generator | None = None,
    ) -> WeightedRows:
        """Draw rows by likelihood weighting, where exact answers are refused for their cost.

        Nodes are drawn from the top, those of the evidence keep their states, and each row weighs as much as the
        evidence is probable given its other values.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> net = rain_network()
        >>> rows = net.weighted_sample(10_000, {"wet": "yes"}, random_state=0)
        >>> round(rows.effective_sample_size), round(rows.posterior("rain")["yes"], 2)
        (4246, 0.67)
        """
        return self._weighted(self._evidence("weighted_sample", evidence, soft), n, random_state)

    def mutual_information(self, a: str, b: str | None = None, evidence: KnownStates = None) -> Any:
        """Mutual information of two nodes given the evidence, in nats; where b is None, of a with every other.

        Returns
        -------
        float or dict
            The information, or a dict from the name of each other open node to it, the largest first.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> round(rain_network().mutual_information("rain", "wet"), 4)
        0.1909
        """
        node = self.dag.index(a)
        if b is not None:
            self._asked("mutual_information", [a, b])
        known = self._evidence("mutual_information", evidence, None, [a] if b is None else [a, b])
        if b is not None:
            return queries.information_with(self._tree(), known, node, self.dag.index(b))
        found = queries.information_with_all(self._tree(), known, node)
        return {self.nodes[other]: information for other, information in found.items()}

    def sensitivity(
        self, v: str, state: object, node: str, evidence: KnownStates = None, *, backend: str | None = None
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
        >>> from bayleaf.network import rain_network
        >>> net = rain_network()
        >>> frame = net.sensitivity("rain", "yes", "wet", {"wet": "yes"})
        >>> frame.select("rain", "wet", "probability", "derivative").row(1)
        ('no', 'yes', 0.1, -2.22...)
        """
        asked, varied = self.dag.index(v), self.dag.index(node)
        known = self._evidence("sensitivity", evidence, None, [v])
        family = [*self.dag.parent_indices[varied], varied]
        code = self.variables[asked].code(state)
        return queries.sensitivity_frame(
            self._tree(), known, self.variables, self.tables[varied], family, asked, code, backend
        )

    def d_separated(
        self, a: str | Sequence[str], b: str | Sequence[str], given: str | Sequence[str] = ()
    ) -> bool:
        """Whether the graph makes nodes independent of others, given a third set, whatever the tables say.

        Examples
        --------
        >>> from bayleaf.network import rain_network
        >>> rain_network().d_separated("rain", "wet")
        False
        """
        return self.dag.d_separated(a, b, given)

    def _tree(self) -> JunctionTree:
        return JunctionTree(self._dag, self._tables, self.compiled(None))

    def _evidence(
        self, caller: str, evidence: KnownStates, soft: StateWeights, asked: Sequence[str] = ()
    ) -> Evidence:
        return inference.read_evidence(caller, self._variables, self._dag, evidence, soft, asked)

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

    def _weighted(
        self, known: Evidence, n: int, random_state: int | np.random.Generator | None
    ) -> WeightedRows:
        check_param("likelihood weighting", "n", n, int, low=1)
        rng = np.random.default_rng(random_state)
        return queries.weighted_rows(self.variables, self.dag, self.tables, known, n, rng)

    def _most_probable(self, known: Evidence, asked: Sequence[int]) -> MostProbable:
        codes, log_joint = inference.most_probable(self.dag, self.tables, known, asked)
        states = {self.nodes[node]: self.variables[node].states[codes[node]] for node in asked}
        return MostProbable(states, float(np.exp(log_joint - self._tree().log_evidence(known))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, to be read by `load_network`; its name says in which format.

        ``.bif``, ``.xmlbif`` (``.bifxml``), ``.dsc``, ``.net`` (Hugin) and ``.dot`` (Graphviz) are for other tools;
        ``.json``, and any other name, is ours, to the last bit.
        """
        from bayleaf.networks.network_files import save_network

        save_network(self, path)

    def to_bif(self, path: str | os.PathLike[str]) -> None:
        """Write the network in the Bayesian interchange format (see `read_bif`)."""
        from bayleaf.networks.bif import write_bif

        write_bif(self, path)


def rain_network() -> BayesNet:
    """Return the network of the examples: rain makes the grass wet."""
    rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
    dag = DAG(["rain", "wet"], [("rain", "wet")])
    return BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
