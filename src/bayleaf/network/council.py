"""Several networks that answer as one: by votes, or by the mean of their probabilities."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.data.table import Codes
from bayleaf.graph import DAG

from .decision import best_class, posteriors
from .member import Member
from .row_reader import RowReader

Vote = Literal["majority", "average", "joint"]


class Council:
    """Networks over the columns of one schema that answer together, as a `Member` answers alone.

    With weights w_m that sum to one:

    - "majority": each member has one vote, and probabilities are shares of votes, w_m apart;
    - "average": P(c | x) = sum_m w_m P_m(c | x);
    - "joint": P(c, x) = sum_m w_m P_m(c, x), the joint distribution of a mixture. A member of weight zero answers only
      where all others call a row impossible.

    Missing values are summed out exactly within each member. It can be pickled and shared by threads.

    Parameters
    ----------
    members : sequence of Member
    vote : {"majority", "average", "joint"}
    prior : ndarray
        Probabilities of the classes in a row that is impossible under all members.
    weights : ndarray, optional
        The same for all by default.
    names : sequence of str, optional
        Names of the columns and of the class, for explanations.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X, y = [["a", "x"], ["b", "y"], ["b", "x"]], ["no", "yes", "yes"]
    >>> model = bl.AveragedClassifier(bl.AODE()).fit(X, y)
    >>> model.council_.score_table(model.encode([["b", None]]), None).round(2)
    array([[0.17, 0.83]])
    """

    def __init__(
        self,
        members: Sequence[Member],
        vote: Vote,
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        names: Sequence[str] = (),
    ) -> None:
        self.members = tuple(members)
        self.vote = vote
        self.prior = prior
        equal = np.full(len(self.members), 1.0 / len(self.members))
        self.weights = equal if weights is None else weights / weights.sum()
        self.nodes = tuple(names)
        self._native: Any = None

    def __len__(self) -> int:
        return len(self.members)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def dag(self) -> DAG:
        """A graph without arcs over the columns and the class: members have their own, and none is that of all."""
        return DAG(self.nodes)

    @property
    def _tables(self) -> Any:
        """The tables of all members, where they average and each is the same network for all rows; otherwise None."""
        if self._native is None and self.vote != "majority":
            layouts = [member.layout() for member in self.members]
            if all(layout is not None for layout in layouts):
                native = _core.Council(len(self.prior))
                for layout, weight in zip(layouts, self.weights.tolist(), strict=True):
                    native.add_member(*layout, weight)
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

        Where there is no joint distribution behind the answer, its logarithms stand for log-joints.
        """
        if self.vote == "joint":
            log_joint = self._scored(table, n_jobs)
            return posteriors(log_joint, self.prior, n_jobs) if normalised else log_joint
        answer = self._votes(table, n_jobs) if self.vote == "majority" else self._scored(table, n_jobs)
        if normalised:
            return answer
        with np.errstate(divide="ignore"):
            return np.log(answer)

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log-joints of encoded rows, as `score_table` gives them; the class is the only query."""
        assert isinstance(rows, Table)
        assert query == len(self.nodes) - 1
        return self.score_table(rows, n_jobs, normalised=False)

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Posterior of one row of codes by the schema, which are states or, unless it is complete, missing."""
        if self.vote == "joint":
            log_joint = self._row_log_joint(codes, complete=complete)
            return posteriors(log_joint, self.prior, 1)[0]
        if complete and self._tables is not None:
            out = np.empty((1, len(self.prior)))
            self._tables.posteriors(codes[None], out, 1)
            return out[0]
        total = np.zeros(len(self.prior))
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            posterior = member.score_row(codes, complete=complete)
            if self.vote == "average":
                total += weight * posterior
            else:
                total[member.vote(posterior)] += 1.0
        return total / len(self.members) if self.vote == "majority" else total

    def _row_log_joint(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        out = np.empty((1, len(self.prior)))
        if complete and self._tables is not None:
            self._tables.log_joint(codes[None], out, 1)
            return out
        return self._added([member.row_log_joint(codes, complete=complete) for member in self.members])

    def _votes(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Shares of votes."""
        total = np.zeros((table.n_rows, len(self.prior)))
        for member in self.members:
            posterior = member.score_table(table, n_jobs)
            total[np.arange(len(total)), best_class(posterior, member.prior, member.costs)] += 1.0
        return total / len(self.members)

    def _scored(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Log-joints where these are averaged, otherwise posteriors; rows without gaps take the quick way."""
        if self._tables is None:
            return self._member_by_member(table, n_jobs)
        out = np.empty((table.n_rows, len(self.prior)))
        quick = self._tables.log_joint if self.vote == "joint" else self._tables.posteriors
        complete = table.complete_rows()
        if complete.all():
            quick(table.codes, out, thread_count(n_jobs))
            return out
        if complete.any():
            whole = np.empty((int(complete.sum()), len(self.prior)))
            quick(np.asfortranarray(table.codes[complete]), whole, thread_count(n_jobs))
            out[complete] = whole
        out[~complete] = self._member_by_member(table.take(~complete), n_jobs)
        return out

    def _member_by_member(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        if self.vote == "joint":
            return self._added([m.score_table(table, n_jobs, normalised=False) for m in self.members])
        total = np.zeros((table.n_rows, len(self.prior)))
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            total += weight * member.score_table(table, n_jobs)
        return total

    def _added(self, log_joints: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Weighted sum of joint probabilities, as logarithms; members of weight zero count where others do not."""
        total = np.full(log_joints[0].shape, -np.inf)
        last_resort = np.full(total.shape, -np.inf)
        for log_joint, weight in zip(log_joints, self.weights.tolist(), strict=True):
            if weight > 0:
                np.logaddexp(total, log_joint + np.log(weight), out=total)
            else:
                np.logaddexp(last_resort, log_joint, out=last_resort)
        impossible = np.isneginf(total).all(axis=1, keepdims=True)
        return np.where(impossible, last_resort, total)
