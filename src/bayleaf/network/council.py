"""Several networks that answer together (`Council`), as a `Member` answers alone."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.data.reader import RowReader
from bayleaf.data.table import Codes
from bayleaf.graph import DAG

from .decisions import best_class, posteriors
from .member import Gaps, Member, TwoReadings

Vote = Literal["majority", "average", "joint"]


class Council:
    """Networks over the columns of one schema that answer together, as a `Member` answers alone.

    With weights w_m:

    - "majority": each member has one vote, and probabilities are shares of votes, w_m apart;
    - "average": P(c | x) = sum_m w_m P_m(c | x);
    - "joint": P(c, x) = sum_m w_m P_m(c, x) over the members of level 0, the joint distribution of a mixture. Those
      of level 1 answer where all of level 0 call a row impossible, and so on.

    Missing values are summed out exactly within each member. It can be pickled and shared by threads.

    Parameters
    ----------
    members : sequence of Member
        Over the same columns of the schema, where their joint probabilities are averaged.
    vote : {"majority", "average", "joint"}
    prior : ndarray
        Probabilities of the classes in a row that is impossible under all members.
    weights : ndarray, optional
        Above zero, and the same for all by default. Only their ratios within a level count.
    levels : sequence of int, optional
        All 0 by default.
    names : sequence of str, optional
        Names of the columns and of the class, for explanations.
    """

    def __init__(
        self,
        members: Sequence[Member],
        vote: Vote,
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        levels: Sequence[int] | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.members = tuple(members)
        self.vote = vote
        self.prior = prior
        self.levels = np.zeros(len(self.members), int) if levels is None else np.asarray(levels)
        self.given_weights = np.ones(len(self.members)) if weights is None else weights
        if not len(self.members) == len(self.levels) == len(self.given_weights):
            raise ValueError(f"There are {len(self.members)} members; weights and levels do not match them.")
        self.nodes = tuple(names)
        self._native: Any = None

    def with_costs(self, costs: NDArray[np.float64] | None) -> "Council":
        """Return the council whose members decide by these costs; this one where they do so already."""
        now = self.members[0].costs
        if costs is now or (costs is not None and now is not None and np.array_equal(costs, now)):
            return self
        members = [Member(each.predictor, each.columns, each.prior, costs) for each in self.members]
        return Council(members, self.vote, self.prior, self.given_weights, self.levels.tolist(), self.nodes)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def weighs_costs(self) -> bool:
        """Whether members have decided, by what mistakes cost, before they vote."""
        return self.vote == "majority"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights, scaled so that those of a level sum to one."""
        scaled: NDArray[np.float64] = (
            self.given_weights / np.bincount(self.levels, self.given_weights)[self.levels]
        )
        return scaled

    @property
    def dag(self) -> DAG:
        """A graph without arcs over the columns and the class: members have their own, and none is that of all."""
        return DAG(self.nodes)

    @property
    def _tables(self) -> Any:
        """The tables of all members, where they average and each is the same network for all rows; otherwise None."""
        if self._native is None and self.vote != "majority":
            joint = self.vote == "joint"
            layouts = [member.layout(by_node=joint) for member in self.members]
            if None not in layouts:
                native: Any = _core.Council(len(self.prior))
                weights = self.weights if joint else self.given_weights
                for member, layout, weight, level in zip(
                    self.members, layouts, weights, self.levels, strict=True
                ):
                    native.add_member(*(layout or ()), *member.order(), float(weight), int(level))
                self._native = native
        return self._native

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> NDArray[np.float64] | None:
        """Return None: arrays are read first, once for all members, and scored as tables."""
        return None

    def score_table(
        self, table: Table, n_jobs: int | None, *, normalised: bool = True
    ) -> NDArray[np.float64]:
        """Posteriors, or log-joints, of rows that are encoded by the schema.

        Where there is no joint distribution behind the answer, its logarithms stand for log-joints. Where nothing is
        known, averaged class probabilities are the prior; a joint distribution has class probabilities of its own.
        """
        if self.vote == "joint":
            log_joint = self._scored(table, n_jobs)
            return posteriors(log_joint, self.prior, n_jobs) if normalised else log_joint
        if self.vote == "majority":
            answer = self._votes(table, n_jobs)
        else:
            answer = self._scored(table, n_jobs)
            answer[self._nothing_known(table)] = self.prior
        if normalised:
            return answer
        with np.errstate(divide="ignore"):
            return np.log(answer)

    def _nothing_known(self, table: Table) -> NDArray[np.bool_]:
        """Tell in which rows all that the members use is missing."""
        columns, gaps = self._gaps
        nothing = np.full(table.n_rows, gaps.features == 0)
        if gaps.features and (gaps.are_states or table.has_missing[columns].all()):
            nothing = gaps.count(table.codes[:, columns]) >= gaps.features
        return nothing

    @cached_property
    def _gaps(self) -> tuple[list[int], Gaps]:
        """The columns that members use, and what their gaps are."""
        found: dict[int, Variable] = {}
        for member in self.members:
            found.update(zip(member.columns, member.variables, strict=False))
        columns = sorted(found)
        # In networks that are not cautious, a state of missing values tells something.
        cautious = any(isinstance(member.predictor, TwoReadings) for member in self.members)
        return columns, Gaps([found[j] for j in columns], states=cautious)

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log-joints of encoded rows, as `score_table` gives them; the class is the only query."""
        assert isinstance(rows, Table)
        assert query == len(self.nodes) - 1
        return self.score_table(rows, n_jobs, normalised=False)

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Posterior of one row of codes by the schema, which are states or, unless it is complete, missing."""
        if self.vote == "joint":
            log_joint = self._row_log_joint(codes, complete=complete)
            _core.normalize_rows(log_joint, self.prior, log_joint, 1)
            return log_joint.reshape(-1)
        columns, gaps = self._gaps
        quick = complete and gaps.features and not gaps.are_states
        if self.vote == "average" and not quick and gaps.are_all(codes[columns]):
            return np.array(self.prior)
        if complete and self._tables is not None:
            out = np.empty(len(self.prior))
            self._tables.posteriors(codes[None], out[None], 1)
            return out
        total = np.zeros(len(self.prior))
        for member, weight in zip(self.members, self.given_weights.tolist(), strict=True):
            posterior = member.score_row(codes, complete=complete)
            if self.vote == "average":
                total += weight * posterior
            else:
                total[member.vote(posterior)] += 1.0
        total /= self.given_weights.sum()
        return total

    def _row_log_joint(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        if self._tables is not None:
            out = np.empty((1, len(self.prior)))
            used: Codes = np.asfortranarray(codes[self.members[0].columns][None])  # type: ignore[assignment]
            if complete:
                self._tables.log_joint(used, out, 1)
                return out
            undone = np.zeros(1, dtype=np.uint8)
            self._tables.log_joint_of_gaps(used, out, undone, 1)
            if not undone[0]:
                return out
        return self._added((member.row_log_joint(codes, complete=complete) for member in self.members), 1)

    def _votes(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Shares of votes."""
        total = np.zeros((table.n_rows, len(self.prior)))
        for member in self.members:
            posterior = member.score_table(table, n_jobs)
            total[np.arange(len(total)), best_class(posterior, member.prior, member.costs)] += 1.0
        total /= len(self.members)
        return total

    def _scored(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Log-joints where these are averaged, otherwise posteriors; rows take the quick way where there is one."""
        if self._tables is None:
            return self._member_by_member(table, n_jobs)
        used = self.members[0].used(table) if self.vote == "joint" else table
        quick = self._tables.log_joint if self.vote == "joint" else self._tables.posteriors
        out = np.empty((table.n_rows, len(self.prior)))
        complete = used.complete_rows()
        if complete.all():
            quick(used.codes, out, n_jobs)
            return out
        if complete.any():
            whole = np.empty((int(complete.sum()), len(self.prior)))
            quick(used.take(complete).codes, whole, n_jobs)
            out[complete] = whole
        slow = ~complete
        if self.vote == "joint":
            undone = np.zeros(int(slow.sum()), dtype=np.uint8)
            sums = np.empty((len(undone), len(self.prior)))
            self._tables.log_joint_of_gaps(used.take(slow).codes, sums, undone, n_jobs)
            out[slow] = sums
            slow[slow] = undone != 0
        if slow.any():
            out[slow] = self._member_by_member(table.take(slow), n_jobs)
        return out

    def _member_by_member(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        if self.vote == "joint":
            log_joints = (each.score_table(table, n_jobs, normalised=False) for each in self.members)
            return self._added(log_joints, table.n_rows)
        total = np.zeros((table.n_rows, len(self.prior)))
        for member, weight in zip(self.members, self.given_weights.tolist(), strict=True):
            total += weight * member.score_table(table, n_jobs)
        total /= self.given_weights.sum()
        return total

    def _added(self, log_joints: Iterable[NDArray[np.float64]], rows: int) -> NDArray[np.float64]:
        """Weighted sum of joint probabilities, as logarithms: of the lowest level that gives a row any."""
        sums = np.full((self.levels.max() + 1, rows, len(self.prior)), -np.inf)
        for log_joint, weight, level in zip(log_joints, self.weights, self.levels, strict=True):
            np.logaddexp(sums[level], log_joint + np.log(weight), out=sums[level])
        total: NDArray[np.float64] = sums[-1]
        for lower in sums[-2::-1]:
            total = np.where(np.isneginf(lower).all(axis=1, keepdims=True), total, lower)
        return total


FloatArray = NDArray[np.float64]


def first_joint(dag: DAG, tables: Sequence[FloatArray], target: int, first: Sequence[int]) -> FloatArray:
    """Return P(class, first features), the class on the first axis.

    Parameters
    ----------
    dag : DAG
        In which the class has no parent, and each of these features the class and those before it.
    tables : sequence of arrays
        One per node: an axis for each parent in node order, then the node's own.
    target : int
        The class.
    first : sequence of int
        Features, in the order of the nodes.
    """
    joint = tables[target]
    for feature in first:
        # Parents are in node order; the class comes first here.
        joint = joint[..., None] * np.moveaxis(tables[feature], dag.parent_indices[feature].index(target), 0)
    return joint


def with_first_joint(
    dag: DAG, tables: Sequence[FloatArray], target: int, first: Sequence[int], joint: FloatArray
) -> tuple[list[FloatArray], float]:
    """Return the tables for another joint of the class and the first features, and the sum of its entries.

    Only the tables of these nodes change. Where the entries do not sum to one, as when states were made impossible,
    they are divided by the sum, which is above zero: the network is conditioned on what is possible.
    """
    changed = list(tables)
    share = float(joint.sum())
    changed[target] = joint.sum(axis=tuple(range(1, joint.ndim))) / share
    for depth, feature in enumerate(first, 1):
        own = dag.parent_indices[feature].index(target)
        cells = joint.sum(axis=tuple(range(depth + 1, joint.ndim)))
        totals = cells.sum(axis=-1, keepdims=True)
        # Where a configuration of the parents is impossible, nobody asks for the rest.
        old = np.moveaxis(tables[feature], own, 0)
        new = np.where(totals > 0, cells / np.where(totals > 0, totals, 1.0), old)
        changed[feature] = np.moveaxis(new, 0, own)
    return changed, share
