"""What answers for new rows from one graph: a network, or two readings of it, as a `Member` with prior and costs.

Tables tuned to predict the class say P(class | complete row) well, but not how rows are distributed: as a network
they are *some* joint distribution, not that of the data. So a graph has two readings. A network with the tables of
the training rows answers every question but "which class". Tables of evidence decide the class of complete rows.
Where values are missing, each counts as much as it deserves: this is learned from held-out rows, of which values are
hidden at random.

    log P(c | row) = a(g) E_c + b(g) log P(c, row) + (1 - a(g) - b(g)) log P(c) + const,

where E_c is the sum of the evidence of known values, log P(c, row) is the network's with missing values summed out,
P(c) are the class frequencies, and g is the share of values that are missing, beyond what is usual. a(0) = 1 and
b(0) = 0, a(1) = b(1) = 0: where nothing is known, the answer is the class frequencies.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.data.reader import MISSING, RowReader
from bayleaf.data.table import Codes
from bayleaf.graph import DAG

from .bayesnet import BayesNet
from .compiled import FlatFamilies, rows_of_nodes
from .decisions import EQUAL, best_class, posteriors
from .predictors import Predictor, register_predictor

FloatArray = NDArray[np.float64]
# At these shares of missing values it is learned how much evidence counts; in between, weights are interpolated.
KNOTS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


@dataclass(frozen=True)
class GapCaution:
    """How much evidence counts in a row with gaps.

    Parameters
    ----------
    usual : int
        As many gaps are nothing unusual: nine of ten training rows have no more.
    weights : ndarray of shape (readings, 7)
        What each reading counts at the shares of gaps in `KNOTS`.

    Examples
    --------
    >>> caution = GapCaution(1, np.array([[1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.0]]))
    >>> caution.share(np.array([0, 1, 3, 5]), 5).tolist()
    [0.0, 0.0, 0.5, 1.0]
    >>> caution.of_share(np.array([0.0, 0.5])).tolist()
    [[1.0, 0.7]]
    """

    usual: int
    weights: FloatArray

    def share(self, gaps: NDArray[Any], features: int) -> FloatArray:
        """Return how large a share of the features is missing, beyond what is usual, from the number of gaps."""
        # A row of gaps alone is at 1 exactly, whatever is usual.
        beyond = np.clip((gaps - self.usual) / max(features - self.usual, 1e-9), 0.0, 1.0)
        share: FloatArray = np.where((gaps >= features) & (features > 0), 1.0, beyond)
        return share

    def of_share(self, share: FloatArray) -> FloatArray:
        """Return what each reading counts, [reading, row]."""
        return np.stack([np.interp(share, KNOTS, of_reading) for of_reading in self.weights])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"usual": self.usual, "weights": self.weights.tolist()}

    @classmethod
    def from_dict(cls, data: dict[str, Any], readings: int) -> Self:
        """Rebuild it; raise ValueError where the data cannot be its own."""
        usual, weights = int(data["usual"]), np.array(data["weights"], dtype=np.float64)
        if weights.shape != (readings, len(KNOTS)) or usual < 0:
            raise ValueError(
                "what counts in rows with gaps has not one weight for each reading and share of gaps"
            )
        if not (np.isfinite(weights) & (weights >= 0)).all() or weights[:, -1].any():
            raise ValueError(
                "what counts in rows with gaps has weights that are negative, or not zero at the end"
            )
        if weights[:, 0].tolist() != [1.0] + [0.0] * (readings - 1):
            raise ValueError("what counts in rows with gaps counts in complete rows too")
        return cls(usual, weights)


class Gaps:
    """The gaps of rows: missing values, also where these are a state of their own.

    Features of one state say nothing, missing or not, and are left aside.

    Parameters
    ----------
    variables : sequence of Variable
        The features, in the order of the columns.
    states : bool, default=True
        Whether a state of missing values is a gap.

    Attributes
    ----------
    columns : int
        How many features there are.
    features : int
        How many of them can be missing.

    Examples
    --------
    >>> gaps = Gaps([Variable("age", ("young", "old")), Variable("smoker", ("no", "yes")).with_gap()])
    >>> gaps.count(np.array([[0, 1], [255, 1], [255, 2]], dtype=np.uint8)).tolist()
    [0, 1, 2]
    """

    def __init__(self, variables: Sequence[Variable], *, states: bool = True) -> None:
        self._names = [variable.name for variable in variables]
        self._telling = np.flatnonzero([variable.arity > 1 for variable in variables]).tolist()
        self._first: dict[np.dtype[Any], NDArray[Any]] = {}  # codes of gaps, by the type of the codes
        self._states = [variable.arity - 1 if states and variable.gap else -1 for variable in variables]
        self.columns, self.features = len(self._names), len(self._telling)

    @property
    def are_states(self) -> bool:
        """Whether a missing value is a state of its own in some feature."""
        return any(state >= 0 for state in self._states)

    def code(self, feature: int, dtype: np.dtype[Any]) -> int:
        """Return the code of a gap in a feature: no other state has a larger one."""
        state = self._states[feature]
        return int(np.iinfo(dtype).max) if state < 0 else state

    def count(self, codes: NDArray[Any]) -> NDArray[np.int64]:
        """Return the number of gaps in each row of codes, the largest of which means missing."""
        total = np.zeros(len(codes), dtype=np.int64)
        for j in self._telling:
            total += codes[:, j] >= self.code(j, codes.dtype)
        return total

    def empty_rows(self, codes: NDArray[Any], has_missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Tell which rows have nothing but gaps; None where none can be, as no column lacks all its values."""
        if not (self.features and all(has_missing[j] or self._states[j] >= 0 for j in self._telling)):
            return None
        empty: NDArray[np.bool_] = self.count(codes) >= self.features
        return empty

    def are_all(self, codes: NDArray[Any]) -> bool:
        """Whether one row of codes has nothing but gaps, or no feature can tell anything."""
        return self.count_of_row(codes) == self.features

    def count_of_row(self, codes: NDArray[Any]) -> int:
        """Return the number of gaps of one row of codes."""
        first = self._first.get(codes.dtype)
        if first is None:
            first = np.array([self.code(j, codes.dtype) for j in self._telling], dtype=codes.dtype)
            self._first[codes.dtype] = first
        return int(np.count_nonzero(codes[self._telling] >= first))

    def hide(self, codes: NDArray[Any], shares: FloatArray, seed: int = 0) -> None:
        """Hide values at random, of each row as large a share as said, by writing over their codes.

        What is hidden of a column depends on its name, not on its place.
        """
        for j in self._telling:
            chance = np.random.default_rng([seed, *self._names[j].encode()]).random(len(codes))
            codes[chance < shares, j] = np.iinfo(codes.dtype).max

    def beyond_usual(self, table: Table) -> Table:
        """Return rows with more gaps than usual, in which no gap tells anything by itself."""
        if not self.are_states:
            return table
        codes = table.codes.copy(order="F")
        self.as_missing(codes)
        return replace(table, codes=codes)

    def as_missing(self, codes: NDArray[Any]) -> None:
        """Write over the states that stand for a missing value: nothing is known instead.

        Where a value is missing as often as in training, that may tell something. Of a row that lacks more than that
        something else is the cause.
        """
        for j, state in enumerate(self._states):
            if state >= 0:
                codes[codes[:, j] == state, j] = np.iinfo(codes.dtype).max


@dataclass(frozen=True)
class BackedOff:
    """Evidence of a feature some of whose parents are missing.

    Attributes
    ----------
    parents : tuple of int
        Its parents but the class, in the order in which they are taken up.
    scores : tuple of ndarray
        For each number of known parents, from none to all but one: [state of each, own state, class].
    """

    parents: tuple[int, ...]
    scores: tuple[FloatArray, ...]


class EvidenceTables:
    """Scores of the classes as a sum over the known values of a row: log P(c), and of each feature log P(x | pa, c).

    A missing value adds nothing. Where a parent is missing, it is left out with those after it.

    Parameters
    ----------
    network : BayesNet
        Its tables say what a complete row has; the class is the last node, and has no parents.
    backed_off : dict
        For features with parents besides the class, the evidence where some of these are missing.
    weighed : dict, optional
        What the values of complete families add, [state of each parent, own state, class], and log P(c), [class],
        where the logarithms of the network's tables are not that: the sums of weighed families are normalised in
        other tables, which must not count where only one of both features is missing.
    """

    def __init__(
        self,
        network: BayesNet,
        backed_off: dict[int, BackedOff],
        weighed: dict[int, FloatArray] | None = None,
    ) -> None:
        self.network = network
        self.backed_off = backed_off
        self.weighed = weighed
        self._query = len(network.nodes) - 1

    @property
    def log_prior(self) -> FloatArray:
        """The scores of the classes before any value is known."""
        if self.weighed is not None:
            return self.weighed[self._query]
        logs: FloatArray = np.log(self.network.tables[self._query])
        return logs

    def scores(self, table: Table, n_jobs: int | None) -> FloatArray:
        """Return the scores of rows of the features, [row, class]."""
        if not table.has_missing[: self._query].any():
            return self.network.compiled(self._query).log_joint(table, n_jobs)
        return self.scores_with_gaps(table.codes, n_jobs)

    def scores_with_gaps(self, codes: Codes, n_jobs: int | None) -> FloatArray:
        """Return the scores of rows of codes that are known to be states or missing."""
        flat = self._with_gaps
        out = np.empty((len(codes), self.classes))
        _core.log_joint(
            self._states(codes),
            flat.variables,
            flat.strides,
            flat.offsets,
            flat.table_offsets,
            flat.has_query,
            flat.values,
            out,
            n_jobs,
        )
        return out

    @property
    def n_numbers(self) -> int:
        """How many numbers a file has of them."""
        own = sum(table.size for table in (*self.network.tables, *(self.weighed or {}).values()))
        return own + sum(scores.size for each in self.backed_off.values() for scores in each.scores)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.network.variables[self._query].arity

    def entries(self, table: Table, node: int) -> FloatArray:
        """Return what the value of a feature adds to the scores of rows, [row, class]; zeros where it is missing."""
        codes = self._states(table.codes)
        family = [*self.network.dag.parent_indices[node], node]
        axes = [j for j in family if j != self._query]
        found: FloatArray = self.tables[node][tuple(codes[:, j].astype(np.int64) for j in axes)]
        return found

    @cached_property
    def tables(self) -> list[FloatArray]:
        """The scores of each node: an axis per parent, its own, the classes; missing values are the last states."""
        return [self._table(node) for node in range(self._query)]

    def _table(self, node: int) -> FloatArray:
        parents = self.network.dag.parent_indices[node]
        axes = [j for j in (*parents, node) if j != self._query]
        arities = [self.network.variables[j].arity for j in axes]
        table = np.zeros([*(arity + 1 for arity in arities), self.classes])
        if self._query not in parents:
            return table
        if self.weighed is not None:
            logs = self.weighed[node]
        else:
            logs = np.log(np.moveaxis(self.network.tables[node], parents.index(self._query), -1))
        table[tuple(slice(arity) for arity in arities)] = logs
        for known, scores in enumerate(self.backed_off[node].scores if len(axes) > 1 else ()):
            self._fill(table, axes, node, known, scores)
        for axis, arity in enumerate(arities[:-1]):
            if arity == 1:  # a parent of one state says nothing, missing or not
                table[(slice(None),) * axis + (1,)] = table[(slice(None),) * axis + (0,)]
        return table

    def _fill(self, table: FloatArray, axes: list[int], node: int, known: int, scores: FloatArray) -> None:
        """Fill in the cells of which exactly the first ``known`` parents count: the next one is missing."""
        order = self.backed_off[node].parents
        arity = dict(zip(axes, table.shape, strict=False))
        cells: list[Any] = []
        for j in axes:
            if j == node or j in order[:known]:
                cells.append(slice(arity[j] - 1))
            else:
                cells.append(arity[j] - 1 if j == order[known] else slice(None))
        kept = [j for j in axes if j == node or j in order[:known]]  # their axes, as the table has them
        given = [*order[:known], node]
        arranged = np.transpose(scores, [*(given.index(j) for j in kept), len(given)])
        later = [k for k, j in enumerate(j for j in axes if j != order[known]) if j in order[known + 1 :]]
        table[tuple(cells)] = np.expand_dims(arranged, later)

    @cached_property
    def _with_gaps(self) -> FlatFamilies:
        """The tables as kernels take them: a missing value is one more state."""
        parents_of, arranged = self.network.dag.parent_indices, []
        for node in range(self._query):
            table = self.tables[node]
            if self._query in parents_of[node]:
                table = np.moveaxis(table, -1, parents_of[node].index(self._query))
            else:
                table = table[..., 0]
            arranged.append(table)
        arranged.append(self.log_prior)
        return FlatFamilies.of(self.network.dag, arranged, self._query)

    def _states(self, codes: Codes) -> Codes:
        """Return codes of the features in which a missing value is the state after the last."""
        arities = self._arities
        if codes.dtype == np.uint8 and arities.dtype == np.uint16:  # the missing value of a byte is no byte
            codes = codes.astype(np.uint16)
        states: Codes = np.minimum(codes[:, : self._query], arities.astype(codes.dtype, copy=False))
        return np.asfortranarray(states)  # type: ignore[return-value]

    @cached_property
    def _arities(self) -> NDArray[Any]:
        arities = [variable.arity for variable in self.network.variables[: self._query]]
        return np.array(arities, dtype=np.uint8 if max(arities, default=1) < 255 else np.uint16)


@register_predictor
class TwoReadings:
    """One graph read in two ways: a joint distribution of the rows, and the evidence that decides their class.

    Parameters
    ----------
    network : BayesNet
        The joint distribution; the class is its last node and has no parents.
    evidence : EvidenceTables
        Over the same graph.
    gap_caution : GapCaution
        What the evidence and the network count in rows with gaps.
    """

    how = "reads its graph in two ways"
    caution = None  # the network that is shown is one of the readings

    def __init__(self, network: BayesNet, evidence: EvidenceTables, gap_caution: GapCaution) -> None:
        self.network = network
        self.evidence = evidence
        self.gap_caution = gap_caution
        self._query = len(network.nodes) - 1
        self.gaps = Gaps(network.variables[: self._query])

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names."""
        return self.network.nodes

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self.network.dag

    @property
    def prior(self) -> FloatArray:
        """The class frequencies."""
        return self.network.tables[self._query]

    def weights(self, table: Table) -> FloatArray:
        """Return what evidence and network count in each row, [reading, row]."""
        weights: FloatArray = self._by_gaps[:, self.gaps.count(table.codes)]
        return weights

    @cached_property
    def _by_gaps(self) -> FloatArray:
        """What each reading counts, [reading, number of gaps]."""
        numbers = np.arange(self.gaps.features + 1)
        return self.gap_caution.of_share(self.gap_caution.share(numbers, self.gaps.features))

    def as_read(self, table: Table, of_evidence: FloatArray, of_network: FloatArray) -> Table:
        """Return rows as they are read: where caution counts, no gap tells anything by itself."""
        if not self.gaps.are_states:
            return table
        cautious = (of_evidence != 1.0) | (of_network != 0.0)
        codes: Codes = table.codes.copy(order="F")
        codes[cautious] = self.gaps.beyond_usual(table.take(cautious)).codes
        return replace(table, codes=codes)

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> FloatArray:
        """Scores of the classes, up to a constant for each row; ``query`` is the class."""
        if query != self._query:
            raise ValueError(f"The evidence is about the class '{self.network.target}' only.")
        table = rows_of_nodes(rows, self.network.variables, query, n_jobs)
        scores = self.evidence.scores(table, n_jobs)
        if not (self.gaps.are_states or table.has_missing[: self._query].any()):
            return scores
        of_evidence, of_network = self.weights(table)
        cautious = (of_evidence != 1.0) | (of_network != 0.0)
        if cautious.any():
            part = self.gaps.beyond_usual(table.take(cautious))
            scores[cautious] = self._mixed(
                self.evidence.scores(part, n_jobs), part, of_evidence[cautious], of_network[cautious], n_jobs
            )
        return scores

    def _mixed(
        self,
        scores: FloatArray,
        table: Table,
        of_evidence: FloatArray,
        of_network: FloatArray,
        n_jobs: int | None,
    ) -> FloatArray:
        a, b = of_evidence[:, None], of_network[:, None]
        mixed = a * scores + (1.0 - a - b) * np.log(self.prior)
        if of_network.any():
            mixed += b * self.network.log_joint(table, self._query, n_jobs)
        return mixed

    def log_joint_of_row(self, codes: Codes, *, complete: bool) -> FloatArray:
        """Scores of one row of codes that are known to be states or, unless it is complete, missing."""
        if complete and not self.gaps.are_states:
            return self.evidence.network.compiled(self._query).log_joint_of_row(codes, complete=True)
        a, b = self._by_gaps[:, self.gaps.count_of_row(codes[0])].tolist()
        if a == 1.0 and b == 0.0:
            return self.evidence.scores_with_gaps(codes, 1)
        if self.gaps.are_states:
            codes = codes.copy(order="F")
            self.gaps.as_missing(codes)
        mixed: FloatArray = a * self.evidence.scores_with_gaps(codes, 1) + (1.0 - a - b) * np.log(self.prior)
        if b:
            mixed += b * self.network.compiled(self._query).log_joint_of_row(codes, complete=False)
        return mixed

    def to_dict(self) -> dict[str, Any]:
        """Return what it adds to its network as plain data."""
        nodes, of_evidence = self.nodes, self.evidence
        weighed = of_evidence.weighed
        return {
            "tables": {
                name: table.tolist() for name, table in zip(nodes, of_evidence.network.tables, strict=True)
            },
            "backed_off": {
                nodes[node]: {
                    "parents": [nodes[parent] for parent in each.parents],
                    "scores": [scores.tolist() for scores in each.scores],
                }
                for node, each in of_evidence.backed_off.items()
            },
            **(
                {}
                if weighed is None
                else {"weighed": {nodes[node]: weighed[node].tolist() for node in weighed}}
            ),
            "caution": self.gap_caution.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], network: BayesNet) -> Self:
        """Rebuild it from its network and plain data."""
        index, variables = network.dag.index, network.variables
        tables = [np.array(data["tables"][name], dtype=np.float64) for name in network.nodes]
        deciding = BayesNet(variables, network.dag, tables, network.target)
        backed_off = {}
        for name, item in data["backed_off"].items():
            parents = tuple(map(index, item["parents"]))
            scores = tuple(np.array(each, dtype=np.float64) for each in item["scores"])
            backed_off[index(name)] = BackedOff(parents, scores)
        weighed = None
        if "weighed" in data:
            weighed = {
                index(name): np.array(scores, dtype=np.float64) for name, scores in data["weighed"].items()
            }
        evidence = EvidenceTables(deciding, backed_off, weighed)
        _check(evidence)
        return cls(network, evidence, GapCaution.from_dict(data["caution"], readings=2))


def _check(evidence: EvidenceTables) -> None:
    """Refuse tables of evidence that are not those of their graph."""
    network, target = evidence.network, len(evidence.network.nodes) - 1
    arities = [variable.arity for variable in network.variables]
    for node, parents in enumerate(network.dag.parent_indices):
        others = [parent for parent in parents if parent != target]
        if evidence.weighed is not None and (target in parents or node == target):
            family = (*others, node) if node != target else ()
            shape = (*(arities[j] for j in family), arities[target])
            scores = evidence.weighed.get(node)
            if scores is None or scores.shape != shape or not np.isfinite(scores).all():
                raise ValueError(f"the weighed evidence of '{network.nodes[node]}' has not the shape {shape}")
        if target not in parents or not others:
            continue
        found = evidence.backed_off.get(node)
        if found is None or sorted(found.parents) != others or len(found.scores) != len(others):
            raise ValueError(f"the evidence of '{network.nodes[node]}' without its parents is not there")
        for known, scores in enumerate(found.scores):
            shape = (*(arities[j] for j in found.parents[:known]), arities[node], arities[target])
            if scores.shape != shape or not np.isfinite(scores).all():
                raise ValueError(
                    f"the evidence of '{network.nodes[node]}' without its parents has shape {scores.shape}, "
                    f"not {shape}"
                )


class Member:
    """A network with what it needs to answer: which columns of the schema it uses, its prior, its costs.

    It can be pickled and shared by threads.
    """

    weighs_costs = False

    def __init__(
        self,
        predictor: Predictor,
        columns: Sequence[int],
        prior: NDArray[np.float64],
        costs: NDArray[np.float64] | None = None,
    ) -> None:
        self.predictor = predictor
        self.columns = list(columns)
        self.prior = prior
        self.costs = costs
        self._query = len(predictor.nodes) - 1
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def _tables(self) -> Any:
        """The tables of a network that is the same for all rows, by the columns of the schema; otherwise None."""
        if self._native is None:
            layout = self.layout()
            self._native = None if layout is None else _core.NetworkTables(*layout)
        return self._native

    def layout(self, *, by_node: bool = False) -> tuple[NDArray[Any], ...] | None:
        """Return the tables as kernels take them, if they are the same for all rows.

        Variables are columns of the schema, or nodes of the network.
        """
        network = self.complete_network
        if network is None:
            return None
        compiled = network.compiled(self._query)
        columns = np.array([*self.columns, -1], dtype=np.int64)
        return (
            compiled.variables if by_node else columns[compiled.variables],
            compiled.strides,
            compiled.offsets,
            compiled.table_offsets,
            compiled.has_query,
            compiled.log_tables,
            np.ascontiguousarray(self.prior),
        )

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The features that the network uses, in the order of its nodes."""
        network = (
            self.predictor
            if isinstance(self.predictor, BayesNet)
            else getattr(self.predictor, "network", None)
        )
        return () if network is None else network.variables[: self._query]

    @property
    def deciding_network(self) -> BayesNet | None:
        """The network that decides rows without a gap, if one does."""
        found = self.predictor.evidence.network if isinstance(self.predictor, TwoReadings) else self.predictor
        return found if isinstance(found, BayesNet) else None

    @property
    def complete_network(self) -> BayesNet | None:
        """The same where codes alone show what a gap is: none is a state."""
        if isinstance(self.predictor, TwoReadings) and (
            self.predictor.gaps.are_states or not self.predictor.gaps.features
        ):
            return None
        return self.deciding_network

    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the states of every node, and the nodes parents first."""
        assert self.complete_network is not None
        compiled = self.complete_network.compiled(self._query)
        return compiled.arities, compiled.topological

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> NDArray[np.float64] | None:
        """Posteriors, or log-joints, of an array that the reader takes, in one pass; None for the general way."""
        tables = self._tables
        if tables is None:
            return None
        out = np.empty((len(X), len(self.prior)))
        incomplete = np.zeros(len(X), dtype=np.uint8)
        met = tables.score_numbers(reader.native, reader.wide, X, normalised, out, incomplete, n_jobs)
        rows = np.flatnonzero(incomplete)
        if met & ~MISSING or 2 * len(rows) > len(X):  # the second: too many to be copied
            return None
        if len(rows):
            table = reader.read_array(X[rows], n_jobs)
            assert table is not None
            out[rows] = self.score_table(table, n_jobs, normalised=normalised)
        return out

    def used(self, table: Table) -> Table:
        """Return rows that are encoded by the schema with only the columns that the network uses."""
        return table if len(self.columns) == table.n_variables else table.select(self.columns)

    def score_table(
        self, table: Table, n_jobs: int | None, *, normalised: bool = True
    ) -> NDArray[np.float64]:
        """Posteriors, or log-joints, of rows that are encoded by the schema; the prior where nothing is known."""
        used = self.used(table)
        if normalised:
            return self.answer(used, n_jobs)
        return self.predictor.log_joint(used, self._query, n_jobs)

    def answer(self, used: Table, n_jobs: int | None = None) -> FloatArray:
        """Posteriors of rows of the columns that the network uses."""
        found = posteriors(self.predictor.log_joint(used, self._query, n_jobs), self.prior, n_jobs)
        nothing = self._nothing_known(used)
        if nothing is not None:
            found[nothing] = self.prior
        return found

    def _nothing_known(self, used: Table) -> NDArray[np.bool_] | None:
        """Tell which rows have no value; None where all have one."""
        if isinstance(self.predictor, TwoReadings) and not self._gaps.features:
            return np.ones(used.n_rows, dtype=bool)
        return self._gaps.empty_rows(used.codes, used.has_missing)

    @cached_property
    def _gaps(self) -> Gaps:
        """What is missing in a row. In a network that is not cautious, a state of missing values tells something."""
        return Gaps(self.variables, states=isinstance(self.predictor, TwoReadings))

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Posterior of one row of codes by the schema, which are states or, unless it is complete, missing."""
        out = np.empty(len(self.prior))
        tables = self._tables
        if complete and tables is not None:
            tables.score_row(codes, out)
            return out
        if self._row_is_empty(codes):
            out[:] = self.prior
            return out
        _core.normalize_rows(self.row_log_joint(codes, complete=complete), self.prior, out[None], 1)
        return out

    def _row_is_empty(self, codes: Codes) -> bool:
        """Whether a row of codes by the schema has no value that tells anything."""
        used = codes if len(self.columns) == len(codes) else codes[self.columns]
        return self._gaps.columns > 0 and self._gaps.are_all(used)

    def row_log_joint(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Log-joint of one row of codes, as a matrix of one row."""
        used: Codes = codes if len(self.columns) == len(codes) else codes[self.columns]
        predictor: Any = self.predictor
        source = predictor.compiled(self._query) if isinstance(predictor, BayesNet) else predictor
        if not hasattr(source, "log_joint_of_row"):
            raise TypeError(
                f"This model cannot score single rows: {type(source).__name__} has no method "
                "log_joint_of_row(codes, complete=...). Use predict_proba."
            )
        log_joint: NDArray[np.float64] = source.log_joint_of_row(used[None], complete=complete)
        return log_joint

    def vote(self, posterior: NDArray[np.float64]) -> int:
        """Return the class that is decided for in one row."""
        if self.costs is None:  # mostly there is no tie, and no need for matrices
            values: list[float] = posterior.tolist()
            largest = max(values)
            if sum(value >= largest * (1.0 - EQUAL) for value in values) == 1:
                return values.index(largest)
        return int(best_class(posterior[None], self.prior, self.costs)[0])
