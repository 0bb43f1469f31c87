"""Lists of several lengths as kernels take them: laid end to end."""

from collections.abc import Sequence

import numpy as np

from .grids import IntArray


def offsets_of(sizes: Sequence[int]) -> IntArray:
    """Return where each of some lists begins, and where the last one ends.

    Examples
    --------
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def end_to_end(lists: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray]:
    """Return the numbers of all lists one after the other, and where each list begins.

    Examples
    --------
    >>> end_to_end([(4, 5), (), (6,)])
    (array([4, 5, 6]), array([0, 2, 2, 3]))
    """
    flat = np.array([number for each in lists for number in each], dtype=np.int64)
    return flat, offsets_of([len(each) for each in lists])
