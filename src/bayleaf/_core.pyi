"""
Native kernels of bayleaf. They trust their input: call them through the package.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


def thread_count(n_jobs: int | None) -> int:
    """How many threads a kernel takes that is given `n_jobs`."""

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]: ...

@overload
def code_by_cuts(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: int, out: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    The number of cuts below each value, `missing` for NaN; returns how many are NaN and infinite.
    """

@overload
def sort_by_class(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def sort_by_class(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], spare: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Put the known values of each class together, in order, as the bits of floats, and count them.
    """

@overload
def value_range(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]: ...

@overload
def value_range(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)]) -> tuple[int, int]:
    """The least and the greatest value."""

@overload
def count_by_class(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def count_by_class(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Add up the rows of each value, from the lowest on, and class."""

def mdlp_sorted(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_bins: int | None) -> list[float]:
    """The cuts of a column whose classes lie apart, each sorted."""

def mdlp_counted(lowest: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_bins: int | None) -> list[float]:
    """
    The cuts of a column of whole numbers, given the rows of each value and class.
    """

def number_objects(objects: object, missing: object | None) -> tuple[Any, Any] | None:
    """
    Levels and codes of an array of texts, None and NaN among them; None where there is anything else.
    """

class ArrowColumns:
    """The columns of an Arrow stream, read and checked."""

    def __init__(self, stream: object, table: bool) -> None: ...

    @property
    def rows(self) -> int: ...

    def kind(self, column: int) -> str: ...

    def format(self, column: int) -> str:
        """The type as Arrow spells it."""

    def labels(self, column: int) -> tuple[Any, Any]:
        """The labels in order of first appearance, and the codes of the rows."""

    def indices(self, column: int) -> tuple[Any, Any]:
        """
        Of unsigned integers: the row in which each is met first, and the codes of the rows.
        """

    def numbers(self, column: int) -> object:
        """
        The values (of dates and times the numbers that Arrow counts): integers, or float64 with NaN for missing.
        """

def checked_stream(stream: object) -> tuple[Any, Any, Any]:
    """
    A stream that passes on the batches of another, once checked; the names of the columns; and name and format of those that cannot be read.
    """

def number_fixed(texts: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple[Any, Any]:
    """
    Rows in which each text of fixed width is met first, and the codes of the rows.
    """

@overload
def number_codes(codes: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: int) -> tuple[Any, Any]: ...

@overload
def number_codes(codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: int) -> tuple[Any, Any]: ...

@overload
def number_codes(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: int) -> tuple[Any, Any]: ...

@overload
def number_codes(codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: int) -> tuple[Any, Any]:
    """
    The categories that occur, in order of first appearance, and codes that number them so.
    """

@overload
def translate(codes: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def translate(codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Replace codes by those of a lookup table; negative ones become -1."""

@overload
def mark_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def mark_integers(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], low: int, present: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Mark the values that occur, from low on."""

@overload
def number_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint16], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def number_integers(values: Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu', writable=False)], low: int, lookup: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the number of each value, from the table of the values from low on.
    """

@overload
def column_range(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def column_range(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Per column, the largest code that is not the missing one, and whether any value is missing.
    """

@overload
def pack_integers(values: Annotated[NDArray[numpy.int8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool: ...

@overload
def pack_integers(values: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool: ...

@overload
def pack_integers(values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool: ...

@overload
def pack_integers(values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool:
    """
    Copy integers in [0, 254] into columns of bytes; False when a value does not fit.
    """

def present_states(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], largest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], present: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Which states occur in each column."""

@overload
def count(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def count(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def count(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Add the rows to one contingency table per column set; rows with a missing value in a set are left out.
    """

@overload
def count(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pair_sums(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pair_sums(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Per pair of features, sums of N log N over the cells of (C,I,J), (C,I), (C,J), (C), (I,J), (I), (J), () and the number of rows.
    """

@overload
def pair_counts(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pair_counts(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pair_counts(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Add the rows to the tables [class][i][j] of all pairs of features."""

@overload
def pair_counts(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def partition_gains(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def partition_gains(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    What each feature tells about the class within the groups of a partition of the rows.
    """

@overload
def pair_sums_of_counts(tables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, has_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pair_sums_of_counts(tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, has_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], pseudo: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """What pair_sums gives for rows that pair_counts has counted."""

class Council:
    """Networks by which rows without gaps are scored together."""

    def __init__(self, classes: int) -> None: ...

    def add_member(self, variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fallback: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], topological: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: float, level: int) -> None:
        """A network whose variables are columns of the codes."""

    @overload
    def log_joint(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

    @overload
    def log_joint(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
        """Logarithms of the weighted sums of the members' joint probabilities."""

    @overload
    def log_joint_of_gaps(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], undone: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

    @overload
    def log_joint_of_gaps(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], undone: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
        """
        The same for rows with gaps; those that have too many states to try are marked as undone.
        """

    @overload
    def posteriors(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

    @overload
    def posteriors(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
        """Weighted means of the members' posteriors."""

class ValueReader:
    """Reads the values of new rows by what fit has learned."""

    def __init__(self, names: tuple[object, ...], states: tuple[object, ...], scalar: object, ask: object) -> None: ...

    def add_column(self, reading: int, points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], fill: int, unknown: int, pools: bool) -> None: ...

    @overload
    def read_mapping(self, row: dict[str, object], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

    @overload
    def read_mapping(self, row: dict[str, object], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> int:
        """Codes of a row given as a dict by column; returns what was met."""

    @overload
    def read_values(self, row: tuple[object, ...], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

    @overload
    def read_values(self, row: tuple[object, ...], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')]) -> int:
        """Codes of a row given as a tuple; returns what was met."""

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def read_numbers(self, values: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu')], missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int:
        """
        Codes of an array of numbers; returns what was met, and per column whether a value is missing.
        """

class NetworkTables:
    """Family tables by which rows are scored."""

    def __init__(self, variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], fallback: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def score_row(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    @overload
    def score_row(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Posterior of one row of codes, none of them missing."""

    @overload
    def score_numbers(self, reader: ValueReader, wide: bool, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], normalised: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], incomplete: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def score_numbers(self, reader: ValueReader, wide: bool, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)], normalised: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], incomplete: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def score_numbers(self, reader: ValueReader, wide: bool, values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)], normalised: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], incomplete: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def score_numbers(self, reader: ValueReader, wide: bool, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], normalised: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], incomplete: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int: ...

    @overload
    def score_numbers(self, reader: ValueReader, wide: bool, values: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], normalised: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], incomplete: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> int:
        """
        Posteriors, or log-joints, of the rows of an array of numbers that miss no value; the others are marked. Returns what was met.
        """

def propagate(arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihoods: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], likelihood_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], all: bool, limit: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, float, float, float]:
    """
    Exact distributions by a junction tree: (0 exact, 1 too small, 2 too large; log P(evidence); entries of the largest clique and of all).
    """

@overload
def log_joint(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def log_joint(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Log-joint of every row and query state; rows have no missing values."""

@overload
def log_joint_missing(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], topological: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, largest_factor: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def log_joint_missing(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], topological: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, largest_factor: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Log-joint of every row and query state, missing variables summed out exactly.
    """

@overload
def conditional_likelihood(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, query_states: int, log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, expected: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, n_jobs: int | None) -> float: ...

@overload
def conditional_likelihood(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_query: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], query: int, query_states: int, log_tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, expected: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, n_jobs: int | None) -> float:
    """Conditional log-likelihood; adds expected counts under the posterior."""

def normalize_rows(log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], fallback: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Posteriors from log-joints; an impossible row gets the fallback."""

class SearchGraph:
    pass

def search_graph(arcs: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')], above: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu')]) -> SearchGraph:
    """
    A graph from its arcs [parent, child] and ancestors [node, ancestor], which it keeps up to date.
    """

def add_arc(graph: SearchGraph, parent: int, child: int) -> None:
    """Add an arc that closes no cycle."""

def delete_arc(graph: SearchGraph, parent: int, child: int) -> None:
    """Delete an arc."""

def legal_moves(graph: SearchGraph, possible: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], removable: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], reversals: bool, moves: Annotated[NDArray[numpy.bool_], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Which arcs [parent, child] may be deleted, added, reversed: one matrix each.
    """

def best_move(toggles: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.bool_], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], tolerance: float) -> tuple[int, int, int, float] | None:
    """
    The first of the best moves: kind, parent, child and gain; None where no move is legal.
    """

class Loss:
    pass

def search_loss(kind: int, scale: float, units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, cost: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Loss:
    """What a row costs a class-focused search."""

class Sample:
    pass

class FamilyGains:
    pass

@overload
def prefix_losses(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total_levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, smoothing: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def prefix_losses(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], total_levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, smoothing: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Leave-one-out squared errors of k-dependence classifiers over the first features of an order.
    """

@overload
def search_sample(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, fold: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, folds: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, estimate: int, value: float, grid: float, log_integers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], small_table: int) -> Sample: ...

@overload
def search_sample(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: int, fold: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, folds: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, estimate: int, value: float, grid: float, log_integers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], small_table: int) -> Sample:
    """The rows of a class-focused search and how to count them."""

@overload
def search_families(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kinds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shifts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalties: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_jobs: int | None) -> FamilyGains: ...

@overload
def search_families(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], has_missing: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kinds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shifts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalties: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_jobs: int | None) -> FamilyGains:
    """
    The rows of a search by a decomposable score: the term of joint cells, then those of each child's configurations.
    """

def add_families(sample: Sample, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: float, log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Add (or subtract) the terms of families to the log-joint of every row and class.
    """

def total_loss(sample: Sample, loss: Loss, log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_jobs: int | None) -> int:
    """Loss of the judged rows under a log-joint."""

def parent_set_losses(sample: Sample, loss: Loss, log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], node: int, current: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], only_best: bool, bound: int, losses: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Loss for each alternative parent set of one node."""

def change_losses(sample: Sample, loss: Loss, log_joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], removed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], removed_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], added: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], added_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], extra: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], only_best: bool, bound: int, losses: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Loss for each change of several families at once."""

def fill_log_integers(grid: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Logarithms of 0, 1, 2, ... on a grid, additive over prime factors."""

def family_gains(gains: FamilyGains, families: Sequence[tuple[int, Sequence[int]]], wanted: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Score of each family, and of the family after each wanted change of one parent.
    """

@overload
def subset_sums(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, integral: bool, term: int, shift: float, penalty: float, largest_set: int, most_configurations: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def subset_sums(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, integral: bool, term: int, shift: float, penalty: float, largest_set: int, most_configurations: float, sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Sum of a term over the cells of every set of the first variables; the other columns are in all sets.
    """

@overload
def best_network(joint: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], given_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool: ...

@overload
def best_network(joint: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], given_of: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], required: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forbidden: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> bool:
    """
    Parents, as bit masks, of the best network; False when stopped or when none is allowed.
    """

def best_network_bytes(variables: int, real_size: int) -> int:
    """Bytes that best_network allocates itself."""

@overload
def pool_loss(scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, doubt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, member_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], member_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], bias_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> float: ...

@overload
def pool_loss(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, doubt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, member_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], member_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], bias_gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> float:
    """
    Minus the conditional log-likelihood of a log-linear pool; writes its gradient.
    """

@overload
def pool_scores(scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], member_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def pool_scores(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], member_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Bias plus the weighted sum of the members' scores."""

@overload
def family_cells(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_parents: int, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

@overload
def family_cells(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_parents: int, out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    The cell of each family, [family, row], at the deepest level that a row reaches.
    """

def cell_loss(base: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, doubt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> float:
    """
    Minus the conditional log-likelihood of corrected scores; writes its gradient.
    """

def lower_cell_loss(base: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, doubt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, pull: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_iter: int, smallest_gain: float, smallest_gradient: float, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """Lowers the penalised loss from where the parameters are."""

def cell_scores(base: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, parameters: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Bias plus scaled base scores plus what each row's cells and numbers add.
    """

def scores_of_cells(cells: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Entries of tables by the cells of rows, written to the places [member, row, class] of families and rows.
    """

def crossfit_families(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Log-probabilities [column, row, class] of each row's states by the graph of its fold, with tables of the rows outside it.
    """

def shrunk_tables(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, parents: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Log-probability tables [parents, state, class] of all columns of a graph, laid end to end.
    """

def grid_states(counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], intervals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bins: int, shifts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, least_rows: float, categories: int, states: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu')], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    States of the fine codes of all columns on a grid, that of a missing value behind those of its column.
    """

def network_graph(withheld: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], dependence: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, most_numbers: int, parents: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Parents [child, parent] of all columns, each from those before it in the order; -1 for none.
    """

def set_gains(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], fold: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], folds: int, residuals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], variances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], penalty: float, gains: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    What a table over each set of columns could gain: outside each fold, then on all rows.
    """

def class_tables(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], arities: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], borrowed: float, table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
    """
    Log-probability tables [cell, class] of the class over sets of columns, laid end to end, and those of each row [set, row, class] by the rows outside its fold.
    """

class AdditiveScores:
    """Sums of table entries and quadratic forms."""

    def __init__(self, prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def add(self, reading_columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reading_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], states: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], term_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], term_readings: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], strides: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], table_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tables: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], form_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], form_columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], value_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], matrix_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], matrices: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add a model; see cpp/pool/additive.hpp for what the arrays are."""

    @overload
    def scores(self, model: int, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

    @overload
    def scores(self, model: int, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
        """Scores of one model, of every class but the first against the first."""

    @overload
    def probabilities(self, share: float, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None: ...

    @overload
    def probabilities(self, share: float, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='F', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], n_jobs: int | None) -> None:
        """
        Probabilities of the classes: each model counts `share`, the prior what is left.
        """
