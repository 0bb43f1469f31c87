"""A source of counts that reads its rows in batches: only one batch is in memory."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from bayleaf.data import Table, Variable

from .passes import Maker, PassSource, Stop
from .row_samples import RowSample


class BatchSource(PassSource):
    """Rows that are read in batches.

    Parameters
    ----------
    variables : sequence of Variable
    batches : callable
        Returns the batches from the first to the last, tables over the variables, each time it is called. It must be
        the same rows each time, in the same order.
    target : int, optional
        Column of the class.
    weighted : bool, default=False
        Whether the batches have weights.
    n_jobs : int, optional

    Examples
    --------
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 1, 0], [0, 1, 1], [1, 1, 1]], target=2)
    >>> source = BatchSource(variables, lambda: iter([table, table]), target=2)
    >>> source.counts([[0, 2]]), source.n_rows, source.passes
    ([array([[2, 2], [0, 2]])], 6, 1)
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        batches: Callable[[], Iterable[Table]],
        target: int | None = None,
        *,
        weighted: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(variables, target, weighted=weighted, n_jobs=n_jobs)
        self._batches = batches

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        (sample,) = self._pass([partial(RowSample, most)])
        table: Table = sample.table()
        return table

    def _tally(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        tallies = [make() for make in makers]
        for batch in self._batches():
            for tally in tallies:
                tally.add(batch)
            if until is not None and until(tallies[0]):
                break
        return tallies
