"""Arrow streams made by hand: true ones in every type and layout, and ones that lie where a lie can be seen.

The interface gives no sizes of buffers, so that one that is shorter than the stream says cannot be known; all other
lies can, and under AddressSanitizer each buffer has exactly the bytes it should.
"""

import gc
import struct
from typing import Any

import numpy as np

from bayleaf._native import _core
from bayleaf.data import read_columns
from bayleaf.data.columns import check_rows
from reference.arrow_producer import Array, Producer, Schema, table

from .outcome import FindingError, attempt

NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}
OTHER_FORMATS = ["n", "b", "+l", "z", "tdD", "ttm", "tsn:", "tss:UTC", "tDm", "d:5,2", "e", "??", "", None]
TEXTS = [b"", b"a", b"bc", "ü".encode(), b"a text longer than twelve", b"\xff", b"x" * 300, b"1"]


def one(rng: np.random.Generator) -> bool:
    """Read one stream; True if it was taken. Every part must be released once in any case."""
    rows = int(rng.integers(0, 12))
    made = {f"f{j}": _column(rng, rows) for j in range(rng.integers(1, 4))}
    batches: list[list[Any]] = [[array for _, array in made.values()]] * int(rng.integers(0, 3))
    error = "the line is dead" if rng.random() < 0.05 else None
    said = rows if rng.random() < 0.95 else int(rng.choice([-1, rows + 1, max(rows - 1, 0), 2**62]))
    producer: Producer = table(
        {name: schema for name, (schema, _) in made.items()}, *batches, rows=said, error=error
    )
    if rng.random() < 0.1:
        schema, array = next(iter(made.values()))
        producer = Producer(schema, [array])
    taken = attempt(lambda: _read(producer)) is not None
    gc.collect(0)
    if producer.released != producer.made:
        raise FindingError(f"made {producer.made}, released {producer.released}")
    return taken


def _read(producer: Producer) -> bool:
    if producer.schema.format != "+s":
        columns = _core.ArrowColumns(producer.__arrow_c_stream__(), False)
        for read in (columns.labels, columns.numbers):
            attempt(lambda read=read: read(0))
        return True
    for column in read_columns(check_rows(producer)):
        len(column), repr(column)
    return True


def _column(rng: np.random.Generator, rows: int) -> tuple[Schema, Array]:
    kind = rng.integers(6)
    offset = int(rng.integers(0, 3)) if rng.random() < 0.3 else 0
    there = rows + offset
    if kind == 0:
        form = str(rng.choice(list(NUMBERS)))
        size = struct.calcsize(NUMBERS[form])
        schema, array = Schema(form), Array(rows, [None, rng.bytes(there * size)])
    elif kind == 1:
        schema, array = _texts(rng, there, rows)
    elif kind == 2:
        schema, array = Schema("vu"), _views(rng, there, rows)
    elif kind == 3:
        schema, array = _dictionary(rng, there, rows)
    elif kind == 4:
        schema, array = Schema("b"), Array(rows, [None, rng.bytes((there + 7) // 8)])
    else:
        form = OTHER_FORMATS[rng.integers(len(OTHER_FORMATS))]
        schema, array = Schema(form), Array(rows, [None, rng.bytes(there * 16)])
    array.offset = offset
    if rng.random() < 0.3 and array.buffers:
        array.buffers[0] = rng.bytes((there + 7) // 8)
        array.null_count = -1
    if rng.random() < 0.3:
        _lie(rng, array)
    return schema, array


def _texts(rng: np.random.Generator, there: int, rows: int) -> tuple[Schema, Array]:
    chosen = [TEXTS[k] for k in rng.integers(0, len(TEXTS), there)]
    ends = np.cumsum([0, *map(len, chosen)])
    if rng.random() < 0.1 and there:
        at = rng.integers(there + 1)
        ends[at] = rng.choice([-1, ends[at] - 1, -(2**31)])  # never beyond the end: that cannot be seen
    large = rng.random() < 0.5
    offsets = ends.astype(np.int64 if large else np.int32).tobytes()
    return Schema("U" if large else "u"), Array(rows, [None, offsets, b"".join(chosen)])


def _views(rng: np.random.Generator, there: int, rows: int) -> Array:
    data, views = b"", b""
    for k in rng.integers(0, len(TEXTS), there):
        text = TEXTS[k]
        if len(text) <= 12:
            views += struct.pack("i12s", len(text), text)
        else:
            place = [0, len(data)] if rng.random() < 0.9 else rng.integers(-3, 400, 2).tolist()
            views += struct.pack("i4sii", len(text), text[:4], *place)
            data += text
    if rng.random() < 0.05 and there:
        views = struct.pack("i12x", -int(rng.integers(1, 2**31))) + views[16:]
    return Array(rows, [None, views, data, struct.pack("q", len(data))])


def _dictionary(rng: np.random.Generator, there: int, rows: int) -> tuple[Schema, Array]:
    form = str(rng.choice(["c", "s", "i", "l", "C"]))
    size = int(rng.integers(1, 5))
    texts = [f"t{k}".encode() for k in range(size)]
    ends = np.cumsum([0, *map(len, texts)]).astype(np.int32).tobytes()
    low, high = (0, size) if rng.random() < 0.8 or form == "C" else (-2, size + 2)
    indices = rng.integers(low, high, there).astype(np.dtype(NUMBERS[form])).tobytes()
    values = Array(size, [None, ends, b"".join(texts)]) if rng.random() < 0.95 else None
    return Schema(form, dictionary=Schema("u", "")), Array(rows, [None, indices], dictionary=values)


def _lie(rng: np.random.Generator, array: Array) -> None:
    """Say something of an array that can be seen to be wrong without looking beyond its buffers."""
    kind = rng.integers(5)
    if kind == 0:
        array.length = int(rng.choice([-1, -(2**62), 2**62, 0]))
    elif kind == 1:
        array.offset = int(rng.choice([-1, -(2**62), 2**62]))
    elif kind == 2 and array.buffers:
        array.buffers.pop()
    elif kind == 3 and len(array.buffers) > 1:
        array.buffers[rng.integers(1, len(array.buffers))] = None
    else:
        array.null_count = int(rng.choice([-5, 1, 2**40]))
