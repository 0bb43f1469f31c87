"""
Native kernels of bayleaf. They trust their input: call them through the package.
"""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def column_range(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def column_range(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    Per column, the largest code that is not the missing one, and whether any value is missing.
    """

@overload
def count(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def count(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def count(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    Add the rows to one contingency table per column set; rows with a missing value in a set are left out.
    """

@overload
def count(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def pair_sums(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def pair_sums(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """
    Per pair of features, sums of N log N over the cells of (C,I,J), (C,I), (C,J), (C), (I,J), (I), (J), () and the number of rows.
    """

@overload
def log_joint(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def log_joint(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """Log-joint of every row and query state; rows have no missing values."""

@overload
def log_joint_missing(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], topological: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, largest_factor: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

@overload
def log_joint_missing(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], topological: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, largest_factor: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """
    Log-joint of every row and query state, missing variables summed out exactly.
    """

@overload
def subset_sums(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, integral: bool, term: int, shift: float, penalty: float, largest_set: int, most_configurations: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None: ...

@overload
def subset_sums(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, integral: bool, term: int, shift: float, penalty: float, largest_set: int, most_configurations: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    Sum of a term over the cells of every set of the first variables; the other columns are in all sets.
    """

@overload
def best_network(joint: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], given_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool: ...

@overload
def best_network(joint: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], given_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool:
    """
    Parents, as bit masks, of the best network; False when stopped or when none is allowed.
    """

def best_network_bytes(variables: int, real_size: int) -> int:
    """Bytes that best_network allocates itself."""

def normalize_rows(log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], fallback: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """Posteriors from log-joints; an impossible row gets the fallback."""

@overload
def pack_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool:
    """
    Copy integers in [0, 254] into columns of bytes; False when a value does not fit.
    """

@overload
def pack_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool: ...

@overload
def pack_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool: ...

@overload
def pack_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> bool: ...

def present_states(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], present: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
    """Which states occur in each column."""
