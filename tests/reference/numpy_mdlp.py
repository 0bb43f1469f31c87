"""Fayyad and Irani's partitioning over blocks of rows, in numpy: every boundary is looked at."""

import heapq
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Two boundaries whose entropies differ by less than this share of N log2 N are a tie, and the lower one wins.
_TIE = 1e-12


def numpy_mdlp(values, target, weights=None, max_bins=None):
    """The cuts of one column without missing values."""
    weights = np.ones_like(values) if weights is None else weights
    present = weights > 0
    if not present.any():
        return np.empty(0)
    blocks = _find_blocks(values[present], target[present], weights[present])
    boundaries = _accepted_boundaries(blocks, math.inf if max_bins is None else max_bins)
    below, above = blocks.last[boundaries - 1], blocks.first[boundaries]
    middle = below / 2 + above / 2
    return np.where((below <= middle) & (middle < above), middle, below)


@dataclass(frozen=True)
class _Blocks:
    """The rows of one column in order of value, summed up as far as no good cut is lost.

    A block is one distinct value, or several adjacent ones whose rows are all of the same class: the best cut
    is always a border between blocks (Fayyad and Irani, 1993, Theorem 1). A cell is one class within one
    block. The cost of a scan is proportional to the number of cells, whatever the number of classes.
    """

    first: FloatArray  # lowest value of each block
    last: FloatArray  # highest value of each block
    start: NDArray[np.intp]  # first cell of each block, and the number of cells at the end
    n_classes: int
    cell_class: NDArray[np.unsignedinteger[Any]]
    cell_weight: FloatArray
    cell_before: FloatArray  # weight of the cell's class in all blocks below


@dataclass(frozen=True)
class _Part:
    """Blocks ``low`` to ``high - 1``."""

    low: int
    high: int
    counts: FloatArray  # weight of each class in these blocks
    below: FloatArray  # weight of each class in all blocks below


def _find_blocks(values: FloatArray, target: IntArray, weights: FloatArray) -> _Blocks:
    classes = target.astype(np.min_scalar_type(target.max()))  # small integers sort in linear time
    order = np.lexsort((classes, values))
    values, classes, weights = values[order], classes[order], weights[order]

    # Runs are rows of equal value and equal class. A run that is its value's only one is pure.
    new_value = _differs_from_previous(values)
    run_start = np.flatnonzero(new_value | _differs_from_previous(classes))
    opens_value, run_class = new_value[run_start], classes[run_start]
    pure = opens_value & np.append(opens_value[1:], True)
    joins_previous = ~_differs_from_previous(run_class)
    joins_previous[1:] &= pure[1:] & pure[:-1]

    cell_start = run_start[~joins_previous]
    opens_block = opens_value[~joins_previous]
    block_start = cell_start[opens_block]
    cell_class = classes[cell_start]
    cell_weight = np.add.reduceat(weights, cell_start)
    return _Blocks(
        first=values[block_start],
        last=values[np.append(block_start[1:], values.size) - 1],
        start=np.append(np.flatnonzero(opens_block), cell_start.size),
        n_classes=int(cell_class.max()) + 1,
        cell_class=cell_class,
        cell_weight=cell_weight,
        cell_before=_sum_of_earlier_in_class(cell_class, cell_weight),
    )


def _differs_from_previous(items: NDArray[Any]) -> NDArray[np.bool_]:
    differs = np.ones(items.size, dtype=bool)
    np.not_equal(items[1:], items[:-1], out=differs[1:])
    return differs


def _sum_of_earlier_in_class(classes: NDArray[Any], weights: FloatArray) -> FloatArray:
    by_class = np.argsort(classes, kind="stable")
    running = np.cumsum(weights[by_class]) - weights[by_class]
    class_size = np.bincount(classes)
    class_size = class_size[class_size > 0]
    class_start = np.cumsum(class_size) - class_size
    earlier = np.empty_like(weights)
    earlier[by_class] = running - np.repeat(running[class_start], class_size)
    return earlier


def _accepted_boundaries(blocks: _Blocks, max_bins: float) -> NDArray[np.intp]:
    """Blocks at which an accepted cut opens a new bin, in order."""
    counts = _class_counts(blocks, 0, blocks.first.size)
    parts = [_Part(0, blocks.first.size, counts, below=np.zeros_like(counts))]
    accepted: list[tuple[float, int, list[_Part]]] = []  # a heap, the most profitable cut on top
    boundaries: list[int] = []
    while parts:
        for part in parts:
            if part.high - part.low < 2:
                continue
            halves = _halves(blocks, part)
            saving = _saved_bits(halves[0].counts, halves[1].counts)
            if saving > 0:
                # Rounded, so that of two equally profitable cuts the lower one comes first.
                heapq.heappush(accepted, (-round(saving, 6), part.low, halves))
        parts = []
        if accepted and len(boundaries) + 1 < max_bins:
            parts = heapq.heappop(accepted)[2]
            boundaries.append(parts[1].low)
    return np.array(sorted(boundaries), dtype=np.intp)


def _halves(blocks: _Blocks, part: _Part) -> list[_Part]:
    """Cut a part of at least two blocks where the least class entropy remains."""
    boundary = _best_boundary(blocks, part)
    lower = _class_counts(blocks, part.low, boundary)
    upper = _class_counts(blocks, boundary, part.high)
    return [
        _Part(part.low, boundary, lower, below=part.below),
        _Part(boundary, part.high, upper, below=part.below + lower),
    ]


def _class_counts(blocks: _Blocks, low: int, high: int) -> FloatArray:
    """Weight of each class in the blocks ``low`` to ``high - 1``, exactly 0 for a class that is not there."""
    cells = slice(blocks.start[low], blocks.start[high])
    counts = np.bincount(blocks.cell_class[cells], blocks.cell_weight[cells], minlength=blocks.n_classes)
    return counts.astype(np.float64, copy=False)


def _best_boundary(blocks: _Blocks, part: _Part) -> int:
    """Block that opens the upper side of the cut with the least class entropy, the lowest such block.

    With g(n) = n log2 n, a side of n rows with n_c rows of class c has n Ent = g(n) - sum_c g(n_c). As the
    cut moves up, one cell after the other changes sides and changes two terms of the sums over classes; a
    running total of these changes gives the sums at every boundary.
    """
    cells = slice(blocks.start[part.low], blocks.start[part.high])
    classes, weight = blocks.cell_class[cells], blocks.cell_weight[cells]
    total = part.counts[classes]
    before = blocks.cell_before[cells] - part.below[classes]  # of the cell's class, on the lower side
    after = before + weight
    change = _g(after) - _g(before) + _g(total - after) - _g(total - before)

    last_cell_below = blocks.start[part.low + 1 : part.high] - cells.start - 1
    class_terms = _g(part.counts).sum() + np.cumsum(change)[last_cell_below]
    lower = np.cumsum(weight)[last_cell_below]
    n = part.counts.sum()
    remaining = _g(lower) + _g(n - lower) - class_terms
    tolerance = _TIE * max(float(_g(n)), 1.0)
    return part.low + 1 + int(np.argmax(remaining <= remaining.min() + tolerance))


def _saved_bits(lower: FloatArray, upper: FloatArray) -> float:
    """By how many bits the cut shortens the description of the classes: N Gain - log2(N - 1) - Delta."""
    n, k, bits = _size_classes_bits(lower + upper)
    n1, k1, bits1 = _size_classes_bits(lower)
    n2, k2, bits2 = _size_classes_bits(upper)
    delta = math.log2(3**k - 2) - (k * bits / n - k1 * bits1 / n1 - k2 * bits2 / n2)
    return bits - bits1 - bits2 - math.log2(max(n - 1, 1.0)) - delta


def _size_classes_bits(counts: FloatArray) -> tuple[float, int, float]:
    """Rows, classes present and rows times entropy."""
    n = counts.sum()
    return float(n), int(np.count_nonzero(counts)), float(_g(n) - _g(counts).sum())


def _g(n: Any) -> Any:
    """Return n log2 n, and 0 for 0; fractional weights may leave a rounding error below 0, which is 0 too."""
    return n * np.log2(np.where(n > 0, n, 1.0))
