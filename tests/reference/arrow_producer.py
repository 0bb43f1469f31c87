"""An Arrow stream made by hand, which may lie, and counts how often each of its parts is released."""

import ctypes
from collections import Counter
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from typing import Any


class CSchema(Structure):
    pass


class CArray(Structure):
    pass


class CStream(Structure):
    pass


CSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(CSchema))),
    ("dictionary", POINTER(CSchema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
CArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(CArray))),
    ("dictionary", POINTER(CArray)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
CStream._fields_ = [
    ("get_schema", c_void_p),
    ("get_next", c_void_p),
    ("get_last_error", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]


@dataclass
class Schema:
    """What a column is said to hold."""

    format: str | None
    name: str = "x"
    children: list["Schema | None"] = field(default_factory=list)
    dictionary: "Schema | None" = None


@dataclass
class Array:
    """What a column is said to be; of `buffers`, None is a null pointer."""

    length: int
    buffers: list[bytes | None]
    null_count: int = 0
    offset: int = 0
    children: list["Array | None"] = field(default_factory=list)
    dictionary: "Array | None" = None


class Producer:
    """Offers batches through ``__arrow_c_stream__``; `error` is reported after the last batch in place of the end."""

    def __init__(self, schema: Schema, batches: list[Array], error: str | None = None) -> None:
        self.schema, self.batches, self.error = schema, list(batches), error
        self.made: Counter[str] = Counter()
        self.released: Counter[str] = Counter()
        self._kept: list[Any] = []

    def _callback(self, signature: Any, function: Callable[..., Any]) -> Any:
        callback = signature(function)
        self._kept.append(callback)
        return ctypes.cast(callback, c_void_p)

    def _releaser(self, what: str, struct: type[Structure]) -> Any:
        self.made[what] += 1

        def release(pointer: Any) -> None:
            self.released[what] += 1
            pointer.contents.release = None

        return self._callback(CFUNCTYPE(None, POINTER(struct)), release)

    def _pointers(self, parts: list[Any], struct: type[Structure]) -> Any:
        pointers = (POINTER(struct) * max(len(parts), 1))(
            *[POINTER(struct)() if part is None else ctypes.pointer(part) for part in parts]
        )
        self._kept.append((pointers, parts))
        return ctypes.cast(pointers, POINTER(POINTER(struct)))

    def _c_schema(self, schema: Schema, top: bool = True) -> CSchema:
        children = [child and self._c_schema(child, False) for child in schema.children]
        made = CSchema(
            format=None if schema.format is None else schema.format.encode(),
            name=schema.name.encode(),
            n_children=len(children),
            children=self._pointers(children, CSchema),
        )
        if schema.dictionary is not None:
            dictionary = self._c_schema(schema.dictionary, False)
            made.dictionary = ctypes.pointer(dictionary)
        self._kept.append(made)  # a copy of the struct does not keep the texts alive
        if top:
            made.release = self._releaser("schema", CSchema)
        return made

    def _c_array(self, array: Array, top: bool = True) -> CArray:
        held = [
            None if part is None else ctypes.create_string_buffer(part, len(part)) for part in array.buffers
        ]
        buffers = (c_void_p * max(len(held), 1))(
            *[None if part is None else ctypes.addressof(part) for part in held]
        )
        self._kept.append((held, buffers))
        children = [child and self._c_array(child, False) for child in array.children]
        made = CArray(
            length=array.length,
            null_count=array.null_count,
            offset=array.offset,
            n_buffers=len(held),
            n_children=len(children),
            buffers=ctypes.cast(buffers, POINTER(c_void_p)),
            children=self._pointers(children, CArray),
        )
        if array.dictionary is not None:
            dictionary = self._c_array(array.dictionary, False)
            self._kept.append(dictionary)
            made.dictionary = ctypes.pointer(dictionary)
        if top:
            made.release = self._releaser("array", CArray)
        return made

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        waiting = iter(self.batches)

        def get_schema(stream: Any, out: Any) -> int:
            out[0] = self._c_schema(self.schema)
            return 0

        def get_next(stream: Any, out: Any) -> int:
            batch = next(waiting, None)
            if batch is None and self.error is not None:
                return 5
            out[0] = CArray() if batch is None else self._c_array(batch)
            return 0

        message = ctypes.create_string_buffer((self.error or "").encode())
        self._kept.append(message)
        stream = CStream(
            get_schema=self._callback(CFUNCTYPE(c_int, POINTER(CStream), POINTER(CSchema)), get_schema),
            get_next=self._callback(CFUNCTYPE(c_int, POINTER(CStream), POINTER(CArray)), get_next),
            get_last_error=self._callback(
                CFUNCTYPE(c_void_p, POINTER(CStream)), lambda stream: ctypes.addressof(message)
            ),
            release=self._releaser("stream", CStream),
        )
        self._kept.append(stream)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        self._name = b"arrow_array_stream"
        return new(ctypes.addressof(stream), self._name, None)


def table(
    columns: dict[str, Schema], *batches: list[Array | None], rows: int | None = None, **options: Any
) -> Producer:
    """Make a producer of a table whose batches have these columns."""
    schema = Schema(
        "+s", "", [Schema(c.format, name, c.children, c.dictionary) for name, c in columns.items()]
    )
    arrays = [
        Array(
            rows if rows is not None else max((c.length for c in batch if c), default=0),
            [None],
            children=batch,
        )
        for batch in batches
    ]
    return Producer(schema, arrays, **options)
