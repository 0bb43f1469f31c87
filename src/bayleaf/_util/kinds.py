"""Names for what is passed to classifiers and what they return, for signatures and the reference.

Tables of many libraries have no type in common that a checker knows: it takes their names for ``Any``.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

TableLike: TypeAlias = Any
"""Rows of data: a pandas or polars DataFrame, an Arrow table or record batch, a DuckDB relation, an ibis table, a
numpy array of shape (rows, columns), or a list of rows."""

RowLike: TypeAlias = Any
"""One row: a dict from column to value, in which what is unknown may be absent, or a table of one row."""

Frame: TypeAlias = Any
"""A DataFrame of the library that ``backend`` names: by default polars, pandas or pyarrow, whichever is installed."""

Label: TypeAlias = Any
"""A class label, as it is in ``classes_``."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"]
"""What a row of each class weighs, by label; "balanced" gives all classes the same total weight."""

Loss: TypeAlias = ArrayLike | Mapping[Any, Mapping[Any, float]] | Callable[[Any, Any], float]
"""What decisions cost: a matrix or DataFrame [true class, decision], a dict ``{true class: {decision: cost}}``, or a
function of both labels."""

Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""Where random numbers come from: a number gives the same ones every time."""
