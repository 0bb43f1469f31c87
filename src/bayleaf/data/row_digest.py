"""A digest of training rows: enough to recognise them later, not enough to read them.

Each row becomes one 64-bit number, a hash of its values and its class; numbers count as they are, not as intervals.
Of very many rows some are kept, drawn at random, and shares are estimated from these.
"""

import base64
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, take_rows
from .dates import MOMENTS
from .encoding import encode
from .numbers import columns_in_order, number_ranges, number_values
from .schema import Schema
from .table import Codes

MOST_KEPT = 5_000
Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class RowDigest:
    """Hashes of training rows.

    Attributes
    ----------
    rows : int
        Training rows.
    hashes : str
        Of the rows that are kept, sorted, as base64 of little-endian 64-bit numbers.
    repeated : float
        The share of kept rows that are equal to another: about so many new rows are equal to one by chance.

    Examples
    --------
    >>> digest = RowDigest.of_hashes(np.array([5, 3, 9], dtype=np.uint64), rows=3)
    >>> digest.seen(np.array([9, 9, 4, 4], dtype=np.uint64))
    (2, 0.5)
    """

    rows: int
    hashes: str
    repeated: float

    @classmethod
    def of_hashes(cls, hashes: Hashes, rows: int) -> "RowDigest":
        """Keep the hashes of some rows, or of all."""
        _, times = np.unique(hashes, return_counts=True)
        repeated = float(times[times > 1].sum() / max(len(hashes), 1))
        text = base64.b64encode(np.sort(hashes).astype("<u8").tobytes()).decode()
        return cls(rows, text, repeated)

    def kept(self) -> Hashes:
        """Return the hashes that are kept."""
        return np.frombuffer(base64.b64decode(self.hashes), dtype="<u8").astype(np.uint64)

    def seen(self, hashes: Hashes) -> tuple[int, float]:
        """Return how many rows are equal to a kept one, and the share of rows that were in training.

        The share is zero where no more are equal than there would be by chance.
        """
        equal = self.equal(hashes)
        return equal, self.share(equal, len(hashes))

    def equal(self, hashes: Hashes) -> int:
        """Return how many rows are equal to a kept one."""
        return int(np.isin(hashes, self.kept()).sum())

    def share(self, equal: int, rows: int) -> float:
        """Return the share of some rows that were in training, where so many of them are equal to a kept one."""
        kept = len(self.kept())
        if not equal or not self.rows:
            return 0.0
        share, chance = equal / rows, self.repeated
        if share <= chance + 3 * np.sqrt(chance * (1 - chance) * (1 / rows + 1 / kept)):
            return 0.0
        of_training = kept / self.rows + (1 - kept / self.rows) * chance
        return float(min(1.0, (share - chance) / max(of_training - chance, 1e-12)))

    @property
    def is_exact(self) -> bool:
        """Whether all rows are kept and no two are equal: then shares are counted, not estimated."""
        return self.repeated == 0.0 and len(self.kept()) == self.rows


def digest_of(schema: Schema, X: Any, labels: Any) -> RowDigest:
    """Return the digest of training rows and their classes.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> schema = Schema((Variable("x", ("a", "b")),), Variable("class", ("no", "yes")))
    >>> digest = digest_of(schema, [["a"], ["b"]], ["no", "yes"])
    >>> digest.seen(row_hashes(schema, [["a"], ["a"]], ["no", "yes"]))
    (1, 0.5)
    """
    rows = Columns(X).n_rows
    if rows > MOST_KEPT:
        chosen = np.sort(np.random.default_rng(0).choice(rows, MOST_KEPT, replace=False))
        X, labels = take_rows(X, chosen), take_rows(labels, chosen)
    return RowDigest.of_hashes(row_hashes(schema, X, labels), rows)


def row_hashes(schema: Schema, X: Any, labels: Any) -> Hashes:
    """Return a number for each row, made from its values and its class.

    What is made from another column, and identifiers, do not count.
    """
    X = columns_in_order(schema, X)
    columns, codes = Columns(X), None
    total = _of_texts([str(label) for label in np.asarray(labels, dtype=object).ravel().tolist()])
    for j, variable in enumerate(schema.columns):
        if variable.dtype == "identifier":
            continue
        if variable.cuts is not None and variable.dtype not in ("untyped", *MOMENTS):
            values = _of_numbers(number_values(variable, columns[j]))
        else:
            codes = _codes(schema, X) if codes is None else codes
            known = np.minimum(codes[:, j].astype(np.int64), variable.arity)  # the last stands for missing
            values = _of_texts([*map(str, variable.states), ""])[known]
        total = mixed(total + values)
    return total


def _codes(schema: Schema, X: Any) -> Codes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever predicts these rows warns of them
        return encode(schema, X).codes


def _of_numbers(values: NDArray[np.float64]) -> Hashes:
    """Numbers by their bits, in single precision: tables of either precision hold the same rows."""
    single = values.astype(np.float32) + np.float32(0.0)  # one zero, not two
    single[np.isnan(single)] = np.nan  # one NaN, too
    return mixed(single.view(np.uint32).astype(np.uint64))


def _of_texts(texts: Sequence[str]) -> Hashes:
    known = {
        text: int.from_bytes(
            hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "little"
        )
        for text in set(texts)
    }
    return np.array([known[text] for text in texts], dtype=np.uint64)


def mixed(numbers: NDArray[np.uint64]) -> Hashes:
    """Return a number for each number that looks as if drawn at random (the finaliser of splitmix64).

    References
    ----------
    G. L. Steele, D. Lea and C. H. Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.

    Examples
    --------
    >>> hex(mixed(np.zeros(1, dtype=np.uint64))[0])
    '0xe220a8397b1dcdaf'
    """
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def seen_rows(schema: Schema, X: Any, labels: Any, sample_weight: Any = None) -> dict[str, Any]:
    """Return what a record keeps of training rows: their digest and the ranges of numbers. Weight zero is no row.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> schema = Schema((Variable.numeric("age", [18.0]),), Variable("class", ("no", "yes")))
    >>> found = seen_rows(schema, [[17.0], [70.0], [99.0]], ["no", "yes", "yes"], [1, 1, 0])
    >>> found["digest"].rows, found["ranges"]
    (2, {'age': [17.0, 70.0]})
    """
    weights = None if sample_weight is None else np.asarray(sample_weight)
    if weights is not None and not weights.all():
        used = np.flatnonzero(weights)
        X, labels = take_rows(X, used), take_rows(labels, used)
    return {"digest": digest_of(schema, X, labels), "ranges": number_ranges(schema, X)}
