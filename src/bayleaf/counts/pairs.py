"""Information measures of all pairs of features at once, from one call of the pair kernel.

For features X_i, X_j and class C let S(T) be the sum of N log N over the cells of the table T, counted over
the rows where all three values are known, and N the number of those rows. Then, in nats,

    I(X_i; X_j | C) = [S(C,i,j) - S(C,i) - S(C,j) + S(C)] / N
    I(C; X_i, X_j)  = [S(C,i,j) - S(i,j) - S(C)   + S()]  / N
    I(C; X_i | X_j) = [S(C,i,j) - S(i,j) - S(C,j) + S(j)] / N

and so on: each measure is a signed sum of the same eight numbers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table

# Measures that are equal in exact arithmetic must tie, whatever the order of the columns: differences in the last
# bits are rounded away.
DECIMALS = 12


@dataclass(frozen=True)
class PairInformation:
    """All pairwise information measures between features, and with the class.

    Each method returns a matrix over the features of the table, in column order.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> a, b, c = (Variable(name, ("0", "1")) for name in "abc")
    >>> rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
    >>> PairInformation.of(Table.from_codes((a, b, c), rows, target=2)).given_class().round(4)
    array([[0.    , 0.6931], [0.6931, 0.    ]])
    """

    sums: NDArray[np.float64]
    n_features: int

    @classmethod
    def of(cls, table: Table, *, smoothing: float = 0.0) -> "PairInformation":
        """Count all pairs of features of a table that has a class.

        ``smoothing`` rows are spread evenly over the cells of each joint table (1 for Laplace smoothing).
        """
        target = table.target
        if target is None:
            raise ValueError("Pairwise information needs a class: this table has no target column.")
        rows = table.without_whole_weights()
        features = np.array(table.features, dtype=np.int64)
        n = len(features)
        sums = np.zeros((n * (n - 1) // 2, 9))
        _core.pair_sums(
            rows.codes,
            rows.arities,
            features,
            target,
            rows.weights,
            smoothing,
            sums,
            thread_count(table.n_jobs),
        )
        return cls(sums, n)

    def rows(self) -> NDArray[np.float64]:
        """Return the weight of the rows where both features and the class are known, zero on the diagonal."""
        return self._matrix(self.sums[:, 8])

    def given_class(self) -> NDArray[np.float64]:
        """I(X_i; X_j | C)."""
        cij, ci, cj, c, *_ = self.sums.T
        return self._symmetric(cij - ci - cj + c)

    def marginal(self) -> NDArray[np.float64]:
        """I(X_i; X_j)."""
        ij, i, j, none = self.sums.T[4:8]
        return self._symmetric(ij - i - j + none)

    def joint_with_class(self) -> NDArray[np.float64]:
        """I(C; X_i, X_j)."""
        cij, _, _, c, ij, _, _, none, _ = self.sums.T
        return self._symmetric(cij - ij - c + none)

    def class_given_other(self) -> NDArray[np.float64]:
        """I(C; X_i | X_j), row i, column j."""
        cij, ci, cj, _, ij, i, j, _, _ = self.sums.T
        matrix = self._symmetric(cij - ij - cj + j)
        lower = self._symmetric(cij - ij - ci + i)
        rows, columns = np.tril_indices(self.n_features, -1)
        matrix[rows, columns] = lower[rows, columns]
        return matrix

    def with_class(self) -> NDArray[np.float64]:
        """I(X_i; C), a vector, over the rows where the first other feature is known as well."""
        first = self.sums[: self.n_features - 1]  # the pairs (0, j)
        by_pair = np.vstack([first[:1, [1, 3, 5, 7, 8]], first[:, [2, 3, 6, 7, 8]]])
        ci, c, i, none, total = by_pair.T
        information: NDArray[np.float64] = (ci - c - i + none) / np.where(total > 0, total, 1.0)
        return np.maximum(information, 0.0).round(DECIMALS)

    def _symmetric(self, pair_values: NDArray[np.float64]) -> NDArray[np.float64]:
        total = self.sums[:, 8]
        per_row = np.divide(pair_values, total, out=np.zeros_like(pair_values), where=total > 0)
        return self._matrix(np.maximum(per_row, 0.0).round(DECIMALS))

    def _matrix(self, pair_values: NDArray[np.float64]) -> NDArray[np.float64]:
        matrix: NDArray[np.float64] = np.zeros((self.n_features, self.n_features))
        upper = np.triu_indices(self.n_features, 1)
        matrix[upper] = pair_values
        matrix[upper[::-1]] = matrix[upper]
        return matrix
