"""A table whose names and categories would do harm if they were pasted into a query."""

import numpy as np
import polars as pl

HOSTILE = {
    'a"; drop table rows; --': ["'; drop table rows; --", 'x" or 1=1', "\\", "%s", ""],
    "select": ["null", "NULL", "None", "nan", "0"],
    "it's [a] `name`": ["a'b", "a''b", "a\nb", "ä€😀", ":p"],
    " blank ": ["?", "{x}", "--", "/*", "*/"],
}
TARGET = 'class "of" it'


def hostile_rows(rows: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    columns = {
        name: [values[(k + int(own)) % 5] for k, own in zip(rng.integers(0, 4, rows), y, strict=True)]
        for name, values in HOSTILE.items()
    }
    return pl.DataFrame({**columns, TARGET: np.array(["';--", '"'])[y]})
