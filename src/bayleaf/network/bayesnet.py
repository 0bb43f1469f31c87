"""The Bayesian network: variables, a graph, and a table per node.

A conditional probability table that prints with the names of its node, its parents and their states.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from itertools import islice, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data import Schema, Table, Variable, encode
from bayleaf.data.columns import as_frame
from bayleaf.data.table import Codes, OwnCodes, empty_codes
from bayleaf.graph import DAG

from .compiled import CompiledNetwork, rows_of_nodes
from .factors import draw_rows
from .queries import Known, Queries, Soft

MOST_LINES = 40


class ProbabilityTable(np.ndarray):
    """An array of probabilities: axes are the parents, then the node; its sums, parts and products are plain arrays.

    Examples
    --------
    >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("dry", "wet"))
    >>> ProbabilityTable.of(np.array([[0.9, 0.1], [0.2, 0.8]]), [rain, wet])
    P(wet | rain)
    rain    dry     wet
    no   0.9000  0.1000
    yes  0.2000  0.8000
    """

    _variables: tuple[Variable, ...] | None = None

    @classmethod
    def of(cls, values: NDArray[np.float64], variables: Sequence[Variable]) -> ProbabilityTable:
        """Return a view of the values of a table, which knows the variables of its axes."""
        table = values.view(cls)
        table._variables = tuple(variables)
        return table

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    def __str__(self) -> str:
        return str(np.asarray(self)) if self._variables is None else repr(self)

    def __repr__(self) -> str:
        if self._variables is None:
            return repr(np.asarray(self))
        texts = [list(map(str, cells)) for cells in self._lines()]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        parents = len(self._variables) - 1
        lines = [self._title()]
        for cells in texts:
            filled = [
                cell.ljust(width) if place < parents else cell.rjust(width + (place > 0))
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ]
            lines.append(" ".join(filled).rstrip())
        return "\n".join([*lines, *self._left_out()])

    def _repr_html_(self) -> str:
        if self._variables is None:
            return f"<pre>{escape(repr(self))}</pre>"
        cells = [[escape(str(cell)) for cell in line] for line in self._lines()]
        head = "".join(f"<th>{name}</th>" for name in cells[0])
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in cells[1:])
        notes = "".join(f"<p>{note}</p>" for note in self._left_out())
        return f"<table><caption>{escape(self._title())}</caption><tr>{head}</tr>{body}</table>{notes}"

    def _title(self) -> str:
        *parents, node = (variable.name for variable in self._variables or ())
        return f"P({node} | {', '.join(parents)})" if parents else f"P({node})"

    def _lines(self) -> Iterable[Sequence[object]]:
        """Yield the names of the columns, then a line for each configuration of the parents."""
        assert self._variables is not None
        *parents, node = self._variables
        yield [*(parent.name for parent in parents), *node.states]
        rows = np.asarray(self).reshape(-1, self.shape[-1])
        states = product(*(parent.states for parent in parents))
        for values, given in islice(zip(rows, states, strict=True), MOST_LINES):
            yield [*given, *(f"{value:.4f}" for value in values)]

    def _left_out(self) -> list[str]:
        more = self.size // self.shape[-1] - MOST_LINES
        return [f"... and {more:,} more lines"] if more > 0 else []


def columns_by_name(X: Any, names: Sequence[str], what: str = "nodes") -> Any:
    """Return the columns of a DataFrame that bear the names of nodes; an array has them in order already."""
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
    """Return what stands for each state in a DataFrame: its label, or a missing value for that of gaps."""
    return np.array([*variable.value_states, *([None] if variable.gap else [])], dtype=object)


class BayesNet(Queries):
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

    def plot(self, strengths: Any = None) -> Any:
        """Draw the graph, parents before children; needs igraph (the extra ``report``).

        Parameters
        ----------
        strengths : mapping from (parent, child) to number, or DataFrame, optional
            How thick the arcs are, from 0 to 1; `bayleaf.arc_strengths` returns such a DataFrame.

        Returns
        -------
        Picture
            Shown by notebooks; ``.save("graph.svg")`` writes it.
        """
        from bayleaf.page.drawing import draw

        return draw(self, strengths)

    def _repr_html_(self) -> str:
        from bayleaf.page.drawing import html

        return html(self)

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

    def cpt(self, v: str) -> NDArray[np.float64]:
        """Return the conditional probability table of a node: axes are its parents in node order, then itself.

        It is an array that prints with names and states; `table` makes a DataFrame of it.

        Examples
        --------
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("dry", "wet"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]]).cpt("wet")
        P(wet | rain)
        rain    dry     wet
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
        >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("dry", "wet"))
        >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
        >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
        >>> net.table("wet").rows()
        [('no', 0.9, 0.1), ('yes', 0.2, 0.8)]
        """
        values = self.cpt(v)
        parents = [self.variable(parent) for parent in self.parents(v)]
        lines = list(product(*(parent.states for parent in parents)))
        columns: dict[str, list[Any]] = {
            parent.name: [line[k] for line in lines] for k, parent in enumerate(parents)
        }
        for state, entries in zip(
            self.variable(v).states, values.reshape(-1, values.shape[-1]).T, strict=True
        ):
            name = str(state)
            while name in columns:  # a parent, or the text of another state, may have this very name
                name += "_"
            columns[name] = entries.tolist()
        return make_frame(columns, backend)

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
        evidence: Known = None,
        soft: Soft = None,
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
        evidence: Known = None,
        soft: Soft = None,
    ) -> Table:
        """Draw rows from the network as an encoded table; see `sample`."""
        check_param("sample", "n", n, int, low=0)
        rng = np.random.default_rng(random_state)
        codes = empty_codes(n, self._variables)
        draw_rows(self._dag, self._tables, self._evidence("sample", evidence, soft), codes, rng)
        target = None if self._target is None else self._dag.index(self._target)
        return Table(self._variables, codes, None, target, own=OwnCodes())

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
